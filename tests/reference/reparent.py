"""The improvement phase with trees as dictionaries, and degrees computed for every choice."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import Interests
from tests.reference.prune import Link, Tree


class Trees:
    """All topics' trees, and what follows from them."""

    def __init__(self, interests: Interests, links: list[Link], roots: dict[int, int]) -> None:
        self.topics = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
        self.trees = {
            t: Tree(root, [(u, v) for u, v in links if t in self.topics[u] & self.topics[v]])
            for t, root in roots.items()
        }

    def parents(self, v: int) -> set[int]:
        return {self.trees[t].parents[v] for t in self.topics[v]} - {-1}

    def children(self, v: int) -> set[int]:
        return {w for t in self.topics[v] for w, up in self.trees[t].parents.items() if up == v}

    def degree(self, v: int) -> int:
        return len(self.parents(v) | self.children(v))

    def links(self) -> list[Link]:
        nodes = range(len(self.topics))
        return sorted({(min(v, w), max(v, w)) for v in nodes for w in self.parents(v)})

    def possible_parents(self, v: int, t: int, radius: int) -> set[int]:
        tree = self.trees[t]
        below = tree.below(v)
        height = max(tree.depth(w) for w in below) - tree.depth(v)
        return {w for w in tree.parents if tree.depth(w) + 1 + height <= radius} - set(below)


def choose(
    forest: Trees, v: int, radius: int, caps: Sequence[int], seen: set[int]
) -> dict[int, int] | None:
    """Return v's new parent in each topic where it has one; None if it stays as it is."""
    children = forest.children(v)
    old = forest.parents(v) - children
    waiting = {
        t: forest.possible_parents(v, t, radius)
        for t in forest.topics[v]
        if forest.trees[t].parents[v] >= 0
    }
    choices: dict[int, int] = {}

    def take(w: int) -> None:
        choices.update({t: w for t, able in waiting.items() if t not in choices and w in able})

    def without(w: int) -> int:
        return forest.degree(w) - (w in old)

    for child in sorted(children):
        take(child)
    candidates = [w for w in old if forest.degree(w) <= caps[w]]
    candidates += [w for w in seen - old - {v} if forest.degree(w) < caps[w]]
    new: list[int] = []
    while waiting.keys() - choices.keys():
        left = waiting.keys() - choices.keys()
        covers = {w: sum(w in waiting[t] for t in left) for w in candidates}
        best = max(covers, key=lambda w: (covers[w], -without(w), -w), default=-1)
        if best < 0 or not covers[best]:
            return None
        new.append(best)
        take(best)
    lighter = sum(map(without, new)) < sum(map(without, old))
    return choices if len(new) < len(old) or (len(new) == len(old) and lighter) else None


def reparent(
    interests: Interests,
    links: list[Link],
    roots: dict[int, int],
    radius: int,
    caps: Sequence[int],
    order: Sequence[int],
    seen: Sequence[set[int]],
) -> Trees:
    """Let each node choose its parents again, once, in the order given."""
    forest = Trees(interests, links, roots)
    for v in order:
        for t, parent in (choose(forest, v, radius, caps, seen[v]) or {}).items():
            forest.trees[t].parents[v] = parent
    return forest
