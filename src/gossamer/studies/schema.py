"""A study: the figures and tables of one paper, with their points and published values.

::

    Study                  one paper
    ├── run                (parameters, seed) → measurements by name
    ├── figures            its figures and tables
    │   ├── columns        the measurement shown, and how precisely the paper's values are known
    │   ├── rows           a point for each series, and the published values
    │   ├── statements     sentences of the paper, each with a check
    │   ├── plot           axes, for figures
    │   └── causes         causes of differences, with the figure that tests each
    └── untested           sentences of the paper that no run can test

A point is a set of parameters. Its run yields every measurement, so figures that show different
measurements of one experiment share its runs. The file ``figures.toml`` of a study's folder
describes the figures; :mod:`gossamer.studies.figures_file` reads it.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from gossamer.errors import ParameterError
from gossamer.source_digest import source_digest
from gossamer.studies.statement import Cause, Statement

Parameters = Mapping[str, bool | int | float | str]
Measurements = dict[str, float]
ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
WITHOUT_EFFECT = frozenset(
    {
        "atomic_files", "callable_package", "column_names", "convert", "definitions", "errors",
        "extras", "options", "plugins", "progress", "registry", "results", "sim/scenario_file",
        "source_digest", "tables", "version", "wording",
    }
)  # fmt: skip
"""Modules that read, check, name, print or write values. Their code does not enter the digest of a
run: a change of theirs leaves every measurement as it is."""
Item = TypeVar("Item")
Runner = Callable[[Parameters, int], Measurements]


@dataclass(frozen=True)
class Point:
    """Parameters of a run, and a name that is unique in the study."""

    name: str
    parameters: Parameters


@dataclass(frozen=True)
class Reading:
    """Precision of published values: rounding of a number, or reading of a picture.

    Attributes
    ----------
    size
        Largest difference of a published value from the value that the paper measured.
    relative
        Whether the size is a share of the published value.
    """

    size: float
    relative: bool = True

    def around(self, value: float) -> tuple[float, float]:
        """Return the ends of the interval that a published value stands for."""
        half = self.size * abs(value) if self.relative else self.size
        return value - half, value + half


@dataclass(frozen=True)
class Column:
    """One measurement in a table.

    Attributes
    ----------
    title
        Heading in the paper.
    measure
        Name of the measurement; ``*`` stands for the label of the row.
    reading
        How precisely the published values are known; None for a column that the paper does not
        have.
    series
        Series whose points are shown.
    rows
        Labels of the rows with a value in this column; all if empty.
    """

    title: str
    measure: str
    reading: Reading | None = None
    series: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Attributes
    ----------
    label
        Heading of the row.
    points
        Point of each series; the only one of a table without series has the key ``""``.
    paper
        Published values by title of the column.
    setting, instead_of
        A setting that differs from the stated one, in words, and the label of the row with the
        stated one. Both rows have the same published values.
    quick
        Whether the row belongs to a quick run.
    x
        Position on the x axis of the plot.
    """

    label: str
    points: Mapping[str, Point]
    paper: Mapping[str, float] = field(default_factory=dict)
    setting: str = ""
    instead_of: str = ""
    quick: bool = True
    x: float | None = None

    def point_of(self, column: Column) -> Point | None:
        """Return the point of a cell; None for an empty cell."""
        if column.rows and self.label not in column.rows:
            return None
        return self.points.get(column.series)


class Untested(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence or number of the paper that no run can test.

    Attributes
    ----------
    place
        Section, figure or table of the paper: ``Abstract``, ``§IV-B``, ``Figure 3``.
    text
        Quotation, or its sense in brackets.
    reason
        What is missing.
    """

    place: str
    text: str
    reason: str


class Plot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Axes of a plot: rows along the x axis, one line for each column.

    Attributes
    ----------
    x_title, y_title
        Titles of the axes.
    log_x
        Whether the x axis is logarithmic.
    columns
        Number of columns drawn, from the first; 0 for those with the measure of the first.
    close
        Whether the y axis starts at the smallest value instead of 0.
    """

    x_title: str
    y_title: str
    log_x: bool = False
    columns: int = 0
    close: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure or table of the paper.

    Attributes
    ----------
    name
        Name on the command line: ``table-1``, ``figure-7a``.
    title
        Caption.
    row_title
        Heading of the row labels.
    columns, rows
        Columns and rows of the table.
    causes
        Causes of differences.
    notes
        Remarks below the table.
    statements
        Sentences of the paper about the figure.
    plot
        Axes; None for a table.
    place
        Figure, table or section of the paper; empty for a figure that the paper does not have.
    instances
        Number of seeded instances of each point; the study's if None.
    base, variant
        Name and title of the data set, for figures that are repeated for several data sets.
    """

    name: str
    title: str
    row_title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    causes: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    plot: Plot | None = None
    place: str = ""
    instances: int | None = None
    base: str = ""
    variant: str = ""

    @property
    def points(self) -> dict[str, Point]:
        """Points of all cells by name."""
        found = (row.point_of(column) for row in self.rows for column in self.columns)
        return {point.name: point for point in found if point is not None}

    def quick(self) -> Figure | None:
        """Return the figure with its quick rows only; None if it has none."""
        rows = tuple(row for row in self.rows if row.quick)
        return replace(self, rows=rows) if rows else None

    def with_points(self, change: Callable[[Point], Point], *, paper: bool = True) -> Figure:
        """Return the figure with changed points, and with or without the published values."""
        rows = tuple(
            replace(
                row,
                points={series: change(point) for series, point in row.points.items()},
                paper=row.paper if paper else {},
            )
            for row in self.rows
        )
        return replace(self, rows=rows)

    def causes_of(self, row: str, measure: str) -> tuple[Cause, ...]:
        """Return the causes of a difference in a cell."""
        return tuple(cause for cause in self.causes if cause.covers(row, measure))


@dataclass(frozen=True)
class Study:
    """The experiments of one paper.

    Attributes
    ----------
    name
        Name on the command line: ``td-cd-oda``.
    title, reference
        Title and venue of the paper.
    figures
        Figures and tables.
    run
        Module-level function of a point's parameters and a seed. Equal arguments give equal,
        finite measurements on any machine.
    instances
        Number of seeded instances of each point; if None it depends on the number of nodes.
    universe
        Names of the parameters that describe the interests. The seed depends on their values and
        the instance alone, so points that differ in other parameters share interests and start.
    notes
        Remarks about the whole study.
    untested
        Sentences of the paper that no run can test.
    shrink
        Maps the parameters of a point to those of a quick run, if quick runs are smaller.
    quick_size
        That smaller size, in words.
    short_title
        Name of the paper's system or algorithm, for headings; its name on the command line if not
        given.
    registered
        Files and folders with the algorithms, protocols and workloads that runs find by name. A
        change of others does not make stored runs outdated. If None, all count.
    """

    name: str
    title: str
    reference: str
    figures: tuple[Figure, ...]
    run: Runner
    instances: int | None = None
    universe: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    untested: tuple[Untested, ...] = ()
    shrink: Callable[[Parameters], Parameters] | None = None
    quick_size: str = ""
    short_title: str = ""
    registered: frozenset[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "short_title", self.short_title or self.name)

    @cached_property
    def points(self) -> dict[str, Point]:
        """Points of all figures by name."""
        return {name: point for one in self.figures for name, point in one.points.items()}

    @cached_property
    def measures(self) -> dict[str, dict[str, bool]]:
        """Measurements that figures show, by point, and whether a run may leave them out as 0."""
        found: dict[str, dict[str, bool]] = {}
        for figure in self.figures:
            for row in figure.rows:
                for column in figure.columns:
                    point = row.point_of(column)
                    if point is not None:
                        name = column.measure.replace("*", row.label)
                        found.setdefault(point.name, {})[name] = "*" in column.measure
        return found

    def find_point(self, name: str) -> Point:
        """Return the point of that name."""
        return _find(self.points, name, f"{self.name} has no point {name!r}")

    def find_figure(self, name: str) -> Figure:
        """Return the figure or table of that name; ``I``, ``1`` and ``7(a)`` are names too."""
        found = {figure.name: figure for figure in self.figures}
        plain = name.strip().lower()
        number = re.sub(r"^(table|figure|fig\.?)[\s-]*|[()]", "", plain)
        for candidate in (plain, f"figure-{number}", f"table-{ROMAN.get(number, number)}"):
            if candidate in found:
                return found[candidate]
        return _find(found, plain, f"{self.name} has no {plain!r}")

    def seed(self, point: Point, instance: int) -> int:
        """Return the seed of an instance: 63 bits of a hash of study, universe and instance."""
        values = {key: point.parameters.get(key) for key in self.universe}
        text = msgspec.json.encode([self.name, values, instance], order="sorted")
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1

    def digest(self, point: Point) -> str:
        """Return a digest of the parameters and of the code that the run depends on.

        A stored result is valid only for the same digest. Parameters that begin with ``_``, such
        as the folder of a table, do not count.
        """
        counted = {k: v for k, v in point.parameters.items() if not k.startswith("_")}
        parameters = msgspec.json.encode(counted, order="sorted")
        return hashlib.sha256(parameters + self._code_digest).hexdigest()[:16]

    @cached_property
    def _code_digest(self) -> bytes:
        return source_digest(
            Path(inspect.getfile(self.run)), registered=self.registered, without=WITHOUT_EFFECT
        ).encode()


def _find(items: Mapping[str, Item], name: str, fault: str) -> Item:
    if name not in items:
        raise ParameterError(f"{fault}; it has {', '.join(items)}")
    return items[name]
