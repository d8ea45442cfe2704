"""``gossamer workload`` and ``gossamer algorithms``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gossamer.design import algorithms
from gossamer.tables import read_interests
from gossamer.workloads import generate_interests, kinds
from tests.cli.conftest import Invoke

SMALL = ("--nodes", "50", "--topics", "10", "--subscriptions", "3")


@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])
def test_workload_file_equals_generated_interests(
    invoke: Invoke, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"w.{ending}"
    shown = invoke("workload", "rss", *SMALL, "--seed", "1", "--out", out).works().out
    assert f"wrote {out}" in shown
    assert read_interests(out) == generate_interests(
        "rss", nodes=50, topics=10, subscriptions=3, seed=1
    )


def test_sizes_and_algorithm_options(invoke: Invoke, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    words = ("--nodes", "50", "--topics", "10", "--subscriptions", "2-5", "--exponent", "2")
    invoke("workload", "zipf", "--alpha", "0.9", *words, "--out", out).works()
    sizes = read_interests(out).subscription_sizes
    assert 2 <= sizes.min() <= sizes.max() <= 5


def test_lists_of_kinds_and_algorithms(invoke: Invoke) -> None:
    shown = invoke("workload", "--list").works().out
    assert all(name in shown for name in kinds())
    shown = invoke("algorithms").works().out
    assert all(name in shown for name in algorithms())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no kind of interests is named; expected one of"),
        (("rss",), "name one with --out"),
        (("nonsense", "--out", "w.csv"), "no kind of interests is named 'nonsense'"),
        (("rss", "--out", "w.json"), "expected one of .parquet"),
        (("rss", "--out", "w.csv", "--subscriptions", "x"), "subscriptions is 'x'"),
        (("rss", "--out", "w.csv", "--subscriptions", "0"), "no node has a topic"),
        (("rss", "--out", "w.csv", "--nodes", "0"), "nodes"),
        (("rss", "--out", "w.csv", "--subscriptions", "1000"), "1000"),
        (("rss", "--out", "w.csv", "--nope", "1"), "rss has no option --nope"),
    ],
)
def test_bad_arguments_are_rejected(
    invoke: Invoke,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    invoke("workload", *words).fails(says)
    assert os.listdir(tmp_path) == []
