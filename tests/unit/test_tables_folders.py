"""Tables in folders: parts of one table, and a table among others."""

from __future__ import annotations

import gzip
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gossamer.cli.main import app
from gossamer.errors import OverlayError, TableError
from gossamer.model import Interests, Overlay
from gossamer.tables import read_interests, read_links, write_interests, write_links

ANN_BOB = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea"]})


def part(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table(columns), path)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "subscriptions"
    part(folder / "part-00000-a.zstd.parquet", node=["ann", "bob"], topic=["tea", "jazz"])
    part(folder / "part-00001-a.zstd.parquet", node=["ann"], topic=["jazz"])
    part(folder / "part-00002-a.zstd.parquet", topic=["tea"], more=[1], node=["cy"])
    for other in ("_SUCCESS", ".part-00000-a.zstd.parquet.crc", "_nonsense.parquet", "notes.txt"):
        (folder / other).write_text("nothing to read")
    return folder


def test_parquet_parts_are_one_table(parts: Path) -> None:
    assert read_interests(parts) == ANN_BOB
    assert read_interests(f"{parts}/") == ANN_BOB


def test_table_is_found_in_a_folder_of_tables(parts: Path) -> None:
    tables = parts.parent
    assert read_interests(tables) == ANN_BOB
    part(tables / "follows" / "part-0.parquet", follower=[1], followed=[2])
    assert read_interests(tables) == ANN_BOB, "subscriptions come first"
    shutil.rmtree(parts)
    assert read_interests(tables) == Interests.from_lists({1: [2]})
    write_interests(tables / "subscriptions.parquet", ANN_BOB)
    assert read_interests(tables) == ANN_BOB


def test_follows_are_subscriptions_to_users(tmp_path: Path) -> None:
    expected = Interests.from_lists({"ann": ["bob", "cy"], "cy": ["ann"]})
    columns = {"follower": ["ann", "ann", "cy"], "followed": ["bob", "cy", "ann"]}
    part(tmp_path / "tables" / "follows.parquet", **columns)
    assert read_interests(tmp_path / "tables") == expected
    assert read_interests(tmp_path / "tables" / "follows.parquet") == expected
    part(tmp_path / "parts" / "0.parquet", **columns)
    assert read_interests(tmp_path / "parts") == expected


def test_links_are_read_from_parts(parts: Path) -> None:
    overlay = Overlay.from_links(3, [(0, 1), (0, 2)])
    tables = parts.parent
    write_links(tables / "links.parquet", ANN_BOB, overlay)
    assert read_links(tables, ANN_BOB) == overlay
    (tables / "links.parquet").unlink()
    part(tables / "links" / "part-00001.parquet", source=["bob"], target=["ann"])
    part(tables / "links" / "part-00000.parquet", source=["cy"], target=["ann"])
    assert read_links(tables, ANN_BOB) == overlay
    assert read_links(tables / "links", ANN_BOB) == overlay
    part(tables / "links" / "part-00002.parquet", source=["bob", "dee"], target=["ann", "ann"])
    with pytest.raises(OverlayError, match=r"part-00002.parquet, row 2: the source 'dee' is not"):
        read_links(tables, ANN_BOB)


def test_columns_of_other_names_and_types(tmp_path: Path) -> None:
    small, text = pa.array([7, 8], pa.int16()), pa.array(["x", "y"])
    part(tmp_path / "a.parquet", who=small, what=text.cast(pa.dictionary(pa.int8(), pa.string())))
    part(tmp_path / "b.parquet", who=[9], what=pa.array(["x"], pa.large_string()))
    part(tmp_path / "c.parquet", who=pa.array([], pa.string()), what=pa.array([], pa.int64()))
    found = read_interests(tmp_path, node_column="who", topic_column="what")
    assert found == Interests.from_lists({7: ["x"], 8: ["y"], 9: ["x"]})


@given(
    rows=st.lists(st.tuples(st.integers(-3, 9), st.sampled_from("abcdé")), min_size=1),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    groups=st.integers(1, 4),
)
def test_any_partition_into_parts_is_the_same_table(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, str]],
    cuts: list[int],
    groups: int,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    ends = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for number, (start, end) in enumerate(pairwise(ends)):
        nodes, topics = zip(*rows[start:end], strict=True)
        table = pa.table({"node": pa.array(nodes, pa.int64()), "topic": topics})
        pa.parquet.write_table(table, folder / f"part-{number}.parquet", row_group_size=groups)
    expected = Interests.from_pairs(*(list(column) for column in zip(*rows, strict=True)))
    found = read_interests(folder)
    assert found == expected
    assert found.duplicates == expected.duplicates


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (99999, 100000):
        part(tmp_path / f"part-{number}-x.parquet", node=[number], topic=[1])
    part(tmp_path / "part-100001-x.parquet", node=pa.array([1, None], pa.int64()), topic=[1, 2])
    with pytest.raises(TableError, match=r"part-100001-x.parquet, row 2: the field 'node' is null"):
        read_interests(tmp_path)


# -- bad input ------------------------------------------------------------------------


def test_folders_without_a_table_are_rejected(tmp_path: Path) -> None:
    expected = "no Parquet files and no table subscriptions or follows in it; there is nothing"
    with pytest.raises(TableError, match=expected):
        read_interests(tmp_path)
    (tmp_path / "links").mkdir()
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(TableError, match=r"there is links, notes\.txt"):
        read_interests(tmp_path)
    with pytest.raises(TableError, match="links: is a folder with no Parquet files"):
        read_links(tmp_path, ANN_BOB)
    for number in range(25):
        (tmp_path / f"f{number}").write_text("")
    with pytest.raises(TableError, match="and 7 more"):
        read_interests(tmp_path)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"node": [1], "topic": ["tea"]}, r"b.parquet: the column 'node' is numbers, and text in "),
        ({"node": ["x"], "topics": ["tea"]}, r"b.parquet: there is no column 'topic'; .* 'topics'"),
        ({"node": [1.5], "topic": ["tea"]}, r"b.parquet: the column 'node' is of type double"),
        ({"node": ["x", ""], "topic": ["tea", "t"]}, r"b.parquet, row 2: the field 'node' is empt"),
    ],
)
def test_parts_of_different_columns_are_rejected(
    tmp_path: Path, columns: dict[str, Any], says: str
) -> None:
    part(tmp_path / "a.parquet", node=["ann", "bob"], topic=["tea", "tea"])
    part(tmp_path / "b.parquet", **columns)
    with pytest.raises(TableError, match=says):
        read_interests(tmp_path)


def test_corrupt_parts_are_rejected(parts: Path) -> None:
    whole = (parts / "part-00001-a.zstd.parquet").read_bytes()
    (parts / "part-00001-a.zstd.parquet").write_bytes(whole[:-9])
    with pytest.raises(TableError, match=r"part-00001.*: the Parquet data cannot be read"):
        read_interests(parts)
    (parts / "part-00001-a.zstd.parquet").write_text("node,topic\n")
    with pytest.raises(TableError, match=r"part-00001.*: is not Parquet"):
        read_interests(parts)
    (parts / "part-00001-a.zstd.parquet").write_bytes(gzip.compress(whole, mtime=0))
    assert read_interests(parts) == ANN_BOB


def test_empty_parts_are_skipped(tmp_path: Path) -> None:
    for name in ("a", "b"):
        part(tmp_path / f"{name}.parquet", node=pa.array([], pa.int64()), topic=pa.nulls(0))
    with pytest.raises(TableError, match="the table has no rows"):
        read_interests(tmp_path)


def test_memory_of_large_parts_is_bounded(tmp_path: Path) -> None:
    rows = np.arange(300_000)
    for number in range(4):
        part(tmp_path / f"{number}.parquet", node=rows % 100, topic=rows % 7, rest=rows)
    before = pa.total_allocated_bytes()
    found = read_interests(tmp_path)
    assert (found.node_count, found.subscription_count) == (100, 700)
    assert pa.total_allocated_bytes() < before + 10_000, "no rows of the parts are kept"


# -- the commands ---------------------------------------------------------------------


def test_commands_read_folders(parts: Path) -> None:
    def run(*words: str | Path) -> str:
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return result.stdout

    tables = parts.parent
    links = tables / "links.parquet"
    run("design", tables, "--algorithm", "greedy-merge", "--out", links)
    assert read_links(tables, ANN_BOB) == read_links(links, ANN_BOB)
    title, facts = run("assess", parts, tables).split("\n", 1)
    assert title == f"{tables.name} on subscriptions"
    assert facts == run("assess", tables, links).split("\n", 1)[1]
    assert "greedy-merge" in run("compare", parts, "--algorithms", "greedy-merge")
