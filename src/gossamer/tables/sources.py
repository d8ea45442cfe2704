"""What a file is, found from its content: plain or gzipped, Parquet or text.

A name's ending is never trusted for this. What is wrong with the file itself
(missing, a folder, unreadable, empty, cut short) is said here; what is wrong
with its rows is said by the readers.
"""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from gossamer.model import TableError

__all__ = ["Source", "find_source"]

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"


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
