"""StaN in a world: what swaps keep, what is disclosed, and what comes of loss and churn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gossamer.model import Interests, Sessions
from gossamer.protocols.components.dissemination import Publication
from gossamer.protocols.components.hashes import token_of
from gossamer.protocols.contract import Publish
from gossamer.protocols.stan.policy import view_size, weight
from gossamer.sim import World
from gossamer.sim.rules import Delay, Loss
from gossamer.sim.snapshot import observe
from gossamer.sim.views import ViewSize
from gossamer.time import SECOND
from gossamer.workloads import generate_interests

STATIC: dict[str, Any] = {"fill_seconds": 3.0, "idle_rounds": 1}


def correlated(nodes: int = 60, seed: int = 1) -> Interests:
    return generate_interests(
        "low-correlation", nodes=nodes, topics=40, subscriptions=8, seed=seed, buckets=8,
        buckets_per_node=2,
    )  # fmt: skip


def views_of(world: World) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return every node's view of each of its topics, by (node, topic)."""
    return {
        (port.node, int(topic)): tuple(map(int, port.host.machine.neighbours_on(topic)))
        for port in world.ports
        if port.host is not None
        for topic in port.host.machine.topics
    }


def sizes_of(world: World) -> dict[tuple[int, int], int]:
    """Return every node's number of links on each of its topics; two may have the same ends."""
    return {
        (port.node, view.topic): view.size
        for port in world.ports
        if port.host is not None
        for view in port.host.machine.views.values()  # type: ignore[attr-defined]
    }


def total_weight(views: dict[tuple[int, int], tuple[int, ...]]) -> int:
    return sum(weight(node, peer) for (node, _), peers in views.items() for peer in peers)


def is_mutual(views: dict[tuple[int, int], tuple[int, ...]]) -> bool:
    return all(
        node in views.get((peer, topic), ())
        for (node, topic), peers in views.items()
        for peer in peers
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_swaps_keep_every_view_s_size_and_make_links_lighter(seed: int) -> None:
    world = World("stan", correlated(36), options=STATIC, seed=seed)
    world.run(3 * SECOND)
    first = observe(world).snapshot
    weights = [total_weight(views_of(world))]
    world.run(4 * SECOND)  # what was asked in the last moment has come
    sizes = sizes_of(world)
    for second in range(5, 20):
        world.run(second * SECOND)
        weights.append(total_weight(views_of(world)))
    world.run(25 * SECOND)
    after, last = views_of(world), observe(world).snapshot
    assert sizes_of(world) == sizes
    assert {key: len(view) for key, view in after.items()} == sizes, "no link is double"
    assert is_mutual(after)
    assert weights[-1] < 0.8 * weights[0]
    assert last.mean_degree < 0.9 * first.mean_degree, "links are shared"
    assert last.mean_view == pytest.approx(first.mean_view, rel=0.01)
    assert last.topic_connected
    assert last.half_open == 0


def test_swapping_comes_to_an_end() -> None:
    world = World("stan", correlated(20), options=STATIC, seed=1)
    world.run(100 * SECOND)
    settled = views_of(world)
    world.run(110 * SECOND)
    assert views_of(world) == settled


def test_views_are_as_large_as_they_should_be() -> None:
    interests = correlated(200)
    world = World("stan", interests, options=STATIC, seed=1)
    world.run(3 * SECOND)
    for (_, topic), view in views_of(world).items():
        size = view_size(int(interests.popularity[topic]), 2)
        assert size <= len(view) <= size + 4


class Listening(World):
    """A world in which everything that is sent is heard."""

    def __init__(self, *words: Any, **more: Any) -> None:
        self.heard: list[tuple[int, Any, Any]] = []
        super().__init__(*words, **more)
        carry = self.fabric.carry

        def listened(source: Any, target: Any, message: Any) -> None:
            self.heard.append((source.node, target, message))
            carry(source, target, message)

        self.fabric.carry = listened  # type: ignore[method-assign]


@pytest.mark.parametrize("view", ["full", "gossip"])
def test_no_topic_is_disclosed_to_who_does_not_want_it(view: str) -> None:
    """Not by name to any_peer, and walks and questions stay among its subscribers."""
    interests = correlated(30)
    world = Listening("stan", interests, options=STATIC, view=ViewSize(view), seed=1)
    world.run(10 * SECOND)
    tokens = {token_of(topic): topic for topic in range(interests.topic_count)}
    about = 0
    for _, target, message in world.heard:
        named = getattr(message, "topic", None)
        listed = getattr(message, "topics", ())
        gossiped = [t for one in getattr(message, "descriptors", ()) for t in one.topics]
        for token in (*([] if named is None else [named]), *listed, *gossiped):
            assert token in tokens, f"{message} has a topic by name"
        if named is not None:
            wanted = world.ports[target].host.machine.topics
            assert tokens[named] in wanted, "it stays within the topic"
            about += 1
    assert about > 1000


def test_what_is_published_goes_to_subscribers_alone() -> None:
    interests = correlated(30)
    world = Listening("stan", interests, options=STATIC, seed=1)
    world.run(5 * SECOND)
    world.inject(0, Publish(tuple(interests.topics_of(0).tolist()), b"x"))
    world.run(6 * SECOND)
    copies = [(target, m) for _, target, m in world.heard if isinstance(m, Publication)]
    assert copies
    for target, copy in copies:
        assert set(copy.topics) & set(interests.topics_of(target).tolist())


def test_loss_half_way_through_swaps_is_put_right() -> None:
    world = World(
        "stan",
        correlated(32),
        options=STATIC | {"missed_heartbeats": 30},
        rules=[Delay(5000, 15000)],
        seed=1,
    )
    world.run(3 * SECOND)
    world.fabric.rules.append(Loss(0.3))
    world.run(20 * SECOND)
    assert not is_mutual(views_of(world)), "a third of all messages are lost"
    del world.fabric.rules[1:]
    world.run(60 * SECOND)
    assert is_mutual(views_of(world))
    last = observe(world).snapshot
    assert last.topic_connected
    assert last.half_open == 0


def test_loss_keeps_views_and_links_that_both_ends_know() -> None:
    """A tenth of the messages is lost: swaps go on, views keep their sizes, links their ends."""
    lossless, lossy = (
        World(
            "stan", correlated(30), options=STATIC | {"missed_heartbeats": 30},
            rules=[Delay(5000, 15000)], seed=1, check_invariants=checked,
        )
        for checked in (False, True)
    )  # fmt: skip
    for world in (lossless, lossy):
        world.run(3 * SECOND)
    assert views_of(lossless) == views_of(lossy)
    first = observe(lossless).snapshot
    lossy.fabric.rules.append(Loss(0.1))
    for world in (lossless, lossy):
        world.run(12 * SECOND)
    aim, seen = observe(lossless).snapshot, observe(lossy).snapshot
    assert seen.mean_degree - aim.mean_degree <= 0.2 * (first.mean_degree - aim.mean_degree)
    assert seen.mean_view == pytest.approx(first.mean_view, rel=0.03)
    assert seen.half_open <= 0.05 * seen.links
    assert seen.topic_connected
    del lossy.fabric.rules[1:]
    lossy.run(20 * SECOND)
    assert is_mutual(views_of(lossy)), "the next messages repair what was lost"
    assert observe(lossy).snapshot.half_open == 0


@pytest.mark.parametrize(("refill", "enough"), [(5, 5), (0, 0)])
def test_a_view_below_five_is_filled_up_by_a_walk(refill: int, enough: int) -> None:
    interests = Interests.from_lists({node: ["all"] for node in range(40)})
    world = World(
        "stan", interests, options=STATIC | {"refill": refill, "missed_heartbeats": 2}, seed=1
    )
    world.run(5 * SECOND)
    view = views_of(world)[0, 0]
    assert len(view) >= 6
    for peer in view[1:]:
        world.crash(peer)
    world.run(25 * SECOND)
    assert len(views_of(world)[0, 0]) >= enough
    if not refill:
        assert len(views_of(world)[0, 0]) < 5, "views change by churn alone"
    assert all(peer not in view[1:] for peers in views_of(world).values() for peer in peers), (
        "nobody counts on the gone"
    )


def test_a_universe_that_grows_has_the_views_of_one_from_scratch() -> None:
    interests = correlated(48)
    starts = np.where(np.arange(48) < 24, 0, (6 + np.arange(48) // 8) * SECOND)
    sessions = Sessions.from_columns(np.arange(48), starts, np.full(48, 1000 * SECOND))
    grown = World("stan", interests, options=STATIC, sessions=sessions, seed=1)
    scratch = World("stan", interests, options=STATIC, seed=1)
    for world in (grown, scratch):
        world.run(30 * SECOND)
    one, other = observe(grown).snapshot, observe(scratch).snapshot
    assert one.topic_connected
    assert one.mean_view == pytest.approx(other.mean_view, rel=0.06)
    assert one.mean_degree == pytest.approx(other.mean_degree, rel=0.08)


def test_without_an_oracle_views_grow_with_what_is_counted() -> None:
    """A hundred nodes on one topic, and gossip that knows 30 of them."""
    interests = Interests.from_lists({node: ["all"] for node in range(100)})
    world = World(
        "stan", interests, options=STATIC | {"view_size": 30}, view=ViewSize("gossip"), seed=1
    )
    world.run(25 * SECOND)
    sizes = [len(view) for view in views_of(world).values()]
    assert view_size(100, 2) - 1 <= np.mean(sizes) <= view_size(100, 2) + 3
    assert observe(world).snapshot.topic_connected


def test_the_same_seed_gives_the_same_views() -> None:
    worlds = [World("stan", correlated(40), options=STATIC, seed=7) for _ in range(2)]
    for world in worlds:
        world.run(8 * SECOND)
    assert views_of(worlds[0]) == views_of(worlds[1])
    other = World("stan", correlated(40), options=STATIC, seed=8)
    other.run(8 * SECOND)
    assert views_of(other) != views_of(worlds[0])
