"""Linear and logarithmic axes: domain, ticks and title."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

TICKS: tuple[tuple[float, ...], ...] = (
    (1,),
    (1, 2, 5),
    (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8),
    tuple(tenths / 10 for tenths in range(10, 100)),
)
"""Multiples of powers of ten that are ticks of a logarithmic axis, the coarsest first."""


@dataclass(frozen=True)
class Axis:
    """An axis whose domain fits given values.

    Attributes
    ----------
    log
        Whether it is logarithmic.
    low, high
        Ends of the domain.
    floor
        Position of values of 0 or less on a logarithmic axis.
    whole
        Whether ticks are at whole numbers only.
    """

    log: bool
    low: float
    high: float
    floor: float
    whole: bool = False

    def place(self, value: float) -> float:
        """Return the position of a value."""
        return max(float(value), self.floor) if self.log else float(value)

    def options(self, title: str, form: str = ",~g") -> dict[str, Any]:
        """Return title, scale and ticks, as a channel of Vega-Lite takes them.

        Parameters
        ----------
        title
            Quantity and unit.
        form
            Number format, in the language of d3-format.
        """
        if not self.log:
            return {
                "title": title,
                "scale": {"domain": [self.low, self.high], "nice": False, "zero": True},
                "axis": _ticks(self.whole) | {"format": form.replace("g", "f")},
            }
        return {
            "title": f"{title[:-1]}, log)" if title.endswith(")") else f"{title} (log)",
            "scale": {"type": "log", "domain": [self.low, self.high], "nice": False},
            "axis": {"values": self.ticks(), "format": form, "labelOverlap": "greedy"},
        }

    def ticks(self) -> list[float]:
        """Return the powers of ten in the domain, and on a shorter axis multiples between them.

        Examples
        --------
        >>> axis_for([1, 50]).ticks(), axis_for([2, 3], log=True).ticks()
        ([1.0, 2.0, 5.0, 10.0, 20.0, 50.0], [2.0, 2.5, 3.0])
        """
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        ticks: list[float] = []
        for steps in TICKS[self.high / self.low < 500 :]:
            ticks = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
            ticks = [tick for tick in ticks if self.low <= tick <= self.high]
            if len(ticks) > 1:
                break
        return ticks


def axis_for(values: Iterable[float], *, log: bool | None = None, padding: float = 1.15) -> Axis:
    """Return an axis whose domain fits values.

    Parameters
    ----------
    values
        Values to show.
    log
        Whether it is logarithmic; by default, if positive values span more than a decade.
        Values of 0 are then shown at half the smallest positive value.
    padding
        Factor by which the domain exceeds the values.

    Examples
    --------
    >>> axis_for([1, 5]).log, axis_for([1, 50]).log
    (False, True)
    """
    found = list(values)
    positive = [value for value in found if value > 0]
    if not positive or not (is_wide(found) if log is None else log):
        high = max([*positive, 0.0]) * (1 + (padding - 1) / 2) or 1.0
        return Axis(False, 0.0, high, 0.0, all(float(value).is_integer() for value in found))
    floor = min(positive) / 2
    low = floor if min(found) <= 0 else min(positive)
    return Axis(True, low / padding, max(positive) * padding, floor)


def linear(title: str, *, zero: bool = True, whole: bool = False) -> dict[str, Any]:
    """Return a linear axis that Vega-Lite fits to the data.

    Parameters
    ----------
    title
        Quantity and unit.
    zero
        Whether the axis includes 0.
    whole
        Whether ticks are at whole numbers only.
    """
    axis = _ticks(whole) | {"format": ",~f"}
    return {"title": title, "scale": {"zero": zero, "nice": zero}, "axis": axis}


def _ticks(whole: bool) -> dict[str, Any]:
    return {"tickCount": 6, "labelOverlap": "greedy"} | ({"tickMinStep": 1} if whole else {})


def is_wide(values: Iterable[float], ratio: float = 10) -> bool:
    """Whether the largest of the positive values exceeds the smallest by more than a ratio."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > ratio * min(positive)
