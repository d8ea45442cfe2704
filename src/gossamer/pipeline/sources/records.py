"""Records of raw files: checks that all sources share, and the columns of a bad record.

A line that is too long, is not UTF-8 or has a NUL byte is bad in every source. Reasons are
constant texts without data, so that they can be counted; the line is in another column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.errors import RecordError, TableError
from gossamer.pipeline.frames import spark_type
from gossamer.pipeline.sources.files import RawFile
from gossamer.tables.file_kinds import TO_UTF8
from gossamer.tables.names import WHOLE_NUMBER
from gossamer.tables.times import DATE, STEPS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MAX_LINE_SHOWN = 500
"""Characters of a bad line that are stored."""

WHITE_SPACE = " \t\r\n\f\v"
NOT_TEXT = "is not UTF-8 text"
HAS_NUL = "has a NUL byte in it"

UNITS = {"s": "1000000", "ms": "1000", "us": "1", "ns": "0.001"}


def read_lines(
    session: SparkSession,
    files: Sequence[RawFile],
    *,
    comments: Sequence[str] = (),
    max_line: int,
    whole_files: bool = False,
) -> DataFrame:
    """Read lines as a frame ``file, line, reason``, without comments and blank lines.

    Spark unpacks .gz and .bz2. A line that is too long or not text has a reason, and only its
    beginning is returned.
    """
    from pyspark.sql import functions as f

    raw = session.read.text([file.spark_path for file in files], wholetext=whole_files)
    frame = raw.select(f.col("_metadata.file_path").alias("file"), f.col("value"))
    beginning = f.make_valid_utf8(f.substring("value", 1, MAX_LINE_SHOWN))
    if whole_files:
        reason = f.when(~f.is_valid_utf8("value"), NOT_TEXT)
        text = f.when(reason.isNull(), f.col("value")).otherwise(beginning)
        return frame.select("file", text.alias("line"), reason.alias("reason"))
    bare = f.btrim("value", f.lit(WHITE_SPACE))
    for mark in comments:
        frame = frame.where(~f.startswith(bare, f.lit(mark)))
    if comments:
        frame = frame.where(bare != "")
    mebibytes = max_line >> 20
    reason = (
        f.when(f.octet_length("value") > max_line, f"is longer than {mebibytes} MiB")
        .when(~f.is_valid_utf8("value"), NOT_TEXT)
        .when(f.contains("value", f.lit("\0")), HAS_NUL)
    )
    line = f.when(reason.isNull(), f.col("value")).otherwise(f.translate(beginning, "\0", "␀"))
    return frame.where(f.octet_length("value") > 0).select(
        "file", line.alias("line"), reason.alias("reason")
    )


def validate_records(
    frame: DataFrame, checks: Iterable[tuple[Column, str]], columns: Mapping[str, Column]
) -> DataFrame:
    """Return the columns of good records, and the reason of the first check that a bad one fails.

    Parameters
    ----------
    frame
        Frame with ``file, line, reason``; a reason in it stays.
    checks
        Conditions of bad records, with their reasons.
    columns
        Columns of a good record.
    """
    from pyspark.sql import functions as f

    reason = f.coalesce("reason", *(f.when(wrong, f.lit(why)) for wrong, why in checks))
    validated = frame.select(
        *(value.alias(name) for name, value in columns.items()),
        "file",
        "line",
        reason.alias("reason"),
    )
    bad = f.col("reason").isNotNull()
    return validated.select(
        *(f.when(~bad, f.col(name)).alias(name) for name in columns),
        f.when(bad, f.col("file")).alias("file"),
        f.when(bad, f.substring("line", 1, MAX_LINE_SHOWN)).alias("line"),
        "reason",
    )


def parse_in_python(
    frame: DataFrame,
    columns: Sequence[tuple[str, Any]],
    parse: Callable[[str, str], Iterable[tuple[Any, ...] | tuple[str, RecordError]]],
    *,
    whole_files: bool = False,
) -> DataFrame:
    """Parse with a Python function: a lazy stage.

    Parameters
    ----------
    frame
        Frame with ``file, line, reason``.
    columns
        Names and Arrow types of the columns of a record.
    parse
        Function from the name of a file and a line to records: each the values of ``columns``,
        or the text of a bad record and its :class:`RecordError`. An error that it raises is about
        the whole line.
    whole_files
        Whether a line is a whole file; a reason in the frame is then an error.
    """
    schema = pa.schema(
        [*columns, ("file", pa.string()), ("line", pa.string()), ("reason", pa.string())]
    )

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from parse_batch(batch, schema, parse, whole_files=whole_files)

    described = ", ".join(f"`{name}` {spark_type(kind)}" for name, kind in columns)
    return frame.mapInArrow(run, f"{described}, file string, line string, reason string")


ROWS_IN_BATCH = 10_000


def parse_batch(
    batch: pa.RecordBatch,
    schema: pa.Schema,
    parse: Callable[[str, str], Iterable[tuple[Any, ...] | tuple[str, RecordError]]],
    *,
    whole_files: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Parse the lines of one batch into batches of records."""
    width = len(schema.names) - 3
    rows: list[tuple[Any, ...]] = []

    def bad(file: str, line: str, reason: str) -> tuple[Any, ...]:
        return (*([None] * width), file, line[:MAX_LINE_SHOWN].replace("\0", "␀"), reason)

    for file, line, reason in zip(
        *(batch.column(name).to_pylist() for name in ("file", "line", "reason")), strict=True
    ):
        if reason is not None:
            if whole_files:
                raise TableError(f"{file}: {reason}; {TO_UTF8}")
            rows.append(bad(file, line, reason))
            continue
        try:
            for record in parse(file, line):
                if isinstance(record[-1], RecordError):
                    rows.append(bad(file, record[0], str(record[-1])))
                else:
                    rows.append((*record, None, None, None))
                if len(rows) >= ROWS_IN_BATCH:
                    yield _batch(rows, schema)
                    rows = []
        except RecordError as fault:
            rows.append(bad(file, line, str(fault)))
    if rows:
        yield _batch(rows, schema)


def _batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def is_whole_number(name: Column) -> Column:
    """Whether a name is a whole number of 64 bits in its usual form."""
    from pyspark.sql import functions as f

    # In Java, $ would accept a line end after the number.
    pattern = WHOLE_NUMBER.removesuffix("$") + r"\z"
    return f.coalesce(name.rlike(pattern) & name.try_cast("bigint").isNotNull(), f.lit(False))


def as_name(name: Column, whole: bool) -> Column:
    """Return a column of names as integers, if all of them are whole numbers."""
    return name.try_cast("bigint") if whole else name


def microseconds(text: Column, unit: str) -> Column:
    """Parse a number of time units, or a date; null if it is neither.

    Numbers are rounded to microseconds. Dates count from 1970, in UTC without a zone.
    """
    from pyspark.sql import functions as f

    factor = f.lit(UNITS[unit]).cast("decimal(10, 3)")
    number = f.round(text.try_cast("decimal(27, 6)") * factor, 0).try_cast("bigint")
    trimmed = f.btrim(text)
    date = f.replace(f.upper(trimmed), f.lit(" "), f.lit("T"))
    for pattern, replacement in STEPS:
        date = f.regexp_replace(date, pattern, replacement.replace("\\", "$"))
    moment = f.when(trimmed.rlike(DATE), date).try_cast("timestamp")
    return f.coalesce(number, f.unix_micros(moment))
