"""Commands on Spark: results equal those in memory; examples of the help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli import test_cli_help as command_help
from tests.cli.conftest import Invoke, invoke, subscriptions
from tests.cli.test_cli_help import folder
from tests.docs.page_blocks import pages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["folder", "invoke", "subscriptions"]

ON_PAGES = ("assess", "design", "profile", "sample")
"""Commands that take long on Spark: a page has them too, with other arguments than the help."""

COMMANDS = {
    line.split("#")[0].strip()
    for page in pages()
    for block in page.executed
    for line in block.lines
}
EXAMPLES = [
    example
    for example in command_help.ON_SPARK
    if example.split()[1] not in ON_PAGES and example.removesuffix(" --out out") not in COMMANDS
]
"""Examples that no page has: ``test_pages`` runs the others."""


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_help_work_on_spark(
    spark: SparkSession, invoke: Invoke, folder: Path, example: str
) -> None:
    command_help.check_example(invoke, example)


def test_compare_on_spark_equals_memory(
    spark: SparkSession, invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    names = ("--algorithms", "greedy-merge,ring-per-topic")
    page, kept = tmp_path / "page.html", tmp_path / "comparison.csv"
    on_spark = ("--engine", "spark", "--with-profile", "--report", page, "--out", kept)
    shown = invoke("compare", subscriptions, *names, *on_spark).works().out
    beside = tmp_path / "beside.csv"
    invoke("compare", subscriptions, *names, "--out", beside).works()
    assert "greedy-merge" in shown
    assert "Interests" in page.read_text()

    def without_times(path: Path) -> list[list[str]]:
        rows = [line.split(",") for line in path.read_text().splitlines()]
        place = rows[0].index("seconds")
        return [row[:place] + row[place + 1 :] for row in rows]

    assert without_times(kept) == without_times(beside)


def test_design_on_spark_compares_with_exact_greedy_merge(
    spark: SparkSession, invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "links.csv"
    shown = invoke(
        "design", subscriptions, "--engine", "spark", "--compare-exact", "--out", out
    ).works()
    assert "links per node, mean, of exact greedy merge" in shown.out
    assert "seconds, merging" in shown.out
    assert out.read_text().startswith("source,target\n")
