"""Cycle-driven simulation: all nodes advance by one cycle of a second at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import CycleMeasures, EventWorld, draw_events
from gossamer.cycles.models import find_model
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.model import Interests, Sessions
from gossamer.progress import Progress
from gossamer.time import SECOND

MAX_CYCLES = 10_000_000
EVENTS = 0x45
"""Purpose of the random stream of events."""


@dataclass(frozen=True, eq=False)
class CycleRun:
    """Measures of a cycle-driven simulation; see :class:`gossamer.sim.Simulation`."""

    options: Mapping[str, Any]
    measures: tuple[CycleMeasures, ...]
    joins: int
    departures: int
    seconds_by_task: Mapping[str, float]


def run_cycles(
    protocol: str,
    interests: Interests,
    *,
    options: Mapping[str, Any],
    rates: NDArray[np.float64] | None,
    sessions: Sessions | None,
    cycles: int,
    every: int | None,
    events: int,
    warm_up: int,
    seed: int,
    progress: Progress,
) -> CycleRun:
    """Run a number of cycles; :func:`gossamer.sim.simulate` describes the arguments.

    10,000 nodes with 50 subscriptions take a fraction of a second per cycle.
    """
    if not 1 <= cycles <= MAX_CYCLES:
        raise ParameterError(f"duration is {cycles} cycles; expected 1 to {MAX_CYCLES}")
    found = find_model(protocol)
    found.options.check(options)
    progress("numbering nodes along the circle", 0.0)
    numbered = Numbered.of(interests)
    world = found.build(numbered, rates, seed, **options)
    presence = _Presence(numbered, sessions, cycles)
    min_age = 0 if sessions is None else warm_up
    measures: list[CycleMeasures] = []
    for now in range(1, cycles + 1):
        presence.apply(world, now - 1)
        world.step()
        due = now == cycles or (every is not None and now % every == 0)
        left = cycles - now if every is None else min(cycles - now, -now % every)
        if sessions is not None or left < world.routed:
            world.route()
        if due:
            # The stream of the last cycle does not depend on the measurements before it.
            random = np.random.default_rng([seed, EVENTS, *((now,) if now < cycles else ())])
            drawn = draw_events(world, random, each=events, rates=rates, min_age=min_age)
            measures.append(world.measure(drawn, min_age=min_age))
        progress(_stage(measures, now), now / cycles)
    return CycleRun(
        options=found.options.with_defaults(options),
        measures=tuple(measures),
        joins=presence.joins,
        departures=presence.departures,
        seconds_by_task=dict(world.seconds_by_task),
    )


class _Presence:
    """Joins and departures of each cycle, and their numbers so far."""

    def __init__(self, numbered: Numbered, sessions: Sessions | None, cycles: int) -> None:
        self.joins = self.departures = 0
        count = len(numbered.nodes)
        if sessions is None:
            self._joins = {0: np.arange(count)}
            self._departures: dict[int, NDArray[np.int64]] = {}
            return
        sessions.check(count)
        place = np.empty(count, dtype=np.int64)
        place[numbered.nodes] = np.arange(count)
        nodes = place[sessions.nodes]
        begins, ends = sessions.starts // SECOND, sessions.ends // SECOND
        lasting = ends > begins  # a session within a cycle has no effect
        self._joins = _by_cycle(begins[lasting], nodes[lasting], cycles)
        self._departures = _by_cycle(ends[lasting], nodes[lasting], cycles)

    def apply(self, world: EventWorld, now: int) -> None:
        """Remove departed nodes, then add joining ones, before a cycle."""
        departed = self._departures.get(now)
        if departed is not None:
            world.leave(departed)
            self.departures += len(departed)
        joined = self._joins.get(now)
        if joined is not None:
            world.join(joined)
            self.joins += len(joined)


def _by_cycle(
    when: NDArray[np.int64], nodes: NDArray[np.int64], cycles: int
) -> dict[int, NDArray[np.int64]]:
    order = np.lexsort((nodes, when))
    when, nodes = when[order], nodes[order]
    first = np.flatnonzero(np.diff(when, prepend=-1) != 0)
    parts = np.split(nodes, first)[1:]
    return {int(when[at]): part for at, part in zip(first, parts, strict=True) if when[at] < cycles}


def _stage(measures: list[CycleMeasures], now: int) -> str:
    if not measures:
        return f"cycle {now}"
    last = measures[-1]
    return f"cycle {now}: hit ratio {last.hit_ratio:.4f}, overhead {last.traffic.overhead:.3f}"
