"""One embedded Spark for all tests here, so they run in one process of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from gossamer.pipeline import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share the session in one process; the others go anywhere."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Give an embedded session; commands run in this process use it too."""
    settings = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "3"}
    with spark_session(master="local[2]", settings=settings) as session:
        yield session
