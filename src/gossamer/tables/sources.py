"""What a file is, found from its content, and which files make up a table.

A file is plain or gzipped, Parquet or text; its name's ending is never trusted for
this. A table is one file, or a folder of Parquet parts, or is kept under its name in
a folder of tables. What is wrong with the files themselves (missing, unreadable,
empty, cut short) is said here; what is wrong with their rows is said by the readers.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from gossamer.errors import TableError

__all__ = ["FoundTable", "Source", "find_source", "find_table"]

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
PARQUET_ENDING = ".parquet"
MAX_LISTED = 20


@dataclass(frozen=True)
class Source:
    """A readable file, and what its first bytes say that it is."""

    path: Path
    gzipped: bool
    parquet: bool

    @contextmanager
    def bytes_stream(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        """Open for reading as Python bytes, unpacked."""
        with self.faults(), open(self.path, "rb") as raw:
            if self.gzipped:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield unpacked
            else:
                yield raw

    @contextmanager
    def arrow_stream(self) -> Iterator[Any]:
        """Open for reading as an Arrow stream, unpacked."""
        with pa.OSFile(str(self.path)) as raw:
            if self.gzipped:
                with pa.CompressedInputStream(raw, "gzip") as unpacked:
                    yield unpacked
            else:
                yield raw

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Turn what the file system and gzip say into a TableError naming the file."""
        try:
            yield
        except EOFError:
            raise TableError(
                f"{self.path}: the gzip data ends too early; the file is truncated"
            ) from None
        except (gzip.BadGzipFile, zlib.error) as fault:
            raise TableError(f"{self.path}: the gzip data is corrupt ({fault})") from None
        except OSError as fault:
            raise TableError(f"{self.path}: cannot be read ({fault.strerror or fault})") from None


def find_source(path: str | os.PathLike[str]) -> Source:
    """Look at a file's first bytes.

    Raises
    ------
    TableError
        If there is no such file, it is not a plain file, it cannot be read or
        it is empty.
    """
    place = Path(path)
    source = Source(place, gzipped=False, parquet=False)
    try:
        kind = place.stat().st_mode
    except FileNotFoundError:
        raise TableError(f"{place}: there is no such file") from None
    except (OSError, ValueError) as fault:
        raise TableError(f"{place}: cannot be read ({fault})") from None
    if stat.S_ISDIR(kind):
        raise TableError(f"{place}: is a folder; expected a file")
    if not stat.S_ISREG(kind):
        raise TableError(f"{place}: is not a plain file; save what it gives to a file first")
    with source.bytes_stream() as stream:
        head = stream.read(len(PARQUET_MAGIC))
    if head.startswith(GZIP_MAGIC):
        source = Source(place, gzipped=True, parquet=False)
        with source.bytes_stream() as stream:
            head = stream.read(len(PARQUET_MAGIC))
    if not head:
        raise TableError(f"{place}: the file is empty")
    return Source(place, gzipped=source.gzipped, parquet=head == PARQUET_MAGIC)


@dataclass(frozen=True)
class FoundTable:
    """A table: its files in order, and its name if it was found in a folder of tables."""

    sources: tuple[Source, ...]
    name: str | None


def find_table(path: str | os.PathLike[str], names: Sequence[str]) -> FoundTable:
    """Find the files of a table: a file, a folder of parts, or one in a folder of tables.

    Names that begin with ``_`` or ``.`` are left out, and so is, among the parts, whatever
    does not end in ``.parquet``.

    Parameters
    ----------
    path
        The file or folder.
    names
        What the table may be called in a folder of tables, the one preferred first.

    Raises
    ------
    TableError
        If there is no such file or folder, it holds no such table, or a part is no Parquet.
    """
    place = Path(path)
    if not os.path.isdir(place):
        return FoundTable((find_source(place),), None)
    for name in names:
        for inside in (place / name, place / f"{name}{PARQUET_ENDING}"):
            if inside.is_dir():
                return FoundTable(_parts(inside, [name]), name)
            if inside.exists():
                return FoundTable((find_source(inside),), name)
    return FoundTable(_parts(place, names), None)


def _parts(folder: Path, names: Sequence[str]) -> tuple[Source, ...]:
    try:
        there = sorted(name for name in os.listdir(folder) if not name.startswith(("_", ".")))
    except OSError as fault:
        raise TableError(f"{folder}: cannot be read ({fault.strerror})") from None
    parts = [folder / name for name in there if name.endswith(PARQUET_ENDING)]
    parts = sorted((part for part in parts if part.is_file()), key=_number_first)
    if not parts:
        listed = ", ".join(there[:MAX_LISTED]) or "nothing"
        if len(there) > MAX_LISTED:
            listed += f" and {len(there) - MAX_LISTED:,} more"
        raise TableError(
            f"{folder}: is a folder with no Parquet files and no table {' or '.join(names)} "
            f"in it; there is {listed}"
        )
    sources = tuple(find_source(part) for part in parts)
    for source in sources:
        if not source.parquet:
            raise TableError(f"{source.path}: is not Parquet, as all parts of a table must be")
    return sources


def _number_first(part: Path) -> tuple[int, str]:
    """Return what sorts Spark's parts: the number in their name, however many digits it has."""
    found = re.match(r"part-(\d+)", part.name)
    return (int(found.group(1)) if found else -1, part.name)
