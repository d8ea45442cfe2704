"""OPT's decisions, without state: whom to link to, and which links are too many (Vitis, §IV).

The paper says of OPT that it builds an overlay for each topic with few links, as SpiderCast does.
So each topic is to have some neighbours that want it, the next neighbour is whoever covers most
of the topics that have too few, and a link goes that neither end needs. The bound is on all links
of a node: one on the links that it asked for alone would let a few nodes have very many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gossamer.protocols.contract import Topic

__all__ = ["covering", "missing_cover", "spared"]

P = TypeVar("P")


def missing_cover(
    topics: Sequence[Topic], neighbours: Iterable[Iterable[Topic]], cover: int
) -> dict[Topic, int]:
    """Return how many neighbours each topic has beyond those it wants; less than 0 if too few.

    Examples
    --------
    >>> missing_cover("ab", ["a", "ac", "b"], 2)
    {'a': 0, 'b': -1}
    """
    counts = dict.fromkeys(topics, -cover)
    for theirs in neighbours:
        for topic in theirs:
            if topic in counts:
                counts[topic] += 1
    return counts


def covering(
    beyond: Mapping[Topic, int],
    candidates: Mapping[P, Sequence[Topic]],
    room: int,
    order: Callable[[P], int],
) -> list[P]:
    """Return whom to link to, one after the other, so that topics have enough neighbours.

    Each time it is the candidate who wants most of the topics that have too few, of equal ones
    the first in order. O(room · topics of the candidates).

    Examples
    --------
    >>> covering({"a": -1, "b": -1, "c": 0}, {1: "ac", 2: "ab", 3: "b"}, 5, int)
    [2]
    >>> covering({"a": -2, "b": -1}, {1: "ac", 2: "ab", 3: "b"}, 5, int)
    [2, 1]
    """
    wanted = {topic: -count for topic, count in beyond.items() if count < 0}
    left = dict(candidates)
    chosen: list[P] = []
    while wanted and len(chosen) < room:
        best: P | None = None
        rank = (0, 0)
        for peer, theirs in left.items():
            gain = sum(topic in wanted for topic in theirs)
            if gain and (best is None or (-gain, order(peer)) < rank):
                best, rank = peer, (-gain, order(peer))
        if best is None:
            break
        chosen.append(best)
        for topic in left.pop(best):
            if topic in wanted:
                wanted[topic] -= 1
                if not wanted[topic]:
                    del wanted[topic]
    return chosen


def spared(beyond: Mapping[Topic, int], neighbours: Iterable[tuple[P, Sequence[Topic]]]) -> list[P]:
    """Return neighbours that a node can do without, all of them at once, those named first first.

    Examples
    --------
    >>> spared({"a": 1, "b": 0}, [(1, "a"), (2, "a"), (3, "b"), (4, "c")])
    [1, 4]
    """
    left = dict(beyond)
    found = []
    for peer, theirs in neighbours:
        shared = [topic for topic in theirs if topic in left]
        if all(left[topic] > 0 for topic in shared):
            found.append(peer)
            for topic in shared:
                left[topic] -= 1
    return found
