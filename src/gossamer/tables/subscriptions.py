"""The table of subscriptions: one row per (node, topic) pair.

A table of follows, as the pipeline writes it, is read as subscriptions too; edge lists are in
:mod:`gossamer.tables.follows`.
"""

from __future__ import annotations

import os

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.columns import read_name_columns
from gossamer.tables.names import name_column
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS
from gossamer.tables.write import write_table

FOLLOWER_FOLLOWED = (FOLLOWS.column_names[0], FOLLOWS.column_names[1])


def read_interests(
    path: str | os.PathLike[str],
    *,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
) -> Interests:
    r"""Read interests from CSV or Parquet, plain or gzipped, or a folder of Parquet.

    The format follows from the content, not from the name. Fields of a text file are strings, but
    a column of whole numbers becomes integers, so CSV and Parquet with the same data give the same
    interests. Repeated pairs are merged and counted. S rows with D distinct names take
    O(S + D log D).

    A folder is a table in Parquet parts, or contains tables: ``subscriptions``, or else
    ``follows``, in which the follower is a node and the followed user a topic.

    Parameters
    ----------
    path
        File or folder.
    node, topic
        Names of the two columns; others are ignored.
    delimiter
        Separator of the fields of a text file (default: a tab for .tsv and .tsv.gz, else a
        comma).

    Raises
    ------
    TableError
        If a file cannot be used, naming the row and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "subscriptions.csv")
    ...     _ = path.write_text("node,topic\nann,tea\nann,jazz\nbob,jazz\n")
    ...     print(repr(read_interests(path)))
    Interests(2 nodes, 2 topics, 3 subscriptions)
    """
    rows = read_name_columns(
        path,
        {SUBSCRIPTIONS.name: (node, topic), FOLLOWS.name: FOLLOWER_FOLLOWED},
        delimiter=delimiter,
        way_out="Name yours with --node-column and --topic-column, or what separates them "
        "with --delimiter",
    )
    node_ids, topic_ids = rows.codes
    if not len(node_ids):
        raise TableError(f"{path}: the table has no rows; expected at least one subscription")
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
