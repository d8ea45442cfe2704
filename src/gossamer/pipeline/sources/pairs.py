"""Tables of users and topics: CSV or TSV with a header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.pipeline.sources.layouts import AUTOMATIC, Fields
from gossamer.pipeline.sources.records import validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.json_lists import EMPTY_NODE, EMPTY_TOPIC
from gossamer.tables.schema import SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = 'node,topic,weight\nann,tea,3\nann,jazz,1\nbob,"rock, hard",2\n'


@source(
    "pairs",
    layout="CSV or TSV, a header (it may begin with // or #), a node and a topic a line",
    example=EXAMPLE,
)
def pairs(
    *, node_column: str = "node", topic_column: str = "topic", delimiter: str = AUTOMATIC
) -> SourceSpec:
    """User and topic a line, in named columns; other columns are ignored.

    Parameters
    ----------
    node_column, topic_column
        Columns of users and topics.
    delimiter
        Field separator: a character, or comma, tab, semicolon, pipe, space or blanks (runs of
        spaces and tabs). By default the one with which the header has both columns.
    """

    def parse(fields: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        node, topic = f.col("node"), f.col("topic")
        checks = [(node == "", EMPTY_NODE), (topic == "", EMPTY_TOPIC)]
        return validate_records(fields, checks, {"node": node, "topic": topic})

    return SourceSpec(
        columns=(("node", pa.string()), ("topic", pa.string())),
        parse=parse,
        tables=((SUBSCRIPTIONS, distinct_pairs),),
        names=(("node",), ("topic",)),
        notes=_notes,
        fields=Fields({"node": node_column, "topic": topic_column}, delimiter),
    )


def distinct_pairs(
    records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
) -> DataFrame:
    """Return each pair once."""
    return records.select("node", "topic").dropDuplicates()


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    usable = measured.records - measured.bad
    return {"repeated subscriptions, dropped": usable - rows[SUBSCRIPTIONS.name]}
