"""What a study is: the experiments of one paper, as data beside a runner.

::

    Study                  one paper
    ├── points             parameters to run, each named; instances differ by seed
    ├── run                (parameters, seed) → measurements by name
    └── figures          its tables and figures
        ├── columns        which measurement stands in a column, and the tolerance
        ├── rows           which point stands in a row, and the paper's values
        ├── statements     what the paper says of it in words, and whether it holds
        ├── plot           how to draw it, if it is a figure
        └── explanations   why ours differ, where they do

A run gives every measurement of its point, so figures that show different
measures of one experiment share its runs. Nothing is run or compared here.
"""

from __future__ import annotations

import hashlib
from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import msgspec

from gossamer.errors import ParameterError, StudyError

__all__ = [
    "Column",
    "Explanation",
    "Figure",
    "Measurements",
    "Parameters",
    "Plot",
    "Point",
    "Row",
    "Seen",
    "Statement",
    "Study",
]

Parameters = Mapping[str, int | float | str]
Measurements = dict[str, float]
Runner = Callable[[Parameters, int], Measurements]

PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class Point:
    """Parameters to run, under a name that is unique in the study."""

    name: str
    parameters: Parameters


@dataclass(frozen=True)
class Column:
    """One measurement in a table.

    Attributes
    ----------
    title
        As the paper heads the column.
    measure
        The name of the measurement; a ``*`` in it stands for the row's label.
    tolerance
        The difference, relative to the paper's value, within which ours agrees;
        none for a column that the paper does not have.
    series
        Which of a row's points it shows, where a row has several.
    """

    title: str
    measure: str
    tolerance: float | None = None
    series: str = ""


@dataclass(frozen=True)
class Row:
    """One point in a table, with the paper's values by measure (some may be missing).

    A row that shows published values once more, under another reading of the paper, is
    not ``counted`` among those that agree or differ. Where columns are of different runs,
    ``points`` has one for each series, and the paper's values go by column title. A row
    that is not ``quick`` is left out of a first look. ``x`` is its place in a plot.
    """

    label: str
    point: str = ""
    paper: Mapping[str, float] = field(default_factory=dict)
    counted: bool = True
    points: Mapping[str, str] = field(default_factory=dict)
    quick: bool = True
    x: float | None = None

    def point_of(self, column: Column) -> str | None:
        """Return the point that a column shows in this row, None if it shows none."""
        return self.points.get(column.series) if self.points else self.point

    def paper_of(self, column: Column) -> float | None:
        """Return the paper's value for a column, None if there is none."""
        by_title = self.paper.get(column.title)
        return self.paper.get(column.measure) if by_title is None else by_title


@dataclass(frozen=True)
class Explanation:
    """Why ours differ: in these rows and columns, or in all where none are named."""

    text: str
    rows: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    def covers(self, row: str, measure: str) -> bool:
        """Whether it speaks of this cell."""
        return (not self.rows or row in self.rows) and (
            not self.measures or measure in self.measures
        )


Seen = Mapping[str, Mapping[str, float]]
"""Our means: by column title, and in it by row label, in the order of the rows."""


@dataclass(frozen=True)
class Statement:
    """What the paper says in words.

    Attributes
    ----------
    text
        The paper's words, or their sense in brackets.
    holds
        Whether ours agree, from the means that were seen; rows may be missing.
    reason
        Why it does not hold, where it does not.
    """

    text: str
    holds: Callable[[Seen], bool]
    reason: str = ""

    def evaluate(self, seen: Seen) -> bool:
        """Return whether it holds; an error where it names no column, or reads no value at all."""
        read: list[float] = []
        held = self.holds(_Columns({title: _Values(line, read) for title, line in seen.items()}))
        if not read:
            raise StudyError(f"no values to evaluate this statement with: {self.text}")
        return held


class _Values(UserDict[str, float]):
    """One column's means, which notes the values that a statement reads."""

    def __init__(self, values: Mapping[str, float], read: list[float]) -> None:
        super().__init__(values)
        self.read = read

    def __getitem__(self, label: str) -> float:
        value = super().__getitem__(label)
        self.read.append(value)
        return value


class _Columns(UserDict[str, "_Values"]):
    """All columns of a figure or table; asking for one that it does not have is an error."""

    def __missing__(self, title: str) -> _Values:
        raise StudyError(f"there is no column {title!r}; there are {', '.join(self)}")

    def get(self, title: str, default: object = None) -> _Values:
        return self[title]


@dataclass(frozen=True)
class Plot:
    """How to draw a figure or table: rows along the x axis, a line for each column.

    Drawn are the first ``columns`` of them; if that is 0, those of the first one's measure. The
    y axis starts at 0, or where ``close`` at what there is to see.
    """

    x_title: str
    y_title: str
    log_x: bool = False
    columns: int = 0
    close: bool = False


@dataclass(frozen=True)
class Figure:
    """A table or a figure of the paper.

    Attributes
    ----------
    name
        As written on the command line: ``table-1``.
    title
        The paper's caption.
    row_title
        What the rows differ in.
    columns, rows
        What stands where.
    explanations
        Where ours differ, the first that covers the cell is given as the reason.
    notes
        What a reader of the table should know besides.
    statements
        What the paper says of it in words.
    plot
        How to draw it, if it is a figure.
    """

    name: str
    title: str
    row_title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    plot: Plot | None = None

    def points(self, rows: Sequence[Row] | None = None) -> list[str]:
        """Return the points that it, or some of its rows, needs."""
        found = (
            row.point_of(column)
            for row in (self.rows if rows is None else rows)
            for column in self.columns
        )
        return list(dict.fromkeys(point for point in found if point))

    def quick(self) -> Figure | None:
        """Return the figure with its quick rows alone, None if it has none."""
        rows = tuple(row for row in self.rows if row.quick)
        return replace(self, rows=rows) if rows else None

    def explanation(self, row: str, measure: str) -> str:
        """Return the reason given for a difference in a cell; empty if there is none."""
        for candidate in self.explanations:
            if candidate.covers(row, measure):
                return candidate.text
        return ""


@dataclass(frozen=True)
class Study:
    """The experiments of one paper.

    Attributes
    ----------
    name
        As written on the command line: ``td-cd-oda``.
    title, reference
        The paper's title, and where it appeared.
    points
        All parameter points of all figures.
    run
        A module-level function of a point's parameters and a seed, and of nothing
        else: equal arguments give equal, finite measurements on any machine.
    figures
        The tables and figures.
    instances
        How many seeded instances of each point are run unless told otherwise.
    code
        Files and packages, relative to this package, whose source the measurements
        depend on. Stored results of other source are not taken up again.
    notes
        What a reader of the whole should know.
    shrink
        Gives the parameters of a first look from those of a point, where quick rows are the
        same rows at a smaller size.
    shrunk_to
        What that size is, in a few words.
    """

    name: str
    title: str
    reference: str
    points: tuple[Point, ...]
    run: Runner
    figures: tuple[Figure, ...]
    instances: int
    code: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shrink: Callable[[Parameters], Parameters] | None = None
    shrunk_to: str = ""

    def __post_init__(self) -> None:
        names = [point.name for point in self.points]
        assert len(set(names)) == len(names), f"{self.name}: two points have the same name"
        labels = [figure.name for figure in self.figures]
        assert len(set(labels)) == len(labels), f"{self.name}: two figures have the same name"
        for figure in self.figures:
            columns = {name for column in figure.columns for name in (column.measure, column.title)}
            for point in figure.points():
                assert point in names, f"{figure.name}: no point is named {point!r}"
            for row in figure.rows:
                assert set(row.paper) <= columns, f"{figure.name}: a value without a column"

    def find_point(self, name: str) -> Point:
        """Return the point of that name."""
        for point in self.points:
            if point.name == name:
                return point
        raise ParameterError(
            f"{self.name} has no point {name!r}; it has {', '.join(p.name for p in self.points)}"
        )

    def find_figure(self, name: str) -> Figure:
        """Return the figure of that name, or say which there are."""
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise ParameterError(
            f"{self.name} has no {name!r}; it has {', '.join(a.name for a in self.figures)}"
        )

    def seed(self, point: str, instance: int) -> int:
        """Return the seed of an instance: 64 bits of a hash of study, point and instance."""
        text = f"{self.name}/{point}/{instance}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")

    def digest(self, point: Point) -> str:
        """Return what a stored result must match: the parameters and the code behind it.

        Parameters that begin with ``_``, such as where a table is, do not count.
        """
        counted = {k: v for k, v in point.parameters.items() if not k.startswith("_")}
        parameters = msgspec.json.encode(counted, order="sorted")
        return hashlib.sha256(parameters + self._code_digest).hexdigest()[:16]

    @cached_property
    def _code_digest(self) -> bytes:
        digest = hashlib.sha256()
        for place in self.code:
            root = PACKAGE / place
            files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
            for file in files:
                digest.update(file.relative_to(PACKAGE).as_posix().encode())
                digest.update(file.read_bytes())
        return digest.digest()
