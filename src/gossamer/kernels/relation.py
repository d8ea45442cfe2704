"""The arrays of the node × topic relation, bundled, so that kernels take them as one."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s

__all__ = ["Relation"]


class Relation(NamedTuple):
    """Who wants what: compressed by node and by topic, and the way from the one to the other.

    ``topics[node_offsets[v] : node_offsets[v + 1]]`` are v's topics and
    ``nodes[topic_offsets[t] : topic_offsets[t + 1]]`` t's subscribers, both ascending;
    ``places[k]`` is where the subscription ``nodes[k]`` stands in ``topics``.
    """

    node_offsets: Int64s
    topics: Int32s
    topic_offsets: Int64s
    nodes: Int32s
    places: Int32s
