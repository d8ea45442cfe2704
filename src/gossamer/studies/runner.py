"""Runner of studies: every instance of every point that the figures need, once.

A run is a pure function of study, point and instance, all given by name, so it can be carried out
anywhere: in this process, or as a Spark task. Runs that the store holds are not repeated.
"""

from __future__ import annotations

import importlib.util
import math
import operator
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from gossamer.errors import EngineError, ParameterError, StudyError
from gossamer.progress import Progress, silent
from gossamer.studies.comparison import Runs, compare_figure
from gossamer.studies.registry import find_study
from gossamer.studies.replication import planned_instances
from gossamer.studies.schema import Point, Study
from gossamer.studies.store import ResultStore, StoredRun
from gossamer.studies.study_result import StudyResult
from gossamer.studies.variants import needed_tables, quick_study, with_tables

EngineName = Literal["auto", "memory", "spark"]
MAX_MEMORY_RUNS = 8
"""Largest number of missing runs for which ``auto`` does not start Spark."""

Run = tuple[str, int]
"""A point and an instance."""


def run_instance(study: Study, point: str, instance: int) -> StoredRun:
    """Run one instance of a point, given by name; equal arguments give equal results."""
    return _run(study, study.find_point(point), instance)


def run_named(study: str, point: str, instance: int) -> StoredRun:
    """Run one instance of a point of a registered study."""
    return run_instance(find_study(study), point, instance)


def _run(study: Study, point: Point, instance: int) -> StoredRun:
    measurements = study.run(point.parameters, study.seed(point, instance))
    for measure, value in measurements.items():
        assert math.isfinite(value), f"{study.name}, {point.name}: {measure} is {value}"
    return StoredRun(study.name, point.name, instance, study.digest(point), measurements)


def reproduce(
    study: Study | str,
    figures: Sequence[str] | None = None,
    *,
    instances: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
    quick: bool = False,
    data: Path | None = None,
    engine: EngineName = "auto",
    session: Any = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> StudyResult:
    """Run a study, or some of its figures, and compare the results with published values.

    Each result is stored at once. A second call, after an interruption or for more instances or
    figures, runs only what is missing. Several processes may share a store. The results are the
    same wherever they are computed.

    Parameters
    ----------
    study
        Study, or its name.
    figures
        Names such as ``table-1`` or ``7(a)``; all figures by default.
    instances
        Number of seeded instances of each point; by default the study's own.
    store
        Folder of the stored results; without one they are kept in memory.
    progress
        Callback, called after each run.
    quick
        Whether to run smaller sizes than the paper's.
    data
        Folder with the tables of real data that some figures need, each in a folder of its name as
        ``gossamer ingest`` writes it. Without it these figures are left out.
    engine
        ``memory``: one run after the other in this process. ``spark``: Spark tasks. ``auto``:
        Spark, if it is available and more than eight runs are missing, or if Spark's arguments are
        given.
    session, master, settings
        A ``SparkSession``, or the arguments of :func:`gossamer.pipeline.spark_session`.

    Raises
    ------
    ParameterError
        If there is no such study, figure, engine or data folder, or ``instances`` is below 1.
    StudyError
        If results cannot be stored, or come from a worker with another version of the code.
    EngineError
        If Spark was asked for and does not start, or fails.
    """
    whole = chosen = find_study(study) if isinstance(study, str) else study
    names = tuple(chosen.find_figure(name).name for name in figures or ())
    chosen, without = _select(chosen, names, quick, data)
    if instances is not None and operator.index(instances) < 1:
        raise ParameterError(f"instances is {instances}; expected 1 or more")
    planned = planned_instances(chosen, instances=instances, quick=quick)
    if engine not in get_args(EngineName):
        raise ParameterError(f"engine is {engine!r}; expected {', '.join(get_args(EngineName))}")
    of_spark = session is not None or master is not None or bool(settings)
    if engine == "memory" and of_spark:
        raise ParameterError("session, master and settings are about Spark; engine is 'memory'")
    digests = {name: chosen.digest(point) for name, point in chosen.points.items()}
    rounds = range(max(planned.values(), default=0))
    needed = [(point, k) for k in rounds for point in digests if k < planned[point]]
    results = ResultStore(store, chosen.name)
    missing = [run for run in needed if results.find(*run, digests[run[0]]) is None]
    outdated = sum(results.has_another(*run) for run in missing)
    report = progress or silent
    with ExitStack() as stack:
        running = None
        if engine == "spark" or (engine == "auto" and (of_spark or len(missing) > MAX_MEMORY_RUNS)):
            running = _spark(stack, engine == "spark" or of_spark, session, master, settings)
        finished = (
            _in_turn(chosen, missing, results, digests)
            if running is None
            else _on_spark(running, chosen, missing)
        )
        stack.enter_context(closing(finished))
        done = len(needed) - len(missing)
        if missing:
            report(f"{chosen.name}: {missing[0][0]}", done / len(needed))
        for run in finished:
            if run.digest != digests[run.point]:
                raise StudyError(
                    f"a result for {run.point} comes from another version of the code; install "
                    "the same one on all workers"
                )
            results.add(run)
            done += 1
            report(f"{chosen.name}: {run.point}", done / len(needed))
    report(chosen.name, 1.0)
    runs = {
        point: Runs(
            [_found(results, point, k, digests[point]).measurements for k in range(planned[point])]
        )
        for point in digests
    }
    compared = tuple(compare_figure(figure, runs, quick=quick) for figure in chosen.figures)
    return StudyResult(chosen, compared, outdated, names, without, quick, whole)


def _select(
    study: Study, names: Sequence[str], quick: bool, data: Path | None
) -> tuple[Study, tuple[str, ...]]:
    """Return the study with the figures to run alone, and the names of those left out."""
    if data is not None and not data.is_dir():
        raise ParameterError(f"data (--data) is {data}; expected a folder of tables")
    figures = [one for one in study.figures if not names or one.name in names]
    tables = {one.name: needed_tables(one) for one in figures} if data is None else {}
    left_out = tuple(name for name, needed in tables.items() if needed)
    if left_out and names:
        listed = ", ".join(sorted({table for name in left_out for table in tables[name]}))
        raise ParameterError(
            f"{', '.join(left_out)}: run on tables that are not given; expected a folder of data "
            f"(--data) with {listed} in it, as gossamer ingest writes them"
        )
    figures = [one for one in figures if one.name not in left_out]
    if quick:
        figures = [small for one in figures if (small := one.quick()) is not None]
    if quick or len(figures) < len(study.figures):
        study = replace(study, figures=tuple(figures))
    if quick:
        study = quick_study(study)
    return (study if data is None else with_tables(study, data)), left_out


def _in_turn(
    study: Study, missing: Sequence[Run], results: ResultStore, digests: Mapping[str, str]
) -> Generator[StoredRun, None, None]:
    """Run one after the other, except those that another process has stored meanwhile."""
    for point, instance in missing:
        stored = results.find(point, instance, digests[point])
        yield run_instance(study, point, instance) if stored is None else stored


def _on_spark(
    session: Any, study: Study, missing: Sequence[Run]
) -> Generator[StoredRun, None, None]:
    """Run as Spark tasks, in no particular order."""
    from gossamer.pipeline import map_tasks

    light = replace(study, figures=())  # a task needs its point alone
    tasks = [(light, study.find_point(point), instance) for point, instance in missing]
    with closing(map_tasks(session, _run_task, tasks)) as finished:
        for _, run in finished:
            yield run


def _run_task(task: tuple[Study, Point, int]) -> StoredRun:
    return _run(*task)


def _spark(
    stack: ExitStack,
    asked: bool,
    session: Any,
    master: str | None,
    settings: Mapping[str, str] | None,
) -> Any:
    """Return a session; None if Spark is unavailable and was not asked for."""
    if not asked and importlib.util.find_spec("pyspark") is None:
        return None
    from gossamer.pipeline import spark_session

    try:
        return stack.enter_context(spark_session(session, master=master, settings=settings))
    except EngineError:
        if asked:
            raise
        return None


def _found(results: ResultStore, point: str, instance: int, digest: str) -> StoredRun:
    run = results.find(point, instance, digest)
    assert run is not None, f"{point}, {instance} was not run"
    return run
