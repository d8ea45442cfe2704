"""Named columns of a table, whatever its format and files: checked here, at the edge.

A column that is not there, that is there twice, or that holds something other
than names is an error that lists the columns there are. What the names mean is
left to the readers of each table.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import ParameterError, TableError
from gossamer.tables.delimited import (
    find_delimiter,
    line_of_row,
    raise_row_fault,
    read_delimited,
    read_header,
)
from gossamer.tables.names import encode_column
from gossamer.tables.sources import FoundTable, Source, find_table

__all__ = ["NameColumns", "read_column_names", "read_name_columns"]

MAX_LISTED, MAX_CHARACTERS = 20, 80  # of the columns that an error lists


@dataclass(frozen=True)
class NameColumns:
    """Two columns of names: for each, the distinct names sorted, and each row's place in them.

    The rows of the files come one after the other; ``starts`` has each file's first.
    """

    sources: tuple[Source, ...]
    starts: tuple[int, ...]
    delimiter: str
    columns: tuple[str, str]
    names: tuple[NDArray[Any], NDArray[Any]]
    codes: tuple[NDArray[np.int32], NDArray[np.int32]]

    def where(self, row: int) -> str:
        """Say where a row is, as a person would look for it."""
        return _where(self.sources, self.starts, self.delimiter, row)


def read_name_columns(
    path: str | os.PathLike[str],
    tables: Mapping[str, tuple[str, str]],
    *,
    delimiter: str | None = None,
    way_out: str = "",
) -> NameColumns:
    """Read two columns of names from CSV or Parquet, plain or gzipped, or a folder of Parquet.

    Parts are read one after the other, two columns of each, and of a part only the
    distinct names and four bytes a row and column are kept.

    Parameters
    ----------
    path
        The file, whose content shows what it is; or a folder of Parquet parts; or a folder
        of tables.
    tables
        What the table may be called in a folder of tables, and the names of its two columns;
        the one preferred first. Any of them may be a Parquet table given itself.
    delimiter
        The separator of a text file.
    way_out
        What to do when a column is not there, for the message.

    Raises
    ------
    TableError
        For whatever is wrong with the files, naming the row where there is one.
    """
    for columns in tables.values():
        if columns[0] == columns[1]:
            raise ParameterError(
                f"both columns are named {columns[0]!r}; expected two different ones"
            )
    found = find_table(path, list(tables))
    sources, first = found.sources, found.sources[0]
    separator = find_delimiter(first, delimiter)
    columns = next(iter(tables.values()))
    if first.parquet:
        columns = _columns_there(found, tables)
        table, starts = _read_parts(sources, columns, way_out)
    else:
        header = read_header(first, separator)
        _check_columns(first, header, columns, way_out)
        table, starts = read_delimited(first, columns, separator), (0,)
    names, codes = [], []
    for name in columns:
        column = table.column(name)
        if column.null_count:
            row = pa.compute.index(pa.compute.is_null(column), True).as_py()
            where = _where(sources, starts, separator, row)
            raise TableError(f"{where}: the field {name!r} is null")
        encoded = encode_column(column, numbers_in_text=not first.parquet)
        if encoded.unusable is not None:
            if not first.parquet:
                raise_row_fault(first, columns, separator, "")
            row = int(np.flatnonzero(encoded.codes == encoded.unusable)[0])
            where = _where(sources, starts, separator, row)
            what = "has a NUL byte in it" if encoded.names[encoded.unusable] else "is empty"
            raise TableError(f"{where}: the field {name!r} {what}")
        names.append(encoded.names)
        codes.append(encoded.codes)
    return NameColumns(
        sources, starts, separator, columns, (names[0], names[1]), (codes[0], codes[1])
    )


def read_column_names(path: str | os.PathLike[str], tables: Sequence[str]) -> list[str]:
    """Return the columns of a table: of its first file, if there are several."""
    first = find_table(path, tables).sources[0]
    if first.parquet:
        return list(_schema(first).names)
    return read_header(first, find_delimiter(first, None))


def _where(sources: Sequence[Source], starts: Sequence[int], delimiter: str, row: int) -> str:
    place = bisect_right(starts, row) - 1
    source, inside = sources[place], row - starts[place]
    if source.parquet:
        return f"{source.path}, row {inside + 1}"
    return f"{source.path}, line {line_of_row(source, delimiter, inside)}"


def _columns_there(found: FoundTable, tables: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the columns of the table that was found: by its name, else by what it has."""
    if found.name is not None:
        return tables[found.name]
    there = set(_schema(found.sources[0]).names)
    having = [columns for columns in tables.values() if there.issuperset(columns)]
    return having[0] if having else next(iter(tables.values()))


def _read_parts(
    sources: Sequence[Source], columns: tuple[str, str], way_out: str
) -> tuple[Any, tuple[int, ...]]:
    """Read the columns of all parts, as numbers of distinct names where there are several."""
    kinds: dict[str, tuple[str, Source]] = {}
    chunks: dict[str, list[Any]] = {name: [] for name in columns}
    starts, rows = [], 0
    for source in sources:
        part = _read_parquet(source, columns, way_out)
        starts.append(rows)
        rows += part.num_rows
        for name in columns:
            column = part.column(name)
            if len(sources) > 1:
                if part.num_rows:
                    _check_same_kind(kinds, name, column.type, source)
                if not pa.types.is_dictionary(column.type):
                    column = column.dictionary_encode()
                column = column.cast(pa.dictionary(pa.int32(), column.type.value_type))
            if part.num_rows or not chunks[name]:
                chunks[name] += column.chunks or [pa.array([], type=column.type)]
    table = {name: _joined(chunks[name]) for name in columns}
    return pa.table(table), tuple(starts)


def _joined(chunks: list[Any]) -> Any:
    """Put chunks together, leaving out those without rows, whose type may differ."""
    kept = [chunk for chunk in chunks if len(chunk)] or chunks[:1]
    return pa.chunked_array(kept)


def _check_same_kind(
    kinds: dict[str, tuple[str, Source]], name: str, found: Any, source: Source
) -> None:
    value = found.value_type if pa.types.is_dictionary(found) else found
    kind = "numbers" if pa.types.is_integer(value) else "text"
    known, first = kinds.setdefault(name, (kind, source))
    if kind != known:
        raise TableError(
            f"{source.path}: the column {name!r} is {kind}, and {known} in {first.path}; expected "
            "one kind in all parts of a table"
        )


def _schema(source: Source) -> Any:
    with _parquet_faults(source), source.arrow_stream() as stream:
        content = pa.BufferReader(stream.read_buffer()) if source.gzipped else stream
        return pa.parquet.read_schema(content)


def _read_parquet(source: Source, columns: Sequence[str], way_out: str) -> Any:
    with _parquet_faults(source), source.arrow_stream() as stream:
        content = pa.BufferReader(stream.read_buffer()) if source.gzipped else stream
        schema = pa.parquet.read_schema(content)
        _check_columns(source, schema.names, columns, way_out)
        for name in columns:
            _check_type(source, name, schema.field(name).type)
        texts = [name for name in columns if _is_text(schema.field(name).type)]
        content.seek(0)
        table = pa.parquet.ParquetFile(content, read_dictionary=texts).read(columns=list(columns))
        return pa.table({name: _plain(table.column(name)) for name in columns})


@contextmanager
def _parquet_faults(source: Source) -> Iterator[None]:
    try:
        yield
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
    listed = ", ".join(repr(name[:MAX_CHARACTERS]) for name in found[:MAX_LISTED])
    if len(found) > MAX_LISTED:
        listed += f" and {len(found) - MAX_LISTED:,} more"
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
