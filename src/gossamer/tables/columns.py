"""Two columns of names of a table: subscriptions, links, views or follows.

Of each part only the distinct names and four bytes per row and column stay in memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.column_names import check_columns, is_comment, place_of
from gossamer.errors import OverlayError, ParameterError, RowError, TableError
from gossamer.model.wording import quoted
from gossamer.tables.bad_rows import BadRows, copy_of
from gossamer.tables.columnar import columnar_faults, columnar_schema, read_columnar
from gossamer.tables.delimited import (
    find_delimiter,
    good_rows,
    raise_row_fault,
    read_delimited,
    read_header,
)
from gossamer.tables.delimiters import divide
from gossamer.tables.files import TableFile, TableFiles, find_table
from gossamer.tables.lines import first_records
from gossamer.tables.names import encode_column, find_ids
from gossamer.tables.relations import is_counted, is_header
from gossamer.tables.rows import FileRows, column_names, is_text
from gossamer.wording import typed

FIRST_LINES = 20
"""Number of lines from which a layout is guessed, for a message."""


@dataclass(frozen=True)
class ColumnAdvice:
    """What to type if the columns of a table are not found.

    Attributes
    ----------
    ways
        For each of the two columns, the option that names it, or an empty text.
    missing
        Advice if no column is similar to the wanted ones.
    undivided
        Advice if a text table has only one column.
    no_header
        Option for a text table without a header line, if there is one.
    follows
        What to do with a text table of followers and followed nodes, if it is read otherwise.
    layout
        Whether a text table may have a list of names on each line, with the option ``layout``.
    delimiter
        What to do if the delimiter is ambiguous; ``{given}`` stands for options to type.
    """

    ways: tuple[str, str] = ("", "")
    missing: str = ""
    undivided: str = ""
    no_header: str = ""
    follows: str = ""
    layout: bool = False
    delimiter: str = "write it with one of them only"


NO_ADVICE = ColumnAdvice()


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
    header: bool = True,
    advice: ColumnAdvice = NO_ADVICE,
    bad: BadRows | None = None,
) -> NameColumns:
    """Read two columns of names from text, Parquet or Feather, plain or packed, or a folder.

    Parameters
    ----------
    path
        File, folder of Parquet parts, or folder of tables. The format follows from the content.
    tables
        Possible names of the table in a folder of tables, and their two columns; the preferred
        one first. A single Parquet table may be any of them.
    delimiter
        Separator of the fields of a text file; by default the one with which the first line has
        the columns.
    header
        Whether the first line of a text file has the names of the columns. If not, they are the
        numbers of the columns, from 1.
    advice
        What to do if a column is missing.
    bad
        Bad rows to skip; by default the first is an error.

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
    try:
        return _read(found, tables, delimiter, header, advice)
    except RowError:
        if bad is None or not bad.allowed:
            raise
    first, columns = found.sources[0], next(iter(tables.values()))
    if first.columnar:
        rows = _read(found, tables, delimiter, header, advice, bad)
    else:
        separator = find_delimiter(
            first, delimiter, [columns], header=header, way_out=advice.delimiter
        )
        good = good_rows(first, columns, separator, bad, header=header)
        with copy_of(first, good) as copy:
            bad.report(first.name)
            rows = _read(replace(found, sources=(copy,)), tables, separator, header, advice)
    return rows


def _read(
    found: TableFiles,
    tables: Mapping[str, tuple[str, str]],
    delimiter: str | None,
    header: bool,
    advice: ColumnAdvice,
    bad: BadRows | None = None,
) -> NameColumns:
    """Read files, as :func:`read_name_columns` does; ``bad`` are rows of Parquet to skip."""
    sources, first = found.sources, found.sources[0]
    columns = next(iter(tables.values()))
    separator = ""
    if first.columnar:
        columns = _table_columns(found, tables)
        table, starts = _read_parts(sources, columns, advice)
    else:
        first.require_text("a table with named columns: text or Parquet")
        separator = find_delimiter(
            first, delimiter, [columns], header=header, way_out=advice.delimiter
        )
        names_found = read_header(first, separator, header=header)
        if header and all(place_of(one, names_found) is None for one in columns):
            advice = _advice_on_layout(first, separator, names_found, advice)
        if delimiter is not None and len(names_found) == 1:
            advice = replace(advice, undivided=f"{delimiter!r} is not in the first line")
        _check_columns(first, names_found, columns, advice, header=header)
        table, starts = read_delimited(first, columns, separator, header=header), (0,)
    rows = FileRows(sources, starts, separator, header)
    if bad is not None:
        table = _good_part(table, columns, rows, bad)
        bad.report(first.name if len(sources) == 1 else str(first.path.parent))
    names, codes = [], []
    for name in columns:
        column = table.column(name)
        if column.null_count:
            row = pa.compute.index(pa.compute.is_null(column), True).as_py()
            raise RowError(f"{rows.where(row)}: the field {name!r} is null")
        encoded = encode_column(column, numbers_in_text=not first.columnar)
        if encoded.unusable is not None:
            if not first.columnar:
                raise_row_fault(first, columns, separator, "", header=header)
            row = int(np.flatnonzero(encoded.codes == encoded.unusable)[0])
            what = "has a NUL byte in it" if encoded.names[encoded.unusable] else "is empty"
            raise RowError(f"{rows.where(row)}: the field {name!r} {what}")
        names.append(encoded.names)
        codes.append(encoded.codes)
    for source in sources:
        source.check_unchanged()
    return NameColumns(
        sources, starts, separator, header, columns, (names[0], names[1]), (codes[0], codes[1])
    )


def _good_part(table: Any, columns: tuple[str, str], rows: FileRows, bad: BadRows) -> Any:
    """Return the rows of a table in which both names are usable, and count the others."""
    wrong = np.zeros(table.num_rows, dtype=np.bool_)
    for name in columns:
        column = table.column(name)
        found = pa.compute.is_null(column)
        value = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if is_text(value):
            texts = column.cast(pa.string())
            unusable = pa.compute.match_substring_regex(texts, "^$|\\x00").fill_null(True)
            found = pa.compute.or_(found, unusable)
        wrong |= found.to_numpy()
    count = int(wrong.sum())
    if count:
        where = rows.where(int(np.argmax(wrong)))
        bad.add(f"{where}: a name is null or empty, or has a NUL byte in it", count)
    bad.rows += table.num_rows - count
    return table.filter(pa.array(~wrong))


def read_column_names(
    path: str | os.PathLike[str], tables: Sequence[str], columns: Sequence[str]
) -> list[str]:
    """Return the column names of the first file of a table, which has certain columns."""
    return column_names(find_table(path, tables).sources[0], [columns])


def _table_columns(found: TableFiles, tables: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the two columns of the table: by its name, or by the columns it has."""
    if found.name is not None:
        return tables[found.name]
    names = set(column_names(found.sources[0]))
    having = [columns for columns in tables.values() if names.issuperset(columns)]
    return having[0] if having else next(iter(tables.values()))


def _read_parts(
    sources: Sequence[TableFile], columns: tuple[str, str], advice: ColumnAdvice
) -> tuple[Any, tuple[int, ...]]:
    """Read the columns of all parts; dictionary-encoded if there are several."""
    kinds: dict[str, tuple[str, TableFile]] = {}
    chunks: dict[str, list[Any]] = {name: [] for name in columns}
    starts, rows = [], 0
    for source in sources:
        part = _read_part(source, columns, advice)
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
            f"{source.name}: the column {name!r} is {kind}, and {known} in {first.name}; expected "
            "one kind in all parts of a table"
        )


def _read_part(source: TableFile, columns: tuple[str, str], advice: ColumnAdvice) -> Any:
    schema = columnar_schema(source)
    _check_columns(source, schema.names, columns, advice)
    for name in columns:
        _check_type(source, name, schema.field(name).type)
    texts = [name for name in columns if is_text(schema.field(name).type)]
    table = read_columnar(source, columns, dictionaries=texts)
    with columnar_faults(source):
        return pa.table({name: _plain(table.column(name)) for name in columns})


def _advice_on_layout(
    source: TableFile, delimiter: str, names: Sequence[str], advice: ColumnAdvice
) -> ColumnAdvice:
    """Return the advice for a file that is an edge list, or whose lines look like lists.

    Raises
    ------
    TableError
        If the first line is a comment and no header.
    """
    lines = [divide(line, delimiter) for line in first_records(source, FIRST_LINES)]
    sizes = set(map(len, lines))
    edges = f"If each line is a follower and a followed node, {advice.follows}"
    if is_comment(names) and len(names) not in sizes:
        lists = f". If each line is a node and its topics, give {typed(layout='lists')}. {edges}"
        raise TableError(
            f"{source.name}: the first line is a comment, and no line names the columns"
            f"{lists if advice.layout and advice.follows else ''}"
        )
    if advice.follows and len(names) == 2 and is_header(list(names), []):
        return replace(advice, missing=edges, no_header="")
    if not advice.layout or sizes <= {2}:
        return advice
    if all(map(is_counted, lines)) and (len(sizes) > 1 or is_counted(list(names))):
        text = f"The lines look like counts and topics: if so, give {typed(layout='counts')}"
    elif len(sizes) > 1:
        given = typed(layout="lists")
        text = f"The lines have different numbers of names: of lists, give {given}"
    else:
        return advice
    return replace(advice, missing=text, no_header="")


def _check_columns(
    source: TableFile,
    found: Sequence[str],
    wanted: tuple[str, str],
    advice: ColumnAdvice,
    *,
    header: bool = True,
) -> None:
    ways = dict(zip(wanted, advice.ways, strict=True))
    text = not source.columnar
    check_columns(
        source.name,
        found,
        ways,
        advice=advice.undivided if text and len(found) == 1 else advice.missing,
        no_header=advice.no_header if text and header else "",
    )


def _check_type(source: TableFile, name: str, kind: Any) -> None:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(value) or pa.types.is_integer(value) or pa.types.is_null(value)):
        raise TableError(
            f"{source.name}: the column {name!r} is of type {value}; names must be integers or "
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
