"""Tasks of a design in rounds with dictionaries and all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gossamer.design.distributed.proposals import Block, LinkProposals
from gossamer.model import Interests


def whole_block(interests: Interests) -> Block:
    """All nodes in one block."""
    return Block(0, 0, interests.node_offsets.astype(np.int64), interests.node_topics)


def labelled(block: Block, labels: np.ndarray) -> list[dict[int, int]]:
    """Each node's topics with their labels, those of connected topics left out."""
    return [
        {
            int(topic): int(label)
            for topic, label in zip(block.topics[begin:end], labels[begin:end], strict=True)
            if label >= 0
        }
        for begin, end in zip(block.offsets[:-1], block.offsets[1:], strict=True)
    ]


def differences(one: dict[int, int], other: dict[int, int]) -> set[tuple[int, int, int]]:
    """The topics that both have with different labels, and the labels."""
    return {(t, one[t], other[t]) for t in one.keys() & other.keys() if one[t] != other[t]}


class Partition:
    """Which labels have been merged into one."""

    def __init__(self) -> None:
        self.of: dict[int, frozenset[int]] = {}

    def part(self, label: int) -> frozenset[int]:
        return self.of.get(label, frozenset([label]))

    def same(self, one: int, other: int) -> bool:
        return self.part(one) == self.part(other)

    def merge(self, one: int, other: int) -> None:
        joined = self.part(one) | self.part(other)
        for label in joined:
            self.of[label] = joined


def entries_of(proposals: LinkProposals, place: int) -> list[tuple[int, int, int]]:
    begin, end = proposals.offsets[place], proposals.offsets[place + 1]
    return [
        (int(topic), int(one), int(other))
        for topic, one, other in zip(
            proposals.topics[begin:end],
            proposals.ones[begin:end],
            proposals.others[begin:end],
            strict=True,
        )
    ]


def worth(partition: Partition, entries: list[tuple[int, int, int]]) -> int:
    return sum(not partition.same(one, other) for _, one, other in entries)


def best_partners(
    nodes: list[dict[int, int]], bulk: range, least: int
) -> list[tuple[int, set[int]]]:
    """For each node the most topics that a link to a bulk node would merge, and to which."""
    found = []
    for v, mine in enumerate(nodes):
        gains = {u: len(differences(mine, nodes[u])) for u in bulk if u != v}
        most = max(gains.values(), default=0)
        partners = {u for u, gain in gains.items() if gain == most}
        found.append((most, partners) if most >= least else (0, set[int]()))
    return found


def visits_by_level(interests: Interests, bulk: int) -> list[int]:
    """How many subsets are looked at to extend the groups of level 1, 2 and so on."""
    topics = [sorted(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    counts = []
    for level in range(1, max(map(len, topics), default=0) + 1):
        members: dict[tuple[int, ...], list[int]] = {}
        for v in range(bulk, len(topics)):
            for subset in combinations(topics[v], level):
                members.setdefault(subset, []).append(v)
        kept = {s: vs for s, vs in members.items() if level == 1 or len(vs) > 1}
        if not kept:
            break
        counts.append(
            sum(sum(t > subset[-1] for t in topics[v]) for subset, vs in kept.items() for v in vs)
        )
    return counts
