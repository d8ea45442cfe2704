"""Repair, the state of an overlay under churn, and backups, against their reference versions."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.maintain.backups import Backups, Method
from gossamer.maintain.block_lists import SPARE
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import repair_links
from gossamer.model import Interests, Overlay, RepairRequest
from tests import strategies
from tests.reference import repair as naive_repair
from tests.reference.design import Link

RHOS = (1.0, 1.5, 3.0, math.inf)
METHODS: tuple[Method, ...] = get_args(Method)


@st.composite
def requests(draw: st.DrawFn) -> RepairRequest:
    """Shadows with random topics, links and needs, some of them read-only."""
    count = draw(st.integers(0, 8))
    width = draw(st.integers(1, 5))

    def subset(of: int) -> list[bool]:
        bits = draw(st.integers(0, 2**of - 1))
        return [bool(bits >> place & 1) for place in range(of)]

    topics = [tuple(np.flatnonzero(subset(width)).tolist()) for _ in range(count)]
    pairs = [*combinations(range(count), 2)]
    links = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4)) if pairs else []
    own = [sum(place in link for link in links) for place in range(count)]
    return RepairRequest(
        topics=tuple(topics),
        degrees=tuple(degree + draw(st.integers(0, 3)) for degree in own),
        links=tuple(links),
        must_connect=(True,) * count if draw(st.booleans()) else tuple(subset(count)),
        preconnected=(False,) * count if draw(st.booleans()) else tuple(subset(count)),
        read_only=draw(st.integers(0, min(count, 2))),
    )


@given(requests(), st.sampled_from(RHOS))
def test_repair_links_match_reference_in_order(request: RepairRequest, rho: float) -> None:
    expected = naive_repair.mend(request, rho)
    if expected is None:
        with pytest.raises(OverlayError, match="cannot be connected"):
            repair_links(request, rho=rho)
    else:
        assert repair_links(request, rho=rho) == expected


def test_redundant_repair_links_are_pruned() -> None:
    """The first link, to a shadow that need not connect, is redundant after the second."""
    star = RepairRequest(
        topics=((0,), (0,), (0,)),
        degrees=(1, 1, 1),
        links=(),
        must_connect=(True, False, True),
        preconnected=(False, False, False),
    )
    assert repair_links(star) == [(0, 2)]
    assert repair_links(RepairRequest((), (), (), (), ())) == []


def test_last_redundant_repair_link_is_pruned_first() -> None:
    """Links are added as (0, 2), (0, 1), (2, 3), (0, 3); the first or the third is redundant."""
    star = RepairRequest(
        topics=((0, 1), (0, 1), (0,), (0, 1)),
        degrees=(0, 1, 0, 1),
        links=(),
        must_connect=(False, True, True, True),
        preconnected=(False,) * 4,
    )
    assert repair_links(star) == naive_repair.mend(star, 3.0) == [(0, 2), (0, 1), (0, 3)]


@pytest.mark.parametrize("rho", [0.5, -1.0, math.nan])
def test_rho_out_of_range_is_rejected(rho: float) -> None:
    with pytest.raises(ParameterError, match=f"rho is {rho}; expected 1 or more"):
        repair_links(RepairRequest((), (), (), (), ()), rho=rho)


# -- the state -------------------------------------------------------------------------------


def same_state(overlay: DynamicOverlay, links: set[Link], present: set[int]) -> None:
    """Check links, neighbours and degrees of an overlay against a set of links."""
    count = overlay.interests.node_count
    assert set(np.flatnonzero(overlay.present).tolist()) == present
    assert [(one, other) for one, other in overlay.links().tolist()] == sorted(links)
    assert overlay.overlay() == Overlay.from_links(count, sorted(links))
    for node in range(count):
        others = sorted(one for link in links if node in link for one in link if one != node)
        assert overlay.neighbours_of(node).tolist() == others
        assert overlay.degrees[node] == len(others)
    adjacency = overlay.adjacency
    assert (adjacency.counts <= adjacency.capacities).all()
    blocks = sorted(zip(adjacency.starts.tolist(), adjacency.capacities.tolist(), strict=True))
    for (start, capacity), (following, _) in pairwise(blocks):
        assert start + capacity <= following
    assert not blocks or sum(blocks[-1]) <= len(adjacency.pool)


def same_components(
    overlay: DynamicOverlay, links: set[Link], present: set[int], node: int
) -> None:
    """Check the labels of each topic against the components that plain search finds."""
    interests = overlay.interests
    topics = interests.topics_of(node)
    nodes = overlay.subscribers(topics)
    wanted = {other for topic in topics for other in interests.subscribers_of(topic).tolist()}
    assert nodes.tolist() == sorted(wanted & present)
    for some in (nodes, nodes[::2]):
        labels = overlay.labels(some, topics, overlay.shadows(some, topics))
        for place, topic in enumerate(topics.tolist()):
            found: dict[int, list[int]] = {}
            for label, other in zip(labels[:, place].tolist(), some.tolist(), strict=True):
                if topic in interests.topics_of(other):
                    found.setdefault(label, []).append(other)
                    assert topic in interests.topics_of(int(some[label]))
                else:
                    assert label == -1
            plain = naive_repair.components_of(interests, present, links, topic)
            among = [[one for one in part if one in some] for part in plain]
            assert sorted(found.values()) == sorted(filter(None, among))


@given(
    strategies.interests(max_nodes=8, max_topics=4),
    st.data(),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25),
)
def test_dynamic_overlay_matches_a_set_of_links(
    interests: Interests, data: st.DataObject, changes: list[tuple[int, int]]
) -> None:
    count = interests.node_count
    present = set(data.draw(st.sets(st.integers(0, count - 1)))) if count else set()
    pairs = [*combinations(sorted(present), 2)]
    links = set(data.draw(st.lists(st.sampled_from(pairs), max_size=8))) if pairs else set()
    here = np.isin(np.arange(count), sorted(present))
    overlay = DynamicOverlay(interests, here, Overlay.from_links(count, sorted(links)))
    for first, second in changes if count else []:
        one, other = sorted((first % count, second % count))
        if one == other and one in present:
            gone = {link for link in links if one in link}
            neighbours = sorted(end for link in gone for end in link if end != one)
            assert overlay.remove_node(one).tolist() == neighbours
            links -= gone
            present.discard(one)
        elif one == other:
            overlay.add_node(one)
            present.add(one)
        elif (one, other) in links:
            overlay.unlink(other, one)
            links.discard((one, other))
        elif {one, other} <= present:
            overlay.link(one, other)
            links.add((one, other))
    same_state(overlay, links, present)
    now = overlay.present_interests()
    for node in range(count):
        wanted = interests.topics_of(node).tolist() if node in present else []
        assert now.topics_of(node).tolist() == wanted
        same_components(overlay, links, present, node)


def test_neighbour_lists_grow_and_blocks_are_packed() -> None:
    """All pairs are linked one by one, twice, so that blocks move and the pool is packed."""
    count = 40
    interests = Interests.from_lists({node: [0] for node in range(count)})
    overlay = DynamicOverlay(
        interests, np.ones(count, dtype=np.bool_), Overlay.from_links(count, ())
    )
    links: set[Link] = set()
    pools = {len(overlay.adjacency.pool)}
    for _ in range(2):
        for link in combinations(range(count), 2):
            overlay.link(*link)
            links.add(link)
            pools.add(len(overlay.adjacency.pool))
        same_state(overlay, links, set(range(count)))
        for node in range(0, count, 2):
            assert len(overlay.remove_node(node)) == count - 1 - node // 2
            overlay.add_node(node)
            links = {link for link in links if node not in link}
        for link in sorted(links):
            overlay.unlink(*link)
        links.clear()
        same_state(overlay, links, set(range(count)))
    assert len(pools) > 2
    assert max(pools) < 20 * count * (count + SPARE)


def test_overlay_with_absent_ends_is_rejected() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    here = np.array([True, False, True])
    with pytest.raises(InputError, match="the overlay has 2 nodes; expected 3"):
        DynamicOverlay(interests, here, Overlay.from_links(2, [(0, 1)]))
    with pytest.raises(InputError, match=r"2 links have an absent end, as 'ann' to 'bob'"):
        DynamicOverlay(interests, here, Overlay.from_links(3, [(0, 1), (1, 2), (0, 2)]))


# -- backups ---------------------------------------------------------------------------------


@given(
    strategies.crowds(),
    st.sampled_from(METHODS),
    st.sampled_from([0, 1, 2, 5]),
    st.lists(st.tuples(st.integers(0, 8), st.sampled_from(["ask", "move", "join"])), max_size=20),
    strategies.seeds,
)
def test_backups_cover_topics_by_the_rule_of_their_method(
    interests: Interests, method: Method, coverage: int, events: list[tuple[int, str]], seed: int
) -> None:
    count = interests.node_count
    overlay = DynamicOverlay(
        interests, np.ones(count, dtype=np.bool_), Overlay.from_links(count, ())
    )
    backups = Backups(method, coverage, seed=seed)
    sets: dict[int, list[int]] = {}
    present = set(range(count))
    for first, event in events:
        node = first % count
        if event == "move":
            if node in present:
                overlay.remove_node(node)
                backups.forget(node)
                sets.pop(node, None)
            else:
                overlay.add_node(node)
            present ^= {node}
            continue
        at_least = 1 if event == "join" else 0
        factor = max(coverage, at_least)
        able = naive_repair.can_back_up(interests, present, node)
        kept = [one for one in sets.get(node, []) if one in present]
        for one in set(sets.get(node, [])) - present:
            sets[node].remove(one)
        weights = {one: sum(one in theirs for theirs in sets.values()) for one in range(count)}
        found = backups.of(overlay, node, at_least=at_least).tolist()
        assert found == sorted(set(found))
        added = backups._sets[node].tolist()[len(kept) :]
        assert backups._sets[node].tolist()[: len(kept)] == kept
        if method == "greedy":
            assert kept + added == naive_repair.greedy_backups(able, kept, factor)
        else:
            assert naive_repair.primal_dual_allows(able, kept, added, weights, factor)
        sets[node] = kept + added
        assert found == sorted(sets[node])
        assert backups.primaries.tolist() == [
            sum(one in theirs for theirs in sets.values()) for one in range(count)
        ]


def test_primal_dual_spreads_backups_evenly() -> None:
    interests = Interests.from_lists({node: [0, 1] for node in range(40)})
    overlay = DynamicOverlay(interests, np.ones(40, dtype=np.bool_), Overlay.from_links(40, ()))
    found = {}
    for method in METHODS:
        backups = Backups(method, 3, seed=1)
        assert [len(backups.of(overlay, node)) for node in range(40)] == [3] * 40
        found[method] = backups.primaries
    assert found["greedy"].max() == 39
    assert found["primal-dual"].max() - found["primal-dual"].min() <= 1


def test_backups_are_renumbered() -> None:
    interests = Interests.from_lists({node: [0] for node in range(0, 10, 2)})
    overlay = DynamicOverlay(interests, np.ones(5, dtype=np.bool_), Overlay.from_links(5, ()))
    backups = Backups("primal-dual", 2, seed=3)
    before = backups.of(overlay, 0).tolist()
    more = Interests.from_lists({node: [0] for node in range(10)})
    backups.renumber(np.arange(0, 10, 2), 10)
    later = DynamicOverlay(more, np.ones(10, dtype=np.bool_), Overlay.from_links(10, ()))
    assert backups.of(later, 0).tolist() == [2 * one for one in before]
    assert np.flatnonzero(backups.primaries).tolist() == [2 * one for one in before]


@pytest.mark.parametrize("coverage", [-1, 1001])
def test_coverage_out_of_range_is_rejected(coverage: int) -> None:
    with pytest.raises(ParameterError, match=f"coverage is {coverage}; expected 0 to 1000"):
        Backups("greedy", coverage, seed=0)
