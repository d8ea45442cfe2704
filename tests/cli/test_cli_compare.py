"""``gossamer compare``, and the comparison behind it."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pyarrow.csv
import pytest

from gossamer.design import algorithms
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


PLUGIN = """
import gossamer

@gossamer.algorithm("my-star", topic_connected=True, diameter=2)
def my_star(interests, *, seed=0, hub: int = 0):
    # no docstring
    pairs = [(hub, node) for node in range(interests.node_count) if node != hub]
    return gossamer.Overlay.from_links(interests.node_count, pairs)

@gossamer.algorithm("my-failure")
def my_failure(interests, *, seed):
    raise ValueError("no idea")

@gossamer.metric("lonely")
def lonely(interests, overlay):
    return (overlay.degrees == 0).sum()
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "my_idea.py"
    path.write_text(PLUGIN)
    return path


def test_seeds_metrics_and_faults_of_a_plugin(
    invoke: Invoke, subscriptions: Path, plugin: Path
) -> None:
    words = ("compare", subscriptions, "--plugin", plugin, "--algorithms")
    more = ("--metrics", "lonely,bridges", "--seeds", "3", "--seed", "4")
    good = invoke(*words, "greedy-merge,low-oda:rho=2", *more).works()
    assert "mean of 3 seeds ± 95 % interval" in good.out
    assert " ± " in good.out
    assert "lonely" in good.out
    done = invoke(*words, "my-failure,my-star:hub=1,greedy-merge", *more)
    assert done.code == 1
    assert "greedy-merge" in done.out
    first, second = done.err.splitlines()
    assert first == (
        f"error: my-failure: my_failure ({plugin}, line 12): ValueError: no idea, with seed 4"
    )
    assert second == (
        "error: my-star:hub=1: left topics disconnected (1) although it promises not to, with "
        "seeds 4, 5, 6"
    )


def test_json_has_errors_intervals_and_metrics(
    invoke: Invoke, subscriptions: Path, plugin: Path
) -> None:
    words = ("compare", subscriptions, "--plugin", plugin, "--algorithms", "my-failure,cd-oda")
    done = invoke(*words, "--metrics", "lonely", "--seeds", "2", "--json")
    assert done.code == 1
    found = json.loads(done.out)
    assert found["seeds"] == 2
    failed, measured = found["rows"]
    assert "ValueError: no idea" in failed["error"]
    assert failed["links"] is None
    assert measured["error"] is None
    assert measured["problem"] is None
    assert measured["links_half_width"] == 0.0
    assert measured["lonely"] >= 0
    assert "lonely_half_width" in measured


def test_saved_comparison_keeps_errors_intervals_and_metrics(
    invoke: Invoke, subscriptions: Path, plugin: Path, tmp_path: Path
) -> None:
    words = ("compare", subscriptions, "--plugin", plugin, "--algorithms", "my-failure,cd-oda")
    folder, out, page = tmp_path / "folder", tmp_path / "table.csv", tmp_path / "page.html"
    files = ("--save", folder, "--out", out, "--report", page)
    assert invoke(*words, "--metrics", "lonely", "--seeds", "2", *files).code == 1
    table = pyarrow.csv.read_csv(out)
    assert tuple(table.column_names[:13]) == COMPARISON.column_names
    assert {"lonely", "lonely_half_width", "links_half_width"} <= set(table.column_names)
    invoke("report", folder, "--out", page).works()
    assert "my-failure" in page.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--seeds", "0"), "--seeds is 0; expected 1 or more; see: gossamer compare --help"),
        (("--metrics", "nonsense"), "no metric is named 'nonsense'"),
        (("--algorithms", "my-star:hub=x"), "--hub is 'x'; expected a whole number"),
        (("--algorithms", "my-star:hub=1:hub=2"), "has hub twice"),
    ],
)
def test_invalid_measures_are_rejected(
    invoke: Invoke, plugin: Path, words: tuple[str, ...], says: str
) -> None:
    done = invoke("compare", "gone.csv", "--plugin", plugin, *words)
    assert done.code == 2
    assert says in done.err


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
