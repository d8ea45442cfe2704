"""Tables of a simulated or live network: its trace, and the links of nodes over time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.tables.names import names_array
from gossamer.tables.schema import NODE_LINKS, TRACE

TraceRow = tuple[int, Any, str, Any, str | None]
"""Time, node, what, peer, message; the last two may be None."""


def trace_table(rows: Iterable[TraceRow], names: Any = None) -> Any:
    """Return the table of a trace.

    Parameters
    ----------
    rows
        Rows of a tracer.
    names
        Names of the nodes, if the rows have numbers in their place.

    Examples
    --------
    >>> trace_table([(5, 0, "send", 1, "connect")], names=["ann", "bob"]).to_pylist()
    [{'time': 5, 'node': 'ann', 'what': 'send', 'peer': 'bob', 'message': 'connect'}]
    """
    listed = list(rows)
    called = names.tolist() if hasattr(names, "tolist") else names

    def name(node: Any) -> Any:
        inside = called is not None and isinstance(node, int) and 0 <= node < len(called)
        return called[node] if inside else node

    nodes = [name(row[1]) for row in listed]
    peers = [None if row[3] is None else name(row[3]) for row in listed]
    whole = all(isinstance(one, int) for one in (*nodes, *peers) if one is not None)
    kind = pa.int64() if whole else pa.string()
    as_kind = (lambda one: one) if whole else (lambda one: None if one is None else str(one))
    return TRACE.table(
        [row[0] for row in listed],
        pa.array([as_kind(one) for one in nodes], type=kind),
        [row[2] for row in listed],
        pa.array([as_kind(one) for one in peers], type=kind),
        [row[4] for row in listed],
    )


def node_links_table(
    snapshots: Iterable[tuple[int, NDArray[Any], NDArray[Any], NDArray[Any]]],
    node_names: NDArray[Any],
) -> Any:
    """Return the table of each node's links over time.

    Parameters
    ----------
    snapshots
        Time of each snapshot, its nodes, their numbers of links, and their numbers of neighbours
        summed over topics.
    node_names
        Names of all nodes, by id.
    """
    times, nodes, degrees, views = zip(*snapshots, strict=True)
    return NODE_LINKS.table(
        np.repeat(times, [len(some) for some in nodes]),
        names_array(node_names[np.concatenate(nodes)], "node"),
        np.concatenate(degrees),
        np.concatenate(views),
    )
