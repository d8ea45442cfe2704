"""Slow, obviously right versions of what keeps an overlay under churn (ElastO, §5 and §6).

Sets of nodes for components, all pairs at every step. Where a choice is random, a checker says
whether it was one that the rule allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from gossamer.model import Interests, RepairRequest
from tests.reference import design as naive
from tests.reference.design import Link

Parts = list[set[int]]


def join_parts(parts: Parts, members: Iterable[int]) -> Parts:
    """Make one part of all that have one of the members."""
    wanted = set(members)
    met = [part for part in parts if part & wanted]
    return [part for part in parts if not part & wanted] + ([set().union(*met)] if met else [])


def parts_of(members: Iterable[int], links: Iterable[Link]) -> Parts:
    """Return the connected components of the members, by links that have both ends among them."""
    parts = [{member} for member in members]
    there = {member for part in parts for member in part}
    for link in links:
        if set(link) <= there:
            parts = join_parts(parts, link)
    return parts


def components_of(
    interests: Interests, present: set[int], links: Iterable[Link], topic: int
) -> list[list[int]]:
    """Return the components of a topic by plain search among those who are there."""
    left = set(interests.subscribers_of(topic).tolist()) & present
    linked = [*links]
    found = []
    while left:
        component, waiting = set(), {min(left)}
        while waiting:
            node = waiting.pop()
            component.add(node)
            ends = {one for link in linked if node in link for one in link}
            waiting |= (ends & left) - component
        left -= component
        found.append(sorted(component))
    return sorted(found)


# -- mending ---------------------------------------------------------------------------------


def mend(wound: RepairRequest, rho: float) -> list[Link] | None:
    """Return the links that mend a wound, in order, or None where none can; ties to the first."""
    topics = [set(mine) for mine in wound.topics]
    count = 1 + max((max(mine) for mine in topics if mine), default=-1)
    together = {place for place, so in enumerate(wound.preconnected) if so}
    needed = together | {place for place, so in enumerate(wound.must_connect) if so}
    before = []
    for topic in range(count):
        members = {place for place, mine in enumerate(topics) if topic in mine}
        parts = parts_of(members, wound.links)
        before.append(join_parts(parts, together & members))
    links = _add_links(wound, topics, before, needed, rho)
    if not all(_hang(parts, needed) for parts in _with(before, links)):
        return None
    for link in reversed(links.copy()):
        fewer = [other for other in links if other != link]
        if all(_hang(parts, needed) for parts in _with(before, fewer)):
            links = fewer
    return links


def _hang(parts: Parts, needed: set[int]) -> bool:
    return sum(bool(part & needed) for part in parts) <= 1


def _with(before: list[Parts], links: list[Link]) -> list[Parts]:
    """Return the parts of every topic with these links besides."""
    found = []
    for parts in before:
        members = set().union(*parts)
        for link in links:
            if set(link) <= members:
                parts = join_parts(parts, link)
        found.append(parts)
    return found


def _add_links(
    wound: RepairRequest, topics: list[set[int]], before: list[Parts], needed: set[int], rho: float
) -> list[Link]:
    open_nodes = range(len(topics) - wound.read_only)
    degrees = list(wound.degrees)
    maximum = max((degrees[place] for place in open_nodes), default=0)
    links: list[Link] = []
    while True:
        now = _with(before, links)
        undone = [not _hang(parts, needed) for parts in now]
        worth: dict[Link, int] = {}
        for one, other in combinations(open_nodes, 2):
            worth[one, other] = sum(
                undone[topic] and not any({one, other} <= part for part in now[topic])
                for topic in topics[one] & topics[other]
            )
        useful = [pair for pair, gain in worth.items() if gain]
        if not any(undone) or not useful:
            return links
        raises = {
            pair: max(0, max(degrees[pair[0]], degrees[pair[1]]) + 1 - maximum) for pair in useful
        }
        least = min(raises.values())
        e1 = max(useful, key=lambda pair: worth[pair])
        e2 = max((pair for pair in useful if raises[pair] == least), key=lambda pair: worth[pair])
        taken = e1 if worth[e1] >= rho * worth[e2] else e2
        links.append(taken)
        for place in taken:
            degrees[place] += 1
        maximum = max(maximum, *(degrees[place] for place in taken))


# -- backups ---------------------------------------------------------------------------------


def can_back_up(interests: Interests, present: set[int], node: int) -> dict[int, set[int]]:
    """Return who could back up a node, and on which of its topics."""
    topics = naive.topics_by_node(interests)
    return {
        other: topics[node] & topics[other]
        for other in sorted(present - {node})
        if topics[node] & topics[other]
    }


def lacking(able: Mapping[int, set[int]], chosen: Iterable[int], factor: int) -> set[int]:
    """Return the topics that could be covered, and are not so often, nor by all who want them."""
    covered = [able.get(one, set()) for one in chosen]
    free = [able[one] for one in able.keys() - set(chosen)]
    return {
        topic for topic in set().union(*free) if sum(topic in theirs for theirs in covered) < factor
    }


def greedy_backups(able: Mapping[int, set[int]], kept: list[int], factor: int) -> list[int]:
    """Add who covers most of what is lacking, the first of equal ones, until nothing is."""
    chosen = list(kept)
    while still := lacking(able, chosen, factor):
        free = [one for one in sorted(able) if one not in chosen]
        chosen.append(max(free, key=lambda one: len(able[one] & still)))
    return chosen


def primal_dual_allows(
    able: Mapping[int, set[int]],
    kept: list[int],
    added: list[int],
    weights: Mapping[int, int],
    factor: int,
) -> bool:
    """Whether each pick was of least weight among the subscribers of some topic that lacked."""
    chosen = list(kept)
    for pick in added:
        fit = False
        for topic in lacking(able, chosen, factor):
            free = [one for one in able if one not in chosen and topic in able[one]]
            fit |= pick in free and weights[pick] == min(weights[one] for one in free)
        if not fit:
            return False
        chosen.append(pick)
    return not lacking(able, chosen, factor)


# -- LowODA-Inc ------------------------------------------------------------------------------


def low_oda_goes_on(
    interests: Interests, present: set[int], links: list[Link], new: list[Link], rho: float
) -> bool:
    """Whether LowODA's rule allows new links, in this order, when these are there."""
    topics = [
        mine if node in present else set()
        for node, mine in enumerate(naive.topics_by_node(interests))
    ]
    components = naive.Components(topics)
    for link in links:
        components.add(link)
    degrees = {node: sum(node in link for link in links) for node in present}
    for link in new:
        worth = {pair: len(components.merged_by(pair)) for pair in combinations(sorted(present), 2)}
        if not naive.low_oda_allows(link, worth, degrees, rho):
            return False
        components.add(link)
        for node in link:
            degrees[node] += 1
    return not any(components.merged_by(pair) for pair in combinations(sorted(present), 2))
