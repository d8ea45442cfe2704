"""Text tables, function by function: separators, headers, line numbers, quotes, wrong rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.tables import delimited, lines
from gossamer.tables.delimited import (
    find_delimiter,
    likely_delimiter,
    line_of_row,
    raise_row_fault,
    read_delimited,
    read_header,
)
from gossamer.tables.files import TableFile, find_file


def table(folder: Path, text: str, name: str = "s.csv") -> TableFile:
    path = folder / name
    path.write_text(text, newline="")
    return TableFile(path)


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("s.csv", None, ","),
        ("s.tsv", None, "\t"),
        ("S.TSV.GZ", None, "\t"),
        ("tsv", None, ","),
        ("s.tsv", ",", ","),
        ("s.csv", "tab", "\t"),
        ("s.csv", "\\t", "\t"),
        ("s.csv", "comma", ","),
        ("s.csv", "semicolon", ";"),
        ("s.csv", "|", "|"),
        ("s.csv", "pipe", "|"),
        ("s.csv", "space", " "),
        ("s.csv", "blanks", "blanks"),
    ],
)
def test_delimiter_is_given_or_follows_from_the_name(
    tmp_path: Path, name: str, given: str | None, found: str
) -> None:
    assert find_delimiter(table(tmp_path, "", name), given) == found


PAIRS = [("follower", "followed"), ("node", "topic")]


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("s.txt", "id|topic|node", "|"),
        ("s.txt", "# node topic", "blanks"),
        ("s.csv", "a;b;c", ";"),
        ("s.csv", "a,b;c;d", ","),
        ("s.tsv", "a,b", ","),
        ("s.txt", "a,b;c;d", ";"),
        ("s.txt", "Nodes,topics|x|y|z", ","),
        ("s.tsv", 'node,"to', "\t"),
        ("s.txt", 'node;"to', ","),
    ],
)
def test_delimiter_follows_from_columns_similar_names_and_the_ending(
    tmp_path: Path, name: str, line: str, found: str
) -> None:
    assert find_delimiter(table(tmp_path, f"\n{line}\n1\n", name), None, PAIRS) == found


def test_ambiguous_delimiter_is_an_error(tmp_path: Path) -> None:
    both = table(tmp_path, "node,topic,a|node|topic|b\n", "s.txt")
    with pytest.raises(TableError, match="at each comma or at each pipe; write it with one of"):
        find_delimiter(both, None, PAIRS)
    with pytest.raises(TableError, match="at each comma or at each pipe; write it with one of"):
        likely_delimiter("s.txt", "node,topic,a|node|topic|b", None, PAIRS)
    numbered = table(tmp_path, "1;2,5\n", "s.txt")
    with pytest.raises(TableError, match="at each comma or at each semicolon; say which"):
        find_delimiter(numbered, None, [("1", "2")], header=False, way_out="say which")
    assert find_delimiter(numbered, None, [("1", "5")], header=False) == ","


def test_first_line_is_limited_to_a_mebibyte(tmp_path: Path) -> None:
    longest = "node,topic," + "x," * ((1 << 19) - 6)
    assert len(f"{longest}\n") == 1 << 20
    assert find_delimiter(table(tmp_path, f"{longest}\n"), None, PAIRS) == ","
    with pytest.raises(TableError, match="line 2: the first line is longer than 1 MiB; expected"):
        find_delimiter(table(tmp_path, f"\n{longest}x\n"), None, PAIRS)


@pytest.mark.parametrize("given", ["", "::", "é", '"', "\r", "\n", "\0", "pip"])
def test_delimiter_that_is_no_single_ascii_character_is_rejected(
    tmp_path: Path, given: str
) -> None:
    with pytest.raises(ParameterError, match="expected one ASCII character"):
        find_delimiter(table(tmp_path, ""), given)


def test_header_is_the_first_line_that_is_not_blank(tmp_path: Path) -> None:
    assert read_header(table(tmp_path, "\ufeffa,b\n1,2\n"), ",") == ["a", "b"]
    assert read_header(table(tmp_path, '\r\n\n"a,b"\tc'), "\t") == ["a,b", "c"]
    for empty in ("", "\n\r\n"):
        with pytest.raises(TableError, match="the file is empty; expected a header line and rows"):
            read_header(table(tmp_path, empty), ",")


def test_rows_count_from_zero_below_the_header(tmp_path: Path) -> None:
    source = table(tmp_path, 'a,b\n1,2\n\n"3\n3",4\n5,6\n')
    assert [line_of_row(source, ",", row) for row in range(3)] == [2, 4, 6]
    assert [line_of_row(source, ",", row, header=False) for row in range(4)] == [1, 2, 4, 6]
    with pytest.raises(AssertionError, match="has no row 3"):
        line_of_row(source, ",", 3)


def test_named_columns_are_read_as_text(tmp_path: Path) -> None:
    found = read_delimited(table(tmp_path, "a;b;c\n007;x;null\n;y;\n"), ["c", "b"], ";")
    assert found.to_pydict() == {"c": ["null", ""], "b": ["x", "y"]}
    found = read_delimited(table(tmp_path, "a,b"), ["b", "a"], ",")
    assert found.to_pydict() == {"b": [], "a": []}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,2\n"3,4\n5,6\n', 3),
        ('a,b\n"1,2\n3,4\n5,6\n', 2),
        ('a,b\n1,2\n\n3,"4\n', 4),
        ('a,b\n"1\n1",2\n3,"4\n', 4),
        ('a,b\n1,"2\n3,4\n', 2),
        ('a,b,c\n1,"2,3\n4,5,6\n', 2),
    ],
)
def test_quote_that_is_never_closed_is_rejected(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(TableError, match=rf"s\.csv, line {line}: a quote is opened"):
        read_delimited(table(tmp_path, text), ["a", "b"], ",")


def test_line_ends_within_quotes_may_be_at_the_end_of_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 64)
    source = table(tmp_path, "a,b\n" + '"1\n1\n1\n1",2\n' * 50)
    assert read_delimited(source, ["a"], ",").to_pydict() == {"a": ["1\n1\n1\n1"] * 50}


def test_rows_between_blanks_fill_several_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BLOCK_BYTES", 32)
    rows = [str(number) for number in range(50)]
    source = table(tmp_path, "a b\n" + "".join(f"{row}  x\n" for row in rows))
    assert read_delimited(source, ["a"], "blanks").to_pydict() == {"a": rows}
    found = read_delimited(source, ["2"], "blanks", header=False)
    assert found.to_pydict() == {"2": ["b", *["x"] * 50]}


def test_quotes_within_fields_are_characters(tmp_path: Path) -> None:
    text = 'a,b\n1,5" disk\n2,"x ""y"" z"\n'
    found = read_delimited(table(tmp_path, text), ["b"], ",")
    assert found.to_pydict() == {"b": ['5" disk', 'x "y" z']}
    found = read_delimited(table(tmp_path, 'a,b\n"1\n1",5"\n2,x\n'), ["a", "b"], ",")
    assert found.to_pydict() == {"a": ["1\n1", "2"], "b": ['5"', "x"]}, "the last row is whole"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,c\n1,2,3\n4\n", "line 3: 1 field, expected 3 (a, b, c); 'b' and 'c' missing"),
        ("a,b,c\n4,5\n", "line 2: 2 fields, expected 3 (a, b, c); 'c' missing"),
        ("a,b,c\n4,5,6,7\n", "line 2: 4 fields, expected 3 (a, b, c)"),
        (
            "a,b,c\n4,5,\n",
            "line 2: the field 'c' is empty; every row needs a name (1 row has an empty field; "
            "remove it from the file)",
        ),
        (
            "a,b,c\n4,5,\n1,2,3\n4,,6\n,5,6\n",
            "line 2: the field 'c' is empty; every row needs a name (2 rows have an empty field; "
            "remove them from the file)",
        ),
        ("a,b,c\n\n4,5\0,6\n", "line 3: the field 'b' has a NUL byte in it"),
        ("a,b,c\n,5,6\n", "cannot be read as a table (why)"),
    ],
)
def test_first_wrong_row_is_named(tmp_path: Path, text: str, says: str) -> None:
    source = table(tmp_path, text)
    with pytest.raises(TableError) as caught:
        raise_row_fault(source, ["b", "c"], ",", "why")
    message = str(caught.value)
    assert message in (f"{source.path}, {says}", f"{source.path}: {says}")


def test_row_that_arrow_rejects_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="line 3: 1 field, expected 2"):
        read_delimited(table(tmp_path, "a,b\n1,2\n3\n"), ["a"], ",")


def test_file_that_changes_is_not_read_on(tmp_path: Path) -> None:
    source = find_file(table(tmp_path, "a,b\n1,2\n").path)
    assert read_header(source, ",") == ["a", "b"]
    source.path.write_text("a,b\n1,2\n3,4\n")
    for read in (
        lambda: read_delimited(source, ["a"], ","),
        lambda: raise_row_fault(source, ["a"], ",", "why"),
        lambda: line_of_row(source, ",", 0),
    ):
        with pytest.raises(TableError, match="changed while it was read"):
            read()


def test_text_that_is_not_utf8_is_rejected_with_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes("a,b\né,ü\nçx".encode() + b"\xe9\n")
    with pytest.raises(TableError, match=r"line 3: not UTF-8 text \(byte 0xe9 at place 4\)"):
        line_of_row(TableFile(path), ",", 5)


def test_first_wrong_line_between_blanks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes("node topic\nann tea\né x".encode() + b"\xe9\n")
    with pytest.raises(TableError, match=r"line 3: not UTF-8 text \(byte 0xe9 at place 5\)"):
        read_delimited(TableFile(path), ["topic"], "blanks")
    path.write_bytes(b"node topic\nann tea bob\n\xe9 x\n")
    with pytest.raises(TableError, match=r"line 2: 3 fields, expected 2: 'ann tea bob'"):
        read_delimited(TableFile(path), ["topic"], "blanks")
    path.write_bytes(b"node topic\nann\n\xe9 x\n")
    with pytest.raises(TableError, match=r"line 2: 1 field, expected 2: 'ann'"):
        read_delimited(TableFile(path), ["topic"], "blanks")


def test_field_beyond_the_limit_of_csv_is_rejected(tmp_path: Path) -> None:
    long = "x" * (csv.field_size_limit() + 1)
    with pytest.raises(TableError, match="line 3: field larger than field limit"):
        read_header(table(tmp_path, f"\n\na,{long}\n1,2\n"), ",")
