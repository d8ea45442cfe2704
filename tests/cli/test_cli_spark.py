"""Commands with --engine spark: what they refuse before Spark starts, and what they print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Invoke

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--algorithm", "low-oda"], "on Spark there is bounded-radius"),
        (["--algorithm", "nonsense"], "no algorithm is named 'nonsense'"),
        (["--follows"], "gossamer ingest snap"),
        (["--rho", "3"], "has no option --rho"),
        (["--conf", "driver.memory=1g"], "begins with 'spark.'"),
    ],
)
def test_algorithms_without_spark_are_rejected(
    invoke: Invoke, subscriptions: Path, tmp_path: Path, words: list[str], says: str
) -> None:
    out = tmp_path / "links.csv"
    invoke("design", subscriptions, "--engine", "spark", "--out", out, *words).fails(says)
    assert not out.exists()


@pytest.mark.parametrize("command", ["design", "assess", "compare", "front"])
def test_spark_options_need_the_spark_engine(
    invoke: Invoke, subscriptions: Path, tmp_path: Path, command: str
) -> None:
    words: dict[str, list[str | Path]] = {
        "design": ["--out", tmp_path / "links.csv"],
        "assess": [tmp_path / "links.csv"],
        "compare": [],
        "front": [],
    }
    invoke(command, subscriptions, *words[command], "--master", "local[1]").fails("--engine spark")


def test_report_page_needs_a_table_to_profile(invoke: Invoke, tmp_path: Path) -> None:
    words = ("--workload", "rss", "--with-profile", "--report", tmp_path / "page.html")
    invoke("compare", *words).fails("--with-profile")


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
