"""Files of a table: their kind, found from the content, and the parts of a folder.

A file is plain or compressed, Parquet, Feather or text; the ending of its name does not count. A
table is one file, standard input (``-``), a folder of Parquet parts, or an entry of a folder of
tables. Errors here are about the files themselves: missing, unreadable, empty or truncated.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NoReturn

import pyarrow as pa

from gossamer.atomic_files import is_standard
from gossamer.errors import TableError
from gossamer.tables.file_kinds import (
    COLUMNAR,
    HEAD_BYTES,
    TEXT,
    compression_of,
    kind_of,
    kind_of_members,
    members_of,
    why_unreadable,
)
from gossamer.tables.standard_streams import name_of, standard_input

PARQUET_ENDING = ".parquet"
MAX_LISTED = 20
FREE_BYTES, MAX_RATIO = 1 << 30, 250  # beyond the first, a file unpacks to this multiple at most
ARROW_CODECS = {"gzip": "gzip", "bzip2": "bz2", "zstd": "zstd"}
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True)
class TableFile:
    """A readable file and its kind, by its first bytes.

    Attributes
    ----------
    path
        Path of the file.
    compression
        gzip, bzip2, xz, zstd or zip; None if it is not compressed.
    kind
        Kind of the unpacked content, as of :func:`gossamer.tables.file_kinds.kind_of`.
    name
        Name in messages.
    state
        Size and time of the file when it was found.
    """

    path: Path
    compression: str | None = None
    kind: str = TEXT
    name: str = ""
    state: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or str(self.path))

    @property
    def columnar(self) -> bool:
        """Whether it is a table with typed columns, Parquet or Feather, and not text."""
        return self.kind in COLUMNAR

    @contextmanager
    def bytes_stream(self) -> Iterator[IO[bytes]]:
        """Open for reading as Python bytes, unpacked."""
        with self.faults(), open(self.path, "rb") as raw:
            if self.compression is None:
                yield raw
                return
            with self._unpacked(raw) as unpacked:
                yield io.BufferedReader(_Bounded(self, unpacked), 1 << 16)

    @contextmanager
    def arrow_stream(self) -> Iterator[Any]:
        """Open for reading as an Arrow stream, unpacked."""
        with pa.OSFile(str(self.path)) as raw:
            if self.compression is None:
                yield raw
            elif self.compression in ARROW_CODECS:
                with pa.CompressedInputStream(raw, ARROW_CODECS[self.compression]) as unpacked:
                    yield pa.PythonFile(_Bounded(self, unpacked), mode="r")
            else:
                with self.bytes_stream() as stream:
                    yield pa.PythonFile(stream, mode="r")

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Convert errors of the file system and of packed data into a TableError with the name."""
        try:
            yield
        except EOFError:
            raise TableError(
                f"{self.name}: the {self.compression} data ends too early; the file is truncated"
            ) from None
        except DAMAGE as fault:
            self._raise_damaged(fault)
        except (RuntimeError, NotImplementedError) as fault:
            if self.compression != "zip":
                raise
            raise TableError(f"{self.name}: the zip file cannot be unpacked ({fault})") from None
        except OSError as fault:
            if self.compression is not None and fault.errno is None:  # bzip2 and zstd
                self._raise_damaged(fault)
            raise TableError(f"{self.name}: cannot be read ({fault.strerror or fault})") from None

    def require_text(self, what: str) -> None:
        """Raise if the file is not plain text; ``what`` is expected instead."""
        if self.kind != TEXT:
            kind = self.kind.upper() if len(self.kind) < 5 else self.kind.capitalize()
            raise TableError(f"{self.name}: is {kind}; expected {what}")

    def check_unchanged(self) -> None:
        """Raise if the file is another one than when it was found."""
        if self.state and self.state != _state(self.path):
            raise TableError(
                f"{self.name}: changed while it was read; try again when no program writes to it"
            )

    def _raise_damaged(self, fault: BaseException) -> NoReturn:
        raise TableError(f"{self.name}: the {self.compression} data is corrupt ({fault})") from None

    @contextmanager
    def _unpacked(self, raw: IO[bytes]) -> Iterator[Any]:
        if self.compression == "zip":
            with zipfile.ZipFile(raw) as archive, archive.open(self._member(archive)) as member:
                yield member
        elif self.compression == "zstd":
            with pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd") as unpacked:
                yield unpacked
        else:
            kinds: Any = {"gzip": gzip.GzipFile, "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile}
            kind = kinds[self.compression]
            with kind(fileobj=raw) if self.compression == "gzip" else kind(raw) as unpacked:
                yield unpacked

    def _member(self, archive: zipfile.ZipFile) -> str:
        """Return the only file in a zip archive."""
        names = members_of(archive)
        document = kind_of_members(names)
        if document is not None:
            raise TableError(f"{self.name}: is {document[0]}; {document[1]}")
        if len(names) != 1:
            some = ", ".join(sorted(names)[:MAX_LISTED]) or "nothing"
            raise TableError(
                f"{self.name}: is a zip archive with {len(names):,} files in it ({some}); expected "
                "one, so unpack it and give the file you mean"
            )
        return names[0]


class _Bounded(io.RawIOBase):
    """Unpacked bytes of a file, of which there may not be far more than packed ones."""

    def __init__(self, source: TableFile, stream: Any) -> None:
        super().__init__()
        self._source, self._stream = source, stream
        self._count = 0
        self._most = max(FREE_BYTES, MAX_RATIO * source.path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        found = self.read(len(view))
        view[: len(found)] = found
        return len(found)

    def read(self, size: int = -1) -> bytes:
        block: bytes = self._stream.read(size) if size >= 0 else self._stream.read()
        self._count += len(block)
        if self._count > self._most:
            raise TableError(
                f"{self._source.name}: unpacks to more than {MAX_RATIO} times its size; if that "
                "is right, unpack it and give the plain file"
            )
        return block


def find_file(path: str | os.PathLike[str]) -> TableFile:
    """Find the kind of a file; ``-`` is standard input.

    Raises
    ------
    TableError
        If the file does not exist, is not a plain file, cannot be read, is empty, or is of a kind
        that is not read here.
    """
    given = standard_input() if is_standard(path) else Path(path)
    name = name_of(path)
    try:
        kind = given.stat().st_mode
        source = TableFile(given, name=name, state=_state(given))
    except FileNotFoundError:
        raise TableError(f"{name}: there is no such file") from None
    except (OSError, ValueError) as fault:
        raise TableError(f"{name}: cannot be read ({fault})") from None
    if stat.S_ISDIR(kind):
        raise TableError(f"{name}: is a folder; expected a file")
    if not stat.S_ISREG(kind):
        raise TableError(
            f"{name}: is not a plain file; save what it gives to a file first, or pipe it in and "
            "give - as the file"
        )
    head = _head(source)
    packed = compression_of(head)
    if packed is not None:
        source = replace(source, compression=packed)
        head = _head(source)
        if (again := compression_of(head)) is not None:
            raise TableError(
                f"{name}: is {again} data inside {packed} data; unpack it once, and try again"
            )
    if not head:
        raise TableError(f"{name}: the file is empty")
    unreadable = why_unreadable(head)
    if unreadable is not None:
        raise TableError(f"{name}: is {unreadable[0]}; {unreadable[1]}")
    return replace(source, kind=kind_of(head))


def _head(source: TableFile) -> bytes:
    with source.bytes_stream() as stream:
        return stream.read(HEAD_BYTES)


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True)
class TableFiles:
    """Files of a table in order, and its name if it is in a folder of tables."""

    sources: tuple[TableFile, ...]
    name: str | None


def find_table(path: str | os.PathLike[str], names: Sequence[str]) -> TableFiles:
    """Find the files of a table: a file, a folder of parts, or one in a folder of tables.

    Names that begin with ``_`` or ``.`` are ignored, and parts that do not end in ``.parquet``.

    Parameters
    ----------
    path
        File or folder; ``-`` is standard input.
    names
        Possible names of the table in a folder of tables, the preferred one first.

    Raises
    ------
    TableError
        If the file or folder does not exist, has no such table, or a part is not Parquet.
    """
    place = Path(path)
    if is_standard(path) or not os.path.isdir(place):
        return TableFiles((find_file(place),), None)
    for name in names:
        for inside in (place / name, place / f"{name}{PARQUET_ENDING}"):
            if inside.is_dir():
                return TableFiles(_parts(inside, [name]), name)
            if inside.exists():
                return TableFiles((find_file(inside),), name)
    return TableFiles(_parts(place, names), None)


def _parts(folder: Path, names: Sequence[str]) -> tuple[TableFile, ...]:
    try:
        names_found = sorted(name for name in os.listdir(folder) if not name.startswith(("_", ".")))
    except OSError as fault:
        raise TableError(f"{folder}: cannot be read ({fault.strerror})") from None
    parts = [folder / name for name in names_found if name.endswith(PARQUET_ENDING)]
    parts = sorted((part for part in parts if part.is_file()), key=_number_first)
    if not parts:
        listed = ", ".join(names_found[:MAX_LISTED]) or "nothing"
        if len(names_found) > MAX_LISTED:
            listed += f" and {len(names_found) - MAX_LISTED:,} more"
        raise TableError(
            f"{folder}: is a folder with no Parquet files and no table {' or '.join(names)} "
            f"in it; there is {listed}"
        )
    sources = tuple(find_file(part) for part in parts)
    for source in sources:
        if source.kind != "parquet":
            raise TableError(f"{source.name}: is not Parquet, as all parts of a table must be")
    return sources


def _number_first(part: Path) -> tuple[int, str]:
    """Return the sort key of a part of Spark: the number in its name, of any number of digits."""
    found = re.match(r"part-(\d+)", part.name)
    return (int(found.group(1)) if found else -1, part.name)
