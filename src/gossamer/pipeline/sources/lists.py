"""Users with lists of topics, in JSON: one large object, or an object a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from gossamer.pipeline.sources.records import as_name, parse_in_python
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.json_lists import Record, entries_of, list_of_line
from gossamer.tables.schema import SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = '{"0": ["Pop", "Rock"],\n "1": ["Pop"]}\n'
COLUMNS = (("node", pa.string()), ("topics", pa.list_(pa.string())))
MAX_LINE = 64 << 20


@source(
    "lists",
    layout="JSON: one object {user: [topic, …]}; or, with --layout lines, an object a line",
    example=EXAMPLE,
)
def lists(
    *,
    layout: Literal["object", "lines"] = "object",
    node_column: str = "user",
    topic_column: str = "topics",
) -> SourceSpec:
    """List of topics for each user, in JSON.

    Parameters
    ----------
    layout
        ``object``: a file is one object, on one line or many, and is read whole. ``lines``:
        a line is an object with a user and a list of topics.
    node_column, topic_column
        With ``lines``: keys of the user and the list.
    """

    def parse_line(file: str, line: str) -> Iterator[Record]:
        return list_of_line(line, node_column, topic_column)

    whole = layout == "object"
    parse = entries_of if whole else parse_line
    return SourceSpec(
        columns=COLUMNS,
        parse=lambda lines: parse_in_python(lines, COLUMNS, parse, whole_files=whole),
        tables=((SUBSCRIPTIONS, _subscriptions),),
        names=(("node",), ("topics",)),
        measures={"rows": "sum(array_size(topics))"},
        notes=_notes,
        whole_files=whole,
        max_line=MAX_LINE,
    )


def _subscriptions(
    records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
) -> DataFrame:
    from pyspark.sql import functions as f

    exploded = records.select("node", f.explode("topics").alias("topic"))
    topic = as_name(f.col("topic"), measured.whole["topics"])
    return exploded.select("node", topic.alias("topic")).dropDuplicates()


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    return {"repeated subscriptions, dropped": measured.values["rows"] - rows[SUBSCRIPTIONS.name]}
