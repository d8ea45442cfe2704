"""Cycle-driven Vitis, RVR and OPT: deliveries, routes, and repair under churn."""

from __future__ import annotations

import re
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

from gossamer.cycles.events import CycleMeasures, draw_events
from gossamer.cycles.models import MODELS, find_model
from gossamer.cycles.opt import OverlayPerTopic
from gossamer.cycles.population import Numbered
from gossamer.cycles.rendezvous import Rendezvous
from gossamer.errors import InputError, ParameterError
from gossamer.model import Interests, Scenario, Sessions
from gossamer.protocols.components.identifiers import ring_distance
from gossamer.protocols.components.small_world import (
    LinkLength,
    estimate_population,
    has_changed,
    targets_of,
)
from gossamer.sim import Recording, Simulation, simulate
from gossamer.time import SECOND
from gossamer.workloads import generate_interests

LONG = 1000 * SECOND
PROTOCOLS = sorted(MODELS)


def drawn(kind: str = "random", *, nodes: int = 300, topics: int = 150, seed: int = 1) -> Interests:
    buckets = {} if kind == "random" else {"buckets": 15}
    return generate_interests(
        kind, nodes=nodes, topics=topics, subscriptions=16, seed=seed, **buckets
    )


def run(protocol: str, interests: Interests, **given: Any) -> Simulation:
    options = given.pop("options", {})
    progress = given.pop("progress", None)
    recording = Recording(
        snapshots=given.pop("every", None), events_per_topic=given.pop("events", 1)
    )
    scenario = Scenario(interests, **{"duration": 70, "seed": 1, **given})
    return simulate(
        scenario, protocol, engine="cycles", recording=recording, progress=progress,
        **(options or {}),
    )  # fmt: skip


def numbers(measures: CycleMeasures) -> list[Any]:
    """Everything that was measured, in a way that can be compared."""
    traffic = measures.traffic
    arrays = (traffic.wanted, traffic.unwanted, traffic.all_wanted, traffic.all_unwanted)
    plain = [one for one in astuple(measures) if isinstance(one, int | float)]
    return [*plain, *(one.tolist() for one in arrays), measures.degrees.tolist()]


@pytest.mark.parametrize("kind", ["random", "low-correlation", "high-correlation"])
def test_larger_tables_reduce_overhead_and_all_is_delivered(kind: str) -> None:
    interests = drawn(kind)
    overheads = {}
    for protocol in ("rvr", "vitis"):
        found = [
            run(protocol, interests, options={"table_size": size}).last_cycle
            for size in (6, 12, 24)
        ]
        for one in found:
            assert one.ring == 1.0
            assert one.rendezvous == 1.0, "one rendezvous node for each topic"
            assert one.hit_ratio == 1.0
        overheads[protocol] = [one.traffic.overhead for one in found]
        assert overheads[protocol] == sorted(overheads[protocol], reverse=True)
        assert found[0].hops > found[-1].hops
        assert found[0].gateways >= found[-1].gateways
    assert all(v < 0.9 * r for v, r in zip(overheads["vitis"], overheads["rvr"], strict=True))


def test_correlated_interests_reduce_overhead() -> None:
    found = [
        run("vitis", drawn(kind), options={"table_size": 8}).last_cycle
        for kind in ("random", "high-correlation")
    ]
    assert found[1].traffic.overhead < 0.7 * found[0].traffic.overhead
    assert found[1].gateways < found[0].gateways


def test_rates_weight_the_choice_of_friends() -> None:
    """Events count by their topics' rates, so where friends are few, busy topics need them."""
    interests = drawn()
    rates = np.arange(1, interests.topic_count + 1, dtype=np.float64) ** -1.5
    aware = run("vitis", interests, rates=rates, options={"table_size": 8}).last_cycle
    assert aware.hit_ratio == 1.0
    numbered = Numbered.of(interests)
    world = find_model("vitis").build(numbered, None, 1, table_size=8)
    world.join(np.arange(interests.node_count))
    for _ in range(70):
        world.step()
        world.route()
    events = draw_events(world, np.random.default_rng(1), rates=rates)
    unaware = world.measure(events)
    assert aware.traffic.overhead < 0.8 * unaware.traffic.overhead


def test_estimated_populations_give_the_lengths_of_links() -> None:
    numbered = Numbered.of(drawn(nodes=200))
    world = find_model("rvr").build(numbered, None, 1)
    assert isinstance(world, Rendezvous)
    world.join(np.arange(150))
    for _ in range(50):
        world.step()
    names = numbered.nodes.tolist()
    for place in range(150):
        after, before = world.tables.peers[place, :2].tolist()
        used, estimate = world.population[place], estimate_population(names[before], names[after])
        assert not has_changed(0.999 * used, estimate) or not has_changed(1.001 * used, estimate)
    assert 75 < np.median(world.population[:150]) < 300
    world.leave(np.arange(10))
    world.join(np.arange(10))
    assert set(world.population[:10]) == {2.0}, "newcomers know no node"
    units, targets = world._units[:150], world.tables.targets[:150]
    lengths = [(u, not back) for u, back in zip(units[0], world._back[0], strict=True)]
    expected = targets_of(names[0], tuple(LinkLength(*one) for one in lengths), 2)
    assert all(
        ring_distance(int(a), b) < 1 << 30 for a, b in zip(targets[0], expected, strict=True)
    )


def test_in_degrees_are_bounded() -> None:
    """All nodes have one topic in common with node 0, and that is its only one."""
    lists = {0: [0], **{node: [0, *range(10 * node, 10 * node + 4)] for node in range(1, 90)}}
    interests = Interests.from_lists(lists)
    degrees = {}
    for bound in (7, 100_000):
        done = run("vitis", interests, options={"table_size": 6, "max_in_degree": bound})
        assert done.last_cycle.ring == done.last_cycle.hit_ratio == 1.0
        degrees[bound] = done.last_cycle.links_max
    assert degrees[7] <= 7 + 6 + 2
    assert degrees[100_000] > 60


def test_gateway_distance_and_ends_of_lookups_change_overhead() -> None:
    interests = drawn(topics=60)
    options: list[dict[str, Any]] = [
        {"inclusive_hops": False, "max_gateway_hops": 2},
        {"max_gateway_hops": 2},
        {"max_gateway_hops": 3, "inclusive_hops": False},
        {"max_gateway_hops": 2, "stop_at_subscribers": True},
    ]
    below, at_most, same, stopping = (
        run("vitis", interests, options={"table_size": 5, **one}).last_cycle for one in options
    )
    assert below.gateways > at_most.gateways == same.gateways == stopping.gateways
    assert below.traffic.overhead > at_most.traffic.overhead > stopping.traffic.overhead
    assert at_most.hit_ratio == stopping.hit_ratio == stopping.rendezvous == 1.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_result_depends_on_the_seed(protocol: str) -> None:
    interests = drawn(nodes=120, topics=60)
    one, same, other = (
        [numbers(m) for m in run(protocol, interests, seed=seed, every=10).cycles]
        for seed in (5, 5, 6)
    )
    assert one == same
    assert one != other
    assert [row[0] for row in one] == [10, 20, 30, 40, 50, 60, 70]


def test_measurements_do_not_affect_later_cycles() -> None:
    interests = drawn(nodes=120, topics=60)
    often = run("vitis", interests, every=35).last_cycle
    once = run("vitis", interests).last_cycle
    assert (often.ring, often.degrees.tolist()) == (once.ring, once.degrees.tolist())


@pytest.mark.parametrize("d", [5, 10])
def test_gateways_converge_before_each_measurement(d: int) -> None:
    """Routing begins late where nobody comes or goes, and it comes to nearly the same."""
    interests = drawn(nodes=300, topics=100)
    late, always = (
        run(
            "vitis",
            interests,
            options={"max_gateway_hops": d, "table_size": 5},
            duration=90,
            every=every,
        ).last_cycle
        for every in (None, 1)
    )
    assert late.degrees.tolist() == always.degrees.tolist()
    assert late.gateways == pytest.approx(always.gateways, rel=0.002)


def leaving(nodes: int, at: int, back: int) -> Sessions:
    """A third goes in a round; of these, every second comes back later."""
    rows = []
    for node in range(nodes):
        if node % 3:
            rows.append((node, 0, LONG))
        else:
            rows.append((node, 0, at * SECOND))
            if node % 6:
                rows.append((node, back * SECOND, LONG))
    return Sessions.from_columns(*zip(*rows, strict=True))


@pytest.mark.parametrize("protocol", ["vitis", "rvr"])
def test_overlay_recovers_when_a_third_leaves(protocol: str) -> None:
    sessions = leaving(240, 60, 90)
    done = run(protocol, drawn(nodes=240), churn=sessions, duration=140, every=1)
    by_round = {one.cycle: one for one in done.cycles}
    assert [by_round[now].nodes for now in (60, 61, 90, 91)] == [240, 160, 160, 200]
    assert done.joins == 240 + 40
    assert done.departures == 80
    assert by_round[60].hit_ratio == 1.0
    assert by_round[62].hit_ratio < 1.0, "many paths have ended at somebody who is gone"
    assert by_round[62].ring < 0.6
    for now in (85, 140):
        assert by_round[now].ring == 1.0
        assert by_round[now].rendezvous == 1.0
        assert by_round[now].hit_ratio == 1.0


def test_opt_recovers_when_a_third_leaves() -> None:
    done = run("opt", drawn(nodes=240), churn=leaving(240, 40, 70), duration=110, every=1)
    by_round = {one.cycle: one for one in done.cycles}
    assert by_round[40].hit_ratio == by_round[65].hit_ratio == by_round[110].hit_ratio == 1.0
    assert by_round[110].nodes == 200


def test_opt_timeout_restarts_for_a_node_that_returned() -> None:
    numbered = Numbered.of(drawn(nodes=30, topics=40))
    world = OverlayPerTopic(numbered, cover=2, bound=0, view_size=10, missed_heartbeats=5, seed=1)
    world.join(np.arange(30))

    def pass_rounds(count: int) -> None:
        for _ in range(count):
            world.step()

    one = np.array([3])
    pass_rounds(10)
    world.leave(one)
    pass_rounds(1)
    world.join(one)
    pass_rounds(2)
    world.leave(one)
    pass_rounds(3)  # six rounds since it left first, three since it left last
    assert world.coverage.degrees[3] > 0
    pass_rounds(2)
    assert world.coverage.degrees[3] == 0


def test_new_nodes_count_after_their_warm_up() -> None:
    world = find_model("vitis").build(Numbered.of(drawn(nodes=200)), None, 1)
    world.join(np.arange(170))
    for _ in range(40):
        world.step()
        world.route()
    world.join(np.arange(170, 200))
    random = np.random.default_rng(1)
    events = draw_events(world, random, min_age=1)
    assert events.publishers.max() < 170
    assert world.measure(events, min_age=0).hit_ratio < 0.9, "nobody has heard of them yet"
    assert world.measure(events, min_age=1).hit_ratio == 1.0
    assert draw_events(world, random, min_age=0).publishers.max() >= 170
    assert draw_events(world, random, min_age=41).publishers.size == 0


def test_opt_hit_ratio_with_and_without_bound() -> None:
    """Many small topics: a bound leaves some without enough links."""
    interests = drawn(topics=400)
    bounded = {
        bound: run("opt", interests, options={"bound": bound}).last_cycle for bound in (5, 12, 0)
    }
    hits = [one.hit_ratio for one in bounded.values()]
    assert hits == sorted(hits)
    assert hits[0] < 0.5
    assert hits[-1] == 1.0
    assert bounded[0].links_max > 12
    for bound in (5, 12):
        assert bounded[bound].links_max <= bound
    assert all(one.traffic.overhead == 0 for one in bounded.values()), "nobody relays"


def test_opt_s_coverage_and_rendezvous_nodes_of_a_whole_ring() -> None:
    interests = drawn(nodes=120, topics=60)
    numbered = Numbered.of(interests)
    assert (np.diff(numbered.identifiers) > 0).all()
    for place, node in enumerate(numbered.nodes.tolist()):
        row = numbered.topics[numbered.offsets[place] : numbered.offsets[place + 1]]
        assert row.tolist() == interests.topics_of(node).tolist()
    covered = OverlayPerTopic(numbered, cover=2, bound=0, view_size=10, missed_heartbeats=5, seed=1)
    vitis = find_model("vitis").build(numbered, None, 1)
    assert isinstance(vitis, Rendezvous)
    for world in (covered, vitis):
        world.join(np.arange(120))
        for _ in range(40):
            world.step()
            world.route()
    assert covered.covered() == 1.0
    assert vitis.ring_right() == 1.0
    assert set(vitis.tables.peers[:, 0].tolist()) == set(range(120))
    assert (vitis.ends == 1).all()


TINY: dict[str, dict[str, list[str]]] = {
    "nobody": {},
    "alone": {"ann": ["tea"]},
    "alone, wants nothing": {"ann": []},
    "two": {"ann": ["tea"], "bob": ["tea"]},
    "two apart": {"ann": ["tea"], "bob": ["jazz"]},
    "three": {"ann": ["tea"], "bob": ["tea", "jazz"], "cy": ["jazz"]},
    "one wants nothing": {"ann": ["tea"], "bob": [], "cy": ["tea"], "dee": ["tea", "chess"]},
    "few subscriptions": {str(k): ["tea"] if k % 3 == 0 else [] for k in range(14)},
}


def by_topic(lists: dict[str, list[str]]) -> list[list[str]]:
    topics = {topic for one in lists.values() for topic in one}
    return [[name for name, one in lists.items() if topic in one] for topic in topics]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", TINY)
def test_tiny_interests(protocol: str, name: str) -> None:
    interests = Interests.from_lists(TINY[name])
    done = run(protocol, interests, duration=30, every=10)
    last = done.last_cycle
    assert last.nodes == interests.node_count
    expected = max((len(v) for v in by_topic(TINY[name])), default=0) > 1
    assert last.hit_ratio == 1.0 if expected else np.isnan(last.hit_ratio)
    on_a_ring = np.isnan if protocol == "opt" else (1.0).__eq__
    assert on_a_ring(last.ring)
    assert on_a_ring(last.rendezvous)
    assert last.links_max < max(last.nodes, 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_topics_without_subscribers(protocol: str) -> None:
    interests = Interests.from_ids([0, 1, 2], [1, 1, 1], node_names=4, topic_names=6)
    last = run(protocol, interests, duration=30, rates=np.arange(6.0)).last_cycle
    assert last.hit_ratio == 1.0
    assert last.traffic.wanted.sum() == 2.0, "one event, at the topic's rate of 1"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_node_is_present_in_any_round(protocol: str) -> None:
    blinks = Sessions.from_columns([0, 1], [100, 200], [900, 1000])
    done = run(protocol, drawn(nodes=20), churn=blinks, duration=20, every=5)
    assert done.joins == done.departures == 0
    assert [one.nodes for one in done.cycles] == [0] * 4
    empty = Sessions.from_columns([], [], [])
    last = run(protocol, drawn(nodes=20), churn=empty, duration=20).last_cycle
    assert np.isnan(last.hit_ratio), "nothing was expected"


def test_time_scale_divides_the_times_of_sessions() -> None:
    sessions = Sessions.from_columns([0, 1, 2], [0, 0, 20 * SECOND], [LONG, 10 * SECOND, LONG])
    interests = Interests.from_lists({"a": ["t"], "b": ["t"], "c": ["t"]})
    for scale, cycles in ((1.0, (10, 20, 21)), (0.5, (20, 21, 40, 41))):
        done = run("vitis", interests, churn=sessions, time_scale=scale, duration=50, every=1)
        nodes = {one.cycle: one.nodes for one in done.cycles}
        assert [nodes[now] for now in cycles] == ([2, 1, 2], [2, 1, 1, 2])[scale < 1]


@pytest.mark.parametrize(
    ("protocol", "given", "says"),
    [
        ("tarot", {}, "tarot has no cycle-driven simulation; expected one of opt, rvr, vitis"),
        ("vitis", {"options": {"tables": 3}}, "has no option 'tables'; did you mean 'table_size'?"),
        ("vitis", {"options": {"table_size": 2}}, "table_size is 2; expected 3 to"),
        (
            "vitis",
            {"options": {"small_world_links": 14}},
            "small_world_links is 14; expected 0 to 13",
        ),
        ("vitis", {"options": {"max_in_degree": -1}}, "max_in_degree is -1; expected 1 to 100000"),
        ("rvr", {"options": {"population": -1}}, "population is -1; expected 1 to"),
        ("vitis", {"options": {"max_gateway_hops": 0}}, "max_gateway_hops is 0; expected 1 to"),
        ("vitis", {"options": {"refresh": 0}}, "refresh is 0; expected 1"),
        ("vitis", {"options": {"ring_share": 1.5}}, "ring_share is 1.5; expected 0 to 1"),
        ("vitis", {"options": {"view_size": 0}}, "view_size is 0; expected 1"),
        ("rvr", {"options": {"missed_heartbeats": 0}}, "missed_heartbeats is 0; expected 1"),
        (
            "rvr",
            {"options": {"lookup": "guess"}},
            "lookup is 'guess'; expected one of links, table",
        ),
        ("opt", {"options": {"cover": 0}}, "cover is 0; expected 1"),
        ("opt", {"options": {"bound": -1}}, "bound is -1; expected"),
        ("vitis", {"duration": 0}, "duration is 0 seconds; expected"),
        ("vitis", {"every": 0}, "snapshots is 0 seconds; expected"),
        ("vitis", {"events": 0}, "events_per_topic is 0; expected 1"),
        ("vitis", {"warm_up": -1}, "warm_up is -1 seconds"),
        ("vitis", {"seed": -1}, "seed is -1; expected 0"),
        ("vitis", {"rates": [1.0]}, "1 publication rates; expected one for each of 60 topics"),
        (
            "vitis",
            {"rates": [-1.0] * 60},
            "a publication rate is -1; expected a finite number of 0 or more",
        ),
        ("vitis", {"rates": [np.nan] * 60}, "a publication rate is nan"),
        ("vitis", {"churn": Sessions.from_columns([30], [0], [9])}, "a session names node 30"),
    ],
)
def test_invalid_arguments_are_rejected(protocol: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as raised:
        run(protocol, drawn(nodes=30, topics=60), **given)
    assert says in str(raised.value)


def test_progress_and_seconds_by_task() -> None:
    told: list[tuple[str, float]] = []
    done = run("vitis", drawn(nodes=60), duration=30, progress=lambda *one: told.append(one))
    assert len(told) == 31
    assert told[-1][1] == 1.0
    assert "hit ratio 1.0000" in told[-1][0]
    assert {"peer sampling", "exchange of tables", "proposals", "lookups", "events"} <= set(
        done.seconds_by_task
    )
    assert sum(done.seconds_by_task.values()) <= done.seconds
    assert done.options["table_size"] == 15


def test_snapshots_do_not_change_the_result() -> None:
    interests = drawn(nodes=60)
    often, once = (
        run("vitis", interests, duration=40, every=every).last_cycle for every in (10, None)
    )
    assert often.summary() == once.summary()


def test_topics_with_rate_zero_are_not_measured() -> None:
    interests = drawn(nodes=60)
    rates = np.zeros(interests.topic_count)
    silent = run("vitis", interests, duration=30, rates=rates).last_cycle
    assert np.isnan(silent.hit_ratio)
    assert silent.furthest == 0
    assert silent.traffic.overhead == 0
    rates[3] = 2.0
    assert run("vitis", interests, duration=30, rates=rates).last_cycle.hit_ratio == 1.0


def test_topics_without_present_subscribers_have_no_rendezvous_node() -> None:
    lists = {f"n{k}": ["tea"] for k in range(20)} | {"n": ["alone"]}
    interests = Interests.from_lists(lists)
    ends = [10 * SECOND if name == "n" else LONG for name in interests.node_names]
    sessions = Sessions.from_columns(range(21), [0] * 21, ends)
    last = run("vitis", interests, duration=60, churn=sessions).last_cycle
    assert (last.nodes, last.ring, last.rendezvous) == (20, 1.0, 1.0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"table_size": "9"}, "table_size is '9'; expected a whole number"),
        ({"table_size": 9.5}, "table_size is 9.5; expected a whole number"),
        ({"through": 1}, "through is 1; expected True or False"),
        ({"ring_share": "half"}, "ring_share is 'half'; expected a number"),
    ],
)
def test_option_types_are_checked(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        run("vitis", drawn(nodes=20), options=options)
    with pytest.raises(ParameterError, match="interests is a str; expected Interests, as"):
        simulate(Scenario("subscriptions.csv"), "vitis", engine="cycles")  # type: ignore[arg-type]
