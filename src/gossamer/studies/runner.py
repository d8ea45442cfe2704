"""Running a study: every instance of every point that its figures need, once.

A single run is a pure function of (study, point, instance) by name, so it can be
carried out anywhere: here one after the other, or as Spark tasks. Runs that the
store already holds are taken from there.
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
from gossamer.studies.comparison import StudyResult, compare_figure
from gossamer.studies.preparation import needs_tables, shrunk, with_tables
from gossamer.studies.registry import find_study, studies
from gossamer.studies.schema import Figure, Study
from gossamer.studies.store import ResultStore, StoredRun

__all__ = ["EngineName", "reproduce", "run_instance", "run_named"]

EngineName = Literal["auto", "memory", "spark"]
FEW_RUNS = 8
"""So many missing runs are not worth starting Spark for."""

Run = tuple[str, int]
"""A point and an instance."""


def run_instance(study: Study, point: str, instance: int) -> StoredRun:
    """Run one instance of one point; the same arguments give the same result."""
    found = study.find_point(point)
    measurements = study.run(found.parameters, study.seed(point, instance))
    for measure, value in measurements.items():
        assert math.isfinite(value), f"{study.name}, {point}: {measure} is {value}"
    return StoredRun(study.name, point, instance, study.digest(found), measurements)


def run_named(study: str, point: str, instance: int) -> StoredRun:
    """Run one instance, everything given by name: what a remote task calls."""
    return run_instance(find_study(study), point, instance)


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
    """Run a study, or some figures of it, and compare the results with the paper's.

    Every result is stored as soon as it is there; asked again after an interruption,
    or for more instances or figures, only what is missing is run. Several may be at
    work on one store. The results are the same wherever they are computed.

    Parameters
    ----------
    study
        A study or its name.
    figures
        Names such as ``table-1``; all if not given.
    instances
        How many seeded instances of each point; the study's own number if not given.
    store
        The folder where results are kept; nowhere if not given.
    progress
        Called as runs finish.
    quick
        Only the rows that are marked for a first look: smaller ones than the paper's.
    data
        A folder with the tables of real data that some figures are run on, each in a folder
        of its name as ``gossamer ingest`` writes it. Without one these figures are left out.
    engine
        ``memory`` runs one after the other, in this process; ``spark`` runs them as Spark
        tasks; ``auto`` is ``spark`` where it is installed and starts, and more than eight
        runs are missing or something of Spark's is given.
    session, master, settings
        Where Spark runs: a ``SparkSession``, or how to start one; see
        :func:`gossamer.pipeline.spark_session`.

    Raises
    ------
    ParameterError
        If there is no such study, figure or engine, or ``instances`` is below 1.
    StudyError
        If results cannot be stored, or come from a worker with other code than this.
    EngineError
        If Spark was asked for, and is not installed or does not start; or it fails.
    """
    chosen = find_study(study) if isinstance(study, str) else study
    chosen, shown, without = _chosen(chosen, figures, quick, data)
    count = chosen.instances if instances is None else operator.index(instances)
    if count < 1:
        raise ParameterError(f"instances is {count}; expected 1 or more")
    if engine not in get_args(EngineName):
        raise ParameterError(f"engine is {engine!r}; expected {', '.join(get_args(EngineName))}")
    of_spark = session is not None or master is not None or bool(settings)
    if engine == "memory" and of_spark:
        raise ParameterError("session, master and settings are about Spark; engine is 'memory'")
    points = dict.fromkeys(point for figure in shown for point in figure.points())
    digests = {point: chosen.digest(chosen.find_point(point)) for point in points}
    needed = [(point, instance) for point in points for instance in range(count)]
    results = ResultStore(store, chosen.name)
    missing = [run for run in needed if results.find(*run, digests[run[0]]) is None]
    outdated = sum(results.has_another(*run) for run in missing)
    tell = progress or silent
    with ExitStack() as stack:
        running = None
        if engine == "spark" or (engine == "auto" and (of_spark or len(missing) > FEW_RUNS)):
            running = _spark(stack, engine == "spark" or of_spark, session, master, settings)
        finished = (
            _in_turn(chosen, missing, results, digests)
            if running is None
            else _on_spark(running, chosen, missing)
        )
        stack.enter_context(closing(finished))
        done = len(needed) - len(missing)
        if missing:
            tell(f"{chosen.name}: {missing[0][0]}", done / len(needed))
        for run in finished:
            if run.digest != digests[run.point]:
                raise StudyError(
                    f"a result for {run.point} comes from another version of the code; install "
                    "the same one on all workers"
                )
            results.add(run)
            done += 1
            tell(f"{chosen.name}: {run.point}", done / len(needed))
    tell(chosen.name, 1.0)
    runs = {
        point: [_found(results, point, k, digests[point]).measurements for k in range(count)]
        for point in points
    }
    compared = tuple(compare_figure(figure, runs, quick=quick) for figure in shown)
    return StudyResult(chosen, count, compared, outdated, without, quick)


def _chosen(
    study: Study, figures: Sequence[str] | None, quick: bool, data: Path | None
) -> tuple[Study, list[Figure], tuple[str, ...]]:
    """Return the study as it is to be run, what is shown of it, and what is left out."""
    names = [figure.name for figure in study.figures] if figures is None else figures
    named = [study.find_figure(name) for name in dict.fromkeys(names)]
    wanting = {one.name: needs_tables(study, one) for one in named}
    asked = [name for name, tables in wanting.items() if tables and figures is not None]
    if data is None and asked:
        listed = ", ".join(sorted({table for one in asked for table in wanting[one]}))
        raise ParameterError(
            f"{', '.join(asked)}: run on tables that are not given; expected a folder of data "
            f"(--data) with {listed} in it, as gossamer ingest writes them"
        )
    shown = [one for one in named if data is not None or not wanting[one.name]]
    left_out = tuple(one.name for one in named if one not in shown)
    if data is not None:
        study = with_tables(study, data, {point for one in shown for point in one.points()})
    if not quick:
        return study, shown, left_out
    shown = [small for one in shown if (small := one.quick()) is not None]
    if study.shrink is not None:
        study = shrunk(replace(study, figures=tuple(shown)))
        shown = list(study.figures)
    return study, shown, left_out


def _in_turn(
    study: Study, missing: Sequence[Run], results: ResultStore, digests: Mapping[str, str]
) -> Generator[StoredRun, None, None]:
    """Run one after the other, but for those that somebody else has stored by then."""
    for point, instance in missing:
        stored = results.find(point, instance, digests[point])
        yield run_instance(study, point, instance) if stored is None else stored


def _on_spark(
    session: Any, study: Study, missing: Sequence[Run]
) -> Generator[StoredRun, None, None]:
    """Run as Spark tasks, in no particular order."""
    from gossamer.pipeline import map_tasks

    # A study of the list travels by its name; any other is sent along.
    who = study.name if studies().get(study.name) is study else study
    items = [(who, point, instance) for point, instance in missing]
    with closing(map_tasks(session, _run_sent, items)) as finished:
        for _, run in finished:
            yield run


def _run_sent(item: tuple[Study | str, str, int]) -> StoredRun:
    study, point, instance = item
    if isinstance(study, str):
        return run_named(study, point, instance)
    return run_instance(study, point, instance)


def _spark(
    stack: ExitStack,
    asked: bool,
    session: Any,
    master: str | None,
    settings: Mapping[str, str] | None,
) -> Any:
    """Give a session; None if it was not asked for and cannot be had."""
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
