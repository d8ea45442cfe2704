"""Reading subscriptions: what is accepted, and what is said of what is not."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.tables import read_interests

ROWS = b"node,topic\nann,tea\nann,jazz\nbob,jazz\n"
EXPECTED = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"]})

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(content: bytes, name: str = "s.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


def parquet(**columns: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue())


AS_PARQUET = parquet(node=["ann", "ann", "bob"], topic=["tea", "jazz", "jazz"])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(ROWS, id="plain"),
        pytest.param(ROWS.rstrip(b"\n"), id="no newline at the end"),
        pytest.param(b"\xef\xbb\xbf" + ROWS, id="byte order mark"),
        pytest.param(ROWS.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(ROWS.replace(b"\n", b"\r"), id="CR"),
        pytest.param(b"\n\n" + ROWS.replace(b"\n", b"\n\n"), id="blank lines"),
        pytest.param(b'"node","topic"\n"ann",tea\nann,"jazz"\nbob,jazz\n', id="quotes"),
        pytest.param(b"id,topic,node\n1,tea,ann\n2,jazz,ann\n,jazz,bob\n", id="other columns"),
        pytest.param(b"x,topic,node,x\n\xff,tea,ann,\n,jazz,ann,\n,jazz,bob,\n", id="unread ones"),
        pytest.param(gzip.compress(ROWS, mtime=0), id="gzip"),
        pytest.param(
            gzip.compress(ROWS[:20], mtime=0) + gzip.compress(ROWS[20:], mtime=0),
            id="gzip in two parts",
        ),
        pytest.param(AS_PARQUET, id="Parquet"),
        pytest.param(gzip.compress(AS_PARQUET, mtime=0), id="gzipped Parquet"),
    ],
)
@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s"])
def test_format_follows_from_the_content(write: Write, content: bytes, name: str) -> None:
    assert read_interests(write(content, name)) == EXPECTED


@pytest.mark.parametrize("name", ["s.tsv", "s.TSV.gz"])
def test_tsv_names_imply_tabs(write: Write, name: str) -> None:
    assert read_interests(write(ROWS.replace(b",", b"\t"), name)) == EXPECTED


@pytest.mark.parametrize(("delimiter", "byte"), [(";", b";"), ("\\t", b"\t"), ("tab", b"\t")])
def test_delimiter_option(write: Write, delimiter: str, byte: bytes) -> None:
    assert read_interests(write(ROWS.replace(b",", byte)), delimiter=delimiter) == EXPECTED


def test_column_name_options(write: Write) -> None:
    path = write(ROWS.replace(b"node,topic", b"who,what"))
    assert read_interests(path, node_column="who", topic_column="what") == EXPECTED


def test_quoted_names_keep_commas_quotes_and_line_ends(write: Write) -> None:
    interests = read_interests(write(b'node,topic\n"a,""b""\r\nc",t\n'))
    assert interests.node_names.tolist() == ['a,"b"\r\nc']


def test_repeated_pairs_are_merged_and_counted(write: Write) -> None:
    interests = read_interests(write(ROWS + b"ann,tea\nann,tea\n"))
    assert interests == EXPECTED
    assert interests.duplicates == 2


# -- names ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["10", "9", "-3", "0"], [-3, 0, 9, 10]),
        (["10", "9", "007"], ["007", "10", "9"]),
        (["10", "9", "+1"], ["+1", "10", "9"]),
        (["10", "9", "-0"], ["-0", "10", "9"]),
        (["10", "9", "1.0"], ["1.0", "10", "9"]),
        (["9", "9223372036854775807"], [9, 9223372036854775807]),
        (["9", "9223372036854775808"], ["9", "9223372036854775808"]),
        (["9", "99999999999999999999"], ["9", "99999999999999999999"]),
        (["NA", "null", "NaN"], ["NA", "NaN", "null"]),
        (["true", "2020-01-01"], ["2020-01-01", "true"]),
        (["z", "é", "Z", "😀", "\uffee"], ["Z", "z", "é", "\uffee", "😀"]),
        ([" a", "a "], [" a", "a "]),
    ],
)
def test_text_column_is_numeric_only_as_a_whole(
    write: Write, fields: list[str], expected: list[Any]
) -> None:
    rows = "".join(f"{field},t\n" for field in fields)
    assert read_interests(write(f"node,topic\n{rows}".encode())).node_names.tolist() == expected


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.uint16(),
        pa.int32(),
        pa.int64(),
        pa.uint64(),
        pa.dictionary(pa.int32(), pa.int64()),
    ],
)
def test_parquet_integers_equal_text_integers(write: Write, kind: Any) -> None:
    from_text = read_interests(write(b"node,topic\n10,a\n9,a\n10,b\n"))
    column = pa.array([10, 9, 10], type=pa.int64())
    column = column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)
    assert read_interests(write(parquet(node=column, topic=["a", "a", "b"]))) == from_text


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
)
def test_parquet_strings_stay_strings(write: Write, kind: Any) -> None:
    column = pa.array(["7", "é", "7"]).cast(kind)
    interests = read_interests(write(parquet(node=column, topic=["7", "7", "8"])))
    assert interests.node_names.tolist() == ["7", "é"]
    assert interests.topic_names.tolist() == ["7", "8"]


def test_unused_category_is_not_a_node(write: Write) -> None:
    column = pa.DictionaryArray.from_arrays([2, 0], ["b", "unused", "a"])
    assert read_interests(write(parquet(node=column, topic=[1, 1]))).node_names.tolist() == [
        "a",
        "b",
    ]


# -- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(gzip.compress(b"", mtime=0), "the file is empty", id="empty gzip"),
        pytest.param(b"\n\r\n\n", "the file is empty", id="blank lines only"),
        pytest.param(b"node,topic\n", "no rows", id="header only"),
        pytest.param(b"node,topic", "no rows", id="header only, no newline"),
        pytest.param(parquet(node=[], topic=[]), "no rows", id="Parquet without rows"),
        pytest.param(
            b"user,topic\na,b\n",
            "no column 'node'; the columns are: 'user', 'topic'. Name yours with node_column=",
            id="unknown column",
        ),
        pytest.param(
            parquet(user=[1], topic=[2]), "no column 'node'; the columns are: 'user'", id="Parquet"
        ),
        pytest.param(b"node:topic\na:b\n", "give delimiter=", id="other delimiter"),
        pytest.param(b"node,topic,node\na,b,c\n", "2 columns are named 'node'", id="twice"),
        pytest.param(b"node,topic\na,b\n\nc\n", "line 4: 1 field, expected 2", id="missing"),
        pytest.param(b"node,topic\na,b\nc\n", "'topic' missing", id="which is missing"),
        pytest.param(b"node,topic\na,b\nc,d,e\n", "line 3: 3 fields, expected 2", id="too many"),
        pytest.param(b"node,topic\na,b\nc,\n", "line 3: the field 'topic' is empty", id="no topic"),
        pytest.param(b'node,topic\n"",b\n', "line 2: the field 'node' is empty", id="no node"),
        pytest.param(
            b'node,topic\r\n"a\r\nb",t\r\n,t\r\n', "line 4: the field 'node'", id="after two lines"
        ),
        pytest.param(b"node,topic\na,b\n   \n", "line 3: 1 field", id="white space only"),
        pytest.param(
            b'node,topic\na,b\n"c,d\n', "line 3: a quote is opened", id="quote not closed"
        ),
        pytest.param(
            b"node,topic\na,b\nc,d\xe9\n", r"line 3: not UTF-8 .*0xe9 at place 4", id="latin 1"
        ),
        pytest.param(b"node,t\xe9\na,b\n", "line 1: not UTF-8", id="latin 1 header"),
        pytest.param("node,topic\na,b\n".encode("utf-16"), "is UTF-16LE text; conv", id="UTF-16"),
        pytest.param(
            "node,topic\na,b\n".encode("utf-16-be"), "iconv -f UTF-16BE", id="UTF-16, no mark"
        ),
        pytest.param(b"no\0de,topic\na,b\n", "header has NUL bytes", id="NUL in the header"),
        pytest.param(b"node,topic\na,b\nc\0d,e\n", "line 3: the field 'node' has a NUL", id="NUL"),
        pytest.param(gzip.compress(ROWS, mtime=0)[:-12], "truncated", id="gzip cut short"),
        pytest.param(gzip.compress(ROWS, mtime=0)[:5], "truncated", id="gzip cut very short"),
        pytest.param(
            b"\x1f\x8b\x08nonsense and more", "gzip data is corrupt|truncated", id="no gzip"
        ),
        pytest.param(
            gzip.compress(ROWS, mtime=0)[:-8] + b"\0" * 8, "gzip data is corrupt", id="checksum"
        ),
        pytest.param(AS_PARQUET[:-20], "Parquet data cannot be read", id="Parquet cut short"),
        pytest.param(b"PAR1", "Parquet data cannot be read", id="Parquet magic only"),
        pytest.param(
            AS_PARQUET[:8] + b"\xff" * 60 + AS_PARQUET[68:],
            "truncated or corrupt",
            id="overwritten",
        ),
        pytest.param(
            gzip.compress(AS_PARQUET, mtime=0)[:-30], "gzip data ends too early", id="both"
        ),
        pytest.param(
            gzip.compress(AS_PARQUET[:-20], mtime=0),
            "Parquet data cannot be read",
            id="inside gzip",
        ),
        pytest.param(
            parquet(node=["a", None], topic=["b", "c"]),
            "row 2: the field 'node' is null",
            id="null",
        ),
        pytest.param(
            parquet(node=[1, 2, 3], topic=[1, 2, None]),
            "row 3: the field 'topic' is null",
            id="null int",
        ),
        pytest.param(
            parquet(node=pa.nulls(2), topic=[1, 2]),
            "row 1: the field 'node' is null",
            id="all null",
        ),
        pytest.param(
            parquet(node=["a", ""], topic=["b", "c"]), "row 2: the field 'node' is empty", id="''"
        ),
        pytest.param(
            parquet(node=["a\0"], topic=["b"]),
            "row 1: the field 'node' has a NUL",
            id="Parquet NUL",
        ),
        pytest.param(
            parquet(node=[1.5], topic=[1]), "'node' is of type double; names must be", id="float"
        ),
        pytest.param(parquet(node=[1], topic=[[1]]), "'topic' is of type list", id="list"),
        pytest.param(parquet(node=[True], topic=[1]), "'node' is of type bool", id="bool"),
        pytest.param(
            parquet(node=pa.array([2**63], pa.uint64()), topic=[1]),
            "cannot be read",
            id="too large",
        ),
        pytest.param(
            parquet(node=pa.array([b"\xff"]), topic=[1]), "cannot be read", id="binary, not UTF-8"
        ),
    ],
)
def test_malformed_tables_are_rejected(write: Write, content: bytes, says: str) -> None:
    path = write(content)
    with pytest.raises(TableError, match=says) as caught:
        read_interests(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_line_number_in_a_long_file(write: Write) -> None:
    rows = b"".join(b"%d,%d\n" % (row, row % 7) for row in range(400_000))
    with pytest.raises(TableError, match="line 400002: 1 field"):
        read_interests(write(b"node,topic\n" + rows + b"broken\n" + rows))


def test_missing_file_and_folder_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"gone\.csv: there is no such file"):
        read_interests(tmp_path / "gone.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_interests(tmp_path)
    with pytest.raises(TableError, match="cannot be read"):
        read_interests(tmp_path / ("x" * 300))
    with pytest.raises(TableError, match="cannot be read"):
        read_interests("a\0b")


def test_pipe_as_input_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TableError, match="not a plain file"):
        read_interests(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_rejected(write: Write) -> None:
    path = write(ROWS)
    path.chmod(0)
    with pytest.raises(TableError, match="Permission denied"):
        read_interests(path)


def test_invalid_column_and_delimiter_are_rejected(write: Write) -> None:
    with pytest.raises(ParameterError, match="both columns are named 'node'"):
        read_interests(write(ROWS), topic_column="node")
    for delimiter in ("", "::", '"', "\n", "é"):
        with pytest.raises(ParameterError, match="the delimiter is"):
            read_interests(write(ROWS), delimiter=delimiter)


@pytest.mark.parametrize(
    ("text", "line"), [('node,topic\na,"x\nb,x\nc,x\n', 2), ('node,topic\na,x\nb,"x\n', 3)]
)
def test_unclosed_quote_is_rejected(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=f"line {line}: a quote is opened in this row and never"):
        read_interests(path)


def test_quote_inside_a_field_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text('node,topic\na,5" disks\nb,5" disks\nc,x"\n')
    assert read_interests(path).subscription_count == 3


def test_error_lists_a_limited_number_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(",".join(f"c{k}" for k in range(1000)) + "\n")
    with pytest.raises(TableError, match="'c19' and 980 more"):
        read_interests(path)
