"""The scheduler's order, timers by key, and the rules for messages on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gossamer.errors import ParameterError
from gossamer.host import Host, Stream, stream_of
from gossamer.model import Latency
from gossamer.protocols.contract import (
    CancelTimer,
    Effect,
    Event,
    Leave,
    Peer,
    Received,
    Send,
    SetTimer,
    Started,
    TimerExpired,
    Topic,
)
from gossamer.sim.fabric import Fabric
from gossamer.sim.rules import (
    Delay,
    Duplication,
    Isolation,
    Loss,
    Reordering,
    Rule,
    Separation,
    SiteDelay,
    apply_rules,
)
from gossamer.sim.scheduler import Scheduler
from gossamer.workloads import draw_sessions, parse_churn
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes


def test_calls_are_made_by_time_then_order_of_scheduling() -> None:
    scheduler = Scheduler()
    seen: list[Any] = []
    for when, name in ((5, "b"), (3, "a"), (5, "c"), (9, "late")):
        scheduler.at(when, lambda one, _: seen.append((scheduler.now(), one)), name, None)
    scheduler.call_at(4, seen.append, "timer")
    scheduler.call_at(4, seen.append, "cancelled").cancel()
    scheduler.run(6)
    assert seen == [(3, "a"), "timer", (5, "b"), (5, "c")]
    assert scheduler.now() == 6
    scheduler.at(2, lambda *_: seen.append(scheduler.now()), None, None)
    scheduler.run(6)
    assert seen[-1] == 6, "what is due already happens next, never in the past"
    assert not scheduler.idle
    scheduler.run(10)
    assert scheduler.idle


class Scripted:
    """A machine that answers from a table, and keeps what it was told."""

    topics = ()

    def __init__(self, answers: dict[str, list[Effect]]) -> None:
        self.answers = answers
        self.told: list[tuple[int, str]] = []

    def handle(self, event: Event, now: int) -> list[Effect]:
        match event:
            case TimerExpired(key):
                name = str(key)
            case Received(_, message):
                name = str(message)
            case _:
                name = type(event).__name__
        self.told.append((now, name))
        return self.answers.get(name, [])

    def linked(self) -> list[Peer]:
        return []

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        return []

    def link_states(self) -> dict[Peer, Any]:
        return {}

    def check_invariants(self) -> None: ...


class NoWire:
    def send(self, peer: Peer, message: Any) -> None: ...
    def flush(self) -> None: ...
    def link(self, peer: Peer) -> None: ...
    def unlink(self, peer: Peer) -> None: ...


def test_timer_that_is_set_again_replaces_the_first() -> None:
    scheduler = Scheduler()
    machine = Scripted(
        {
            "Started": [SetTimer("a", 10), SetTimer("b", 5), SetTimer("c", 7), SetTimer("c", 8)],
            "b": [SetTimer("a", 20), CancelTimer("c"), CancelTimer("nothing")],
            "a": [SetTimer("again", 0)],
        }
    )
    host = Host(1, machine, scheduler, NoWire())
    host.start()
    scheduler.run(100)
    assert machine.told == [(0, "Started"), (5, "b"), (20, "a"), (20, "again")]


def test_nothing_happens_to_who_is_gone() -> None:
    scheduler = Scheduler()
    machine = Scripted({"Started": [SetTimer("a", 10)], "Leave": [SetTimer("b", 20)]})
    host = Host(1, machine, scheduler, NoWire())
    host.start()
    host.leave()
    host.receive(2, "late")
    host.handle(Leave())
    scheduler.run(100)
    assert machine.told == [(0, "Started"), (0, "Leave")]


def deliveries(rules: list[Rule], count: int = 400) -> list[tuple[int, int]]:
    """Send numbered messages from 0 to 1, one a millisecond; return (when, which) they came."""
    scheduler = Scheduler()
    fabric = Fabric(scheduler, 4, rules, Stream(1))

    class Number(Scripted):
        def handle(self, event: Event, now: int) -> list[Effect]:
            if isinstance(event, Received):
                got.append((now, event.message))
            return []

    got: list[tuple[int, int]] = []
    port = fabric.ports[1]
    port.host = Host(1, Number({}), scheduler, port)
    for number in range(count):
        scheduler.at(number * 1000, fabric.ports[0].send, 1, number)
    scheduler.run(10_000_000)
    return got


def test_delay_and_its_bounds() -> None:
    taken = [when - 1000 * which for when, which in deliveries([Delay(5_000, 15_000)])]
    assert len(taken) == 400
    assert min(taken) >= 5_000
    assert max(taken) <= 15_000
    assert max(taken) - min(taken) > 9_000
    assert [which for _, which in deliveries([Delay(7, 7)])] == list(range(400))


def test_loss_doubling_and_reordering() -> None:
    assert 260 < len(deliveries([Delay(1, 1), Loss(0.25)])) < 340
    doubled = [which for _, which in deliveries([Delay(1, 1), Duplication(0.5)])]
    assert 150 < len(doubled) - len(set(doubled)) < 250
    held = [which for _, which in deliveries([Delay(1, 1), Reordering(0.2)])]
    assert held != sorted(held)
    assert sorted(held) == list(range(400))
    assert deliveries([Loss(1.0)]) == []


def test_rules_are_asked_in_order() -> None:
    random = Stream(2)
    assert apply_rules([Delay(5, 5), Duplication(1.0, 0)], 0, 0, 1, random) == (5, 5)
    assert apply_rules([Duplication(1.0, 0), Delay(5, 5), Loss(1.0)], 0, 0, 1, random) == ()


def test_separation_lasts_and_heals() -> None:
    came = [
        which for _, which in deliveries([Delay(1, 1), Separation(lambda n: n, 100_000, 200_000)])
    ]
    assert came == [*range(100), *range(200, 400)]
    assert len(deliveries([Delay(1, 1), Separation(lambda n: n // 2, 0, 10**9)])) == 400


def test_isolated_nodes_are_not_reached() -> None:
    for silenced in (0, 1):
        rule = Isolation(frozenset({silenced}), 100_000, 300_000)
        assert len(deliveries([Delay(1, 1), rule])) == 200
    assert len(deliveries([Isolation(frozenset({2, 3}))])) == 400


def test_delays_between_sites() -> None:
    latency = Latency.from_matrix([[0, 40], [90, 0]], [0, 1, 1, 0])
    assert [when - 1000 * which for when, which in deliveries([SiteDelay(latency)], 3)] == [40] * 3


@pytest.mark.parametrize(
    "make", [lambda: Loss(1.5), lambda: Duplication(-0.1), lambda: Delay(9, 3)]
)
def test_invalid_rules_are_rejected(make: Any) -> None:
    with pytest.raises(ParameterError):
        make()


def test_messages_to_unknown_peers_are_counted_as_lost() -> None:
    fabric = Fabric(Scheduler(), 2, [], Stream(1))
    for target in ("x:1", 5, -1, True):
        fabric.ports[0].send(target, 7)
    assert fabric.lost == 4


# -- streams and churn ---------------------------------------------------------------------


def test_streams_are_even_and_their_own() -> None:
    stream = stream_of(1, "node", 7)
    assert stream_of(1, "node", 7).next_u64() != stream_of(1, "node", 8).next_u64()
    assert stream_of(1, "node", 7).next_u64() != stream_of(1, "node", "7").next_u64()
    counts = np.bincount([stream.randbelow(10) for _ in range(20_000)], minlength=10)
    assert counts.min() > 1_850
    assert sorted(stream.sample(range(9), 20)) == list(range(9))
    assert len({tuple(stream.sample("abc", 2)) for _ in range(200)}) == 6
    assert 0 <= min(stream.random() for _ in range(1000)) < 0.01


@pytest.mark.parametrize(
    ("text", "mean"),
    [("exponential:300", 300.0), ("weibull:0.5:100:50", 200.0), ("pareto:2.5:60", 100.0)],
)
def test_sessions_have_the_mean_of_their_law(text: str, mean: float) -> None:
    churn = parse_churn(text)
    assert churn.present.mean == pytest.approx(mean)
    horizon = 4000 * round(mean) * 1_000_000
    sessions = draw_sessions(churn, nodes=5, until=horizon, seed=2)
    lengths = (sessions.ends - sessions.starts) / 1e6
    assert lengths.mean() == pytest.approx(mean, rel=0.15)
    share = lengths.sum() / (5 * horizon / 1e6)
    assert share == pytest.approx(mean / (mean + churn.absent), rel=0.15)


def test_sessions_of_a_node_do_not_depend_on_others() -> None:
    churn = ChurnLaw(ExponentialLifetimes(10), 5)
    few = draw_sessions(churn, nodes=3, until=10**9, seed=2)
    many = draw_sessions(churn, nodes=9, until=10**9, seed=2)
    rows = many.nodes < 3
    assert np.array_equal(few.starts, many.starts[rows])
    assert np.array_equal(few.ends, many.ends[rows])


@pytest.mark.parametrize(
    "text",
    ["often", "exponential", "exponential:0", "weibull:1", "pareto:1:5", "exponential:1:2:3"],
)
def test_malformed_churn_is_rejected(text: str) -> None:
    with pytest.raises(ParameterError, match="churn is"):
        parse_churn(text)


def test_started_comes_first() -> None:
    machine = Scripted({"Started": [Send(1, "x")]})
    host = Host(1, machine, Scheduler(), NoWire())
    host.start()
    assert machine.told == [(0, Started.__name__)]
