"""A maintenance run: the events of a scenario are applied, verified, timed and recorded."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.design.verified_design import check_promises
from gossamer.errors import GossamerError, ParameterError
from gossamer.maintain.checkpoint import RunCheckpoint
from gossamer.maintain.components import connect_topics, count_components, describe_disconnected
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import NO_LINKS
from gossamer.maintain.initial_overlay import ConnectingDesign, InitialLinks, Verify, select_links
from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.result import Maintenance
from gossamer.maintain.strategies.registry import (
    Strategy,
    StrategyFactory,
    require_topics,
    resolve_strategy,
)
from gossamer.model import ChurnEvents, Interests, Overlay, Scenario
from gossamer.model.overlay import check_overlay
from gossamer.model.scenario import check_scenario
from gossamer.progress import Progress, silent
from gossamer.tables.churn import first_date
from gossamer.version import __version__
from gossamer.workloads.notation import is_path
from gossamer.workloads.presence import resolve_events

SAVE_SECONDS = 5.0
"""Seconds between two parts of the checkpoint."""
TOY = Interests.from_ids([0, 1, 2, 2, 3], [0, 0, 0, 1, 1], node_names=4, topic_names=2)
"""Interests on which options of strategies are tried and kernels are compiled."""


def maintain(
    scenario: Scenario,
    strategy: str | Strategy = "elasto-g",
    overlay: Overlay | None = None,
    *,
    algorithm: str | None = None,
    rebuild_every: int | None = None,
    verify: Verify = "end",
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Maintenance:
    """Keep an overlay topic-connected under the churn of a scenario.

    Parameters
    ----------
    scenario
        Interests at the start of every node that may ever be present, churn, and seed.
    strategy
        Name of a strategy, with options or without, as in ``elasto-g:rho=5``; or an object with the
        methods of :class:`~gossamer.maintain.strategies.registry.Strategy`. An interrupted run with
        an object that lacks ``state`` or ``restore``, or with elasto-l, begins again instead of
        resuming.
        If interests change, it needs the methods of
        :class:`~gossamer.maintain.strategies.registry.TopicStrategy` too.
    overlay
        Links at the start; designed by ``algorithm`` if not given. Links with an absent end are
        left out, and topics that were connected through them are connected before the first event,
        by LowODA's rule.
    algorithm
        Name and options of the design algorithm of rebuilds, and of the links at the start if none
        are given, as in ``low-oda:rho=5`` (default: low-oda). It must promise connected topics.
    rebuild_every
        Number of events between two rebuilds; none if not given.
    verify
        When every topic is checked for connectivity: after ``every`` event, at the start and the
        ``end``, or ``never``.
    out
        Folder of ``start.parquet``, ``links.parquet``, ``changes.parquet``, ``rounds.parquet`` and
        ``timings.parquet``. A run that was killed resumes when it is started again with the same
        arguments, and all files but the timings come out the same, bit for bit.
    progress
        Callback that receives the current step and the fraction done.
    **options
        Options of the strategy, as in ``rho=5``.

    Returns
    -------
    Maintenance
        The overlay at the end, all changes, and measurements.

    Raises
    ------
    InputError
        If an event is impossible, a given overlay leaves a topic disconnected although no link was
        left out, an argument is wrong, or the folder belongs to another run. Nothing is written.
    GossamerError
        If the strategy leaves a topic disconnected.

    Examples
    --------
    >>> interests = Interests.from_lists({name: ["tea", "jazz"] for name in "abcdef"})
    >>> run = maintain(Scenario(interests, churn="rounds:20", seed=1), verify="every")
    >>> len(run.events), int(run.present.sum()) == int(run.nodes[-1])
    (20, True)
    """
    check_scenario(scenario)
    if overlay is not None:
        check_overlay(overlay)
    if overlay is not None and rebuild_every is None and algorithm is not None:
        raise ParameterError(
            f"the algorithm is {algorithm}, and links are given and nothing is rebuilt; expected "
            "rebuild_every, or no links, or no algorithm"
        )
    if verify not in ("every", "end", "never"):
        raise ParameterError(f"verify is {verify!r}; expected every, end or never")
    if rebuild_every is not None and rebuild_every < 1:
        raise ParameterError(f"rebuild_every is {rebuild_every}; expected 1 or more")
    factory = resolve_strategy(strategy, options, seed=scenario.seed)
    design = ConnectingDesign(algorithm or "low-oda")
    if scenario.churn is None:
        raise ParameterError("the scenario has no churn; expected a table, or rounds:COUNT")
    interests, present, events = resolve_events(scenario)
    dated = _first_date(scenario)
    events.check(present, interests=interests)
    changes = len(events.interest_changes)
    if changes:
        require_topics(factory.build(), changes)
    given = None
    if overlay is not None:
        given = select_links(interests, overlay, present, verify=verify)
    if not factory.custom:
        _warm_up(factory)
    designed = json.dumps([design.algorithm.name, dict(sorted(design.options.items()))])
    arguments = {
        "gossamer's version": __version__,
        "the subscriptions": _digest(
            interests.node_offsets, interests.node_topics, interests.node_names.tolist(),
            interests.topic_names.tolist(),
        ),
        "the links": designed if overlay is None else _digest(overlay.links),
        "the events": _digest(events.times, events.nodes, events.kinds, events.topics, present),
        "the strategy": factory.key,
        "the rebuilding": f"{rebuild_every} {designed}" if rebuild_every else "none",
        "the seed": str(scenario.seed),
    }  # fmt: skip
    folder = None if out is None else Path(out)
    with RunCheckpoint.open(folder, arguments) as checkpoint:
        run = _MaintenanceRun(
            replace(scenario, interests=interests),
            events,
            present,
            factory,
            design,
            checkpoint,
            progress or silent,
        )
        done = replace(run.apply(given, rebuild_every, verify), first_date=dated)
        if folder is not None:
            done.write(folder)
    return done


class _MaintenanceRun:
    """A run whose arguments are valid: its events, strategy, design and checkpoint."""

    def __init__(
        self,
        scenario: Scenario,
        events: ChurnEvents,
        present: NDArray[np.bool_],
        factory: StrategyFactory,
        design: ConnectingDesign,
        checkpoint: RunCheckpoint,
        progress: Progress,
    ) -> None:
        self.interests, self.seed = scenario.interests, scenario.seed
        self.events, self.present = events, present
        self.factory, self.design = factory, design
        self.checkpoint, self.progress = checkpoint, progress

    def apply(
        self, given: InitialLinks | None, rebuild_every: int | None, verify: Verify
    ) -> Maintenance:
        """Apply the events that the checkpoint does not have, and return the result."""
        checkpoint, events = self.checkpoint, self.events
        maintainer, resumed = self._resume(given)
        saved = time.monotonic()
        records = maintainer.run(
            events,
            start=resumed,
            rebuild_every=rebuild_every,
            design=self.design,
            check=verify == "every",
        )
        for number, record in enumerate(records, start=resumed + 1):
            if record.disconnected_topics > 0:
                self._verify(maintainer, number)
            checkpoint.append(record)
            if self.factory.resumable and time.monotonic() - saved >= SAVE_SECONDS:
                checkpoint.save(maintainer.state)
                saved = time.monotonic()
            self.progress(f"event {number:,} of {len(events):,}", number / len(events))
        checkpoint.save(maintainer.state)
        if verify != "never":
            self.progress("verifying", 1.0)
            self._verify(maintainer, len(events))
        rounds, milliseconds, changes = checkpoint.columns()
        assert checkpoint.start is not None
        return Maintenance(
            self.interests, events, self.factory.name, self.seed, self.present, maintainer.present,
            checkpoint.start, maintainer.overlay, rounds, milliseconds, changes, resumed,
            0 if given is None else given.left_out, self.design.text,
        )  # fmt: skip

    def _resume(self, given: InitialLinks | None) -> tuple[Maintainer, int]:
        """Return the maintainer after the events of the checkpoint, and their number."""
        checkpoint, strategy = self.checkpoint, self.factory.build()
        if checkpoint.start is None:
            self.progress("starting", 0.0)
            checkpoint.begin(*self._first_links(given, getattr(strategy, "rho", 3.0)))
        resumed = len(checkpoint.rounds)
        maintainer = Maintainer(
            self.events.interests_after(self.interests, resumed),
            checkpoint.overlay(),
            strategy=strategy,
            present=self.events.present_after(self.present, resumed),
            seed=self.seed,
        )
        maintainer.restore(checkpoint.state)
        return maintainer, resumed

    def _first_links(
        self, given: InitialLinks | None, rho: float
    ) -> tuple[Overlay, NDArray[np.int32]]:
        """Return the overlay at the start, and links that connect its topics."""
        interests = self.interests
        overlay = Overlay.from_links(interests.node_count, ()) if given is None else given.overlay
        state = DynamicOverlay(interests, self.present, overlay)
        if given is not None:
            topics = given.disconnected.astype(np.int32)
            added = connect_topics(state, topics, rho=rho, seed=self.seed)
            return overlay, np.sort(added, axis=1)
        links = self.design.links(state, seed=self.seed, progress=self.progress)
        overlay = Overlay.from_links(interests.node_count, links)
        components = count_components(interests, overlay, self.present)
        disconnected = int((components > 1).sum())
        check_promises(self.design.algorithm, self.design.options, disconnected=disconnected)
        return overlay, NO_LINKS

    def _verify(self, maintainer: Maintainer, done: int) -> None:
        """Raise if a topic is disconnected, or the recorded changes do not give the overlay.

        Interests are those at the start with the events up to then, as they were given.
        """
        overlay = maintainer.overlay
        interests = self.events.interests_after(self.interests, done)
        components = count_components(interests, overlay, maintainer.present)
        if (components > 1).any():
            wrong = f"leaves {describe_disconnected(interests, components)}"
        elif overlay != self.checkpoint.overlay():
            wrong = "returns other changes than it made"
        else:
            return
        blame = (
            "; expected a strategy that keeps every topic connected; no links were written"
            if not self.factory.ours
            else ", although it promises not to; that is a bug in gossamer, and no links were "
            "written"
        )
        raise GossamerError(
            f"after {done:,} of {len(self.events):,} events {self.factory.name} {wrong}{blame}"
        )


def _first_date(scenario: Scenario) -> int | None:
    """Return the date of time 0, if the churn is a table with dates."""
    churn = scenario.churn
    if not isinstance(churn, str | os.PathLike) or scenario.time_scale != 1:
        return None
    return first_date(churn) if is_path(os.fspath(churn)) else None


def _warm_up(factory: StrategyFactory) -> None:
    """Apply events to a toy: options out of range raise, and kernels are compiled or loaded."""
    maintainer = Maintainer(TOY, Overlay.from_links(TOY.node_count, ()), strategy=factory.build())
    for _ in maintainer.run(ChurnEvents.from_columns([0, 1], [2, 2], [False, True])):
        pass


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}\n".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part, ensure_ascii=True).encode())
    return digest.hexdigest()[:32]
