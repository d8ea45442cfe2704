"""Writing tables: whole or not there; and links by the user's own names."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer import __version__
from gossamer.errors import OverlayError, ParameterError, TableError
from gossamer.model import Interests, Overlay
from gossamer.tables import (
    LINKS,
    check_output,
    read_interests,
    read_links,
    replacing,
    write_interests,
    write_links,
)

INTERESTS = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea"]})
OVERLAY = Overlay.from_links(3, [(1, 0), (0, 2)])
ENDINGS = ["x.parquet", "x.csv", "x.csv.gz", "x.tsv", "x.tsv.gz", "x.PARQUET", "x.Csv"]


@pytest.mark.parametrize("name", ENDINGS)
def test_written_tables_are_read_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_interests(path, INTERESTS)
    assert read_interests(path) == INTERESTS
    write_links(path, INTERESTS, OVERLAY)
    assert read_links(path, INTERESTS) == OVERLAY
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ENDINGS)
def test_equal_tables_give_equal_bytes(tmp_path: Path, name: str) -> None:
    write_links(tmp_path / name, INTERESTS, OVERLAY)
    first = (tmp_path / name).read_bytes()
    write_links(tmp_path / name, INTERESTS, OVERLAY)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize("name", ENDINGS)
def test_overlay_without_links_is_written(tmp_path: Path, name: str) -> None:
    none = Overlay.from_links(3, [])
    write_links(tmp_path / name, INTERESTS, none)
    assert read_links(tmp_path / name, INTERESTS) == none


def test_text_output_is_unquoted(tmp_path: Path) -> None:
    write_links(tmp_path / "x.csv", INTERESTS, OVERLAY)
    assert (tmp_path / "x.csv").read_bytes() == b"source,target\nann,bob\nann,cy\n"
    write_links(tmp_path / "x.tsv.gz", INTERESTS, OVERLAY)
    text = gzip.decompress((tmp_path / "x.tsv.gz").read_bytes())
    assert text == b"source\ttarget\nann\tbob\nann\tcy\n"


def test_parquet_metadata_names_the_table(tmp_path: Path) -> None:
    write_links(tmp_path / "x.parquet", INTERESTS, OVERLAY)
    schema = pa.parquet.read_schema(tmp_path / "x.parquet")
    assert tuple(schema.names) == LINKS.column_names
    assert schema.metadata[b"gossamer.table"] == b"links"
    assert schema.metadata[b"gossamer.schema"] == b"1"
    assert schema.metadata[b"gossamer.version"] == __version__.encode()


def test_failed_write_leaves_the_target(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("before")

    def fail_with(fault: type[BaseException]) -> None:
        with replacing(path) as partial:
            partial.write_text("half")
            raise fault

    for fault in (KeyboardInterrupt, RuntimeError, OSError):
        with pytest.raises((KeyboardInterrupt, RuntimeError, TableError)):
            fail_with(fault)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.csv"]


def test_failed_rename_leaves_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(TableError, match=r"x\.csv: cannot be written \(No space left on device\)"):
        write_links(tmp_path / "x.csv", INTERESTS, OVERLAY)
    assert os.listdir(tmp_path) == []


def test_symbolic_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("before")
    (tmp_path / "x.csv").symlink_to("real.csv")
    write_links(tmp_path / "x.csv", INTERESTS, OVERLAY)
    assert (tmp_path / "x.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("source")


def test_unwritable_outputs_are_rejected_early(tmp_path: Path) -> None:
    assert check_output(tmp_path / "x.csv") == tmp_path / "x.csv"
    with pytest.raises(ParameterError, match=r"expected one of \.parquet, \.csv, \.tsv"):
        check_output(tmp_path / "x.json")
    with pytest.raises(ParameterError, match="there is no folder"):
        check_output(tmp_path / "gone" / "x.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ParameterError, match="is a folder"):
        check_output(tmp_path / "folder.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_rejected(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ParameterError, match="cannot be written to"):
        check_output(tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800"])
def test_unreadable_names_are_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableError, match="name"):
        write_interests(tmp_path / "x.parquet", Interests.from_lists({name: ["t"]}))
    assert os.listdir(tmp_path) == []


# -- links ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "source,target\nann,bob\n\nann,dee\n",
            "line 4: the target 'dee' is not one of the 3 nodes",
        ),
        ("source,target\n7,bob\n", "line 2: the source '7' is not one of"),
        ("source,target\nann,bob\ncy,cy\n", "line 3: links 'cy' to itself"),
        (
            "a,b\nann,bob\n",
            "no column 'source' and no column 'target'; the columns are: 'a', 'b'. A table of "
            "links has",
        ),
        ("source,target\nann\n", "line 2: 1 field"),
        ("", "the file is empty"),
    ],
)
def test_malformed_links_are_rejected(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "links.csv"
    path.write_text(content)
    with pytest.raises((TableError, OverlayError), match=says) as caught:
        read_links(path, INTERESTS)
    assert str(path) in str(caught.value)


def test_malformed_parquet_links_name_the_row(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    pa.parquet.write_table(pa.table({"source": ["ann", "ann"], "target": ["bob", "dee"]}), path)
    with pytest.raises(OverlayError, match="row 2: the target 'dee'"):
        read_links(path, INTERESTS)


def test_repeated_and_reversed_links_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("target,source\nann,bob\nbob,ann\nann,cy\nann,bob\n")
    assert read_links(path, INTERESTS) == OVERLAY


def test_numeric_names_match_strings(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    numbers = Interests.from_lists({1: ["t"], 2: ["t"], 10: ["t"]})
    strings = Interests.from_lists({"1": ["t"], "2": ["t"], "10": ["t"]})
    pa.parquet.write_table(pa.table({"source": ["1", "2"], "target": ["2", "10"]}), path)
    assert read_links(path, numbers).links.tolist() == [[0, 1], [1, 2]]
    pa.parquet.write_table(pa.table({"source": [1, 2], "target": [2, 10]}), path)
    named = strings.node_names[read_links(path, strings).links]
    assert sorted(map(sorted, named.tolist())) == [["1", "2"], ["10", "2"]]


def test_overlay_of_other_interests_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(OverlayError, match="the overlay has 4 nodes and the interests have 3"):
        write_links(tmp_path / "x.csv", INTERESTS, Overlay.from_links(4, np.array([[0, 3]])))


def test_only_plain_files_are_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(ParameterError, match="is not a plain file"):
        check_output(pipe)
