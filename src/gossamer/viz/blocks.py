"""Contents of a page: sections with paragraphs, tables, charts and commands.

Contents are plain text and numbers. The renderer decides their look and escapes all text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.measures import shown, shown_interval


@dataclass(frozen=True)
class Value:
    """A number in a table, shown in the unit of its measure.

    Attributes
    ----------
    name
        Name of the measure.
    number
        The number.
    half_width
        Half-width of its interval, if there is one.
    """

    name: str
    number: float
    half_width: float | None = None

    @property
    def text(self) -> str:
        """The number as people read it."""
        if self.half_width is None:
            return shown(self.number, self.name)
        return shown_interval(self.number, self.half_width, self.name)


Cell = str | int | float | bool | Value | None
"""Value in a table; a missing value is shown as a dash."""


@dataclass(frozen=True)
class Table:
    """Rows under a header.

    Attributes
    ----------
    caption
        Title of the table.
    header
        Names of the columns.
    rows
        Rows with one cell a column.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows}
        assert widths <= {len(self.header)}, f"{self.caption}: rows do not fit the header"


@dataclass(frozen=True)
class Chart:
    """A chart in the Vega-Lite language, for a page or a picture.

    The functions of :mod:`gossamer.viz.charts` and :mod:`gossamer.viz.curves` make charts.
    A page also takes any other Vega-Lite specification with inline data.

    Attributes
    ----------
    title
        Title above the chart.
    summary
        Description in words, for readers who cannot see the chart.
    spec
        Vega-Lite specification, with its data.
    series
        Series that the colours stand for. A page explains them once a section; a click on one
        highlights it in every chart that has the parameter ``chosen``.
    table
        Numbers behind the chart, shown on demand.
    note
        Remark under the title.
    named
        Whether series are named in the chart, in rows or beside points: a picture then needs no
        legend.
    """

    title: str
    summary: str
    spec: Mapping[str, Any]
    series: tuple[str, ...] = ()
    table: Table | None = None
    note: str = ""
    named: bool = False


@dataclass(frozen=True)
class Advice:
    """What to choose for a need.

    Attributes
    ----------
    need
        Heading.
    choice
        What to choose, with its numbers.
    command
        Command that makes it, if any.
    remark
        Explanation of the need, if it is long.
    """

    need: str
    choice: str
    command: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page under its own heading, in the order of the attributes.

    Attributes
    ----------
    title
        Heading; empty for none.
    paragraphs
        Plain text.
    advice
        What to choose, for each need.
    commands
        Commands to type.
    charts, tables
        Charts and tables.
    """

    title: str
    paragraphs: Sequence[str] = ()
    advice: Sequence[Advice] = ()
    commands: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
