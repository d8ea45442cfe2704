"""Files with typed columns: Parquet and Feather (Arrow IPC)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

from gossamer.errors import TableError
from gossamer.tables.files import TableFile

BLOCK_BYTES = 4 << 20


def columnar_names(source: TableFile) -> list[str]:
    """Return the column names of a file."""
    return list(columnar_schema(source).names)


def columnar_schema(source: TableFile) -> Any:
    """Return the Arrow schema of a file."""
    with _content(source) as content:
        if source.kind == "parquet":
            return pa.parquet.read_schema(content)
        return pa.ipc.open_file(content).schema


def read_columnar(
    source: TableFile, columns: Sequence[str] | None = None, *, dictionaries: Sequence[str] = ()
) -> Any:
    """Read columns of a file as an Arrow table.

    Parameters
    ----------
    source
        The file.
    columns
        Names of the columns; all if not given.
    dictionaries
        Columns of text that are read as dictionaries, where the format has them.

    Raises
    ------
    TableError
        If the data is truncated or corrupt.
    """
    listed = None if columns is None else list(columns)
    with _content(source) as content:
        if source.kind == "parquet":
            opened = pa.parquet.ParquetFile(content, read_dictionary=list(dictionaries))
            return opened.read(columns=listed)
        return pa.feather.read_table(content, columns=listed)


@contextmanager
def columnar_faults(source: TableFile) -> Iterator[None]:
    """Turn errors of Arrow into a TableError that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError) as fault:
        source.check_unchanged()
        with source.bytes_stream() as stream:  # names a fault of packed data itself
            while stream.read(BLOCK_BYTES):
                pass
        reason = str(fault).splitlines()[0]
        raise TableError(
            f"{source.name}: the {source.kind.capitalize()} data cannot be read; the file is "
            f"truncated or corrupt ({reason})"
        ) from None


@contextmanager
def _content(source: TableFile) -> Iterator[Any]:
    """Open the content of a file; its faults name the file."""
    with columnar_faults(source), source.arrow_stream() as stream:
        if source.compression is None:
            yield stream
        else:
            yield pa.BufferReader(b"".join(iter(lambda: stream.read(BLOCK_BYTES), b"")))
