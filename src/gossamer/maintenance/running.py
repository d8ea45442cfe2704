"""A run: one event after the other is applied, checked, timed and recorded."""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer import __version__
from gossamer.design import find_algorithm
from gossamer.design.maintaining import Change, Maintainer
from gossamer.design.strategies.registry import Mended, find_strategy
from gossamer.maintenance.checking import check_ends, pieces_of_topics, said_of_pieces
from gossamer.maintenance.events import find_events
from gossamer.maintenance.record import Record
from gossamer.maintenance.result import Maintenance
from gossamer.model import (
    ChurnEvents,
    GossamerError,
    Interests,
    Overlay,
    OverlayError,
    ParameterError,
)
from gossamer.model.progress import Progress, silent

__all__ = ["Verify", "maintain"]

Verify = Literal["every", "end", "never"]
SECONDS = 5.0
"""How often what was done is written, so that an interrupted run loses little."""


def maintain(
    interests: Interests,
    overlay: Overlay | None = None,
    events: ChurnEvents | str | os.PathLike[str] = "rounds:1000",
    *,
    present: NDArray[np.bool_] | None = None,
    strategy: str = "elasto-g",
    options: Mapping[str, Any] | None = None,
    rebuild_every: int | None = None,
    algorithm: str = "low-oda",
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
        Links of those who are there at the start; built by LowODA if not given.
    events
        What happens: events, a table of churn or sessions, or ``rounds:COUNT``, as
        :func:`find_events` reads them.
    present
        Who is there at the start, where it does not follow from the events.
    strategy, options
        What to do at each event, by the name of a strategy, and its own options.
    rebuild_every, algorithm, algorithm_options
        After every so many events all is designed anew, by this algorithm.
    verify
        When to check that every topic is connected among those there: after every event, at the
        start and the end, or never.
    seed
        Settles every random choice.
    out
        A folder for ``links.parquet``, ``changes.parquet``, ``rounds.parquet`` and
        ``timings.parquet``. Killed at any moment and run again with the same arguments, a run
        goes on where it was, and the first three come out the same bit for bit.
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
        a link's end is away at the start; a topic is in pieces at the start, unless nothing is
        verified; or the folder is of a run with other arguments.
    GossamerError
        If a topic is in pieces afterwards.

    Examples
    --------
    >>> people = Interests.from_lists({name: ["tea", "jazz"] for name in "abcdef"})
    >>> done = maintain(people, events="rounds:20", verify="every", seed=1)
    >>> len(done.events), int(done.present.sum()) == int(done.nodes[-1])
    (20, True)
    """
    _check(strategy, options, rebuild_every, algorithm, algorithm_options, verify)
    at_first, happening = find_events(events, interests, seed=seed)
    if present is not None:
        at_first = np.array(present, dtype=np.bool_)
        if at_first.shape != (interests.node_count,):
            raise ParameterError(
                f"present has {at_first.size} values; expected one for each of the "
                f"{interests.node_count} nodes"
            )
    happening.check(at_first, interests.node_names)
    if overlay is not None:
        _check_overlay(interests, overlay, at_first, verify)
    arguments = {
        "gossamer's version": __version__,
        "the subscriptions": _digest(
            interests.node_offsets, interests.node_topics, interests.node_names.tolist(),
            interests.topic_names.tolist(),
        ),
        "the links": "none" if overlay is None else _digest(overlay.links),
        "the events": _digest(happening.times, happening.nodes, happening.joins, at_first),
        "the strategy": _words(strategy, options),
        "the rebuilding": _words(algorithm, algorithm_options, every=rebuild_every)
        if rebuild_every
        else "none",
        "the seed": str(seed),
    }  # fmt: skip
    folder = None if out is None else Path(out)
    with Record.opened(folder, arguments) as record:
        run = _Run(interests, happening, at_first, record, strategy, dict(options or {}), seed)
        run.rebuild_every = rebuild_every or 0
        run.algorithm, run.algorithm_options = algorithm, dict(algorithm_options or {})
        run.verify, run.progress = verify, progress or silent
        done = run.go(overlay, save_every)
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
        strategy: str,
        options: dict[str, Any],
        seed: int,
    ) -> None:
        self.interests, self.events, self.record = interests, events, record
        self.at_first = present
        self.present = np.array(present)
        self.strategy, self.options, self.seed = strategy, options, seed
        self.ids = {name: node for node, name in enumerate(interests.node_names.tolist())}
        self.links: set[tuple[int, int]] = set()
        self.degrees = np.zeros(interests.node_count, dtype=np.int64)

    def go(self, overlay: Overlay | None, save_every: float) -> Maintenance:
        """Do what is left to do."""
        maintainer, resumed = self._maintainer(overlay)
        record, events = self.record, self.events
        if resumed < len(events):
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
            self.interests, events, self.strategy, self.seed, self.at_first, self.present,
            record.start, self._overlay(), rounds, milliseconds, changes, resumed,
        )  # fmt: skip

    def _maintainer(self, overlay: Overlay | None) -> tuple[Maintainer, int]:
        """Return who keeps the overlay in order, as it is after the rounds that were recorded."""
        record, interests = self.record, self.interests
        if record.start is None:
            self.progress("starting", 0.0)
            maintainer = self._made(overlay)
            record.begin(maintainer.overlay)
        start = record.start
        assert start is not None
        self.links = set(map(tuple, start.links.tolist()))
        self.degrees = np.array(start.degrees)
        for _, _, linked, low, high in record.changes:
            self._do((low, high), bool(linked))
        done = len(record.rounds)
        for node, joins in zip(self.events.nodes[:done], self.events.joins[:done], strict=True):
            self.present[node] = joins
        if overlay is None and not done:
            self._verify_start(interests, start)
        maintainer = self._made(self._overlay())
        maintainer.restore(record.state)
        return maintainer, done

    def _made(self, overlay: Overlay | None) -> Maintainer:
        return Maintainer(
            self.interests,
            overlay,
            strategy=self.strategy,
            present=np.array(self.present),
            seed=self.seed,
            progress=self.progress,
            **self.options,
        )

    def _warm_up(self) -> None:
        """Let kernels be compiled or loaded on a toy, so that no event's time has that in it."""
        toy = Interests.from_ids(
            [0, 1, 2, 2, 3], [0, 0, 0, 1, 1], node_names=4, topic_names=2
        )  # fmt: skip
        maintainer = Maintainer(toy, strategy=self.strategy, seed=self.seed, **self.options)
        for _ in maintainer.apply([2, 2], [False, True]):
            pass

    def _verify_start(self, interests: Interests, start: Overlay) -> None:
        pieces = pieces_of_topics(interests, start, self.present)
        assert (pieces <= 1).all(), "the overlay that was built is not topic-connected"

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

    def _take(self, change: Mended, number: int, *, rebuilt: bool) -> tuple[int, int]:
        """Write down what is to be done: first what connects, then what is given up."""
        for pairs, linked in ((change.links, True), (change.unlinks, False)):
            for one, other in pairs.tolist():
                low, high = min(one, other), max(one, other)
                self._do((low, high), linked)
                self.record.changes.append((number, int(rebuilt), int(linked), low, high))
        return len(change.links), len(change.unlinks)

    def _by_id(self, change: Change) -> Mended:
        links, unlinks = (
            np.array([(self.ids[one], self.ids[other]) for one, other in pairs], dtype=np.int32)
            for pairs in change
        )
        return Mended(links.reshape(-1, 2), unlinks.reshape(-1, 2))

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
        raise GossamerError(
            f"after {done:,} of {len(self.events):,} events {self.strategy} {wrong}, although it "
            "promises not to; that is a bug in gossamer, and no links were written"
        )


def _check(
    strategy: str,
    options: Mapping[str, Any] | None,
    rebuild_every: int | None,
    algorithm: str,
    algorithm_options: Mapping[str, Any] | None,
    verify: str,
) -> None:
    find_strategy(strategy).options.check(options or {})
    if verify not in ("every", "end", "never"):
        raise ParameterError(f"verify is {verify!r}; expected every, end or never")
    if rebuild_every is not None and rebuild_every < 1:
        raise ParameterError(f"rebuild_every is {rebuild_every}; expected 1 or more")
    found = find_algorithm(algorithm)
    found.options.check(algorithm_options or {})
    if rebuild_every and not found.topic_connected:
        raise ParameterError(
            f"{algorithm} does not promise that topics are connected; expected an algorithm that "
            "does, to rebuild by"
        )


def _check_overlay(
    interests: Interests, overlay: Overlay, present: NDArray[np.bool_], verify: str
) -> None:
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes and the interests have "
            f"{interests.node_count}; expected one designed for these interests"
        )
    check_ends(interests, overlay, present)
    pieces = pieces_of_topics(interests, overlay, present)
    if (pieces <= 1).all():
        return
    said = f"the links leave {said_of_pieces(interests, pieces)} at the start"
    if verify == "never":
        warnings.warn(f"{said}; they may stay so", stacklevel=3)
        return
    raise OverlayError(
        f"{said}; expected every topic connected among those there: design links for them first, "
        "or verify never to go on all the same"
    )


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}\n".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part, ensure_ascii=True).encode())
    return digest.hexdigest()[:32]


def _words(name: str, options: Mapping[str, Any] | None, **more: Any) -> str:
    return json.dumps([name, dict(sorted({**(options or {}), **more}.items()))])
