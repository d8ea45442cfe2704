"""A study of squares and a task that fails, in a light module: worker processes import it."""

from __future__ import annotations

import os

from gossamer.errors import ParameterError
from gossamer.studies import Cause, Column, Figure, Point, Reading, Row, Study
from gossamer.studies.schema import Measurements, Parameters

__all__ = ["LARGE", "SMALL", "TOY", "calls", "fail_at"]

calls: list[int] = []
"""Seeds of the runs in this process."""


def measure_square(parameters: Parameters, seed: int) -> Measurements:
    calls.append(seed)
    side = float(parameters["side"])
    return {"area": side * side + seed % 3 - 1, "edge": 4 * side}


def fail_at(task: int) -> int:
    """Return twice the task; 3 raises an error, and a negative task ends the process."""
    if task == 3:
        raise ParameterError("three")
    if task < 0:
        os._exit(task)
    print("a task may print")
    return 2 * task


SMALL, LARGE = Point("small", {"side": 10}), Point("large", {"side": 20})
TOY = Study(
    name="toy",
    title="On Squares",
    reference="Euclid, Alexandria",
    run=measure_square,
    universe=("side",),
    figures=(
        Figure(
            "table-1",
            "Table I: area",
            "Square",
            (Column("Area", "area", Reading(0.05)), Column("Edge | ours", "edge")),
            (Row("10", {"": SMALL}, {"Area": 100.0}), Row("20", {"": LARGE}, {"Area": 500.0})),
            (Cause("A misprint.", rows=("20",)),),
            ("Squares of whole sides.",),
        ),
        Figure(
            "table-2",
            "Table II: edge",
            "Square",
            (Column("Edge", "edge", Reading(0.0)),),
            (Row("10", {"": SMALL}, {"Edge": 40.0}), Row("20", {"": LARGE}, {"Edge": 81.0})),
        ),
    ),
    instances=4,
    notes=("A note.",),
)
