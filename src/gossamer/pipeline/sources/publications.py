"""Publications with times and topics: CSV or TSV with a header."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.sources.layouts import AUTOMATIC, Fields
from gossamer.pipeline.sources.records import WHITE_SPACE, as_name, microseconds, validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import PUBLICATIONS, RATES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = "time_ms,post_id,tags\n0,73180,128 61 182\n2500,57736,582 61\n4000,60218,61\n"
NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}

NO_TIME = "the time is neither a number nor a date, or beyond 64 bits of microseconds"
NO_PUBLICATION = "the publication's name is empty"
NO_TOPIC = "has no topic"


@source(
    "publications",
    layout="CSV or TSV, a header, a publication a line with all its topics in one field",
    example=EXAMPLE,
)
def publications(
    *,
    time_column: str = "time_ms",
    publication_column: str = "post_id",
    topics_column: str = "tags",
    time_unit: Literal["s", "ms", "us", "ns"] = "ms",
    topic_separator: str = "space",
    delimiter: str = AUTOMATIC,
) -> SourceSpec:
    """Publications with their times, on several topics each; and each topic's rate.

    The rate of a topic is the number of its publications divided by the seconds from the first
    to the last publication of all. A topic that a publication repeats counts once.

    Parameters
    ----------
    time_column, publication_column, topics_column
        Columns of times, of names of publications, and of topics.
    time_unit
        Unit of times, which may be fractions and are rounded to microseconds. Dates such as
        2024-05-01T12:00:00Z have no unit.
    topic_separator
        Separator of topics: ``space`` (any white space), ``comma``, ``semicolon``, ``tab``,
        ``bar``, or the text itself.
    delimiter
        Field separator; see the source ``pairs``.
    """
    if not topic_separator or "\0" in topic_separator:
        raise ParameterError(
            "the separator of topics is empty; expected 'space', or the text itself"
        )
    between = _pattern(topic_separator)

    def parse(fields: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        cleaned = f.transform(
            f.split("topics", between), lambda topic: f.btrim(topic, f.lit(WHITE_SPACE))
        )
        split = fields.select(
            "file",
            "line",
            "reason",
            "publication",
            microseconds(f.col("time"), time_unit).alias("time"),
            f.array_distinct(f.filter(cleaned, lambda topic: topic != "")).alias("topics"),
        )
        checks = [
            (f.col("time").isNull(), NO_TIME),
            (f.col("publication") == "", NO_PUBLICATION),
            (f.size("topics") == 0, NO_TOPIC),
        ]
        return validate_records(
            split, checks, {name: f.col(name) for name in PUBLICATIONS.column_names}
        )

    return SourceSpec(
        columns=(
            ("time", pa.int64()),
            ("publication", pa.string()),
            ("topics", pa.list_(pa.string())),
        ),
        parse=parse,
        tables=((PUBLICATIONS, _publications), (RATES, _rates)),
        names=(("publication",), ("topics",)),
        measures={"first": "min(time)", "last": "max(time)", "mentions": "sum(array_size(topics))"},
        notes=_notes,
        check=_check_span,
        fields=Fields(
            {"time": time_column, "publication": publication_column, "topics": topics_column},
            delimiter,
        ),
    )


def _pattern(separator: str) -> str:
    """Return the regular expression of a separator."""
    if separator == "space":
        return r"[ \t\f\x0b]+"
    text = NAMED_SEPARATORS.get(separator, separator)
    return "".join("\\" + sign if sign in string.punctuation else sign for sign in text)


def _publications(
    records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
) -> DataFrame:
    return records.select(*PUBLICATIONS.column_names).dropDuplicates()


def _rates(records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]) -> DataFrame:
    from pyspark.sql import functions as f

    topics = written[PUBLICATIONS.name].select(f.explode("topics").alias("topic"))
    counted = topics.groupBy("topic").agg(f.count("*").alias("publications"))
    return counted.select(
        as_name(f.col("topic"), measured.whole["topics"]).alias("topic"),
        "publications",
        (f.col("publications") / f.lit(_seconds(measured))).alias("per_second"),
    )


def _seconds(measured: Measured) -> float:
    span: int = measured.values["last"] - measured.values["first"]
    return span / 1e6


def _check_span(measured: Measured) -> None:
    if measured.values["first"] == measured.values["last"]:
        raise TableError(
            "all publications have the same time, so there is no span to count a rate over; "
            "expected two times or more"
        )


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    usable = measured.records - measured.bad
    return {
        "repeated publications, dropped": usable - rows[PUBLICATIONS.name],
        "topics of a publication, mean": measured.values["mentions"] / usable,
        "seconds from first to last": _seconds(measured),
    }
