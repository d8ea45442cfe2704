"""Delimited lines: the fields to read, their positions in a file, and splitting.

The header is read before Spark starts, so a missing column is reported at once. Arrow splits the
lines without quotes of a batch together; Python's csv module splits the others, in its strict
mode. A quoted field ends on its first line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute

from gossamer.column_names import check_columns, place_of
from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.sources.files import RawFile, first_line
from gossamer.tables.delimited import likely_delimiter
from gossamer.tables.delimiters import BLANKS, parse_delimiter, split_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

AUTOMATIC = "auto"
"""Delimiter that is detected from the header."""

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
            parse_delimiter(self.delimiter)


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
            delimiter = parse_delimiter(fields.delimiter)
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
    asked = None if fields.delimiter == AUTOMATIC else fields.delimiter
    delimiter = likely_delimiter(file.name, header, asked, [tuple(fields.wanted.values())])
    try:
        names = split_line(header, delimiter)
    except csv.Error as fault:
        raise TableError(f"{file.name}, line 1: is not a header ({fault})") from None
    ways = {name: f"--{key}-column" for key, name in fields.wanted.items()}
    advice = "If another character separates them, give --delimiter" if len(names) == 1 else ""
    check_columns(file.name, names, ways, advice=advice)
    placed = tuple(
        (key, place)
        for key, wanted in fields.wanted.items()
        if (place := place_of(wanted, names)) is not None
    )
    return Layout(delimiter, len(names), placed, header)


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
    if layout.delimiter == BLANKS:
        quoted = pa.compute.and_(quoted, False)
    plain = batch.filter(pa.compute.and_not(usable, quoted))
    split = _split(plain.column("line"), layout.delimiter)
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


def _split(lines: pa.Array, delimiter: str) -> pa.Array:
    if delimiter != BLANKS:
        return pa.compute.split_pattern(lines, delimiter)
    return pa.compute.ascii_split_whitespace(pa.compute.ascii_trim_whitespace(lines))


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
