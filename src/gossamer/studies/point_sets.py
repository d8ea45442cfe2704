"""Point sets of a figure: sweeps of a parameter, cartesian products, sizes and data sets.

A figure's points are the product of its rows and its series. Later parameters win: defaults of
the study, then of the data set, of the figure, of the series, of the row.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gossamer.studies.schema import Parameters, Point

Options = dict[str, bool | int | float | str]


class RowHead(msgspec.Struct, frozen=True):
    """Label, parameters and place of a row."""

    label: str
    parameters: Parameters
    quick: bool
    x: float | None
    instead_of: str


class RowSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that sweep one parameter, or the product of named alternatives and such a sweep.

    Attributes
    ----------
    label
        Template of the labels: ``{}`` is the value, ``{name}`` the alternative.
    values, range
        Values of the sweep: a list, or first, last and step. A single row without both.
    parameter
        Parameter that takes the values; empty if rows differ in the label alone.
    parameters
        Further parameters of every row.
    across
        Alternatives: parameters by name, each combined with every value.
    series
        Series with a point in these rows; all if empty.
    setting, quick
        See :class:`~gossamer.studies.schema.Row`.
    instead_of
        Template of the labels of the rows that these replace; see the same class.
    quick_to
        Largest value in a quick run.
    x, scale, shift
        Position in a plot: ``x``, or the value times ``scale`` plus ``shift``.
    """

    label: str = "{}"
    values: list[int | float | str] = []
    range: tuple[int, int, int] | None = None
    parameter: str = ""
    parameters: Options = {}
    across: dict[str, Options] = {}
    series: list[str] = []
    setting: str = ""
    instead_of: str = ""
    quick: bool = True
    quick_to: float | None = None
    x: float | None = None
    scale: float = 1
    shift: float = 0

    def heads(self) -> Iterator[RowHead]:
        """Yield the rows in order."""
        values: list[int | float | str | None] = [*self.values]
        if self.range is not None:
            first, last, step = self.range
            values += range(first, last + 1, step)
        for name, parameters in (self.across or {"": {}}).items():
            for value in values or [None]:
                swept = {self.parameter: value} if self.parameter and value is not None else {}
                number = value if isinstance(value, int | float) else None
                yield RowHead(
                    self.label.format(value, name=name),
                    {**self.parameters, **parameters, **swept},
                    self.quick
                    and (self.quick_to is None or number is None or number <= self.quick_to),
                    self.x if number is None else number * self.scale + self.shift,
                    self.instead_of.format(value, name=name),
                )


def point_of(*parts: Parameters) -> Point:
    """Return the point with all these parameters; later parts win."""
    parameters: Parameters = {key: value for part in parts for key, value in part.items()}
    name = ", ".join(f"{key} {value}" for key, value in sorted(parameters.items()))
    return Point(name, parameters)
