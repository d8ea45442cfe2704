"""The host of a machine: it passes events to the machine and carries out the effects.

A simulator or a live node provides the clock and the wire. The host keeps timers by key: setting a
timer again replaces it, and none fires after the host was closed. Only the host knows what effects
mean, so a protocol behaves equally in every world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gossamer.definitions import blame, is_of_plugin
from gossamer.host.trace import Tracer
from gossamer.protocols.contract import (
    CancelTimer,
    Deliver,
    Effect,
    Effects,
    Event,
    Key,
    Leave,
    Link,
    Machine,
    Peer,
    Received,
    Send,
    SetTimer,
    Started,
    TimerExpired,
    Trace,
    Unlink,
)
from gossamer.protocols.link_state import check_transitions
from gossamer.time import SECOND


class Timer(Protocol):
    """A timer that can be cancelled."""

    def cancel(self) -> None:
        """Cancel the timer."""
        ...


class Clock(Protocol):
    """Time source, in microseconds."""

    def now(self) -> int:
        """Return the present time; it never decreases."""
        ...

    def call_at(self, when: int, callback: Callable[[Any], None], argument: Any) -> Timer:
        """Call back at a time, or soon if it has passed, but never during this call."""
        ...


class Wire(Protocol):
    """Transport of one node."""

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message; it may be lost."""
        ...

    def flush(self) -> None:
        """End a step: its messages to a peer may now go out together."""
        ...

    def link(self, peer: Peer) -> None:
        """Note that the overlay has a link to a peer."""
        ...

    def unlink(self, peer: Peer) -> None:
        """Note that the overlay has no link to a peer."""
        ...


class EventJournal(Protocol):
    """A record of events and effects."""

    def record_event(self, now: int, event: Event) -> None:
        """Record an event, before the machine handles it."""
        ...

    def record_effects(self, effects: Effects) -> None:
        """Record the effects of the last event."""
        ...


class Host:
    """The host of one incarnation of a node.

    Parameters
    ----------
    node
        Identifier of the node.
    machine
        Protocol state machine.
    clock, wire
        Time source and transport.
    deliver
        Called with each delivery.
    tracer
        Recorder of the trace.
    journal
        Recorder of events and effects.
    check_invariants
        Whether invariants and link transitions are checked after each event.
    """

    __slots__ = (
        "_check_invariants", "_clock", "_deliver", "_journal", "_timers", "_tracer", "_wire",
        "closed", "machine", "node",
    )  # fmt: skip

    def __init__(
        self,
        node: Peer,
        machine: Machine,
        clock: Clock,
        wire: Wire,
        *,
        deliver: Callable[[Deliver], None] | None = None,
        tracer: Tracer | None = None,
        journal: EventJournal | None = None,
        check_invariants: bool = False,
    ) -> None:
        self.node = node
        self.machine = machine
        self.closed = False
        self._clock = clock
        self._wire = wire
        self._deliver = deliver
        self._tracer = tracer
        self._journal = journal
        self._check_invariants = check_invariants
        self._timers: dict[Key, Timer] = {}

    def start(self) -> None:
        """Start the machine."""
        self._trace("start", None, None)
        self.handle(Started())

    def leave(self) -> None:
        """Leave gracefully: the machine handles the leave, then the host closes."""
        self.handle(Leave())
        self.close("leave")

    def close(self, how: str = "crash") -> None:
        """Close the host: no timer fires and no event is handled any more."""
        if not self.closed:
            self._trace(how, None, None)
        self.closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def receive(self, peer: Peer, message: Any) -> None:
        """Receive a message."""
        if self._tracer is not None and not self.closed:
            self._trace("receive", peer, message)
        self.handle(Received(peer, message))

    def handle(self, event: Event) -> None:
        """Let the machine handle an event, and carry out its effects."""
        if self.closed:
            return
        now = self._clock.now()
        if self._journal is not None:
            self._journal.record_event(now, event)
        if self._check_invariants:
            effects = self._handle_checked(event, now)
        else:
            effects = self.machine.handle(event, now)
        if type(effects) is not list:
            blame(
                type(self.machine), f"handle returned {effects!r:.40}; expected a list of effects"
            )
        if self._journal is not None:
            self._journal.record_effects(effects)
        for effect in effects:
            self._apply(effect)
        self._wire.flush()

    def _handle_checked(self, event: Event, now: int) -> Effects:
        """Handle an event; check the invariants and the transitions of links after it."""
        machine = self.machine
        before = machine.link_states()
        effects = machine.handle(event, now)
        if type(event) is not Leave:
            try:
                check_transitions(before, machine.link_states())
                machine.check_invariants()
            except AssertionError as fault:
                after = f"node {self.node}, at {now / SECOND:g} s, after {event!r:.80}"
                if is_of_plugin(type(machine)):
                    says = [str(fault) or "an assertion fails", _unreported_link(machine)]
                    blame(type(machine), ": ".join([after, *filter(None, says)]))
                fault.args = (f"{after}: {fault}",)
                raise
        return effects

    def _apply(self, effect: Effect) -> None:
        if type(effect) is Send:
            if self._tracer is not None:
                self._trace("send", effect.peer, effect.message)
            self._wire.send(effect.peer, effect.message)
        elif type(effect) is SetTimer:
            earlier = self._timers.get(effect.key)
            if earlier is not None:
                earlier.cancel()
            try:
                self._timers[effect.key] = self._clock.call_at(effect.at, self._fire, effect.key)
            except TypeError:
                returned = f"handle returned {effect!r:.60}"
                blame(type(self.machine), f"{returned}; expected a key, and a time in microseconds")
        else:
            self._apply_rare(effect)

    def _apply_rare(self, effect: Effect) -> None:
        match effect:
            case Link(peer):
                self._trace("link", peer, None)
                self._wire.link(peer)
            case Unlink(peer):
                self._trace("unlink", peer, None)
                self._wire.unlink(peer)
            case CancelTimer(key):
                timer = self._timers.pop(key, None)
                if timer is not None:
                    timer.cancel()
            case Deliver():
                self._trace("deliver", effect.publisher, None)
                if self._deliver is not None:
                    self._deliver(effect)
            case Trace(what, peer):
                self._trace(what, peer, None)
            case _:
                what = f"handle returned {effect!r:.40}, which is no effect"
                blame(type(self.machine), f"{what}; expected Send, SetTimer, Link and others")

    def _fire(self, key: Key) -> None:
        self._timers.pop(key, None)
        self.handle(TimerExpired(key))

    def _trace(self, what: str, peer: Peer | None, message: Any) -> None:
        if self._tracer is not None:
            self._tracer.record(self._clock.now(), self.node, what, peer, message)


def _unreported_link(machine: Any) -> str:
    """Return which link was not reported with ``link`` or ``unlink``; empty if all were.

    Machines without dissemination report links in their own way.
    """
    reported = getattr(getattr(machine, "dissemination", None), "peers", None)
    if reported is None:
        return ""
    linked = list(machine.linked())
    for peer in linked:
        if peer not in reported:
            return f"linked() has peer {peer}, but link() was not called for it"
    for peer in sorted(reported, key=str):
        if peer not in linked:
            return f"linked() lacks peer {peer}, but unlink() was not called for it"
    return ""
