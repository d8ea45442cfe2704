"""Where the runs of studies are computed: in this process, in several processes, or on Spark.

A run is a pure function of study, point and instance, so it can be carried out anywhere.
"""

from __future__ import annotations

import math
import os
import pickle
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, get_args

from gossamer.errors import ParameterError
from gossamer.studies.processes import map_in_processes
from gossamer.studies.registry import find_study
from gossamer.studies.results_table import StoredRun, rounded
from gossamer.studies.schema import Point, Study

EngineName = Literal["auto", "memory", "processes", "spark"]
MAX_MEMORY_RUNS = 8
"""Largest number of missing runs for which ``auto`` starts no processes."""

Run = tuple[str, int]
"""A point and an instance."""


def run_instance(study: Study, point: str, instance: int) -> StoredRun:
    """Run one instance of a point, given by name; equal arguments give equal measurements."""
    return _run((study, study.find_point(point), instance))


def run_named(study: str, point: str, instance: int) -> StoredRun:
    """Run one instance of a point of a registered study."""
    return run_instance(find_study(study), point, instance)


def _run(task: tuple[Study, Point, int]) -> StoredRun:
    study, point, instance = task
    start = time.process_time()
    measurements = study.run(point.parameters, study.seed(point, instance))
    seconds = time.process_time() - start
    for measure, value in measurements.items():
        assert math.isfinite(value), f"{study.name}, {point.name}: {measure} is {value}"
    found = {measure: rounded(value) for measure, value in measurements.items()}
    return StoredRun(point.name, instance, study.digest(point), found, seconds)


class StudyRunner:
    """Computes runs; one Spark session serves all studies.

    Parameters
    ----------
    engine
        Name of an engine; see :func:`gossamer.studies.reproduce`.
    session, master, settings
        A ``SparkSession``, or the arguments of :func:`gossamer.pipeline.spark_session`.
    """

    def __init__(
        self,
        engine: EngineName = "auto",
        session: Any = None,
        master: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        if engine not in get_args(EngineName):
            raise ParameterError(
                f"engine is {engine!r}; expected {', '.join(get_args(EngineName))}"
            )
        of_spark = session is not None or master is not None or bool(settings)
        if engine not in ("auto", "spark") and of_spark:
            raise ParameterError(
                f"session, master and settings are about Spark; engine is {engine!r}"
            )
        self.engine: EngineName = "spark" if of_spark else engine
        self._arguments = (session, master, settings)
        self._session: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> StudyRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stack.__exit__(kind, fault, trace)

    def runs(
        self, study: Study, missing: Sequence[Run], stored: Callable[[Run], StoredRun | None]
    ) -> Generator[StoredRun, None, None]:
        """Yield the missing runs as they finish.

        Parameters
        ----------
        study
            The study.
        missing
            Points and instances.
        stored
            Finds a run that another process has stored meanwhile.
        """
        tasks = [(study, study.find_point(point), instance) for point, instance in missing]
        light = replace(study, figures=())  # a task needs its point alone
        sent = [(light, point, instance) for _, point, instance in tasks]
        if self.engine == "spark":
            yield from self._on_spark(sent)
        elif self._uses_processes(sent):
            with closing(map_in_processes(_run, sent, workers=_cores())) as finished:
                yield from finished
        else:
            for run, task in zip(missing, tasks, strict=True):
                yield stored(run) or _run(task)

    def _uses_processes(self, tasks: Sequence[object]) -> bool:
        if self.engine == "memory":
            return False
        if self.engine == "auto" and (len(tasks) <= MAX_MEMORY_RUNS or _cores() == 1):
            return False
        try:
            pickle.dumps(tasks[0])
        except (pickle.PicklingError, AttributeError, TypeError):  # a function of a function
            return False
        return True

    def _on_spark(self, tasks: Sequence[tuple[Study, Point, int]]) -> Iterator[StoredRun]:
        from gossamer.pipeline import map_tasks, spark_session

        if self._session is None:
            session, master, settings = self._arguments
            self._session = self._stack.enter_context(
                spark_session(session, master=master, settings=settings)
            )
        with closing(map_tasks(self._session, _run, tasks)) as finished:
            for _, found in finished:
                yield found


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
