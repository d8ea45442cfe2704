"""Whole simulations: the same twice, connected where they should be, and as the paper says."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gossamer.design.ring_per_topic import ring_per_topic
from gossamer.errors import ParameterError
from gossamer.host import trace_digest
from gossamer.model import Interests, Sessions
from gossamer.protocols import protocols
from gossamer.sim import simulate
from gossamer.sim.rules import Cut, Double, Lose, Reorder
from gossamer.sim.world import Departure
from gossamer.workloads import draw_sessions, generate_interests, parse_churn

INTERESTS = generate_interests("rss", nodes=80, topics=12, subscriptions=4, seed=3)
SMALL = generate_interests("rss", nodes=40, topics=12, subscriptions=4, seed=3)


def digest_of(protocol: str, seed: int) -> str:
    """Return the digest of a run in which everything happens."""
    done = simulate(
        protocol, SMALL, view="gossip", seed=seed, until=6.0, trace=True, departure="crash",
        rules=[Lose(0.05), Double(0.05), Reorder(0.1)],
        churn=draw_sessions(parse_churn("exponential:10"), nodes=40, until=6_000_000, seed=1),
    )  # fmt: skip
    assert done.trace is not None
    assert len(done.trace) > 1000
    return trace_digest(done.trace)


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_the_same_seed_gives_the_same_trace(protocol: str) -> None:
    first = digest_of(protocol, 5)
    assert digest_of(protocol, 5) == first
    assert digest_of(protocol, 6) != first


def test_the_same_trace_in_another_process() -> None:
    code = (
        "from tests.simulation.test_simulation import digest_of; print(digest_of('spidercast', 5))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "77"},
    )  # fmt: skip
    assert done.stdout.strip() == digest_of("spidercast", 5)


DEGREES = {1000: 10.84, 2000: 10.15}
"""Of an independent implementation of the same reading, over three seeds."""


@pytest.mark.parametrize("nodes", sorted(DEGREES))
def test_spidercast_has_the_degrees_of_the_paper(nodes: int) -> None:
    interests = generate_interests("rss", nodes=nodes, topics=100, subscriptions=10, seed=11)
    done = simulate("spidercast", interests, seed=11)
    assert done.assessment.topic_connected
    assert done.assessment.mean_degree == pytest.approx(DEGREES[nodes], rel=0.02)
    assert done.assessment.links_without_topic == 0
    assert done.settled_at is not None
    assert done.snapshots[-1].half_open == 0
    assert done.last.snapshot == done.snapshots[-1]


def test_everybody_is_covered_as_far_as_that_goes() -> None:
    """Topics of one, two and three subscribers: K others are not always there."""
    lists = {0: [0, 1, 2], 1: [1, 2], 2: [2, 3], 3: [2], 4: [3], 5: []}
    done = simulate("spidercast", Interests.from_lists(lists), seed=1)
    assert done.assessment.topic_connected
    assert done.settled_at is not None
    linked = {tuple(link) for link in done.last.overlay.links.tolist()}
    assert linked == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4)}


def test_rings_are_those_of_the_design() -> None:
    done = simulate("ring-per-topic", INTERESTS, seed=2)
    assert done.last.overlay == ring_per_topic(INTERESTS)
    gossiped = simulate("ring-per-topic", INTERESTS, seed=2, view="gossip", until=60)
    assert gossiped.last.overlay == ring_per_topic(INTERESTS)


def test_quotas_are_kept() -> None:
    interests = generate_interests("rss", nodes=300, topics=30, subscriptions=6, seed=1)
    for options, mean in (({"alike": 6}, 6), ({"alike": 4, "any_peer": 3}, 7)):
        degrees = simulate("similarity", interests, options=options, seed=1).last.overlay.degrees
        assert degrees.mean() == pytest.approx(mean, rel=0.06)
        assert degrees.max() <= mean + 10
    loose = simulate("random", interests, options={"links": 5}, seed=1)
    assert loose.last.overlay.degrees.mean() == pytest.approx(5, rel=0.15)


def test_views_of_some_and_of_gossip_connect_too() -> None:
    interests = generate_interests("rss", nodes=400, topics=20, subscriptions=5, seed=1)
    full = simulate("spidercast", interests, seed=1)
    for view in ("50%", "200", "gossip"):
        done = simulate("spidercast", interests, seed=1, view=view, until=20)
        assert done.assessment.topic_connected, view
        assert done.assessment.mean_degree >= 0.97 * full.assessment.mean_degree


def test_adaptive_coverage_goes_by_the_interests() -> None:
    alike = Interests.from_lists({node: list(range(10)) for node in range(200)})
    fixed = simulate("spidercast", alike, seed=1)
    adaptive = simulate("spidercast", alike, options={"adaptive": True}, seed=1)
    assert adaptive.assessment.topic_connected
    assert adaptive.assessment.mean_degree > fixed.assessment.mean_degree + 1
    spread = generate_interests("uniform", nodes=600, topics=50, subscriptions=10, seed=1)
    fixed = simulate("spidercast", spread, seed=1)
    adaptive = simulate("spidercast", spread, options={"adaptive": True}, seed=1)
    assert adaptive.assessment.mean_degree == pytest.approx(fixed.assessment.mean_degree, rel=0.02)


@pytest.mark.parametrize("departure", ["leave", "crash"])
def test_churn_with_other_interests_each_time(departure: Departure) -> None:
    sessions = draw_sessions(parse_churn("exponential:60"), nodes=250, until=40_000_000, seed=1)
    interests = generate_interests("rss", nodes=250, topics=20, subscriptions=5, seed=1)
    done = simulate(
        "spidercast", interests, churn=sessions, seed=1, until=40, snapshots=10,
        departure=departure, fresh=lambda node, life: ((node + life) % 20, 20 - 1)
        if (node + life) % 20 < 19 else (3, 19),
    )  # fmt: skip
    assert done.departures > 100
    if departure == "leave":
        assert done.connected_throughout
    else:  # until the silence of the crashed is noticed, some topics may be in pieces
        assert all(one.topics_connected >= 0.8 * one.topics for one in done.snapshots)
    assert 150 < done.snapshots[-1].nodes < 230


def test_nobody_is_there_before_the_first_session() -> None:
    sessions = Sessions.from_columns([0, 1], [5_000_000, 6_000_000], [30_000_000, 9_000_000])
    interests = Interests.from_lists({0: ["a"], 1: ["a"], 2: ["a"]})
    done = simulate("spidercast", interests, churn=sessions, until=20, grace=0)
    counts = {snapshot.time: snapshot.nodes for snapshot in done.snapshots}
    assert (counts[4_000_000], counts[5_500_000], counts[8_000_000], counts[15_000_000]) == (
        0, 1, 2, 1,
    )  # fmt: skip


def test_bytes_are_counted_and_nothing_else_changes() -> None:
    plain = simulate("spidercast", INTERESTS, seed=4, view="gossip", until=5)
    counted = simulate("spidercast", INTERESTS, seed=4, view="gossip", until=5, count_bytes=True)
    assert counted.messages.by_kind == plain.messages.by_kind
    assert counted.last.overlay == plain.last.overlay
    assert set(counted.messages.bytes_by_kind) == set(plain.messages.by_kind)
    assert replace(counted.messages, bytes_by_kind={}) == plain.messages


def test_accrual_finds_the_crashed_too() -> None:
    sessions = Sessions.from_columns(
        np.arange(40), np.zeros(40), [30_000_000 if n % 4 else 8_000_000 for n in range(40)]
    )
    interests = generate_interests("uniform", nodes=40, topics=5, subscriptions=2, seed=1)
    for detector in ("missed", "accrual"):
        done = simulate(
            "spidercast", interests, churn=sessions, departure="crash", until=25,
            options={"detector": detector}, seed=1,
        )  # fmt: skip
        assert done.snapshots[-1].nodes == 30
        assert done.snapshots[-1].topic_connected, detector


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"until": 0}, "until is 0"),
        ({"view": "some"}, "view is 'some'"),
        ({"view": "0%"}, "view is '0%'"),
        ({"snapshots": -1.0}, "snapshots is"),
        ({"options": {"kg": 0}}, "kg and kr are both 0"),
        ({"options": {"kg": -1}}, "kg is -1"),
        ({"options": {"rho": 3}}, "no option 'rho'"),
        ({"options": {"heartbeat_seconds": 0.0}}, "heartbeat_seconds is 0.0"),
        ({"options": {"margin": -1}}, "margin is -1"),
    ],
)
def test_arguments_that_make_no_sense(more: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        simulate("spidercast", INTERESTS, **more)  # type: ignore[arg-type]


def test_an_unknown_protocol() -> None:
    with pytest.raises(ParameterError, match="no protocol is named 'tarot'; there are"):
        simulate("tarot", INTERESTS)
    with pytest.raises(ParameterError, match="there are no nodes"):
        simulate("spidercast", Interests.from_lists({}))


@pytest.mark.parametrize("view", ["full", "gossip"])
def test_halves_that_covered_themselves_come_together_again(view: str) -> None:
    """After a long cut each half needs nobody; those who were neighbours ask again."""
    interests = generate_interests("rss", nodes=200, topics=10, subscriptions=4, seed=1)
    rules = [Cut(lambda node: node % 2, 5_000_000, 20_000_000)]
    done = simulate("spidercast", interests, seed=1, view=view, rules=rules, until=80)
    at = {snapshot.time: snapshot for snapshot in done.snapshots}
    assert at[5_000_000].topic_connected
    assert at[20_000_000].topics_connected == 0
    assert done.snapshots[-1].topic_connected
    assert done.snapshots[-1].half_open == 0
