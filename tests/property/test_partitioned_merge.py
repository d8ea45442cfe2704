"""Partitioned merge: each task and the acceptance of proposals against naive versions."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design.distributed import merge_rounds as rounds
from gossamer.design.distributed import proposals as tasks
from gossamer.design.distributed.merge_rounds import Plan, merge_in_rounds
from gossamer.design.distributed.merge_state import MergeState
from gossamer.design.distributed.proposals import BulkNodes, LabelSnapshot, LinkProposals
from gossamer.design.partitioned_merge import LocalMergeTasks, number_table, partitioned_merge
from gossamer.kernels.merge.propose import DEAD, Records
from gossamer.model import Interests
from gossamer.quality import is_topic_connected
from tests import strategies
from tests.reference import merge_rounds as naive_rounds

some_interests = strategies.interests(max_nodes=12, max_topics=7)


@st.composite
def states(draw: st.DrawFn) -> tuple[Interests, MergeState]:
    """Numbered interests, with some links accepted already."""
    shape, ranked, _ = number_table(draw(some_interests))
    state = MergeState(shape, seed=draw(strategies.seeds))
    block = naive_rounds.whole_block(ranked)
    nodes = st.integers(0, max(ranked.node_count - 1, 0))
    for u, v in draw(st.lists(st.tuples(nodes, nodes), max_size=4)):
        if u != v and ranked.node_count:
            everyone = Records(
                block.offsets,
                block.topics,
                state.labels(),
                np.arange(block.node_count, dtype=np.int32),
            )
            pair = np.array([[u, v]], dtype=np.int32)
            state.accept_proposals(LinkProposals.from_pairs(pair, everyone, everyone), 1)
    return ranked, state


def snapshot_of(ranked: Interests, state: MergeState) -> LabelSnapshot:
    labels = state.labels()
    labels[(state.parts <= 1)[ranked.node_topics]] = DEAD
    return LabelSnapshot(labels, state.degrees)


@given(states(), st.integers(1, 4), st.integers(2, 4), st.integers(0, 5))
def test_each_record_is_in_exactly_one_part(
    given_state: tuple[Interests, MergeState], parts: int, least: int, bulk: int
) -> None:
    ranked, state = given_state
    block, snapshot = naive_rounds.whole_block(ranked), snapshot_of(ranked, state)
    expected = set()
    for v, mine in enumerate(naive_rounds.labelled(block, snapshot.labels)):
        for prefix in mine:
            record = tuple((t, mine[t]) for t in sorted(mine) if t >= prefix)
            if v >= bulk and len(record) >= least:
                expected.add((v, record))
    found = []
    home: dict[int, int] = {}
    for part, batch in tasks.scatter_records(block, snapshot, bulk=bulk, least=least, parts=parts):
        at = 0
        for node, size in zip(batch.nodes.tolist(), batch.sizes.tolist(), strict=True):
            listed = slice(at, at + size)
            record = tuple(
                zip(batch.topics[listed].tolist(), batch.labels[listed].tolist(), strict=True)
            )
            found.append((node, record))
            assert home.setdefault(record[0][0], part) == part < parts
            at += size
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(states(), st.integers(2, 3), strategies.seeds)
def test_proposals_merge_their_level_in_the_snapshot(
    given_state: tuple[Interests, MergeState], floor: int, seed: int
) -> None:
    ranked, state = given_state
    block, snapshot = naive_rounds.whole_block(ranked), snapshot_of(ranked, state)
    nodes = naive_rounds.labelled(block, snapshot.labels)
    batches = [
        batch for _, batch in tasks.scatter_records(block, snapshot, bulk=0, least=floor, parts=1)
    ]
    found = tasks.propose_from_records(batches, top=9, floor=floor, seed=seed)
    partition = naive_rounds.Partition()
    for place, (u, v) in enumerate(found.ends.tolist()):
        entries = naive_rounds.entries_of(found, place)
        either = {frozenset((one, other)) for _, one, other in entries}
        true = {
            frozenset((one, other))
            for _, one, other in naive_rounds.differences(nodes[u], nodes[v])
        }
        assert either <= true
        assert naive_rounds.worth(partition, entries) >= floor
        for _, one, other in entries:
            partition.merge(one, other)
    # All that two nodes share is known in one part, so nothing of that level is left.
    for mine in nodes:
        for theirs in nodes:
            left = [
                entry
                for entry in naive_rounds.differences(mine, theirs)
                if not partition.same(entry[1], entry[2])
            ]
            assert len(left) < floor


@given(states(), st.integers(1, 3), st.integers(1, 5), strategies.seeds)
def test_bulk_partners_are_the_best(
    given_state: tuple[Interests, MergeState], least: int, bulk: int, salt: int
) -> None:
    ranked, state = given_state
    bulk = min(bulk, ranked.node_count)
    block, snapshot = naive_rounds.whole_block(ranked), snapshot_of(ranked, state)
    end = int(block.offsets[bulk])
    records = Records(
        block.offsets[: bulk + 1],
        block.topics[:end],
        snapshot.labels[:end],
        np.arange(bulk, dtype=np.int32),
    )
    found = tasks.propose_to_bulk(
        block,
        snapshot,
        BulkNodes(records, state.degrees[:bulk], ranked.topic_count),
        least=least,
        salt=salt,
    )
    nodes = naive_rounds.labelled(block, snapshot.labels)
    expected = naive_rounds.best_partners(nodes, range(bulk), least)
    named = [v for v, (most, _) in enumerate(expected) if most]
    assert len(found.ends) == len(named)
    for place, v in enumerate(named):
        ends = set(found.ends[place].tolist())
        (partner,) = ends - {v}
        most, partners = expected[v]
        assert partner in partners
        assert len(naive_rounds.entries_of(found, place)) == most


@given(states(), st.integers(1, 4), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_accepted_proposals_merge_most_and_enough(
    given_state: tuple[Interests, MergeState], floor: int, pairs: list[tuple[int, int]]
) -> None:
    ranked, state = given_state
    block = naive_rounds.whole_block(ranked)
    usable = [(u, v) for u, v in pairs if u < v < ranked.node_count]
    everyone = Records(
        block.offsets, block.topics, state.labels(), np.arange(block.node_count, dtype=np.int32)
    )
    proposed = LinkProposals.from_pairs(
        np.array(usable, dtype=np.int32).reshape(-1, 2), everyone, everyone
    )
    before, apart = state.link_count, state.missing_merges
    merged = state.accept_proposals(proposed, floor)
    accepted = [tuple(link) for links in state.links for link in links.tolist()][before:]
    entries = {
        tuple(ends): naive_rounds.entries_of(proposed, place)
        for place, ends in enumerate(proposed.ends.tolist())
    }
    partition, gained, waiting = naive_rounds.Partition(), 0, list(entries.values())
    # In the order of what they merged, every one was among the best there were.
    left = list(accepted)
    while left:
        most = max(naive_rounds.worth(partition, one) for one in waiting)
        best = [link for link in left if naive_rounds.worth(partition, entries[link]) == most]
        assert best
        assert most >= floor
        link = best[0]
        for _, one, other in entries[link]:
            if not partition.same(one, other):
                gained += 1
                partition.merge(one, other)
        left.remove(link)
    assert all(naive_rounds.worth(partition, one) < floor for one in waiting)
    assert merged == gained == apart - state.missing_merges


@given(some_interests, st.integers(0, 4), st.integers(1, 3))
def test_visits_of_parts_add_up(interests: Interests, bulk: int, parts: int) -> None:
    _, ranked, _ = number_table(interests)
    bulk = min(bulk, ranked.node_count)
    counted = LocalMergeTasks(ranked, slots_per_block=4).count_visits(
        bulk=bulk, parts=parts, allowance=10**9
    )
    total: dict[int, int] = {}
    for one in counted:
        for level, row in enumerate(one):
            total[level] = total.get(level, 0) + int(row.sum())
    assert [total[level] for level in sorted(total)] == naive_rounds.visits_by_level(ranked, bulk)


@given(
    some_interests,
    strategies.seeds,
    st.sampled_from([64, 2, 1, 0]),
    st.sampled_from([4_000_000, 12, 3]),
    st.integers(1, 9),
)
def test_overlay_is_topic_connected_for_any_division(
    interests: Interests, seed: int, visits: int, entries: int, slots: int
) -> None:
    """Few visits make nodes bulk, few entries make many parts; blocks make no difference."""
    shape, ranked, order = number_table(interests)
    with (
        mock.patch.object(rounds, "MAX_VISITS", visits),
        mock.patch.object(rounds, "MAX_GROUPED_SIZE", 2 * visits),
        mock.patch.object(rounds, "ENTRIES_PER_PART", entries),
        mock.patch.object(rounds, "BULK_ENTRIES", 5),
    ):
        overlay = partitioned_merge(interests, seed=seed)
        assert is_topic_connected(interests, overlay)
        assert overlay.link_count <= int(np.maximum(interests.popularity - 1, 0).sum())
        state = merge_in_rounds(shape, LocalMergeTasks(ranked, slots_per_block=slots), seed=seed)
        plan = Plan.of(shape, LocalMergeTasks(ranked))
        if visits == 0:
            assert plan.bulk == int((shape.sizes > 0).sum())
    links = np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links])
    again = {tuple(sorted(link)) for link in order[links].tolist()}
    assert again == {tuple(link) for link in overlay.links.tolist()}
