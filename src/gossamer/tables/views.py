"""The views table: who are neighbours on which topic, where a link need not serve all topics.

One row a logical link, in either direction, under the columns ``topic, source, target``; a table
of links without a column of topics is :mod:`gossamer.tables.links`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import OverlayError
from gossamer.model import Interests
from gossamer.tables.columns import NameColumns, read_column_names, read_name_columns
from gossamer.tables.names import names_array, names_as_text
from gossamer.tables.schema import LINKS, VIEWS
from gossamer.tables.write import write_table

__all__ = ["has_views", "read_views", "write_views"]

TABLES = (LINKS.name, VIEWS.name)


def has_views(path: str | os.PathLike[str]) -> bool:
    """Whether a table of links says for each which topic it is for."""
    return "topic" in read_column_names(path, TABLES)


def read_views(path: str | os.PathLike[str], interests: Interests) -> NDArray[np.int64]:
    """Read who are neighbours on which topic, both ways: rows (topic, node, neighbour), as ids.

    Names are compared as text. Repeated and reversed rows may be there.

    Raises
    ------
    TableError
        If the file or folder cannot be used.
    OverlayError
        If a row names a node or a topic that is not in the interests, links a node to itself,
        or is for a topic that one of the two does not want.
    """
    way_out = f"A table of views has the columns {', '.join(VIEWS.column_names)}"
    pairs = [
        read_name_columns(path, dict.fromkeys(TABLES, columns), way_out=way_out)
        for columns in (("topic", "source"), ("topic", "target"))
    ]
    topics = _ids(pairs[0], 0, interests.topic_names, "topic")
    sources = _ids(pairs[0], 1, interests.node_names, "node")
    targets = _ids(pairs[1], 1, interests.node_names, "node")
    loops = np.flatnonzero(sources == targets)
    if len(loops):
        row = int(loops[0])
        raise OverlayError(
            f"{pairs[0].where(row)}: links {str(interests.node_names[sources[row]])!r} to itself; "
            "a link joins two different nodes"
        )
    for ends in (sources, targets):
        strange = np.flatnonzero(~interests.wanted(ends, topics))
        if len(strange):
            row = int(strange[0])
            raise OverlayError(
                f"{pairs[0].where(row)}: {str(interests.node_names[ends[row]])!r} does not want "
                f"the topic {str(interests.topic_names[topics[row]])!r}; expected neighbours that "
                "both do"
            )
    rows = np.stack((topics, sources, targets), axis=1)
    return np.concatenate((rows, rows[:, [0, 2, 1]]))


def _ids(rows: NameColumns, column: int, known: NDArray[Any], what: str) -> NDArray[np.int64]:
    names, codes = rows.names[column], rows.codes[column]
    found = pa.compute.index_in(names_as_text(names), value_set=names_as_text(known))
    if not len(codes):
        return np.empty(0, dtype=np.int64)
    ids: NDArray[np.int64] = found.fill_null(-1).to_numpy()[codes].astype(np.int64)
    if ids.min() < 0:
        row = int(np.argmin(ids))
        raise OverlayError(
            f"{rows.where(row)}: the {rows.columns[column]} {str(names[codes[row]])!r} is not one "
            f"of the {len(known)} {what}s of the subscriptions"
        )
    return ids


def write_views(
    path: str | os.PathLike[str], interests: Interests, views: NDArray[np.int64]
) -> None:
    """Write rows (topic, node, neighbour), as ids, by name: Parquet or CSV, by the path's ending.

    The file appears whole or not at all.
    """
    nodes = names_array(interests.node_names, "node")
    topics = names_array(interests.topic_names, "topic")
    columns = [pa.array(np.ascontiguousarray(column)) for column in views.reshape(-1, 3).T]
    write_table(
        path,
        VIEWS.table(topics.take(columns[0]), nodes.take(columns[1]), nodes.take(columns[2])),
    )
