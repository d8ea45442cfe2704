"""Tasks of a design in rounds: parts of the table in, proposed links out.

The table is divided twice. *Blocks* hold nodes with all their topics; *parts* hold, for some
topics, the records of the nodes that have them (``kernels/merge/propose.py``). Every function is
pure, takes one block or one part, and gives the same result for any size of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import MergeDesign
from gossamer.design._merge.subset_groups import SubsetGroups, mine_groups
from gossamer.kernels.merge import propose as proposing
from gossamer.kernels.merge.propose import DEAD, Bulk, Records
from gossamer.kernels.relation import Relation
from gossamer.model import Interests
from gossamer.model.csr import offsets_of

OPEN_ENDS = 32
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """Consecutive nodes and their topics, in ascending order; offsets start at 0."""

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
    """Labels of a block's subscriptions and degrees of its nodes; connected topics are dead."""

    labels: Ints
    degrees: Ints


@dataclass(frozen=True)
class RecordBatch:
    """Records for one part: identifier and degree of each node, size of its list, and the lists."""

    nodes: Ints
    degrees: Ints
    sizes: Ints
    topics: Ints
    labels: Ints


@dataclass(frozen=True)
class SubscriptionBatch:
    """Subscriptions for one part: node, its degree, topic, and label of the component."""

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
        """Number of different links; several parts may propose the same."""
        return len(np.unique((self.ends[:, 0].astype(np.int64) << 32) | self.ends[:, 1]))

    @classmethod
    def none(cls) -> LinkProposals:
        """Return no proposals."""
        empty = np.empty(0, dtype=np.int32)
        return cls(np.empty((0, 2), dtype=np.int32), np.zeros(1, np.int64), empty, empty, empty)

    @classmethod
    def concatenate(cls, several: Sequence[LinkProposals]) -> LinkProposals:
        """Concatenate proposals."""
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
        """Propose pairs of records, with the topics and components in which they differ."""
        counts = np.empty(len(pairs), dtype=np.int64)
        capacity = int(np.diff(left.offsets)[pairs[:, 0]].sum())
        topics, ones, others = (np.empty(capacity, dtype=np.int32) for _ in range(3))
        count = proposing.list_differences(pairs, left, right, counts, topics, ones, others)
        ends = np.stack([left.nodes[pairs[:, 0]], right.nodes[pairs[:, 1]]], axis=1)
        ends.sort(axis=1)
        found = (column[:count].copy() for column in (topics, ones, others))
        return cls(ends, offsets_of(counts), *found)


@dataclass(frozen=True)
class BulkNodes:
    """Some of the nodes of most subscriptions, with their labels and degrees."""

    records: Records
    degrees: Ints
    topic_count: int

    def by_topic(self) -> Bulk:
        """Return them by topic, without connected topics."""
        live = self.records.labels != DEAD
        owners = np.repeat(
            np.arange(len(self.records.nodes), dtype=np.int32), np.diff(self.records.offsets)
        )[live]
        topics, labels = self.records.topics[live], self.records.labels[live]
        order = np.argsort(topics, kind="stable")
        counts = np.bincount(topics, minlength=self.topic_count)
        return Bulk(offsets_of(counts), owners[order], labels[order])


def scatter_records(
    block: Block, snapshot: LabelSnapshot, *, bulk: int, least: int, parts: int
) -> Iterator[tuple[int, RecordBatch]]:
    """Yield the records of this block's nodes for each part, without bulk nodes.

    Only records of ``least`` disconnected topics or more. O(Σ s²).
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
    """Yield the subscriptions to disconnected topics for each part. O(S)."""
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
    """Propose, for each node of the block, a link to the bulk node that merges most components."""
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


def count_visits(batches: Sequence[RecordBatch], *, allowance: int) -> NDArray[np.int64]:
    """Count the subsets that are visited to find the groups of a part, by level and by size.

    Parameters
    ----------
    batches
        Records of the part, with the nodes' subscription sizes in place of degrees.
    allowance
        Number of visits after whose level counting stops.

    Returns
    -------
    Array of (levels, largest size + 1): row c − 1 counts the extensions of the groups of level c.
    """
    records, order = _sorted_records(batches)
    sizes = np.concatenate([np.empty(0, np.int32), *(batch.degrees for batch in batches)])[order]
    rows = []
    for groups in _groups_by_level(records):
        row = np.zeros(int(sizes.max(initial=0)) + 1, dtype=np.int64)
        owners = np.searchsorted(records.offsets, groups.records, side="right") - 1
        visited = records.offsets[owners + 1] - groups.records - 1
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
    levels = [groups for groups in _groups_by_level(local, top) if groups.level >= floor]
    random = np.random.default_rng((seed, int(records.topics[0])))
    found = []
    capacity = len(records.topics)
    for groups in reversed(levels):
        pairs = np.empty((min(capacity, len(groups.records)), 2), dtype=np.int32)
        count = proposing.propose_chains(
            groups.level, random.permutation(len(groups.offsets) - 1), groups.offsets,
            groups.records, owners, local, parents, degrees,
            np.empty(OPEN_ENDS, dtype=np.int32), pairs,
        )  # fmt: skip
        found.append(pairs[:count])
    return LinkProposals.from_pairs(
        np.concatenate([np.empty((0, 2), np.int32), *found]), records, records
    )


def span_members(batches: Sequence[SubscriptionBatch], *, seed: int) -> Ints:
    """Join the components of the topics of a part, low degrees first; return the links."""
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
    merging = MergeDesign(interests, ties="fewest-degree", seed=seed)
    order = np.lexsort((topic_codes, node_codes))
    degrees = np.zeros(len(nodes), dtype=np.int32)
    degrees[node_codes] = np.concatenate([batch.degrees for batch in batches])
    merging.restore_from(labels[order], degrees)
    merging.span()
    return nodes[merging.ordered_links()].astype(np.int32)


def _sorted_records(batches: Sequence[RecordBatch]) -> tuple[Records, Longs]:
    """Sort records by prefix and node, so that their order of arrival has no effect."""
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


def _groups_by_level(records: Records, top: int | None = None) -> Iterator[SubsetGroups]:
    """Yield the groups of level 1 (the prefixes), 2, 3 and so on, up to ``top``."""
    if not len(records.nodes):
        return
    starts = records.offsets[:-1]
    prefixes = records.topics[starts]
    cuts = np.flatnonzero(np.diff(prefixes)) + 1
    bounds = np.concatenate(([0], cuts, [len(prefixes)])).astype(np.int64)
    groups = SubsetGroups(1, bounds, starts.astype(np.int32))
    owners = np.repeat(np.arange(len(records.nodes), dtype=np.int32), np.diff(records.offsets))
    empty = np.empty(0, dtype=np.int32)
    relation = Relation(records.offsets, records.topics, np.zeros(1, np.int64), empty, empty, empty)
    yield from mine_groups(groups, owners, relation, int(records.topics.max()) + 1, top)


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
