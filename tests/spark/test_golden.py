"""Results of Spark jobs equal the stored digests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.golden import cases
from tests.golden.spark import CASES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("name", CASES)
def test_results_of_jobs_equal_the_stored_digests(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    (tmp_path / "tables").mkdir()
    found = cases.parts_of(name, CASES[name](spark, tmp_path))
    assert found == cases.of_case(name, cases.load())
