"""Where the runs of studies are computed: in this process one by one, or as Spark tasks.

A run is a pure function of study, point and instance, so it can be carried out anywhere.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, get_args

from gossamer.errors import EngineError, ParameterError
from gossamer.studies.registry import find_study
from gossamer.studies.results_table import StoredRun, rounded
from gossamer.studies.schema import Point, Study

EngineName = Literal["auto", "memory", "spark"]
MAX_MEMORY_RUNS = 8
"""Largest number of missing runs for which ``auto`` does not start Spark."""

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
        ``memory``, ``spark``, or ``auto``; see :func:`gossamer.studies.reproduce`.
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
        if engine == "memory" and of_spark:
            raise ParameterError("session, master and settings are about Spark; engine is 'memory'")
        self._wants_spark = engine == "spark" or of_spark
        self._may_start = engine == "auto"
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
        session = self._spark() if self._uses_spark(len(missing)) else None
        tasks = [(study, study.find_point(point), instance) for point, instance in missing]
        if session is None:
            for run, task in zip(missing, tasks, strict=True):
                yield stored(run) or _run(task)
            return
        from gossamer.pipeline import map_tasks

        light = replace(study, figures=())  # a task needs its point alone
        sent = [(light, point, instance) for _, point, instance in tasks]
        with closing(map_tasks(session, _run, sent)) as finished:
            for _, found in finished:
                yield found

    def _uses_spark(self, count: int) -> bool:
        return self._wants_spark or (self._may_start and count > MAX_MEMORY_RUNS)

    def _spark(self) -> Any:
        """Return a session; None if Spark is unavailable and was not asked for."""
        if self._session is not None:
            return self._session
        if not self._wants_spark and importlib.util.find_spec("pyspark") is None:
            return None
        from gossamer.pipeline import spark_session

        session, master, settings = self._arguments
        try:
            self._session = self._stack.enter_context(
                spark_session(session, master=master, settings=settings)
            )
        except EngineError:
            if self._wants_spark:
                raise
            self._may_start = False
        return self._session
