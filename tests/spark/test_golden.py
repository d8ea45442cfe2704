"""Results of Spark jobs equal the stored digests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.golden import cases
from tests.golden.spark import CASES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


COMPARED = "spark/design/"
"""Designs: test_design.py and test_design_in_blocks.py compare them with those of memory, which
have digests too. ``python -m tests.golden --spark`` computes all."""


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(COMPARED)])
def test_results_of_jobs_equal_the_stored_digests(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    (tmp_path / "tables").mkdir()
    found = cases.parts_of(name, CASES[name](spark, tmp_path))
    assert found == cases.of_case(name, cases.load())
