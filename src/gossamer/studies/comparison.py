"""Ours beside the paper's: the summary of a cell over its instances, and a verdict.

A cell agrees when the mean over instances is within the column's tolerance of the
paper's value. Where it is not, the reason comes with the study; a difference
without one is shown as unexplained. Rendering is in the reproduction report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gossamer.errors import StudyError
from gossamer.studies.schema import Column, Figure, Measurements, Row, Statement, Study

__all__ = ["Cell", "FigureResult", "StudyResult", "Verdict", "compare_figure"]


class Verdict(StrEnum):
    """How a cell compares with the paper."""

    AGREES = "agrees within tolerance"
    DIFFERS = "differs"
    OURS_ONLY = "not in the paper"


@dataclass(frozen=True)
class Cell:
    """One measurement at one point, over all instances, beside the paper's value.

    ``spread`` is the standard deviation over instances (n - 1 in the denominator; 0
    for a single instance); ``difference`` is (mean - paper) / |paper|.
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

    @property
    def verdict_text(self) -> str:
        """The verdict, with the reason for a difference."""
        if self.verdict is Verdict.DIFFERS:
            return f"differs: {self.reason or 'unexplained'}"
        return str(self.verdict)


@dataclass(frozen=True)
class FigureResult:
    """A table or figure with all its cells, row by row."""

    figure: Figure
    cells: tuple[Cell, ...]
    statements: tuple[tuple[Statement, bool], ...] = ()

    def row(self, label: str) -> tuple[Cell, ...]:
        """Return the cells of a row, in the order of the columns."""
        return tuple(cell for cell in self.cells if cell.row == label)

    def count(self, verdict: Verdict) -> int:
        """Return how many of the cells that count have that verdict."""
        return sum(cell.counted and cell.verdict is verdict for cell in self.cells)


@dataclass(frozen=True)
class StudyResult:
    """A study with the results of the figures that were asked for.

    ``outdated`` is how many stored results were of another version of the code, and so were
    computed again on the way; ``left_out`` are figures that were not run, for want of data;
    ``quick`` says that it is a first look.
    """

    study: Study
    instances: int
    figures: tuple[FigureResult, ...]
    outdated: int = field(default=0, compare=False)
    left_out: tuple[str, ...] = ()
    quick: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of all figures."""
        return tuple(cell for result in self.figures for cell in result.cells)

    def count(self, verdict: Verdict) -> int:
        """Return how many of the cells that count have that verdict."""
        return sum(result.count(verdict) for result in self.figures)

    @property
    def agreement(self) -> str:
        """How many of the published values agree, in words."""
        agreeing = self.count(Verdict.AGREES)
        compared = agreeing + self.count(Verdict.DIFFERS)
        values = "value agrees" if compared == 1 else "values agree"
        said = [held for result in self.figures for _, held in result.statements]
        words = f"{sum(said)} of {len(said)} statements hold" if said else ""
        numbers = f"{agreeing} of {compared} published {values} within tolerance"
        return "; ".join(part for part in (numbers if compared or not said else "", words) if part)


def compare_figure(
    figure: Figure, runs: Mapping[str, Sequence[Measurements]], *, quick: bool = False
) -> FigureResult:
    """Compare a figure or table with the measurements of all instances of its points.

    A ``quick`` figure leaves out the statements about rows that it does not have.
    """
    cells = []
    seen: dict[str, dict[str, float]] = {column.title: {} for column in figure.columns}
    for row in figure.rows:
        for column in figure.columns:
            point = row.point_of(column)
            if not point:
                continue
            cell = _cell(figure, row, column, [_value(run, column, row) for run in runs[point]])
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
    if "*" in column.measure:  # of many, only those that are not 0 are kept
        return run.get(column.measure.replace("*", row.label), 0.0)
    return run[column.measure]


def _cell(figure: Figure, row: Row, column: Column, values: Sequence[float]) -> Cell:
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    paper = row.paper_of(column)
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
