"""What is published in a simulated world, and on links that are given: two engines, one truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.design import find_algorithm
from gossamer.errors import InputError, ParameterError
from gossamer.host import Tracer
from gossamer.model import Interests, Overlay, Publications, Scenario
from gossamer.quality import FLOODS, Flood, TopicGraphs, flood_publications
from gossamer.sim import Recording, World, disseminate, simulate
from gossamer.sim.dissemination import message_sizes
from gossamer.sim.fixed_links import fixed_links
from gossamer.sim.publications import PublicationMeter
from gossamer.sim.rules import Delay
from gossamer.workloads import draw_publications, generate_interests
from tests.property.test_flood import Given, floods

HOP = 10_000


@given(floods(), st.sampled_from(FLOODS))
@settings(max_examples=40)
def test_machines_flood_like_the_kernels(case: Given, flood: Flood) -> None:
    """With equal delays: the same copies, bytes, deliveries and hops, for each node."""
    interests, graphs, publications = case
    if not interests.node_count:
        return
    sizes = message_sizes(publications, flood=flood, payload=300)
    exact = flood_publications(interests, graphs, publications, flood=flood, sizes=sizes)
    meter = PublicationMeter(publications, 300)
    world = World(
        fixed_links(interests, graphs), interests,
        options={"flood": flood, "digest_seconds": 1000.0}, rules=[Delay(HOP, HOP)],
        deliver=meter.deliver,
    )  # fmt: skip
    meter.attach(world)
    world.run(900_000_000)
    simulated = meter.result(flood)
    by_publication = ("expected", "delivered", "copies", "receipts", "furthest")
    by_node = ("sent", "bytes", "deliveries")
    for name in by_publication + by_node:
        assert getattr(simulated, name).tolist() == getattr(exact, name).tolist(), name
    assert simulated.hops.values.tolist() == exact.hops.values.tolist()
    assert simulated.hops.counts.tolist() == exact.hops.counts.tolist()
    assert simulated.arrived == exact.arrived
    assert simulated.delays is not None
    assert np.bincount(simulated.delays // HOP).tolist() == np.bincount(
        np.repeat(exact.hops.values, exact.hops.counts)
    ).tolist()  # fmt: skip


@pytest.fixture(scope="module")
def rss() -> tuple[Interests, Overlay]:
    interests = generate_interests("rss", nodes=80, topics=12, subscriptions=4, seed=1)
    return interests, find_algorithm("greedy-merge")(interests, seed=1)


@pytest.mark.parametrize("flood", FLOODS)
def test_both_engines_agree_on_a_real_overlay(rss: tuple[Interests, Overlay], flood: Flood) -> None:
    publications = draw_publications(rss[0], 60, crosspost=3, seed=2)
    exact = disseminate(
        Scenario(rss[0], publications=publications, payload=50), rss[1], flood=flood
    )
    simulated = disseminate(
        Scenario(rss[0], publications=publications, payload=50, latency="uniform:9-9ms"),
        rss[1],
        flood=flood,
        repair=False,
    )
    assert exact.hit_ratio == simulated.hit_ratio == 1
    assert exact.sent.tolist() == simulated.sent.tolist()
    assert exact.bytes.tolist() == simulated.bytes.tolist()
    assert exact.hops.counts.tolist() == simulated.hops.counts.tolist()


def test_lost_messages_are_recovered_later(rss: tuple[Interests, Overlay]) -> None:
    publications = draw_publications(rss[0], 50, crosspost=2, seed=2)
    calm = disseminate(
        Scenario(rss[0], publications=publications, latency="uniform:5-15ms", seed=3), rss[1]
    )
    lossy = disseminate(Scenario(rss[0], publications=publications, loss=0.05, seed=3), rss[1])
    assert calm.hit_ratio == lossy.hit_ratio == 1
    assert lossy.arrived < lossy.sent.sum()
    assert calm.delays is not None
    assert lossy.delays is not None
    assert calm.delays.max() < 1_000_000 < lossy.delays.max()
    left = disseminate(
        Scenario(rss[0], publications=publications, loss=0.05, seed=3), rss[1], repair=False
    )
    assert left.hit_ratio < 1
    same = disseminate(Scenario(rss[0], publications=publications, loss=0.05, seed=3), rss[1])
    assert same.sent.tolist() == lossy.sent.tolist()
    assert same.summary() == lossy.summary()


def test_absent_nodes_are_not_expected_to_receive(rss: tuple[Interests, Overlay]) -> None:
    publications = draw_publications(rss[0], 200, seed=2)
    found = disseminate(
        Scenario(rss[0], publications=publications, churn="exponential:10", seed=3), rss[1]
    )
    assert 0 < found.left_out < 200
    assert found.publications == 200 - found.left_out
    everybody = disseminate(Scenario(rss[0], publications=publications), rss[1])
    assert found.expected.sum() < everybody.expected.sum()
    assert (found.delivered <= found.expected).all()


def test_nodes_expect_no_publication_from_before_they_joined() -> None:
    """Three nodes on a topic: one goes before the second publication, one comes after the first."""
    from gossamer.model import Sessions

    interests = Interests.from_lists({node: [0] for node in range(4)})
    overlay = Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)])
    second = 1_000_000
    sessions = Sessions.from_columns(
        [0, 1, 2, 3], [0, 0, 0, 5 * second], [99 * second, 99 * second, 9 * second, 99 * second]
    )
    publications = Publications.from_lists([0, 0, 2], [[0]] * 3, times=[2 * second, 8 * second,
                                                                        20 * second])  # fmt: skip
    found = disseminate(Scenario(interests, publications=publications, churn=sessions), overlay)
    assert found.left_out == 1, "node 2 has gone by then"
    assert found.expected.tolist() == [1, 2, 0], "those that are there at the end, from then on"
    assert found.delivered.tolist() == [1, 2, 0]


def test_deliveries_of_a_publisher_without_links_are_counted() -> None:
    """No copy is sent at first; neighbours pull the publication when they are linked."""
    interests = Interests.from_lists({node: [0] for node in range(8)})
    publications = Publications.from_lists([3], [[0]], times=[1])
    scenario = Scenario(interests, publications=publications, duration=5, seed=1)
    run = simulate(scenario, "ring-per-topic", recording=Recording(trace=True))
    assert run.trace is not None
    assert run.dissemination is not None
    assert sum(row.what == "deliver" and row.node != 3 for row in run.trace) == 7
    assert run.dissemination.delivered.tolist() == run.dissemination.expected.tolist() == [7]


def test_publications_in_a_protocol(rss: tuple[Interests, Overlay]) -> None:
    interests, _ = rss
    publications = draw_publications(interests, 40, crosspost=2, seed=1)
    late = publications.between(8_000_000, 12_000_000)
    run = simulate(Scenario(interests, publications=late, payload=10, seed=1), "spidercast")
    found = run.dissemination
    assert found is not None
    assert found.hit_ratio == run.summary()["hit_ratio"] == 1
    assert "hit_ratio=100 %" in repr(run)
    kinds = run.messages.by_kind
    assert found.sent.sum() == kinds["publication"] + kinds["repaired"]
    assert run.snapshots[-1].time >= 22_000_000, "10 s longer than something is published"
    encoded = simulate(
        Scenario(interests, publications=late, payload=10, seed=1),
        "spidercast",
        recording=Recording(bytes=True),
    )
    sizes = encoded.messages.bytes_by_kind
    assert sizes["publication"] + sizes["repaired"] == found.bytes.sum()
    assert simulate(Scenario(interests, duration=1.0, seed=1), "spidercast").dissemination is None
    rings = simulate(Scenario(interests, publications=late, seed=1), "ring-per-topic").dissemination
    assert rings is not None
    assert rings.hit_ratio == 1
    assert rings.hops.mean > found.hops.mean
    graphs_cut = TopicGraphs.from_arcs(interests, [], [], [])
    nothing = disseminate(Scenario(interests, publications=late), graphs_cut)
    assert (nothing.hit_ratio, nothing.sent.sum()) == (0, 0)


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_publishers_without_a_subscription(
    rss: tuple[Interests, Overlay], flood: Flood, loss: float
) -> None:
    interests, overlay = rss
    publications = draw_publications(interests, 60, crosspost=2, non_subscribers=0.5, seed=2)
    by_subscribers = publications.are_by_subscribers(interests)
    assert 30 < (~by_subscribers).sum() < 90
    scenario = Scenario(interests, publications=publications, payload=10, loss=loss, seed=3)
    found = disseminate(scenario, overlay, flood=flood)
    assert found.hit_ratio == 1
    assert found.left_out == 0
    others = np.zeros(60, dtype=np.int64)
    np.add.at(others, publications.rows, interests.popularity[publications.topics] - by_subscribers)
    assert found.expected.tolist() == others.tolist()
    assert (found.copies >= found.receipts).all()


@pytest.mark.parametrize("protocol", ["spidercast", "vitis", "stan", "opt"])
def test_publishers_without_a_subscription_in_a_protocol(protocol: str) -> None:
    interests = generate_interests("rss", nodes=30, topics=12, subscriptions=4, seed=1)
    publications = draw_publications(interests, 20, non_subscribers=1.0, seed=1)
    assert not publications.are_by_subscribers(interests).any()
    late = publications.between(10_000_000, 14_000_000)
    scenario = Scenario(interests, publications=late, view="gossip", duration=18, seed=1)
    run = simulate(scenario, protocol, recording=Recording(check_invariants=True))
    assert run.dissemination is not None
    assert run.dissemination.hit_ratio == 1


def test_publication_without_subscribers_is_given_up() -> None:
    interests = Interests.from_ids([0, 1], [0, 0], node_names=3, topic_names=2)
    publications = Publications.from_lists([2, 2], [[1], [0]])
    world_of = fixed_links(interests, TopicGraphs.of(interests, Overlay.from_links(3, [(0, 1)])))
    meter = PublicationMeter(publications)
    trace = Tracer()
    world = World(world_of, interests, rules=[Delay(HOP, HOP)], deliver=meter.deliver, tracer=trace)
    meter.attach(world)
    world.run(60_000_000)
    assert meter.result("crosspost").delivered.tolist() == [0, 2]
    assert [one.what for one in trace.rows if one.what == "undelivered"] == ["undelivered"]


def test_invalid_arguments_are_rejected(rss: tuple[Interests, Overlay]) -> None:
    interests, overlay = rss
    one = Publications.from_lists([0], [[int(interests.topics_of(0)[0])]])
    strange = sorted({*range(12)} - set(interests.topics_of(0).tolist()))[0]
    for change, says in (
        ({"payload": -1}, "payload is -1 bytes"),
        ({"payload": 1 << 20}, "expected 0 to 524288"),
        ({"loss": 2.0}, "loss is 2.0"),
        ({"loss": float("nan")}, "loss is nan"),
        ({"seed": -1}, "seed is -1"),
        ({"latency": "soon"}, "latency is 'soon'"),
        ({"churn": "often"}, "churn is 'often'"),
    ):
        with pytest.raises(ParameterError, match=says):
            disseminate(Scenario(interests, publications=one, **change), overlay)
    with pytest.raises(ParameterError, match="expected crosspost, simple or tree"):
        disseminate(Scenario(interests, publications=one), overlay, flood="river")  # type: ignore[arg-type]
    foreign = Publications.from_lists([0], [[strange]])
    with pytest.raises(InputError, match="of which it is no subscriber"):
        flood_publications(interests, TopicGraphs.of(interests, overlay), foreign)
    with pytest.raises(InputError, match="the overlay has 3 nodes"):
        disseminate(Scenario(interests, publications=one), Overlay.from_links(3, []))
