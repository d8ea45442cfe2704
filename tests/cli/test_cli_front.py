"""``gossamer front``, and what it prints and writes."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyarrow.csv
import pytest

from gossamer.experiments import load_comparison
from gossamer.tables import FRONT
from tests.cli.conftest import Invoke

SMALL = ("--workload", "rss", "--nodes", "60", "--topics", "8", "--subscriptions", "3")
TWO = ("--algorithms", "greedy-merge,cd-oda", "--no-protocols")


def test_front_prints_points_bound_and_recommendations(invoke: Invoke, subscriptions: Path) -> None:
    shown = invoke("front", subscriptions, *TWO, "--rho", "2").works().out
    assert "4 nodes, 3 topics, 7 subscriptions" in shown
    assert "low-oda:rho=2" in shown
    assert "no topic-connected overlay has a mean degree below" in shown
    assert "For the fewest links" in shown
    assert f"gossamer design {subscriptions} --algorithm" in shown


def test_front_writes_files_and_resumes(invoke: Invoke, tmp_path: Path) -> None:
    out, picture, page = tmp_path / "front.csv", tmp_path / "front.png", tmp_path / "front.html"
    words = ("front", *SMALL, "--algorithms", "greedy-merge,cd-oda,random", "--protocols",
             "spidercast", "--out", out, "--picture", picture, "--report", page,
             "--save", tmp_path / "kept")  # fmt: skip
    shown = invoke(*words).works().out
    assert "disconnected" in shown
    table = pyarrow.csv.read_csv(out)
    assert tuple(table.column_names) == FRONT.column_names
    assert table.column("kind").to_pylist()[-1] == "protocol"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "For the fewest links" in page.read_text()
    first = picture.read_bytes()
    again = invoke(*words).works().out
    assert again == shown  # the seconds too: nothing runs again
    assert picture.read_bytes() == first
    assert len(load_comparison(tmp_path / "kept").rows) == 4


def test_front_constraints(invoke: Invoke) -> None:
    shown = invoke("front", *SMALL, *TWO, "--hops", "2", "--max-degree", "99").works().out
    (line,) = (line for line in shown.splitlines() if line.startswith("For "))
    assert line.startswith("For the fewest links within 2 hops and 99 links a node (")
    assert line.endswith(": gossamer design FILE --algorithm cd-oda --out links.parquet")


def test_front_without_a_candidate_within_the_constraints(invoke: Invoke) -> None:
    shown = invoke("front", *SMALL, *TWO, "--max-degree", "1").works().out
    *_, none, closest = shown.strip().splitlines()
    assert none.startswith("No candidate connects every topic within 1 link a node. It is imposs")
    assert re.match(r"Closest, for the lowest maximum \(.*\): gossamer design FILE --alg", closest)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no subscriptions are given"),
        (("gone.csv",), "there is no such file"),
        (("gone.csv", "--save", "f.png", "--picture", "f.png"), "is a file to write too"),
        (("gone.csv", "--hops", "0"), "hops is 0; expected 1 or more"),
        (("gone.csv", "--max-degree", "0"), "max-degree is 0; expected 1 or more"),
        (("gone.csv", "--radii", "x"), "--radii is 'x'; expected whole numbers"),
        (("gone.csv", "--radii", ""), "--radii is ''; expected whole numbers"),
        (("gone.csv", "--radii", "3,,4"), "--radii is '3,,4'; expected whole numbers"),
        (("gone.csv", "--radii", "2,0"), "radius is 0; expected 1 to 64"),
        (("gone.csv", "--rho", "two"), "--rho is 'two'; expected numbers"),
        (("gone.csv", "--rho", "nan"), "rho is nan; expected 1 or more"),
        (("gone.csv", "--algorithms", "nonsense"), "no algorithm is named 'nonsense'"),
        (("gone.csv", "--protocols", "nonsense"), "no protocol is named 'nonsense'"),
        (("gone.csv", "--protocols", "stan", "--no-protocols"), "and not both"),
        (("gone.csv", "--picture", "x.gif"), "expected one of .png, .svg, .pdf"),
        (("gone.csv", "--report", "x.gif"), "expected one of .html"),
        (
            ("gone.csv", "--degree", "3"),
            "front has no option --degree; did you mean --max-degree? an",
        ),
        ((*SMALL, "--alpha", "2"), "rss has no option --alpha"),
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
    invoke("front", *words).fails(says)
    assert os.listdir(tmp_path) == []


def test_empty_file_is_rejected(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("")
    invoke("front", path, *TWO).fails("empty.csv")


def test_table_without_rows_is_rejected(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    path.write_text("node,topic\n")
    invoke("front", path, *TWO, "--save", tmp_path / "kept").fails("none.csv")
    assert os.listdir(tmp_path) == ["none.csv"]


def test_front_of_one_node(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("node,topic\nann,tea\n")
    shown = invoke("front", path, "--picture", tmp_path / "one.png").works().out
    assert "(0.00 links a node, 0 at most, 0 hops)" in shown


def test_interruption_names_the_checkpoint_folder(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "work").mkdir()
    words = ("front", "--workload", "rss", "--nodes", "9", "--topics", "3", "--subscriptions", "2")
    monkeypatch.setattr("gossamer.experiments.pareto_front.measure_candidates", interrupted)
    stopped = invoke(*words, "--no-protocols", "--save", tmp_path / "work")
    assert stopped.code == 130
    assert stopped.err == (
        f"the results so far are in {tmp_path / 'work'}; the same command resumes\ninterrupted\n"
    )
