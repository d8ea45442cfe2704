"""Parsers of sources without Spark, against naive versions, and on bad files."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ParameterError, RecordError, TableError
from gossamer.pipeline.ingest import Ingestion
from gossamer.pipeline.sources import find_source, sources
from gossamer.pipeline.sources.files import find_files, first_line
from gossamer.pipeline.sources.latency import rows_of_matrix
from gossamer.pipeline.sources.layouts import Fields, Layout, find_layouts, split_batch
from gossamer.pipeline.sources.sessions import sessions_of_line
from gossamer.tables.bad_rows import max_bad_records
from gossamer.tables.json_lists import entries_of, list_of_line

LETTERS = st.sampled_from(["a", "b", "é", "0", " ", ",", '"', '""', "\t", ";", "\\", "'", "#"])
LINES = st.lists(LETTERS, min_size=1, max_size=12).map("".join)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=3)


def bad_line(parse: Callable[[], Any]) -> str:
    """Why it cannot be parsed."""
    with pytest.raises(RecordError) as fault:
        parse()
    return str(fault.value)


# -- delimited lines --------------------------------------------------------------


def split_slowly(line: str, delimiter: str, width: int) -> list[str] | None:
    """The fields of a line by the csv module alone; None if it cannot be used."""
    if line.count('"') % 2:
        return None
    try:
        fields = next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return fields if len(fields) == width else None


@given(st.lists(LINES, max_size=8), st.sampled_from([",", "\t", ";"]), st.integers(2, 3))
def test_lines_are_split_as_the_csv_module_does(
    lines: list[str], delimiter: str, width: int
) -> None:
    layout = Layout(delimiter, width, (("second", 1), ("first", 0)), None)
    batch = pa.table(
        {
            "file": pa.array([f"{place}" for place in range(len(lines))], pa.string()),
            "line": pa.array(lines, pa.string()),
            "reason": pa.array([None] * len(lines), pa.string()),
        }
    ).combine_chunks()
    found = {
        int(row["file"]): row
        for one in batch.to_batches()
        for part in split_batch(one, layout)
        for row in part.to_pylist()
    }
    assert len(found) == len(lines)
    for place, line in enumerate(lines):
        expected = split_slowly(line, delimiter, width)
        row = found[place]
        assert row["line"] == line
        assert (row["reason"] is None) == (expected is not None)
        assert [row["first"], row["second"]] == (expected[:2] if expected else [None, None])


def test_reason_of_a_bad_line_stays() -> None:
    layout = Layout(",", 2, (("node", 0),), None)
    batch = pa.RecordBatch.from_pydict({"file": ["f"], "line": ["a,b"], "reason": ["is odd"]})
    rows = [row for part in split_batch(batch, layout) for row in part.to_pylist()]
    assert rows == [{"file": "f", "line": "a,b", "reason": "is odd", "node": None}]


def test_positions_of_fields_follow_from_headers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n\nnode,topic,weight\nann,tea,1\n")
    (tmp_path / "b.dat").write_bytes(b"\xef\xbb\xbf//node\ttopic\r\nann\ttea\r\n")
    (tmp_path / "c.csv").write_text('topic,"node"\ntea,ann')
    (tmp_path / "d.csv").write_text("\n\n")
    fields = Fields({"node": "node", "topic": "topic"})
    layouts = find_layouts(find_files([tmp_path]), fields)
    found = {Path(files[0].name).name: layout for layout, files in layouts.items()}
    assert found == {
        "a.csv": Layout(",", 3, (("node", 0), ("topic", 1)), "node,topic,weight"),
        "b.dat": Layout("\t", 2, (("node", 0), ("topic", 1)), "//node\ttopic"),
        "c.csv": Layout(",", 2, (("node", 1), ("topic", 0)), 'topic,"node"'),
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            b"user;page\n1;2\n",
            "no column 'node' and no column 'topic'; the columns are: 'user', 'page'",
        ),
        (b"node,page\n1,2\n", "no column 'topic'; the columns are: 'node', 'page'. Name yours "),
        (b"node,topic,node\n1,2,3\n", "2 columns are named 'node'"),
        (b'node,"topic\n1,2\n', "line 1: is not a header"),
        (b"n\xf6de,topic\n1,2\n", "line 1: not UTF-8 text (byte 0xf6"),
        (b"node,topic,\0\n", "NUL bytes"),
        (b"\n\r\n", "the file is empty; expected a header line"),
    ],
)
def test_headers_without_the_columns_are_rejected(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(TableError) as fault:
        find_layouts(find_files([path]), Fields({"node": "node", "topic": "topic"}))
    assert says in str(fault.value)


def test_header_that_is_too_long_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"x" * (1 << 21))
    with pytest.raises(TableError, match="longer than 1 MiB"):
        first_line(find_files([path])[0])


# -- JSON -------------------------------------------------------------------------


@given(
    st.dictionaries(NAMES, st.lists(NAMES | st.integers(), min_size=1, max_size=4), max_size=5),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_large_json_object_is_parsed_as_by_the_json_module(
    wanted: dict[str, list[str | int]], indent: Any, plain: bool
) -> None:
    text = json.dumps(wanted, indent=indent, ensure_ascii=plain)
    expected = [(node, [str(topic) for topic in topics]) for node, topics in wanted.items()]
    assert list(entries_of("f", text)) == expected
    for node, topics in wanted.items():
        line = json.dumps({"who": node, "what": topics}, ensure_ascii=plain)
        assert list(list_of_line(line, "who", "what")) == [(node, list(map(str, topics)))]


def test_bad_entries_of_a_json_object_are_rejected_alone() -> None:
    text = (
        '{"a": ["x"], "b": [], "c": 5, "d": [1.5], "e": [true], "f": [""], "": ["x"], '
        '"a": ["y"], "g": ["\\ud800"], "h": ["\\u0000"]}'
    )
    found = [(kept, str(fault)) for kept, fault in entries_of("f", text)]
    assert found == [
        ("a", "['x']"),
        ('"b": []', "has an empty list of topics"),
        ('"c": 5', "has no list of topics"),
        ('"d": [1.5]', "has a topic that is neither text nor a whole number"),
        ('"e": [true]', "has a topic that is neither text nor a whole number"),
        ('"f": [""]', "the topic is empty"),
        ('"": ["x"]', "the node is empty"),
        ("a", "['y']"),
        ('"g": ["\\ud800"]', "is not UTF-8 text"),
        ('"h": ["\\u0000"]', "has a name with a NUL in it"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1, 2]", "f, line 1: expected a JSON object"),
        ('{"a": ["x"]}\n{"b": ["y"]}', "line 2: the object has ended; an object a line is read"),
        ('{"a": ["x"],\n "b" ["y"]}', "line 2: expected ':'; found '[\"y\"]}'"),
        ('{"a": ["x"], ', "found the end of the file"),
        ('{"a": ["x"', "is not JSON"),
        ('{"a": ' + "[" * 200_000, "is not JSON"),
        ("{1: []}", "expected a user in quotes"),
    ],
)
def test_json_that_is_not_one_object_is_rejected(text: str, says: str) -> None:
    with pytest.raises(TableError) as fault:
        list(entries_of("f", text))
    assert says in str(fault.value)
    assert list(entries_of("f", " \n")) == list(entries_of("f", "{ }")) == []


def test_bad_lines_of_json_are_rejected() -> None:
    def reason(line: str) -> str:
        return bad_line(lambda: list(list_of_line(line, "user", "topics")))

    assert reason("{") == "is not JSON"
    assert reason("[1]") == "is not a JSON object"
    assert reason('{"topics": ["x"]}').startswith("has no user")
    assert reason('{"user": 1}') == "has no list of topics"
    assert list(list_of_line("  ", "user", "topics")) == []


# -- sessions and matrices --------------------------------------------------------

SECONDS = st.decimals(0, 1000, places=6)


@given(st.lists(SECONDS, max_size=8), st.integers(-1, 1))
def test_availability_lines_are_validated(times: list[Decimal], off: int) -> None:
    count = len(times) // 2 + off
    line = " ".join(["n1", str(max(count, 0)), *map(str, times)])
    fits = len(times) == 2 * max(count, 0)
    in_order = all(first < second for first, second in zip(times[::2], times[1::2], strict=False))
    apart = all(end <= start for end, start in zip(times[1::2], times[2::2], strict=False))
    if fits and in_order and apart:
        node, starts, ends = sessions_of_line(line)
        assert node == "n1"
        assert starts == [int(time * 1_000_000) for time in times[::2]]
        assert ends == [int(time * 1_000_000) for time in times[1::2]]
    else:
        assert bad_line(lambda: sessions_of_line(line))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("n1", "does not begin with a node and the number"),
        ("n1 two 1 2", "does not begin with a node and the number"),
        ("n1 2 0 5", "does not have as many sessions as it says"),
        ("n1 1 0 5 6", "does not have as many sessions as it says"),
        ("n1 1 0 later", "has a time that is not a number"),
        ("n1 1 0 1e9999", "has a time that is not a number"),
        ("n1 1 0 nan", "has a time that is not a number"),
        ("n1 1 5 5", "a session does not end after its start"),
        ("n1 2 0 5 4 9", "overlap or are not in order"),
    ],
)
def test_bad_availability_lines_are_rejected(line: str, reason: str) -> None:
    assert reason in bad_line(lambda: sessions_of_line(line))


def test_rows_of_a_latency_matrix() -> None:
    text = "# a comment\n0 1.5 nan\n-1 0 2\n\n3\t4\t0.001\n"
    assert list(rows_of_matrix("f", text, 0.5)) == [
        (0, [0, 750, None]),
        (1, [None, 0, 1000]),
        (2, [1500, 2000, 0]),
    ]
    reasons = [str(row[-1]) for row in rows_of_matrix("f", "0 x\n-2 0\n", 1.0)]
    assert reasons == [
        "has something that is not a number",
        "has a number that is negative (and not -1) or too large",
    ]
    uneven = [row[0] for row in rows_of_matrix("f", "0 1 2\n1 0\n", 1.0)]
    assert uneven == ["0 1 2", 1]


# -- files and limits -------------------------------------------------------------


def test_files_are_found_by_name_pattern_and_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "more" / "deep"
    inside.mkdir(parents=True)
    for path in (tmp_path / "a.txt", tmp_path / "b[1].txt", inside / "c.txt", inside / "_d.txt"):
        path.write_text("1 2\n")
    (tmp_path / "more" / "empty.txt").touch()

    def names(*asked: str | Path) -> list[str]:
        return [Path(file.name).name for file in find_files(asked)]

    assert names(tmp_path / "a.txt", tmp_path / "a.txt") == ["a.txt"]
    assert names(f"{tmp_path}/*.txt") == ["a.txt", "b[1].txt"]
    assert names(tmp_path / "b[1].txt") == ["b[1].txt"]
    assert names(f"{tmp_path}/more/*/*.txt", tmp_path / "more") == ["c.txt"]
    assert names(tmp_path.as_uri() + "/?.txt") == ["a.txt"]
    monkeypatch.chdir(tmp_path)
    assert [file.name for file in find_files(["*.txt"])] == ["a.txt", "b[1].txt"]
    assert find_files(["b[[]1].txt"])[0].spark_path.endswith("b\\[1\\].txt")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("none.txt", None, "there is no such file or folder"),
        ("none*.txt", None, "no file matches this pattern"),
        ("empty.txt", b"", "the file is empty"),
        ("a.zip", b"PK", ".zip files are not unpacked"),
        ("a.parquet", b"PAR1....", "is Parquet, a table already"),
        ("a.txt", gzip.compress(b"1 2\n", mtime=0), "rename it to end in .gz"),
        ("a.txt.gz", b"1 2\n", "is not gzipped"),
    ],
)
def test_unreadable_files_are_rejected(
    tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TableError) as fault:
        find_files([path])
    assert says in str(fault.value)


def test_empty_list_of_files_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no files are named"):
        find_files([])
    with pytest.raises(TableError, match="has no files in it"):
        find_files([tmp_path])
    for name in "ab":
        (tmp_path / name).touch()
    with pytest.raises(TableError, match="all 2 files are empty"):
        find_files([tmp_path])


def test_maximum_number_of_bad_records() -> None:
    assert max_bad_records("2.5 %", 1000) == 25
    assert max_bad_records("100%", 7) == 7
    for limit in ("many", "-1", "101%", "1.5", "", True):
        with pytest.raises(ParameterError, match="max_bad is "):
            max_bad_records(limit, 10)


@pytest.mark.parametrize("name", sources())
def test_each_source_has_a_summary_and_a_layout(name: str) -> None:
    source = find_source(name)
    assert 20 < len(source.summary) < 90
    assert source.layout
    assert source.tables
    assert source.example.endswith("\n")
    with pytest.raises(ParameterError, match="has no option 'fantasy'"):
        source(fantasy=1)


def test_bad_input_is_rejected_before_spark_starts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("0 1\n1 0\n")
    with pytest.raises(ParameterError, match="no source is named 'tarot'; there are availability"):
        Ingestion.plan("tarot", tmp_path)
    with pytest.raises(TableError, match="latency reads one file; 2 are named"):
        Ingestion.plan("latency", tmp_path)
    with pytest.raises(ParameterError, match="two columns are named 'x'"):
        Ingestion.plan("pairs", tmp_path, node_column="x", topic_column="x")
    with pytest.raises(ParameterError, match="the delimiter is 'xx'"):
        Ingestion.plan("pairs", tmp_path, delimiter="xx")
    with pytest.raises(ParameterError, match="the separator of topics is empty"):
        Ingestion.plan("publications", tmp_path, topic_separator="")
