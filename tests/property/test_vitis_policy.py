"""Decisions and components of Vitis, RVR and OPT against naive versions."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.friends import MeasuredRates, rank_friends, utility
from gossamer.protocols.components.identifiers import (
    SPACE,
    clockwise,
    closest,
    identifier_of_node,
    identifier_of_topic,
    ring_distance,
)
from gossamer.protocols.components.newscast import Newscast, ViewExchange, ViewExchangeReply
from gossamer.protocols.components.profiles import GatewayProposal, RatedDescriptor
from gossamer.protocols.components.relays import Prune, Relay, RelayPaths
from gossamer.protocols.components.rendezvous import next_hop, propose
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.components.small_world import (
    draw_lengths,
    estimate_population,
    harmonic_share,
    has_changed,
    targets_of,
)
from gossamer.protocols.contract import Send, Trace
from gossamer.protocols.opt.policy import covering, missing_cover, spared
from gossamer.protocols.vitis.policy import select_neighbours
from gossamer.random_stream import Stream
from tests.component_driver import ComponentDriver

PEERS = st.lists(st.integers(0, 40), unique=True, max_size=12)
PLACES = st.integers(0, SPACE - 1)
TOPICS = st.sets(st.integers(0, 12), max_size=8).map(lambda found: tuple(sorted(found)))


# -- the ring ------------------------------------------------------------------------------


def test_identifiers_are_equal_in_every_process() -> None:
    code = (
        "from gossamer.protocols.components.identifiers import *;"
        "print(identifier_of_node(7), identifier_of_node('7'), identifier_of_topic(7))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    here = (identifier_of_node(7), identifier_of_node("7"), identifier_of_topic(7))
    assert said == " ".join(map(str, here)) + "\n"
    assert len(set(here)) == 3
    tenths = Counter(identifier_of_node(n) * 10 // SPACE for n in range(5000))
    assert min(tenths.values()) > 420


@given(PLACES, PLACES)
def test_ring_distance_is_the_shorter_way(one: int, other: int) -> None:
    assert clockwise(one, other) in range(SPACE)
    assert (one + clockwise(one, other)) % SPACE == other
    assert ring_distance(one, other) == ring_distance(other, one) <= SPACE // 2
    assert ring_distance(one, other) in (abs(one - other), SPACE - abs(one - other))


@given(st.integers(0, 40), PEERS)
def test_ring_neighbours_are_in_identifier_order(me: int, others: list[int]) -> None:
    ring = sorted({*others, me}, key=identifier_of_node)
    place = ring.index(me)
    if len(ring) == 1:
        assert find_successor(me, others) is None
        assert find_predecessor(me, others) is None
    else:
        assert find_successor(me, others) == ring[(place + 1) % len(ring)]
        assert find_predecessor(me, others) == ring[place - 1]


@given(PEERS, PLACES)
def test_closest_node_equals_exhaustive_search(peers: list[int], target: int) -> None:
    best = None
    for peer in sorted(peers, key=identifier_of_node):  # the lower identifier first
        far = ring_distance(identifier_of_node(peer), target)
        if best is None or far < best[0]:
            best = (far, peer)
    assert closest(peers, target) == (None if best is None else best[1])


def test_small_world_links_have_harmonic_lengths() -> None:
    targets = targets_of(5, draw_lengths(20_000, Stream(1)), 1000)
    here = identifier_of_node(5)
    shares = [ring_distance(here, target) / SPACE for target in targets]
    assert 0.0009 < min(shares) < max(shares) <= 0.5
    # As likely in each octave of distance: ln 2 / ln 500 of them.
    for octave in range(1, 9):
        found = sum(2.0**-octave >= 2 * share > 2.0 ** -(octave + 1) for share in shares)
        assert found / 20_000 == pytest.approx(0.1115, abs=0.012)
    up = sum(clockwise(here, target) < SPACE // 2 for target in targets)
    assert up == pytest.approx(10_000, abs=300)
    assert harmonic_share(0.5, 2) == 0.5, "of two, the other is across"


def test_population_estimates_and_targets_follow_ring_gaps() -> None:
    for nodes in (20, 200, 2000):
        ring = sorted(range(nodes), key=identifier_of_node)
        found = [estimate_population(ring[k - 2], ring[k]) for k in range(nodes)]
        assert nodes / 2 < sorted(found)[nodes // 2] < 2 * nodes
    one, other = ring[3], ring[7]
    assert estimate_population(one, one) == 2
    assert estimate_population(other, one) == 2, "nearly around the ring"
    assert [has_changed(100, one) for one in (49, 50, 200, 201)] == [True, False, False, True]
    lengths = draw_lengths(50, Stream(2))
    few, many = (targets_of(5, lengths, population) for population in (10, 10_000))
    for link, one, other in zip(lengths, few, many, strict=True):
        here = identifier_of_node(5)
        assert ring_distance(here, one) >= ring_distance(here, other), "the longer, the fewer"
        assert (clockwise(here, one) < SPACE // 2) == link.clockwise


# -- friends -------------------------------------------------------------------------------


@given(TOPICS, TOPICS, st.none() | st.dictionaries(st.integers(0, 12), st.integers(1, 1000)))
def test_utility_is_the_weighted_jaccard_index(
    mine: tuple[int, ...], theirs: tuple[int, ...], rates: Any
) -> None:
    def total(topics: set[int]) -> int:
        return sum(1 if rates is None else rates.get(topic, 1) for topic in topics)

    both = total({*mine, *theirs})
    expected = Fraction(total({*mine} & {*theirs}), both) if both else Fraction(0)
    assert utility(mine, theirs, rates) == float(expected)
    assert utility(theirs, mine, rates) == float(expected)


@given(
    st.integers(0, 40), PEERS, PEERS, st.lists(PLACES, max_size=3), st.integers(0, 6),
    st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=41, max_size=41),
)  # fmt: skip
def test_table_selection_follows_algorithm_4(
    me: int,
    candidates: list[int],
    present: list[int],
    targets: list[int],
    friends: int,
    values: list[float],
) -> None:
    """Algorithm 4, line by line."""
    found = select_neighbours(
        me, candidates, targets=targets, friends=friends, value=lambda p: values[int(p)],
        present=present,
    )  # fmt: skip
    buffer = [peer for peer in candidates if peer != me]
    selected: list[Any] = []
    for find in (find_successor, find_predecessor):
        if buffer:
            selected.append(find(me, buffer))
            buffer.remove(selected[-1])
    for target in targets:
        if buffer:
            selected.append(closest(buffer, target))
            buffer.remove(selected[-1])
    assert found.all[: len(selected)] == selected
    assert len(found.friends) == min(friends, len(buffer))
    rest = [peer for peer in buffer if peer not in found.friends]
    for friend in found.friends:
        for other in rest:
            assert values[int(friend)] >= values[other]
            if values[int(friend)] == values[other] and other in present:
                assert friend in present, "a present link stays"
    assert (
        list(found.friends)
        == rank_friends(me, reversed(buffer), lambda p: values[int(p)], present)[:friends]
    ), "whatever the order of candidates"


def test_reported_rates_change_when_averages_double() -> None:
    measured = MeasuredRates()
    said = []
    for _ in range(100):
        measured.count(["hot", "hot", "unwanted"])
        measured.end_round(("cold", "hot"))
        said.append(measured.of("hot"))
    assert measured.of("cold") == measured.of("unwanted") == 1
    assert 1000 <= said[-1] <= 2000, "two in a round are 2000 in a thousand"
    assert len(set(said)) < 12
    for _ in range(300):
        measured.end_round(("cold", "hot"))
    assert measured.of("hot") <= 2


# -- gateways and paths ----------------------------------------------------------------------


@given(st.integers(0, 40), PEERS, PLACES)
def test_next_hop_is_the_closest_neighbour(me: int, neighbours: list[int], target: int) -> None:
    found = next_hop(me, neighbours, target)
    assert found == (
        None if closest([*neighbours, me], target) == me else closest(neighbours, target)
    )


@given(st.sets(st.integers(0, 40), min_size=1, max_size=15), PLACES, st.integers(0, 9))
def test_lookups_on_a_ring_end_at_one_node(nodes: set[int], target: int, seed: int) -> None:
    random = Stream(seed)
    ring = sorted(nodes, key=identifier_of_node)
    links: dict[int, list[Any]] = {node: [] for node in ring}
    for node in ring:
        for peer in (find_successor(node, ring), find_predecessor(node, ring), random.choice(ring)):
            if peer is not None and peer != node:
                links[node].append(peer)
    for start in ring:
        at, hops = start, 0
        while (step := next_hop(at, links[at], target)) is not None:
            at, hops = int(step), hops + 1
            assert hops < len(ring)
        assert at == closest(ring, target)


PROPOSALS = st.builds(GatewayProposal, st.integers(0, 20), st.integers(0, 20), st.integers(0, 6))


@given(
    st.integers(0, 20), st.integers(0, 5),
    st.dictionaries(st.integers(0, 20), PROPOSALS, max_size=8), PEERS, st.integers(1, 7),
)  # fmt: skip
def test_gateway_proposals_follow_algorithm_5(
    me: int, topic: int, heard: dict[int, GatewayProposal], others: list[int], d: int
) -> None:
    """Algorithm 5, lines 3 to 18, without proposals that neighbours have from the node."""
    heard.pop(me, None)
    table = {*heard, *others} - {me}

    def distance(gateway: Any) -> int:
        return ring_distance(identifier_of_node(gateway), identifier_of_topic(topic))

    gw: Any = me
    parent: Any = me
    hops = 0
    for neighbour, new in heard.items():
        if new.parent == me:
            continue
        if neighbour == new.parent or new.parent not in table:
            if distance(new.gateway) < distance(gw) and new.hops + 1 < d:
                gw, parent, hops = new.gateway, neighbour, new.hops + 1
            if new.gateway == gw and new.hops + 1 < hops:
                gw, parent, hops = new.gateway, neighbour, new.hops + 1
    found = propose(me, topic, heard.items(), table, d)
    assert found == GatewayProposal(gw, parent, hops)
    assert found.hops < d


def relay_node(node: int, links: dict[int, set[int]], subscribers: dict[int, set[int]]) -> Any:
    return SimpleNamespace(
        me=node,
        linked=lambda: sorted(links[node]),
        lookup_links=lambda: sorted(links[node]),
        ends_lookup=lambda topic: node in subscribers.get(topic, ()),
        on_paths_changed=lambda now, out: None,
    )


class Paths:
    """Nodes on given links with relay paths, and immediate messages between them."""

    def __init__(
        self, links: dict[int, set[int]], subscribers: dict[int, set[int]] | None = None
    ) -> None:
        self.links = links
        self.parts = {
            node: ComponentDriver(RelayPaths(relay_node(node, links, subscribers or {}), 3, 99))
            for node in sorted(links)
        }

    def do(self, node: int, effects: list[Any], now: int) -> None:
        for effect in effects:
            assert isinstance(effect, Send)
            part = self.parts[int(effect.peer)]
            if isinstance(effect.message, Relay):
                self.do(int(effect.peer), part.on_relay(node, effect.message, now), now)
            else:
                assert isinstance(effect.message, Prune)
                self.do(int(effect.peer), part.on_prune(node, effect.message, now), now)

    def turn(self, own: dict[int, list[int]], now: int) -> None:
        for node, part in self.parts.items():
            self.do(node, part.refresh(own.get(node, []), now), now)


def ring_and_random_links(nodes: set[int], random: Stream) -> dict[int, set[int]]:
    ring = sorted(nodes, key=identifier_of_node)
    links: dict[int, set[int]] = {node: set() for node in ring}
    for node in ring:
        for peer in (find_successor(node, ring), find_predecessor(node, ring), random.choice(ring)):
            if peer is not None and peer != node:
                links[node].add(int(peer))
                links[int(peer)].add(node)
    return links


@given(
    st.sets(st.integers(0, 40), min_size=2, max_size=12),
    st.dictionaries(st.integers(0, 40), st.lists(st.integers(0, 3), unique=True), max_size=8),
    st.integers(0, 99),
)
def test_relay_paths_form_one_tree_a_topic(
    nodes: set[int], wanted: dict[int, list[int]], seed: int
) -> None:
    ring = sorted(nodes, key=identifier_of_node)
    links = ring_and_random_links(nodes, Stream(seed))
    own = {node: topics for node, topics in wanted.items() if node in nodes}
    world = Paths(links)
    for now in range(3):
        world.turn(own, now)
    for topic in range(4):
        begun = [node for node, topics in own.items() if topic in topics]
        on = [node for node, part in world.parts.items() if topic in part]
        assert set(begun) <= set(on)
        roots = [node for node in on if world.parts[node].parent_on(topic) is None]
        target = closest(ring, identifier_of_topic(topic))
        assert roots == ([target] if begun else [])
        for node in on:
            for near in world.parts[node].neighbours_on(topic):
                assert node in world.parts[int(near)].neighbours_on(topic), "both ends know"
        edges = sum(len(world.parts[node].neighbours_on(topic)) for node in on)
        assert edges == 2 * max(0, len(on) - 1), "a tree"
    gone = ring[seed % len(ring)]
    for near in sorted(links.pop(gone)):
        links[int(near)].discard(gone)
    del world.parts[gone]
    own.pop(gone, None)
    for node, part in world.parts.items():
        world.do(node, part.on_unlink(gone, 3), 3)
    for node, part in world.parts.items():
        for name in part.topics:
            assert gone not in part.neighbours_on(name), node
    world.turn({}, 4)
    assert not any(part.topics for part in world.parts.values()), "nobody wants any path now"


def test_closer_children_are_rejected_and_silent_ones_expire() -> None:
    topic = 1
    near, far = sorted(
        (3, 4), key=lambda n: ring_distance(identifier_of_node(n), identifier_of_topic(topic))
    )
    world = Paths({near: {far}, far: {near}})
    assert world.parts[far].on_relay(near, Relay((topic,)), 0) == []
    assert topic not in world.parts[far]
    world.do(far, world.parts[far].refresh([topic], 0), 0)
    assert world.parts[near].neighbours_on(topic) == [far]
    assert world.parts[near].refresh([], 3) == []
    assert topic in world.parts[near]
    world.parts[near].refresh([], 4)
    assert topic not in world.parts[near]


@given(st.sets(st.integers(0, 60), min_size=2, max_size=20), st.integers(0, 99), st.integers(1, 4))
def test_lookups_that_end_at_subscribers_connect_all_clusters(
    nodes: set[int], seed: int, d: int
) -> None:
    topic, random = 1, Stream(seed)
    links = ring_and_random_links(nodes, random)
    subscribers = {node for node in sorted(nodes) if random.randbelow(2)}
    near = {node: sorted(links[node] & subscribers) for node in sorted(subscribers)}
    said = {node: GatewayProposal(node, node, 0) for node in near}
    for _ in range(3 * d + len(near)):
        said = {
            node: propose(node, topic, [(p, said[p]) for p in near[node]], links[node], d)
            for node in near
        }
    gateways = [node for node, proposal in said.items() if proposal.gateway == node]
    world = Paths(links, {topic: subscribers})
    for now in range(3):
        world.turn({node: [topic] for node in gateways}, now)
    graph = {
        node: {*near.get(node, []), *map(int, part.neighbours_on(topic))}
        for node, part in world.parts.items()
    }
    reached, queue = set(gateways[:1]), gateways[:1]
    while queue:
        queue += (more := graph[queue.pop()] - reached)
        reached |= more
    assert subscribers <= reached
    whole = Paths(links)
    for now in range(3):
        whole.turn({node: [topic] for node in gateways}, now)
    relays, more = (
        {node for node, part in one.parts.items() if topic in part} - subscribers
        for one in (world, whole)
    )
    assert relays <= more, "no relay node that complete lookups do not have"


def test_a_neighbour_is_a_child_on_a_limited_number_of_topics() -> None:
    near, far = 3, 4
    closer = [
        topic
        for topic in range(400)
        if ring_distance(identifier_of_node(near), identifier_of_topic(topic))
        < ring_distance(identifier_of_node(far), identifier_of_topic(topic))
    ]
    part = Paths({near: {far}, far: {near}}).parts[near]
    refused = Trace("paths-refused", far)
    assert refused not in part.on_relay(far, Relay(tuple(closer[:99])), 0)
    assert part.topics == closer[:99]
    assert refused in part.on_relay(far, Relay(tuple(closer[:120])), 1)
    assert part.topics == closer[:99], "known paths stay"
    part.on_prune(far, Prune((closer[0],)), 1)
    part.on_relay(far, Relay((closer[110], closer[111])), 1)
    assert part.topics == [*closer[1:99], closer[110]]
    part.refresh([], 9)
    assert part.topics == []
    assert refused not in part.on_relay(far, Relay(tuple(closer[:99])), 9)


# -- peer sampling ---------------------------------------------------------------------------


def test_newscast_keeps_the_freshest_descriptors() -> None:
    part = ComponentDriver(Newscast(0, (1,), Stream(1), size=3))
    descriptors = tuple(RatedDescriptor(peer, (peer,), (), 50, 10 * peer) for peer in (5, 3, 9, 1))
    (reply,) = part.on_view_exchange(7, ViewExchange(descriptors), 1_000_000)
    assert isinstance(reply, Send)
    assert reply.message == ViewExchangeReply((RatedDescriptor(0, (1,), (), 1_000_000, 0),))
    assert sorted(map(int, part.known)) == [1, 3, 5]
    part.on_view_exchange_reply(
        7,
        ViewExchangeReply((RatedDescriptor(9, (2,), (), 60, 0), RatedDescriptor(3, (), (), 40, 0))),
        1_000_000,
    )
    assert sorted(map(int, part.known)) == [1, 3, 9]
    assert part.topics_of(3) == (3,), "an earlier version, however fresh it seems"
    assert part.topics_of(9) == (2,)
    part.suspect(9, 1_000_000)
    part.on_view_exchange_reply(
        7,
        ViewExchangeReply((RatedDescriptor(9, (2,), (), 70, 0), RatedDescriptor(0, (), (), 99, 0))),
        1_000_000,
    )
    assert 9 not in part, "said before it was suspected"
    assert 0 not in part
    part.on_view_exchange_reply(
        7, ViewExchangeReply((RatedDescriptor(9, (2,), (), 80, 0),)), 1_500_000
    )
    assert 9 in part


# -- OPT -------------------------------------------------------------------------------------

INTERESTS = st.dictionaries(st.integers(0, 20), TOPICS, max_size=7)


@given(TOPICS, INTERESTS, INTERESTS, st.integers(1, 3), st.integers(0, 5))
def test_next_neighbour_covers_most_topics(
    mine: tuple[int, ...],
    near: dict[int, tuple[int, ...]],
    others: dict[int, tuple[int, ...]],
    cover: int,
    room: int,
) -> None:
    counts = Counter(topic for theirs in near.values() for topic in theirs if topic in mine)
    beyond = missing_cover(mine, near.values(), cover)
    assert beyond == {topic: counts[topic] - cover for topic in mine}
    chosen = covering(beyond, others, room, lambda peer: -int(peer))
    assert len(chosen) <= room
    for place, peer in enumerate(chosen):
        before = [*near.values(), *(others[int(p)] for p in chosen[:place])]
        short = [t for t, count in missing_cover(mine, before, cover).items() if count < 0]
        gains = {
            p: len(set(short) & set(theirs))
            for p, theirs in others.items()
            if p not in chosen[:place]
        }
        best = max(gains.values())
        assert gains[int(peer)] == best > 0
        assert peer == max(p for p, gain in gains.items() if gain == best)
    after = missing_cover(mine, [*near.values(), *(others[int(p)] for p in chosen)], cover)
    if len(chosen) < room:
        left = {t for p, theirs in others.items() if p not in chosen for t in theirs}
        assert all(count >= 0 or topic not in left for topic, count in after.items())


@given(TOPICS, INTERESTS, st.integers(1, 2))
def test_spared_neighbours_can_be_spared_together(
    mine: tuple[int, ...], near: dict[int, tuple[int, ...]], cover: int
) -> None:
    beyond = missing_cover(mine, near.values(), cover)
    found = spared(beyond, near.items())
    kept = {peer: theirs for peer, theirs in near.items() if peer not in found}
    after = missing_cover(mine, kept.values(), cover)
    short = {topic for topic, count in beyond.items() if count < 0}
    assert {topic for topic, count in after.items() if count < 0} == short
    assert all(after[topic] == beyond[topic] for topic in short)
    for size in (1, 2):
        for more in combinations(kept, size):
            less = [theirs for peer, theirs in kept.items() if peer not in more]
            shared = {topic for peer in more for topic in kept[peer]} & set(mine)
            then = missing_cover(mine, less, cover)
            assert any(then[topic] < 0 for topic in shared)
