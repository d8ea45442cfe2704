"""Running a study: every instance of every point that its artefacts need, once.

A single run is a pure function of (study, point, instance) by name, so it can be
carried out anywhere; here they run one after the other. Runs that the store
already holds are taken from there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from pathlib import Path

from gossamer.model import ParameterError
from gossamer.model.progress import Progress, silent
from gossamer.studies.comparison import StudyResult, compare_artefact
from gossamer.studies.frame import Measurements, Study
from gossamer.studies.registry import find_study
from gossamer.studies.store import ResultStore, StoredRun

__all__ = ["reproduce", "run_instance", "run_named"]


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
    artefacts: Sequence[str] | None = None,
    *,
    instances: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
) -> StudyResult:
    """Run a study, or some artefacts of it, and compare the results with the paper's.

    Every result is stored as soon as it is there; asked again after an interruption,
    or for more instances or artefacts, only what is missing is run.

    Parameters
    ----------
    study
        A study or its name.
    artefacts
        Names such as ``table-1``; all if not given.
    instances
        How many seeded instances of each point; the study's own number if not given.
    store
        The folder where results are kept; nowhere if not given.
    progress
        Called as runs finish.
    """
    chosen = find_study(study) if isinstance(study, str) else study
    names = [artefact.name for artefact in chosen.artefacts] if artefacts is None else artefacts
    shown = [chosen.find_artefact(name) for name in dict.fromkeys(names)]
    count = chosen.instances if instances is None else operator.index(instances)
    if count < 1:
        raise ParameterError(f"instances is {count}; expected 1 or more")
    needed = list(dict.fromkeys(row.point for artefact in shown for row in artefact.rows))
    results = ResultStore(store, chosen.name)
    tell = progress or silent
    runs: dict[str, list[Measurements]] = {}
    for place, point in enumerate(needed):
        digest = chosen.digest(chosen.find_point(point))
        runs[point] = []
        for instance in range(count):
            tell(f"{chosen.name}: {point}", (place * count + instance) / (len(needed) * count))
            run = results.find(point, instance, digest)
            if run is None:
                run = run_instance(chosen, point, instance)
                results.add(run)
            runs[point].append(run.measurements)
    tell(chosen.name, 1.0)
    return StudyResult(chosen, count, tuple(compare_artefact(artefact, runs) for artefact in shown))
