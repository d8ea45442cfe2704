"""OPT's decisions as pure functions: links to make, and links to spare (Vitis, §IV).

The paper says that OPT builds an overlay for each topic with few links, as SpiderCast does. Here
each topic should have some neighbours; the next neighbour is the candidate that covers most of the
topics with too few; and a link ends that both ends can spare. The bound is on all links of a node:
a bound on requested links alone would leave a few nodes with very many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gossamer.protocols.contract import Topic

P = TypeVar("P")


def missing_cover(
    topics: Sequence[Topic], neighbours: Iterable[Iterable[Topic]], cover: int
) -> dict[Topic, int]:
    """Return how many neighbours each topic has beyond ``cover``; negative if too few.

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
    capacity: int,
    order: Callable[[P], int],
) -> list[P]:
    """Return the candidates to link to, one after the other, so that topics have enough neighbours.

    Each is the candidate with most of the topics that have too few, ties broken by ``order``.
    O(capacity · topics of the candidates).

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
    while wanted and len(chosen) < capacity:
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
    """Return neighbours that a node can spare together, with priority in the given order.

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
