"""Comparison of our measurements with published values.

A published value is reproduced if the 95 % confidence interval of our mean over instances reaches
it, with the precision to which it is known; otherwise it differs. A verdict needs three instances,
all of the present code. The causes of a difference come from the study.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from gossamer.confidence import confidence_interval
from gossamer.errors import StudyError
from gossamer.results import Result, Table, columns_of
from gossamer.studies.schema import Column, Figure, Measurements, Row
from gossamer.studies.statement import Cause, InstanceMean, Statement

MIN_INSTANCES = 3
"""Smallest number of instances on which a verdict rests."""


class Verdict(StrEnum):
    """Outcome of the comparison of a value or sentence of the paper with ours."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNTESTED = "cannot be tested here"
    PENDING = "not computed yet"
    OURS_ONLY = "not in the paper"


class Runs(NamedTuple):
    """Measurements of the instances of a point.

    Attributes
    ----------
    measurements
        Those of each instance, in order.
    is_current
        Whether all of them were measured by the present code.
    seconds
        Processor time of all of them.
    """

    measurements: Sequence[Measurements]
    is_current: bool = True
    seconds: float = 0.0


@dataclass(frozen=True)
class Cell:
    """One measurement at one point over all instances, and the published value.

    ``half_width`` is half the 95 % confidence interval of the mean over instances (None for a
    single instance), ``difference`` is ``(mean - paper) / |paper|``, ``setting`` the setting that
    was changed, and ``instead_of`` the row with the stated one. ``is_current`` says whether all
    instances were measured by the present code.
    """

    figure: str
    row: str
    column: str
    measure: str
    instances: int
    mean: float
    half_width: float | None
    minimum: float
    maximum: float
    paper: float | None
    difference: float | None
    verdict: Verdict
    is_current: bool
    setting: str
    instead_of: str
    causes: tuple[Cause, ...]


@dataclass(frozen=True)
class StatementResult:
    """A statement, whether our values satisfy it, and the verdict.

    ``holds`` is None if there are no values.
    """

    statement: Statement
    holds: bool | None
    verdict: Verdict


@dataclass(frozen=True, repr=False)
class FigureResult(Result):
    """Cells of a figure or table, row by row, and its statements with their outcomes.

    ``seconds`` is the processor time of the runs behind the cells.
    """

    BRIEF: ClassVar = ("figure", "values", "reproduced", "differing")

    figure: Figure
    cells: tuple[Cell, ...]
    statements: tuple[StatementResult, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def row(self, label: str) -> tuple[Cell, ...]:
        """Return the cells of a row, in the order of the columns."""
        return tuple(cell for cell in self.cells if cell.row == label)

    def count(self, verdict: Verdict) -> int:
        """Return the number of cells with this verdict."""
        return sum(cell.verdict is verdict for cell in self.cells)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of values by name."""
        return {
            "figure": self.figure.name,
            "values": len(self.cells),
            "reproduced": self.count(Verdict.REPRODUCED),
            "differing": self.count(Verdict.DIFFERS),
            "seconds": self.seconds,
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"cells": lambda: cells_table(self.cells), "statements": self._statements}

    def record(self) -> dict[str, Any]:
        """Return the summary, title, cells and statements by name."""
        tables = {name: self.to_arrow(name).to_pylist() for name in ("cells", "statements")}
        return {**self.summary(), "title": self.figure.title, **tables}

    def _statements(self) -> dict[str, list[Any]]:
        return {
            "text": [one.statement.text for one in self.statements],
            "holds": [one.holds for one in self.statements],
            "verdict": [one.verdict.value for one in self.statements],
        }


def cells_table(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    """Return the cells as columns."""
    names = [one.name for one in fields(Cell)]
    rows = [
        {**asdict(cell), "verdict": cell.verdict.value, "causes": [one.text for one in cell.causes]}
        for cell in cells
    ]
    return columns_of(rows, names)


def compare_figure(
    figure: Figure, runs: Mapping[str, Runs], *, quick: bool = False
) -> FigureResult:
    """Compare a figure with the measurements of all instances of its points, by point name.

    A point without runs has no cells. No verdict rests on a ``quick`` run, which also leaves out
    statements without values; otherwise such a statement is an error, unless points lack runs.
    """
    cells = []
    seen: dict[str, dict[str, float]] = {column.title: {} for column in figure.columns}
    incomplete = set()
    for row in figure.rows:
        for column in figure.columns:
            point = row.point_of(column)
            if point is None:
                continue
            found = runs.get(point.name, Runs(()))
            if not found.measurements:
                incomplete.add(column.title)
                continue
            values = [_value(run, column, row) for run in found.measurements]
            decides = len(values) >= MIN_INSTANCES and found.is_current and not quick
            cell = _cell(figure, row, column, values, found.is_current, decides)
            cells.append(cell)
            seen[column.title][row.label] = InstanceMean(cell.mean, values, decides)
    statements = []
    for statement in figure.statements:
        try:
            holds, decides = statement.outcome(seen, incomplete)
        except StudyError:
            if not quick and not incomplete:
                raise
            if not quick:
                statements.append(StatementResult(statement, None, Verdict.PENDING))
            continue
        verdict = Verdict.REPRODUCED if holds else Verdict.DIFFERS
        statements.append(
            StatementResult(statement, holds, verdict if decides else Verdict.PENDING)
        )
    seconds = math.fsum(runs[name].seconds for name in figure.points if name in runs)
    return FigureResult(figure, tuple(cells), tuple(statements), seconds)


def _value(run: Measurements, column: Column, row: Row) -> float:
    if "*" in column.measure:  # measures that are 0 may be missing
        return run.get(column.measure.replace("*", row.label), 0.0)
    return run[column.measure]


def _cell(
    figure: Figure,
    row: Row,
    column: Column,
    values: Sequence[float],
    is_current: bool,
    decides: bool,
) -> Cell:
    mean, half_width, count = confidence_interval(values)
    paper = row.paper.get(column.title)
    verdict, causes = Verdict.OURS_ONLY, tuple[Cause, ...]()
    if paper is not None:
        assert column.reading is not None, f"{figure.name}: {column.title} has no reading"
        low, high = column.reading.around(paper)
        reached = mean - (half_width or 0.0) <= high and mean + (half_width or 0.0) >= low
        verdict = Verdict.REPRODUCED if reached else Verdict.DIFFERS
        verdict = verdict if decides else Verdict.PENDING
    if verdict is Verdict.DIFFERS:
        causes = figure.causes_of(row.label, column.measure)
    return Cell(
        figure=figure.name,
        row=row.label,
        column=column.title,
        measure=column.measure,
        instances=count,
        mean=mean,
        half_width=half_width,
        minimum=min(values),
        maximum=max(values),
        paper=paper,
        difference=None if paper is None else _relative_difference(mean, paper),
        verdict=verdict,
        is_current=is_current,
        setting=row.setting,
        instead_of=row.instead_of,
        causes=causes,
    )


def _relative_difference(ours: float, paper: float) -> float:
    if paper == 0:
        return math.copysign(math.inf, ours) if ours else 0.0
    return (ours - paper) / abs(paper)
