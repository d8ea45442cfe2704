"""Rendezvous: where paths for a topic meet, and who of a cluster goes there (Vitis, §III-B).

The node closest to a topic's identifier is where all paths for it end. Those who are linked and
want a topic are a cluster of it; they propose gateways to each other, who alone look up that
node. These are the decisions; :mod:`gossamer.protocols.components.relays` keeps the paths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gossamer.protocols.components.identifiers import (
    closeness,
    identifier_of_node,
    identifier_of_topic,
    ring_distance,
)
from gossamer.protocols.components.profiles import Proposal
from gossamer.protocols.contract import Peer, Topic

__all__ = ["next_hop", "propose"]


def next_hop(me: Peer, neighbours: Iterable[Peer], target: int) -> Peer | None:
    """Return the neighbour closest to a target, if it is closer than the node itself.

    None if there is none: then the node is the rendezvous node, by what it knows. Each hop is
    strictly closer, so a lookup has no loops. O(neighbours).
    """
    best, least = None, closeness(identifier_of_node(me), target)
    for peer in neighbours:
        there = closeness(identifier_of_node(peer), target)
        if there < least:
            best, least = peer, there
    return best


def propose(
    me: Peer,
    topic: Topic,
    heard: Iterable[tuple[Peer, Proposal]],
    neighbours: Collection[Peer],
    d: int,
) -> Proposal:
    """Return whom a node proposes as gateway for a topic that it wants (Algorithm 5).

    O(neighbours that want the topic).

    Parameters
    ----------
    me
        The node.
    topic
        What it wants.
    heard
        The neighbours that want it too, each with its latest proposal, in a fixed order.
    neighbours
        All neighbours, whatever they want.
    d
        Nobody is represented by a gateway that is so many hops away, or more.
    """
    target = identifier_of_topic(topic)
    chosen = Proposal(me, me, 0)  # line 3
    distance = ring_distance(identifier_of_node(me), target)
    for neighbour, new in heard:  # lines 4-6
        if new.parent == me:  # it has that from us: ours, and not to be counted up
            continue
        if new.parent != neighbour and new.parent in neighbours:  # line 7
            continue
        further = ring_distance(identifier_of_node(new.gateway), target)  # lines 8 and 9
        if further < distance and new.hops + 1 < d:  # line 10
            chosen, distance = Proposal(new.gateway, neighbour, new.hops + 1), further
        elif new.gateway == chosen.gateway and new.hops + 1 < chosen.hops:  # line 13
            chosen = Proposal(new.gateway, neighbour, new.hops + 1)
    return chosen
