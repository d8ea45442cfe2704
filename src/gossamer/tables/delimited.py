"""Text tables: fields separated by commas, tabs or other characters, under a header line.

Arrow reads every field as a string, so "007" stays "007". If it fails, Python's csv module reads
the file again to find the wrong line. The columns of a table without a header line
are named 1, 2, and so on.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from gossamer.column_names import listed, place_of, similar_name
from gossamer.errors import RowError, TableError
from gossamer.tables.bad_rows import BadRows
from gossamer.tables.delimiters import (
    BLANKS,
    NAMES,
    delimiter_of_ending,
    divide,
    guess_delimiter,
    most_fields,
    parse_delimiter,
)
from gossamer.tables.files import TableFile
from gossamer.tables.lines import field_blocks, lines_of

BLOCK_BYTES = 4 << 20
MAX_HEADER = 1 << 20
TEXT = pa.dictionary(pa.int32(), pa.string())
NEEDS_NAME = "is empty; every row needs a name"


def find_delimiter(
    source: TableFile,
    given: str | None,
    layouts: Sequence[Sequence[str]] = (),
    *,
    header: bool = True,
    way_out: str = "write it with one of them only",
) -> str:
    """Return the given delimiter, or the one that divides the first line into the wanted columns.

    Parameters
    ----------
    source
        The file.
    given
        Name or character of the delimiter; None to find it.
    layouts
        Names of the wanted columns, for each layout of the table.
    header
        Whether the first line has the names of the columns.
    way_out
        Advice for the error if several delimiters fit; ``{given}`` stands for options to type.
    """
    line = None if given is not None else _first_line(source)
    if given is None and line is None:
        return delimiter_of_ending(source.name) or ","
    return likely_delimiter(source.name, line or "", given, layouts, header=header, way_out=way_out)


def likely_delimiter(
    name: str,
    line: str,
    given: str | None,
    layouts: Sequence[Sequence[str]],
    *,
    header: bool = True,
    way_out: str = "write it with one of them only",
) -> str:
    """Return the given delimiter, or the likely one of the first line of a file.

    If no delimiter yields the wanted columns, return the one with the most similar names.
    """
    if given is not None:
        return parse_delimiter(given)
    if line.count('"') % 2:  # a name of the header has a line end in it
        return delimiter_of_ending(name) or ","

    def fits(fields: list[str]) -> bool:
        names = fields if header else _numbers(len(fields))
        return any(all(place_of(one, names) is not None for one in layout) for layout in layouts)

    found = guess_delimiter(line, fits, where=name, way_out=way_out) if layouts else None
    if found is not None:
        return found

    def likeness(delimiter: str) -> int:
        fields = divide(line, delimiter)
        similar = [
            sum(similar_name(one, fields) is not None for one in layout) for layout in layouts
        ]
        return max(similar, default=0)

    by_ending = delimiter_of_ending(name)
    usual = by_ending if by_ending and len(divide(line, by_ending)) > 1 else most_fields(line)
    return max((usual, *NAMES), key=likeness)


def read_header(source: TableFile, delimiter: str, *, header: bool = True) -> list[str]:
    """Return the column names of the first line that is not blank."""
    for _, fields in _records(source, delimiter):
        return fields if header else _numbers(len(fields))
    expected = "a header line and rows" if header else "rows"
    raise TableError(f"{source.name}: the file is empty; expected {expected}")


def read_delimited(
    source: TableFile, columns: Sequence[str], delimiter: str, *, header: bool = True
) -> Any:
    """Read columns of the header as dictionaries of strings.

    Raises
    ------
    TableError
        If a row has too few or too many fields, or one that is empty, contains NUL or is not
        UTF-8; the message names the line.
    """
    names = read_header(source, delimiter, header=header)
    places = [place_of(name, names) for name in columns]
    source.check_unchanged()
    assert None not in places, "the columns were checked before"
    if delimiter == BLANKS:
        return _read_blanks(source, columns, names, header)
    wanted = [names[place] for place in places if place is not None]
    try:
        with source.arrow_stream() as stream:
            table = pa.csv.read_csv(
                stream,
                read_options=pa.csv.ReadOptions(
                    block_size=BLOCK_BYTES, column_names=None if header else names
                ),
                parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=wanted,
                    column_types=dict.fromkeys(wanted, TEXT),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
    except (pa.ArrowException, OSError) as fault:
        if header and _is_header_only(source, delimiter):
            empty = pa.array([], type=TEXT)
            return pa.table([empty] * len(columns), names=list(columns))
        raise_row_fault(source, columns, delimiter, str(fault), header=header)
    _check_last_quote(source, delimiter)
    return table.rename_columns(list(columns))


def raise_row_fault(
    source: TableFile,
    columns: Sequence[str],
    delimiter: str,
    otherwise: str,
    *,
    header: bool = True,
) -> NoReturn:
    """Read the file again to find the wrong line, and raise, by default with ``otherwise``."""
    source.check_unchanged()
    with closing(_records(source, delimiter)) as records:
        first = next(records)
        names = first[1] if header else _numbers(len(first[1]))
        places = {name: place_of(name, names) or 0 for name in columns}
        for line, fields in records if header else chain([first], records):
            where = f"{source.name}, line {line}"
            if len(fields) != len(names) and any("\n" in field for field in fields):
                _check_last_quote(source, delimiter)
            reason = _fault_of(fields, names, places, header)
            if reason.endswith(NEEDS_NAME):
                empty = 1 + _count_empty(records, [*places.values()])
                rows, them = ("row has", "it") if empty == 1 else ("rows have", "them")
                reason += f" ({empty:,} {rows} an empty field; remove {them} from the file)"
            if reason:
                raise RowError(f"{where}: {reason}")
    raise TableError(f"{source.name}: cannot be read as a table ({otherwise})")


def good_rows(
    source: TableFile, columns: Sequence[str], delimiter: str, bad: BadRows, *, header: bool = True
) -> Iterator[str]:
    """Yield the header line and the rows without a fault, as they are in the file.

    Bad rows are counted. A quote that is never closed is no bad row, but an error.
    """
    if delimiter != BLANKS:
        _check_last_quote(source, delimiter)
    names = read_header(source, delimiter, header=header)
    places = {name: place_of(name, names) or 0 for name in columns}
    seen: list[str] = []
    is_row = not header
    for number, fields in _records(source, delimiter, bad=bad, seen=seen):
        reason = _fault_of(fields, names, places, header) if is_row else ""
        if reason:
            bad.add(f"{source.name}, line {number}: {reason}")
        else:
            bad.rows += is_row
            yield "".join(seen)
        is_row = True
        seen.clear()


def _fault_of(
    fields: list[str], names: Sequence[str], places: Mapping[str, int], header: bool
) -> str:
    """Return what is wrong with the fields of a row; empty if nothing is.

    ``places`` are those of the wanted columns by name; ``header`` is whether the names are known.
    """
    if len(fields) != len(names):
        missing = [name for name, place in places.items() if place >= len(fields)]
        what = f"; {' and '.join(map(repr, missing))} missing" if missing else ""
        expected = f" ({listed(names).replace(chr(39), '')})" if header else ""
        count = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
        return f"{count}, expected {len(names)}{expected}{what}"
    for name, place in places.items():
        if not fields[place]:
            return f"the field {name!r} {NEEDS_NAME}"
        if "\0" in fields[place]:
            return f"the field {name!r} has a NUL byte in it"
    return ""


def _count_empty(records: Iterator[tuple[int, list[str]]], places: list[int]) -> int:
    """Count the remaining records with an empty field, until one cannot be read."""
    count = 0
    with suppress(TableError):
        for _, fields in records:
            count += any(place < len(fields) and not fields[place] for place in places)
    return count


def line_of_row(source: TableFile, delimiter: str, row: int, *, header: bool = True) -> int:
    """Return the line number of a row; rows count from 0, below the header."""
    source.check_unchanged()
    for place, (line, _) in enumerate(_records(source, delimiter), start=-1 if header else 0):
        if place == row:
            return line
    raise AssertionError(f"{source.path} has no row {row}")


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _first_line(source: TableFile) -> str | None:
    """Return the first line that is not blank, None if there is none."""
    for number, line in lines_of(source):
        if len(line) > MAX_HEADER:
            raise TableError(
                f"{source.name}, line {number}: the first line is longer than "
                f"{MAX_HEADER >> 20} MiB; expected a header"
            )
        if line.strip("\r\n"):
            return line.strip("\r\n")
    return None


def _read_blanks(
    source: TableFile, columns: Sequence[str], names: Sequence[str], header: bool
) -> Any:
    """Read columns that are separated by runs of blanks."""

    def fault(fields: list[str]) -> str | None:
        if len(fields) == len(names):
            return None
        return f"{len(fields)} field{'s' if len(fields) != 1 else ''}, expected {len(names)}"

    chunks: dict[str, list[Any]] = {name: [] for name in columns}
    skipped = not header
    for fields in field_blocks(source, BLANKS, fault, comments=()):
        sizes = pa.compute.list_value_length(fields)
        if not pa.compute.all(pa.compute.equal(sizes, len(names))).as_py():
            raise_row_fault(source, columns, BLANKS, "", header=header)
        for name in columns:
            place = place_of(name, names)
            column = pa.compute.list_element(fields, place)
            chunks[name].append((column if skipped else column.slice(1)).dictionary_encode())
        skipped = True
    return pa.table({name: pa.chunked_array(one, type=TEXT) for name, one in chunks.items()})


def _check_last_quote(source: TableFile, delimiter: str) -> None:
    """Raise for a quote that is opened and never closed."""
    quotes = 0
    with source.arrow_stream() as stream:
        while block := stream.read(BLOCK_BYTES):
            quotes += block.count(b'"')
    if quotes % 2 == 0:
        return
    ((line, fields),) = deque(_records(source, delimiter), maxlen=1)  # the last record
    if any("\n" in field for field in fields):
        raise TableError(
            f"{source.name}, line {line}: a quote is opened in this row and never closed"
        )


def _is_header_only(source: TableFile, delimiter: str) -> bool:
    records = _records(source, delimiter)
    next(records, None)
    return next(records, None) is None


def _records(
    source: TableFile, delimiter: str, *, bad: BadRows | None = None, seen: list[str] | None = None
) -> Generator[tuple[int, list[str]]]:
    """Yield the first line and the fields of each record that is not blank.

    Parameters
    ----------
    source, delimiter
        The file and its separator.
    bad
        If given, lines that are no text are counted there, and left out.
    seen
        If given, it receives the lines of a record before it is yielded.
    """

    def lines() -> Iterator[tuple[int, str]]:
        for number, line in lines_of(source, bad=bad):
            if seen is not None:
                seen.append(line)
            yield number, line

    if delimiter == BLANKS:
        yield from ((number, fields) for number, line in lines() if (fields := line.split()))
        return
    reader = csv.reader((line for _, line in lines()), delimiter=delimiter)
    while True:
        start = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            wrong = RowError(f"{source.name}, line {start}: {fault}")
            if bad is None or seen is None:
                raise wrong from None
            bad.add(wrong)
            seen.clear()
            continue
        if fields:
            yield start, fields
