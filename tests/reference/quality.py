"""Quality metrics with sets, breadth-first search and enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product

from gossamer.model import Interests, Overlay

Link = tuple[int, int]


def topic_sets(interests: Interests) -> list[set[int]]:
    return [set(interests.topics_of(node).tolist()) for node in range(interests.node_count)]


def links_of(overlay: Overlay) -> list[Link]:
    return [(int(one), int(other)) for one, other in overlay.links]


def distances(source: int, vertices: Iterable[int], links: Iterable[Link]) -> dict[int, int]:
    """Return the distance of every vertex that the source reaches within the vertices."""
    inside = set(vertices)
    neighbours: dict[int, set[int]] = {vertex: set() for vertex in inside}
    for one, other in links:
        if one in inside and other in inside:
            neighbours[one].add(other)
            neighbours[other].add(one)
    found = {source: 0}
    frontier = [source]
    while frontier:
        frontier = [
            other
            for vertex in frontier
            for other in sorted(neighbours[vertex])
            if found.setdefault(other, found[vertex] + 1) == found[vertex] + 1
        ]
        frontier = sorted(set(frontier))
    return found


def topic_shape(subscribers: Iterable[int], links: Iterable[Link]) -> tuple[int, int]:
    """Return the number of components, and the longest distance within any of them."""
    subscribers, links = list(subscribers), list(links)
    reached = {node: distances(node, subscribers, links) for node in subscribers}
    components = {frozenset(found) for found in reached.values()}
    longest = max((max(found.values()) for found in reached.values()), default=0)
    return len(components), longest


def topic_shapes(interests: Interests, overlay: Overlay) -> list[tuple[int, int]]:
    return [
        topic_shape(interests.subscribers_of(topic).tolist(), links_of(overlay))
        for topic in range(interests.topic_count)
    ]


def single_failures(subscribers: Iterable[int], links: Iterable[Link]) -> tuple[int, int]:
    """Count the bridges and articulation points: take each away, and count components."""
    subscribers = list(subscribers)
    inside = [link for link in links if set(link) <= set(subscribers)]
    whole = topic_shape(subscribers, inside)[0]
    bridges = sum(
        topic_shape(subscribers, [other for other in inside if other != link])[0] > whole
        for link in inside
    )
    return bridges, len(articulation_points(subscribers, inside))


def articulation_points(subscribers: list[int], links: list[Link]) -> list[int]:
    """Return the subscribers without whom there are more components."""
    whole = topic_shape(subscribers, links)[0]
    return [
        node
        for node in subscribers
        if topic_shape([other for other in subscribers if other != node], links)[0] > whole
    ]


def degrees(overlay: Overlay) -> list[int]:
    counted = Counter(end for link in links_of(overlay) for end in link)
    return [counted[node] for node in range(overlay.node_count)]


def percentile(values: list[int], percent: int) -> int:
    """Return the smallest value that at least ``percent`` per cent of the values do not exceed."""
    return next(
        value
        for value in sorted(values)
        if 100 * sum(other <= value for other in values) >= percent * len(values)
    )


def clustering_coefficient(overlay: Overlay, node: int) -> float:
    links = set(links_of(overlay))
    neighbours = sorted(
        {one for one, other in links if other == node}
        | {other for one, other in links if one == node}
    )
    pairs = list(combinations(neighbours, 2))
    return sum(pair in links for pair in pairs) / len(pairs) if pairs else 0.0


def shared_topics(interests: Interests, overlay: Overlay) -> list[int]:
    topics = topic_sets(interests)
    return [len(topics[one] & topics[other]) for one, other in links_of(overlay)]


def top_intersection(interests: Interests, depth: int) -> float:
    """Return tdi(depth) word by word from SpiderCast §3.4."""
    topics = topic_sets(interests)
    averages = []
    for node, own in enumerate(topics):
        intersections = sorted(
            (
                100 * len(own & theirs) / min(len(own), len(theirs)) if own and theirs else 0.0
                for other, theirs in enumerate(topics)
                if other != node
            ),
            reverse=True,
        )[:depth]
        averages.append(sum(intersections) / len(intersections) if intersections else 0.0)
    return sum(averages) / len(averages) if averages else 0.0


def fewest_links(interests: Interests) -> int:
    """Return the links of a smallest topic-connected overlay, by trying all sets of links."""
    nodes = range(interests.node_count)
    topics = topic_sets(interests)
    useful = [(u, v) for u, v in combinations(nodes, 2) if topics[u] & topics[v]]
    groups = [interests.subscribers_of(topic).tolist() for topic in range(interests.topic_count)]
    groups = [group for group in groups if len(group) > 1]
    for count in range(len(useful) + 1):
        for links in combinations(useful, count):
            if all(len(distances(group[0], group, links)) == len(group) for group in groups):
                return count
    raise AssertionError("all useful links together connect every topic")


def lowest_max_degree(interests: Interests, hops: int) -> int:
    """Return the lowest maximum degree of overlays of a topic diameter, by trying all overlays."""
    nodes = range(interests.node_count)
    topics = topic_sets(interests)
    useful = [(u, v) for u, v in combinations(nodes, 2) if topics[u] & topics[v]]
    groups = [interests.subscribers_of(topic).tolist() for topic in range(interests.topic_count)]
    lowest = interests.node_count
    for chosen in product((False, True), repeat=len(useful)):
        links = [link for link, taken in zip(useful, chosen, strict=True) if taken]
        degree = max((sum(node in link for link in links) for node in nodes), default=0)
        if degree < lowest and all(
            len(found) == len(group) and max(found.values()) <= hops
            for group in groups
            for node in group
            for found in [distances(node, group, links)]
        ):
            lowest = degree
    return lowest


def dual_value(
    interests: Interests, topic_prices: list[float], subscription_prices: dict[Link, float]
) -> float:
    """Return the dual bound for these multipliers, pair by pair."""
    topics = topic_sets(interests)
    value = 0.0
    for topic in range(interests.topic_count):
        subscribers = interests.subscribers_of(topic).tolist()
        if len(subscribers) > 1:
            value += topic_prices[topic] * (len(subscribers) - 1)
            value += sum(subscription_prices[node, topic] for node in subscribers)
    for u, v in combinations(range(interests.node_count), 2):
        price = sum(
            topic_prices[topic] + subscription_prices[u, topic] + subscription_prices[v, topic]
            for topic in topics[u] & topics[v]
        )
        value -= max(0.0, price - 1)
    return value
