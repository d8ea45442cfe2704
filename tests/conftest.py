"""Settings for the whole suite."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, settings

# Kernels compile during the first example of a test, so no deadline; a run repeats itself.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
suite = settings.get_profile("suite")
settings.register_profile("plain", parent=suite, max_examples=20)
settings.register_profile("thorough", parent=suite, max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("GOSSAMER_HYPOTHESIS", "suite"))

if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    # Random words wrap around, in plain Python as in compiled code.
    np.seterr(over="ignore")
