"""Vitis's gossip as a cycle-driven simulator in plain Python does it: an object for each node.

The same round as the kernels': Newscast, an exchange of routing tables with Algorithm 4, and
heartbeats; sets, dictionaries and sorting by the standard library.
"""

from __future__ import annotations

import heapq
from random import Random

from gossamer.model import Interests
from gossamer.protocols.components.identifiers import identifier_of_node

__all__ = ["PlainGossip"]

CIRCLE = 1 << 64


class _Node:
    """A node: what it wants, whom it has heard of, and its routing table."""

    def __init__(self, number: int, wants: frozenset[int], target: int) -> None:
        self.number = number
        self.identifier = identifier_of_node(number)
        self.wants = wants
        self.target = target
        self.view: dict[int, int] = {}
        self.links: list[int] = []
        self.friends: dict[int, float] = {}
        self.heard: dict[int, int] = {}

    @property
    def table(self) -> list[int]:
        return [*self.links, *self.friends]


class PlainGossip:
    """All nodes, in rounds."""

    def __init__(
        self, interests: Interests, *, table: int = 15, view: int = 20, missed: int = 5,
        ring_share: float = 1 / 3, seed: int = 1,
    ) -> None:  # fmt: skip
        self.random = Random(seed)
        self.table, self.view, self.missed, self.ring_share = table, view, missed, ring_share
        self.now = 0
        count = interests.node_count
        self.nodes = []
        for number in range(count):
            distance = int(0.5 * (count / 2) ** -self.random.random() * CIRCLE)
            distance *= self.random.choice((-1, 1))
            target = (identifier_of_node(number) + distance) % CIRCLE
            wants = frozenset(interests.topics_of(number).tolist())
            self.nodes.append(_Node(number, wants, target))
        for node in self.nodes:
            bootstrap = self.random.sample(range(count), min(view + 1, count))
            node.view = dict.fromkeys([peer for peer in bootstrap if peer != node.number][:view], 0)

    def round(self) -> None:
        """Let a round pass."""
        self.now += 1
        order = list(self.nodes)
        self.random.shuffle(order)
        for node in order:
            self._sample(node)
        for node in order:
            self._exchange(node)
        for node in order:
            node.heard = dict.fromkeys(node.table, self.now)  # every peer answers

    def _sample(self, node: _Node) -> None:
        if not node.view:
            return
        partner = self.nodes[self.random.choice(list(node.view))]
        union = {node.number: self.now, partner.number: self.now}
        for view in (node.view, partner.view):
            for peer, stamp in view.items():
                if stamp > union.get(peer, -1):
                    union[peer] = stamp
        entries = list(union.items())
        self.random.shuffle(entries)  # so that ties are broken at random
        for one in (node, partner):
            others = [entry for entry in entries if entry[0] != one.number]
            one.view = dict(heapq.nlargest(self.view, others, key=lambda entry: entry[1]))

    def _exchange(self, node: _Node) -> None:
        known = node.table
        if known and self.random.random() < self.ring_share:
            chosen = self.random.choice(node.links[:2])
        elif known:
            chosen = self.random.choice(known)
        elif node.view:
            chosen = next(iter(node.view))
        else:
            return
        partner = self.nodes[chosen]
        oldest = self.now - self.missed
        buffer = {node.number, partner.number}
        for one in (node, partner):
            buffer.update(peer for peer in one.table if one.heard.get(peer, self.now) >= oldest)
            buffer.update(peer for peer, stamp in one.view.items() if stamp >= oldest)
        self._select(node, buffer - {node.number})
        self._select(partner, buffer - {partner.number})

    def _select(self, node: _Node, buffer: set[int]) -> None:
        nodes, own, target = self.nodes, node.identifier, node.target
        links: list[int] = []
        for gap in (
            lambda peer: (nodes[peer].identifier - own) % CIRCLE,
            lambda peer: (own - nodes[peer].identifier) % CIRCLE,
            lambda peer: min(
                (nodes[peer].identifier - target) % CIRCLE,
                (target - nodes[peer].identifier) % CIRCLE,
            ),
        ):
            if buffer:
                links.append(min(buffer, key=gap))
                buffer.discard(links[-1])
        liked = []
        for peer in buffer:
            worth = node.friends.get(peer, -1.0)
            new = worth < 0
            if new:
                wants = nodes[peer].wants
                shared = len(node.wants & wants)
                either = len(node.wants) + len(wants) - shared
                worth = shared / either if either else 0.0
            liked.append((worth, not new, peer))
        best = heapq.nlargest(self.table - 3, liked)
        node.links = links
        node.friends = {peer: worth for worth, _, peer in best}

    def ring_right(self) -> float:
        """Return the share of nodes whose successor and predecessor are the right ones."""
        around = sorted(self.nodes, key=lambda node: node.identifier)
        right = sum(
            node.links[:2] == [around[(k + 1) % len(around)].number, around[k - 1].number]
            for k, node in enumerate(around)
        )
        return right / len(around)

    def liking(self) -> float:
        """Return the mean utility of a friend."""
        worths = [worth for node in self.nodes for worth in node.friends.values()]
        return sum(worths) / max(len(worths), 1)
