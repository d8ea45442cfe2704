"""The subscriptions table: who wants what, one row a (node, topic) pair.

Read from CSV or Parquet, plain or gzipped, or a folder of Parquet parts, and written as
a file of either. Edge lists of who follows whom are read elsewhere; tables of them too
are read here, as the pipeline leaves them in its folders.
"""

from __future__ import annotations

import os

import pyarrow as pa

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.columns import read_name_columns
from gossamer.tables.names import names_array
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS
from gossamer.tables.write import write_table

__all__ = ["read_interests", "write_interests"]

FOLLOWER_FOLLOWED = (FOLLOWS.column_names[0], FOLLOWS.column_names[1])


def read_interests(
    path: str | os.PathLike[str],
    *,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
) -> Interests:
    r"""Read who wants what from CSV or Parquet, plain or gzipped, or a folder of Parquet.

    What the file is shows in its content, not in its name. In a text file,
    fields are strings, except that a column of nothing but whole numbers is
    taken as integers, so that the same data as CSV and as Parquet gives the
    same interests. Repeated pairs are merged and counted. Reads S rows with D
    distinct names in O(S + D log D).

    A folder is a table in Parquet parts, or holds tables: ``subscriptions`` is read
    from it if it is there, else ``follows``, where a follower is a node and whom they
    follow a topic.

    Parameters
    ----------
    path
        The file or folder.
    node, topic
        The names of the two columns; others are ignored.
    delimiter
        What separates the fields of a text file: by default a tab where the
        file's name ends in .tsv or .tsv.gz, else a comma.

    Raises
    ------
    TableError
        If it cannot be used, naming the file, the row and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "subscriptions.csv")
    ...     _ = path.write_text("node,topic\nann,tea\nann,jazz\nbob,jazz\n")
    ...     print(read_interests(path))
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
    """Write who wants what as ``node,topic`` rows: Parquet or CSV, by the path's ending.

    A node without topics has no row, and so is not in the file; nor is a topic
    without subscribers. The file appears whole or not at all.
    """
    nodes = names_array(interests.node_names, "node")
    topics = names_array(interests.topic_names, "topic")
    table = SUBSCRIPTIONS.table(
        nodes.take(pa.array(interests.node_column)), topics.take(pa.array(interests.node_topics))
    )
    write_table(path, table)
