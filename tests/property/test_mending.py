"""Mending, the state of an overlay under churn, and backups, against their naive twins."""

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
from gossamer.maintain.dynamic_overlay import SPARE, DynamicOverlay
from gossamer.maintain.repair import repair_links
from gossamer.model import Interests, Overlay, RepairRequest
from tests import strategies
from tests.reference import repair as naive_repair
from tests.reference.design import Link

RHOS = (1.0, 1.5, 3.0, math.inf)
METHODS: tuple[Method, ...] = get_args(Method)


@st.composite
def wounds(draw: st.DrawFn) -> RepairRequest:
    """Shadows with any topics, links and needs; bystanders who alone can help included."""
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


@given(wounds(), st.sampled_from(RHOS))
def test_mending_is_the_naive_one_link_by_link(wound: RepairRequest, rho: float) -> None:
    expected = naive_repair.mend(wound, rho)
    if expected is None:
        with pytest.raises(OverlayError, match="cannot be brought together"):
            repair_links(wound, rho=rho)
    else:
        assert repair_links(wound, rho=rho) == expected


def test_links_that_later_ones_make_needless_go_again() -> None:
    """The first link, to one who need not be reached, does nothing once the second is there."""
    wound = RepairRequest(
        topics=((0,), (0,), (0,)),
        degrees=(1, 1, 1),
        links=(),
        must_connect=(True, False, True),
        preconnected=(False, False, False),
    )
    assert repair_links(wound) == [(0, 2)]
    assert repair_links(RepairRequest((), (), (), (), ())) == []


def test_the_last_link_that_is_not_needed_goes_first() -> None:
    """Links are added as (0, 2), (0, 1), (2, 3), (0, 3); the first or the third may go."""
    wound = RepairRequest(
        topics=((0, 1), (0, 1), (0,), (0, 1)),
        degrees=(0, 1, 0, 1),
        links=(),
        must_connect=(False, True, True, True),
        preconnected=(False,) * 4,
    )
    assert repair_links(wound) == naive_repair.mend(wound, 3.0) == [(0, 2), (0, 1), (0, 3)]


@pytest.mark.parametrize("rho", [0.5, -1.0, math.nan])
def test_rho_is_checked(rho: float) -> None:
    with pytest.raises(ParameterError, match=f"rho is {rho}; expected 1 or more"):
        repair_links(RepairRequest((), (), (), (), ()), rho=rho)


# -- the state -------------------------------------------------------------------------------


def same_state(overlay: DynamicOverlay, links: set[Link], present: set[int]) -> None:
    """The overlay is this set, and everybody's list is what the set says."""
    count = overlay.interests.node_count
    assert set(np.flatnonzero(overlay.present).tolist()) == present
    assert [(one, other) for one, other in overlay.links().tolist()] == sorted(links)
    assert overlay.overlay() == Overlay.from_links(count, sorted(links))
    for node in range(count):
        others = sorted(one for link in links if node in link for one in link if one != node)
        assert overlay.neighbours_of(node).tolist() == others
        assert overlay.degrees[node] == len(others)
    adjacency = overlay.adjacency
    assert (adjacency.counts <= adjacency.rooms).all()
    blocks = sorted(zip(adjacency.starts.tolist(), adjacency.rooms.tolist(), strict=True))
    for (start, room), (following, _) in pairwise(blocks):
        assert start + room <= following
    assert not blocks or sum(blocks[-1]) <= len(adjacency.pool)


def same_components(
    overlay: DynamicOverlay, links: set[Link], present: set[int], node: int
) -> None:
    """Labels part the shadows as plain search parts the subscribers of each topic."""
    interests = overlay.interests
    topics = interests.topics_of(node)
    nodes = overlay.members(topics)
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
def test_an_overlay_that_changes_is_a_set_of_links(
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
            assert overlay.go(one).tolist() == neighbours
            links -= gone
            present.discard(one)
        elif one == other:
            overlay.come(one)
            present.add(one)
        elif (one, other) in links:
            overlay.unlink(other, one)
            links.discard((one, other))
        elif {one, other} <= present:
            overlay.link(one, other)
            links.add((one, other))
    same_state(overlay, links, present)
    now = overlay.interests_now()
    for node in range(count):
        wanted = interests.topics_of(node).tolist() if node in present else []
        assert now.topics_of(node).tolist() == wanted
        same_components(overlay, links, present, node)


def test_lists_grow_and_blocks_are_packed() -> None:
    """Everybody is linked to everybody, one after the other, twice: pools are left and packed."""
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
            assert len(overlay.go(node)) == count - 1 - node // 2
            overlay.come(node)
            links = {link for link in links if node not in link}
        for link in sorted(links):
            overlay.unlink(*link)
        links.clear()
        same_state(overlay, links, set(range(count)))
    assert len(pools) > 2
    assert max(pools) < 20 * count * (count + SPARE)


def test_an_overlay_must_fit_who_is_there() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    here = np.array([True, False, True])
    with pytest.raises(InputError, match="the overlay has 2 nodes; expected 3"):
        DynamicOverlay(interests, here, Overlay.from_links(2, [(0, 1)]))
    with pytest.raises(InputError, match=r"2 links have an end that is away, as 'ann' to 'bob'"):
        DynamicOverlay(interests, here, Overlay.from_links(3, [(0, 1), (1, 2), (0, 2)]))


# -- backups ---------------------------------------------------------------------------------


@given(
    strategies.crowds(),
    st.sampled_from(METHODS),
    st.sampled_from([0, 1, 2, 5]),
    st.lists(st.tuples(st.integers(0, 8), st.sampled_from(["ask", "move", "join"])), max_size=20),
    strategies.seeds,
)
def test_backups_cover_and_are_chosen_by_the_rule(
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
                overlay.go(node)
                backups.forget(node)
                sets.pop(node, None)
            else:
                overlay.come(node)
            present ^= {node}
            continue
        least = 1 if event == "join" else 0
        factor = max(coverage, least)
        able = naive_repair.can_back_up(interests, present, node)
        kept = [one for one in sets.get(node, []) if one in present]
        for one in set(sets.get(node, [])) - present:
            sets[node].remove(one)
        weights = {one: sum(one in theirs for theirs in sets.values()) for one in range(count)}
        found = backups.of(overlay, node, least=least).tolist()
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


def test_backups_go_by_new_ids() -> None:
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
def test_coverage_is_checked(coverage: int) -> None:
    with pytest.raises(ParameterError, match=f"coverage is {coverage}; expected 0 to 1000"):
        Backups("greedy", coverage, seed=0)
