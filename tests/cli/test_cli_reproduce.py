"""``gossamer reproduce``: wiring only; the studies have tests of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.cli.reproduce import figure_name
from gossamer.studies import find_study, studies
from tests.cli.conftest import Invoke


def test_the_list(invoke: Invoke) -> None:
    shown = invoke("reproduce", "--list").works().out
    assert all(name in shown for name in studies())


@pytest.mark.parametrize("text", ["I", "1", "table-1", "Table I", "TABLE-1", "i"])
def test_ways_to_name_a_table(text: str) -> None:
    assert figure_name(find_study("td-cd-oda"), text) == "table-1"


def test_a_table_is_shown_kept_and_resumed(invoke: Invoke, tmp_path: Path) -> None:
    words = ("reproduce", "td-cd-oda", "--table", "I", "--instances", "1", "--out", tmp_path / "o")
    first = invoke(*words).works().out
    stored = tmp_path / "o" / "results" / "td-cd-oda.jsonl"
    lines = stored.read_text()
    report = tmp_path / "o" / "td-cd-oda-table-1.md"
    assert "agree within tolerance" in first
    assert f"wrote {report}" in first
    assert report.read_text().startswith("# Reproduction report")
    assert invoke(*words).works().out == first
    assert stored.read_text() == lines, "nothing was run again"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no study is named; expected one of"),
        (("nonsense",), "no study is named 'nonsense'"),
        (("td-cd-oda", "--table", "XL"), "td-cd-oda has no 'xl'; it has table-1"),
        (("td-cd-oda", "--out", "file"), "is a file; expected a folder"),
        (("stan", "--data", "nowhere"), "--data is nowhere; expected a folder of tables"),
        (("stan", "--table", "figure-12-askubuntu"), "expected a folder of data (--data) with"),
    ],
)
def test_wrong_arguments(
    invoke: Invoke,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    invoke("reproduce", *words).fails(says)


def test_a_spoilt_store(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "td-cd-oda.jsonl").write_text("nonsense\n")
    invoke("reproduce", "td-cd-oda", "--out", tmp_path).fails("is not a stored result", code=1)
