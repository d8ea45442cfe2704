"""Bridges by removal of each link, and the fewest links by enumeration."""

from __future__ import annotations

from itertools import combinations

from gossamer.model import Interests
from tests.reference.quality import Link, distances, single_failures


def removable_bridges(interests: Interests, links: list[Link]) -> int:
    """Count the bridges, over all topics, in components of three subscribers or more."""
    found = 0
    for topic in range(interests.topic_count):
        left = set(interests.subscribers_of(topic).tolist())
        while left:
            component = set(distances(min(left), left, links))
            left -= component
            if len(component) >= 3:
                found += single_failures(component, links)[0]
    return found


def fewest_added_links(interests: Interests, links: list[Link]) -> int:
    """Return how many links must be added to take away all such bridges, by trying all sets."""
    pairs = [pair for pair in combinations(range(interests.node_count), 2) if pair not in links]
    for count in range(len(pairs) + 1):
        for added in combinations(pairs, count):
            if removable_bridges(interests, [*links, *added]) == 0:
                return count
    raise AssertionError("all links together leave no bridge among three or more")
