"""What a page is made of: sections with paragraphs, tables, charts and commands.

Only content lives here, as plain text and numbers; how it looks is decided where the
page is rendered, and everything is escaped there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cell", "Chart", "Section", "Table"]

Cell = str | int | float | bool | None
"""What a field of a table holds; numbers are written for people, and nothing is a dash."""


@dataclass(frozen=True)
class Table:
    """Rows under a header.

    Attributes
    ----------
    caption
        What the table shows.
    header
        The columns' names.
    rows
        As many cells each as the header has.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows}
        assert widths <= {len(self.header)}, f"{self.caption}: rows do not fit the header"


@dataclass(frozen=True)
class Chart:
    """A picture that answers to the mouse, in the Vega-Lite language.

    The functions of :mod:`gossamer.viz.charts` make them. A chart that is made
    otherwise (``altair.Chart(...).to_dict()``) works too, if its data are in it.

    Attributes
    ----------
    title
        Shown above it.
    summary
        What can be seen in it, in words, for whoever cannot see it.
    spec
        The Vega-Lite specification, with its data.
    series
        What its colours stand for. The page explains them once a section, and a click on
        one brings it out in every chart that has the parameter ``chosen``.
    table
        The numbers behind it, shown on demand.
    """

    title: str
    summary: str
    spec: Mapping[str, Any]
    series: tuple[str, ...] = ()
    table: Table | None = None


@dataclass(frozen=True)
class Section:
    """A part of a page under its own heading, in the order of the attributes.

    Attributes
    ----------
    title
        The heading.
    paragraphs
        Plain text.
    commands
        What can be typed, as it would be typed.
    charts, tables
        What is shown.
    """

    title: str
    paragraphs: Sequence[str] = ()
    commands: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
