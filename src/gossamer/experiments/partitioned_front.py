"""The front of a table that one process should not hold: designs in parts, on Spark.

Each candidate is a design job and an assessment job in a folder of its own, which go on
where they were after an interruption; its row is kept beside them as on one machine, and so is
the lower bound, up to a size that the driver can hold.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gossamer import pipeline
from gossamer.errors import ParameterError
from gossamer.experiments.candidates import sweep
from gossamer.experiments.checkpoint import Checkpoint
from gossamer.experiments.comparison import (
    Candidate,
    Comparison,
    ComparisonRow,
    Origin,
    parse_candidates,
    versions,
)
from gossamer.experiments.comparison_folder import check_folder
from gossamer.experiments.pareto_front import Front
from gossamer.progress import Progress, silent

__all__ = [
    "MAX_IN_MEMORY",
    "PARTITIONED",
    "count_subscriptions",
    "partitioned_candidates",
    "partitioned_front",
]

PARTITIONED: dict[str, tuple[int, ...]] = {"bounded-radius": (6, 8, 12), "partitioned-merge": ()}
"""The algorithms that :func:`gossamer.pipeline.design` can carry out in parts, and at what radii
where nobody says: each takes minutes for a million nodes."""

MAX_IN_MEMORY = 3_000_000
"""Subscriptions up to which a front on Spark is one task a candidate, each with all interests."""


MAX_BOUNDED = 100_000_000
"""Subscriptions up to which there is a lower bound: the driver holds them for it, in some 4 GB."""


def count_subscriptions(subscriptions: str, session: Any, **reading: Any) -> int:
    """Return the rows of a table of subscriptions, repeated ones included."""
    return int(pipeline.subscriptions_in(session, subscriptions, **reading).count())


def partitioned_candidates(
    algorithms: Sequence[str] | None = None, *, radii: Sequence[int] | None = None
) -> list[Candidate]:
    """Choose what is designed in parts: what was asked for, or all that can be.

    Raises
    ------
    ParameterError
        If something was asked for that works in memory only.
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
                f"{candidate.label} works in memory, and a table of more than "
                f"{MAX_IN_MEMORY:,} subscriptions is designed in parts; what can be is "
                f"{', '.join(PARTITIONED)}. Or take a part of the table: gossamer sample"
            )
    return found


def partitioned_front(
    subscriptions: str,
    keep: str | os.PathLike[str],
    candidates: Sequence[Candidate],
    *,
    session: Any,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Front:
    """Design a table in parts with each candidate, measure the overlays, and judge them.

    Parameters
    ----------
    subscriptions
        As :func:`gossamer.pipeline.design` takes them.
    keep
        A folder for the work and the results; the links of each candidate stay there.
    candidates
        What :func:`partitioned_candidates` chose.
    session
        Where to run.
    seed
        Settles every random choice.
    progress
        Told what is being done and how far it is.
    reading
        ``node``, ``topic`` and ``delimiter``: how to read a table given itself.
    """
    tell = progress or silent
    place = check_folder(keep)
    kept = Checkpoint(place, _digest(subscriptions, seed, reading))
    count = count_subscriptions(subscriptions, session, **reading)
    if kept.bound is None and count <= MAX_BOUNDED:
        folder = os.fspath(place / "lower-bound")
        kept.keep_bound(
            pipeline.lower_bound(subscriptions, folder, session=session, progress=tell, **reading)
        )
    bound = 0.0 if kept.bound is None else kept.bound.mean_degree
    for at, candidate in enumerate(candidates):
        if candidate.label in kept.rows:
            continue

        def told(stage: str, done: float, at: int = at, label: str = candidate.label) -> None:
            tell(f"{label}: {stage}", (at + min(max(done, 0.0), 1.0)) / len(candidates))

        kept.keep(_run(candidate, subscriptions, place, session, seed, told, reading))
    rows = tuple(_beside(kept.rows[candidate.label], bound) for candidate in candidates)
    return Front(
        Comparison(
            nodes=_nodes(rows),
            topics=rows[0].topics,
            subscriptions=count,
            lower_bound=bound,
            rows=rows,
            origin=Origin(title="The degree–diameter front", seed=seed, versions=versions()),
        ),
        bound_method="" if kept.bound is None else kept.bound.method,
        left_out={
            "all others": f"a table of more than {MAX_IN_MEMORY:,} subscriptions is designed in "
            f"parts, which {', '.join(PARTITIONED)} can be"
        },
    )


def _run(
    candidate: Candidate,
    subscriptions: str,
    place: Path,
    session: Any,
    seed: int,
    progress: Progress,
    reading: dict[str, Any],
) -> ComparisonRow:
    """Design and measure with one candidate, in its own folder."""
    folder = os.fspath(place / re.sub(r"[^A-Za-z0-9.=-]+", "_", candidate.label))
    # Where a design in parts has options, pipeline.design takes algorithm and options too.
    chosen: dict[str, Any] = {}
    if candidate.algorithm.name != "partitioned-merge":
        chosen = {"algorithm": candidate.algorithm.name, "options": dict(candidate.options)}
    designed = pipeline.design(
        subscriptions, folder, seed=seed, session=session, progress=progress, **chosen, **reading
    )
    found = pipeline.assess(
        subscriptions, folder, out=folder, session=session, progress=progress, **reading
    )
    return ComparisonRow(
        algorithm=candidate.label,
        mean_degree=found.mean_degree,
        max_degree=found.max_degree,
        p95_degree=found.percentile_95_degree,
        links=found.links,
        topics_connected=found.topics_connected,
        topics=found.topics,
        max_diameter=found.max_topic_diameter,
        mean_diameter=found.mean_topic_diameter,
        seconds=sum(designed.phases.values()),
        ratio_to_lower_bound=None,
    )


def _beside(row: ComparisonRow, bound: float) -> ComparisonRow:
    """Return a row with its ratio to the bound, if there is one for it."""
    ratio = row.mean_degree / bound if bound and row.topic_connected else None
    return replace(row, ratio_to_lower_bound=ratio)


def _nodes(rows: Sequence[ComparisonRow]) -> int:
    """Return how many nodes there are, of rows that were kept: links over mean degree."""
    row = rows[0]
    return round(2 * row.links / row.mean_degree) if row.mean_degree else 0


def _digest(subscriptions: str, seed: int, reading: dict[str, Any]) -> str:
    signature = pipeline.Folder.at(subscriptions).signature()
    text = f"{signature} {seed} {sorted(reading.items())}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
