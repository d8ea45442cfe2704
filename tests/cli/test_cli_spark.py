"""Commands with --engine spark: what they refuse before Spark starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Invoke


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--algorithm", "low-oda"], "on Spark there are bounded-radius"),
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
