"""Options of ``gossamer reproduce``: replication of the runs, and where they are computed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from gossamer.cli.option_groups import option
from gossamer.cli.options import SparkOptions


class StudyEngine(StrEnum):
    """Where the experiments run."""

    auto = "auto"
    memory = "memory"
    processes = "processes"
    spark = "spark"


class ComputeMode(StrEnum):
    """Which runs are computed."""

    needed = "needed"
    missing = "missing"
    none = "none"


@dataclass(frozen=True)
class StudyEngineOptions(SparkOptions):
    """Memory of this process, or a Spark session and its settings."""

    PANEL: ClassVar = "Engine"

    engine: Annotated[
        StudyEngine,
        option(
            "memory: one run after the other in this process. processes: one process for each "
            "core. spark: Spark tasks. auto: processes if more than eight runs are missing, spark "
            "if its options are given."
        ),
    ] = StudyEngine.auto


@dataclass(frozen=True)
class ReplicationOptions:
    """Number of runs, and which of them are computed."""

    PANEL: ClassVar = "Replication"

    instances: Annotated[
        int | None,
        option(
            "Number of instances, each with its own seed, of each parameter setting (default: the "
            "study's, or 10, 5 or 3 by the number of nodes).",
            min=1,
        ),
    ] = None
    precision: Annotated[
        float | None,
        option(
            "Add instances until half the width of each 95 % confidence interval is at most this "
            "share, as in 0.02, of the largest mean in its column.",
            min=0.0001,
        ),
    ] = None
    compute: Annotated[
        ComputeMode,
        option(
            "needed: compute results that are missing or of older code. missing: only missing "
            "ones; results of older code get no verdict. none: report on stored results."
        ),
    ] = ComputeMode.needed

    @property
    def chosen(self) -> dict[str, Any]:
        """Arguments of :func:`gossamer.studies.reproduce`."""
        return {
            "instances": self.instances,
            "precision": self.precision,
            "compute": self.compute.value,
        }
