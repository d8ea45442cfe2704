"""Circle, random streams, and backups chosen among known nodes, against plain Python."""

from __future__ import annotations

import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.kernels.random import next_below, random_sample
from gossamer.kernels.repair.candidates import gather_candidates
from gossamer.kernels.repair.circle import (
    insert_on_circle,
    predecessors,
    remove_from_circle,
    successors,
)
from gossamer.kernels.repair.known_backups import choose_among
from gossamer.maintain.backups import BackupSelection
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.local_views import LocalViews
from gossamer.random_stream import Stream
from tests.property.test_local_view_kernels import NODES, ids, overlays, some_topics
from tests.property.test_repair import METHODS

bounds = st.lists(st.integers(1, 2**32 - 1), max_size=8)


@given(st.integers(0, 2**64 - 1), bounds)
def test_kernels_continue_a_stream(seed: int, some: list[int]) -> None:
    plain, state = Stream(seed), np.array([seed], dtype=np.uint64)
    assert [next_below(state, bound) for bound in some] == [plain.randbelow(b) for b in some]
    assert state[0] == plain.state


@given(st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(0, 11))
def test_sample_of_a_kernel_is_that_of_the_stream(seed: int, count: int, taken: int) -> None:
    plain, state = Stream(seed), np.array([seed], dtype=np.uint64)
    items = np.arange(count) * 3
    assert random_sample(items, taken, state).tolist() == plain.sample(items.tolist(), taken)
    assert items.tolist() == [3 * k for k in range(count)]


@given(
    st.lists(st.integers(0, 5), min_size=NODES, max_size=NODES),
    st.lists(st.integers(0, NODES - 1), max_size=20),
    st.integers(1, 4),
)
def test_circle_is_a_sorted_list(numbers: list[int], moves: list[int], count: int) -> None:
    """Nodes come and go; some identifiers are equal."""
    identifiers = np.array(numbers, dtype=np.uint64)
    circle = np.zeros(NODES, dtype=np.int32)
    plain: list[tuple[int, int]] = []
    for node in moves:
        key = (numbers[node], node)
        if key in plain:
            remove_from_circle(node, identifiers, circle[: len(plain)])
            plain.remove(key)
        else:
            plain.append(key)
            plain.sort()
            insert_on_circle(node, identifiers, circle[: len(plain)])
        now = circle[: len(plain)]
        assert now.tolist() == [one for _, one in plain]
        for other in range(NODES):
            at = bisect.bisect_left(plain, (numbers[other], other))
            turned = [one for _, one in plain[at:] + plain[:at] if one != other]
            assert successors(other, identifiers, now, count).tolist() == turned[:count]
            assert predecessors(other, identifiers, now, count).tolist() == turned[::-1][:count]


@given(
    overlays(),
    st.integers(0, NODES - 1),
    st.sets(st.integers(0, NODES - 1)),
    some_topics,
    st.integers(0, 3),
    st.sampled_from(METHODS),
    st.integers(0, 2**32),
)
def test_choice_among_candidates_is_that_among_known_nodes(
    overlay: DynamicOverlay,
    node: int,
    known: set[int],
    topics: set[int],
    factor: int,
    method: str,
    seed: int,
) -> None:
    full = BackupSelection(method, seed=seed, count=NODES)  # type: ignore[arg-type]
    few = BackupSelection(method, seed=seed, count=NODES)  # type: ignore[arg-type]
    for _ in range(2):  # the second time with the weights of the first
        expected = full.choose(
            overlay, node, np.isin(np.arange(NODES), sorted(known)), factor,
            topics=ids(sorted(topics)),
        )  # fmt: skip
        found = choose_among(
            node, ids(sorted(known)), ids(sorted(topics)), factor, overlay.subscriptions.topics,
            overlay.scratch.topics, method == "greedy", few.primaries, few.sequence,
        )  # fmt: skip
        assert found.tolist() == sorted(expected.tolist())
        assert few.primaries.tolist() == full.primaries.tolist()
        assert few.sequence.tolist() == full.sequence.tolist()


@given(overlays(), st.integers(0, NODES - 1), st.integers(1, 3), st.integers(0, 2**32))
def test_candidates_are_gathered_view_by_view(
    overlay: DynamicOverlay, node: int, factor: int, seed: int
) -> None:
    """The kernel against a loop over views as they are printed, with the same random numbers."""
    views = LocalViews(overlay, coverage=1, concurrent=1, method="greedy", sampled=2, seed=seed)
    if not overlay.present[node]:
        overlay.add_node(node)
        views.enter(node)
    topics = overlay.topics_of(node)
    coordinator = views.coordinator(node)
    found, asked = gather_candidates(
        node, topics, factor, overlay.subscriptions.subscribers, views._knowledge(), 2,
        np.zeros(NODES, dtype=np.bool_), np.array([seed], dtype=np.uint64),
        np.random.default_rng(seed),
    )  # fmt: skip
    if coordinator < 0:
        assert (found.tolist(), asked) == ([], 0)
        return
    stream, draws = Stream(seed), np.random.default_rng(seed)
    heard: list[int] = []
    waiting: list[int] = []
    questions, asking = 0, coordinator
    while True:
        answer = [*views.view_of(asking).tolist(), *_sample(views, draws)]
        fresh = [one for one in dict.fromkeys(answer) if one not in heard]
        heard += fresh
        waiting += [one for one in fresh if one != node]
        covered = all(_is_covered(overlay, heard, node, t, factor) for t in topics.tolist())
        if covered or not waiting:
            break
        asking = waiting.pop(stream.randbelow(len(waiting)))
        questions += 1
    assert (found.tolist(), asked) == (sorted(heard), questions)
    assert (overlay.scratch.topics == -1).all()


def _sample(views: LocalViews, draws: np.random.Generator) -> list[int]:
    circle = views._circle.tolist()
    return [circle[place] for place in draws.integers(0, len(circle), 2).tolist()]


def _is_covered(
    overlay: DynamicOverlay, heard: list[int], node: int, topic: int, factor: int
) -> bool:
    subscribers = overlay.subscribers_of(topic)
    others = set(subscribers[overlay.present[subscribers]].tolist()) - {node}
    return len(others & set(heard)) >= min(factor, len(others))


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 1000, 2**31 + 1])
def test_generator_of_numpy_draws_the_same_in_kernels(bound: int) -> None:
    """``sample_of_circle`` draws one by one what NumPy draws at once."""
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    singles = [int(one.integers(0, bound)) for _ in range(9)]
    assert singles == other.integers(0, bound, 9).tolist()
