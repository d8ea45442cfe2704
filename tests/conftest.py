"""Settings for the whole suite."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Kernels compile during the first example of a test, so no deadline; a run repeats itself.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("suite"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("GOSSAMER_HYPOTHESIS", "suite"))
