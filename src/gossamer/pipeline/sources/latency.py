"""Matrices of delays between sites."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from gossamer.errors import RecordError, TableError
from gossamer.pipeline.sources.records import parse_in_python
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import LATENCY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = "0\t12.5\t80\n12.5\t0\t91.25\n80\t-1\t0\n"
COLUMNS = (("site", pa.int32()), ("delays", pa.list_(pa.int64())))
MAX_MILLISECONDS = 1e12

NOT_SQUARE = "does not have as many numbers as the matrix has rows"
NOT_NUMBERS = "has something that is not a number"
NEGATIVE = "has a number that is negative (and not -1) or too large"


@source(
    "latency",
    layout="n lines of n numbers, white space, milliseconds; -1 or nan where none was measured",
    example=EXAMPLE,
)
def latency(
    *,
    measured_as: Literal["round-trip", "one-way"] = "round-trip",
    missing: Literal["fill", "leave-out", "refuse"] = "fill",
) -> SourceSpec:
    """Matrix of delays between sites, in milliseconds (PlanetLab, King, Meridian).

    Sites are numbered from 0 in the order of the lines. The table has the delay of each site to
    itself too. A file is one matrix, and is read whole.

    Parameters
    ----------
    measured_as
        Whether numbers are round-trip times, which are halved, or one-way delays.
    missing
        Treatment of pairs without a number (-1, nan, or on a bad line): ``fill`` takes the delay
        of the other direction, else the median of all (0 for a site to itself); ``leave-out``
        writes no row; ``refuse`` is an error.
    """
    share = 0.5 if measured_as == "round-trip" else 1.0

    def table(
        records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
    ) -> DataFrame:
        known = _known(records)
        if missing == "leave-out" or not _missing(measured):
            return known
        return _filled(known, measured.values["sites"])

    def check(measured: Measured) -> None:
        if missing == "refuse" and _missing(measured):
            raise TableError(
                f"{_missing(measured):,} of {measured.values['sites'] ** 2:,} pairs of sites have "
                "no delay; give --missing fill or --missing leave-out to accept them"
            )

    def notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
        what = "filled in" if missing == "fill" else "left out"
        return {
            "sites": measured.values["sites"],
            f"pairs without a number, {what}": _missing(measured),
        }

    return SourceSpec(
        columns=COLUMNS,
        parse=lambda texts: parse_in_python(
            texts,
            COLUMNS,
            lambda file, text: rows_of_matrix(file, text, share),
            whole_files=True,
        ),
        tables=((LATENCY, table),),
        measures={
            "sites": "max(array_size(delays))",
            "known": "sum(array_size(filter(delays, delay -> delay IS NOT NULL)))",
        },
        notes=notes,
        check=check,
        whole_files=True,
        one_file=True,
    )


def rows_of_matrix(file: str, text: str, share: float) -> Iterator[tuple[Any, ...]]:
    r"""Yield the site of each line and its delays in microseconds, None if not measured.

    Examples
    --------
    >>> list(rows_of_matrix("f", "0 3\n-1 0\n", 0.5))
    [(0, [0, 1500]), (1, [None, 0])]
    """
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    lines = [line for line in lines if not line.lstrip().startswith(("#", "%", "//"))]
    for site, line in enumerate(lines):
        words = line.split()
        try:
            if len(words) != len(lines):
                raise RecordError(NOT_SQUARE)
            yield site, [_delay(word, share) for word in words]
        except RecordError as fault:
            yield line, fault


def _delay(word: str, share: float) -> int | None:
    try:
        number = float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        number = None
    if number is None:
        raise RecordError(NOT_NUMBERS)
    if math.isnan(number) or number == -1:
        return None
    if not 0 <= number <= MAX_MILLISECONDS:
        raise RecordError(NEGATIVE)
    return round(number * 1000 * share)


def _missing(measured: Measured) -> int:
    return int(measured.values["sites"] ** 2 - measured.values["known"])


def _known(records: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    entries = records.select(
        f.col("site").alias("source"), f.posexplode("delays").alias("target", "delay")
    )
    return entries.where("delay IS NOT NULL")


def _filled(known: DataFrame, sites: int) -> DataFrame:
    from pyspark.sql import functions as f

    every = known.sparkSession.range(sites * sites).select(
        f.expr(f"CAST(id DIV {sites} AS INT)").alias("source"),
        f.expr(f"CAST(id % {sites} AS INT)").alias("target"),
    )
    back = known.selectExpr("target AS source", "source AS target", "delay AS back")
    middle = known.where("source != target").agg(
        f.coalesce(f.round(f.median("delay")), f.lit(0)).cast("bigint").alias("middle")
    )
    pair = ["source", "target"]
    joined = every.join(known, pair, "left").join(back, pair, "left")
    itself = f.when(f.col("source") == f.col("target"), f.lit(0).cast("bigint"))
    return joined.crossJoin(middle).select(
        "source", "target", f.coalesce("delay", itself, "back", "middle").alias("delay")
    )
