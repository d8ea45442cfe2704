"""Users with lists of topics, in JSON: one large object, or an object a line.

The pipeline parses files of any size with the same functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gossamer.column_names import check_columns
from gossamer.errors import RecordError, RowError, TableError
from gossamer.tables.bad_rows import BadRows
from gossamer.tables.file_kinds import TO_UTF8
from gossamer.tables.files import TableFile
from gossamer.wording import option

MAX_FILE = 1 << 30
MAX_SHOWN = 500
"""Characters of a bad entry in its record."""

EMPTY_NODE = "the node is empty"
EMPTY_TOPIC = "the topic is empty"
NOT_TEXT = "is not UTF-8 text"
NOT_JSON = "is not JSON"
NOT_OBJECT = "is not a JSON object"
NO_NODE = "has no user, or one that is neither text nor a whole number"
NO_LIST = "has no list of topics"
NO_TOPIC = "has an empty list of topics"
NOT_NAMES = "has a topic that is neither text nor a whole number"
HAS_NUL = "has a name with a NUL in it"

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_KEY = re.compile(r'\s*\{\s*("(?:[^"\\]|\\.){0,1000}")\s*:\s*(\[?)')

Record = tuple[Any, ...]


def read_json_lists(
    source: TableFile, node: str, topic: str, *, bad: BadRows | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Yield each node of a JSON file with its topics.

    Parameters
    ----------
    source
        File with one object ``{node: [topic, …]}``, an object for each node or pair on a line of
        its own, or an array of such objects.
    node, topic
        Keys of the node and of its topics, or its one topic, in objects of a node or pair.
    bad
        If given, bad entries are counted there, and left out.

    Raises
    ------
    TableError
        If the file is no such JSON, naming the line.
    """
    with source.bytes_stream() as stream:
        content = stream.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise TableError(
            f"{source.name}: is more than {MAX_FILE >> 30} GiB of JSON; convert it with: gossamer "
            "ingest lists"
        )
    source.check_unchanged()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{source.name}: {NOT_TEXT}; {TO_UTF8}") from None
    first = _FIRST_KEY.match(text)
    by_node = first is not None and bool(first[2]) and json.loads(first[1]) not in (node, topic)
    if by_node:
        for name, topics in entries_of(source.name, text, empty_lists=True, several=True):
            if isinstance(topics, RecordError):
                wrong = RowError(f"{source.name}: an entry {topics}: {name[:60]!r}")
                if bad is None:
                    raise wrong
                bad.add(wrong)
                continue
            if bad is not None:
                bad.rows += 1
            yield name, topics
        return
    good = None
    for line, found in _values(source.name, text):
        try:
            good = _entry(found, node, topic)
            if bad is not None:
                bad.rows += 1
            yield good
        except RecordError as fault:
            if bad is not None:
                bad.add(f"{source.name}, line {line}: {fault}")
                continue
            if not isinstance(found, dict):
                raise RowError(
                    f"{source.name}, line {line}: {NOT_OBJECT}; expected one with the keys "
                    f"{node!r} and {topic!r}, or one object of nodes and lists of topics"
                ) from None
            keys = list(map(str, found))
            ways = {node: option("node_column"), topic: option("topic_column")}
            if good is None:
                check_columns(f"{source.name}, line {line}", keys, ways, what="key")
            raise RowError(f"{source.name}, line {line}: {fault}") from None


def entries_of(
    file: str, text: str, *, empty_lists: bool = False, several: bool = False
) -> Iterator[Record]:
    """Yield each user of a large object with the topics, without building the object.

    A bad entry is its text and a :class:`RecordError`, and so is a user without topics unless
    there may be ``empty_lists``. There may be ``several`` objects, one after the other.

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
    while start < len(text):
        if text[start] != "{":
            raise _broken(file, text, start, "expected a JSON object, which begins with '{'")
        place = _space(text, start + 1)
        unfinished = text[place : place + 1] != "}"
        while unfinished:
            begun = place
            key, place = _value(file, text, place)
            if not isinstance(key, str):
                raise _broken(file, text, begun, "expected a user in quotes")
            place = _mark(file, text, place, ":")
            value, place = _value(file, text, place)
            try:
                yield _node(key), _topics(value, empty_lists)
            except RecordError as fault:
                yield text[begun : min(place, begun + MAX_SHOWN)], fault
            place = _space(text, place)
            unfinished = text[place : place + 1] != "}"
            if unfinished:
                place = _mark(file, text, place, ",")
        start = _space(text, place + 1)
        if start < len(text) and not several:
            what = "the object has ended; an object a line is read with --layout lines"
            raise _broken(file, text, start, what)


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


def _values(file: str, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the values of an array, or of lines, with the line at which each begins."""
    place = _space(text, 0)
    array = text[place : place + 1] == "["
    place = _space(text, place + array)
    line, counted = 1, 0
    while place < len(text) and not (array and text[place] == "]"):
        line, counted = line + text.count("\n", counted, place), place
        value, place = _value(file, text, place)
        yield line, value
        place = _space(text, place)
        if array and text[place : place + 1] != "]":
            place = _mark(file, text, place, ",")


def _entry(found: Any, node: str, topic: str) -> tuple[str, list[str]]:
    if not isinstance(found, dict):
        raise RecordError(NOT_OBJECT)
    topics = found.get(topic)
    several = topics if isinstance(topics, list) else [topics]
    return _node(found.get(node)), _topics(several, empty_lists=True)


def _node(value: Any) -> str:
    return _name(value, NO_NODE, EMPTY_NODE)


def _topics(value: Any, empty_lists: bool = False) -> list[str]:
    if not isinstance(value, list):
        raise RecordError(NO_LIST)
    if not value and not empty_lists:
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
