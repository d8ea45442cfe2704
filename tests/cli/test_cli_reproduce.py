"""``gossamer reproduce``: options, output and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.studies import find_study, studies
from tests.cli.conftest import Invoke


def test_list_of_studies(invoke: Invoke) -> None:
    shown = invoke("reproduce", "--list").works().out
    assert all(name in shown for name in studies())


@pytest.mark.parametrize("text", ["I", "1", "table-1", "Table I", "TABLE-1", "i"])
def test_spellings_of_a_table_name(text: str) -> None:
    assert find_study("td-cd-oda").find_figure(text).name == "table-1"


def test_table_is_shown_stored_and_resumed(invoke: Invoke, tmp_path: Path) -> None:
    words = ("reproduce", "td-cd-oda", "--table", "I", "--instances", "1", "--out", tmp_path / "o")
    first = invoke(*words).works().out
    stored = tmp_path / "o" / "runs" / "td-cd-oda.jsonl"
    lines = stored.read_text()
    report = tmp_path / "o" / "td-cd-oda" / "td-cd-oda-table-1.md"
    assert "claims of the paper are reproduced" in first
    assert f"wrote {report}" in first
    assert report.read_text().startswith("# TD-CD-ODA: the paper's results and ours")
    assert invoke(*words).works().out == first
    assert stored.read_text() == lines, "nothing was run again"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no study is named; expected one of"),
        (("nonsense",), "no study is named 'nonsense'"),
        (("td-cd-oda", "--table", "XL"), "td-cd-oda has no 'xl'; it has table-1"),
        (("stan", "--data", "nowhere"), "data (--data) is nowhere; expected a folder of tables"),
        (("stan", "--table", "figure-12-askubuntu"), "expected a folder of data (--data) with"),
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
    Path("file").write_text("")
    invoke("reproduce", *words).fails(says)


def test_unreadable_store_is_rejected(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "td-cd-oda.jsonl").write_text("nonsense\n")
    invoke("reproduce", "td-cd-oda", "--out", tmp_path).fails("is not a stored result", code=1)


def test_output_that_is_a_file_is_rejected(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    words = ("reproduce", "td-cd-oda", "--table", "I", "--out", tmp_path / "file")
    invoke(*words).fails("results cannot be stored in", code=1)
