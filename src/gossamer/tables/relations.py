"""Pairs of names that are not in named columns: edge lists, lists of topics, and JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.column_names import Layout, looks_like_data
from gossamer.errors import ParameterError, RowError, TableError
from gossamer.model import Interests
from gossamer.tables.bad_rows import BadRows, copy_of
from gossamer.tables.delimiters import (
    BLANKS,
    divide,
    guess_delimiter,
    most_fields,
    parse_delimiter,
)
from gossamer.tables.file_kinds import JSON
from gossamer.tables.files import TableFile
from gossamer.tables.json_lists import read_json_lists
from gossamer.tables.lines import field_blocks, first_records, good_lines, raise_line_fault
from gossamer.tables.names import encode_column, is_whole_number
from gossamer.wording import typed

EXPECTED: dict[str, str] = {
    "pairs": "two names, 'a b'",
    "lists": "a node and its topics, 'a b c …'",
    "counts": "the number of topics and as many topics, '2 b c'",
}
HEADERS = {
    "follower", "followed", "followee", "following", "source", "target", "src", "dst", "dest",
    "from", "to", "fromnode", "tonode", "user", "friend", "node", "neighbour", "neighbor", "peer",
}  # fmt: skip
"""Names of columns that are no names of nodes, without ``id`` at the end."""

LIST_HEADERS = {("node", "topic"), ("node", "topics")}
"""Headers of lists; other names may be those of a node and its topic."""

TEXT = pa.dictionary(pa.int32(), pa.string())
SEARCHED = 1000
"""Number of lines in which the delimiter is searched."""


@dataclass(frozen=True)
class RelationFormat:
    """Format of a file of nodes and topics without named columns.

    Attributes
    ----------
    layout
        How the lines have nodes and topics.
    delimiter
        Separator of the fields of a line; by default the one that fits the first lines.
    header
        Whether the first line of ``pairs`` is a header. By default, it is one if its fields are
        known names of columns, or are no numbers while those of the second line are. The header
        of ``lists`` is ``node topic`` or ``node topics``.
    first_node
        Number of the first node of ``counts``.
    """

    layout: Layout = "pairs"
    delimiter: str | None = None
    header: bool | None = None
    first_node: int = 1

    def __post_init__(self) -> None:
        if self.layout not in EXPECTED:
            raise ParameterError(f"layout is {self.layout!r}; expected {', '.join(EXPECTED)}")

    def fits(self, fields: list[str]) -> bool:
        """Whether a line has the right number of fields."""
        sizes = {"pairs": len(fields) == 2, "lists": True, "counts": is_counted(fields)}
        return sizes[self.layout]

    def fault(self, fields: list[str]) -> str | None:
        """Return what is wrong with the fields of a line."""
        if not self.fits(fields):
            count = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
            more = _more_columns(fields) if self.layout == "pairs" and len(fields) > 2 else ""
            return f"{count}, expected {EXPECTED[self.layout]}{more}"
        if any(not field for field in fields):
            return "an empty field, expected a name"
        return None


@dataclass(frozen=True)
class Relations:
    """Nodes, and their topics in lists, by name.

    Attributes
    ----------
    nodes, topics
        Names as Arrow arrays: the node of each list, and the topics of all lists in sequence.
    sizes
        Number of topics in each list; None if it is 1 in each.
    """

    nodes: Any
    topics: Any
    sizes: NDArray[np.int64] | None = None


def read_relations(
    source: TableFile,
    form: RelationFormat,
    *,
    keys: tuple[str, str] = ("node", "topic"),
    follows: bool = False,
    undirected: bool = False,
    bad: BadRows | None = None,
) -> Interests:
    """Read interests from lines of names, or from JSON.

    Parameters
    ----------
    source
        The file.
    form
        Its format.
    keys
        Keys of the node and its topics in JSON objects.
    follows
        Whether each name is a node and a topic.
    undirected
        Whether the two nodes of a pair follow each other.
    bad
        Bad lines, or entries of JSON, to skip; by default the first is an error.

    Raises
    ------
    TableError
        If the file cannot be used, naming the line.
    """
    try:
        return _read(source, form, keys, follows, undirected)
    except RowError:
        if bad is None or not bad.allowed:
            raise
    if source.kind == JSON:
        return _read(source, form, keys, follows, undirected, bad)
    delimiter = _delimiter(source, form)
    header = form.layout != "counts" and _has_header(source, form, delimiter)
    # A node without topics stands for a bad line of counts, so that the others keep their numbers.
    instead = "0\n" if form.layout == "counts" else ""
    good = good_lines(source, delimiter, form.fault, bad, instead=instead, header=header)
    with copy_of(source, good) as copy:
        bad.report(source.name)
        form = replace(form, delimiter=delimiter, header=header)
        return _read(copy, form, keys, follows, undirected)


def _read(
    source: TableFile,
    form: RelationFormat,
    keys: tuple[str, str],
    follows: bool,
    undirected: bool,
    bad: BadRows | None = None,
) -> Interests:
    """Read a file, as :func:`read_relations` does; ``bad`` are entries of JSON to skip."""
    delimiter = ""
    if source.kind == JSON:
        found = _from_json(source, *keys, bad)
        if bad is not None:
            bad.report(source.name)
    else:
        source.require_text("text, nodes and topics on each line")
        delimiter = _delimiter(source, form)
        found = _from_lines(source, form, delimiter)
    interests = _follows(found, undirected) if follows else _interests(found)
    if interests is None:
        if not delimiter:
            raise TableError(f"{source.name}: a name is empty or has a NUL in it")
        raise_line_fault(source, delimiter, form.fault)
    if not interests.subscription_count:
        raise TableError(f"{source.name}: no node has a topic; expected {EXPECTED[form.layout]}")
    return interests


def is_header(first: list[str], second: list[str]) -> bool:
    """Whether the first of two lines of an edge list has names of columns.

    Examples
    --------
    >>> is_header(["id_1", "id_2"], ["0", "1"]), is_header(["ann", "bob"], ["bob", "cy"])
    (True, False)
    >>> is_header(["User_ID", "friend"], ["ann", "bob"])
    True
    """
    words = [re.sub(r"[\W_]|id$", "", field.casefold()) for field in first]
    if len(set(words)) == 2 and HEADERS.issuperset(words):
        return True
    numbers = len(second) == 2 and all(map(is_whole_number, second))
    return numbers and not any(map(is_whole_number, first))


def _more_columns(fields: list[str]) -> str:
    """Return how to choose two of more columns, by their names if these are the fields."""
    if looks_like_data(fields):
        given = typed(header=False, node_column=1, topic_column=2)
    else:
        given = typed(node_column=fields[0], topic_column=fields[1])
    return f"; of more columns, choose two, as in {given}"


def _follows(found: Relations, undirected: bool) -> Interests | None:
    """Return interests of users that are nodes and topics; None if a name is unusable."""
    chunks = [*found.nodes.chunks, *found.topics.chunks]
    users = encode_column(pa.chunked_array(chunks, type=TEXT), numbers_in_text=True)
    if users.unusable is not None:
        return None
    count = len(found.nodes)
    nodes, topics = _repeated(users.codes[:count], found.sizes), users.codes[count:]
    if undirected:
        nodes, topics = np.concatenate((nodes, topics)), np.concatenate((topics, nodes))
    return Interests.from_ids(nodes, topics, node_names=users.names, topic_names=users.names)


def _interests(found: Relations) -> Interests | None:
    nodes, topics = (
        encode_column(one, numbers_in_text=True) for one in (found.nodes, found.topics)
    )
    if nodes.unusable is not None or topics.unusable is not None:
        return None
    ids = _repeated(nodes.codes, found.sizes)
    return Interests.from_ids(ids, topics.codes, node_names=nodes.names, topic_names=topics.names)


def _repeated(nodes: NDArray[np.int32], sizes: NDArray[np.int64] | None) -> NDArray[np.int32]:
    return nodes if sizes is None else np.repeat(nodes, sizes)


def _from_json(source: TableFile, node: str, topic: str, bad: BadRows | None) -> Relations:
    nodes, topics, sizes = [], [], []
    for name, several in read_json_lists(source, node, topic, bad=bad):
        nodes.append(name)
        topics += several
        sizes.append(len(several))
    by_name, by_topic = (
        pa.chunked_array([pa.array(one, pa.string()).dictionary_encode()], type=TEXT)
        for one in (nodes, topics)
    )
    return Relations(by_name, by_topic, np.array(sizes, dtype=np.int64))


def _from_lines(source: TableFile, form: RelationFormat, delimiter: str) -> Relations:
    """Read lines of names; block by block, of which only the distinct names are kept as text."""

    def refuse() -> NoReturn:
        raise_line_fault(source, delimiter, form.fault)

    skip = form.layout != "counts" and _has_header(source, form, delimiter)
    nodes: list[Any] = []
    topics: list[Any] = []
    sizes: list[NDArray[np.int64]] = []
    for block in field_blocks(source, delimiter, form.fault):
        fields = block.slice(1) if skip else block
        skip = False
        counts = pa.compute.list_value_length(fields).to_numpy().astype(np.int64)
        first, others = _divided(fields, counts)
        if form.layout != "pairs":
            sizes.append(counts - 1)
        elif (counts != 2).any():
            refuse()
        if form.layout == "counts":
            try:
                wrong = first.cast(pa.int64()).to_numpy() != counts - 1
            except pa.ArrowException:
                refuse()
            if wrong.any():
                refuse()
        else:
            nodes.append(first.dictionary_encode())
        topics.append(others.dictionary_encode())
    source.check_unchanged()
    lengths = np.concatenate(sizes) if sizes else None
    if form.layout == "counts" and lengths is not None:
        numbers = np.arange(form.first_node, form.first_node + len(lengths))
        nodes = [pa.array(numbers).cast(pa.string()).dictionary_encode()]
    return Relations(
        pa.chunked_array(nodes, type=TEXT), pa.chunked_array(topics, type=TEXT), lengths
    )


def _divided(fields: Any, counts: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return the first field of each line, and the others of all lines in sequence."""
    flat = fields.flatten()
    leading = np.zeros(len(flat), dtype=np.bool_)
    leading[np.cumsum(counts) - counts] = True
    return flat.filter(pa.array(leading)), flat.filter(pa.array(~leading))


def _delimiter(source: TableFile, form: RelationFormat) -> str:
    """Return the delimiter of the first line that says it."""
    if form.delimiter is not None:
        return parse_delimiter(form.delimiter)
    lines = first_records(source, SEARCHED)
    if not lines:
        raise TableError(
            f"{source.name}: there are no lines but comments; expected {EXPECTED[form.layout]}"
        )

    def fits(fields: list[str]) -> bool:
        fields = [field.strip() for field in fields]
        return len(fields) > 1 and form.fits(fields)

    for line in lines:
        found = guess_delimiter(line, fits, where=source.name, way_out="say which with {given}")
        if found == "\t" and form.layout == "pairs" and line.split() == line.split("\t"):
            return BLANKS  # as in the files of SNAP, also where tabs and spaces are mixed
        if found is not None:
            return found
        if form.layout == "pairs":
            return most_fields(line)  # for the message
    return BLANKS


def _has_header(source: TableFile, form: RelationFormat, delimiter: str) -> bool:
    if form.header is not None:
        return form.header
    lines = first_records(source, 2)
    fields = [[field.strip() for field in divide(line, delimiter)] for line in lines]
    if form.layout == "lists":
        return tuple(field.casefold() for field in fields[0]) in LIST_HEADERS
    return len(fields) > 1 and is_header(*fields)


def is_counted(fields: list[str]) -> bool:
    """Whether a line is the number of topics and as many topics."""
    return bool(fields) and is_whole_number(fields[0]) and int(fields[0]) == len(fields) - 1
