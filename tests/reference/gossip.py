"""Gossip, gateways and relay paths with sets and dictionaries."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

CIRCLE = 1 << 64
Subscriptions = Sequence[set[int]]
Proposal = tuple[int, int, int]
"""Gateway, parent, hops."""


def distance(one: int, other: int) -> int:
    """The shorter way round the circle."""
    return min((one - other) % CIRCLE, (other - one) % CIRCLE)


def freshest(
    mine: Mapping[int, int], theirs: Mapping[int, int], me: int, partner: int, now: int
) -> dict[int, int]:
    """All that two views know together, as of when, without oneself."""
    found = {partner: now}
    for view in (mine, theirs):
        for peer, stamp in view.items():
            found[peer] = max(stamp, found.get(peer, stamp))
    found.pop(me, None)
    return found


def utility(subscriptions: Subscriptions, rates: Sequence[float], one: int, other: int) -> float:
    """Equation 1: the rates of what both want by the rates of what either subscriptions."""
    shared = sum(rates[topic] for topic in subscriptions[one] & subscriptions[other])
    either = sum(rates[topic] for topic in subscriptions[one] | subscriptions[other])
    return shared / either if either > 0 else 0.0


def inward(tables: Sequence[Sequence[int]]) -> list[int]:
    """Number of tables with each node as friend or small-world link, but not of its own table."""
    return [
        sum(node in table[2:] and owner not in tables[node] for owner, table in enumerate(tables))
        for node in range(len(tables))
    ]


def accepts(tables: Sequence[Sequence[int]], peer: int, node: int, max_in_degree: int) -> bool:
    """Whether a peer accepts another node with it as friend or small-world link."""
    is_present = peer in tables[node][2:] or node in tables[peer]
    return is_present or inward(tables)[peer] < max_in_degree


def select_links(
    me: int, buffer: Collection[int], identifiers: Sequence[int], targets: Iterable[int],
    accepting: Collection[int],
) -> tuple[list[int], set[int]]:  # fmt: skip
    """Algorithm 4, lines 2 to 10: ring and small world, and accepting candidates for friends."""
    rest = set(buffer)
    chosen: list[int] = []

    def take(gap: Callable[[int], int]) -> None:
        if rest:
            chosen.append(min(rest, key=gap))
            rest.remove(chosen[-1])

    take(lambda peer: (identifiers[peer] - identifiers[me]) % CIRCLE)
    take(lambda peer: (identifiers[me] - identifiers[peer]) % CIRCLE)
    rest &= set(accepting)
    for target in targets:
        take(lambda peer, to=target: distance(identifiers[peer], to))  # type: ignore[misc]
    return chosen, rest


def both_ways(
    tables: Sequence[Collection[int]], sends: Sequence[bool], believes: Sequence[bool]
) -> list[set[int]]:
    """Neighbours of every node: its table, and the owners of tables with it."""
    found: list[set[int]] = [set() for _ in tables]
    for node, table in enumerate(tables):
        for peer in table:
            if sends[node]:
                found[node].add(peer)
            if sends[peer] and believes[node]:
                found[peer].add(node)
    return found


def propose(
    me: int, topic: int, place: int, neighbours: Collection[int], subscriptions: Subscriptions,
    identifiers: Sequence[int], before: Mapping[tuple[int, int], Proposal], d: int,
) -> Proposal:  # fmt: skip
    """Algorithm 5 for one topic at this place of the circle, neighbours in ascending order."""
    gateway, parent, hops = me, me, 0
    for neighbour in sorted(neighbours):
        if topic not in subscriptions[neighbour]:
            continue
        new_gateway, new_parent, new_hops = before[neighbour, topic]
        if new_parent == me or not (new_parent == neighbour or new_parent not in neighbours):
            continue
        closer = distance(identifiers[new_gateway], place) < distance(identifiers[gateway], place)
        nearer = new_gateway == gateway and new_hops + 1 < hops
        if (closer and new_hops + 1 < d) or nearer:
            gateway, parent, hops = new_gateway, neighbour, new_hops + 1
    return gateway, parent, hops


def next_hop(
    me: int, neighbours: Iterable[int], identifiers: Sequence[int], target: int
) -> int | None:
    """The closest neighbour, if it is closer; of two as close, the lower number."""

    def closeness(node: int) -> tuple[int, int]:
        return distance(identifiers[node], target), node

    best = min(neighbours, key=closeness, default=me)
    return best if closeness(best) < closeness(me) else None


def look_up(
    me: int, links: Sequence[Collection[int]], sends: Sequence[bool], identifiers: Sequence[int],
    target: int, stops: Collection[int] = (),
) -> tuple[list[tuple[int, int]], int | None]:  # fmt: skip
    """The hops of a lookup, and its end; none if it reaches an absent node or a stop."""
    hops: list[tuple[int, int]] = []
    while True:
        onward = next_hop(me, links[me], identifiers, target)
        if onward is None:
            return hops, me
        hops.append((me, onward))
        if not sends[onward] or onward in stops:
            return hops, None
        me = onward


@dataclass
class EventCounts:
    """What became of events."""

    first: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """First receptions, as weights, by node and whether it subscribes to the topic."""
    all: Counter[tuple[int, bool]] = field(default_factory=Counter)
    expected: Counter[int] = field(default_factory=Counter)
    delivered: Counter[int] = field(default_factory=Counter)
    hops: Counter[int] = field(default_factory=Counter)
    relayed: Counter[int] = field(default_factory=Counter)
    furthest: dict[int, int] = field(default_factory=dict)


def disseminate(
    events: Iterable[tuple[int, int, float]], subscriptions: Subscriptions,
    links: Sequence[Collection[int]],
    paths: Mapping[int, Sequence[tuple[int, int]]], sends: Sequence[bool], counts: Sequence[bool],
    clusters: bool, through: bool,
) -> EventCounts:  # fmt: skip
    """Follow each (publisher, topic, weight): neighbours first, then those on paths."""
    totals = EventCounts()
    for publisher, topic, weight in events:
        came = {publisher: (0, -1)}
        queue = deque([publisher])
        while queue:
            node = queue.popleft()
            level, source = came[node]
            to: list[int] = []
            if clusters and (through or topic in subscriptions[node]):
                to += [peer for peer in sorted(links[node]) if topic in subscriptions[peer]]
            for one, other in reversed(paths.get(topic, [])):
                if node in (one, other):
                    peer = other if node == one else one
                    to += [peer] if peer not in to else []
            for peer in to:
                if peer == source or not sends[peer]:
                    continue
                totals.all[peer, topic in subscriptions[peer]] += weight  # type: ignore[assignment]
                if peer not in came:
                    came[peer] = (level + 1, node)
                    queue.append(peer)
        for node, (level, _) in came.items():
            if node == publisher:
                continue
            totals.first[node, topic in subscriptions[node]] += weight  # type: ignore[assignment]
            if topic not in subscriptions[node]:
                totals.relayed[topic] += weight  # type: ignore[assignment]
            elif counts[node]:
                totals.delivered[topic] += weight  # type: ignore[assignment]
                totals.hops[topic] += weight * level  # type: ignore[assignment]
                totals.furthest[topic] = max(level, totals.furthest.get(topic, 0))
        for node, wanted in enumerate(subscriptions):
            if topic in wanted and counts[node] and node != publisher:
                totals.expected[topic] += weight  # type: ignore[assignment]
    return totals
