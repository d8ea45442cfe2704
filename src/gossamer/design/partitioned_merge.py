"""Greedy merge by shared subsets, in rounds on parts of the table: made for many machines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gossamer.design.distributed import proposals as tasks
from gossamer.design.distributed.merge_rounds import SLOTS_A_BLOCK, merge_in_rounds
from gossamer.design.distributed.merge_state import MergeState, TableShape, told_of
from gossamer.design.distributed.proposals import Block, BulkNodes, LabelSnapshot, LinkProposals
from gossamer.design.registry import algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress

__all__ = ["partitioned_merge"]


class LocalMergeTasks:
    """The tasks of a design, one after the other in this process."""

    def __init__(self, interests: Interests, slots_a_block: int = SLOTS_A_BLOCK) -> None:
        """Cut interests, numbered as :class:`TableShape` says, into blocks."""
        offsets, topics = interests.node_offsets, interests.node_topics
        self._blocks: list[Block] = []
        first = 0
        while first < interests.node_count:
            last = int(np.searchsorted(offsets, offsets[first] + slots_a_block, side="right")) - 1
            last = min(max(last, first + 1), interests.node_count)
            begin, end = int(offsets[first]), int(offsets[last])
            self._blocks.append(
                Block(first, begin, offsets[first : last + 1] - begin, topics[begin:end])
            )
            first = last

    def blocks(self, through: int) -> Iterator[Block]:
        """Give the blocks of the first nodes."""
        return (block for block in self._blocks if block.first_node < through)

    def save(self, step: int, state: MergeState) -> None:
        """Keep nothing: what is interrupted in memory is gone."""

    def restore(self, state: MergeState) -> int:
        """Begin at the beginning."""
        return 0

    def _told(self, state: MergeState) -> Iterator[tuple[Block, LabelSnapshot]]:
        labels, closed = state.labels(), state.parts <= 1
        for block in self._blocks:
            yield block, told_of(block, labels, closed, state.degrees)

    def count_visits(self, *, bulk: int, parts: int, allowance: int) -> list[NDArray[np.int64]]:
        """Count every part's visits."""
        batches: list[list[tasks.RecordBatch]] = [[] for _ in range(parts)]
        for block in self._blocks:
            sizes = np.diff(block.offsets).astype(np.int32)
            told = LabelSnapshot(np.zeros_like(block.topics), sizes)
            for part, batch in tasks.scatter_records(block, told, bulk=bulk, least=1, parts=parts):
                batches[part].append(batch)
        share = max(1, allowance // parts)
        return [tasks.count_visits(part, allowance=share) for part in batches]

    def propose(
        self, state: MergeState, *, bulk: int, parts: int, top: int, floor: int, seed: int
    ) -> Iterator[LinkProposals]:
        """Propose from every part."""
        batches: list[list[tasks.RecordBatch]] = [[] for _ in range(parts)]
        for block, told in self._told(state):
            found = tasks.scatter_records(block, told, bulk=bulk, least=floor, parts=parts)
            for part, batch in found:
                batches[part].append(batch)
        for records in batches:
            yield tasks.propose_from_records(records, top=top, floor=floor, seed=seed)

    def propose_to_bulk(
        self, state: MergeState, bulk: BulkNodes, *, least: int, salt: int
    ) -> Iterator[LinkProposals]:
        """Propose from every block."""
        for block, told in self._told(state):
            yield tasks.propose_to_bulk(block, told, bulk, least=least, salt=salt)

    def span(
        self, state: MergeState, *, parts: int, chosen: range, seed: int
    ) -> Iterator[NDArray[np.int32]]:
        """Span the chosen parts."""
        batches: dict[int, list[tasks.SubscriptionBatch]] = {part: [] for part in chosen}
        for block, told in self._told(state):
            for part, members in tasks.scatter_members(block, told, parts=parts):
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

    The table is cut into parts by topic. In a round, every part proposes links from what it
    knows of the components at that moment, chaining the nodes that share most topics, as
    ``subset-merge`` does; then all proposals are settled in one place, against the true
    components, those that merge most first. A few rounds a level are enough, and the mean
    degree is no higher than when one process does it in sequence.

    Parameters
    ----------
    interests
        Who wants what.
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected. Every link merges, when it is added in the band of levels down to c,
        at least c topics. The same as ``gossamer design --engine spark`` gives.

    Notes
    -----
    Nodes whose shared subsets would exceed 64 a subscription are *bulk*: they are in no
    group; instead every node names the bulk node with which a link would merge most. So on
    heavy tails the hubs are few and known to all, as in greedy merge.

    A task holds one part: 4 million entries of records, and their groups; the one place holds
    4 bytes a subscription and the proposals of a round. Time O(64 · S · s) over all tasks for
    the groups, and Σ over subscriptions of the topic's bulk nodes, a round.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> overlay = partitioned_merge(interests)
    >>> overlay.link_count, int(overlay.degrees.max())
    (4, 2)
    """
    shape, ranked, node_order = numbered(interests)
    state = merge_in_rounds(shape, LocalMergeTasks(ranked), seed=seed, progress=progress)
    links = np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links])
    return Overlay.from_links(interests.node_count, node_order[links])


def numbered(interests: Interests) -> tuple[TableShape, Interests, NDArray[np.int64]]:
    """Put nodes in descending order of size and topics in ascending order of popularity.

    Ties keep their order; topics of a single subscriber are left out. Also returns the nodes
    in their new order.
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
