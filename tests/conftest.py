"""Settings of the whole suite."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Kernels compile during the first example of a test, so there is no deadline. Runs are repeatable.
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


collect_ignore = ["plugins"]
"""Plug-ins that tests load by path: an import while tests are collected would register them."""

JVM_TIMEOUT = 600  # seconds
ON_SPARK = Path(__file__).parent / "spark"
"""Tests that start Java; script/test looks for them nowhere else."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that share one Spark session, so that they run in one process."""
    if "spark" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.spark)
    if item.get_closest_marker("spark") or item.get_closest_marker("processes"):
        assert item.path.is_relative_to(ON_SPARK), (
            f"{item.nodeid}: tests on Spark are in {ON_SPARK}"
        )
        item.add_marker(pytest.mark.timeout(JVM_TIMEOUT))


def pytest_collection_finish() -> None:
    """Collect garbage rarely, and never visit modules and tests, which live until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(autouse=True)
def _plugins() -> Iterator[None]:
    """Remove the plug-ins that a test loads, and what it registers."""
    from gossamer import plugins
    from gossamer.registry import Registry

    before = {id(one): set(one._definitions) for one in Registry._registries}
    loaded, path = dict(plugins._loaded), list(sys.path)
    yield
    for registry in Registry._registries:
        for name in registry._definitions.keys() - before.get(id(registry), set()):
            if not registry.is_own(name):
                del registry._entries[name], registry._definitions[name]
    for name in plugins._loaded.keys() - loaded.keys():
        sys.modules.pop(name, None)
    plugins._loaded, sys.path[:] = loaded, path


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Embedded session, which commands that run in this process use too."""
    from gossamer.pipeline import spark_session
    from tests.quick_spark import QUICK_JAVA, QUICK_SPARK

    settings = QUICK_SPARK | {
        "spark.driver.extraJavaOptions": f"{QUICK_JAVA} -Xmn512m",  # it lives longest
        "spark.python.daemon.module": "tests.spark_daemon",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
        with spark_session(master="local[2]", settings=settings) as session:
            patch.undo()
            yield session
