"""Comparison of our measurements with published values.

A cell agrees if the mean over its instances is within the column's tolerance of the published
value. The reason for a difference comes from the study; a difference without one is unexplained.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar

from gossamer.errors import StudyError
from gossamer.results import Result, Table, columns_of
from gossamer.studies.schema import Column, Figure, Measurements, Row, Study
from gossamer.studies.statement import Statement


class Verdict(StrEnum):
    """Outcome of the comparison of a cell."""

    AGREES = "agrees within tolerance"
    DIFFERS = "differs"
    OURS_ONLY = "not in the paper"


@dataclass(frozen=True)
class Cell:
    """One measurement at one point over all instances, and the published value.

    ``spread`` is the standard deviation over instances (n - 1 in the denominator; 0 for a single
    instance), ``difference`` is ``(mean - paper) / |paper|``.
    """

    figure: str
    row: str
    column: str
    measure: str
    instances: int
    mean: float
    spread: float
    minimum: float
    maximum: float
    paper: float | None
    tolerance: float | None
    difference: float | None
    verdict: Verdict
    reason: str
    counted: bool


@dataclass(frozen=True, repr=False)
class FigureResult(Result):
    """Cells of a figure or table, row by row, and its statements with their outcomes."""

    BRIEF: ClassVar = ("figure", "values", "agreeing", "differing")

    figure: Figure
    cells: tuple[Cell, ...]
    statements: tuple[tuple[Statement, bool], ...] = ()

    def row(self, label: str) -> tuple[Cell, ...]:
        """Return the cells of a row, in the order of the columns."""
        return tuple(cell for cell in self.cells if cell.row == label)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of values by name."""
        return {
            "figure": self.figure.name,
            "values": len(self.cells),
            "agreeing": self.count(Verdict.AGREES),
            "differing": self.count(Verdict.DIFFERS),
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"cells": lambda: _cells_table(self.cells), "statements": self._statements}

    def record(self) -> dict[str, Any]:
        """Return the summary, title, cells and statements by name."""
        tables = {name: self.to_arrow(name).to_pylist() for name in ("cells", "statements")}
        return {**self.summary(), "title": self.figure.title, **tables}

    def _statements(self) -> dict[str, list[Any]]:
        return {
            "text": [one.text for one, _ in self.statements],
            "holds": [held for _, held in self.statements],
        }

    def count(self, verdict: Verdict) -> int:
        """Return the number of counted cells with this verdict."""
        return sum(cell.counted and cell.verdict is verdict for cell in self.cells)


@dataclass(frozen=True, repr=False)
class StudyResult(Result):
    """Results of the figures of a study that were run.

    Attributes
    ----------
    study
        The study as it was run.
    instances
        Number of instances of each point.
    figures
        Results of the figures.
    outdated
        Number of stored results of another version of the code, which were computed again.
    selected
        Names of the figures asked for; empty for all.
    left_out
        Names of the figures that were not run because their tables were not given.
    quick
        Whether this is a quick run.
    """

    BRIEF: ClassVar = ("study", "instances", "values", "agreeing", "differing")

    study: Study
    instances: int
    figures: tuple[FigureResult, ...]
    outdated: int = field(default=0, compare=False)
    selected: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    quick: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of all figures."""
        return tuple(cell for result in self.figures for cell in result.cells)

    def count(self, verdict: Verdict) -> int:
        """Return the number of counted cells with this verdict."""
        return sum(result.count(verdict) for result in self.figures)

    @property
    def agreement(self) -> str:
        """Numbers of agreeing values and of statements that hold, in words."""
        agreeing = self.count(Verdict.AGREES)
        compared = agreeing + self.count(Verdict.DIFFERS)
        values = "value agrees" if compared == 1 else "values agree"
        outcomes = [held for result in self.figures for _, held in result.statements]
        parts = []
        if compared or not outcomes:
            parts.append(f"{agreeing} of {compared} published {values} within tolerance")
        if outcomes:
            parts.append(f"{sum(outcomes)} of {len(outcomes)} statements hold")
        return "; ".join(parts)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of values by name."""
        return {
            "study": self.study.name,
            "instances": self.instances,
            "values": len(self.cells),
            "agreeing": self.count(Verdict.AGREES),
            "differing": self.count(Verdict.DIFFERS),
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"cells": lambda: _cells_table(self.cells)}

    @property
    def remarks(self) -> list[str]:
        """Results computed again, figures left out, and the agreement, each in a sentence."""
        lines = []
        if self.outdated:
            are, were = ("result is", "was") if self.outdated == 1 else ("results are", "were")
            lines.append(
                f"{self.outdated:,} stored {are} of another version of the code and {were} "
                "computed again"
            )
        if self.left_out:
            lines.append(f"left out, because they need --data: {', '.join(self.left_out)}")
        return [*lines, self.agreement]


def _cells_table(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    names = [one.name for one in fields(Cell)]
    return columns_of([asdict(cell) for cell in cells], names)


def compare_figure(
    figure: Figure, runs: Mapping[str, Sequence[Measurements]], *, quick: bool = False
) -> FigureResult:
    """Compare a figure with the measurements of all instances of its points, by point name.

    Statements without values are left out of a ``quick`` run, and an error otherwise.
    """
    cells = []
    seen: dict[str, dict[str, float]] = {column.title: {} for column in figure.columns}
    for row in figure.rows:
        for column in figure.columns:
            point = row.point_of(column)
            if point is None:
                continue
            values = [_value(run, column, row) for run in runs[point.name]]
            cell = _cell(figure, row, column, values)
            cells.append(cell)
            seen[column.title][row.label] = cell.mean
    statements = []
    for statement in figure.statements:
        try:
            statements.append((statement, statement.evaluate(seen)))
        except StudyError:
            if not quick:
                raise
    return FigureResult(figure, tuple(cells), tuple(statements))


def _value(run: Measurements, column: Column, row: Row) -> float:
    if "*" in column.measure:  # measures that are 0 may be missing
        return run.get(column.measure.replace("*", row.label), 0.0)
    return run[column.measure]


def _cell(figure: Figure, row: Row, column: Column, values: Sequence[float]) -> Cell:
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    paper = row.paper.get(column.title)
    difference = None if paper is None else _relative_difference(mean, paper)
    verdict, reason = Verdict.OURS_ONLY, ""
    if difference is not None:
        assert column.tolerance is not None, f"{figure.name}: {column.title} has no tolerance"
        verdict = Verdict.AGREES if abs(difference) <= column.tolerance else Verdict.DIFFERS
    if verdict is Verdict.DIFFERS:
        reason = figure.explanation(row.label, column.measure)
    return Cell(
        figure=figure.name,
        row=row.label,
        column=column.title,
        measure=column.measure,
        instances=len(values),
        mean=mean,
        spread=math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0,
        minimum=min(values),
        maximum=max(values),
        paper=paper,
        tolerance=None if paper is None else column.tolerance,
        difference=difference,
        verdict=verdict,
        reason=reason,
        counted=row.counted,
    )


def _relative_difference(ours: float, paper: float) -> float:
    if paper == 0:
        return math.copysign(math.inf, ours) if ours else 0.0
    return (ours - paper) / abs(paper)
