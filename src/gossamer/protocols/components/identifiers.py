"""The identifier space that nodes and topics share: a ring of 64 bits (Vitis, §III).

Vitis puts both in one space by a hash that everybody knows, so that each topic has a node that
is closest to it. Names go through BLAKE2b, with their kind before them: a node and a topic of
the same name are in different places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from gossamer.protocols.contract import Peer, Topic

__all__ = [
    "SPACE",
    "clockwise",
    "closeness",
    "closest",
    "identifier_of_node",
    "identifier_of_topic",
    "ring_distance",
]

SPACE = 1 << 64
"""How many identifiers there are."""


def _identifier(kind: str, name: Peer | Topic) -> int:
    text = f"{kind}:{type(name).__name__}:{name}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


@lru_cache(maxsize=1 << 16)
def identifier_of_node(peer: Peer) -> int:
    """Return where a node is on the ring."""
    return _identifier("node", peer)


@lru_cache(maxsize=1 << 16)
def identifier_of_topic(topic: Topic) -> int:
    """Return where a topic is on the ring."""
    return _identifier("topic", topic)


def clockwise(start: int, end: int) -> int:
    """Return how far it is from one identifier up to another.

    Examples
    --------
    >>> clockwise(5, 8), clockwise(8, 5) == SPACE - 3
    (3, True)
    """
    return (end - start) % SPACE


def ring_distance(one: int, other: int) -> int:
    """Return how far two identifiers are apart, the shorter way round.

    Examples
    --------
    >>> ring_distance(5, 8), ring_distance(8, 5), ring_distance(1, SPACE - 1)
    (3, 3, 2)
    """
    up = (other - one) % SPACE
    return min(up, SPACE - up)


def closeness(identifier: int, target: int) -> tuple[int, int]:
    """Return what to compare by who is closer to a target: less is closer.

    Of two that are equally far, one on each side, the lower identifier is the closer one.
    """
    return (ring_distance(identifier, target), identifier)


def closest(peers: Iterable[Peer], target: int) -> Peer | None:
    """Return the node that is closest to a target; None if there is none."""
    return min(peers, key=lambda peer: closeness(identifier_of_node(peer), target), default=None)
