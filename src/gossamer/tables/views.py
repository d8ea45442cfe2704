"""The table of views: links by topic, for overlays in which a link need not serve all topics.

One row per logical link, in either direction, with the columns ``topic, source, target``; a table
of links without a column of topics is :mod:`gossamer.tables.links`.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import OverlayError
from gossamer.model import Interests
from gossamer.tables.columns import ColumnAdvice, read_column_names, read_name_columns
from gossamer.tables.names import name_column
from gossamer.tables.schema import LINKS, VIEWS
from gossamer.tables.write import write_table

TABLES = (LINKS.name, VIEWS.name)


def has_views(path: str | os.PathLike[str]) -> bool:
    """Whether a table of links has a column of topics."""
    return "topic" in read_column_names(path, TABLES, LINKS.column_names)


def read_views(path: str | os.PathLike[str], interests: Interests) -> NDArray[np.int64]:
    """Read the neighbours on each topic, in both directions: rows (topic, node, neighbour) of ids.

    Names are compared as text. Rows may be repeated or reversed.

    Raises
    ------
    TableError
        If the file or folder cannot be used.
    OverlayError
        If a row has an unknown node or topic, links a node to itself, or is for a topic that one
        of the two nodes does not subscribe to.
    """
    advice = ColumnAdvice(
        missing=f"A table of views has the columns {', '.join(VIEWS.column_names)}"
    )
    pairs = [
        read_name_columns(path, dict.fromkeys(TABLES, columns), advice=advice)
        for columns in (("topic", "source"), ("topic", "target"))
    ]
    topics = pairs[0].ids(0, interests.topic_names, "topic")
    sources = pairs[0].ids(1, interests.node_names, "node")
    targets = pairs[1].ids(1, interests.node_names, "node")
    loops = np.flatnonzero(sources == targets)
    if len(loops):
        row = int(loops[0])
        raise OverlayError(
            f"{pairs[0].where(row)}: links {str(interests.node_names[sources[row]])!r} to itself; "
            "a link joins two different nodes"
        )
    for ends in (sources, targets):
        strange = np.flatnonzero(~interests.are_subscribed(ends, topics))
        if len(strange):
            row = int(strange[0])
            raise OverlayError(
                f"{pairs[0].where(row)}: {str(interests.node_names[ends[row]])!r} does not "
                f"subscribe to the topic {str(interests.topic_names[topics[row]])!r}; expected "
                "neighbours that both do"
            )
    rows = np.stack((topics, sources, targets), axis=1)
    return np.concatenate((rows, rows[:, [0, 2, 1]]))


def write_views(
    path: str | os.PathLike[str], interests: Interests, views: NDArray[np.int64]
) -> None:
    """Write rows (topic, node, neighbour) of ids by name: Parquet or CSV, by the path's ending.

    The file is written atomically.
    """
    topics, *ends = views.reshape(-1, 3).T
    nodes = [name_column(interests.node_names, end) for end in ends]
    write_table(path, VIEWS.table(name_column(interests.topic_names, topics, "topic"), *nodes))
