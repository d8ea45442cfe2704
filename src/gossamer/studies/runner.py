"""Runner of studies: every instance of every point that the figures need, once.

Runs that the store holds are not repeated.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from gossamer.errors import ParameterError, StudyError
from gossamer.progress import Progress, silent
from gossamer.studies.comparison import MIN_INSTANCES, Runs, compare_figure
from gossamer.studies.engine import EngineName, Run, StudyRunner
from gossamer.studies.registry import find_study, studies
from gossamer.studies.replication import planned_instances, wider_points
from gossamer.studies.results_table import StoredRun
from gossamer.studies.schema import Study
from gossamer.studies.store import ResultStore
from gossamer.studies.study_result import StudyResult
from gossamer.studies.variants import needed_tables, quick_study, with_tables

Compute = Literal["needed", "missing", "none"]


def reproduce(
    study: Study | str,
    figures: Sequence[str] | None = None,
    *,
    instances: int | None = None,
    precision: float | None = None,
    compute: Compute = "needed",
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
        Number of seeded instances of each point. By default the study's own, or ten for points of
        up to 500 nodes, five up to 4,000, and three beyond; one in a quick run.
    precision
        Adds instances until half the 95 % confidence interval of each mean is at most this share
        of the largest mean of its column, or a point has 30.
    compute
        ``needed``: what is missing, or was computed by older code. ``missing``: only the former;
        results of older code are shown as such, without a verdict. ``none``: nothing.
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
        ``memory``: one run after the other in this process. ``processes``: one process for each
        core. ``spark``: Spark tasks. ``auto``: Spark if its arguments are given, otherwise
        processes if more than eight runs are missing.
    session, master, settings
        A ``SparkSession``, or the arguments of :func:`gossamer.pipeline.spark_session`.

    Raises
    ------
    ParameterError
        If there is no such study, figure, engine or data folder, or a number is out of range.
    StudyError
        If results cannot be stored, or come from a worker with another version of the code.
    EngineError
        If Spark was asked for and does not start, or fails.
    """
    chosen = find_study(study) if isinstance(study, str) else study
    with StudyRunner(engine, session, master, settings) as runner:
        job = _Job(chosen, figures or (), instances, precision, compute, quick, data)
        return job.result(runner, store, progress or silent)


def reproduce_all(
    *,
    progress: Progress | None = None,
    store: Path | None = None,
    instances: int | None = None,
    precision: float | None = None,
    compute: Compute = "needed",
    quick: bool = False,
    data: Path | None = None,
    engine: EngineName = "auto",
    session: Any = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterable[StudyResult]:
    """Yield the results of all studies; the parameters are those of :func:`reproduce`."""
    chosen = list(studies().values())
    report = progress or silent
    with StudyRunner(engine, session, master, settings) as runner:
        for place, study in enumerate(chosen):

            def within(stage: str, done: float, place: int = place) -> None:
                report(stage, (place + done) / len(chosen))

            job = _Job(study, (), instances, precision, compute, quick, data)
            yield job.result(runner, store, within)


@dataclass
class _Job:
    """A study to run, and how."""

    study: Study
    figures: Sequence[str]
    instances: int | None
    precision: float | None
    compute: Compute
    quick: bool
    data: Path | None

    def __post_init__(self) -> None:
        if self.instances is not None and operator.index(self.instances) < 1:
            raise ParameterError(f"instances is {self.instances}; expected 1 or more")
        if self.precision is not None and not self.precision > 0:
            raise ParameterError(f"precision is {self.precision}; expected more than 0")
        if self.compute not in get_args(Compute):
            listed = ", ".join(get_args(Compute))
            raise ParameterError(f"compute is {self.compute!r}; expected {listed}")

    def result(self, runner: StudyRunner, store: Path | None, report: Progress) -> StudyResult:
        """Run what is needed, and compare."""
        names = tuple(self.study.find_figure(name).name for name in self.figures)
        chosen, without = _select(self.study, names, self.quick, self.data)
        results = _Results(self.study, chosen, store)
        planned = planned_instances(chosen, instances=self.instances, quick=self.quick)
        results.compute(runner, planned, self.compute, report)
        while self.precision is not None and self.compute != "none":
            wider = wider_points(chosen, results.runs(planned), self.precision)
            if not wider:
                break
            planned |= wider
            results.compute(runner, planned, self.compute, report)
        results.merge()
        if self.instances is None and not self.quick:
            planned = results.all_instances(planned)
        runs = results.runs(planned)
        compared = tuple(compare_figure(one, runs, quick=self.quick) for one in chosen.figures)
        report(chosen.name, 1.0)
        return StudyResult(
            chosen, compared, results.outdated, names, without, self.quick, self.study,
            sum(one.seconds for one in runs.values()),
        )  # fmt: skip


class _Results:
    """The stored runs of the chosen figures."""

    def __init__(self, whole: Study, chosen: Study, store: Path | None) -> None:
        self.study = chosen
        self.digests = {name: chosen.digest(point) for name, point in chosen.points.items()}
        self.store = ResultStore(store, chosen.name)
        self.outdated = 0
        small = _quick_figures(whole)
        self.points = {**whole.points, **small.points}
        self.measures = {
            name: whole.measures.get(name, {}) | small.measures.get(name, {})
            for name in self.points
        }
        self.done = 0.0

    def compute(
        self, runner: StudyRunner, planned: Mapping[str, int], compute: Compute, report: Progress
    ) -> None:
        """Run what is missing, one instance of every point before the next."""
        rounds = range(max(planned.values(), default=0))
        needed = [(point, k) for k in rounds for point in self.digests if k < planned[point]]
        missing = [run for run in needed if self._current(run) is None]
        older = {run for run in missing if self.store.newest(*run) is not None}
        if compute == "missing":
            missing = [run for run in missing if run not in older or self._older(run) is None]
        if compute == "none" or not missing:
            return
        self.outdated += sum(run in older for run in missing)
        done = len(needed) - len(missing)
        name = self.study.name
        self._report(report, f"{name}: {missing[0][0]}", done / len(needed))
        with closing(runner.runs(self.study, missing, self._current)) as finished:
            for run in finished:
                if run.digest != self.digests[run.point]:
                    raise StudyError(
                        f"a result for {run.point} comes from another version of the code; "
                        "install the same one on all workers"
                    )
                self.store.add(self._shown(run))
                done += 1
                self._report(report, f"{name}: {run.point}", done / len(needed))

    def runs(self, planned: Mapping[str, int]) -> dict[str, Runs]:
        """Return the measurements of each point: of the present code, or older ones besides."""
        found = {}
        for point in self.digests:
            instances = [(point, k) for k in range(planned[point])]
            current = [run for one in instances if (run := self._current(one)) is not None]
            both = [run for one in instances if (run := self._current(one) or self._older(one))]
            whole = len(current) == len(both) or len(current) >= MIN_INSTANCES
            kept = current if whole else both
            seconds = sum(run.seconds for run in kept)
            found[point] = Runs([run.measurements for run in kept], whole, seconds)
        return found

    def all_instances(self, planned: Mapping[str, int]) -> dict[str, int]:
        """Return the number of stored instances of each point, if that is more than planned."""
        found = dict(planned)
        for point in found:
            while self._current((point, found[point])) is not None:
                found[point] += 1
        return found

    def merge(self) -> None:
        """Write the table of stored runs."""
        self.store.merge(self.points)

    def _report(self, report: Progress, stage: str, share: float) -> None:
        self.done = max(self.done, share)  # more instances may be needed than at first
        report(stage, self.done)

    def _current(self, run: Run) -> StoredRun | None:
        found = self.store.find(*run, self.digests[run[0]])
        return found if found is not None and self._is_whole(found) else None

    def _older(self, run: Run) -> StoredRun | None:
        found = self.store.newest(*run)
        return found if found is not None and self._is_whole(found) else None

    def _is_whole(self, run: StoredRun) -> bool:
        """Whether a run has all that the figures show; they may have changed since."""
        return self.measures[run.point].keys() <= run.measurements.keys()

    def _shown(self, run: StoredRun) -> StoredRun:
        """Return a run with the measurements that figures show."""
        shown = {
            name: run.measurements.get(name, 0.0) if may_miss else run.measurements[name]
            for name, may_miss in self.measures[run.point].items()
        }
        return StoredRun(run.point, run.instance, run.digest, shown, run.seconds)


def _quick_figures(study: Study) -> Study:
    """Return the study of a quick run, with all figures that it has."""
    figures = [small for one in study.figures if (small := one.quick()) is not None]
    return quick_study(replace(study, figures=tuple(figures)))


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
    if quick or len(figures) < len(study.figures):
        study = replace(study, figures=tuple(figures))
    if quick:
        study = _quick_figures(study)
    return (study if data is None else with_tables(study, data)), left_out
