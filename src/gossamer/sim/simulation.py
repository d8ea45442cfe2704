"""A simulation in one call: a protocol, who wants what, and what the world is like."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gossamer.errors import ParameterError
from gossamer.host import Codec, Tracer
from gossamer.host.trace import TraceRow
from gossamer.model import Interests, Publications, Sessions
from gossamer.progress import Progress, silent
from gossamer.protocols import find_protocol
from gossamer.protocols.contract import Topics
from gossamer.quality import Assessment, Dissemination, assess
from gossamer.quality.dissemination import Spread
from gossamer.sim.initial_overlay import creator_of
from gossamer.sim.publications import PublicationMeter
from gossamer.sim.rules import Lose, Rule
from gossamer.sim.setting import find_delay, find_sessions
from gossamer.sim.snapshot import (
    MessageCounts,
    NodeLinks,
    Observation,
    Snapshot,
    count_messages,
    observe,
)
from gossamer.sim.views import parse_view
from gossamer.sim.world import DELAY, Departure, World
from gossamer.time import SECOND

__all__ = ["Simulation", "simulate"]

STEPS = ((2 * SECOND, SECOND // 5), (10 * SECOND, SECOND // 2))
"""Until when, how far snapshots are apart; a second after that."""
QUIET = 5 * SECOND
REST = 10 * SECOND
"""How long what is published last has time to come."""
LONGEST = 120.0
MAX_WITH_CHURN = 1000.0
GRACE_WITH_CHURN = 2.0


@dataclass(frozen=True, eq=False)
class Simulation:
    """What came of a simulation.

    Attributes
    ----------
    protocol, options, seed
        What was run.
    snapshots
        The overlay over time, the last at the end.
    last
        The overlay itself at the end.
    settled_at
        When the last link was made or ended, in microseconds, rounded up to a snapshot (0 if
        there never was one); None where links still changed in the last seconds.
    messages
        What was sent.
    joins, departures
        How often a node began a life, and ended one.
    events
        How many things happened in the simulated world.
    seconds
        How long it took in this one.
    trace
        What happened, where a trace was asked for.
    by_node
        Each node's links at each snapshot, where they were asked for.
    dissemination
        What came of what was published, where anything was.
    """

    protocol: str
    options: Mapping[str, Any]
    seed: int
    snapshots: tuple[Snapshot, ...]
    last: Observation
    settled_at: int | None
    messages: MessageCounts
    joins: int
    departures: int
    events: int
    seconds: float
    trace: tuple[TraceRow, ...] | None
    by_node: tuple[NodeLinks, ...] | None = None
    dissemination: Dissemination | None = None

    @cached_property
    def assessment(self) -> Assessment:
        """Every measure of the last overlay."""
        return assess(self.last.interests, self.last.overlay)

    @property
    def connected_throughout(self) -> bool:
        """Whether every topic was connected in every snapshot."""
        return all(snapshot.topic_connected for snapshot in self.snapshots)


def simulate(
    protocol: str,
    interests: Interests,
    *,
    options: Mapping[str, Any] | None = None,
    view: str = "full",
    latency: str | os.PathLike[str] | Rule = DELAY,
    loss: float = 0.0,
    rules: Sequence[Rule] = (),
    churn: str | os.PathLike[str] | Sessions | None = None,
    speed_up: float = 1.0,
    fresh: Callable[[int, int], Topics] | None = None,
    departure: Departure = "leave",
    creator: str | None = None,
    rebuild: float | None = None,
    until: float | None = None,
    publications: Publications | None = None,
    payload: int = 0,
    expected_after: float = 0.0,
    snapshots: float | None = None,
    grace: float | None = None,
    seed: int = 0,
    trace: bool = False,
    by_node: bool = False,
    count_bytes: bool = False,
    progress: Progress | None = None,
) -> Simulation:
    """Let nodes run a protocol in virtual time, and see what overlay comes of it.

    The same arguments give the same result, on any machine.

    Parameters
    ----------
    protocol, options
        What they run; see :func:`gossamer.protocols.protocols`.
    interests
        What each node wants.
    view
        What each knows of the others: ``full``, ``5%``, ``200``, or ``gossip``.
    latency
        How long messages take: ``uniform:5-15ms``, a file of round-trip times between sites, at
        which nodes are put at random, or a rule.
    loss
        The share of messages that is lost.
    rules
        What else happens to messages, after that, in order: see :mod:`gossamer.sim.rules`.
    churn
        Who is there when: ``exponential:300``, a table of sessions (by name if the names are
        those of the interests, else in order), or sessions; everybody always if not given.
    speed_up
        How much faster the time of a table of sessions passes.
    fresh
        What a node wants in later lives, by (node, life).
    departure
        Whether a session ends with a goodbye or a crash.
    creator
        A design algorithm by which the first overlay is made, as in ``low-oda``, for protocols
        that take one; they begin without links if not given.
    rebuild
        Seconds after which it is made anew, again and again.
    until
        Simulated seconds. If not given: until no link has changed for 5 s, at most 120 s;
        with churn 1,000 s; and 10 s longer than something is published.
    publications
        What is published, at its times, which are microseconds from the start; what its
        publisher cannot publish, since it is not there or has other topics now, is left out.
    payload
        Bytes of each publication.
    expected_after
        Seconds after its joining from which on a node is expected to get what is published.
    snapshots
        Seconds between snapshots; if not given, a fifth of a second at first, then half of one,
        and after ten seconds one.
    grace
        A snapshot leaves out nodes that joined so few seconds ago: 2 with churn (SpiderCast
        §3.8), else 0.
    seed
        Settles every random choice.
    trace
        Whether to keep what happened.
    by_node
        Whether to keep each node's links, physical and logical, at each snapshot.
    count_bytes
        Whether to encode every message, and count its bytes.
    progress
        Told how far it is.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> simulate("spidercast", interests, seed=1).assessment.topic_connected
    True
    """
    tell = progress or silent
    if seed < 0:
        raise ParameterError(f"seed is {seed}; expected 0 or more")
    end = _end(until, churning=churn is not None)
    busy = 0
    if publications is not None:
        publications.check(interests)
        busy = int(publications.times.max(initial=0)) + REST
        end = end if until is not None else max(end, busy)
    if churn is None or isinstance(churn, Sessions):
        sessions = churn
    else:
        sessions, _ = find_sessions(
            churn, interests, until=end / SECOND, seed=seed, faster=speed_up
        )
    delay = (
        find_delay(latency, interests, seed) if isinstance(latency, str | os.PathLike) else latency
    )
    ordered = [delay, *([Lose(loss)] if loss else ()), *rules]
    if snapshots is not None and not 0.001 <= snapshots <= 1e6:
        raise ParameterError(f"snapshots is {snapshots} seconds; expected 0.001 to 1000000")
    spare = _microseconds(grace if grace is not None else GRACE_WITH_CHURN * (sessions is not None))
    found = find_protocol(protocol)
    if creator is None and rebuild is not None:
        raise ParameterError("rebuild is about a creator's overlay; name the creator too")
    made = None if creator is None else creator_of(creator, rebuild, seed)
    if made is not None:
        found.require_installed_links()
    tracer = Tracer() if trace else None
    meter = (
        None if publications is None else PublicationMeter(publications, payload, expected_after)
    )
    started = time.perf_counter()
    tell("creating nodes", 0.0)
    world = World(
        protocol,
        interests,
        options=options,
        view=parse_view(view),
        rules=ordered,
        sessions=sessions,
        fresh=fresh,
        departure=departure,
        seed=seed,
        tracer=tracer,
        codec=Codec(found.messages) if count_bytes else None,
        deliver=None if meter is None else meter.deliver,
    )
    if meter is not None:
        meter.attach(world)
    if made is not None:
        made.attach(world)
    taken: list[Snapshot] = []
    links: list[NodeLinks] = []
    last: Observation | None = None
    changes, changed_at = 0, 0
    may_settle = until is None and sessions is None
    while world.now < end:
        world.run(min(end, world.now + _step(snapshots, world.now)))
        last = observe(world, grace=spare)
        taken.append(last.snapshot)
        if by_node:
            links.append(last.by_node())
        if world.fabric.changes != changes:
            changes, changed_at = world.fabric.changes, world.now
        elif may_settle and world.now - changed_at >= QUIET and world.now >= busy:
            break
        tell(_stage(last.snapshot), world.now / end)
    assert last is not None
    return Simulation(
        protocol=protocol,
        options=world.options,
        seed=seed,
        snapshots=tuple(taken),
        last=last,
        settled_at=changed_at if world.now - changed_at >= QUIET else None,
        messages=count_messages(world),
        joins=world.joins,
        departures=world.departures,
        events=world.scheduler.happened,
        seconds=time.perf_counter() - started,
        trace=None if tracer is None else tuple(tracer.rows),
        by_node=tuple(links) if by_node else None,
        dissemination=None if meter is None else meter.result(_spread(world)),
    )


def _spread(world: World) -> Spread:
    """Return the forwarding mode of the nodes of a world."""
    spread: Spread = getattr(world.config, "flood", "crosspost")
    return spread


def _end(until: float | None, *, churning: bool) -> int:
    if until is None:
        return _microseconds(MAX_WITH_CHURN if churning else LONGEST)
    if not 1e-6 <= until <= 1e9:
        raise ParameterError(f"until is {until} seconds; expected 0.000001 to 10^9")
    return _microseconds(until)


def _step(snapshots: float | None, now: int) -> int:
    if snapshots is not None:
        return _microseconds(snapshots)
    return next((step for until, step in STEPS if now < until), SECOND)


def _stage(snapshot: Snapshot) -> str:
    return (
        f"{snapshot.time / SECOND:g} s: {snapshot.topics_connected:,} of "
        f"{snapshot.topics:,} topics connected, mean degree {snapshot.mean_degree:.2f}"
    )


def _microseconds(seconds: float) -> int:
    return round(seconds * SECOND)
