"""The table of links: one row per undirected link, in either direction, by the names of nodes.

Overlays are also written as graphs for other programs: ``graph_files``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.atomic_files import GRAPH_ENDINGS, check_output, replacing
from gossamer.errors import OverlayError
from gossamer.model import Interests, Overlay
from gossamer.model.overlay import check_fit
from gossamer.model.wording import quoted
from gossamer.tables.columns import ColumnAdvice, read_name_columns
from gossamer.tables.graph_files import write_graph
from gossamer.tables.names import name_column, names_array
from gossamer.tables.schema import FAILURES, LINKS, TOPICS
from gossamer.tables.write import write_table


def read_links(
    path: str | os.PathLike[str],
    interests: Interests,
    *,
    source: str = "source",
    target: str = "target",
    delimiter: str | None = None,
) -> Overlay:
    """Read an overlay over the nodes of these interests.

    The table is CSV or Parquet, plain or gzipped, a folder of Parquet parts, or ``links`` in a
    folder of tables. Names are compared as text, so integers in one file match strings in the
    other. Repeated and reversed links are merged.

    Raises
    ------
    TableError
        If the file or folder cannot be used.
    OverlayError
        If a row has an unknown node, or links a node to itself.
    """
    rows = read_name_columns(
        path,
        {LINKS.name: (source, target)},
        delimiter=delimiter,
        advice=ColumnAdvice(
            missing=f"A table of links has the columns {', '.join(LINKS.column_names)}"
        ),
    )
    ends = [rows.ids(column, interests.node_names, "node") for column in (0, 1)]
    loops = np.flatnonzero(ends[0] == ends[1])
    if len(loops):
        row = int(loops[0])
        name = quoted(str(interests.node_names[ends[0][row]]))
        raise OverlayError(
            f"{rows.where(row)}: links {name} to itself; a link joins two different nodes"
        )
    return Overlay.from_links(interests.node_count, np.column_stack(ends))


def write_links(path: str | os.PathLike[str], interests: Interests, overlay: Overlay) -> None:
    """Write an overlay in the format of the path's ending, one of ``LINK_ENDINGS``.

    Parquet and CSV have rows ``source,target``; ``-`` is CSV on standard output. GraphML, GML, DOT
    and JSON are for other programs. The source of a link precedes its target in the order of names,
    and links are sorted, so equal overlays give equal files. The file is written atomically.
    """
    check_fit(interests, overlay)
    ending = os.path.splitext(path)[1].lower()
    if ending in GRAPH_ENDINGS:
        names = names_array(interests.node_names, "node").to_pylist()
        with replacing(check_output(path, GRAPH_ENDINGS)) as partial, open(partial, "wb") as file:
            write_graph(file, names, overlay.links, ending)
        return
    ends = [name_column(interests.node_names, end) for end in overlay.links.T]
    write_table(path, LINKS.table(*ends))


def topics_table(interests: Interests, *measures: NDArray[np.int64]) -> Any:
    """Return the table of topics; ``measures`` are its columns after the number of subscribers."""
    names = names_array(interests.topic_names, "topic")
    return TOPICS.table(names, interests.popularity, *measures)


def failures_table(
    interests: Interests, nodes: NDArray[np.int32], topics: NDArray[np.int64]
) -> Any:
    """Return the table of articulation points, given by the ids of nodes and topics."""
    columns = (interests.node_names, nodes), (interests.topic_names, topics, "topic")
    return FAILURES.table(*(name_column(*column) for column in columns))
