"""Reading edge lists of who follows whom."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.tables import lines, read_follows


def lists(path: Path, **options: Any) -> dict[Any, list[Any]]:
    interests = read_follows(path, **options)
    assert interests.node_names.tolist() == interests.topic_names.tolist()
    return {
        interests.node_names[node]: interests.topic_names[interests.topics_of(node)].tolist()
        for node in range(interests.node_count)
    }


@pytest.mark.parametrize(
    "content",
    [
        b"# comment\n% another\n10\t9\n\n9 2\n10 2\n",
        b"# comment\r\n10\t9\r\n  9   2\r\n10 2  ",
        gzip.compress(b"10 9\n9 2\n10 2\n# the end", mtime=0),
    ],
)
def test_followers_subscribe_to_followed_users(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "follows.txt"
    path.write_bytes(content)
    assert lists(path) == {2: [], 9: [2], 10: [2, 9]}
    assert lists(path, undirected=True) == {2: [9, 10], 9: [2, 10], 10: [2, 9]}


def test_names_in_an_edge_list_may_be_strings(tmp_path: Path) -> None:
    path = tmp_path / "follows.txt"
    path.write_text("zoë ann\n007 ann\n", encoding="utf-8")
    assert lists(path) == {"007": ["ann"], "ann": [], "zoë": ["ann"]}


def test_repeated_edges_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "follows.txt"
    path.write_text("1 2\n1 2\n2 1\n")
    assert read_follows(path).duplicates == 1


def test_blocks_end_at_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "follows.txt"
    path.write_text("".join(f"{line} {line * 7 % 100}\n" for line in range(100)))
    whole = read_follows(path)
    for size in (1, 3, 64):
        monkeypatch.setattr(lines, "BLOCK_BYTES", size)
        assert read_follows(path) == whole


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty"),
        (b"# nothing\n\n", "no lines but comments"),
        (b"# x\n1 2\n3\n", "line 3: 1 field, expected two names, 'a b': '3'"),
        (b"1 2\n3 4 5\n", "line 2: 3 fields"),
        (b"1 2\n3 \xe9\n", r"line 2: not UTF-8 text \(byte 0xe9 at place 3"),
        (b"1 2\n3 4\0\n", "line 2: has a NUL byte"),
        (gzip.compress(b"1 2\n" * 1000, mtime=0)[:-9], "truncated"),
        (gzip.compress(b"1 2\n", mtime=0)[:-8] + b"\1" * 8, "gzip data is corrupt"),
    ],
)
def test_malformed_edge_lists_are_rejected(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "follows.txt"
    path.write_bytes(content)
    with pytest.raises(TableError, match=says) as caught:
        read_follows(path)
    assert str(path) in str(caught.value)


def test_columns_of_follows_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "follows.parquet"
    pa.parquet.write_table(pa.table({"follower": [10, 9], "followed": [9, 2]}), path)
    expected = {2: [], 9: [2], 10: [9]}
    assert lists(path) == expected
    text = tmp_path / "follows.csv"
    text.write_text("weight,who,whom\n0.5,10,9\n0.1,9,2\n")
    assert lists(text, node_column="who", topic_column="whom") == expected
    text.write_text("0.5,10,9\n0.1,9,2\n")
    assert lists(text, node_column=2, topic_column=3, header=False) == expected
    assert lists(text, node_column=3, topic_column=2, header=False) == {2: [9], 9: [10], 10: []}
    with pytest.raises(TableError, match="is Parquet, which has columns"):
        read_follows(path, layout="lists")
    with pytest.raises(ParameterError, match="columns are named with the layout pairs"):
        read_follows(text, layout="lists", node_column="who")
