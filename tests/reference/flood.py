"""Floods with dictionaries and a queue."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

Links = dict[tuple[int, int], list[int]]
"""Neighbours by (node, topic)."""


@dataclass
class Flooded:
    """Counts of one publication or more."""

    sent: Counter[int] = field(default_factory=Counter)
    """Copies by node."""
    delivered: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """Hops by (publication, topic, node)."""
    receipts: set[tuple[int, int]] = field(default_factory=set)
    """Receivers of each publication."""


def flood(
    topics_of: list[set[int]], links: Links, published: list[tuple[int, list[int]]], kind: str,
    send_back: bool = False,
) -> Flooded:  # fmt: skip
    """Flood each (publisher, topics), on all topics together or on each by itself."""
    total = Flooded()
    for number, (publisher, topics) in enumerate(published):
        floods = [topics] if kind == "crosspost" else [[topic] for topic in topics]
        for tags in floods:
            _flood_one(total, topics_of, links, number, publisher, tags, send_back)
    return total


def _flood_one(
    total: Flooded, topics_of: list[set[int]], links: Links, number: int, publisher: int,
    tags: list[int], send_back: bool,
) -> None:  # fmt: skip
    had: set[int] = set()
    on_the_way: deque[tuple[int | None, int, int]] = deque([(None, publisher, 0)])
    while on_the_way:
        source, node, hops = on_the_way.popleft()
        if node in had:
            continue
        had.add(node)
        mine = [topic for topic in tags if topic in topics_of[node]]
        if node != publisher:
            total.receipts.add((number, node))
            for topic in mine:
                total.delivered[number, topic, node] = hops
        onward = {other for topic in mine for other in links.get((node, topic), [])}
        for other in sorted(onward if send_back else onward - {source, publisher}):
            total.sent[node] += 1
            on_the_way.append((node, other, hops + 1))
