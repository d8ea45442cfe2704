"""ElastO-L: local views, and repairs by their knowledge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.design.low_oda import low_oda
from gossamer.errors import ParameterError
from gossamer.maintain.local_views import LocalViews
from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.repair import repair_links
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.model import ChurnEvents, Interests, RepairRequest
from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.quality import is_topic_connected
from gossamer.sim.protocol_events import protocol_events
from gossamer.workloads import churn_rounds
from tests import strategies

Events = list[tuple[int, bool]]
events = st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=15)


def play(maintainer: Maintainer, happening: Events) -> list[tuple[int, bool]]:
    """Let nodes join and leave, with gossip in between; return the events."""
    done = []
    local = maintainer.strategy
    assert isinstance(local, ElastoL)
    for first, gossips in happening:
        node = first % maintainer.interests.node_count
        if maintainer.present[node]:
            if maintainer.present.sum() > 1:
                maintainer.leave_id(node)
                done.append((node, False))
        else:
            maintainer.join_id(node)
            done.append((node, True))
        if gossips:
            local.gossip(0.5)
        assert is_topic_connected(maintainer.present_interests, maintainer.overlay)
        check_views(local.views)
    return done


def check_views(views: LocalViews) -> None:
    """Check that every node knows its ring neighbours, and no absent node."""
    here = np.flatnonzero(views.overlay.present).tolist()
    ordered = sorted(here, key=identifier_of_node)
    counted = np.zeros(len(views.overlay.present), dtype=np.int64)
    for at, node in enumerate(ordered):
        after = [ordered[(at + k) % len(ordered)] for k in range(1, views.concurrent + 1)]
        before = [ordered[(at - k) % len(ordered)] for k in range(1, views.concurrent + 1)]
        assert views.successors(node) == [x for x in dict.fromkeys(after) if x != node]
        assert views.predecessors(node) == [x for x in dict.fromkeys(before) if x != node]
        view = views.view_of(node).tolist()
        assert view == sorted(set(view))
        assert set(view) <= set(here)
        for backups in views.backups_at(node).values():
            counted[backups] += 1
    assert counted.tolist() == views.primaries().tolist()


@settings(max_examples=60)
@given(
    strategies.crowds(),
    events,
    st.sampled_from([0, 1, 3]),
    st.integers(1, 3),
    st.sampled_from([0, 1]),
    st.booleans(),
    strategies.seeds,
)
def test_every_topic_stays_connected_with_local_knowledge(
    interests: Interests,
    happening: Events,
    coverage: int,
    concurrent: int,
    reach: int,
    all_needed: bool,
    seed: int,
) -> None:
    local = ElastoL(
        coverage=coverage, concurrent=concurrent, reach=reach, all_needed=all_needed, seed=seed
    )
    play(Maintainer(interests, strategy=local, seed=seed), happening)


@settings(max_examples=30)
@given(strategies.crowds(), events, strategies.seeds)
def test_coordinator_builds_the_repair_request(
    interests: Interests, happening: Events, seed: int
) -> None:
    """A leave is a repair request of neighbours and backups, with the shadows' neighbours."""
    local = ElastoL(coverage=2, seed=seed)
    maintainer = Maintainer(interests, strategy=local, seed=seed)
    done = play(maintainer, happening)
    here = np.flatnonzero(maintainer.present).tolist()
    if len(here) < 2:
        return
    node = here[len(done) % len(here)]
    dynamic_overlay = maintainer.dynamic_overlay
    neighbours = set(dynamic_overlay.neighbours_of(node).tolist())
    backups = set(local.views.backups_of(node).tolist()) - {node}
    around = {x: set(dynamic_overlay.neighbours_of(x).tolist()) - {node} for x in here if x != node}
    shadows = sorted(neighbours | backups)
    others = sorted({y for x in shadows for y in around[x]} - set(shadows))
    known = [*shadows, *others]
    topics = interests.topics_of(node).tolist()
    wanted = {x: set(interests.topics_of(x).tolist()) for x in known}
    wound = RepairRequest(
        topics=tuple(tuple(k for k, t in enumerate(topics) if t in wanted[x]) for x in known),
        degrees=tuple(len(around[x]) for x in known),
        links=tuple(
            (i, j)
            for i, x in enumerate(known)
            for j, y in enumerate(known)
            if i < j and y in around[x]
        ),
        must_connect=tuple(x in neighbours for x in known),
        preconnected=(False,) * len(known),
        read_only=len(others),
    )  # fmt: skip
    expected = [tuple(sorted((known[i], known[j]))) for i, j in repair_links(wound)]
    found = maintainer.leave_id(node).links.tolist()
    assert [tuple(pair) for pair in found] == expected
    assert local.last.shadows == len(shadows)
    assert local.last.known == len(known)
    if local.last.coordinator >= 0:
        mine = identifier_of_node(node)
        assert local.last.coordinator == min(
            around, key=lambda x: clockwise(mine, identifier_of_node(x))
        )


@settings(max_examples=40)
@given(strategies.crowds(), events, st.integers(0, 4), strategies.seeds)
def test_newcomer_gets_enough_backups_on_each_topic(
    interests: Interests, happening: Events, coverage: int, seed: int
) -> None:
    """λ on each topic, or all other subscribers, whatever the views contain (§6)."""
    local = ElastoL(coverage=coverage, seed=seed)
    maintainer = Maintainer(interests, strategy=local, seed=seed)
    play(maintainer, happening)
    absent = np.flatnonzero(~maintainer.present).tolist()
    if not absent or not maintainer.present.any():
        return
    newcomer = absent[0]
    maintainer.dynamic_overlay.add_node(newcomer)
    local.views.enter(newcomer)
    backups, _ = local.views.prepare(newcomer, interests.topics_of(newcomer))
    for topic in interests.topics_of(newcomer).tolist():
        others = set(np.flatnonzero(maintainer.dynamic_overlay.present).tolist()) - {newcomer}
        subscribers = others.intersection(interests.subscribers_of(topic).tolist())
        found = subscribers.intersection(backups.tolist())
        assert len(found) >= min(max(coverage, 1), len(subscribers))


def test_same_seed_gives_the_same_repairs() -> None:
    def run() -> list[tuple[int, int, float, int]]:
        interests = Interests.from_lists({n: [n % 5, (n * 7) % 11, 20] for n in range(60)})
        present, happening = churn_rounds(60, 80, seed=3)
        maintainer = Maintainer(
            interests,
            low_oda(interests),
            strategy=ElastoL(coverage=2, share=0.2, seed=4),
            present=present,
            seed=4,
        )
        records = maintainer.run(happening)
        return [(r.node, r.links, r.mean_degree, r.cost.messages) for r in records]

    assert run() == run()


def test_event_records_match_the_overlay() -> None:
    interests = Interests.from_lists({n: [n % 3, 9] for n in range(12)})
    maintainer = Maintainer(interests, strategy=ElastoL(share=1.0, seed=1), seed=1)
    happening = ChurnEvents.from_columns([0, 1, 2], [4, 7, 4], [False, False, True])
    before = maintainer.overlay.link_count
    for record in maintainer.run(happening, check=True):
        assert record.disconnected_topics == 0
        added, removed = (len(pairs) for pairs in record.changes)
        assert record.links == before + added - removed
        assert record.cost.messages >= 4 * added
        before = record.links
    assert record.nodes == 11
    assert record.joined
    assert record.max_degree == maintainer.degrees.max()


def test_protocol_applies_the_same_events() -> None:
    interests = Interests.from_lists({n: [n % 3, 9] for n in range(12)})
    present = np.ones(12, dtype=np.bool_)
    present[5] = False
    happening = ChurnEvents.from_columns([0, 1], [4, 5], [False, True])
    watched = []
    records = list(
        protocol_events(
            "spidercast", interests, present, happening, seed=1,
            watch=lambda place, wanted, overlay: watched.append((place, overlay.node_count)),
        )
    )  # fmt: skip
    assert [record.node for record in records] == [-1, 4, 5]
    assert [record.nodes for record in records] == [11, 10, 11]
    assert [record.disconnected_topics for record in records] == [0, 0, 0]
    assert watched == [(0, 11), (1, 10), (2, 11)]


@pytest.mark.parametrize("concurrent", [0, 17])
def test_concurrency_limit_is_checked(concurrent: int) -> None:
    interests = Interests.from_lists({n: [0] for n in range(4)})
    with pytest.raises(ParameterError, match=f"concurrent is {concurrent}; expected 1 to 16"):
        Maintainer(interests, strategy=ElastoL(concurrent=concurrent))
