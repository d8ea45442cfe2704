"""Runs of candidates: each designs an overlay for each seed, is timed and assessed.

A candidate that fails gives a row with the reason, so that the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gossamer import quality
from gossamer.definitions import describe, describe_failure, is_own
from gossamer.design.completion import complete_overlay
from gossamer.design.registry import Algorithm
from gossamer.design.verified_design import broken_promise
from gossamer.errors import Stopped
from gossamer.experiments.candidates import Candidate
from gossamer.experiments.comparison_row import MEASURED, ComparisonRow, Distribution, Run
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent
from gossamer.quality.registry import Metric


@dataclass(frozen=True)
class Trial:
    """What to measure of each candidate.

    Attributes
    ----------
    interests
        Subscriptions.
    bound
        Lower bound of the links.
    seeds
        Seeds of the runs, the same for all candidates.
    metrics
        Own metrics, by name.
    keep_overlays
        Whether the overlays stay in the rows.
    """

    interests: Interests
    bound: quality.LowerBound
    seeds: Sequence[int] = (0,)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    keep_overlays: bool = False


@dataclass(frozen=True)
class MeasuredRun:
    """A run, or the reason why there is none."""

    run: Run | None = None
    error: str = ""
    problems: tuple[str, ...] = ()
    degrees: Distribution = field(default_factory=dict)
    diameters: Distribution = field(default_factory=dict)
    overlay: Overlay | None = None


def measure_candidates(
    candidates: Sequence[Candidate],
    trial: Trial,
    *,
    progress: Progress,
    session: Any = None,
) -> Iterator[tuple[int, ComparisonRow]]:
    """Run candidates, in this process or as Spark tasks, and yield each row when it is done.

    Yields
    ------
    tuple
        Position of a candidate, and its row.
    """
    if session is not None:
        yield from _measure_on_spark(candidates, trial, progress, session)
        return
    steps = len(candidates) * len(trial.seeds)
    for place, candidate in enumerate(candidates):
        load_kernels(candidate.algorithm, candidate.options)
        measured = []
        for number, seed in enumerate(trial.seeds):
            step = place * len(trial.seeds) + number
            part = part_of(progress, _titled(candidate.label, seed, trial), step, steps)
            measured.append(_measure(candidate, seed, trial, part))
            if measured[-1].error:
                break
        yield place, _row(candidate, measured, trial)


def part_of(progress: Progress, label: str, place: int, count: int) -> Progress:
    """Return the progress of one of several candidates."""

    def part(stage: str, done: float) -> None:
        progress(f"{label}: {stage}", (place + min(max(done, 0.0), 1.0)) / count)

    return part


def _titled(label: str, seed: int, trial: Trial) -> str:
    return label if len(trial.seeds) == 1 else f"{label}, seed {seed}"


def _measure_on_spark(
    candidates: Sequence[Candidate], trial: Trial, progress: Progress, session: Any
) -> Iterator[tuple[int, ComparisonRow]]:
    from gossamer.pipeline.map_tasks import check_picklable, map_tasks

    for candidate in candidates:
        check_picklable(candidate, candidate.label)
    for name, metric in trial.metrics.items():
        check_picklable(metric, name)
    tasks = [(place, seed) for place in range(len(candidates)) for seed in range(len(trial.seeds))]
    items = [(candidates[place], trial.seeds[number]) for place, number in tasks]
    progress(f"{len(candidates)} algorithms on Spark", 0.0)
    found: dict[int, dict[int, MeasuredRun]] = {}
    run = partial(_measure_task, trial=trial)
    done = enumerate(map_tasks(session, run, items, per_task=1), start=1)
    for count, (at, measured) in done:
        place, number = tasks[at]
        of_candidate = found.setdefault(place, {})
        of_candidate[number] = measured
        candidate, seed = items[at]
        progress(f"{_titled(candidate.label, seed, trial)}: done", count / len(items))
        if len(of_candidate) == len(trial.seeds):
            in_order = [of_candidate[number] for number in range(len(trial.seeds))]
            yield place, _row(candidate, in_order, trial)


def _measure_task(item: tuple[Candidate, int], *, trial: Trial) -> MeasuredRun:
    candidate, seed = item
    load_kernels(candidate.algorithm, candidate.options)
    return _measure(candidate, seed, trial, silent)


def load_kernels(
    algorithm: Algorithm, options: Mapping[str, Any], *, start: Overlay | None = None
) -> None:
    """Load the kernels of an algorithm by a run on a tiny instance, so that this is not timed.

    Parameters
    ----------
    algorithm, options
        Algorithm and its options, ``resilient`` included.
    start
        Links that will be kept, if there are any.
    """
    tiny = _tiny()
    # Some options do not fit so small an instance; kernels are then loaded while timed.
    with suppress(Exception, SystemExit):
        algorithm(tiny, seed=0, **options)
        if start is not None:
            none = np.empty((0, 2), dtype=np.int64)
            complete_overlay(tiny, Overlay.from_links(tiny.node_count, none))


def _measure(candidate: Candidate, seed: int, trial: Trial, progress: Progress) -> MeasuredRun:
    """Design an overlay, and measure it."""
    interests = trial.interests
    try:
        start = time.perf_counter()
        overlay = candidate.algorithm(interests, seed=seed, progress=progress, **candidate.options)
        seconds = time.perf_counter() - start
        repeated = _repeats(candidate, overlay, seed, trial)
    except Stopped:
        raise
    except (Exception, SystemExit) as fault:
        return MeasuredRun(error=describe_failure(fault))
    found = quality.assess(interests, overlay, lower_bound=trial.bound, progress=progress)
    row = ComparisonRow.of("", found, seconds, ratio_to_lower_bound=found.ratio)
    measures: dict[str, float | None] = {name: getattr(row, name) for name in MEASURED}
    broken = broken_promise(
        candidate.algorithm,
        candidate.options,
        disconnected=found.topics - found.topics_connected,
        diameter=found.max_diameter,
    )
    problems = [broken] if broken else []
    if not repeated:
        problems.append(
            f"{describe(candidate.algorithm.design)}: another overlay when it runs again with the "
            "same seed; expected all randomness to come from the seed"
        )
    for name, metric in trial.metrics.items():
        measures[name] = None
        try:
            measures[name] = metric(interests, overlay, found)
        except Stopped:
            raise
        except (Exception, SystemExit) as fault:
            problems.append(f"{name} could not be measured: {describe_failure(fault)}")
    return MeasuredRun(
        Run(seed, measures),
        problems=tuple(problems),
        degrees=_counts(overlay.degrees),
        diameters=_counts(found.topic_diameters[interests.popularity >= 2]),
        overlay=overlay if trial.keep_overlays else None,
    )


def _repeats(candidate: Candidate, overlay: Overlay, seed: int, trial: Trial) -> bool:
    """Whether a function of a plug-in designs the same overlay again with the same seed.

    It is asked once, for the first of several seeds.
    """
    algorithm = candidate.algorithm
    if candidate.protocol or is_own(algorithm.design) or len(trial.seeds) == 1:
        return True
    if seed != trial.seeds[0]:
        return True
    return algorithm(trial.interests, seed=seed, **candidate.options) == overlay


def _row(candidate: Candidate, measured: Sequence[MeasuredRun], trial: Trial) -> ComparisonRow:
    """Return the row of the runs of a candidate; one failed run makes it a failure."""
    topics = trial.interests.topic_count
    seeds: dict[str, list[str]] = {}
    for seed, one in zip(trial.seeds, measured, strict=False):
        if one.error:
            error = one.error + _with_seeds([str(seed)], trial)
            return ComparisonRow.of_failure(candidate.label, error, topics=topics)
        for text in one.problems:
            seeds.setdefault(text, []).append(str(seed))
    problems = [text + _with_seeds(found, trial) for text, found in seeds.items()]
    return ComparisonRow.of_runs(
        candidate.label,
        [one.run for one in measured if one.run is not None],
        topics=topics,
        degrees=measured[0].degrees,
        diameters=measured[0].diameters,
        problem="; ".join(problems),
        overlays=tuple(one.overlay for one in measured if one.overlay is not None),
    )


def _with_seeds(seeds: Sequence[str], trial: Trial) -> str:
    """Return the seeds of an error, unless there is only one in any case."""
    if len(trial.seeds) == 1:
        return ""
    return f", with seed{'s' * (len(seeds) > 1)} {', '.join(seeds)}"


def _counts(values: Any) -> Distribution:
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _tiny() -> Interests:
    """Return twelve nodes with three of six topics each: enough to compile every kernel."""
    return Interests.from_lists(
        {node: [(node + step) % 6 for step in (0, 1, 3)] for node in range(12)}
    )
