"""The Pareto front of a table that is too large for one process: partitioned designs on Spark.

Each candidate has a design job and an assessment job in its own folder, which resume after
an interruption. Its row and the lower bound are in the checkpoint of the front.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gossamer import pipeline
from gossamer.errors import ParameterError
from gossamer.experiments.candidates import Candidate, parse_candidates, sweep
from gossamer.experiments.checkpoint import Checkpoint
from gossamer.experiments.comparison import Comparison, ComparisonRow, Origin
from gossamer.experiments.comparison_folder import check_folder
from gossamer.experiments.measurement import part_of
from gossamer.experiments.pareto_front import FRONT_TITLE, Front, front
from gossamer.model import Interests
from gossamer.progress import Progress, silent

PARTITIONED: dict[str, tuple[int, ...]] = {"bounded-radius": (6, 8, 12), "partitioned-merge": ()}
"""Algorithms with a partitioned design, and their default radii: each takes minutes for a million
nodes."""

MAX_IN_MEMORY = 3_000_000
"""Subscriptions up to which each task of a front on Spark holds all interests."""

MAX_BOUNDED = 100_000_000
"""Subscriptions up to which there is a lower bound; the driver holds them in about 4 GB."""

WAY_OUT = "Or take a part of the table: gossamer sample"


def front_of_table(
    subscriptions: str,
    read: Callable[[], Interests],
    algorithms: Sequence[str] | None = None,
    *,
    session: Any,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
    seed: int = 0,
    save: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Front:
    """Return the front of a table on Spark: partitioned if the table is too large for memory.

    Parameters
    ----------
    subscriptions
        Table of subscriptions, as :func:`gossamer.pipeline.design` takes it.
    read
        Reads the table in memory.
    algorithms, radii, rho, protocols, seed, save, progress, session
        As in :func:`gossamer.front`. A partitioned front has neither ``rho`` nor ``protocols``,
        and needs ``save``.
    reading
        ``node``, ``topic`` and ``delimiter`` of the table.

    Raises
    ------
    ParameterError
        If something was asked for that works in memory only, or there is no folder.
    """
    (progress or silent)("counting subscriptions", 0.0)
    count = _count(subscriptions, session, reading)
    if count <= MAX_IN_MEMORY:
        return front(
            read(), algorithms, radii=radii, rho=rho, protocols=protocols, seed=seed, save=save,
            progress=progress, session=session,
        )  # fmt: skip
    large = f"{subscriptions} has {count:,} subscriptions and its design is partitioned"
    if rho or protocols:
        raise ParameterError(f"{large}; rho and protocols work in memory. {WAY_OUT}")
    candidates = partitioned_candidates(algorithms, radii=radii)
    if save is None:
        raise ParameterError(f"{large}; give a folder for the work, as in --save work")
    return partitioned_front(
        subscriptions, save, candidates, session=session, seed=seed, progress=progress, **reading
    )


def partitioned_candidates(
    algorithms: Sequence[str] | None = None, *, radii: Sequence[int] | None = None
) -> list[Candidate]:
    """Choose the candidates of a partitioned front.

    Raises
    ------
    ParameterError
        If an algorithm works in memory only.
    """
    texts = list(algorithms or ())
    if algorithms is None:
        for name, usual in PARTITIONED.items():
            texts += sweep(name, "radius", usual if radii is None else ()) if usual else [name]
    texts += sweep("bounded-radius", "radius", radii or ())
    found = parse_candidates(texts)
    for candidate in found:
        if candidate.algorithm.name not in PARTITIONED:
            raise ParameterError(
                f"{candidate.label} works in memory, and the design of a table of more than "
                f"{MAX_IN_MEMORY:,} subscriptions is partitioned; expected "
                f"{' or '.join(PARTITIONED)}. {WAY_OUT}"
            )
    return found


def partitioned_front(
    subscriptions: str,
    save: str | os.PathLike[str],
    candidates: Sequence[Candidate],
    *,
    session: Any,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Front:
    """Return the front of partitioned designs of a table.

    Parameters
    ----------
    subscriptions
        Table of subscriptions, as :func:`gossamer.pipeline.design` takes it.
    save
        Folder of the work and the results; the links of each candidate stay there.
    candidates
        Result of :func:`partitioned_candidates`.
    session
        ``SparkSession`` of the jobs.
    seed
        Seed of the random number generator.
    progress
        Called with the stage and the share of the work that is done.
    reading
        ``node``, ``topic`` and ``delimiter`` of the table.
    """
    progress = progress or silent
    place = check_folder(save)
    signature = pipeline.Folder.at(subscriptions).signature()
    digest = hashlib.sha256(f"{signature} {seed} {sorted(reading.items())}".encode())
    checkpoint = Checkpoint(place, digest.hexdigest()[:16])
    count = _count(subscriptions, session, reading)
    common: dict[str, Any] = {"session": session, **reading}
    if checkpoint.bound is None and count <= MAX_BOUNDED:
        folder = os.fspath(place / "lower-bound")
        checkpoint.add_bound(
            pipeline.lower_bound(subscriptions, folder, progress=progress, **common)
        )
    bound = 0.0 if checkpoint.bound is None else checkpoint.bound.mean_degree
    for at, candidate in enumerate(candidates):
        if candidate.label not in checkpoint.rows:
            part = part_of(progress, candidate.label, at, len(candidates))
            checkpoint.add(_run(candidate, subscriptions, place, seed, part, common))
    rows = tuple(
        replace(
            row,
            ratio_to_lower_bound=row.mean_degree / bound if bound and row.topic_connected else None,
        )
        for row in (checkpoint.rows[candidate.label] for candidate in candidates)
    )
    first = rows[0]
    return Front(
        Comparison(
            nodes=round(2 * first.links / first.mean_degree) if first.mean_degree else 0,
            topics=first.topics,
            subscriptions=count,
            lower_bound=bound,
            rows=rows,
            origin=Origin.now(FRONT_TITLE, "", seed),
        ),
        bound_method="" if checkpoint.bound is None else checkpoint.bound.method,
        left_out={
            "all others": f"the design of a table of more than {MAX_IN_MEMORY:,} subscriptions is "
            f"partitioned, by {' or '.join(PARTITIONED)}"
        },
        partitioned=True,
    )


def _count(subscriptions: str, session: Any, reading: dict[str, Any]) -> int:
    """Return the number of rows of a table of subscriptions, repeated ones included."""
    return int(pipeline.subscriptions_in(session, subscriptions, **reading).count())


def _run(
    candidate: Candidate,
    subscriptions: str,
    place: Path,
    seed: int,
    progress: Progress,
    common: dict[str, Any],
) -> ComparisonRow:
    """Design and measure with one candidate, in its own folder."""
    folder = os.fspath(place / re.sub(r"[^A-Za-z0-9.=-]+", "_", candidate.label))
    chosen: dict[str, Any] = {}
    if candidate.algorithm.name != "partitioned-merge":
        chosen = {"algorithm": candidate.algorithm.name, "options": dict(candidate.options)}
    designed = pipeline.design(
        subscriptions, folder, seed=seed, progress=progress, **chosen, **common
    )
    found = pipeline.assess(subscriptions, folder, out=folder, progress=progress, **common)
    seconds = sum(designed.phases.values())
    return ComparisonRow.of(candidate.label, found, seconds, ratio_to_lower_bound=None)
