"""Cycle-driven kernels and protocol machines make the same decisions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.cycles.population import Numbered
from gossamer.kernels.gossip.tman import (
    RING,
    Tables,
    TableScratch,
    Taste,
    select_neighbours,
    utility,
)
from gossamer.kernels.traffic import rendezvous as kernels
from gossamer.model import Interests
from gossamer.protocols.components import friends, rendezvous
from gossamer.protocols.components.identifiers import identifier_of_topic
from gossamer.protocols.components.profiles import GatewayProposal
from gossamer.protocols.contract import Peer, Topic
from gossamer.protocols.vitis import policy
from tests.strategies import seeds


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Numbered, list[frozenset[int]], np.random.Generator]:
    """Return nodes along the circle, what each place of it wants, and a stream."""
    random = np.random.default_rng(draw(seeds))
    nodes, topics = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    wanted = random.random((nodes, topics)) < 0.5
    rows, columns = np.nonzero(wanted)
    numbered = Numbered.of(Interests.from_ids(rows, columns, node_names=nodes, topic_names=topics))
    wants = [
        frozenset(numbered.topics[a:b].tolist()) for a, b in pairwise(numbered.offsets.tolist())
    ]
    return numbered, wants, random


World = tuple[Numbered, list[frozenset[int]], np.random.Generator]


def links_of(numbered: Numbered, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return random neighbours of everybody, in rows."""
    nodes = len(numbered.nodes)
    peers = np.array(
        [random.permutation(nodes)[: min(3, nodes)] for _ in range(nodes)], dtype=np.int32
    )
    peers[peers == np.arange(nodes)[:, None]] = -1
    offsets = np.zeros(nodes + 1, dtype=np.int64)
    there = np.ones(nodes, dtype=np.bool_)
    return offsets, kernels.both_ways(peers, there, there, offsets)


@given(worlds())
def test_lookup_hops_are_equal(world: World) -> None:
    numbered, _, random = world
    offsets, links = links_of(numbered, random)
    names = numbered.nodes.tolist()
    for node in range(len(names)):
        near = [names[peer] for peer in links[offsets[node] : offsets[node + 1]]]
        for topic in range(len(numbered.topic_identifiers)):
            place = numbered.topic_identifiers[topic]
            assert int(place) == identifier_of_topic(topic)
            found = kernels.next_hop(offsets, links, numbered.identifiers, node, place)
            expected = rendezvous.next_hop(names[node], near, int(place))
            assert (None if found < 0 else names[found]) == expected


@given(worlds(), st.integers(1, 5))
def test_gateway_proposals_are_equal(world: World, d: int) -> None:
    numbered, wants, random = world
    offsets, links = links_of(numbered, random)
    names = numbered.nodes.tolist()
    nodes, topics = len(names), len(numbered.topic_identifiers)
    owners = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(numbered.offsets))
    here, there = numbered.identifiers[owners], numbered.topic_identifiers[numbered.topics]
    distances = np.minimum(here - there, there - here)

    def arrays() -> kernels.GatewayProposals:
        hops = np.zeros(len(owners), dtype=np.int32)
        return kernels.GatewayProposals(owners.copy(), owners.copy(), hops, distances.copy())

    before, after = arrays(), arrays()
    said = {
        (node, topic): GatewayProposal(names[node], names[node], 0)
        for node in range(nodes)
        for topic in wants[node]
    }
    near, mine = (np.full(count, -1, dtype=np.int64) for count in (nodes, topics))
    present, token = np.ones(nodes, dtype=np.bool_), 0
    for _ in range(4):
        token = kernels.propose_round(
            numbered.offsets, numbered.topics, offsets, links, present, numbered.identifiers,
            numbered.topic_identifiers, d, before, after, near, mine, token,
        )  # fmt: skip
        before, after = after, before
        heard = said
        said = {}
        for node, topic in heard:
            row = links[offsets[node] : offsets[node + 1]].tolist()
            said[node, topic] = rendezvous.propose(
                names[node],
                topic,
                [(names[peer], heard[peer, topic]) for peer in row if topic in wants[peer]],
                {names[peer] for peer in row},
                d,
            )
        for k, (node, topic) in enumerate(
            zip(owners.tolist(), numbered.topics.tolist(), strict=True)
        ):
            found = GatewayProposal(
                names[before.gateways[k]], names[before.parents[k]], int(before.hops[k])
            )
            assert found == said[node, topic]


@given(worlds(), st.booleans(), st.integers(0, 2), st.integers(0, 3))
def test_selected_neighbours_are_equal(world: World, weighted: bool, far: int, room: int) -> None:
    numbered, wants, random = world
    nodes, topics = len(wants), len(numbered.topic_identifiers)
    names = numbered.nodes.tolist()
    place: dict[Peer, int] = {name: at for at, name in enumerate(names)}
    rates = random.integers(1, 9, topics) if weighted else np.ones(topics, dtype=np.int64)
    weights = np.array([float(sum(rates[list(one)])) for one in wants])
    taste = Taste(numbered.offsets, numbered.topics, rates.astype(np.float64), weights)
    targets = random.integers(0, 1 << 63, (nodes, far)).astype(np.uint64) * np.uint64(2)
    size = RING + far + room
    tables = Tables(
        np.full((nodes, size), -1, dtype=np.int32), np.zeros((nodes, size), dtype=np.int32),
        np.zeros((nodes, size)), targets, np.zeros(nodes, dtype=np.int32),
    )  # fmt: skip
    scratch = TableScratch(
        *(np.full(count, -1, dtype=np.int64) for count in (nodes, nodes, topics))
    )
    by_topic: dict[Topic, int] = dict(enumerate(rates.tolist()))

    def value(peer: Peer) -> float:
        return friends.utility(wants[0], wants[place[peer]], by_topic)

    scratch.mine[list(wants[0])] = 0
    for other in range(1, nodes):
        assert np.isclose(utility(taste, 0, other, scratch.mine, 0), value(names[other]))
    scratch.mine[:] = -1
    for token in (100, 200):  # the second time among others, with friends of old
        candidates = [at for at in range(1, nodes) if random.random() < 0.7]
        present = [names[at] for at in tables.peers[0, RING + far :] if at in candidates]
        buffer = np.array(random.permutation(candidates), dtype=np.int32)
        select_neighbours(
            tables, taste, numbered.identifiers, 0, buffer, np.zeros_like(buffer), len(buffer),
            nodes, scratch, token,
        )  # fmt: skip
        expected = policy.select_neighbours(
            names[0],
            [names[at] for at in candidates],
            targets=[int(target) for target in targets[0]],
            friends=room,
            value=value,
            present=present,
        )
        row = [None if at < 0 else names[at] for at in tables.peers[0].tolist()]
        assert row[:RING] == [expected.successor, expected.predecessor]
        assert tuple(one for one in row[RING : RING + far] if one is not None) == (
            expected.small_world
        )
        found = [one for one in row[RING + far :] if one is not None]
        # Among newcomers of equal worth either may do; friends of old stay in both.
        assert sorted(map(value, found)) == sorted(map(value, expected.friends))
        assert {one for one in found if one in present} == {
            one for one in expected.friends if one in present
        }
