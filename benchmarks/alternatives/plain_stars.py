"""Constant-diameter design with sets: every score from its formula, at every step."""

from __future__ import annotations

from collections.abc import Callable

from gossamer.model import Interests

__all__ = ["SCORES", "plain_stars"]

Topics = list[set[int]]
Score = Callable[[int, Topics, Topics, Topics], float]


def _reach(node: int, left: Topics, wanted: Topics, subscribers: Topics) -> float:
    return float(len(set().union(*(subscribers[t] for t in left[node])) - {node}))


def _weight(node: int, left: Topics, wanted: Topics, subscribers: Topics) -> float:
    return float(sum(len(subscribers[t]) for t in left[node]))


def _density(node: int, left: Topics, wanted: Topics, subscribers: Topics) -> float:
    reach = _reach(node, left, wanted, subscribers)
    return _weight(node, left, wanted, subscribers) / reach if reach else float("inf")


def _distribution(node: int, left: Topics, wanted: Topics, subscribers: Topics) -> float:
    return -_weight(node, left, wanted, subscribers) / len(wanted[node])


SCORES: dict[str, Score] = {
    "cd-oda": _reach,
    "cd-oda-1": _weight,
    "cd-oda-2": _density,
    "td-cd-oda": _distribution,
}
"""By algorithm: what the next hub has most of."""


def plain_stars(interests: Interests, score: Score) -> set[tuple[int, int]]:
    """Give a star to the first node of highest score, strike its topics, until none remains."""
    wanted = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    subscribers = [set(interests.subscribers_of(t).tolist()) for t in range(interests.topic_count)]
    left = [set(topics) for topics in wanted]
    links: set[tuple[int, int]] = set()
    while hubs := [node for node, topics in enumerate(left) if topics]:
        hub = max(hubs, key=lambda node: score(node, left, wanted, subscribers))
        struck = set(left[hub])
        for other in set().union(*(subscribers[t] for t in struck)) - {hub}:
            links.add((min(hub, other), max(hub, other)))
        for topics in left:
            topics -= struck
    return links
