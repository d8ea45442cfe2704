"""Lines in, records out: what all sources check, and how a bad record is kept.

A line that is too long, is not UTF-8 or has a NUL byte is bad whatever the source. Reasons
are fixed words without data in them, so that they can be counted; the line stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.errors import RecordError, TableError
from gossamer.pipeline.frames import spark_type
from gossamer.pipeline.sources.files import RawFile
from gossamer.tables.names import WHOLE_NUMBER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = [
    "MAX_KEPT_CHARACTERS",
    "WHITE_SPACE",
    "as_name",
    "is_whole_number",
    "microseconds",
    "parse_in_python",
    "read_lines",
    "validate_records",
]

MAX_KEPT_CHARACTERS = 500
"""How much of a bad line is kept."""

WHITE_SPACE = " \t\r\n\f\v"
NOT_TEXT = "is not UTF-8 text"
HAS_NUL = "has a NUL byte in it"

UNITS = {"s": "1000000", "ms": "1000", "us": "1", "ns": "0.001"}


def read_lines(
    session: SparkSession,
    files: Sequence[RawFile],
    *,
    comments: Sequence[str] = (),
    longest: int,
    whole_files: bool = False,
) -> DataFrame:
    """Read lines as a frame ``file, line, reason``; comments and blank lines are left out.

    Spark unpacks what ends in .gz or .bz2. The reason is set where a line is bad whatever it
    says; of such a line only the beginning is kept.
    """
    from pyspark.sql import functions as f

    raw = session.read.text([file.spark_path for file in files], wholetext=whole_files)
    frame = raw.select(f.col("_metadata.file_path").alias("file"), f.col("value"))
    beginning = f.make_valid_utf8(f.substring("value", 1, MAX_KEPT_CHARACTERS))
    if whole_files:
        reason = f.when(~f.is_valid_utf8("value"), NOT_TEXT)
        text = f.when(reason.isNull(), f.col("value")).otherwise(beginning)
        return frame.select("file", text.alias("line"), reason.alias("reason"))
    bare = f.btrim("value", f.lit(WHITE_SPACE))
    for mark in comments:
        frame = frame.where(~f.startswith(bare, f.lit(mark)))
    if comments:
        frame = frame.where(bare != "")
    mebibytes = longest >> 20
    reason = (
        f.when(f.octet_length("value") > longest, f"is longer than {mebibytes} MiB")
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
    """Give each record its columns, or the reason of the first check that it does not pass.

    Parameters
    ----------
    frame
        With ``file, line, reason``; a reason that is there already stays.
    checks
        What is wrong with an record if true, and how that is called.
    columns
        What a usable record has.
    """
    from pyspark.sql import functions as f

    reason = f.coalesce("reason", *(f.when(wrong, f.lit(why)) for wrong, why in checks))
    validate_records = frame.select(
        *(value.alias(name) for name, value in columns.items()),
        "file",
        "line",
        reason.alias("reason"),
    )
    bad = f.col("reason").isNotNull()
    return validate_records.select(
        *(f.when(~bad, f.col(name)).alias(name) for name in columns),
        f.when(bad, f.col("file")).alias("file"),
        f.when(bad, f.substring("line", 1, MAX_KEPT_CHARACTERS)).alias("line"),
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
        With ``file, line, reason``.
    columns
        Names and Arrow types of what an record has.
    parse
        From a file's name and a line: its records, each the values of ``columns``, or what to
        keep of a bad one and the :class:`RecordError`. What it raises itself is for the whole line.
    whole_files
        Whether a line is a file, which is then not left out for a reason that is there already:
        that is an error.
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
        return (*([None] * width), file, line[:MAX_KEPT_CHARACTERS].replace("\0", "␀"), reason)

    for file, line, reason in zip(
        *(batch.column(name).to_pylist() for name in ("file", "line", "reason")), strict=True
    ):
        if reason is not None:
            if whole_files:
                raise TableError(f"{file}: {reason}; convert it with: iconv -t UTF-8")
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
    """Whether a name is a whole number of 64 bits, written the one usual way."""
    from pyspark.sql import functions as f

    # Java's $ would allow a line end after the number.
    pattern = WHOLE_NUMBER.removesuffix("$") + r"\z"
    return f.coalesce(name.rlike(pattern) & name.try_cast("bigint").isNotNull(), f.lit(False))


def as_name(name: Column, whole: bool) -> Column:
    """Make a column of names integers, if all of them are whole numbers."""
    return name.try_cast("bigint") if whole else name


def microseconds(text: Column, unit: str) -> Column:
    """Read a number of a unit as whole microseconds, to the nearest; null if it is none."""
    from pyspark.sql import functions as f

    factor = f.lit(UNITS[unit]).cast("decimal(10, 3)")
    return f.round(text.try_cast("decimal(27, 6)") * factor, 0).try_cast("bigint")
