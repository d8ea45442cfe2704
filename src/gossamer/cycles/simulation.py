"""A simulation in rounds, in one call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.cycles.events import EventWorld, RoundMeasures, draw_events
from gossamer.cycles.models import find_model
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.model import Interests, Sessions
from gossamer.progress import Progress, silent
from gossamer.time import SECOND

__all__ = ["RoundSimulation", "simulate_rounds"]

MAX_ROUNDS = 10_000_000
MAX_PERIOD = 1_000_000 * SECOND
EVENTS = 0x45


@dataclass(frozen=True, eq=False)
class RoundSimulation:
    """What came of a simulation in rounds.

    Attributes
    ----------
    protocol, options, seed
        What was run.
    measured
        The overlay and events over the rounds, the last at the end.
    rounds
        How many there were.
    joins, departures
        How often a node began a life, and ended one.
    seconds
        How long it took.
    spent
        Of these, seconds in each kind of work.
    """

    protocol: str
    options: Mapping[str, Any]
    seed: int
    measured: tuple[RoundMeasures, ...]
    rounds: int
    joins: int
    departures: int
    seconds: float
    spent: Mapping[str, float]

    @property
    def last(self) -> RoundMeasures:
        """What was measured last."""
        return self.measured[-1]


def simulate_rounds(
    protocol: str,
    interests: Interests,
    *,
    options: Mapping[str, Any] | None = None,
    rates: ArrayLike | None = None,
    sessions: Sessions | None = None,
    rounds: int = 120,
    period: float = 1.0,
    every: int | None = None,
    events: int = 1,
    grace: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> RoundSimulation:
    """Let all nodes run a protocol in rounds, and see what becomes of events.

    The same arguments give the same result, on any machine. 10,000 nodes with 50 subscriptions
    take a fraction of a second a round.

    Parameters
    ----------
    protocol, options
        ``vitis``, ``rvr`` or ``opt``, and its options: see :mod:`gossamer.cycles.models`.
    interests
        What each node wants.
    rates
        How often each topic is published on: events count by it, and Vitis chooses friends by it.
    sessions
        Who is there when; everybody always if not given. Nodes end without a word.
    rounds
        How many.
    period
        Seconds of a round, where there are sessions.
    every
        Rounds between two measurements; at the end alone if not given.
    events
        How many events are published on each topic whenever something is measured.
    grace
        A node counts as a subscriber, and publishes, from so many rounds after it joined; where
        nobody comes or goes, from the start.
    seed
        Settles every random choice.
    progress
        Told how far it is.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("random", nodes=80, topics=20, subscriptions=4, seed=1)
    >>> done = simulate_rounds("vitis", interests, options={"table_size": 6}, rounds=60, seed=1)
    >>> done.last.hit_ratio, done.last.ring
    (1.0, 1.0)
    """
    tell = progress or silent
    if not isinstance(interests, Interests):
        raise ParameterError(
            f"interests are {type(interests).__name__}; expected Interests, as read_interests gives"
        )
    by_topic = None if rates is None else _checked_rates(rates, interests.topic_count)
    if not 1 <= rounds <= MAX_ROUNDS:
        raise ParameterError(f"rounds is {rounds}; expected 1 to {MAX_ROUNDS}")
    if every is not None and every < 1:
        raise ParameterError(f"every is {every}; expected 1 round or more")
    if events < 1:
        raise ParameterError(f"events is {events}; expected 1 or more on each topic")
    if grace < 0:
        raise ParameterError(f"grace is {grace}; expected 0 rounds or more")
    if not 1 <= period * SECOND <= MAX_PERIOD:
        raise ParameterError(
            f"period is {period} seconds; expected a millionth to {MAX_PERIOD // SECOND}"
        )
    if not 0 <= seed < 1 << 64:
        raise ParameterError(f"seed is {seed}; expected 0 to 2^64 - 1")
    found = find_model(protocol)
    chosen = dict(options or {})
    found.options.check(chosen)
    started = time.perf_counter()
    tell("numbering nodes along the circle", 0.0)
    numbered = Numbered.of(interests)
    world = found.build(numbered, by_topic, seed, **chosen)
    coming = _Coming(numbered, sessions, rounds, period)
    settled = 0 if sessions is None else grace
    measured: list[RoundMeasures] = []
    for now in range(1, rounds + 1):
        coming.apply(world, now - 1)
        world.step()
        due = now == rounds or (every is not None and now % every == 0)
        soon = (rounds - now if every is None else min(rounds - now, -now % every)) < world.routed
        if sessions is not None or soon:
            world.route()
        if due:
            # Whether something is measured on the way makes no difference to the end.
            random = np.random.default_rng([seed, EVENTS, *((now,) if now < rounds else ())])
            drawn = draw_events(world, random, each=events, rates=by_topic, grace=settled)
            measured.append(world.measure(drawn, grace=settled))
        tell(_stage(measured, now), now / rounds)
    defaults = {option.keyword: option.default for option in found.options.listed}
    return RoundSimulation(
        protocol=protocol,
        options={**defaults, **chosen},
        seed=seed,
        measured=tuple(measured),
        rounds=rounds,
        joins=coming.joins,
        departures=coming.departures,
        seconds=time.perf_counter() - started,
        spent=dict(world.spent),
    )


def _checked_rates(rates: ArrayLike, topics: int) -> NDArray[np.float64]:
    given = np.asarray(rates, dtype=np.float64)
    if given.shape != (topics,):
        raise ParameterError(
            f"{given.size} publication rates; expected one for each of {topics} topics"
        )
    wrong = given[~(np.isfinite(given) & (given >= 0))]
    if len(wrong):
        raise ParameterError(f"a publication rate is {wrong[0]:g}; expected 0 or more")
    return given


class _Coming:
    """Who comes and goes in each round."""

    def __init__(
        self, numbered: Numbered, sessions: Sessions | None, rounds: int, period: float
    ) -> None:
        self.joins = self.departures = 0
        count = len(numbered.nodes)
        if sessions is None:
            self._joins = {0: np.arange(count)}
            self._leaves: dict[int, NDArray[np.int64]] = {}
            return
        if len(sessions) and not 0 <= sessions.nodes.min() <= sessions.nodes.max() < count:
            raise ParameterError(
                f"sessions are of nodes {sessions.nodes.min()} to {sessions.nodes.max()}; expected "
                f"some of the {count} nodes that want something"
            )
        place = np.empty(count, dtype=np.int64)
        place[numbered.nodes] = np.arange(count)
        nodes = place[sessions.nodes]
        begins = np.floor_divide(sessions.starts, round(period * SECOND))
        ends = np.floor_divide(sessions.ends, round(period * SECOND))
        lasting = ends > begins  # a session within a round is not seen by anybody
        self._joins = _by_round(begins[lasting], nodes[lasting], rounds)
        self._leaves = _by_round(ends[lasting], nodes[lasting], rounds)

    def apply(self, world: EventWorld, now: int) -> None:
        """Let nodes go, then come, before a round."""
        gone = self._leaves.get(now)
        if gone is not None:
            world.leave(gone)
            self.departures += len(gone)
        new = self._joins.get(now)
        if new is not None:
            world.join(new)
            self.joins += len(new)


def _by_round(
    when: NDArray[np.int64], nodes: NDArray[np.int64], rounds: int
) -> dict[int, NDArray[np.int64]]:
    order = np.lexsort((nodes, when))
    when, nodes = when[order], nodes[order]
    first = np.flatnonzero(np.diff(when, prepend=-1) != 0)
    parts = np.split(nodes, first)[1:]
    return {int(when[at]): part for at, part in zip(first, parts, strict=True) if when[at] < rounds}


def _stage(measured: list[RoundMeasures], now: int) -> str:
    if not measured:
        return f"round {now}"
    last = measured[-1]
    return f"round {now}: hit ratio {last.hit_ratio:.4f}, overhead {last.traffic.overhead:.3f}"
