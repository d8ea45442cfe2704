"""The links table: who is linked to whom, by the user's own node names.

One row an undirected link, in either direction. Whether the links are any good
is for :mod:`gossamer.quality` to say.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import OverlayError
from gossamer.model import Interests, Overlay
from gossamer.model.wording import quoted
from gossamer.tables.columns import read_name_columns
from gossamer.tables.names import names_array, names_as_text
from gossamer.tables.schema import LINKS, TOPICS
from gossamer.tables.write import write_table

__all__ = ["read_links", "topics_table", "write_links"]


def read_links(
    path: str | os.PathLike[str],
    interests: Interests,
    *,
    source: str = "source",
    target: str = "target",
    delimiter: str | None = None,
) -> Overlay:
    """Read an overlay over the nodes of these interests.

    From CSV or Parquet, plain or gzipped, a folder of Parquet parts, or a folder of tables
    with ``links`` among them.

    Names are compared as text, so that integers in one file meet strings in the
    other. Repeated and reversed links are merged; a table without rows is an
    overlay without links.

    Raises
    ------
    TableError
        If the file or folder cannot be used.
    OverlayError
        If a row names a node that is not in the interests, or links one to itself.
    """
    rows = read_name_columns(
        path,
        {LINKS.name: (source, target)},
        delimiter=delimiter,
        way_out=f"A table of links has the columns {', '.join(LINKS.column_names)}",
    )
    known = names_as_text(interests.node_names)
    ends = []
    for column, names, codes in zip((source, target), rows.names, rows.codes, strict=True):
        places = pa.compute.index_in(names_as_text(names), value_set=known)
        ids = places.fill_null(-1).to_numpy()[codes] if len(codes) else np.empty(0, np.int32)
        if len(ids) and ids.min() < 0:
            row = int(np.argmin(ids))
            raise OverlayError(
                f"{rows.where(row)}: the {column} {quoted(str(names[codes[row]]))} is not one of "
                f"the {interests.node_count} nodes of the subscriptions"
            )
        ends.append(ids)
    loops = np.flatnonzero(ends[0] == ends[1])
    if len(loops):
        row = int(loops[0])
        name = quoted(str(interests.node_names[ends[0][row]]))
        raise OverlayError(
            f"{rows.where(row)}: links {name} to itself; a link joins two different nodes"
        )
    return Overlay.from_links(interests.node_count, np.column_stack(ends))


def write_links(path: str | os.PathLike[str], interests: Interests, overlay: Overlay) -> None:
    """Write an overlay as ``source,target`` rows: Parquet or CSV, by the path's ending.

    The source of a row comes before its target in the order of names, and rows
    are sorted, so the same overlay gives the same file. It appears whole or not
    at all.
    """
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes and the interests have "
            f"{interests.node_count}; expected one designed for these interests"
        )
    names = names_array(interests.node_names, "node")
    source, target = (pa.array(np.ascontiguousarray(end)) for end in overlay.links.T)
    write_table(path, LINKS.table(names.take(source), names.take(target)))


def topics_table(interests: Interests, *measures: NDArray[np.int64]) -> Any:
    """Return a table of topics: subscribers, components, diameter, bridges, articulation points.

    ``measures`` are the four columns after the number of subscribers.
    """
    names = names_array(interests.topic_names, "topic")
    return TOPICS.table(names, interests.popularity, *measures)
