"""Users with lists of topics, in JSON: one large object, or an object a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from gossamer.errors import RecordError, TableError
from gossamer.pipeline.sources.pairs import EMPTY_NODE, EMPTY_TOPIC
from gossamer.pipeline.sources.records import (
    MAX_LINE_SHOWN,
    NOT_TEXT,
    as_name,
    parse_in_python,
)
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = '{"0": ["Pop", "Rock"],\n "1": ["Pop"]}\n'
COLUMNS = (("node", pa.string()), ("topics", pa.list_(pa.string())))
MAX_LINE = 64 << 20

NOT_JSON = "is not JSON"
NOT_OBJECT = "is not a JSON object"
NO_NODE = "has no user, or one that is neither text nor a whole number"
NO_LIST = "has no list of topics"
NO_TOPIC = "has an empty list of topics"
NOT_NAMES = "has a topic that is neither text nor a whole number"
HAS_NUL = "has a name with a NUL in it"

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")

Record = tuple[Any, ...]


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


def entries_of(file: str, text: str) -> Iterator[Record]:
    """Yield each user of a large object with the topics, without building the object.

    Raises
    ------
    TableError
        If the text is not such an object; the rest of it is not parsed.

    Examples
    --------
    >>> list(entries_of("f", '{"ann": ["tea"], "bob": [1, 2]}'))
    [('ann', ['tea']), ('bob', ['1', '2'])]
    """
    start = _space(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return
    if text[start] != "{":
        raise _broken(file, text, start, "expected a JSON object, which begins with '{'")
    place = _space(text, start + 1)
    if text[place : place + 1] != "}":
        while True:
            begun = place
            key, place = _value(file, text, place)
            if not isinstance(key, str):
                raise _broken(file, text, begun, "expected a user in quotes")
            place = _mark(file, text, place, ":")
            value, place = _value(file, text, place)
            try:
                yield _node(key), _topics(value)
            except RecordError as fault:
                yield text[begun : min(place, begun + MAX_LINE_SHOWN)], fault
            place = _space(text, place)
            if text[place : place + 1] == "}":
                break
            place = _mark(file, text, place, ",")
    after = _space(text, place + 1)
    if after < len(text):
        raise _broken(
            file, text, after, "the object has ended; an object a line is read with --layout lines"
        )


def list_of_line(line: str, node_column: str, topic_column: str) -> Iterator[Record]:
    """Yield the user of a line with the topics.

    Examples
    --------
    >>> list(list_of_line('{"user": 7, "topics": ["tea"]}', "user", "topics"))
    [('7', ['tea'])]
    """
    if not line.strip():
        return
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(NOT_JSON) from None
    if not isinstance(found, dict):
        raise RecordError(NOT_OBJECT)
    yield _node(found.get(node_column)), _topics(found.get(topic_column))


def _node(value: Any) -> str:
    return _name(value, NO_NODE, EMPTY_NODE)


def _topics(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise RecordError(NO_LIST)
    if not value:
        raise RecordError(NO_TOPIC)
    return [_name(one, NOT_NAMES, EMPTY_TOPIC) for one in value]


def _name(value: Any, neither: str, empty: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RecordError(neither)
    name = str(value)
    if not name:
        raise RecordError(empty)
    if "\0" in name:
        raise RecordError(HAS_NUL)
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise RecordError(NOT_TEXT)  # half of a surrogate pair
    return name


def _space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _mark(file: str, text: str, place: int, mark: str) -> int:
    place = _space(text, place)
    if text[place : place + 1] != mark:
        raise _broken(file, text, place, f"expected {mark!r}")
    return _space(text, place + 1)


def _value(file: str, text: str, place: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        raise _broken(file, text, place, "is not JSON") from None


def _broken(file: str, text: str, place: int, what: str) -> TableError:
    line = text.count("\n", 0, place) + 1
    found = repr(text[place : place + 40]) if place < len(text) else "the end of the file"
    return TableError(f"{file}, line {line}: {what}; found {found}")


def _subscriptions(
    records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
) -> DataFrame:
    from pyspark.sql import functions as f

    exploded = records.select("node", f.explode("topics").alias("topic"))
    topic = as_name(f.col("topic"), measured.whole["topics"])
    return exploded.select("node", topic.alias("topic")).dropDuplicates()


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    return {"repeated subscriptions, dropped": measured.values["rows"] - rows[SUBSCRIPTIONS.name]}
