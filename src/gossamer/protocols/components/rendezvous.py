"""Rendezvous nodes and gateways of topics (Vitis, §III-B).

All relay paths of a topic end at its rendezvous node, the node closest to its identifier. Linked
subscribers of a topic form a cluster; they propose gateways to each other, and only gateways look
up the rendezvous node. :mod:`gossamer.protocols.components.relays` keeps the paths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from gossamer.protocols.components.identifiers import (
    closeness,
    identifier_of_node,
    identifier_of_topic,
    ring_distance,
)
from gossamer.protocols.components.profiles import GatewayProposal
from gossamer.protocols.contract import Peer, Topic

Lookup = Literal["links", "table"]
"""Next hops of lookups: over links in both directions, or to entries of the routing table."""


def next_hop(me: Peer, neighbours: Iterable[Peer], target: int) -> Peer | None:
    """Return the neighbour closest to a target, if it is closer than the node itself.

    None means that the node is the rendezvous node, as far as it knows. Each hop is strictly
    closer, so a lookup has no loops. O(neighbours).
    """
    best, least = None, closeness(identifier_of_node(me), target)
    for peer in neighbours:
        distance = closeness(identifier_of_node(peer), target)
        if distance < least:
            best, least = peer, distance
    return best


def propose(
    me: Peer,
    topic: Topic,
    heard: Iterable[tuple[Peer, GatewayProposal]],
    neighbours: Collection[Peer],
    max_hops: int,
) -> GatewayProposal:
    """Return the gateway that a node proposes for one of its topics (Algorithm 5).

    O(neighbours that subscribe to the topic).

    Parameters
    ----------
    me
        Identifier of the node.
    topic
        Topic that it subscribes to.
    heard
        Neighbours on the topic with their latest proposals, in a fixed order.
    neighbours
        All neighbours.
    max_hops
        Hops from which a gateway is too far.
    """
    target = identifier_of_topic(topic)
    chosen = GatewayProposal(me, me, 0)  # line 3
    distance = ring_distance(identifier_of_node(me), target)
    for neighbour, new in heard:  # lines 4-6
        if new.parent == me:  # it was proposed by this node
            continue
        if new.parent != neighbour and new.parent in neighbours:  # line 7
            continue
        further = ring_distance(identifier_of_node(new.gateway), target)  # lines 8 and 9
        if further < distance and new.hops + 1 < max_hops:  # line 10
            chosen, distance = GatewayProposal(new.gateway, neighbour, new.hops + 1), further
        elif new.gateway == chosen.gateway and new.hops + 1 < chosen.hops:  # line 13
            chosen = GatewayProposal(new.gateway, neighbour, new.hops + 1)
    return chosen
