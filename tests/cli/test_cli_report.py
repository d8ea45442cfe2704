"""``gossamer report``, and what ``gossamer compare`` keeps for it."""

from __future__ import annotations

import importlib.util
import os
import shlex
from pathlib import Path

import pytest

from gossamer.cli import report
from gossamer.experiments import load_comparison
from tests.cli.conftest import Invoke

TWO = ("--algorithms", "greedy-merge,low-oda:rho=2")


def test_report_equals_the_page_of_compare(
    invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    page, kept, again = tmp_path / "page.html", tmp_path / "kept", tmp_path / "again.html"
    shown = invoke("compare", subscriptions, *TWO, "--report", page, "--save", kept).works().out
    assert f"wrote {kept}, {page}" in shown
    shown = invoke("report", kept, "--out", again).works().out
    assert shown == f"wrote {again}\n"
    assert again.read_bytes() == page.read_bytes()
    assert "Overlay algorithms on subscriptions.csv" in page.read_text(encoding="utf-8")
    invoke("report", kept, "--out", again, "--title", "A & B").works()
    assert "<h1>A &amp; B</h1>" in again.read_text(encoding="utf-8")
    names = ["again.html", "kept", "page.html", "subscriptions.csv"]
    assert sorted(os.listdir(tmp_path)) == names


def test_saved_command_reproduces_the_comparison(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.txt").write_text("1 2\n2 3\n3 1\n4 1\n")
    invoke("compare", "a b.txt", "--follows", *TWO, "--seed=7", "--save", "kept").works()
    command = load_comparison("kept").origin.command
    assert command == (
        "gossamer compare 'a b.txt' --algorithms greedy-merge,low-oda:rho=2 --save kept "
        "--seed 7 --follows"
    )
    before = load_comparison("kept")
    invoke(*shlex.split(command)[1:]).works()
    after = load_comparison("kept")
    assert [row.degrees for row in after.rows] == [row.degrees for row in before.rows]
    assert after.origin == before.origin


def test_saved_command_has_the_options_of_the_workload(invoke: Invoke, tmp_path: Path) -> None:
    words = ("--workload", "zipf", "--alpha", "0.9", "--nodes", "20", "--topics", "5")
    invoke(
        "compare", *TWO, *words, "--subscriptions", "2-3", "--save", tmp_path / "kept"
    ).works()  # fmt: skip
    origin = load_comparison(tmp_path / "kept").origin
    assert origin.title == "Overlay algorithms on zipf interests"
    assert "--subscriptions 2-3" in origin.command
    assert origin.command.endswith("--alpha 0.9")


def test_examples_of_report_work(
    invoke: Invoke, subscriptions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    invoke("compare", subscriptions, *TWO, "--save", "comparison").works()
    for example in report.EXAMPLES:
        command, *words = shlex.split(example)
        assert command == "gossamer"
        invoke(*words).works()
        Path(words[words.index("--out") + 1]).unlink()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "gone.csv", "--report", "x.pdf"), "expected one of .html, .htm"),
        (("compare", "gone.csv", "--report", "no/x.html"), "there is no folder no"),
        (("compare", "gone.csv", "--save", "file"), "is a file; expected a folder"),
        (("compare", "gone.csv", "--report", "x.html", "--save", "new"), "there is no such file"),
        (("report", "gone", "--out", "x.html"), "gone: there is no such folder"),
        (("report", "file", "--out", "x.html"), "is a file; expected a folder"),
        (("report", ".", "--out", "x.html"), "about.json: there is no such file"),
        (("report", "gone", "--out", "x.txt"), "expected one of .html, .htm"),
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
    (tmp_path / "file").write_text("")
    invoke(*words).fails(says)
    assert os.listdir(tmp_path) == ["file"]


def test_missing_drawing_library_names_the_extra(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for words in (("compare", "gone.csv", "--report"), ("report", "gone", "--out")):
        invoke(*words, tmp_path / "x.html").fails(
            "install it with: pip install 'gossamer[report]'", code=1
        )
