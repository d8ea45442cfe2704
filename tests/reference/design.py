"""The design algorithms as the papers describe them, with sets and all pairs at every step.

Where an algorithm has freedom (ties), the naive version checks a sequence of links:
``greedy_choices`` replays it and yields at each step what the rule allows.
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
            pair: len(components.merged_by(pair)) for pair in combinations(range(len(topics)), 2)
        }
        yield link, worth, dict(degrees)
        components.add(link)
        degrees[link[0]] += 1
        degrees[link[1]] += 1


def low_oda_allows(link: Link, worth: dict[Link, int], degrees: dict[int, int], rho: float) -> bool:
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


def stars(interests: Interests, rule: str) -> list[Link]:
    """CD-ODA, -I, -II and TD-CD-ODA by the formulas, ties to the lowest id."""
    topics = topics_by_node(interests)
    sizes = {t: sum(t in mine for mine in topics) for t in range(interests.topic_count)}
    remaining = {t for t, size in sizes.items() if size}
    links: list[Link] = []
    while remaining:

        def score(v: int, remaining: frozenset[int] = frozenset(remaining)) -> Fraction | float:
            mine = topics[v] & remaining
            reach = sum(bool(mine & other) for u, other in enumerate(topics) if u != v)
            weight = sum(sizes[t] for t in mine)
            if rule == "cd-oda":
                return reach
            if rule == "cd-oda-1":
                return weight
            if rule == "cd-oda-2":
                return Fraction(weight, reach) if reach else math.inf
            if rule == "cd-oda-2-others":
                return Fraction(weight - len(mine), reach) if reach else math.inf
            assert rule == "td-cd-oda"
            return -Fraction(weight, len(topics[v]))

        hub = max((v for v in range(len(topics)) if topics[v] & remaining), key=score)
        links += [
            (min(hub, v), max(hub, v))
            for v in range(len(topics))
            if v != hub and topics[hub] & topics[v] & remaining
        ]
        remaining -= topics[hub]
    return sorted(set(links))


def topic_stars(interests: Interests) -> list[Link]:
    """2D-ODA by Equation 4 over the remaining topics, ties to the lowest (node, topic)."""
    topics = topics_by_node(interests)
    subscribers = {
        t: {v for v, mine in enumerate(topics) if t in mine} for t in range(interests.topic_count)
    }
    remaining = {t for t, members in subscribers.items() if members}
    links: set[Link] = set()

    def linked(u: int, v: int) -> bool:
        return (min(u, v), max(u, v)) in links

    while remaining:
        best: tuple[int, int] | None = None
        highest: tuple[bool, Fraction | int] | None = None
        for u, mine in enumerate(topics):
            for t in sorted(mine & remaining):
                weight = sum(len(subscribers[s]) for s in mine & remaining)
                missing = [v for v in subscribers[t] if v != u and not linked(u, v)]
                density = (not missing, Fraction(weight, len(missing) or 1))
                if highest is None or density > highest:
                    best, highest = (u, t), density
        assert best is not None
        hub, topic = best
        links |= {(min(hub, v), max(hub, v)) for v in subscribers[topic] if v != hub}
        remaining.remove(topic)
    return sorted(links)


def rings(interests: Interests) -> list[Link]:
    links = set()
    for t in range(interests.topic_count):
        members = interests.subscribers_of(t).tolist()
        for u, v in zip(members, members[1:] + members[:1], strict=True):
            if u != v:
                links.add((min(u, v), max(u, v)))
    return sorted(links)


def shared_subsets(interests: Interests, first: int) -> dict[tuple[int, ...], set[int]]:
    """Every subset of two topics or more that two nodes from ``first`` on share, with them."""
    groups: dict[tuple[int, ...], set[int]] = {}
    for v in range(first, interests.node_count):
        mine = interests.topics_of(v).tolist()
        for size in range(2, len(mine) + 1):
            for subset in combinations(mine, size):
                groups.setdefault(subset, set()).add(v)
    return {subset: members for subset, members in groups.items() if len(members) > 1}
