"""The identifier space that nodes and topics share: a ring of 64 bits (Vitis, §III).

A common hash maps both to the ring, so that each topic has a closest node. Names are hashed by
BLAKE2b together with their kind: a node and a topic of the same name have different identifiers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from gossamer.protocols.contract import Peer, Topic

SPACE = 1 << 64
"""Number of identifiers."""


def _identifier(kind: str, name: Peer | Topic) -> int:
    text = f"{kind}:{type(name).__name__}:{name}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


@lru_cache(maxsize=1 << 16)
def identifier_of_node(peer: Peer) -> int:
    """Return the identifier of a node."""
    return _identifier("node", peer)


@lru_cache(maxsize=1 << 16)
def identifier_of_topic(topic: Topic) -> int:
    """Return the identifier of a topic."""
    return _identifier("topic", topic)


def clockwise(start: int, end: int) -> int:
    """Return the clockwise distance from one identifier to another.

    Examples
    --------
    >>> clockwise(5, 8), clockwise(8, 5) == SPACE - 3
    (3, True)
    """
    return (end - start) % SPACE


def ring_distance(one: int, other: int) -> int:
    """Return the distance between two identifiers, the shorter way round.

    Examples
    --------
    >>> ring_distance(5, 8), ring_distance(8, 5), ring_distance(1, SPACE - 1)
    (3, 3, 2)
    """
    up = (other - one) % SPACE
    return min(up, SPACE - up)


def closeness(identifier: int, target: int) -> tuple[int, int]:
    """Return a key that orders identifiers by closeness to a target, the closest first.

    Of two identifiers at the same distance, the lower one is closer.
    """
    return (ring_distance(identifier, target), identifier)


def closest(peers: Iterable[Peer], target: int) -> Peer | None:
    """Return the node that is closest to a target; None if there is none."""
    return min(peers, key=lambda peer: closeness(identifier_of_node(peer), target), default=None)
