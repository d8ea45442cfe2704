"""What one task does for a design in rounds: its part of the table in, proposed links out.

The table is cut twice. *Blocks* hold nodes with all their topics; *parts* hold, for some of
the topics, the records of the nodes that have them (see ``kernels/proposing.py``). Every
function here is pure, takes one block or one part, and gives the same whatever the size of
the blocks: where it runs is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import Merging
from gossamer.kernels.merge import propose as proposing
from gossamer.kernels.merge import subsets
from gossamer.kernels.merge.propose import DEAD, Bulk, Records
from gossamer.kernels.relation import Relation
from gossamer.model import Interests
from gossamer.model.csr import offsets_of

__all__ = [
    "Block",
    "BulkNodes",
    "LabelSnapshot",
    "LinkProposals",
    "RecordBatch",
    "SubscriptionBatch",
    "count_visits",
    "propose_from_records",
    "propose_to_bulk",
    "scatter_members",
    "scatter_records",
    "span_members",
]

OPEN_ENDS = 32
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """Consecutive nodes and their topics, in ascending order; offsets begin at 0."""

    first_node: int
    first_slot: int
    offsets: Longs
    topics: Ints

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.offsets) - 1


@dataclass(frozen=True)
class LabelSnapshot:
    """What a task is told of the state: labels and degrees of its block, connected topics."""

    labels: Ints
    degrees: Ints


@dataclass(frozen=True)
class RecordBatch:
    """Records for one part: each node's id and degree, and the sizes of their lists."""

    nodes: Ints
    degrees: Ints
    sizes: Ints
    topics: Ints
    labels: Ints


@dataclass(frozen=True)
class SubscriptionBatch:
    """Subscriptions for one part: node, its degree, topic, and the label of its component."""

    nodes: Ints
    degrees: Ints
    topics: Ints
    labels: Ints


@dataclass(frozen=True)
class LinkProposals:
    """Links (ends in ascending order), and the topics and components that each may merge."""

    ends: Ints
    offsets: Longs
    topics: Ints
    ones: Ints
    others: Ints

    @property
    def distinct(self) -> int:
        """How many different links are proposed: several parts may propose the same."""
        return len(np.unique((self.ends[:, 0].astype(np.int64) << 32) | self.ends[:, 1]))

    @classmethod
    def none(cls) -> LinkProposals:
        """Propose nothing."""
        empty = np.empty(0, dtype=np.int32)
        return cls(np.empty((0, 2), dtype=np.int32), np.zeros(1, np.int64), empty, empty, empty)

    @classmethod
    def joined(cls, several: Sequence[LinkProposals]) -> LinkProposals:
        """Put several one after the other."""
        several = [one for one in several if len(one.ends)]
        if not several:
            return cls.none()
        counts = np.concatenate([np.diff(one.offsets) for one in several])
        return cls(
            np.concatenate([one.ends for one in several]),
            offsets_of(counts),
            np.concatenate([one.topics for one in several]),
            np.concatenate([one.ones for one in several]),
            np.concatenate([one.others for one in several]),
        )

    @classmethod
    def from_pairs(cls, pairs: Ints, left: Records, right: Records) -> LinkProposals:
        """Propose pairs of records, with what they differ in."""
        counts = np.empty(len(pairs), dtype=np.int64)
        proposing.count_differences(pairs, left, right, counts)
        offsets = offsets_of(counts)
        topics = np.empty(offsets[-1], dtype=np.int32)
        ones, others = np.empty_like(topics), np.empty_like(topics)
        proposing.list_differences(pairs, left, right, topics, ones, others)
        ends = np.stack([left.nodes[pairs[:, 0]], right.nodes[pairs[:, 1]]], axis=1)
        ends.sort(axis=1)
        return cls(ends, offsets, topics, ones, others)


@dataclass(frozen=True)
class BulkNodes:
    """The nodes of most subscriptions, or some of them, with their labels and degrees."""

    records: Records
    degrees: Ints
    topic_count: int

    def by_topic(self) -> Bulk:
        """Index them by topic; connected topics are left out."""
        live = self.records.labels != DEAD
        owners = np.repeat(
            np.arange(len(self.records.nodes), dtype=np.int32), np.diff(self.records.offsets)
        )[live]
        topics, labels = self.records.topics[live], self.records.labels[live]
        order = np.argsort(topics, kind="stable")
        counts = np.bincount(topics, minlength=self.topic_count)
        return Bulk(offsets_of(counts), owners[order], labels[order])


# -- cutting a block -----------------------------------------------------------------


def scatter_records(
    block: Block, snapshot: LabelSnapshot, *, bulk: int, least: int, parts: int
) -> Iterator[tuple[int, RecordBatch]]:
    """Give each part the records of this block's nodes, those of the bulk left out.

    Only records of ``least`` topics or more that are not connected yet. O(Σ s²).
    """
    labels = _without_bulk(block, snapshot.labels, bulk)
    records = np.zeros(parts, dtype=np.int64)
    entries = np.zeros(parts, dtype=np.int64)
    arrays = (block.offsets, block.topics, labels, least)
    proposing.count_records(*arrays, records, entries)
    record_offsets, entry_offsets = offsets_of(records), offsets_of(entries)
    nodes, sizes = (np.empty(record_offsets[-1], dtype=np.int32) for _ in range(2))
    topics, found = (np.empty(entry_offsets[-1], dtype=np.int32) for _ in range(2))
    proposing.fill_records(
        *arrays, parts, record_offsets[:-1].copy(), entry_offsets[:-1].copy(),
        nodes, sizes, topics, found,
    )  # fmt: skip
    for part in np.flatnonzero(records).tolist():
        mine = slice(record_offsets[part], record_offsets[part + 1])
        listed = slice(entry_offsets[part], entry_offsets[part + 1])
        yield (
            part,
            RecordBatch(
                nodes[mine] + np.int32(block.first_node),
                snapshot.degrees[nodes[mine]],
                sizes[mine],
                topics[listed],
                found[listed],
            ),
        )


def scatter_members(
    block: Block, snapshot: LabelSnapshot, *, parts: int
) -> Iterator[tuple[int, SubscriptionBatch]]:
    """Give each part the subscriptions to its topics that are not connected yet. O(S)."""
    counts = np.zeros(parts, dtype=np.int64)
    arrays = (block.offsets, block.topics, snapshot.labels)
    proposing.count_members(*arrays, counts)
    offsets = offsets_of(counts)
    nodes, topics, labels = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
    proposing.fill_members(*arrays, parts, offsets[:-1].copy(), nodes, topics, labels)
    for part in np.flatnonzero(counts).tolist():
        mine = slice(offsets[part], offsets[part + 1])
        yield (
            part,
            SubscriptionBatch(
                nodes[mine] + np.int32(block.first_node),
                snapshot.degrees[nodes[mine]],
                topics[mine],
                labels[mine],
            ),
        )


def propose_to_bulk(
    block: Block, snapshot: LabelSnapshot, bulk: BulkNodes, *, least: int, salt: int
) -> LinkProposals:
    """Propose, for each node of the block, a link to the bulk node that merges most topics."""
    records = Records(
        block.offsets,
        block.topics,
        snapshot.labels,
        np.arange(block.first_node, block.first_node + block.node_count, dtype=np.int32),
    )
    partners = np.empty(block.node_count, dtype=np.int32)
    count = len(bulk.records.nodes)
    proposing.best_partners(
        least, salt, records, bulk.by_topic(), bulk.records.nodes, bulk.degrees,
        np.zeros(count, dtype=np.int32), np.empty(count, dtype=np.int32), partners,
    )  # fmt: skip
    found = np.flatnonzero(partners >= 0).astype(np.int32)
    pairs = np.stack([found, partners[found]], axis=1)
    return LinkProposals.from_pairs(pairs, records, bulk.records)


# -- working on a part ---------------------------------------------------------------


@dataclass(frozen=True)
class RecordGroups:
    """The records that share each subset of ``level`` topics, by the place of its last topic."""

    level: int
    offsets: Longs
    places: Ints


def count_visits(batches: Sequence[RecordBatch], *, allowance: int) -> NDArray[np.int64]:
    """Count the subsets that are visited to find this part's groups: by level, and by size.

    Parameters
    ----------
    batches
        The part's records, with the nodes' numbers of subscriptions in the place of degrees.
    allowance
        Stop after the level at which this many are exceeded.

    Returns
    -------
    Array of (levels, largest size + 1): row c − 1 counts what level c's groups are extended by.
    """
    records, order = _sorted_records(batches)
    sizes = np.concatenate([np.empty(0, np.int32), *(batch.degrees for batch in batches)])[order]
    rows = []
    for groups in _mine(records):
        row = np.zeros(int(sizes.max(initial=0)) + 1, dtype=np.int64)
        owners = np.searchsorted(records.offsets, groups.places, side="right") - 1
        visited = records.offsets[owners + 1] - groups.places - 1
        np.add.at(row, sizes[owners], visited)
        rows.append(row)
        allowance -= int(row.sum())
        if allowance < 0:
            break
    return np.array(rows, dtype=np.int64).reshape(len(rows), int(sizes.max(initial=0)) + 1)


def propose_from_records(
    batches: Sequence[RecordBatch], *, top: int, floor: int, seed: int
) -> LinkProposals:
    """Chain the groups of a part, from those that share ``top`` topics down to ``floor``."""
    records, order = _sorted_records(batches)
    if not len(records.nodes):
        return LinkProposals.none()
    label_count, labels = _densify(records.labels)
    node_count, nodes = _densify(records.nodes)
    local = Records(records.offsets, records.topics, labels, nodes)
    degrees = np.zeros(node_count, dtype=np.int32)
    degrees[nodes] = np.concatenate([batch.degrees for batch in batches])[order]
    parents = np.arange(label_count, dtype=np.int32)
    owners = np.repeat(np.arange(len(records.nodes), dtype=np.int32), np.diff(records.offsets))
    levels = [groups for groups in _mine(local, top) if groups.level >= floor]
    random = np.random.default_rng((seed, int(records.topics[0])))
    found = []
    room = len(records.topics)
    for groups in reversed(levels):
        pairs = np.empty((min(room, len(groups.places)), 2), dtype=np.int32)
        count = proposing.propose_chains(
            groups.level, random.permutation(len(groups.offsets) - 1), groups.offsets,
            groups.places, owners, local, parents, degrees,
            np.empty(OPEN_ENDS, dtype=np.int32), pairs,
        )  # fmt: skip
        found.append(pairs[:count])
    return LinkProposals.from_pairs(
        np.concatenate([np.empty((0, 2), np.int32), *found]), records, records
    )


def span_members(batches: Sequence[SubscriptionBatch], *, seed: int) -> Ints:
    """Join what is left of the topics of a part, low degrees first; return the links."""
    nodes, node_codes = np.unique(
        np.concatenate([batch.nodes for batch in batches]), return_inverse=True
    )
    topics, topic_codes = np.unique(
        np.concatenate([batch.topics for batch in batches]), return_inverse=True
    )
    labels = np.concatenate([batch.labels for batch in batches])
    interests = Interests.from_ids(
        node_codes, topic_codes, node_names=len(nodes), topic_names=len(topics)
    )
    merging = Merging(interests, ties="fewest-degree", seed=seed)
    order = np.lexsort((topic_codes, node_codes))
    degrees = np.zeros(len(nodes), dtype=np.int32)
    degrees[node_codes] = np.concatenate([batch.degrees for batch in batches])
    merging.start_from(labels[order], degrees)
    merging.span()
    return nodes[merging.ordered_links()].astype(np.int32)


def _sorted_records(batches: Sequence[RecordBatch]) -> tuple[Records, Longs]:
    """Put records in the order of prefix and node, so that it does not matter how they came."""
    nodes = np.concatenate([np.empty(0, np.int32), *(batch.nodes for batch in batches)])
    sizes = np.concatenate([np.empty(0, np.int64), *(batch.sizes for batch in batches)])
    topics = np.concatenate([np.empty(0, np.int32), *(batch.topics for batch in batches)])
    labels = np.concatenate([np.empty(0, np.int32), *(batch.labels for batch in batches)])
    sizes = sizes.astype(np.int64)
    starts = offsets_of(sizes)[:-1]
    order = np.argsort((topics[starts].astype(np.int64) << 32) | nodes, kind="stable")
    offsets = offsets_of(sizes[order])
    take = np.repeat(starts[order] - offsets[:-1], sizes[order]) + np.arange(offsets[-1])
    return Records(offsets, topics[take], labels[take], nodes[order]), order


def _mine(records: Records, top: int | None = None) -> Iterator[RecordGroups]:
    """Give the groups of level 1 (the prefixes), 2, 3 and so on, up to ``top``."""
    if not len(records.nodes):
        return
    starts = records.offsets[:-1]
    prefixes = records.topics[starts]
    cuts = np.flatnonzero(np.diff(prefixes)) + 1
    bounds = np.concatenate(([0], cuts, [len(prefixes)])).astype(np.int64)
    groups = RecordGroups(1, bounds, starts.astype(np.int32))
    owners = np.repeat(np.arange(len(records.nodes), dtype=np.int32), np.diff(records.offsets))
    empty = np.empty(0, dtype=np.int32)
    relation = Relation(records.offsets, records.topics, np.zeros(1, np.int64), empty, empty, empty)
    topic_count = int(records.topics.max()) + 1
    seen = np.zeros(topic_count, dtype=np.int32)
    touched = np.empty(topic_count, dtype=np.int32)
    places = np.empty(topic_count, dtype=np.int64)
    while len(groups.places):
        yield groups
        if groups.level == top:
            return
        arrays = (groups.offsets, groups.places, owners, relation, seen, touched)
        totals = np.zeros(2, dtype=np.int64)
        subsets.count_extensions(*arrays, totals)
        offsets = np.empty(int(totals[0]) + 1, dtype=np.int64)
        found = np.empty(int(totals[1]), dtype=np.int32)
        subsets.extend_groups(*arrays, places, offsets, found)
        groups = RecordGroups(groups.level + 1, offsets, found)


def _densify(values: Ints) -> tuple[int, Ints]:
    slots = 2 << int(np.ceil(np.log2(max(len(values), 1))))
    codes = np.empty(len(values), dtype=np.int32)
    count = proposing.densify(values, np.full((slots, 2), -1, dtype=np.int32), codes)
    return int(count), codes


def _without_bulk(block: Block, labels: Ints, bulk: int) -> Ints:
    """Return the labels with those of bulk nodes dead."""
    inside = min(max(bulk - block.first_node, 0), block.node_count)
    if not inside:
        return labels
    labels = labels.copy()
    labels[: block.offsets[inside]] = DEAD
    return labels
