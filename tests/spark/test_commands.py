"""Commands on Spark: results equal those in memory; examples of the help and the README."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gossamer.cli.main import app
from tests.architecture import test_documents as documents
from tests.architecture.test_documents import desk
from tests.cli import test_cli_help as command_help
from tests.cli.conftest import Invoke, invoke, subscriptions
from tests.cli.test_cli_help import folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["desk", "folder", "invoke", "subscriptions"]

IN_README = ("assess", "design", "profile", "sample")
"""Commands that take long on Spark: the README has them too, with other arguments than the help."""

EXAMPLES = [
    example
    for example in command_help.ON_SPARK
    if example.split()[1] not in IN_README
    and example.removesuffix(" --out out") not in documents.COMMANDS
]
"""Examples that the README has not: its tests run the others, in memory if they need no Spark."""


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_help_work_on_spark(
    spark: SparkSession, invoke: Invoke, folder: Path, example: str
) -> None:
    command_help.check_example(invoke, example)


def test_commands_of_the_readme_work_on_spark(spark: SparkSession, desk: Path) -> None:
    assert len(documents.ON_SPARK) >= 4
    for command in documents.ON_SPARK:
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}"


def test_python_of_the_readme_works_on_spark(spark: SparkSession, desk: Path) -> None:
    examples = [one for one in documents.blocks("README.md", "python") if "spark" in one]
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


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


def test_design_on_spark_beside_exact_greedy_merge(
    spark: SparkSession, invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "links.csv"
    shown = invoke(
        "design", subscriptions, "--engine", "spark", "--beside-exact", "--out", out
    ).works()
    assert "links per node, mean, of exact greedy merge" in shown.out
    assert "seconds, merging" in shown.out
    assert out.read_text().startswith("source,target\n")
