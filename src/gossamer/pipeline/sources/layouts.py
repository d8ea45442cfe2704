"""Delimited lines: the fields to read, their positions in a file, and splitting.

The header is read before Spark starts, so a missing column is reported at once. Arrow splits the
lines without quotes of a batch together; Python's csv module splits the others, in its strict
mode. A quoted field ends on its first line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.sources.files import RawFile, first_line
from gossamer.tables.delimited import find_delimiter
from gossamer.tables.files import TableFile as TextFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

AUTOMATIC = "auto"
"""Delimiter that is detected from the name of the file, or else from its header."""

GUESSES = (",", "\t", ";", "|")
MAX_LISTED, MAX_CHARACTERS = 20, 80  # of the columns that an error lists

WRONG_COUNT = "has another number of fields than expected"
UNCLOSED = "a quote is opened or closed on the line, not both: a field may not span lines"
AFTER_QUOTE = "has text between a closing quote and the delimiter"
LONG_FIELD = "has a quoted field of more than 131,072 characters"


@dataclass(frozen=True)
class Fields:
    """Fields to read from each line.

    Attributes
    ----------
    wanted
        Names of the fields here, and of their columns in the header.
    delimiter
        Field separator, or :data:`AUTOMATIC`.
    fixed
        Names of all fields in order, for files without a header.
    """

    wanted: Mapping[str, str]
    delimiter: str = AUTOMATIC
    fixed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = list(self.wanted.values())
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f"two columns are named {name!r}; expected different ones")
        if self.delimiter != AUTOMATIC:
            find_delimiter(TextFile(Path("any"), False, False), self.delimiter)


@dataclass(frozen=True)
class Layout:
    """Positions of the fields on the lines of some files.

    Attributes
    ----------
    delimiter
        Field separator.
    width
        Number of fields of a line.
    places
        Name of each field to read, and its position on the line, from 0.
    header
        Header line, if there is one; lines that are equal to it are skipped.
    """

    delimiter: str
    width: int
    places: tuple[tuple[str, int], ...]
    header: str | None


def find_layouts(files: Sequence[RawFile], fields: Fields) -> dict[Layout, list[RawFile]]:
    """Return the files by layout, from their headers, without files of blank lines only.

    Raises
    ------
    TableError
        If a column is missing, or is there twice; the message lists the columns.
    """
    found: dict[Layout, list[RawFile]] = {}
    for file in files:
        if fields.fixed:
            delimiter = _delimiters(file, fields)[0]
            places = tuple((key, fields.fixed.index(key)) for key in fields.wanted)
            layout = Layout(delimiter, len(fields.fixed), places, None)
        else:
            header = first_line(file)
            if header is None:
                continue
            layout = _layout_of(file, header, fields)
        found.setdefault(layout, []).append(file)
    if not found:
        raise TableError(f"{files[0].name}: the file is empty; expected a header line and rows")
    return found


def _layout_of(file: RawFile, header: str, fields: Fields) -> Layout:
    delimiters = _delimiters(file, fields)
    for delimiter in delimiters:
        names = _split_header(file, header, delimiter)
        places = [_place(names, wanted) for wanted in fields.wanted.values()]
        if None not in places:
            break
    else:
        delimiter = delimiters[0]
        if len(delimiters) > 1:  # the one that splits the header, for the message
            delimiter = max(delimiters, key=lambda one: header.count(one))
        names = _split_header(file, header, delimiter)
    _check_columns(file, names, fields.wanted)
    placed = tuple(
        (key, place)
        for key, wanted in fields.wanted.items()
        if (place := _place(names, wanted)) is not None
    )
    return Layout(delimiter, len(names), placed, header)


def _delimiters(file: RawFile, fields: Fields) -> tuple[str, ...]:
    """Return the delimiters to try, the most likely first."""
    asked = None if fields.delimiter == AUTOMATIC else fields.delimiter
    bare = re.sub(r"\.(gz|bz2)$", "", file.name, flags=re.IGNORECASE)
    first = find_delimiter(TextFile(Path(bare), False, False), asked)
    if asked is not None:
        return (first,)
    return (first, *(guess for guess in GUESSES if guess != first))


def _split_header(file: RawFile, header: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([header], delimiter=delimiter, strict=True))
    except csv.Error as fault:
        raise TableError(f"{file.name}, line 1: is not a header ({fault})") from None


def _place(names: Sequence[str], wanted: str) -> int | None:
    """Find a column by its name; the first one may have a comment prefix."""
    if wanted in names:
        return list(names).index(wanted)
    bare = re.sub(r"^\s*(//|#|%)\s*", "", names[0]) if names else None
    return 0 if bare == wanted else None


def _check_columns(file: RawFile, names: Sequence[str], wanted: Mapping[str, str]) -> None:
    listed = ", ".join(repr(name[:MAX_CHARACTERS]) for name in names[:MAX_LISTED])
    if len(names) > MAX_LISTED:
        listed += f" and {len(names) - MAX_LISTED:,} more"
    if any("\0" in name for name in names):
        raise TableError(f"{file.name}: the header has NUL bytes in it; expected UTF-8 text")
    missing = [name for name in wanted.values() if _place(names, name) is None]
    if missing:
        flags = " and ".join(f"--{key}-column" for key, name in wanted.items() if name in missing)
        what = " and ".join(map(repr, missing))
        raise TableError(
            f"{file.name}: there is no column {what}; the columns are: {listed}. Name yours with "
            f"{flags}, or what separates them with --delimiter"
        )
    for name in wanted.values():
        if list(names).count(name) > 1:
            raise TableError(
                f"{file.name}: {list(names).count(name)} columns are named {name!r}; the columns "
                f"are: {listed}. Rename all but one"
            )


def split_lines(lines: DataFrame, layout: Layout) -> DataFrame:
    """Add a string column for each field to ``file, line, reason``: a lazy stage.

    On a line that cannot be split, the fields are null and the reason is set.
    """
    from pyspark.sql import functions as f

    def split(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from split_batch(batch, layout)

    rows = lines.where(f.col("line") != "")
    if layout.header is not None:
        rows = rows.where(f.col("line") != layout.header)
    columns = ", ".join(f"{key} string" for key, _ in layout.places)
    return rows.mapInArrow(split, f"file string, line string, reason string, {columns}")


def split_batch(batch: pa.RecordBatch, layout: Layout) -> Iterator[pa.RecordBatch]:
    """Split the lines of a batch: first those without quotes, then the others, out of order."""
    usable = batch.column("reason").is_null()
    quoted = pa.compute.match_substring(batch.column("line"), '"')
    plain = batch.filter(pa.compute.and_not(usable, quoted))
    split = pa.compute.split_pattern(plain.column("line"), layout.delimiter)
    fits = pa.compute.equal(pa.compute.list_value_length(split), layout.width)
    yield _with_fields(
        plain.filter(fits),
        [pa.compute.list_element(split.filter(fits), place) for _, place in layout.places],
        layout,
    )
    short = plain.filter(pa.compute.invert(fits))
    yield _with_fields(short, None, layout, [WRONG_COUNT] * short.num_rows)
    yield _with_fields(batch.filter(pa.compute.invert(usable)), None, layout)
    hard = batch.filter(pa.compute.and_(usable, quoted))
    if hard.num_rows:
        results = [_split_quoted(line, layout) for line in hard.column("line").to_pylist()]
        fields = [
            pa.array([None if isinstance(one, str) else one[place] for one in results], pa.string())
            for _, place in layout.places
        ]
        reasons = [one if isinstance(one, str) else None for one in results]
        yield _with_fields(hard, fields, layout, reasons)


def _split_quoted(line: str, layout: Layout) -> list[str] | str:
    """Return the fields of a line with quotes, or the reason why it is bad."""
    if line.count('"') % 2:  # also the rest of a field that began on an earlier line
        return UNCLOSED
    try:
        fields = next(csv.reader([line], delimiter=layout.delimiter, strict=True))
    except csv.Error as fault:
        said = str(fault)
        if "unexpected end" in said:
            return UNCLOSED
        return LONG_FIELD if "limit" in said else AFTER_QUOTE
    return fields if len(fields) == layout.width else WRONG_COUNT


def _with_fields(
    batch: pa.RecordBatch,
    fields: Sequence[pa.Array] | None,
    layout: Layout,
    reasons: Sequence[str | None] | None = None,
) -> pa.RecordBatch:
    if fields is None:
        nothing = pa.nulls(batch.num_rows, pa.string())
        fields = [nothing] * len(layout.places)
    given = batch.column("reason") if reasons is None else pa.array(reasons, pa.string())
    return pa.RecordBatch.from_arrays(
        [batch.column("file"), batch.column("line"), given, *fields],
        names=["file", "line", "reason", *(key for key, _ in layout.places)],
    )
