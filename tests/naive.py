"""Slow, obviously right versions of the design algorithms, as the papers describe them.

Sets, dictionaries and all pairs at every step; nothing here is clever. Where an
algorithm has freedom (ties), the naive version checks a sequence of links instead of
making one: ``greedy_choices`` replays it and tells at each step what the rule allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from gossamer.model import Interests

Link = tuple[int, int]


def topics_by_node(interests: Interests) -> list[set[int]]:
    return [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]


class Components:
    """Components of every topic, as one label per (node, topic)."""

    def __init__(self, topics: list[set[int]]) -> None:
        self.topics = topics
        self.label = {(v, t): v for v, mine in enumerate(topics) for t in mine}

    def merged_by(self, link: Link) -> set[int]:
        u, v = link
        shared = self.topics[u] & self.topics[v]
        return {t for t in shared if self.label[u, t] != self.label[v, t]}

    def add(self, link: Link) -> None:
        u, v = link
        for t in self.merged_by(link):
            gone, kept = self.label[v, t], self.label[u, t]
            for key, label in self.label.items():
                if key[1] == t and label == gone:
                    self.label[key] = kept


def greedy_merge(interests: Interests) -> list[Link]:
    """GM with lexicographic ties: the first of the pairs that merge most."""
    topics = topics_by_node(interests)
    components = Components(topics)
    links: list[Link] = []
    while True:
        best, most = None, 0
        for pair in combinations(range(len(topics)), 2):
            worth = len(components.merged_by(pair))
            if worth > most:
                best, most = pair, worth
        if best is None:
            return links
        components.add(best)
        links.append(best)


def greedy_choices(
    interests: Interests, links: list[Link]
) -> Iterator[tuple[Link, dict[Link, int], dict[int, int]]]:
    """Replay links in order; before each, give it, all pairs' worth, and the degrees."""
    topics = topics_by_node(interests)
    components = Components(topics)
    degrees = dict.fromkeys(range(len(topics)), 0)
    for link in links:
        worth = {
            pair: len(components.merged_by(pair))
            for pair in combinations(range(len(topics)), 2)
        }
        yield link, worth, dict(degrees)
        components.add(link)
        degrees[link[0]] += 1
        degrees[link[1]] += 1


def low_oda_allows(
    link: Link, worth: dict[Link, int], degrees: dict[int, int], rho: float
) -> bool:
    """Whether LowODA may take this link now, by the rule of ElastO §5."""
    maximum = max(degrees.values())

    def raises(pair: Link) -> int:
        return max(0, max(degrees[pair[0]], degrees[pair[1]]) + 1 - maximum)

    useful = {pair: gain for pair, gain in worth.items() if gain > 0}
    least_raise = min(raises(pair) for pair in useful)
    e1 = max(useful.values())
    e2 = max(gain for pair, gain in useful.items() if raises(pair) == least_raise)
    if not math.isinf(rho) and e1 >= rho * e2:
        return worth[link] == e1
    return raises(link) == least_raise and worth[link] == e2
