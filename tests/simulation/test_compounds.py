"""Compounds: messages of one step to the same peer travel together, if a scenario asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer import Recording, Scenario, simulate
from gossamer.host import trace_digest
from gossamer.model import Interests
from gossamer.sim import World
from gossamer.sim.rules import Delay, Loss, Rule
from gossamer.time import SECOND
from gossamer.workloads import generate_interests

PROTOCOLS = ("spidercast", "stan", "vitis", "elasto")


def interests() -> Interests:
    return generate_interests(
        "low-correlation",
        nodes=30,
        topics=20,
        subscriptions=8,
        buckets=4,
        buckets_per_node=2,
        seed=3,
    )


class Meter:
    """Records sent and received messages with their times."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent_at: dict[int, tuple[int, int]] = {}
        self.steps: dict[tuple[int, int, int, int], list[int]] = {}
        self.kept: list[Any] = []

    def sent(self, node: int, message: Any) -> None:
        self.kept.append(message)
        self.sent_at[id(message)] = (self.world.now, node)

    def arrived(self, node: int, message: Any) -> None:
        if id(message) in self.sent_at:  # sent since this meter counts
            time, source = self.sent_at[id(message)]
            self.steps.setdefault((time, source, node, self.world.now), []).append(id(message))


@pytest.mark.parametrize("compound", [False, True])
def test_messages_of_a_step_to_a_peer_arrive_together_and_in_order(compound: bool) -> None:
    world = World("stan", interests(), rules=[Delay(5_000, 15_000)], seed=1, compound=compound)
    meter = Meter(world)
    world.run(2 * SECOND)
    world.fabric.meter = meter
    before = world.fabric.compounds
    world.run(6 * SECOND)
    together = [ids for ids in meter.steps.values() if len(ids) > 1]
    order = {id(message): at for at, message in enumerate(meter.kept)}
    if compound:
        assert len(together) > 50
        assert all(ids == sorted(ids, key=order.__getitem__) for ids in together)
        assert world.fabric.compounds - before < len(meter.kept)
    else:
        assert len(together) < 20, "by chance alone"
        assert world.fabric.compounds - before == len(meter.kept)


def test_a_compound_is_lost_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rules: list[Rule] = [Delay(5_000, 15_000), Loss(0.5)]
    world = World("stan", interests(), rules=rules, seed=1, compound=True)
    world.run(2 * SECOND)
    sent: dict[tuple[int, int, int], list[int]] = {}
    carry = world.fabric.carry_compound

    def recorded(source: Any, target: Any, messages: list[Any]) -> None:
        sent.setdefault((world.now, source.node, target), []).append(len(messages))
        carry(source, target, messages)

    monkeypatch.setattr(world.fabric, "carry_compound", recorded)
    meter = Meter(world)
    world.fabric.meter = meter
    world.run(4 * SECOND)
    arrived = [step for step in meter.steps if step[:3] in sent]
    assert all(len(meter.steps[step]) in sent[step[:3]] for step in arrived)
    assert len(arrived) < 0.6 * sum(map(len, sent.values()))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_protocols_run_on_compounds_despite_faults(protocol: str) -> None:
    options: dict[str, Any] = {"missed_heartbeats": 30} if protocol != "vitis" else {}
    scenario = Scenario(
        interests(), loss=0.05, duplicate=0.1, reorder=0.1, compound=True, duration=6, seed=2
    )
    first, again = (
        simulate(
            scenario, protocol,
            recording=Recording(trace=True, check_invariants=checked), **options,
        )
        for checked in (True, False)
    )  # fmt: skip
    assert first.trace is not None
    assert again.trace is not None
    assert trace_digest(list(first.trace)) == trace_digest(list(again.trace))
    assert first.messages.compounds <= sum(first.messages.by_kind.values())
    assert first.summary()["compounds"] == first.messages.compounds
