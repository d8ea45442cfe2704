"""Pruning with trees as dictionaries, and a search of the subtree for every link."""

from __future__ import annotations

from gossamer.model import Interests

Link = tuple[int, int]


class Tree:
    """The tree of a topic: parent of each subscriber."""

    def __init__(self, root: int, links: list[Link]) -> None:
        self.root = root
        self.parents: dict[int, int] = {root: -1}
        frontier = [root]
        for u in frontier:
            for v in neighbours(u, links):
                if v not in self.parents:
                    self.parents[v] = u
                    frontier.append(v)

    def depth(self, v: int) -> int:
        return 0 if v == self.root else 1 + self.depth(self.parents[v])

    def below(self, v: int) -> list[int]:
        children = [w for w, parent in self.parents.items() if parent == v]
        return [v, *(x for child in children for x in self.below(child))]


def neighbours(v: int, links: list[Link]) -> list[int]:
    return [a + b - v for a, b in links if v in (a, b)]


def prune(
    interests: Interests, links: list[Link], roots: dict[int, int], radius: int
) -> tuple[list[Link], dict[int, Tree]]:
    """Return the links that are kept, and every topic's tree over them."""
    topics = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    kept = list(links)

    def of_topic(t: int) -> list[Link]:
        return [(u, v) for u, v in kept if t in topics[u] & topics[v]]

    trees = {t: Tree(root, of_topic(t)) for t, root in roots.items()}
    degrees = [sum(v in link for link in links) for v in range(interests.node_count)]

    def busy(link: Link) -> tuple[int, int]:
        low, high = sorted(degrees[v] for v in link)
        return high, low

    for link in sorted(links, key=busy):
        moves: dict[Link, int | None] = {}
        for t in topics[link[0]] & topics[link[1]]:
            tree = trees[t]
            for child, parent in (link, link[::-1]):
                if tree.parents[child] == parent:
                    below = tree.below(child)
                    height = max(tree.depth(v) for v in below) - tree.depth(child)
                    others = [
                        v
                        for v in neighbours(child, of_topic(t))
                        if v != parent and v not in below and tree.depth(v) + 1 + height <= radius
                    ]
                    moves[t, child] = min(others, key=tree.depth, default=None)
        if None not in moves.values():
            kept.remove(link)
            for (t, child), instead in moves.items():
                assert instead is not None
                trees[t].parents[child] = instead
    return kept, trees
