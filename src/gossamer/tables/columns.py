"""Two columns of names of a table: subscriptions, links, views or follows.

Of each part only the distinct names and four bytes per row and column stay in memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import OverlayError, ParameterError, TableError
from gossamer.model.wording import quoted
from gossamer.tables.delimited import (
    find_delimiter,
    raise_row_fault,
    read_delimited,
    read_header,
)
from gossamer.tables.files import TableFile, TableFiles, find_table
from gossamer.tables.names import encode_column, find_ids
from gossamer.tables.rows import FileRows, column_names, is_text, parquet_content

MAX_LISTED, MAX_CHARACTERS = 20, 80  # of the columns that an error lists


@dataclass(frozen=True)
class NameColumns(FileRows):
    """Two columns of names: their distinct names, sorted, and the position of each row in them."""

    columns: tuple[str, str]
    names: tuple[NDArray[Any], NDArray[Any]]
    codes: tuple[NDArray[np.int32], NDArray[np.int32]]

    def ids(self, column: int, known: NDArray[Any], what: str) -> NDArray[np.int64]:
        """Return the ids of a column's names among the known names of nodes or topics.

        Raises
        ------
        OverlayError
            If a name is unknown, naming its row.
        """
        names, codes = self.names[column], self.codes[column]
        if not len(codes):
            return np.empty(0, dtype=np.int64)
        ids: NDArray[np.int64] = find_ids(names, known)[codes].astype(np.int64)
        if ids.min() < 0:
            row = int(np.argmin(ids))
            raise OverlayError(
                f"{self.where(row)}: the {self.columns[column]} {quoted(str(names[codes[row]]))} "
                f"is not one of the {len(known)} {what}s of the subscriptions"
            )
        return ids


def read_name_columns(
    path: str | os.PathLike[str],
    tables: Mapping[str, tuple[str, str]],
    *,
    delimiter: str | None = None,
    way_out: str = "",
) -> NameColumns:
    """Read two columns of names from CSV or Parquet, plain or gzipped, or a folder of Parquet.

    Parameters
    ----------
    path
        File, folder of Parquet parts, or folder of tables. The format follows from the content.
    tables
        Possible names of the table in a folder of tables, and their two columns; the preferred
        one first. A single Parquet table may be any of them.
    delimiter
        Separator of the fields of a text file.
    way_out
        Advice for the message if a column is missing.

    Raises
    ------
    TableError
        If a file cannot be used, naming the row if there is one.
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
        columns = _table_columns(found, tables)
        table, starts = _read_parts(sources, columns, way_out)
    else:
        header = read_header(first, separator)
        _check_columns(first, header, columns, way_out)
        table, starts = read_delimited(first, columns, separator), (0,)
    rows = FileRows(sources, starts, separator)
    names, codes = [], []
    for name in columns:
        column = table.column(name)
        if column.null_count:
            row = pa.compute.index(pa.compute.is_null(column), True).as_py()
            raise TableError(f"{rows.where(row)}: the field {name!r} is null")
        encoded = encode_column(column, numbers_in_text=not first.parquet)
        if encoded.unusable is not None:
            if not first.parquet:
                raise_row_fault(first, columns, separator, "")
            row = int(np.flatnonzero(encoded.codes == encoded.unusable)[0])
            what = "has a NUL byte in it" if encoded.names[encoded.unusable] else "is empty"
            raise TableError(f"{rows.where(row)}: the field {name!r} {what}")
        names.append(encoded.names)
        codes.append(encoded.codes)
    return NameColumns(
        sources, starts, separator, columns, (names[0], names[1]), (codes[0], codes[1])
    )


def read_column_names(path: str | os.PathLike[str], tables: Sequence[str]) -> list[str]:
    """Return the column names of the first file of a table."""
    return column_names(find_table(path, tables).sources[0])


def _table_columns(found: TableFiles, tables: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the two columns of the table: by its name, or by the columns it has."""
    if found.name is not None:
        return tables[found.name]
    names = set(column_names(found.sources[0]))
    having = [columns for columns in tables.values() if names.issuperset(columns)]
    return having[0] if having else next(iter(tables.values()))


def _read_parts(
    sources: Sequence[TableFile], columns: tuple[str, str], way_out: str
) -> tuple[Any, tuple[int, ...]]:
    """Read the columns of all parts; dictionary-encoded if there are several."""
    kinds: dict[str, tuple[str, TableFile]] = {}
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
    """Join chunks, except those without rows, whose type may differ."""
    kept = [chunk for chunk in chunks if len(chunk)] or chunks[:1]
    return pa.chunked_array(kept)


def _check_same_kind(
    kinds: dict[str, tuple[str, TableFile]], name: str, found: Any, source: TableFile
) -> None:
    value = found.value_type if pa.types.is_dictionary(found) else found
    kind = "numbers" if pa.types.is_integer(value) else "text"
    known, first = kinds.setdefault(name, (kind, source))
    if kind != known:
        raise TableError(
            f"{source.path}: the column {name!r} is {kind}, and {known} in {first.path}; expected "
            "one kind in all parts of a table"
        )


def _read_parquet(source: TableFile, columns: Sequence[str], way_out: str) -> Any:
    with parquet_content(source) as content:
        schema = pa.parquet.read_schema(content)
        _check_columns(source, schema.names, columns, way_out)
        for name in columns:
            _check_type(source, name, schema.field(name).type)
        texts = [name for name in columns if is_text(schema.field(name).type)]
        content.seek(0)
        table = pa.parquet.ParquetFile(content, read_dictionary=texts).read(columns=list(columns))
        return pa.table({name: _plain(table.column(name)) for name in columns})


def _check_columns(
    source: TableFile, found: Sequence[str], wanted: Sequence[str], way_out: str
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


def _check_type(source: TableFile, name: str, kind: Any) -> None:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(value) or pa.types.is_integer(value) or pa.types.is_null(value)):
        raise TableError(
            f"{source.path}: the column {name!r} is of type {value}; names must be integers or "
            "strings"
        )


def _plain(column: Any) -> Any:
    """Convert integers and texts of any width to int64, string, or dictionaries of strings."""
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
