"""Defaults of live nodes: groups of replicas are connected."""

from __future__ import annotations

import asyncio

import pytest

import gossamer
from gossamer.live import Node
from gossamer.live.cluster import LocalCluster
from gossamer.live.protocol_choice import choose_protocol
from gossamer.model import Interests, Scenario
from tests.live.nodes import QUICK, run, until

GROUPS, REPLICAS = 5, 4
REPLICATED = [
    tuple(str((2 * group + place) % (2 * GROUPS)) for place in range(4))
    for group in range(GROUPS)
    for _ in range(REPLICAS)
]
"""Topics of each node: two groups of four nodes subscribe to each topic."""


@pytest.mark.parametrize("view", ["full", "gossip"])
def test_groups_of_replicas_are_connected_with_the_defaults_of_live_nodes(view: str) -> None:
    interests = Interests.from_lists(dict(enumerate(REPLICATED)))
    _, chosen = choose_protocol("spidercast", {})
    for seed in range(1, 4):
        scenario = Scenario(interests, seed=seed, view=view, duration=6)
        live = gossamer.simulate(scenario, "spidercast", **chosen)
        assert live.assessment.topic_connected
        if view == "full":
            greedy = gossamer.simulate(scenario, "spidercast", kr=0)
            assert greedy.snapshots[-1].topics_connected == 0


def test_given_options_have_priority_and_other_protocols_keep_theirs() -> None:
    assert choose_protocol("spidercast", {"kg": 2})[1] == {"kg": 2, "kr": 1}
    assert choose_protocol("spidercast:kr=0", {})[1] == {"kr": 0}
    assert choose_protocol("stan", {"slack": 2})[1] == {"slack": 2}
    assert LocalCluster([("a",)]).protocol.name == "spidercast"
    assert "--kr=1" in LocalCluster([("a",)])._words


def test_events_reach_the_other_group_of_replicas() -> None:
    async def test() -> None:
        topics = [("a", "b")] * REPLICAS + [("b", "c")] * REPLICAS
        got: list[int] = []
        nodes: list[Node] = []
        for number, listed in enumerate(topics):
            join = [nodes[0].address] if nodes else []
            node = Node(topics=listed, join=join, seed=number, **QUICK)
            await node.start()
            nodes.append(node)
        try:
            streams = [node.subscribe("b", echo=False) for node in nodes]
            await nodes[0].ready("b", subscribers=7)
            await nodes[0].publish("b", b"for all")

            async def read(number: int) -> None:
                assert (await anext(streams[number])).payload == b"for all"
                got.append(number)

            readers = [asyncio.create_task(read(number)) for number in range(1, 8)]
            await until(lambda: len(got) == 7)
            await asyncio.gather(*readers)
        finally:
            for node in nodes:
                await node.stop()

    run(test)
