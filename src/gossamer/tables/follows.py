"""Follower graphs: every user is a node and a topic, and the followers of b subscribe to topic b.

An edge list, as the SNAP collection publishes them, has ``a b`` on each line, separated by white
space, commas or another character, or a comment.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pyarrow as pa

from gossamer.column_names import Layout
from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.tables.bad_rows import BadRows, way_out_of_bad_rows
from gossamer.tables.columns import read_name_columns
from gossamer.tables.file_kinds import JSON
from gossamer.tables.files import find_table
from gossamer.tables.names import encode_column, names_array
from gossamer.tables.relations import RelationFormat, read_relations
from gossamer.tables.schema import FOLLOWS
from gossamer.tables.subscriptions import column_advice


def read_follows(
    path: str | os.PathLike[str],
    *,
    undirected: bool = False,
    layout: Layout | None = None,
    node_column: str | int | None = None,
    topic_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    first_node: int = 1,
    max_bad: int | str = 0,
) -> Interests:
    r"""Read interests from a follower graph, plain or packed.

    A line ``a b`` means that a follows (trusts, votes for) b: node a subscribes to topic b. Every
    user is both a node and a topic, so a user without edges to others is a node without topics.
    Lines that start with ``#``, ``%`` or ``//`` are comments; blank lines are skipped; repeated
    edges are merged and counted.

    Parameters
    ----------
    path
        File of the edge list, or of named columns. ``-`` is standard input.
    undirected
        Whether the two users of a line follow each other (friendship).
    layout
        How lines have users: ``pairs`` (default), ``lists`` or ``counts``, as of
        :func:`read_interests`.
    node_column, topic_column
        Names of the columns of followers and followed users; or their numbers, from 1, with
        ``header=False``. Without them, a line has two fields.
    delimiter
        Separator of the fields; by default the one that fits the first line.
    header
        Whether the first line is a header. By default, it is one if ``node_column`` or
        ``topic_column`` is given, if it has known names such as ``source,target``, or if its
        fields are no numbers while those of the next line are.
    first_node
        Number of the first node with the layout ``counts``.
    max_bad
        Maximum number, or share, of bad lines to skip, as of :func:`read_interests`.

    Raises
    ------
    TableError
        If the file cannot be used, naming the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "follows.txt")
    ...     _ = path.write_text("# trust\n0 1\n0 2\n2 1\n")
    ...     print(repr(read_follows(path)))
    Interests(3 nodes, 3 topics, 3 subscriptions)
    """
    bad = BadRows(max_bad)
    source = find_table(path, [FOLLOWS.name]).sources[0]
    named = (node_column, topic_column) != (None, None)
    by_name = layout in (None, "pairs") and source.kind != JSON
    if by_name and (named or source.columnar):
        default = ("1", "2") if header is False else FOLLOWS.column_names
        columns = tuple(
            str(default[place] if one is None else one)
            for place, one in enumerate((node_column, topic_column))
        )
        with way_out_of_bad_rows():
            return _of_columns(path, columns, undirected, delimiter, header is not False, bad)
    if named and source.kind != JSON:
        raise ParameterError(f"columns are named with the layout pairs, and not with {layout}")
    if source.columnar:
        raise TableError(
            f"{source.name}: is {source.kind.capitalize()}, which has columns; read it with the "
            "layout pairs"
        )
    form = RelationFormat(layout or "pairs", delimiter, header, first_node)
    keys = (
        "node" if node_column is None else str(node_column),
        "topic" if topic_column is None else str(topic_column),
    )
    with way_out_of_bad_rows():
        return read_relations(source, form, keys=keys, follows=True, undirected=undirected, bad=bad)


def _of_columns(
    path: str | os.PathLike[str],
    columns: tuple[str, ...],
    undirected: bool,
    delimiter: str | None,
    header: bool,
    bad: BadRows,
) -> Interests:
    """Read a follower graph with named columns."""
    followers, followed = columns
    rows = read_name_columns(
        path, {FOLLOWS.name: (followers, followed)}, delimiter=delimiter, header=header,
        advice=replace(column_advice(), follows=""), bad=bad,
    )  # fmt: skip
    texts = [names_array(names, "user").cast(pa.string()) for names in rows.names]
    users = encode_column(pa.chunked_array(texts), numbers_in_text=all(
        names.dtype != object for names in rows.names
    ))  # fmt: skip
    first = len(rows.names[0])
    nodes, topics = users.codes[:first][rows.codes[0]], users.codes[first:][rows.codes[1]]
    if undirected:
        nodes, topics = np.concatenate((nodes, topics)), np.concatenate((topics, nodes))
    return Interests.from_ids(nodes, topics, node_names=users.names, topic_names=users.names)
