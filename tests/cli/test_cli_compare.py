"""``gossamer compare``, and the comparison behind it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pyarrow.csv
import pytest

from gossamer.design import algorithms
from gossamer.errors import ParameterError
from gossamer.experiments import candidates, comparison
from gossamer.experiments.candidates import parse_candidates
from gossamer.experiments.comparison import compare
from gossamer.model import Interests
from gossamer.tables import COMPARISON, read_interests
from gossamer.viz.comparison import comparison_picture
from tests.cli.conftest import Invoke

TWO = ("--algorithms", "greedy-merge,low-oda:rho=2")
SMALL = ("--workload", "uniform", "--nodes", "30", "--topics", "10", "--subscriptions", "3")


def test_compare_runs_all_algorithms_by_default(invoke: Invoke, subscriptions: Path) -> None:
    shown = invoke("compare", subscriptions).works().out
    for name in algorithms():
        assert name in shown
    assert "4 nodes, 3 topics, 7 subscriptions" in shown
    assert "no topic-connected overlay has a mean degree below" in shown


def test_compare_writes_table_and_picture(
    invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    out, picture = tmp_path / "table.csv", tmp_path / "picture.png"
    shown = invoke("compare", subscriptions, *TWO, "--out", out, "--picture", picture).works().out
    assert f"wrote {out}, {picture}" in shown
    table = pyarrow.csv.read_csv(out)
    assert tuple(table.column_names) == COMPARISON.column_names
    assert table.column("algorithm").to_pylist() == ["greedy-merge", "low-oda:rho=2"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(os.listdir(tmp_path)) == ["picture.png", "subscriptions.csv", "table.csv"]


@pytest.mark.parametrize("words", [(), ("--workload", "zipf", "--alpha", "0.9")])
def test_compare_on_a_generated_workload(invoke: Invoke, words: tuple[str, ...]) -> None:
    shown = invoke("compare", *TWO, *SMALL, *words).works().out
    assert "30 nodes, 10 topics, 90 subscriptions" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no subscriptions are given"),
        (("gone.csv", *SMALL), "either a file of subscriptions or --workload"),
        (("gone.csv",), "there is no such file"),
        (("gone.csv", "--algorithms", "nonsense"), "no algorithm is named 'nonsense'"),
        (("gone.csv", "--algorithms", ","), "no algorithms are named"),
        (("gone.csv", "--algorithms", "low-oda:rho"), "expected option=value"),
        (("gone.csv", "--algorithms", "low-oda:nope=1"), "low-oda has no option --nope"),
        (("gone.csv", "--rho", "3"), "an algorithm's own go with its name"),
        (("gone.csv", "--picture", "x.gif"), "expected one of .png, .svg, .pdf"),
        (("gone.csv", "--out", "x.gif"), "expected one of .parquet"),
        ((*SMALL, "--workload", "nonsense"), "no kind of interests is named 'nonsense'"),
        ((*SMALL, "--alpha", "2"), "uniform has no option --alpha"),
    ],
)
def test_invalid_arguments_are_rejected(
    invoke: Invoke,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    invoke("compare", *words).fails(says)
    assert os.listdir(tmp_path) == []


def test_missing_drawing_library_names_the_extra(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    invoke("compare", "gone.csv", "--picture", tmp_path / "x.png").fails(
        "install it with: pip install 'gossamer[report]'", code=1
    )


# -- from Python ----------------------------------------------------------------------


def test_rows_agree_with_the_overlay(subscriptions: Path) -> None:
    interests = read_interests(subscriptions)
    seen: list[tuple[str, float]] = []
    comparison = compare(
        interests, ["greedy-merge"], progress=lambda stage, done: seen.append((stage, done))
    )
    (row,) = comparison.rows
    overlay = algorithms()["greedy-merge"](interests)
    assert row.links == overlay.link_count
    assert row.mean_degree == pytest.approx(overlay.degrees.mean())
    assert row.max_degree == overlay.degrees.max()
    assert (row.topics_connected, row.topics) == (3, 3)
    assert row.topic_connected
    assert row.ratio_to_lower_bound is not None
    assert row.ratio_to_lower_bound >= 1
    assert all(0 <= done <= 1 for _, done in seen)


def test_failure_names_the_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ParameterError("not these")

    candidate = parse_candidates(["greedy-merge"])[0]
    monkeypatch.setattr(
        comparison,
        "parse_candidates",
        lambda _: [candidates.Candidate(candidate.label, refuse, {})],  # type: ignore[arg-type]
    )
    with pytest.raises(ParameterError, match="greedy-merge: not these"):
        compare(Interests.from_lists({"a": ["x"], "b": ["x"]}))


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures_are_deterministic(tmp_path: Path, subscriptions: Path, ending: str) -> None:
    comparison = compare(read_interests(subscriptions), ["greedy-merge", "ring-per-topic"])
    path = tmp_path / f"picture.{ending}"
    comparison_picture(comparison, path)
    first = path.read_bytes()
    comparison_picture(comparison, path)
    assert path.read_bytes() == first


def test_pdf_is_written(tmp_path: Path, subscriptions: Path) -> None:
    comparison_picture(
        compare(read_interests(subscriptions), ["greedy-merge"]), tmp_path / "picture.pdf"
    )
    assert (tmp_path / "picture.pdf").read_bytes().startswith(b"%PDF")


def test_comparison_without_links(tmp_path: Path) -> None:
    comparison = compare(Interests.from_lists({"a": ["x"], "b": ["y"]}), ["greedy-merge"])
    (row,) = comparison.rows
    assert (row.links, row.ratio_to_lower_bound) == (0, None)
    comparison_picture(comparison, tmp_path / "picture.png")
