"""Files of tables: packed ones are unpacked, others are named; and nothing is read without end."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pytest

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables import files, lines, read_follows, read_interests
from gossamer.tables.files import find_file

ROWS = b"node,topic\nann,tea\nann,jazz\nbob,jazz\n"
EXPECTED = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"]})
COLUMNS = pa.table({"node": ["ann", "ann", "bob"], "topic": ["tea", "jazz", "jazz"]})


def zipped(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name.replace(" in ", "/"), member)
    return content.getvalue()


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


def columnar(write: Any, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    write(COLUMNS, sink, **options)
    return bytes(sink.getvalue())


PARQUET = columnar(pa.parquet.write_table)
FEATHER = columnar(pa.feather.write_feather)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(bz2.compress(ROWS), id="bzip2"),
        pytest.param(lzma.compress(ROWS), id="xz"),
        pytest.param(zstd(ROWS), id="zstd"),
        pytest.param(zipped(**{"s.csv": ROWS}), id="zip"),
        pytest.param(
            zipped(**{"a in ": b"", "a in s.csv": ROWS, "__MACOSX in s": b"x"}), id="folders"
        ),
        pytest.param(FEATHER, id="Feather"),
        pytest.param(columnar(pa.feather.write_feather, compression="uncompressed"), id="Arrow"),
        pytest.param(bz2.compress(PARQUET), id="Parquet in bzip2"),
        pytest.param(zipped(**{"s.parquet": PARQUET}), id="Parquet in zip"),
        pytest.param(lzma.compress(FEATHER), id="Feather in xz"),
    ],
)
def test_packed_files_are_unpacked(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.dat"
    path.write_bytes(content)
    assert read_interests(path) == EXPECTED


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_packed_edge_lists_are_unpacked(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "follows"
    path.write_bytes(pack(b"1 2\n2 3\n"))
    assert read_follows(path).subscription_count == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (zipped(**{"[Content_Types].xml": b"", "xl in workbook.xml": b""}), "an Excel workbook"),
        (zipped(**{"[Content_Types].xml": b"", "word in document.xml": b""}), "an Office document"),
        (zipped(**{"mimetype": b"", "content.xml": b""}), "an OpenDocument file; save the sheet"),
        (zipped(**{"a.csv": ROWS, "b.csv": ROWS}), r"zip archive with 2 files in it \(a.csv, b.c"),
        (zipped(), r"zip archive with 0 files in it \(nothing\)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), r"old Office document, such as .*\.xls"),
        (b"%PDF-1.7 and so on", "is a PDF document; export"),
        (b"SQLite format 3\0" + bytes(99), "a SQLite database; export .* sqlite3 -header -csv"),
        (b"Obj\x01\x04\x14avro.codec", "an Avro file; convert it to Parquet"),
        (columnar(lambda table, sink: pa.orc.write_table(table, sink)), "an ORC file; convert it"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(9), "a 7z archive; unpack it"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"<!DOCTYPE html>\n<html>", "an HTML page; download the table itself"),
        (b"\n <HTML><body>", "an HTML page"),
        (bytes(257) + b"ustar\x0000", "a tar archive; unpack it"),
        (gzip.compress(bytes(257) + b"ustar\x0000", mtime=0), "a tar archive"),
        (b"\xfe\xff" + "node,topic\n".encode("utf-16-be"), "UTF-16BE text; .* iconv -f UTF-16BE"),
        ("node,topic\nä,b\n".encode("utf-16-le"), "UTF-16LE text"),
        (
            gzip.compress(gzip.compress(ROWS, mtime=0), mtime=0),
            "gzip data inside gzip data; unpack it once",
        ),
        (b"<?xml version='1.0'?><graphml/>", "is XML; expected a table with named columns"),
        (bz2.compress(ROWS)[:-9], "bzip2 data"),
        (lzma.compress(ROWS)[:-9], "the xz data ends too early"),
        (lzma.compress(ROWS)[:40] + bytes(30), "the xz data is corrupt"),
        (zstd(ROWS)[:-9], "zstd data"),
        (zipped(**{"s.csv": ROWS})[:-9], "the zip data is corrupt"),
        (FEATHER[:-30], "the Feather data cannot be read"),
    ],
)
def test_files_of_other_kinds_are_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=says) as caught:
        read_interests(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("header", ["ORCID,topic", "BZh1,topic", "PKs,topic", "graph,topic"])
def test_names_like_magic_numbers_are_text(tmp_path: Path, header: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{header}\nann,tea\n")
    assert read_interests(path, node_column=header.partition(",")[0]).subscription_count == 1


def test_locked_zip_is_rejected(tmp_path: Path) -> None:
    content = bytearray(zipped(**{"s.csv": ROWS}))
    for at in (content.index(b"PK\x03\x04") + 6, content.index(b"PK\x01\x02") + 8):
        content[at] |= 1  # the bit of encryption
    path = tmp_path / "s.zip"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"zip file cannot be unpacked .*password"):
        read_interests(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
@pytest.mark.parametrize("read", [read_interests, read_follows])
def test_bomb_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any, read: Any
) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(pack(b"node,topic\n" + b"a,b\n" * 1_000_000))
    assert read(path).subscription_count == 1 + (read is read_follows)
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 20)
    with pytest.raises(TableError, match="unpacks to more than 250 times its size; if that is"):
        read(path)


def test_line_without_end_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.csv"
    monkeypatch.setattr(lines, "MAX_LINE", 2 << 20)
    path.write_bytes(b"node,topic\na,b\n" + b"x" * (5 << 20))
    for read in (read_interests, read_follows):
        with pytest.raises(TableError, match=r"line 3: (is longer than 2 MiB|field larger)"):
            read(path)
    path.write_bytes(b"x" * (5 << 20))
    with pytest.raises(TableError, match="line 1: is longer than 2 MiB"):
        read_interests(path)
    path.write_bytes(b"x" * (3 << 19) + b"\n")
    with pytest.raises(TableError, match="line 1: the first line is longer than 1 MiB"):
        read_interests(path)


def test_many_columns_are_listed_in_part(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(",".join(f"c{k}" for k in range(100_000)) + "\n")
    with pytest.raises(TableError, match="'c19' and 99,980 more") as caught:
        read_interests(path)
    assert len(str(caught.value)) < 1000
    path.write_text(",".join(["node", "topic"] + ["c"] * 98_000) + "\na,b\n")
    with pytest.raises(TableError, match="line 2: 2 fields, expected 98002") as caught:
        read_interests(path)
    assert len(str(caught.value)) < 1000


def test_file_that_changes_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(ROWS)
    source = find_file(path)
    source.check_unchanged()
    path.write_bytes(ROWS + b"cy,tea\n")
    with pytest.raises(TableError, match="changed while it was read; try again"):
        source.check_unchanged()
    path.unlink()
    with pytest.raises(TableError, match="changed while it was read"):
        source.check_unchanged()

    found = files.find_file

    def find_and_change(given: Any) -> Any:
        known = found(given)
        path.write_bytes(b"topic\n")
        return known

    path.write_bytes(ROWS)
    monkeypatch.setattr(files, "find_file", find_and_change)
    with pytest.raises(TableError):
        read_interests(path)


def test_pipe_names_the_way_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TableError, match=r"is not a plain file; .* pipe it in and give - as"):
        read_interests(tmp_path / "pipe")
