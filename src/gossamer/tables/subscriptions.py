"""The table of subscriptions: one row per (node, topic) pair.

A table of follows, as the pipeline writes it, is read as subscriptions too; edge lists are in
:mod:`gossamer.tables.follows`.
"""

from __future__ import annotations

import os

from gossamer.column_names import Layout
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.bad_rows import BadRows, way_out_of_bad_rows
from gossamer.tables.columns import ColumnAdvice, read_name_columns
from gossamer.tables.file_kinds import JSON
from gossamer.tables.files import find_table
from gossamer.tables.names import name_column
from gossamer.tables.relations import RelationFormat, read_relations
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS
from gossamer.tables.standard_streams import name_of
from gossamer.tables.write import write_table
from gossamer.wording import either, option, typed

FOLLOWER_FOLLOWED = (FOLLOWS.column_names[0], FOLLOWS.column_names[1])


def column_advice() -> ColumnAdvice:
    """Return what to type if the columns of nodes and topics are not found."""
    return ColumnAdvice(
        ways=(option("node_column"), option("topic_column")),
        undivided=f"If another character separates them, give {option('delimiter')}",
        no_header=typed(header=False),
        follows=either("give --follows", "use read_follows"),
        layout=True,
        delimiter="say which with {given}",
    )


def read_interests(
    path: str | os.PathLike[str],
    *,
    node_column: str | int | None = None,
    topic_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool = True,
    layout: Layout | None = None,
    first_node: int = 1,
    max_bad: int | str = 0,
) -> Interests:
    r"""Read interests from text, JSON, Parquet or Feather, plain or packed, or a folder of Parquet.

    The format follows from the content, not from the name; gzip, bzip2, xz, zstd, and zip with one
    file in it are unpacked. Fields of a text file are strings, but a column of whole numbers
    becomes integers, so CSV and Parquet with the same data give the same interests. Repeated pairs
    are merged and counted. S rows with D distinct names take O(S + D log D).

    A folder is a table in Parquet parts, or contains tables: ``subscriptions``, or else
    ``follows``, in which the follower is a node and the followed user a topic.

    Parameters
    ----------
    path
        File or folder; ``-`` is standard input.
    node_column, topic_column
        Names of the two columns (default: ``node`` and ``topic``); others are ignored. With
        ``header=False`` their numbers, from 1 (default: 1 and 2). In JSON, keys of objects.
    delimiter
        Separator of the fields of a text file: a character, or comma, tab, semicolon, pipe, space
        or blanks (runs of spaces and tabs). By default the one with which the first line has the
        two columns; if several do, the ending .csv or .tsv decides.
    header
        Whether the first line of a text file has the names of the columns.
    layout
        How a text file has nodes and topics. ``pairs`` (default): in two columns. ``lists``: each
        line is a node and its topics. ``counts``: each line is the number of topics and the
        topics of a node. Lists may have the header ``node topics``, and counts have none; lines
        that begin with ``#``, ``%`` or ``//`` are comments. JSON is always lists.
    first_node
        Number of the node of the first line of ``counts``; the others follow.
    max_bad
        Maximum number of bad rows, or their maximum share, such as ``"1%"``. They are skipped, with
        a :class:`gossamer.TableWarning` that has their number and the first of them. A row is bad
        if a name is missing or empty, or if it has another number of fields or is not UTF-8.

    Raises
    ------
    TableError
        If a file cannot be used, or too many rows are bad, naming the row and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "subscriptions.csv")
    ...     _ = path.write_text("node,topic\nann,tea\nann,jazz\nbob,jazz\n")
    ...     print(repr(read_interests(path)))
    ...     _ = path.write_text("ann tea jazz\nbob jazz\n")
    ...     print(repr(read_interests(path, layout="lists")))
    Interests(2 nodes, 2 topics, 3 subscriptions)
    Interests(2 nodes, 2 topics, 3 subscriptions)
    """
    bad = BadRows(max_bad)
    source = find_table(path, [SUBSCRIPTIONS.name, FOLLOWS.name]).sources[0]
    default = ("node", "topic") if header else ("1", "2")
    columns = tuple(
        str(default[place] if one is None else one)
        for place, one in enumerate((node_column, topic_column))
    )
    if layout in ("lists", "counts") or (layout is None and source.kind == JSON):
        form = RelationFormat(layout or "lists", delimiter, None, first_node)
        with way_out_of_bad_rows():
            return read_relations(source, form, keys=(columns[0], columns[1]), bad=bad)
    with way_out_of_bad_rows():
        rows = read_name_columns(
            path,
            {SUBSCRIPTIONS.name: (columns[0], columns[1]), FOLLOWS.name: FOLLOWER_FOLLOWED},
            delimiter=delimiter,
            header=header,
            advice=column_advice(),
            bad=bad,
        )
    node_ids, topic_ids = rows.codes
    if not len(node_ids):
        raise TableError(
            f"{name_of(path)}: the table has no rows; expected at least one subscription"
        )
    node_names, topic_names = rows.names
    return Interests.from_ids(node_ids, topic_ids, node_names=node_names, topic_names=topic_names)


def write_interests(path: str | os.PathLike[str], interests: Interests) -> None:
    """Write interests as ``node,topic`` rows: Parquet or CSV, by the path's ending.

    Nodes without topics and topics without subscribers have no row, and so are not in the file.
    The file is written atomically.
    """
    nodes = name_column(interests.node_names, interests.node_column)
    topics = name_column(interests.topic_names, interests.node_topics, "topic")
    write_table(path, SUBSCRIPTIONS.table(nodes, topics))
