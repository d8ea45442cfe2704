"""Vitis, RVR and OPT in a world: the ring itself, paths, what relays cost, and what is repaired."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gossamer.errors import ParameterError
from gossamer.model import Interests, Publications, Scenario, Sessions
from gossamer.protocols.components.identifiers import closest, identifier_of_topic
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.components.small_world import (
    estimate_population,
    has_changed,
    targets_of,
)
from gossamer.protocols.contract import Publish, Unsubscribe
from gossamer.protocols.opt.machine import Opt
from gossamer.protocols.vitis import Vitis
from gossamer.quality import Dissemination
from gossamer.sim import World, simulate
from gossamer.sim.publications import PublicationMeter
from gossamer.sim.rules import Delay, Loss, Separation
from gossamer.sim.views import ViewSize
from gossamer.time import SECOND
from gossamer.workloads import draw_publications, generate_interests

SMALL: dict[str, Any] = {"table_size": 6}


def correlated(nodes: int = 40, seed: int = 1) -> Interests:
    return generate_interests(
        "high-correlation", nodes=nodes, topics=40, subscriptions=8, seed=seed, buckets=8,
        buckets_per_node=2,
    )  # fmt: skip


def made(
    protocol: str, interests: Interests, options: dict[str, Any] = SMALL, **more: Any
) -> World:
    given = {"view": ViewSize("gossip"), "seed": 1, "rules": [Delay(5000, 15000)], **more}
    return World(protocol, interests, options=options, **given)


def nodes_of(world: World) -> dict[int, Vitis]:
    found = {port.node: port.host.machine for port in world.ports if port.host is not None}
    assert all(isinstance(machine, Vitis) for machine in found.values())
    return found  # type: ignore[return-value]


def ring_is_right(world: World) -> bool:
    nodes = nodes_of(world)
    return all(
        node.ring() == (find_predecessor(me, nodes), find_successor(me, nodes))
        for me, node in nodes.items()
    )


def rendezvous_of(world: World, topic: int) -> list[int]:
    """Return the nodes at which paths of a topic end."""
    nodes = nodes_of(world).items()
    return [me for me, one in nodes if topic in one.paths and one.paths.parent_on(topic) is None]


def carriers_of(world: World, topic: int) -> list[int]:
    """Return the nodes through which paths of a topic go without their wanting it."""
    nodes = nodes_of(world).items()
    return [me for me, one in nodes if topic in one.paths and topic not in one.topics]


def published(interests: Interests, start: int, seconds: int = 6, seed: int = 2) -> Publications:
    """Draw some publications of a few seconds."""
    drawn = draw_publications(interests, 10 * (start + seconds), seed=seed)
    return drawn.between(start * SECOND, (start + seconds) * SECOND)


def spread(
    protocol: str, interests: Interests, options: dict[str, Any] = SMALL, **more: Any
) -> Dissemination:
    found = simulate(
        Scenario(
            interests, publications=published(interests, 8, 4), duration=14, seed=1,
            **{"view": "gossip", **more},
        ),
        protocol,
        **options,
    ).dissemination  # fmt: skip
    assert found is not None
    return found


@pytest.mark.parametrize("protocol", ["vitis", "rvr"])
@pytest.mark.parametrize("view", ["gossip", "full"])
def test_the_ring_is_right_and_each_topic_has_one_rendezvous_node(protocol: str, view: str) -> None:
    interests = correlated()
    world = made(protocol, interests, view=ViewSize(view))
    world.run(18 * SECOND)
    assert ring_is_right(world)
    everybody = range(40)
    for topic in range(interests.topic_count):
        assert rendezvous_of(world, topic) == [closest(everybody, identifier_of_topic(topic))]
    changes = world.fabric.changes
    nodes = nodes_of(world)
    for me, node in nodes.items():
        assert len(node.table) == 6
        assert len(node.neighbours) <= 6 + 3 * 6
        assert all(me in nodes[int(peer)].neighbours for peer in node.linked()), "both ends agree"
    world.run(22 * SECOND)
    assert world.fabric.changes == changes, "what has settled stays"


def test_vitis_reaches_every_subscriber_with_fewer_relays_and_hops_than_rvr() -> None:
    interests = correlated(60)
    vitis, rvr = spread("vitis", interests), spread("rvr", interests)
    assert (vitis.flood, vitis.hit_ratio, rvr.hit_ratio) == ("notify", 1.0, 1.0)
    assert vitis.traffic is not None
    assert rvr.traffic is not None
    for overhead in ("overhead", "overhead_with_duplicates"):
        assert 0 < getattr(vitis.traffic, overhead) < 0.5 * getattr(rvr.traffic, overhead)
    assert vitis.traffic.mean_over_nodes < 0.5 * rvr.traffic.mean_over_nodes
    assert vitis.hops.mean < rvr.hops.mean
    assert vitis.copies.sum() == vitis.receipts.sum(), "each node pulls once"
    assert vitis.traffic.wanted.sum() + vitis.traffic.unwanted.sum() == vitis.receipts.sum()
    assert vitis.relays is not None
    assert vitis.traffic.unwanted.sum() == vitis.relays.sum()
    assert (vitis.receipts == vitis.delivered + vitis.relays).all(), "one topic each"
    assert vitis.summary()["overhead"] == vitis.traffic.overhead
    pushed = spread("vitis", interests, SMALL | {"flood": "crosspost"})
    assert pushed.hit_ratio == 1
    assert pushed.copies.sum() > 1.5 * vitis.copies.sum()
    assert pushed.traffic is not None
    assert pushed.traffic.all_wanted.sum() + pushed.traffic.all_unwanted.sum() == pushed.arrived


def test_opt_with_a_bound_misses_some_and_without_one_has_more_links() -> None:
    interests = generate_interests("uniform", nodes=70, topics=40, subscriptions=8, seed=1)
    bounded = spread("opt", interests, {"bound": 6})
    free = spread("opt", interests, {})
    assert bounded.hit_ratio < 0.9
    assert free.hit_ratio == 1.0
    assert free.traffic is not None
    assert free.traffic.overhead == 0
    assert not any("overhead" in name for name in free.summary())
    for bound, most in ((6, 6), (0, 70)):
        world = made("opt", interests, {"bound": bound})
        world.run(10 * SECOND)
        machines = [port.host.machine for port in world.ports if port.host is not None]
        assert all(isinstance(machine, Opt) for machine in machines)
        sizes = [len(list(machine.linked())) for machine in machines]
        assert max(sizes) <= most
        if not bound:
            assert np.mean(sizes) > 8
            assert all(
                sum(topic in n.wanted for n in machine.neighbours.values()) >= 3  # type: ignore[attr-defined]
                for machine in machines
                for topic in machine.topics
            )
            changes = world.fabric.changes
            world.run(14 * SECOND)
            assert world.fabric.changes == changes, "links that are too many have gone"


@pytest.mark.parametrize("protocol", ["vitis", "rvr"])
def test_a_third_crashes_and_the_others_find_together(protocol: str) -> None:
    interests = correlated()
    publications = published(interests, 32, 6)
    meter = PublicationMeter(publications)
    world = made(protocol, interests, SMALL | {"missed_heartbeats": 3}, deliver=meter.deliver)
    meter.attach(world)
    world.run(15 * SECOND)
    for node in range(0, 40, 3):
        world.crash(node)
    world.run(30 * SECOND)
    assert ring_is_right(world)
    for one in nodes_of(world).values():
        assert all(int(peer) % 3 for peer in one.linked()), "nobody counts on the gone"
        assert all(int(p) % 3 for topic in one.paths.topics for p in one.neighbours_on(topic))
    world.run(45 * SECOND)
    found = meter.result("notify")
    assert found.left_out > 5
    assert found.expected.sum() > 100
    assert found.hit_ratio == 1


def test_links_have_the_lengths_of_an_estimated_population() -> None:
    world = made("rvr", correlated())
    world.run(18 * SECOND)
    nodes = nodes_of(world)
    for node in nodes.values():
        near = node.ring()
        assert near is not None
        assert not has_changed(node.population, estimate_population(*near))
        assert node.targets == targets_of(node.me, node._lengths, node.population)
    assert 20 < np.median([node.population for node in nodes.values()]) < 80
    given = made("rvr", correlated(20), SMALL | {"population": 77})
    given.run(8 * SECOND)
    assert {node.population for node in nodes_of(given).values()} == {77}


def test_lookups_follow_links_or_tables() -> None:
    outside = {}
    for lookup in ("links", "table"):
        world = made("rvr", correlated(), SMALL | {"lookup": lookup})
        world.run(16 * SECOND)
        outside[lookup] = sum(
            node.paths.parent_on(topic) not in {*node.table, None}
            for node in nodes_of(world).values()
            for topic in node.paths.topics
        )
    assert outside["table"] == 0 < outside["links"]


def test_gateways_are_within_the_maximum_of_hops_or_nearer() -> None:
    furthest = {}
    for inclusive in (True, False):
        options = SMALL | {"max_gateway_hops": 1, "inclusive_hops": inclusive}
        world = made("vitis", correlated(40), options)
        world.run(10 * SECOND)
        nodes = nodes_of(world).values()
        furthest[inclusive] = max(one.hops for node in nodes for one in node.own_proposals())
    assert furthest == {True: 1, False: 0}


def test_lookups_that_end_at_subscribers_need_fewer_relays() -> None:
    interests = generate_interests("uniform", nodes=80, topics=30, subscriptions=5, seed=3)
    whole = spread("vitis", interests)
    short = spread("vitis", interests, SMALL | {"stop_at_subscribers": True})
    assert whole.hit_ratio == short.hit_ratio == 1.0
    assert whole.traffic is not None
    assert short.traffic is not None
    assert short.traffic.overhead < whole.traffic.overhead


def test_gateways_and_relay_nodes_that_crash_are_replaced() -> None:
    interests = generate_interests("uniform", nodes=45, topics=45, subscriptions=4, seed=3)
    delivered: list[tuple[int, bytes]] = []
    world = made(
        "vitis", interests, SMALL | {"missed_heartbeats": 3},
        deliver=lambda node, effect: delivered.append((node, effect.payload)),
    )  # fmt: skip
    world.run(15 * SECOND)
    topic = max(range(45), key=lambda t: (len(carriers_of(world, t)), t))
    relays = carriers_of(world, topic)
    assert len(relays) > 1
    (root,) = rendezvous_of(world, topic)
    gateways = [me for me, node in nodes_of(world).items() if topic in node.gateways()]
    for number, gone in enumerate(dict.fromkeys((relays[0], gateways[0], root))):
        world.crash(gone)
        world.run(world.now + 10 * SECOND)
        wanting = [me for me, node in nodes_of(world).items() if topic in node.topics]
        assert rendezvous_of(world, topic) == [closest(nodes_of(world), identifier_of_topic(topic))]
        again = [me for me in wanting if topic in nodes_of(world)[me].gateways()]
        assert again
        payload = b"%d" % number
        world.inject(wanting[-1], Publish((topic,), payload))
        world.run(world.now + 2 * SECOND)
        assert sorted(node for node, what in delivered if what == payload) == sorted(wanting)


@pytest.mark.parametrize("protocol", ["vitis", "rvr"])
def test_no_relay_path_remains_for_topics_without_subscribers(protocol: str) -> None:
    interests = correlated()
    world = made(protocol, interests)
    world.run(12 * SECOND)
    topic = max(range(40), key=lambda t: (len(carriers_of(world, t)), t))
    assert carriers_of(world, topic)
    for node in list(nodes_of(world)):
        world.inject(node, Unsubscribe(topic))
    world.run(13 * SECOND)
    assert not any(topic in node.paths for node in nodes_of(world).values())
    assert any(node.paths.topics for node in nodes_of(world).values())


def test_popular_node_is_in_a_bounded_number_of_tables() -> None:
    """All others have one topic in common, and that is all that node 0 wants."""
    lists = {0: [0], **{node: [0, *range(10 * node, 10 * node + 4)] for node in range(1, 35)}}
    interests = Interests.from_lists(lists)
    full = made("vitis", interests, SMALL | {"max_in_degree": 7})
    free = made("vitis", interests, SMALL | {"max_in_degree": 1000})
    for world in (full, free):
        world.run(20 * SECOND)
        assert ring_is_right(world)
    popular = nodes_of(full)[0]
    assert sum(not ring for ring in popular.inward.values()) <= 7 + 6, "and those it chose itself"
    assert len(popular.neighbours) <= 7 + 6 + 2
    assert len(nodes_of(free)[0].neighbours) > 28
    changes = full.fabric.changes
    full.run(30 * SECOND)
    assert full.fabric.changes == changes, "who was refused asks again without harm"


def test_friends_are_those_with_whom_a_hot_topic_is_shared() -> None:
    """Each node shares one topic with ten others and three with another ten."""
    lists = {
        node: [node // 10, *(100 + 3 * (node % 10) + k for k in range(3))] for node in range(50)
    }
    interests = Interests.from_lists(lists)
    shared = {}
    for weights in ("uniform", "measured"):
        world = made("vitis", interests, {"table_size": 9, "weights": weights})
        for second in range(1, 15):
            world.run(second * SECOND)
            for node in range(0, 50, 10):  # the first topics are hot
                topic = interests.topics_of(node)[0]
                world.inject(node, Publish((int(topic),), b""))
        nodes = nodes_of(world)
        shared[weights] = np.mean(
            [
                interests.topics_of(int(peer))[0] == interests.topics_of(me)[0]
                for me, node in nodes.items()
                for peer in node.table
            ]
        )
    assert shared["measured"] > shared["uniform"] + 0.2


def test_nodes_in_warm_up_are_not_expected_to_receive() -> None:
    interests = Interests.from_lists({node: [0] for node in range(12)})
    starts = [0] * 10 + [20 * SECOND, 28 * SECOND]
    sessions = Sessions.from_columns(range(12), starts, [99 * SECOND] * 12)
    publications = Publications.from_lists([3], [[0]], times=[31 * SECOND])
    expected = []
    for warm_up in (0.0, 10.0, 15.0):
        meter = PublicationMeter(publications, warm_up=warm_up)
        world = made("vitis", interests, sessions=sessions, deliver=meter.deliver)
        meter.attach(world)
        world.run(40 * SECOND)
        found = meter.result("notify")
        assert found.hit_ratio == 1
        expected.append(int(found.expected[0]))
    assert expected == [11, 10, 9]


@pytest.mark.parametrize(
    ("protocol", "options", "says"),
    [
        ("vitis", {"table_size": 2}, "table_size is 2; expected 3 to 128"),
        (
            "vitis",
            {"table_size": 5, "small_world_links": 4},
            "small_world_links is 4 with table_size 5; expected 0 to 3",
        ),
        ("vitis", {"max_gateway_hops": 0}, "max_gateway_hops is 0"),
        ("vitis", {"max_in_degree": -1}, "max_in_degree is -1"),
        ("vitis", {"population": -1}, "population is -1"),
        ("vitis", {"max_paths": 0}, "max_paths is 0"),
        ("rvr", {"stop_at_subscribers": True}, "rvr has no option 'stop_at_subscribers'"),
        ("vitis", {"period_seconds": 0.0}, "period_seconds is 0.0"),
        ("rvr", {"missed_heartbeats": 0}, "missed_heartbeats is 0"),
        ("rvr", {"view_size": 256}, "view_size is 256; expected 1 to 255"),
        ("rvr", {"shuffle_seconds": -1.0}, "shuffle_seconds is -1.0"),
        ("opt", {"cover": 0}, "cover is 0"),
        ("opt", {"bound": -1}, "bound is -1"),
        ("opt", {"table_size": 15}, "opt has no option 'table_size'"),
    ],
)
def test_options_that_make_no_sense(protocol: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        made(protocol, correlated(5), options)


@pytest.mark.parametrize("protocol", ["vitis", "rvr"])
def test_two_halves_become_one_ring_again(protocol: str) -> None:
    """Cut for so long that nobody remembers the other half but by those whom it misses."""
    interests = correlated(40)
    rules = [Delay(5000, 15000), Separation(lambda node: node % 2, 12 * SECOND, 45 * SECOND)]
    world = made(
        protocol, interests, SMALL | {"missed_heartbeats": 3, "view_size": 12}, rules=rules
    )
    world.run(45 * SECOND)
    nodes = nodes_of(world)
    for half in (range(0, 40, 2), range(1, 40, 2)):
        for me in half:
            assert nodes[me].ring() == (find_predecessor(me, half), find_successor(me, half))
            assert all(int(peer) in half for peer in nodes[me].view.known)  # type: ignore[attr-defined]
    world.run(62 * SECOND)
    assert ring_is_right(world)


def test_lost_messages_are_recovered_on_relay_paths() -> None:
    """And what is published on three topics comes on each of them."""
    interests = correlated()
    drawn = draw_publications(interests, 120, crosspost=3, seed=2)
    publications = drawn.between(8 * SECOND, 12 * SECOND)
    assert len(publications.topics) > 2 * len(publications)
    meter = PublicationMeter(publications)
    world = made("vitis", interests, rules=[Delay(5000, 15000), Loss(0.1)], deliver=meter.deliver)
    meter.attach(world)
    world.run(30 * SECOND)
    found = meter.result("notify")
    assert found.hit_ratio == 1
    assert found.delays is not None
    assert found.delays.max() > SECOND, "some of it came by a later digest"
