"""Bounded-radius greedy merge with trees as dictionaries of neighbours.

Reaches and depths are computed by a breadth-first search after every join. A sweep sees a copy of
the other members (free links, tree, distances), made at its start.
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import Interests

Member = tuple[int, int]  # node, topic
Link = tuple[int, int]


def distances(start: int, tree: dict[int, set[int]]) -> dict[int, int]:
    """Hops from a member to all others of its tree."""
    found, frontier = {start: 0}, [start]
    for u in frontier:
        for v in tree[u]:
            if v not in found:
                found[v] = found[u] + 1
                frontier.append(v)
    return found


@dataclass(frozen=True)
class Place:
    """Where a member stands: its tree's label, its reach there, its depth if it is rooted."""

    label: int
    reach: int
    depth: int | None


class Growth:
    """All topics' trees, and the links so far."""

    def __init__(self, interests: Interests, diameter: int, radius: int, caps: list[int]) -> None:
        self.topics = [interests.topics_of(v).tolist() for v in range(interests.node_count)]
        self.diameter, self.radius, self.caps = diameter, radius, list(caps)
        self.degrees = [0] * interests.node_count
        self.links: list[Link] = []
        members = [(v, t) for v, mine in enumerate(self.topics) for t in mine]
        self.label = {member: place for place, member in enumerate(members)}
        self.trees: dict[int, dict[int, set[int]]] = {}  # by topic
        for v, t in members:
            self.trees.setdefault(t, {})[v] = set()
        self.roots: dict[int, int] = {}
        self.to_merge = self.missing_merges()

    def fellows(self, v: int, t: int) -> list[int]:
        return [u for u in self.trees[t] if self.label[u, t] == self.label[v, t]]

    def missing_merges(self) -> int:
        return sum(len({self.label[v, t] for v in tree}) - 1 for t, tree in self.trees.items())

    def place(self, v: int, t: int) -> Place:
        hops = distances(v, self.trees[t])
        root = self.roots.get(t)
        return Place(
            self.label[v, t], max(hops.values()), hops.get(root) if root is not None else None
        )

    def fits(self, here: Place, there: Place) -> bool:
        if here.depth is not None and there.depth is not None:
            return False
        if here.depth is not None:
            return here.depth + 1 + there.reach <= self.radius
        if there.depth is not None:
            return there.depth + 1 + here.reach <= self.radius
        return here.label != there.label and here.reach + 1 + there.reach <= self.diameter

    def joined_by(self, u: int, v: int) -> list[int]:
        shared = [t for t in self.topics[u] if t in self.topics[v]]
        return [t for t in shared if self.fits(self.place(u, t), self.place(v, t))]

    def add(self, u: int, v: int) -> None:
        for t in self.joined_by(u, v):
            kept, gone = (u, v)
            if len(self.fellows(u, t)) < len(self.fellows(v, t)):
                kept, gone = (v, u)
            for w in self.fellows(gone, t):
                self.label[w, t] = self.label[kept, t]
            self.trees[t][u].add(v)
            self.trees[t][v].add(u)
        self.links.append((min(u, v), max(u, v)))
        self.degrees[u] += 1
        self.degrees[v] += 1

    def keeps_reserve(self, u: int, v: int, room: int) -> bool:
        alone = [t for t in self.topics[u] if self.place(u, t).depth is None]
        alone = [t for t in alone if self.fellows(u, t) == [u]]
        return len(alone) >= room and not set(alone) & set(self.joined_by(u, v))

    def choose_roots(self) -> None:
        for t, tree in self.trees.items():

            def rank(v: int, t: int = t) -> tuple[int, int]:
                return -len(self.fellows(v, t)), -len(self.topics[v])

            # The tree is that of the member of most subscriptions, and its first centre the root.
            first = min(sorted(tree), key=rank)
            reaches = {v: self.place(v, t).reach for v in sorted(self.fellows(first, t))}
            self.roots[t] = min(reaches, key=lambda v: reaches[v])

    def spare(self, u: int, v: int) -> int:
        left = []
        for t in self.topics[u]:
            if t in self.topics[v]:
                here, there = self.place(u, t), self.place(v, t)
                if (here.depth is None) == (there.depth is None):
                    continue
                depth = there.depth if here.depth is None else here.depth
                assert depth is not None
                reach = here.reach if here.depth is None else there.reach
                left.append(self.radius - depth - 1 - reach)
        left = [room for room in left if room >= 0]
        return 2 * sum(left) // max(len(left), 1)

    def sweep(self, level: int, caps: list[int], *, rooted: bool) -> int:
        nodes = range(len(self.topics))
        seen = {
            (v, t): self.place(v, t)
            for v in nodes
            if self.degrees[v] < caps[v]
            for t in self.topics[v]
            if len({self.label[u, t] for u in self.trees[t]}) > 1
        }
        most = 0
        for u in nodes:
            if self.degrees[u] >= caps[u]:
                continue
            mine = {t: self.place(u, t) for t in self.topics[u]}
            if rooted and all(place.depth is not None for place in mine.values()):
                continue
            worth = {
                v: sum(self.fits(mine[t], seen[v, t]) for t in mine if (v, t) in seen)
                for v in nodes
                if rooted or v > u
            }
            most = max(most, *worth.values(), 0)
            candidates = sorted(
                (self.spare(u, v) if rooted else 0, self.degrees[v], v)
                for v in worth
                if worth[v] >= level
            )
            for _, _, v in candidates:
                if v == u or self.degrees[u] >= caps[u] or self.degrees[v] >= caps[v]:
                    continue
                if len(self.joined_by(u, v)) < level:
                    continue
                if rooted and self.keeps_reserve(u, v, caps[u] - self.degrees[u]):
                    continue
                if rooted and self.keeps_reserve(v, u, caps[v] - self.degrees[v]):
                    continue
                self.add(u, v)
        return most


def bounded_radius(interests: Interests, diameter: int, radius: int, caps: list[int]) -> list[Link]:
    """All links, in order, for nodes whose rows come in the order of their ids."""
    growth = Growth(interests, diameter, radius, caps)
    level = max((len(mine) for mine in growth.topics), default=0)
    for loose in range(level, 1, -1):
        if growth.missing_merges() <= 0.55 * growth.to_merge:
            break
        growth.sweep(loose, [-(-2 * cap // 3) for cap in caps], rooted=False)
    growth.choose_roots()
    raised = 0
    while left := growth.missing_merges():
        most = growth.sweep(level, growth.caps, rooted=True)
        done = left - growth.missing_merges()
        if level > 1 and done < 0.005 * left:
            level = max(min(level - 1, most), 1)
        elif level == 1 and done == 0:
            step = 1 + raised // 16
            growth.caps = [cap + step for cap in growth.caps]
            raised += step
    return growth.links
