"""A partitioned design in rounds: the sequence of tasks, in one process or on Spark.

The level of a proposed link is the number of topics in which it joins components. Proposals are
accepted in bands of levels, from the highest level down to two. Then the remaining components of
each topic are joined. Tasks are in ``proposals``, the state between rounds in ``merge_state``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.subset_groups import enlarge_bulk
from gossamer.design.distributed.merge_state import MergeState, TableShape, snapshot_for
from gossamer.design.distributed.proposals import (
    Block,
    BulkNodes,
    LabelSnapshot,
    LinkProposals,
    propose_to_bulk,
)
from gossamer.kernels.merge.propose import Records
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

MAX_VISITS = 64
"""Maximum subsets visited, over all levels, per subscription; larger nodes are bulk."""

MAX_GROUPED_SIZE = 2 * MAX_VISITS
"""Subscription size at which the pairs of topics alone exceed the allowance."""

ENTRIES_PER_PART = 4_000_000
"""Entries of records in a part, 8 bytes each; a task holds several copies."""

BULK_ENTRIES = 8_000_000
"""Subscriptions of bulk nodes that are broadcast to every task at once."""

SLOTS_PER_BLOCK = 250_000
"""Subscriptions of the nodes in a block."""

MAX_ROUNDS = 6
"""Maximum rounds of proposals for one band of levels."""

NEXT_FLOOR = 0.6
"""Lowest level of a band, as a share of its highest level."""

MIN_MERGED_SHARE = 0.01
"""With bulk nodes: share of the missing merges that a round must make for another one to follow."""

MIN_REJECTED_SHARE = 0.02
"""Without bulk nodes: rejected proposals, as a share of all links, for another round to follow."""

SPANNING_ROUNDS = 4
"""Groups of topics whose remaining components are joined one group after the other."""


class Tasks(Protocol):
    """The executor of the tasks on blocks and parts: one process, or Spark."""

    def blocks(self, through: int) -> Iterator[Block]:
        """Yield the blocks of the first ``through`` nodes, at least one."""
        ...

    def count_visits(self, *, bulk: int, parts: int, allowance: int) -> list[NDArray[np.int64]]:
        """Apply :func:`proposals.count_visits` to every part."""
        ...

    def propose(
        self, state: MergeState, *, bulk: int, parts: int, top: int, floor: int, seed: int
    ) -> Iterable[LinkProposals]:
        """Apply :func:`proposals.propose_from_records` to every part."""
        ...

    def propose_to_bulk(
        self, state: MergeState, bulk: BulkNodes, *, least: int, salt: int
    ) -> Iterable[LinkProposals]:
        """Apply :func:`proposals.propose_to_bulk` to every block."""
        ...

    def span(
        self, state: MergeState, *, parts: int, chosen: range, seed: int
    ) -> Iterable[NDArray[np.int32]]:
        """Apply :func:`proposals.span_members` to the chosen parts."""
        ...

    def save(self, step: int, state: MergeState) -> None:
        """Store the state after a step, for a restart after an interruption."""
        ...

    def restore(self, state: MergeState) -> int:
        """Load the stored state, and return the number of steps done."""
        ...


@dataclass(frozen=True)
class Plan:
    """Parameters of a design in rounds.

    Attributes
    ----------
    bulk
        Number of bulk nodes: the first nodes, too large for groups of nodes that share a subset.
    largest_grouped
        Subscription size of the first node that is not bulk.
    parts
        Number of parts of the records.
    top
        Highest level that has groups.
    """

    bulk: int
    largest_grouped: int
    parts: int
    top: int

    @classmethod
    def of(cls, shape: TableShape, runner: Tasks) -> Plan:
        """Count the shared subsets of all parts, and enlarge the bulk until they are within bounds.

        The counts of parts add up to those of the whole table, because a subset is visited only
        where its lowest topic is.
        """
        sizes = shape.sizes
        bulk = int(np.searchsorted(-sizes, -MAX_GROUPED_SIZE, side="left"))
        allowance = MAX_VISITS * int(sizes[bulk:].sum())
        while True:
            parts = max(1, -(-shape.entries(bulk) // ENTRIES_PER_PART))
            counted = runner.count_visits(bulk=bulk, parts=parts, allowance=4 * allowance)
            levels = max((len(one) for one in counted), default=0)
            widest = max((one.shape[1] for one in counted), default=1)
            visits = np.zeros((levels, widest), dtype=np.int64)
            for one in counted:
                visits[: one.shape[0], : one.shape[1]] += one
            if visits.sum() <= allowance:
                largest = int(sizes[bulk]) if bulk < len(sizes) else 0
                return cls(bulk, largest, parts, levels)
            bulk = enlarge_bulk(sizes, bulk, visits.sum(axis=0), allowance)

    def bands(self, sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the levels whose proposals are accepted together, highest and lowest, in order."""
        top = max(self.top, int(sizes[0])) if self.bulk else self.top
        bands = []
        while top > 1:
            floor = max(2, int(np.ceil(top * NEXT_FLOOR)) if top > 3 else top)
            bands.append((top, floor))
            top = floor - 1
        return bands


def merge_in_rounds(
    shape: TableShape, runner: Tasks, *, seed: int, progress: Progress | None = None
) -> MergeState:
    """Choose all links: bands of levels from the highest down, then the rest of each topic.

    A step is a round of proposals that are accepted together, or the spanning of some topics. The
    state is stored after every step.
    """
    report = progress or silent
    report("finding shared subsets", 0.0)
    state = MergeState(shape, seed)
    to_merge = max(state.missing_merges, 1)
    plan = Plan.of(shape, runner)
    done = runner.restore(state)
    step = 0
    for top, floor in plan.bands(shape.sizes):
        if step >= done:
            state.continues = True
        for turn in range(MAX_ROUNDS):
            step += 1
            if step <= done:
                continue
            if state.continues and state.missing_merges:
                state.continues = _round(state, runner, plan, top, floor, seed + turn)
                runner.save(step, state)
            report(
                f"merging {floor} topics and more at a time: {state.link_count:,} links, "
                f"{state.open_topics:,} topics disconnected",
                1 - state.missing_merges / to_merge,
            )
            if not state.continues:
                step += MAX_ROUNDS - turn - 1
                break
    # Some topics at a time, so that the next ones see the degrees that result.
    parts = plan.parts * SPANNING_ROUNDS
    for turn in range(SPANNING_ROUNDS):
        step += 1
        if step > done and state.missing_merges:
            chosen = range(turn, parts, SPANNING_ROUNDS)
            for links in runner.span(state, parts=parts, chosen=chosen, seed=seed):
                state.add(links)
            runner.save(step, state)
            report(
                f"joining what is left: {state.link_count:,} links", (turn + 1) / SPANNING_ROUNDS
            )
    return state


def _round(state: MergeState, runner: Tasks, plan: Plan, top: int, floor: int, seed: int) -> bool:
    """Propose and accept links once; return whether to do another round at this floor."""
    found: list[LinkProposals] = []
    if floor <= plan.top:
        found += runner.propose(
            state, bulk=plan.bulk, parts=plan.parts, top=min(top, plan.top), floor=floor, seed=seed
        )
    for some in _bulk_nodes(state, runner, plan.bulk):
        found += _to_bulk(runner, state, some, floor, plan.largest_grouped, seed)
    proposed = LinkProposals.concatenate(found)
    before = state.link_count
    merged = state.accept_proposals(proposed, floor)
    if plan.bulk:  # a node has named only one bulk partner, and may have a second choice
        return merged > MIN_MERGED_SHARE * state.missing_merges
    rejected = proposed.distinct - (state.link_count - before)
    return rejected > MIN_REJECTED_SHARE * state.link_count


def _bulk_nodes(state: MergeState, runner: Tasks, bulk: int) -> Iterator[BulkNodes]:
    """Yield the bulk nodes with their labels, in chunks that are broadcast together."""
    if not bulk:
        return
    labels, closed = state.labels(), state.parts <= 1
    waiting: list[tuple[Block, LabelSnapshot]] = []
    chunk = 0
    for block in runner.blocks(bulk):
        # A chunk ends where it is full, independent of the division into blocks.
        count = min(block.node_count, bulk - block.first_node)
        chunks = (block.first_slot + block.offsets[:count]) // BULK_ENTRIES
        bounds = [0, *(np.flatnonzero(np.diff(chunks)) + 1).tolist(), count]
        for begin, end in pairwise(bounds):
            if waiting and chunks[begin] != chunk:
                yield _join_blocks(waiting, len(state.parts))
                waiting = []
            chunk = int(chunks[begin])
            first, last = int(block.offsets[begin]), int(block.offsets[end])
            some = Block(
                block.first_node + begin,
                block.first_slot + first,
                block.offsets[begin : end + 1] - first,
                block.topics[first:last],
            )
            waiting.append((some, snapshot_for(some, labels, closed, state.degrees)))
    if waiting:
        yield _join_blocks(waiting, len(state.parts))


def _join_blocks(blocks: Sequence[tuple[Block, LabelSnapshot]], topic_count: int) -> BulkNodes:
    first = blocks[0][0].first_node
    sizes = np.concatenate([np.diff(block.offsets) for block, _ in blocks])
    records = Records(
        offsets_of(sizes),
        np.concatenate([block.topics for block, _ in blocks]),
        np.concatenate([snapshot.labels for _, snapshot in blocks]),
        np.arange(first, first + len(sizes), dtype=np.int32),
    )
    return BulkNodes(
        records, np.concatenate([snapshot.degrees for _, snapshot in blocks]), topic_count
    )


def _to_bulk(
    runner: Tasks, state: MergeState, some: BulkNodes, floor: int, largest: int, salt: int
) -> Iterator[LinkProposals]:
    """Propose links to bulk nodes; directly, if only bulk nodes have enough topics."""
    if floor > largest:
        records = some.records
        block = Block(int(records.nodes[0]), 0, records.offsets, records.topics)
        snapshot = LabelSnapshot(records.labels, np.zeros(len(records.nodes), dtype=np.int32))
        yield propose_to_bulk(block, snapshot, some, least=floor, salt=salt)
        return
    yield from runner.propose_to_bulk(state, some, least=floor, salt=salt)
