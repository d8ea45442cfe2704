"""Axes of charts: linear or logarithmic, from where to where, and with which ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["Axis", "axis_for", "is_wide"]


@dataclass(frozen=True)
class Axis:
    """An axis that fits some values.

    Attributes
    ----------
    log
        Whether it is logarithmic.
    low, high
        Its ends.
    least
        Where a logarithmic axis shows what is 0 or less.
    """

    log: bool
    low: float
    high: float
    least: float

    def place(self, value: float) -> float:
        """Return where a value is shown."""
        return max(float(value), self.least) if self.log else float(value)

    def options(self, title: str, form: str = ",~g") -> dict[str, Any]:
        """Return what Altair's channels are told: title, scale and ticks.

        Parameters
        ----------
        title
            What the axis shows.
        form
            How numbers are written, in the language of d3-format.
        """
        if not self.log:
            return {
                "title": title,
                "scale": {"domain": [self.low, self.high], "nice": False, "zero": True},
                "axis": {"tickCount": 6, "format": form},
            }
        return {
            "title": f"{title} (log)",
            "scale": {"type": "log", "domain": [self.low, self.high], "nice": False},
            "axis": {"values": self._ticks(), "format": form, "labelOverlap": "greedy"},
        }

    def _ticks(self) -> list[float]:
        """Return 1, 2 and 5 times the powers of ten, or these alone on a long axis."""
        steps = (1, 2, 5) if self.high / self.low < 500 else (1,)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        ticks = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
        return [tick for tick in ticks if self.low <= tick <= self.high]


def axis_for(values: Iterable[float], *, log: bool | None = None, room: float = 1.15) -> Axis:
    """Return an axis that fits values.

    Parameters
    ----------
    values
        What will be shown.
    log
        Whether it is logarithmic; if not said, where positive values span more than a
        decade. Nothing at all is then shown at half the smallest positive value.
    room
        How much further than the values it goes, as a factor.

    Examples
    --------
    >>> axis_for([1, 5]).log, axis_for([1, 50]).log
    (False, True)
    """
    found = list(values)
    positive = [value for value in found if value > 0]
    if not positive or not (is_wide(found) if log is None else log):
        return Axis(False, 0.0, max([*positive, 0.0]) * (1 + (room - 1) / 2) or 1.0, 0.0)
    least = min(positive) / 2
    low = least if min(found) <= 0 else min(positive)
    return Axis(True, low / room, max(positive) * room, least)


def is_wide(values: Iterable[float]) -> bool:
    """Whether positive values span more than a decade."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > 10 * min(positive)
