"""The host of a machine: effects, traces, timers, closing and invariants."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.errors import PluginError
from gossamer.host import Host, Tracer
from gossamer.host.trace import TraceRow
from gossamer.protocols.contract import (
    CancelTimer,
    Deliver,
    Effect,
    Event,
    Leave,
    Link,
    Message,
    Peer,
    Received,
    Send,
    SetTimer,
    Started,
    Subscribe,
    TimerExpired,
    Topic,
    Trace,
    Unlink,
)
from gossamer.protocols.link_state import TRANSITIONS, LinkState


class Ping(Message, frozen=True, tag="ping"):
    """A message."""


class Machine:
    """Returns effects from a table, by type of event or key of timer."""

    topics = ()

    def __init__(self, answers: dict[str, list[Any]]) -> None:
        self.answers = answers
        self.events: list[tuple[int, Event]] = []
        self.states: list[dict[Peer, LinkState]] = [{}]
        self.is_valid = True

    def handle(self, event: Event, now: int) -> list[Effect]:
        self.events.append((now, event))
        key = str(event.key) if isinstance(event, TimerExpired) else type(event).__name__
        return self.answers.get(key, [])

    def linked(self) -> list[Peer]:
        return []

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        return []

    def link_states(self) -> dict[Peer, LinkState]:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def check_invariants(self) -> None:
        assert self.is_valid, "the state contradicts itself"


class Timer:
    def __init__(self, when: int, callback: Callable[[Any], None], argument: Any) -> None:
        self.when, self.callback, self.argument = when, callback, argument
        self.cancelled = 0

    def cancel(self) -> None:
        self.cancelled += 1

    def fire(self) -> None:
        self.callback(self.argument)


class World:
    """A clock that is moved by hand, and a wire that records calls."""

    def __init__(self) -> None:
        self.time = 0
        self.timers: list[Timer] = []
        self.done: list[tuple[Any, ...]] = []

    def now(self) -> int:
        return self.time

    def call_at(self, when: int, callback: Callable[[Any], None], argument: Any) -> Timer:
        self.timers.append(Timer(when, callback, argument))
        return self.timers[-1]

    def send(self, peer: Peer, message: Any) -> None:
        self.done.append(("send", peer, message))

    def flush(self) -> None:
        """Nothing waits."""

    def link(self, peer: Peer) -> None:
        self.done.append(("link", peer))

    def unlink(self, peer: Peer) -> None:
        self.done.append(("unlink", peer))


def host_of(
    answers: dict[str, list[Any]], **more: Any
) -> tuple[Host, Machine, World, list[TraceRow]]:
    machine, world, tracer = Machine(answers), World(), Tracer()
    more.setdefault("tracer", tracer)
    return Host(1, machine, world, world, **more), machine, world, tracer.rows


ALL = [
    Send(2, Ping()),
    Link(3),
    Unlink(4),
    Deliver(("t",), b"x", 9),
    Trace("swap", 5),
    Trace("lonely"),
]


@pytest.mark.parametrize("traced", [True, False])
def test_effects_are_carried_out_in_order(traced: bool) -> None:
    got: list[Deliver] = []
    host, _, world, rows = host_of(
        {"Started": ALL}, deliver=got.append, **({} if traced else {"tracer": None})
    )
    world.time = 40
    host.start()
    assert world.done == [("send", 2, Ping()), ("link", 3), ("unlink", 4)]
    assert got == [ALL[3]]
    expected = [
        TraceRow(40, 1, "start", None, None),
        TraceRow(40, 1, "send", 2, "ping"),
        TraceRow(40, 1, "link", 3, None),
        TraceRow(40, 1, "unlink", 4, None),
        TraceRow(40, 1, "deliver", 9, None),
        TraceRow(40, 1, "swap", 5, None),
        TraceRow(40, 1, "lonely", None, None),
    ]
    assert rows == (expected if traced else [])


def test_deliveries_without_an_application_are_dropped() -> None:
    host, _, _, rows = host_of({"Started": [Deliver(("t",), b"x", 9), Trace("after")]})
    host.start()
    assert [row.what for row in rows] == ["start", "deliver", "after"]


@pytest.mark.parametrize("odd", [Started(), "send", None, Ping()])
def test_an_unknown_effect_fails(odd: Any) -> None:
    host, _, _, _ = host_of({"Started": [odd]})
    with pytest.raises(PluginError, match="which is no effect"):
        host.start()


@pytest.mark.parametrize("returned", [None, (), "send"])
def test_machine_that_returns_no_list_is_named(returned: Any) -> None:
    host, machine, _, _ = host_of({})
    machine.handle = lambda event, now: returned  # type: ignore[method-assign]
    with pytest.raises(PluginError, match=r"Machine.*handle returned .*expected a list"):
        host.start()


def test_received_message_is_traced_before_it_is_handled() -> None:
    host, machine, world, rows = host_of({"Received": [Send(2, Ping())]})
    world.time = 7
    host.receive(2, Ping())
    assert rows == [TraceRow(7, 1, "receive", 2, "ping"), TraceRow(7, 1, "send", 2, "ping")]
    assert machine.events == [(7, Received(2, Ping()))]
    untraced, machine, _, _ = host_of({}, tracer=None)
    untraced.receive(2, Ping())
    assert machine.events == [(0, Received(2, Ping()))]


def test_close_is_traced_once_and_ends_the_trace() -> None:
    host, machine, world, rows = host_of({"Started": [SetTimer("a", 5)]})
    host.start()
    closed = [host.closed]
    host.close()
    host.close()
    host.close("leave")
    closed.append(host.closed)
    assert closed == [False, True]
    host.receive(2, Ping())
    host.handle(Subscribe("t"))
    host.leave()
    world.timers[0].fire()
    assert [row.what for row in rows] == ["start", "crash"]
    assert machine.events == [(0, Started())]
    assert world.timers[0].cancelled == 1


def test_graceful_leave_is_handled_before_the_close() -> None:
    host, machine, world, rows = host_of(
        {"Started": [SetTimer("a", 5)], "Leave": [Send(2, Ping()), SetTimer("b", 9)]}
    )
    host.start()
    host.leave()
    assert [event for _, event in machine.events] == [Started(), Leave()]
    assert [row.what for row in rows] == ["start", "send", "leave"]
    assert [timer.cancelled for timer in world.timers] == [1, 1], "those set on the way, too"


def test_setting_a_timer_again_replaces_it() -> None:
    host, machine, world, _ = host_of(
        {
            "Started": [SetTimer("a", 5), SetTimer("b", 6), SetTimer("a", 9)],
            "a": [SetTimer("a", 20)],
        }
    )
    host.start()
    first, other, second = world.timers
    assert (first.when, other.when, second.when) == (5, 6, 9)
    assert (first.cancelled, other.cancelled, second.cancelled) == (1, 0, 0)
    second.fire()
    assert machine.events[-1] == (0, TimerExpired("a"))
    assert second.cancelled == 0, "one that has fired is not cancelled"
    host.close()
    assert [timer.cancelled for timer in world.timers] == [1, 1, 0, 1]


def test_cancelling_timers_is_idempotent() -> None:
    host, _, world, _ = host_of(
        {"Started": [SetTimer("a", 5), CancelTimer("a"), CancelTimer("a"), CancelTimer("never")]}
    )
    host.start()
    assert world.timers[0].cancelled == 1
    host.close()
    assert world.timers[0].cancelled == 1


def test_journal_records_events_before_handling_and_effects_after() -> None:
    lines: list[tuple[int, Event]] = []
    answers: list[list[Effect]] = []
    journal = SimpleNamespace(
        record_event=lambda now, event: lines.append((now, event)), record_effects=answers.append
    )
    host, machine, world, _ = host_of({}, journal=journal)
    machine.handle = lambda event, now: [Trace(str(len(lines)))]  # type: ignore[method-assign]
    host.start()
    world.time = 3
    host.receive(2, Ping())
    assert lines == [(0, Started()), (3, Received(2, Ping()))]
    assert answers == [[Trace("1")], [Trace("2")]]
    host.close()
    host.handle(Leave())
    assert len(lines) == 2


# -- invariants ----------------------------------------------------------------------------


def checked(machine: Machine) -> Host:
    world = World()
    return Host("me", machine, world, world, check_invariants=True)


def test_invariants_are_checked_after_each_event_on_request() -> None:
    machine = Machine({})
    machine.is_valid = False
    with pytest.raises(AssertionError, match=r"^node me, at 0 s, after .*: the state contradicts"):
        checked(machine).start()
    world = World()
    Host("me", machine, world, world).start()


@pytest.mark.parametrize("before", LinkState)
@pytest.mark.parametrize("after", LinkState)
def test_link_states_change_by_the_table_of_transitions(
    before: LinkState, after: LinkState
) -> None:
    machine = Machine({})
    machine.states = [{"peer": before}, {"peer": after}]
    if after in TRANSITIONS[before]:
        checked(machine).start()
        return
    with pytest.raises(AssertionError, match=f"from {before.value} to {after.value}"):
        checked(machine).start()


def test_a_link_is_lost_only_if_it_existed() -> None:
    allowed = {before for before, after in TRANSITIONS.items() if LinkState.LOST in after}
    assert allowed == {LinkState.REQUESTED, LinkState.LINKED, LinkState.LOST}
