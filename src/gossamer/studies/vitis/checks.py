"""Checks of statements of the Vitis paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal

from gossamer.confidence import confidence_interval
from gossamer.studies.checks import Names, labels_of, titles_of, trend, values_of
from gossamer.studies.statement import InstanceMean, Seen, runs_of


def approaches(seen: Seen, column: str, other: str) -> bool:
    """Whether the distance of two columns falls over all rows."""
    pairs = zip(values_of(seen, column), values_of(seen, other), strict=True)
    distances = [_paired(pair, lambda one: abs(one[0] - one[1])) for pair in pairs]
    return trend({"distance": dict(zip(map(str, range(len(distances))), distances, strict=True))},
                 "down")  # fmt: skip


def significantly_below(seen: Seen, of: Sequence[str], to: str, rows: Names = "*") -> bool:
    """Whether the confidence intervals of the differences of columns lie below 0 in each row."""
    return all(
        _ends(_paired((seen[one][label], seen[to][label]), lambda pair: pair[0] - pair[1]))[1] < 0
        for one in of
        for label in labels_of(seen[one], rows)
    )


def changes(
    seen: Seen, columns: Names, direction: Literal["up", "down"], before: Names, after: Names,
    at_least: float = 0.0, at_most: float = math.inf,
) -> bool:  # fmt: skip
    """Whether the mean of each column over later rows differs from that over earlier rows.

    The confidence interval of the relative change over instances lies beyond 0, and the mean
    change is within the bounds, in per cent.
    """
    sign = 1 if direction == "up" else -1
    for title in titles_of(seen, columns):
        earlier = _paired(values_of(seen, title, before), fmean)
        later = _paired(values_of(seen, title, after), fmean)
        found = _paired((earlier, later), lambda pair: 100 * sign * (pair[1] / pair[0] - 1))
        if _ends(found)[0] <= 0 or not at_least <= found <= at_most:
            return False
    return True


def lowest(
    seen: Seen, columns: Names, rows: Names, at_least: float = 0.0, at_most: float = math.inf
) -> bool:
    """Whether the confidence interval of the smallest value over some rows reaches a range."""
    for title in titles_of(seen, columns):
        low, high = _ends(_paired(values_of(seen, title, rows), min))
        if high < at_least or low > at_most:
            return False
    return True


def grows_within_log_squared(seen: Seen, columns: Names) -> bool:
    """Whether no column grows faster from its first row than the squared logarithm of the label."""
    for title in titles_of(seen, columns):
        labels, values = labels_of(seen[title], "*"), values_of(seen, title)
        bounds = [math.log(_number(label)) ** 2 for label in labels]
        if any(
            value / values[0] > bound / bounds[0]
            for value, bound in zip(values, bounds, strict=True)
        ):
            return False
    return True


def bounded_by_label(seen: Seen, columns: Names, factor: float) -> bool:
    """Whether every value of every instance is at most a multiple of its row's label."""
    return all(
        run <= factor * _number(label)
        for title in titles_of(seen, columns)
        for label in labels_of(seen[title], "*")
        for run in runs_of(seen[title][label])
    )


def _paired(values: Sequence[float], combine: Callable[[Sequence[float]], float]) -> InstanceMean:
    """Combine the values of each instance that all have."""
    combined = [combine(one) for one in zip(*map(runs_of, values), strict=False)]
    return InstanceMean(fmean(combined), combined)


def _ends(value: InstanceMean) -> tuple[float, float]:
    """Return the ends of the confidence interval of the mean over instances."""
    mean, half_width, _ = confidence_interval(value.runs)
    return mean - (half_width or 0.0), mean + (half_width or 0.0)


def _number(label: str) -> float:
    return float(label.replace(",", ""))
