"""A design in rounds: what is asked of the tasks when, wherever they run.

Links are settled in bands of levels, from those that merge most topics down to two; then
what is left of each topic is joined. What a task does is in ``proposals``, what is kept
between rounds in ``settlement``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.design.distributed.merge_state import MergeState, TableShape, told_of
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

__all__ = ["SLOTS_A_BLOCK", "Plan", "Tasks", "merge_in_rounds"]

VISITS_A_SUBSCRIPTION = 64
"""Subsets that may be visited, over all levels, per subscription; nodes beyond are bulk."""

MAX_GROUPED = 2 * VISITS_A_SUBSCRIPTION
"""A node of more subscriptions exceeds the allowance by its pairs of topics alone."""

ENTRIES_A_PART = 4_000_000
"""Entries of records in a part, 8 bytes each: what a task holds, several times over."""

BULK_ENTRIES = 8_000_000
"""Subscriptions of bulk nodes that are sent to every task at once."""

SLOTS_A_BLOCK = 250_000
MAX_ROUNDS = 6
NEXT_FLOOR = 0.6
MERGES_FOR_ANOTHER_ROUND = 0.01
VAIN_FOR_ANOTHER_ROUND = 0.02
SPANNING_ROUNDS = 4


class Tasks(Protocol):
    """Where the work on blocks and parts is done: in this process, or on many."""

    def blocks(self, through: int) -> Iterator[Block]:
        """Give the blocks of the first nodes, up to one at least."""
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
        """Keep the state after a step, to go on from there when interrupted."""
        ...

    def restore(self, state: MergeState) -> int:
        """Set the state to what was kept, and return how many steps were done."""
        ...


@dataclass(frozen=True)
class Plan:
    """How a table is worked on.

    Attributes
    ----------
    bulk
        The nodes before this one are bulk: they take part in no group.
    largest_grouped
        The subscription size of the first node that is not.
    parts
        How many parts the records of the others are put in.
    top
        The highest level that has groups.
    """

    bulk: int
    largest_grouped: int
    parts: int
    top: int

    @classmethod
    def of(cls, shape: TableShape, runner: Tasks) -> Plan:
        """Visit the shared subsets of all parts, and leave out nodes until they are within bounds.

        Visits of parts add up to those of the whole table, because a subset is visited only
        where its lowest topic is.
        """
        sizes = shape.sizes
        bulk = int(np.searchsorted(-sizes, -MAX_GROUPED, side="left"))
        allowance = VISITS_A_SUBSCRIPTION * int(sizes[bulk:].sum())
        while True:
            parts = max(1, -(-shape.entries(bulk) // ENTRIES_A_PART))
            counted = runner.count_visits(bulk=bulk, parts=parts, allowance=4 * allowance)
            levels = max((len(one) for one in counted), default=0)
            widest = max((one.shape[1] for one in counted), default=1)
            visits = np.zeros((levels, widest), dtype=np.int64)
            for one in counted:
                visits[: one.shape[0], : one.shape[1]] += one
            if visits.sum() <= allowance:
                largest = int(sizes[bulk]) if bulk < len(sizes) else 0
                return cls(bulk, largest, parts, levels)
            within = np.flatnonzero(np.cumsum(visits.sum(axis=0)) <= allowance // 2)
            largest = min(int(within[-1]), int(sizes[bulk]) - 1)
            bulk = int(np.searchsorted(-sizes, -largest, side="left"))

    def bands(self, sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the levels that are settled together, highest and lowest, one after the other."""
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
    """Link everything: levels in bands from the highest down, then what is left of each topic.

    A step is a round of proposals that are settled together, or the spanning of some of the
    topics. The state is kept after every step.
    """
    tell = progress or silent
    tell("finding shared subsets", 0.0)
    state = MergeState(shape, seed)
    to_merge = max(state.apart, 1)
    plan = Plan.of(shape, runner)
    done = runner.restore(state)
    step = 0
    for top, floor in plan.bands(shape.sizes):
        if step >= done:
            state.goes_on = True
        for turn in range(MAX_ROUNDS):
            step += 1
            if step <= done:
                continue
            if state.goes_on and state.apart:
                state.goes_on = _round(state, runner, plan, top, floor, seed + turn)
                runner.save(step, state)
            tell(
                f"merging {floor} topics and more at a time: {state.link_count:,} links, "
                f"{state.open_topics:,} topics in parts",
                1 - state.apart / to_merge,
            )
            if not state.goes_on:
                step += MAX_ROUNDS - turn - 1
                break
    # Some of the topics at a time, so that the next know what degrees these have given.
    parts = plan.parts * SPANNING_ROUNDS
    for turn in range(SPANNING_ROUNDS):
        step += 1
        if step > done and state.apart:
            chosen = range(turn, parts, SPANNING_ROUNDS)
            for links in runner.span(state, parts=parts, chosen=chosen, seed=seed):
                state.add(links)
            runner.save(step, state)
            tell(f"joining what is left: {state.link_count:,} links", (turn + 1) / SPANNING_ROUNDS)
    return state


def _round(state: MergeState, runner: Tasks, plan: Plan, top: int, floor: int, seed: int) -> bool:
    """Propose and settle once; return whether another round at this floor is worth it."""
    found: list[LinkProposals] = []
    if floor <= plan.top:
        found += runner.propose(
            state, bulk=plan.bulk, parts=plan.parts, top=min(top, plan.top), floor=floor, seed=seed
        )
    for some in _bulk_nodes(state, runner, plan.bulk):
        found += _to_bulk(runner, state, some, floor, plan.largest_grouped, seed)
    proposed = LinkProposals.joined(found)
    before = state.link_count
    merged = state.settle(proposed, floor)
    if plan.bulk:  # each node has named only one partner among them: it may have a second choice
        return merged > MERGES_FOR_ANOTHER_ROUND * state.apart
    in_vain = proposed.distinct - (state.link_count - before)
    return in_vain > VAIN_FOR_ANOTHER_ROUND * state.link_count


def _bulk_nodes(state: MergeState, runner: Tasks, bulk: int) -> Iterator[BulkNodes]:
    """Give the bulk nodes with their labels, so many at a time as are sent around at once."""
    if not bulk:
        return
    labels, closed = state.labels(), state.parts <= 1
    waiting: list[tuple[Block, LabelSnapshot]] = []
    chunk = 0
    for block in runner.blocks(bulk):
        # Cut where a chunk is full, which does not depend on how the blocks were cut.
        count = min(block.node_count, bulk - block.first_node)
        chunks = (block.first_slot + block.offsets[:count]) // BULK_ENTRIES
        bounds = [0, *(np.flatnonzero(np.diff(chunks)) + 1).tolist(), count]
        for begin, end in pairwise(bounds):
            if waiting and chunks[begin] != chunk:
                yield _gathered(waiting, len(state.parts))
                waiting = []
            chunk = int(chunks[begin])
            first, last = int(block.offsets[begin]), int(block.offsets[end])
            some = Block(
                block.first_node + begin,
                block.first_slot + first,
                block.offsets[begin : end + 1] - first,
                block.topics[first:last],
            )
            waiting.append((some, told_of(some, labels, closed, state.degrees)))
    if waiting:
        yield _gathered(waiting, len(state.parts))


def _gathered(blocks: Sequence[tuple[Block, LabelSnapshot]], topic_count: int) -> BulkNodes:
    first = blocks[0][0].first_node
    sizes = np.concatenate([np.diff(block.offsets) for block, _ in blocks])
    records = Records(
        offsets_of(sizes),
        np.concatenate([block.topics for block, _ in blocks]),
        np.concatenate([told.labels for _, told in blocks]),
        np.arange(first, first + len(sizes), dtype=np.int32),
    )
    return BulkNodes(records, np.concatenate([told.degrees for _, told in blocks]), topic_count)


def _to_bulk(
    runner: Tasks, state: MergeState, some: BulkNodes, floor: int, largest: int, salt: int
) -> Iterator[LinkProposals]:
    """Propose links to bulk nodes; where only they have so many topics, without further ado."""
    if floor > largest:
        records = some.records
        block = Block(int(records.nodes[0]), 0, records.offsets, records.topics)
        told = LabelSnapshot(records.labels, np.zeros(len(records.nodes), dtype=np.int32))
        yield propose_to_bulk(block, told, some, least=floor, salt=salt)
        return
    yield from runner.propose_to_bulk(state, some, least=floor, salt=salt)
