"""The node × topic relation: its compressed rows and columns as one argument of a kernel."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gossamer.kernels.csr import lower_bound, next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel


class Relation(NamedTuple):
    """Subscriptions, compressed by node and by topic, and the maps between the two orders.

    ``topics[node_offsets[v] : node_offsets[v + 1]]`` are the topics of node v, and
    ``nodes[topic_offsets[t] : topic_offsets[t + 1]]`` the subscribers of topic t, both
    ascending. An index into ``topics`` is called a *place*, one into ``nodes`` a *slot*:
    slot k is the subscription at place ``places[k]``, and place p is slot ``slots[p]``.
    """

    node_offsets: Int64s
    topics: Int32s
    topic_offsets: Int64s
    nodes: Int32s
    places: Int32s
    slots: Int32s


class _Interests(Protocol):
    @property
    def node_offsets(self) -> Int64s: ...
    @property
    def node_topics(self) -> Int32s: ...
    @property
    def topic_offsets(self) -> Int64s: ...
    @property
    def topic_nodes(self) -> Int32s: ...
    @property
    def places(self) -> Int32s: ...
    @property
    def slots(self) -> Int32s: ...


def relation_of(interests: _Interests) -> Relation:
    """Return the arrays of interests as one argument (views, not copies)."""
    return Relation(
        interests.node_offsets,
        interests.node_topics,
        interests.topic_offsets,
        interests.topic_nodes,
        interests.places,
        interests.slots,
    )


@kernel
def transpose(relation: Relation) -> Relation:
    """Return the topic × node relation: topics in the role of nodes, and nodes of topics."""
    return Relation(
        relation.topic_offsets,
        relation.nodes,
        relation.node_offsets,
        relation.topics,
        relation.slots,
        relation.places,
    )


@kernel
def first_shared(relation: Relation, u: int, v: int) -> tuple[int, int, int, int]:
    """Return the places of the first topic that u and v share, each with the end of the list.

    The result is (i, end of u's topics, j, end of v's topics), as ``next_shared`` takes them; i is
    the end of u's topics if they share none.
    """
    topics, offsets = relation.topics, relation.node_offsets
    end_i, end_j = offsets[u + 1], offsets[v + 1]
    i, j = next_shared(topics, offsets[u], end_i, topics, offsets[v], end_j)
    return i, end_i, j, end_j


@kernel
def slot_of(relation: Relation, node: int, topic: int) -> int:
    """Return the slot of a subscription; -1 if the node does not subscribe. O(log s)."""
    end = relation.node_offsets[node + 1]
    place = lower_bound(relation.topics, topic, relation.node_offsets[node], end)
    if place < end and relation.topics[place] == topic:
        return int(relation.slots[place])
    return -1
