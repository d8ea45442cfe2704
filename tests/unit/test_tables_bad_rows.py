"""Bad rows of tables of subscriptions: skipped and counted, or an error that names the option."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import gossamer
from gossamer.errors import ParameterError, TableError, TableWarning
from gossamer.tables import read_follows, read_interests
from gossamer.tables.bad_rows import max_bad_records
from tests.cli.conftest import Invoke, invoke

__all__ = ["invoke"]

PAIRS = b'node,topic\na,x\nb\nb,x\n,x\nc,x,y\nd,\xff\n"e\n2",x\n'
PAIR = "expected two names, 'a b': 'q'"


@pytest.mark.parametrize(
    ("content", "given", "says", "rows"),
    [
        (PAIRS, {}, "skipped 4 of 7 rows; the first: t.csv, line 3: 1 field, expected 2 (node, "
         "topic); 'topic' missing", {"a": ["x"], "b": ["x"], "e\n2": ["x"]}),
        (b"a,x\nb\n", {"header": False}, "skipped 1 of 2 rows; the first: t.csv, line 2: 1 field",
         {"a": ["x"]}),
        (b"node topic\na  x\nb\nc x\n", {"delimiter": "blanks"}, "skipped 1 of 3 rows; the first: "
         "t.csv, line 3: 1 field", {"a": ["x"], "c": ["x"]}),
        (b"# c\na x y\n\nb \0\nd\t\n", {"layout": "lists"}, "skipped 1 of 3 rows; the first: "
         "t.csv, line 4: has a NUL byte", {"a": ["x", "y"], "d": []}),
        (b"2 x y\nq\n1 x\n", {"layout": "counts"}, "skipped 1 of 3 rows; the first: t.csv, line 2",
         {1: ["x", "y"], 2: [], 3: ["x"]}),
        (b'{"a": ["x"], "b": 5, "c": ["y"]}', {}, "skipped 1 of 3 rows; the first: t.csv: an entry "
         "has no list of topics: '\"b\": 5'", {"a": ["x"], "c": ["y"]}),
        (b'{"node": "a", "topic": ["x"]}\n{"node": "b"}\n', {}, "skipped 1 of 2 rows; the first: "
         "t.csv, line 2: has a topic that is neither", {"a": ["x"]}),
    ],
)  # fmt: skip
def test_bad_rows_are_skipped_and_counted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    given: dict[str, Any],
    says: str,
    rows: dict[Any, list[str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(content)
    with pytest.warns(TableWarning) as caught:
        found = read_interests("t.csv", max_bad=4, **given)
    assert says in str(caught[0].message)
    assert found == gossamer.Interests.from_lists(rows)
    with pytest.raises(TableError, match=r"give max_bad='1%'$"):
        read_interests("t.csv", **given)
    with pytest.raises(TableError, match=r"rows are bad, and max_bad is 1%; the first: t\.csv"):
        read_interests("t.csv", max_bad="1%", **given)


def test_bad_lines_of_follows_and_bad_rows_of_parquet_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("1 2\nq\n2 1\n")
    with pytest.warns(TableWarning, match=rf"skipped 1 of 3 rows; .*, line 2: 1 field, {PAIR}"):
        assert read_follows(path, max_bad="50%").subscription_count == 2
    columns = {"node": ["a", None, "b", ""], "topic": ["x"] * 4}
    pyarrow.parquet.write_table(pa.table(columns), path)
    with pytest.warns(TableWarning, match=r"skipped 2 of 4 rows; .*, row 2: a name is null"):
        assert read_interests(path, max_bad=2).node_count == 2
    with pytest.raises(TableError, match=r"row 2: the field 'node' is null\. To skip"):
        read_interests(path)


def test_table_without_good_rows_or_with_an_open_quote_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("node,topic\na\nb\n")
    with pytest.raises(TableError, match="2 of 2 rows are bad"):
        read_interests(path, max_bad="100%")
    path.write_text('node,topic\na\nb,"x\nc,x\n')
    with pytest.raises(TableError, match="never closed"):
        read_interests(path, max_bad="100%")


def test_good_table_has_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("node,topic\na,x\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_interests(path, max_bad=5)
    with pytest.raises(ParameterError, match="max_bad is 'few'; expected a number of lines"):
        max_bad_records("few", 5)


def test_commands_skip_bad_rows(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("node,topic\na,x\nb\nc,x\n")
    words = ("design", "t.csv", "--out", "links.csv")
    invoke(*words).fails("'topic' missing. To skip bad rows, if there are few, give --max-bad 1%")
    done = invoke(*words, "--max-bad", "1").works()
    assert "note: t.csv: skipped 1 of 3 rows; the first: t.csv, line 3: 1 field" in done.err
    assert Path("links.csv").read_text() == "source,target\na,c\n"
    shown = invoke("compare", "t.csv", "--max-bad", "1", "--algorithms", "cd-oda").works().out
    assert "gossamer design t.csv --max-bad 1 --algorithm cd-oda --out" in shown
    invoke(*words, "--max-bad", "1", "--engine", "spark").fails("--max-bad is read in memory; for")
