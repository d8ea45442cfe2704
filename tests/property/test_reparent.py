"""The improvement phase: equality with the reference, and its guarantees."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design import find_algorithm
from gossamer.design._trees import reparent as module
from gossamer.design._trees.prune import prune
from gossamer.design._trees.reparent import draw_windows, improve, reparent_nodes
from gossamer.kernels.trees.reparent import SearchWindows
from gossamer.model import Interests
from gossamer.quality import assess
from tests import strategies
from tests.property.test_prune import heavy_tails, middles
from tests.reference import reparent as naive_reparent

overlays = st.sampled_from(["low-oda", "ring-per-topic", "cd-oda", "greedy-merge"])


def as_array(roots: dict[int, int], interests: Interests) -> np.ndarray:
    return np.array([roots.get(t, -1) for t in range(interests.topic_count)], dtype=np.int64)


@given(
    strategies.interests(max_nodes=12, max_topics=6),
    overlays,
    st.integers(0, 2),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
)
def test_links_equal_the_reference(
    interests: Interests, name: str, more: int, cap: int, mix: Random
) -> None:
    overlay = find_algorithm(name)(interests)
    roots, deepest = middles(interests, overlay)
    count, radius = interests.node_count, deepest + more
    caps = [mix.randint(1, cap) for _ in range(count)]
    starts = [mix.randrange(count) for _ in range(count)]
    widths = [mix.randint(1, count) for _ in range(count)]
    order = mix.sample(range(count), count)
    seen = [{(starts[v] + k) % count for k in range(widths[v])} for v in range(count)]
    expected = naive_reparent.reparent(
        interests, [(u, v) for u, v in overlay.links.tolist()], roots, radius, caps, order, seen
    )
    window = SearchWindows(np.array(starts, np.int64), np.array(widths, np.int64))
    found = reparent_nodes(
        interests, overlay, as_array(roots, interests), radius, np.array(caps, dtype=np.int32),
        np.array(order, dtype=np.int64), window,
    )  # fmt: skip
    assert [(u, v) for u, v in found.links.tolist()] == expected.links()
    assert all(tree.depth(v) <= radius for tree in expected.trees.values() for v in tree.parents)


@given(
    strategies.interests(max_nodes=30, max_topics=6), overlays, st.integers(1, 8), strategies.seeds
)
def test_radius_and_caps_hold_and_links_do_not_increase(
    interests: Interests, name: str, cap: int, seed: int
) -> None:
    overlay = find_algorithm(name)(interests)
    roots, radius = middles(interests, overlay)
    caps = np.full(interests.node_count, cap, dtype=np.int32)
    found = improve(interests, overlay, as_array(roots, interests), radius, caps, seed=seed)
    again = improve(interests, overlay, as_array(roots, interests), radius, caps, seed=seed)
    assert np.array_equal(found.links, again.links)
    assert assess(interests, found, lower_bound=False).topic_connected
    assert middles(interests, found)[1] <= radius
    assert found.link_count <= overlay.link_count
    assert (found.degrees <= np.maximum(caps, overlay.degrees)).all()


def test_search_window_shrinks_for_popular_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    interests = Interests.from_lists({v: [0] if v < 90 else [0, 1] for v in range(100)})
    monkeypatch.setattr(module, "WINDOW", 50)
    seen = draw_windows(interests, np.random.default_rng(1))
    assert seen.widths.tolist() == [50] * 90 + [46] * 10  # of 100, and of 100 + 10
    assert (seen.starts < 100).all()
    monkeypatch.setattr(module, "WINDOW", 110)
    assert (draw_windows(interests, np.random.default_rng(1)).widths == 100).all()


@pytest.mark.compiled
@pytest.mark.parametrize("window", [1 << 15, 300])
def test_improvement_saves_links_on_heavy_tails(
    window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WINDOW", window)
    interests, overlay = heavy_tails()
    roots, radius = middles(interests, overlay)
    given_roots = as_array(roots, interests)
    caps = np.full(interests.node_count, int(overlay.degrees.max()), dtype=np.int32)
    found = improve(interests, overlay, given_roots, radius, caps)
    assert found.link_count < prune(interests, overlay, given_roots, radius).link_count
    assert int(found.degrees.max()) <= int(overlay.degrees.max())
    assert assess(interests, found, lower_bound=False).topic_connected
