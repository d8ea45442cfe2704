"""Named columns of a table file, whatever its format: checked here, at the edge.

A column that is not there, that is there twice, or that holds something other
than names is an error that lists the columns there are. What the names mean is
left to the readers of each table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.model import ParameterError, TableError
from gossamer.tables.delimited import (
    find_delimiter,
    line_of_row,
    raise_row_fault,
    read_delimited,
    read_header,
)
from gossamer.tables.names import encode_column
from gossamer.tables.sources import Source, find_source

__all__ = ["NameColumns", "read_name_columns"]

MOST_LISTED, MOST_LETTERS = 20, 80  # of the columns that an error lists


@dataclass(frozen=True)
class NameColumns:
    """Two columns of names: for each, the distinct names sorted, and each row's place in them."""

    source: Source
    delimiter: str
    names: tuple[NDArray[Any], NDArray[Any]]
    codes: tuple[NDArray[np.int32], NDArray[np.int32]]

    def where(self, row: int) -> str:
        """Say where a row is, as a person would look for it."""
        if self.source.parquet:
            return f"{self.source.path}, row {row + 1}"
        return f"{self.source.path}, line {line_of_row(self.source, self.delimiter, row)}"


def read_name_columns(
    path: str | os.PathLike[str],
    columns: tuple[str, str],
    *,
    delimiter: str | None = None,
    way_out: str = "",
) -> NameColumns:
    """Read two columns of names from CSV or Parquet, plain or gzipped.

    Parameters
    ----------
    path
        The file; what it is shows in its content.
    columns
        The names of the two columns.
    delimiter
        The separator of a text file.
    way_out
        What to do when a column is not there, for the message.

    Raises
    ------
    TableError
        For whatever is wrong with the file, naming the row where there is one.
    """
    if columns[0] == columns[1]:
        raise ParameterError(f"both columns are named {columns[0]!r}; expected two different ones")
    source = find_source(path)
    separator = find_delimiter(source, delimiter)
    if source.parquet:
        table = _read_parquet(source, columns, way_out)
    else:
        header = read_header(source, separator)
        _check_columns(source, header, columns, way_out)
        table = read_delimited(source, columns, separator)
    names, codes = [], []
    for name in columns:
        column = table.column(name)
        if column.null_count:
            row = pa.compute.index(pa.compute.is_null(column), True).as_py()
            raise TableError(f"{source.path}, row {row + 1}: the field {name!r} is null")
        encoded = encode_column(column, numbers_in_text=not source.parquet)
        if encoded.unusable is not None:
            if not source.parquet:
                raise_row_fault(source, columns, separator, "")
            row = int(np.flatnonzero(encoded.codes == encoded.unusable)[0])
            what = "has a NUL byte in it" if encoded.names[encoded.unusable] else "is empty"
            raise TableError(f"{source.path}, row {row + 1}: the field {name!r} {what}")
        names.append(encoded.names)
        codes.append(encoded.codes)
    return NameColumns(source, separator, (names[0], names[1]), (codes[0], codes[1]))


def _read_parquet(source: Source, columns: Sequence[str], way_out: str) -> Any:
    try:
        with source.arrow_stream() as stream:
            content = pa.BufferReader(stream.read_buffer()) if source.gzipped else stream
            schema = pa.parquet.read_schema(content)
            _check_columns(source, schema.names, columns, way_out)
            for name in columns:
                _check_type(source, name, schema.field(name).type)
            texts = [name for name in columns if _is_text(schema.field(name).type)]
            content.seek(0)
            table = pa.parquet.ParquetFile(content, read_dictionary=texts).read(
                columns=list(columns)
            )
        return pa.table({name: _plain(table.column(name)) for name in columns})
    except (pa.ArrowException, OSError) as fault:
        with source.bytes_stream() as stream:  # says so, if it is the gzip that is broken
            while stream.read(1 << 20):
                pass
        said = str(fault).splitlines()[0]
        raise TableError(
            f"{source.path}: the Parquet data cannot be read; the file is truncated or corrupt "
            f"({said})"
        ) from None


def _check_columns(
    source: Source, found: Sequence[str], wanted: Sequence[str], way_out: str
) -> None:
    listed = ", ".join(repr(name[:MOST_LETTERS]) for name in found[:MOST_LISTED])
    if len(found) > MOST_LISTED:
        listed += f" and {len(found) - MOST_LISTED:,} more"
    if any("\0" in name for name in found):
        raise TableError(
            f"{source.path}: the header has NUL bytes in it; expected UTF-8 text or Parquet"
        )
    for name in wanted:
        count = list(found).count(name)
        if count == 0:
            raise TableError(
                f"{source.path}: there is no column {name!r}; the columns are: {listed}"
                + (f". {way_out}" if way_out else "")
            )
        if count > 1:
            raise TableError(
                f"{source.path}: {count} columns are named {name!r}; the columns are: {listed}. "
                "Rename all but one"
            )


def _check_type(source: Source, name: str, kind: Any) -> None:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (_is_text(value) or pa.types.is_integer(value) or pa.types.is_null(value)):
        raise TableError(
            f"{source.path}: the column {name!r} is of type {value}; names must be integers or "
            "strings"
        )


def _is_text(kind: Any) -> bool:
    tests = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def _plain(column: Any) -> Any:
    """Turn the many widths of integers and texts into int64, string, or dictionaries of them."""
    kind = column.type
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(value):
        return column.cast(pa.int64())
    if pa.types.is_dictionary(kind):
        return (
            column
            if value == pa.string()
            else column.cast(pa.dictionary(kind.index_type, pa.string()))
        )
    return column.cast(pa.string())
