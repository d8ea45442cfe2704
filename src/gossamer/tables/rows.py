"""Rows of a table, from Parquet or text, in one file or several parts.

A table may be written in several layouts, such as times in microseconds or in seconds. Messages
name the file and the row or line.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.column_names import listed, looks_like_data, place_of, similar_name
from gossamer.errors import TableError
from gossamer.model.wording import quoted
from gossamer.tables.columnar import columnar_names, read_columnar
from gossamer.tables.delimited import find_delimiter, line_of_row, read_delimited, read_header
from gossamer.tables.files import TableFile, find_table
from gossamer.tables.standard_streams import name_of
from gossamer.tables.times import EXPECTED, are_dates, is_date_type, read_dates

NUMBER = r"^[0-9]{1,18}(\.[0-9]*)?$"
MAX_TIME = 2**62
TEXT_TYPES = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


@dataclass(frozen=True)
class FileRows:
    """Rows of files, one file after the other.

    Attributes
    ----------
    sources, starts
        The files, and the first row of each.
    delimiter, header
        Separator of the fields of a text file, and whether it has a header line.
    """

    sources: tuple[TableFile, ...]
    starts: tuple[int, ...]
    delimiter: str
    header: bool

    def where(self, row: int) -> str:
        """Return the file and the row or line, for a message."""
        part = bisect_right(self.starts, row) - 1
        source, inside = self.sources[part], row - self.starts[part]
        if source.columnar:
            return f"{source.name}, row {inside + 1}"
        line = line_of_row(source, self.delimiter, inside, header=self.header)
        return f"{source.name}, line {line}"


@dataclass(frozen=True)
class Rows(FileRows):
    """Rows of a table in one of its layouts.

    Attributes
    ----------
    columns
        Names of the layout's columns.
    table
        Arrow table; integers are int64, and texts strings.
    """

    columns: tuple[str, ...]
    table: Any

    def strings(self, name: str) -> Any:
        """Return a column as an Arrow array of strings."""
        try:
            return self.table.column(name).cast(pa.string()).combine_chunks()
        except pa.ArrowException as fault:
            name = self.sources[0].name
            raise TableError(f"{name}: a column is no text or number ({fault})") from None

    def microseconds(self, names: Sequence[str], unit: int) -> list[NDArray[np.int64]]:
        """Return columns of times in microseconds.

        Numbers, of 0 or more, are in a unit of microseconds. Dates count from the first of them.
        """
        columns = [self.table.column(name) for name in names]
        if not are_dates(columns[0]):
            return [self._numbers(column, unit) for column in columns]
        first = self.first_date(names) or 0
        return [self._dates(column) - first for column in columns]

    def first_date(self, names: Sequence[str]) -> int | None:
        """Return the first date of columns of times, in microseconds since 1970.

        None if the times are numbers, or there are none.
        """
        columns = [self.table.column(name) for name in names]
        if not are_dates(columns[0]):
            return None
        return min((int(self._dates(one).min()) for one in columns if len(one)), default=None)

    def _dates(self, column: Any) -> NDArray[np.int64]:
        if not (pa.types.is_string(column.type) or is_date_type(column.type)):
            raise self._no_time(column, 0)
        found = read_dates(column)
        row = pa.compute.index(pa.compute.is_null(found), True).as_py()
        if row >= 0:
            raise self._no_time(column, row)
        times: NDArray[np.int64] = found.to_numpy()
        return times

    def _numbers(self, column: Any, unit: int) -> NDArray[np.int64]:
        if pa.types.is_string(column.type):
            column = pa.compute.utf8_trim_whitespace(column)
            usable = pa.compute.match_substring_regex(column, NUMBER).fill_null(False)
            row = pa.compute.index(usable, False).as_py()
            if row >= 0:
                raise self._no_time(column, row)
        elif not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            raise TableError(f"{self.where(0)}: the time is of type {column.type}; {EXPECTED}")
        kind = pa.int64() if unit == 1 and pa.types.is_integer(column.type) else pa.float64()
        numbers = column.cast(kind).fill_null(-1).to_numpy() * unit
        wrong = np.flatnonzero(~((numbers >= 0) & (numbers < MAX_TIME)))
        if len(wrong):
            raise self._no_time(column, int(wrong[0]))
        times: NDArray[np.int64] = np.round(numbers).astype(np.int64)
        return times

    def _no_time(self, column: Any, row: int) -> TableError:
        return TableError(
            f"{self.where(row)}: the time is {quoted(column[row].as_py())}; {EXPECTED}"
        )


def read_rows(
    path: str | os.PathLike[str],
    table: str,
    layouts: Sequence[tuple[str, ...]],
    *,
    optional: str | None = None,
) -> Rows:
    """Read the columns of a table from a file, a folder of parts, or a folder of tables.

    Parameters
    ----------
    path
        The file or folder.
    table
        Name of the table.
    layouts
        Column names of each layout, the preferred one first.
    optional
        A further column, which all parts have or none.

    Raises
    ------
    TableError
        If a file cannot be read, or has the columns of no layout.
    """
    found = find_table(path, [table])
    first = found.sources[0]
    delimiter = "" if first.columnar else find_delimiter(first, None, layouts)
    columns: tuple[str, ...] = ()
    parts: list[Any] = []
    extra, starts = False, [0]
    for source in found.sources:
        names = column_names(source, layouts)
        fitting = [
            layout for layout in layouts if all(place_of(one, names) is not None for one in layout)
        ]
        if not fitting or (columns and columns not in fitting):
            raise _other_table(source, table, layouts, names)
        columns = columns or fitting[0]
        if parts and (optional in names) != extra:
            raise TableError(
                f"{(source if extra else first).name}: has no column {optional!r}, as other parts "
                "of the table have; expected it in all of them or in none"
            )
        extra = optional in names
        parts.append(
            _read_part(source, [*columns, optional] if optional and extra else columns, delimiter)
        )
        starts.append(starts[-1] + parts[-1].num_rows)
        source.check_unchanged()
    try:
        whole = pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as fault:
        raise TableError(
            f"{name_of(path)}: the parts have columns of different types ({fault})"
        ) from None
    return Rows(found.sources, tuple(starts[:-1]), delimiter, True, columns, whole)


def column_names(source: TableFile, layouts: Sequence[Sequence[str]] = ()) -> list[str]:
    """Return the column names of a file; ``layouts`` are those that it may have."""
    if source.columnar:
        return columnar_names(source)
    source.require_text("a table with named columns: text or Parquet")
    return read_header(source, find_delimiter(source, None, layouts))


def _other_table(
    source: TableFile, table: str, layouts: Sequence[Sequence[str]], names: Sequence[str]
) -> TableError:
    """Return the error of a file that has the columns of no layout."""
    expected = " or ".join(", ".join(layout) for layout in layouts)
    near = [
        (name, similar)
        for name in dict.fromkeys(name for layout in layouts for name in layout)
        if name not in names and (similar := similar_name(name, names)) is not None
    ]
    hint = "".join(f". Is {similar!r} meant as {name!r}? Rename it" for name, similar in near[:1])
    if not near and not source.columnar and looks_like_data(names):
        hint = ". Is there a header line? The first line looks like data"
    return TableError(
        f"{source.name}: is not a table of {table}; expected the columns {expected}; the columns "
        f"are: {listed(names)}{hint}"
    )


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of the types of text."""
    return any(getattr(pa.types, f"is_{name}")(kind) for name in TEXT_TYPES)


def _read_part(source: TableFile, columns: Sequence[str], delimiter: str) -> Any:
    if source.columnar:
        table = read_columnar(source, columns)
    else:
        table = read_delimited(source, columns, delimiter)
    return pa.table({name: _plain(table.column(name)) for name in columns})


def _plain(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    return column
