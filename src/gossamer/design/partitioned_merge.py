"""Subset merge in rounds on parts of the table, for tables on many machines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gossamer.design.distributed import proposals as tasks
from gossamer.design.distributed.merge_rounds import SLOTS_PER_BLOCK, merge_in_rounds
from gossamer.design.distributed.merge_state import MergeState, TableShape, snapshot_for
from gossamer.design.distributed.proposals import Block, BulkNodes, LabelSnapshot, LinkProposals
from gossamer.design.registry import algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress


class LocalMergeTasks:
    """Executor of the tasks in this process, one after the other."""

    def __init__(self, interests: Interests, slots_per_block: int = SLOTS_PER_BLOCK) -> None:
        """Cut interests, numbered as :class:`TableShape` requires, into blocks."""
        offsets, topics = interests.node_offsets, interests.node_topics
        self._blocks: list[Block] = []
        first = 0
        while first < interests.node_count:
            last = int(np.searchsorted(offsets, offsets[first] + slots_per_block, side="right")) - 1
            last = min(max(last, first + 1), interests.node_count)
            begin, end = int(offsets[first]), int(offsets[last])
            self._blocks.append(
                Block(first, begin, offsets[first : last + 1] - begin, topics[begin:end])
            )
            first = last

    def blocks(self, through: int) -> Iterator[Block]:
        """Yield the blocks of the first nodes."""
        return (block for block in self._blocks if block.first_node < through)

    def save(self, step: int, state: MergeState) -> None:
        """Do nothing: an interrupted design in memory starts again."""

    def restore(self, state: MergeState) -> int:
        """Return 0 steps done."""
        return 0

    def _snapshots(self, state: MergeState) -> Iterator[tuple[Block, LabelSnapshot]]:
        labels, closed = state.labels(), state.parts <= 1
        for block in self._blocks:
            yield block, snapshot_for(block, labels, closed, state.degrees)

    def count_visits(self, *, bulk: int, parts: int, allowance: int) -> list[NDArray[np.int64]]:
        """Count the visits of every part."""
        batches: list[list[tasks.RecordBatch]] = [[] for _ in range(parts)]
        for block in self._blocks:
            sizes = np.diff(block.offsets).astype(np.int32)
            snapshot = LabelSnapshot(np.zeros_like(block.topics), sizes)
            for part, batch in tasks.scatter_records(
                block, snapshot, bulk=bulk, least=1, parts=parts
            ):
                batches[part].append(batch)
        share = max(1, allowance // parts)
        return [tasks.count_visits(part, allowance=share) for part in batches]

    def propose(
        self, state: MergeState, *, bulk: int, parts: int, top: int, floor: int, seed: int
    ) -> Iterator[LinkProposals]:
        """Propose links from every part."""
        batches: list[list[tasks.RecordBatch]] = [[] for _ in range(parts)]
        for block, snapshot in self._snapshots(state):
            found = tasks.scatter_records(block, snapshot, bulk=bulk, least=floor, parts=parts)
            for part, batch in found:
                batches[part].append(batch)
        for records in batches:
            yield tasks.propose_from_records(records, top=top, floor=floor, seed=seed)

    def propose_to_bulk(
        self, state: MergeState, bulk: BulkNodes, *, least: int, salt: int
    ) -> Iterator[LinkProposals]:
        """Propose links from every block."""
        for block, snapshot in self._snapshots(state):
            yield tasks.propose_to_bulk(block, snapshot, bulk, least=least, salt=salt)

    def span(
        self, state: MergeState, *, parts: int, chosen: range, seed: int
    ) -> Iterator[NDArray[np.int32]]:
        """Join the remaining components in the chosen parts."""
        batches: dict[int, list[tasks.SubscriptionBatch]] = {part: [] for part in chosen}
        for block, snapshot in self._snapshots(state):
            for part, members in tasks.scatter_members(block, snapshot, parts=parts):
                if part in batches:
                    batches[part].append(members)
        for part, members_of in batches.items():
            if members_of:
                yield tasks.span_members(members_of, seed=seed + part)


@algorithm(
    "partitioned-merge",
    reference="ours: subset merge in rounds on parts of the table",
    topic_connected=True,
)
def partitioned_merge(
    interests: Interests, *, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Run subset merge in rounds on parts of the table, as Spark does for large tables (ours).

    The table is cut into parts by topic. In a round, every part proposes links from a snapshot of
    the components, by chaining the nodes that share most topics, as ``subset-merge`` does. One
    process then accepts proposals against the true components, those that merge most first. A few
    rounds a level suffice, and the mean degree is no higher than that of the sequential algorithm.

    Parameters
    ----------
    interests
        Topics of each node.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected. A link that is added in the band of levels down to c merges at least c
        components. Equal to the result of ``gossamer design --engine spark``.

    Notes
    -----
    Nodes whose shared subsets would exceed 64 a subscription are *bulk*: they are in no group;
    instead every node names the bulk node with which a link would merge most. So on heavy tails
    there are few hubs, which all parts know, as in greedy merge.

    A task holds one part: 4 million entries of records, and their groups. The process that accepts
    proposals holds 4 bytes a subscription and the proposals of a round. Time O(64 · S · s) over all
    tasks for the groups, and Σ over subscriptions of the topic's bulk nodes, a round.

    See Also
    --------
    subset_merge

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> overlay = partitioned_merge(interests)
    >>> overlay.link_count, int(overlay.degrees.max())
    (4, 2)
    """
    shape, ranked, node_order = number_table(interests)
    state = merge_in_rounds(shape, LocalMergeTasks(ranked), seed=seed, progress=progress)
    links = np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links])
    return Overlay.from_links(interests.node_count, node_order[links])


def number_table(interests: Interests) -> tuple[TableShape, Interests, NDArray[np.int64]]:
    """Return the table with nodes by descending size and topics by ascending popularity.

    Also its shape, and the old number of each node.

    Ties keep their order; topics of a single subscriber are left out.
    """
    kept = interests.popularity[interests.node_topics] >= 2
    sizes = np.bincount(interests.node_column[kept], minlength=interests.node_count)
    node_order = np.argsort(-sizes, kind="stable")
    node_rank = np.empty_like(node_order)
    node_rank[node_order] = np.arange(len(node_order))
    shared = np.flatnonzero(interests.popularity >= 2)
    topic_order = shared[np.argsort(interests.popularity[shared], kind="stable")]
    topic_rank = np.full(interests.topic_count, -1)
    topic_rank[topic_order] = np.arange(len(topic_order))
    ranked = Interests.from_ids(
        node_rank[interests.node_column[kept]],
        topic_rank[interests.node_topics[kept]],
        node_names=interests.node_count,
        topic_names=len(topic_order),
    )
    shape = TableShape(
        ranked.subscription_sizes.astype(np.int64), ranked.popularity.astype(np.int64)
    )
    return shape, ranked, node_order
