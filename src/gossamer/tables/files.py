"""Files of a table: their format, found from the content, and the parts of a folder.

A file is plain or gzipped, Parquet or text; the ending of its name does not count. A table is one
file, a folder of Parquet parts, or an entry of a folder of tables. Errors here are about the files
themselves: missing, unreadable, empty or truncated.
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

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
PARQUET_ENDING = ".parquet"
MAX_LISTED = 20


@dataclass(frozen=True)
class TableFile:
    """A readable file and its format, by its first bytes."""

    path: Path
    gzipped: bool
    parquet: bool

    @contextmanager
    def bytes_stream(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        """Open for reading as Python bytes, decompressed."""
        with self.faults(), open(self.path, "rb") as raw:
            if self.gzipped:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield unpacked
            else:
                yield raw

    @contextmanager
    def arrow_stream(self) -> Iterator[Any]:
        """Open for reading as an Arrow stream, decompressed."""
        with pa.OSFile(str(self.path)) as raw:
            if self.gzipped:
                with pa.CompressedInputStream(raw, "gzip") as unpacked:
                    yield unpacked
            else:
                yield raw

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Convert errors of the file system and gzip into a TableError that names the file."""
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


def find_file(path: str | os.PathLike[str]) -> TableFile:
    """Find the format of a file.

    Raises
    ------
    TableError
        If the file does not exist, is not a plain file, cannot be read or is empty.
    """
    place = Path(path)
    source = TableFile(place, gzipped=False, parquet=False)
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
        source = TableFile(place, gzipped=True, parquet=False)
        with source.bytes_stream() as stream:
            head = stream.read(len(PARQUET_MAGIC))
    if not head:
        raise TableError(f"{place}: the file is empty")
    return TableFile(place, gzipped=source.gzipped, parquet=head == PARQUET_MAGIC)


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
        File or folder.
    names
        Possible names of the table in a folder of tables, the preferred one first.

    Raises
    ------
    TableError
        If the file or folder does not exist, has no such table, or a part is not Parquet.
    """
    place = Path(path)
    if not os.path.isdir(place):
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
        if not source.parquet:
            raise TableError(f"{source.path}: is not Parquet, as all parts of a table must be")
    return sources


def _number_first(part: Path) -> tuple[int, str]:
    """Return the sort key of a part of Spark: the number in its name, of any number of digits."""
    found = re.match(r"part-(\d+)", part.name)
    return (int(found.group(1)) if found else -1, part.name)
