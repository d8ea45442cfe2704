"""ElastO in a world: its initial overlay, and topics that stay connected under churn."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from gossamer.design import find_algorithm
from gossamer.errors import ParameterError
from gossamer.model import Interests, Scenario
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import InstallLinks, Received, Subscribe, Unsubscribe
from gossamer.protocols.elasto import ElastO
from gossamer.protocols.elasto.messages import ChurnNotice, NodeDescriptor, RepairQ, RepairS
from gossamer.quality import topic_components
from gossamer.sim import Recording, World, simulate
from gossamer.sim.initial_overlay import InitialOverlay, initial_overlay_of
from gossamer.sim.views import ViewSize
from gossamer.time import SECOND
from gossamer.workloads import generate_interests

QUICK: dict[str, Any] = {"heartbeat_seconds": 0.2, "exchange_seconds": 0.4, "shuffle_seconds": 0.2}


def drawn(nodes: int = 40, topics: int = 20) -> Interests:
    return generate_interests("rss", nodes=nodes, topics=topics, subscriptions=5, seed=3)


def made(view: str = "gossip", *, nodes: int = 40, create: bool = True, **options: Any) -> World:
    world = World("elasto", drawn(nodes), options={**QUICK, **options}, view=ViewSize(view), seed=1)
    if create:
        initial_overlay_of("low-oda", None, 1).attach(world)
    return world


def nodes_of(world: World) -> dict[int, ElastO]:
    found = {port.node: port.host.machine for port in world.ports if port.host is not None}
    assert all(isinstance(machine, ElastO) for machine in found.values())
    return found  # type: ignore[return-value]


def broken(world: World) -> int:
    """Return how many topics are not connected, and links half open, if only for a moment."""
    nodes = np.array(sorted(world.index.present))
    overlay, half_open = world.overlay_of(nodes)
    return half_open + int((topic_components(world.interests_of(nodes), overlay) > 1).sum())


def mean_degree(world: World) -> float:
    overlay, _ = world.overlay_of(np.array(sorted(world.index.present)))
    return float(overlay.degrees.mean())


def wait(world: World, seconds: float) -> None:
    world.run(world.now + round(seconds * SECOND))


def settled(world: World, within: float = 20.0) -> None:
    end = world.now + round(within * SECOND)
    while broken(world):
        assert world.now < end, "topics are not connected in time"
        wait(world, 0.5)


@pytest.mark.parametrize("view", ["gossip", "full"])
def test_all_who_start_at_once_find_together(view: str) -> None:
    world = made(view, create=False)
    wait(world, 6.0)
    settled(world)
    wait(world, 3.0)
    before = {me: list(node.linked()) for me, node in nodes_of(world).items()}
    wait(world, 5.0)
    assert {me: list(node.linked()) for me, node in nodes_of(world).items()} == before
    by_place = sorted(before, key=identifier_of_node)
    for at, me in enumerate(by_place):
        after = by_place[(at + 1) % len(by_place)]
        assert nodes_of(world)[me].ring() == (by_place[at - 1], after)


def test_initial_overlay_is_that_of_the_algorithm() -> None:
    interests = drawn()
    result = simulate(
        Scenario(interests, view="gossip", duration=10, seed=1),
        "elasto",
        **QUICK,
        initial_overlay="low-oda",
    )
    assert result.connected_throughout
    expected = find_algorithm("low-oda")(interests, seed=1)
    assert result.last.overlay == expected
    assert result.converged_at == round(0.2 * SECOND), "the first snapshot, and nothing after it"


def test_overlay_is_rebuilt_periodically() -> None:
    world = made(create=False)
    initial = InitialOverlay(lambda interests: find_algorithm("low-oda")(interests), 8 * SECOND)
    initial.attach(world)
    for node in range(12):
        wait(world, 0.5)
        world.leave(node)
    settled(world)
    assert world.now < 8 * SECOND
    world.run(9 * SECOND)
    assert initial.epoch == 2
    nodes = np.array(sorted(world.index.present))
    found, half_open = world.overlay_of(nodes)
    assert not half_open
    assert found == find_algorithm("low-oda")(world.interests_of(nodes))
    world.join(3)
    wait(world, 2.0)
    settled(world)
    assert nodes_of(world)[3].epoch >= 2


def test_protocols_without_initial_overlay_reject_one() -> None:
    with pytest.raises(ParameterError, match="makes all its links itself; expected"):
        simulate(Scenario(drawn()), "spidercast", initial_overlay="low-oda")
    with pytest.raises(ParameterError, match="name its algorithm too"):
        simulate(Scenario(drawn()), "elasto", rebuild=3.0)
    with pytest.raises(ParameterError, match="rebuild is 0"):
        simulate(Scenario(drawn()), "elasto", initial_overlay="low-oda", rebuild=0.0)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("coverage", -1, "coverage is -1; expected 0 to 1000"),
        ("concurrent", 0, "concurrent is 0; expected 1 to 64"),
        ("exchange_seconds", 0.0, "exchange_seconds is 0.0; expected 0.001 to 86400"),
        ("heartbeat_seconds", 1e6, "heartbeat_seconds is 1000000.0"),
        ("missed_heartbeats", 0, "missed_heartbeats is 0"),
    ],
)
def test_options_say_what_is_wrong(name: str, value: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        World("elasto", drawn(), options={name: value})


@pytest.mark.parametrize("view", ["gossip", "full", "share"])
def test_crash_is_repaired(view: str) -> None:
    world = made(view) if view != "share" else World(
        "elasto", drawn(), options=QUICK, view=ViewSize("share", 0.3), seed=1
    )  # fmt: skip
    wait(world, 6.0)
    settled(world)
    hub = max(nodes_of(world), key=lambda me: len(list(nodes_of(world)[me].linked())))
    world.crash(hub)
    wait(world, 2.0)
    settled(world, within=3.0)
    assert all(hub not in node.linked() for node in nodes_of(world).values())


@pytest.mark.parametrize("how", ["crash", "leave"])
def test_as_many_as_can_at_once_end_beside_each_other(how: str) -> None:
    world = made(concurrent=3)
    wait(world, 6.0)
    by_place = sorted(nodes_of(world), key=identifier_of_node)
    for node in by_place[10:13]:
        getattr(world, how)(node)
    wait(world, 3.0)
    settled(world, within=5.0)


@pytest.mark.parametrize(
    ("view", "events", "options"),
    [
        ("gossip", 40, {}),
        ("full", 30, {"backups": "greedy", "coverage": 2}),
        ("full", 30, {"reach": 0}),
    ],
)
def test_many_events(view: str, events: int, options: dict[str, Any]) -> None:
    world = made(view, nodes=30, **options)
    wait(world, 5.0)
    start = mean_degree(world)
    draws = random.Random(7)
    away: list[int] = []
    for _ in range(events):
        if away and draws.random() < 0.5:
            world.join(away.pop(draws.randrange(len(away))))
        else:
            node = draws.choice(sorted(nodes_of(world)))
            (world.leave if draws.random() < 0.5 else world.crash)(node)
            away.append(node)
        wait(world, 1.5)
        settled(world)
    assert mean_degree(world) < 2.5 * start
    assert sum(node.upgrader.coordinated for node in nodes_of(world).values()) > events / 4
    assert any(node.primaries for node in nodes_of(world).values())


def test_interests_change() -> None:
    world = made(nodes=30)
    wait(world, 5.0)
    draws = random.Random(2)
    for _ in range(30):
        me = draws.choice(sorted(nodes_of(world)))
        topics = nodes_of(world)[me].topics
        if draws.random() < 0.5 and len(topics) > 1:
            world.inject(me, Unsubscribe(draws.choice(topics)))
        else:
            world.inject(me, Subscribe(draws.randrange(20)))
        wait(world, 1.0)
        settled(world)
    for node in nodes_of(world).values():
        for known in node.neighbours.values():
            assert known.shared, "links are for topics that both want"


def test_what_is_known_of_neighbours_is_never_wrong() -> None:
    """A version of a node stands for one set of neighbours, whoever passes it on."""
    world = made(nodes=30)
    said: dict[tuple[Any, int], tuple[Any, ...]] = {}
    draws = random.Random(4)
    for step in range(400):
        if step % 40 == 39:
            world.crash(draws.choice(sorted(nodes_of(world))))
        wait(world, 0.02)
        for me, node in nodes_of(world).items():
            own = node.own()
            assert own.neighbours == tuple(node.linked())
            assert said.setdefault((me, own.version), own.neighbours) == own.neighbours
    for node in nodes_of(world).values():
        for peer, known in node.local.known.items():
            if (peer, known.version) in said:
                assert set(known.neighbours) <= set(said[peer, known.version])


def test_an_event_is_dealt_with_once() -> None:
    world = made(nodes=30)
    wait(world, 5.0)
    by_place = sorted(nodes_of(world), key=identifier_of_node)
    gone, coordinator = by_place[4], by_place[5]
    lost = nodes_of(world)[gone].own()
    asker = nodes_of(world)[lost.neighbours[0]].own()  # type: ignore[index]
    world.crash(gone)
    wait(world, 3.0)
    settled(world)
    node = nodes_of(world)[coordinator]
    assert node.upgrader.coordinated >= 1
    before = (node.upgrader.coordinated, node.upgrader.links_added)
    message = RepairQ(ChurnNotice(False, gone, lost.incarnation, lost.topics), asker, (), 0)
    for _ in range(3):
        answer = node.handle(Received(asker.peer, message), world.now)
        assert [effect.message for effect in answer] == [RepairS(False, gone, lost.incarnation)]  # type: ignore[attr-defined]
    assert (node.upgrader.coordinated, node.upgrader.links_added) == before


def test_present_node_is_not_removed_by_a_repair() -> None:
    world = made(nodes=30)
    wait(world, 5.0)
    by_place = sorted(nodes_of(world), key=identifier_of_node)
    there, node = nodes_of(world)[by_place[4]].own(), nodes_of(world)[by_place[5]]
    asker = nodes_of(world)[by_place[9]].own()
    message = RepairQ(ChurnNotice(False, there.peer, there.incarnation, there.topics), asker, (), 0)
    assert node.handle(Received(asker.peer, message), world.now) == []
    assert not node.upgrader.coordinated


def test_a_neighbour_that_was_not_thought_of_is_joined_later() -> None:
    """Whoever asks about an event that was dealt with without it hangs together with the rest."""
    world = made("full", nodes=30)
    wait(world, 5.0)
    by_place = sorted(nodes_of(world), key=identifier_of_node)
    gone, coordinator = by_place[4], by_place[5]
    lost = nodes_of(world)[gone].own()
    world.crash(gone)
    wait(world, 3.0)
    node = nodes_of(world)[coordinator]
    stranger = NodeDescriptor(1000, world.now, world.now, lost.topics)
    told = RepairQ(ChurnNotice(False, gone, lost.incarnation, lost.topics), stranger, (), 0)
    links_added = node.upgrader.links_added
    node.view._index.topics_of += [None] * 1000  # type: ignore[attr-defined]
    node.view._index.topics_of[1000] = lost.topics  # type: ignore[attr-defined]
    node.handle(Received(1000, told), world.now)
    assert node.upgrader.links_added > links_added


def test_node_ignores_an_outdated_initial_overlay() -> None:
    world = made(nodes=20)
    wait(world, 3.0)
    me, node = next(iter(nodes_of(world).items()))
    listed = [other for other in nodes_of(world) if other != me and other not in node.linked()]
    sharing = [o for o in listed if set(nodes_of(world)[o].topics) & set(node.topics)][:1]
    world.inject(me, InstallLinks(tuple((o, nodes_of(world)[o].topics) for o in sharing), 2))
    assert list(node.linked()) == sharing
    wait(world, 3.0)
    assert set(sharing) <= set(node.linked())


@pytest.mark.parametrize("view", ["gossip", "full"])
def test_the_same_seed_gives_the_same_trace(view: str) -> None:
    runs = [
        simulate(
            Scenario(
                drawn(30),
                view=view,
                churn="exponential:10",
                departure="crash",
                duration=9,
                loss=0.02,
                seed=5,
            ),
            "elasto",
            **QUICK,
            initial_overlay="low-oda",
            rebuild=4.0,
            recording=Recording(trace=True),
        )
        for _ in range(2)
    ]
    assert runs[0].trace == runs[1].trace
    assert runs[0].snapshots == runs[1].snapshots
