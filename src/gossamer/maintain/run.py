"""A run: one event after the other is applied, checked, timed and recorded."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import GossamerError, ParameterError
from gossamer.maintain.checkpoint import Record
from gossamer.maintain.events import find_events
from gossamer.maintain.initial_overlay import Given, check_given, design_start, mend_start
from gossamer.maintain.maintainer import Change, Maintainer, find_connecting
from gossamer.maintain.result import Maintenance
from gossamer.maintain.strategies.choice import Chosen, choose_strategy, words_of
from gossamer.maintain.strategies.registry import LinkChanges, Strategy
from gossamer.maintain.verification import pieces_of_topics, said_of_pieces
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.progress import Progress, silent
from gossamer.version import __version__

__all__ = ["Verify", "maintain"]

Verify = Literal["every", "end", "never"]
SECONDS = 5.0
"""How often what was done is written, so that an interrupted run loses little."""

TOY = Interests.from_ids([0, 1, 2, 2, 3], [0, 0, 0, 1, 1], node_names=4, topic_names=2)
"""Enough to try options on, and to let kernels be compiled."""


def maintain(
    interests: Interests,
    overlay: Overlay | None = None,
    events: ChurnEvents | str | os.PathLike[str] = "rounds:1000",
    *,
    present: NDArray[np.bool_] | None = None,
    strategy: str | Strategy = "elasto-g",
    options: Mapping[str, Any] | None = None,
    rebuild_every: int | None = None,
    algorithm: str | None = None,
    algorithm_options: Mapping[str, Any] | None = None,
    verify: Verify = "end",
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    save_every: float = SECONDS,
    progress: Progress | None = None,
) -> Maintenance:
    """Keep an overlay topic-connected while nodes join and leave.

    Parameters
    ----------
    interests
        Who wants what: everybody who may ever be there.
    overlay
        The links at the start; designed by ``algorithm`` if not given. Links with an end that is
        away at the start are left out; topics that were connected through it are mended before
        the first event, by LowODA's rule.
    events
        What happens: events, a table of churn or sessions, or ``rounds:COUNT``, as
        :func:`find_events` reads them.
    present
        Who is there at the start, where it does not follow from the events.
    strategy, options
        What to do at each event, by the name of a strategy, and its own options; or an object
        that has the methods of :class:`~gossamer.maintain.strategies.registry.Strategy`, as
        ``gossamer.sim.elasto.ElastoL()``. If an object does not have ``state`` and ``restore``,
        and for elasto-l, an interrupted run begins again instead of going on.
    rebuild_every
        After every so many events all is designed anew.
    algorithm, algorithm_options
        How all is designed anew, and the first overlay if no links are given: low-oda if not
        said. It must promise that topics are connected.
    verify
        When to check that every topic is connected among those there: after every event, at the
        start and the end, or never.
    seed
        Settles every random choice.
    out
        A folder for ``start.parquet``, ``links.parquet``, ``changes.parquet``,
        ``rounds.parquet`` and ``timings.parquet``. Killed at any moment and run again with the
        same arguments, a run goes on where it was, and all but the timings come out the same bit
        for bit.
    save_every
        After how many seconds what was done is written down.
    progress
        Told how far it is.

    Returns
    -------
    Maintenance
        The overlay at the end, and what it took.

    Raises
    ------
    InputError
        If an event is of somebody unknown, a join of somebody there or a leave of somebody away;
        a topic is in pieces at the start though no link was left out, unless nothing is verified;
        an algorithm is named that nothing is designed by; or the folder is of a run with other
        arguments. Then nothing was written.
    GossamerError
        If a topic is in pieces afterwards.

    Examples
    --------
    >>> people = Interests.from_lists({name: ["tea", "jazz"] for name in "abcdef"})
    >>> done = maintain(people, events="rounds:20", verify="every", seed=1)
    >>> len(done.events), int(done.present.sum()) == int(done.nodes[-1])
    (20, True)
    """
    if overlay is not None and rebuild_every is None and (algorithm or algorithm_options):
        raise ParameterError(
            f"the algorithm is {algorithm or algorithm_options}, and links are given and nothing "
            "is rebuilt; expected rebuild_every, or no links, or no algorithm"
        )
    chosen = choose_strategy(strategy, options, seed)
    algorithm, algorithm_options = algorithm or "low-oda", dict(algorithm_options or {})
    _check(chosen, rebuild_every, algorithm, algorithm_options, verify=verify, seed=seed)
    at_first, happening = find_events(events, interests, seed=seed)
    if present is not None:
        at_first = np.array(present, dtype=np.bool_)
        if at_first.shape != (interests.node_count,):
            raise ParameterError(
                f"present has {at_first.size} values; expected one for each of the "
                f"{interests.node_count} nodes"
            )
    happening.check(at_first, interests.node_names)
    given = None
    if overlay is not None:
        given = check_given(interests, overlay, at_first, verify=verify)
    designing = words_of(algorithm, algorithm_options)
    arguments = {
        "gossamer's version": __version__,
        "the subscriptions": _digest(
            interests.node_offsets, interests.node_topics, interests.node_names.tolist(),
            interests.topic_names.tolist(),
        ),
        "the links": designing if overlay is None else _digest(overlay.links),
        "the events": _digest(happening.times, happening.nodes, happening.joins, at_first),
        "the strategy": chosen.words,
        "the rebuilding": f"{rebuild_every} {designing}" if rebuild_every else "none",
        "the seed": str(seed),
    }  # fmt: skip
    folder = None if out is None else Path(out)
    with Record.opened(folder, arguments) as record:
        run = _Run(interests, happening, at_first, record, chosen, seed)
        run.rebuild_every = rebuild_every or 0
        run.algorithm, run.algorithm_options = algorithm, algorithm_options
        run.verify, run.progress = verify, progress or silent
        done = run.go(given, save_every)
        if folder is not None:
            done.write(folder)
    return done


class _Run:
    """The state of a run: who is there, who is linked, and how many links each has."""

    rebuild_every: int
    algorithm: str
    algorithm_options: dict[str, Any]
    verify: str
    progress: Progress

    def __init__(
        self,
        interests: Interests,
        events: ChurnEvents,
        present: NDArray[np.bool_],
        record: Record,
        chosen: Chosen,
        seed: int,
    ) -> None:
        self.interests, self.events, self.record = interests, events, record
        self.at_first = present
        self.present = np.array(present)
        self.chosen, self.seed = chosen, seed
        self.ids = {name: node for node, name in enumerate(interests.node_names.tolist())}
        self.links: set[tuple[int, int]] = set()
        self.degrees = np.zeros(interests.node_count, dtype=np.int64)

    def go(self, given: Given | None, save_every: float) -> Maintenance:
        """Do what is left to do."""
        maintainer, resumed = self._maintainer(given)
        record, events = self.record, self.events
        if not self.chosen.resumes:
            save_every = float("inf")  # all is written at the end, or nothing
        if not self.chosen.own and resumed < len(events):
            self._warm_up()
        last = time.monotonic()
        for number in range(resumed, len(events)):
            if time.monotonic() - last >= save_every:
                record.save(maintainer.state)
                last = time.monotonic()
            self._round(maintainer, number)
            self.progress(f"event {number + 1:,} of {len(events):,}", number / len(events))
        record.save(maintainer.state)
        if self.verify != "never":
            self.progress("checking", 1.0)
            self._verify(maintainer, len(events))
        rounds, milliseconds, changes = record.columns()
        assert record.start is not None
        return Maintenance(
            self.interests, events, self.chosen.name, self.seed, self.at_first, self.present,
            record.start, self._overlay(), rounds, milliseconds, changes, resumed,
            0 if given is None else given.left_out,
        )  # fmt: skip

    def _maintainer(self, given: Given | None) -> tuple[Maintainer, int]:
        """Return who keeps the overlay in order, as it is after the rounds that were recorded."""
        record, strategy = self.record, self.chosen.build()
        if record.start is None:
            self._start(given, getattr(strategy, "rho", 3.0))
        start = record.start
        assert start is not None
        self.links = set(map(tuple, start.links.tolist()))
        self.degrees = np.array(start.degrees)
        for _, _, linked, low, high in (*record.first, *record.changes):
            self._do((low, high), bool(linked))
        done = len(record.rounds)
        for node, joins in zip(self.events.nodes[:done], self.events.joins[:done], strict=True):
            self.present[node] = joins
        maintainer = Maintainer(
            self.interests,
            self._overlay(),
            strategy=strategy,
            present=np.array(self.present),
            seed=self.seed,
        )
        maintainer.restore(record.state)
        return maintainer, done

    def _start(self, given: Given | None, rho: float) -> None:
        self.progress("starting", 0.0)
        if given is None:
            start = design_start(
                self.interests,
                self.at_first,
                self.algorithm,
                self.algorithm_options,
                seed=self.seed,
                progress=self.progress,
            )
            self.record.begin(start)
        elif len(given.broken):
            added = mend_start(self.interests, given, self.at_first, rho=rho, seed=self.seed)
            self.record.begin(given.overlay, added)
        else:
            self.record.begin(given.overlay)

    def _warm_up(self) -> None:
        """Let kernels be compiled or loaded on a toy, so that no event's time has that in it."""
        maintainer = Maintainer(TOY, strategy=self.chosen.build(), seed=self.seed)
        for _ in maintainer.apply([2, 2], [False, True]):
            pass

    def _round(self, maintainer: Maintainer, number: int) -> None:
        node, joins = int(self.events.nodes[number]), bool(self.events.joins[number])
        began = time.perf_counter()
        change = maintainer.join_id(node) if joins else maintainer.leave_id(node)
        taken = time.perf_counter() - began
        self.present[node] = joins
        added, removed = self._take(change, number, rebuilt=False)
        rebuilt = bool(self.rebuild_every) and (number + 1) % self.rebuild_every == 0
        if rebuilt:
            began = time.perf_counter()
            anew = maintainer.rebuild(self.algorithm, **self.algorithm_options)
            taken += time.perf_counter() - began
            more, fewer = self._take(self._by_id(anew), number, rebuilt=True)
            added, removed = added + more, removed + fewer
        if self.verify == "every":
            self._verify(maintainer, number + 1)
        self.record.milliseconds.append(taken * 1000)
        self.record.rounds.append(
            (
                int(np.count_nonzero(self.present)), len(self.links),
                int(self.degrees.max(initial=0)), added, removed, int(rebuilt),
            )
        )  # fmt: skip

    def _take(self, change: LinkChanges, number: int, *, rebuilt: bool) -> tuple[int, int]:
        """Write down what is to be done: first what connects, then what is given up."""
        for pairs, linked in ((change.links, True), (change.unlinks, False)):
            for one, other in pairs.tolist():
                low, high = min(one, other), max(one, other)
                self._do((low, high), linked)
                self.record.changes.append((number, int(rebuilt), int(linked), low, high))
        return len(change.links), len(change.unlinks)

    def _by_id(self, change: Change) -> LinkChanges:
        links, unlinks = (
            np.array([(self.ids[one], self.ids[other]) for one, other in pairs], dtype=np.int32)
            for pairs in change
        )
        return LinkChanges(links.reshape(-1, 2), unlinks.reshape(-1, 2))

    def _do(self, link: tuple[int, int], linked: bool) -> None:
        assert (link in self.links) != linked, f"{link} is changed to what it is"
        (self.links.add if linked else self.links.remove)(link)
        self.degrees[list(link)] += 1 if linked else -1

    def _overlay(self) -> Overlay:
        links = np.array(sorted(self.links), dtype=np.int64).reshape(-1, 2)
        return Overlay.from_links(self.interests.node_count, links)

    def _verify(self, maintainer: Maintainer, done: int) -> None:
        """Raise if a topic is in pieces, or the changes do not give the overlay."""
        overlay = self._overlay()
        pieces = pieces_of_topics(self.interests, overlay, self.present)
        if (pieces <= 1).all() and overlay == maintainer.overlay:
            return
        wrong = (
            f"leaves {said_of_pieces(self.interests, pieces)}"
            if (pieces > 1).any()
            else "names other changes than it made"
        )
        whose = (
            "; expected a strategy that keeps every topic connected; no links were written"
            if self.chosen.own
            else ", although it promises not to; that is a bug in gossamer, and no links were "
            "written"
        )
        raise GossamerError(
            f"after {done:,} of {len(self.events):,} events {self.chosen.name} {wrong}{whose}"
        )


def _check(
    chosen: Chosen,
    rebuild_every: int | None,
    algorithm: str,
    algorithm_options: Mapping[str, Any],
    *,
    verify: str,
    seed: int,
) -> None:
    """Raise for what is wrong with the arguments, before anything is read or written."""
    if verify not in ("every", "end", "never"):
        raise ParameterError(f"verify is {verify!r}; expected every, end or never")
    if seed < 0:
        raise ParameterError(f"seed is {seed}; expected 0 or more")
    if rebuild_every is not None and rebuild_every < 1:
        raise ParameterError(f"rebuild_every is {rebuild_every}; expected 1 or more")
    found = find_connecting(algorithm)
    found.all_options.check(algorithm_options)
    try:  # options that are out of range are so for every overlay
        found(TOY, seed=seed, **algorithm_options)
    except ParameterError as fault:
        raise ParameterError(f"{algorithm}: {fault}") from None
    if not chosen.own:
        Maintainer(TOY, Overlay.from_links(TOY.node_count, ()), strategy=chosen.build())


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}\n".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part, ensure_ascii=True).encode())
    return digest.hexdigest()[:32]
