"""Checks of statements, shared by the studies.

A check takes the values of a figure, and returns whether a statement holds for them. Columns and
rows are selected by their titles and labels, with ``*`` for any text and ``?`` for one character;
``"first"`` and ``"last"`` select rows too. Bounds are the keywords of :class:`Bounds`.

:func:`all_values` and :func:`any_value` look at the value of every instance, :func:`trend` at the
confidence interval of the slope over instances, the others at means.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise, product
from statistics import fmean
from typing import Any, Literal, TypedDict, Unpack

from gossamer.confidence import confidence_interval
from gossamer.errors import StudyError
from gossamer.studies.statement import Seen, runs_of

Names = str | Sequence[str]
MIN_ROWS_OF_FIT = 4
"""Smallest number of rows on which a logarithmic fit is compared with a linear one."""

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "below": operator.lt,
    "above": operator.gt,
    "at_most": operator.le,
    "at_least": operator.ge,
    "equal": operator.eq,
}


class Bounds(TypedDict, total=False):
    """Bounds of a value, all of which must hold."""

    below: float
    above: float
    at_most: float
    at_least: float
    equal: float


def within(value: float, **bounds: Unpack[Bounds]) -> bool:
    """Whether a value is within all bounds."""
    return all(_COMPARISONS[name](value, bound) for name, bound in bounds.items())


def titles_of(seen: Seen, columns: Names) -> list[str]:
    """Return the titles of the selected columns, in the order of the selection."""
    found: list[str] = []
    for name in [columns] if isinstance(columns, str) else columns:
        matching = [title for title in seen if title == name or fnmatchcase(title, name)]
        if not matching:
            raise StudyError(f"there is no column {name!r}; there are {', '.join(seen)}")
        found += matching
    return found


def labels_of(line: Mapping[str, float], rows: Names) -> list[str]:
    """Return the labels of the selected rows, in the order of the table."""
    labels = list(line)
    if rows in ("first", "last"):
        return labels[:1] if rows == "first" else labels[-1:]
    patterns = [rows] if isinstance(rows, str) else rows
    return [
        label
        for label in labels
        if any(label == pattern or fnmatchcase(label, pattern) for pattern in patterns)
    ]


def values_of(seen: Seen, column: str, rows: Names = "*") -> list[float]:
    """Return the values of the selected rows of a column."""
    line = seen[column]
    return [line[label] for label in labels_of(line, rows)]


def all_values(
    seen: Seen, columns: Names = "*", rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether every value of some columns and rows is within bounds, in every instance."""
    return all(
        within(run, **bounds)
        for title in titles_of(seen, columns)
        for value in values_of(seen, title, rows)
        for run in runs_of(value)
    )


def any_value(
    seen: Seen, columns: Names = "*", rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether some value of these columns and rows is within bounds, in some instance."""
    return any(
        within(run, **bounds)
        for title in titles_of(seen, columns)
        for value in values_of(seen, title, rows)
        for run in runs_of(value)
    )


def mean_value(seen: Seen, columns: Names, rows: Names = "*", **bounds: Unpack[Bounds]) -> bool:
    """Whether the mean of each column over some rows is within bounds."""
    return all(
        within(fmean(values_of(seen, title, rows)), **bounds) for title in titles_of(seen, columns)
    )


def in_order(seen: Seen, columns: Sequence[str], rows: Names = "*") -> bool:
    """Whether the columns strictly ascend, from left to right, in each row that all have."""
    lines = [seen[title] for title in titles_of(seen, columns)]
    shared = [label for label in labels_of(lines[0], rows) if all(label in line for line in lines)]
    return all(_ascending([line[label] for line in lines]) for label in shared)


def rises(seen: Seen, columns: Names = "*", rows: Names = "*") -> bool:
    """Whether each column strictly ascends from row to row."""
    return all(_ascending(values_of(seen, title, rows)) for title in titles_of(seen, columns))


def falls(seen: Seen, columns: Names = "*", rows: Names = "*") -> bool:
    """Whether each column strictly descends from row to row."""
    return all(_ascending(values_of(seen, title, rows)[::-1]) for title in titles_of(seen, columns))


def trend(
    seen: Seen, direction: Literal["up", "down"], columns: Names = "*", rows: Names = "*"
) -> bool:
    """Whether each column rises or falls over all its rows.

    The slope of the least-squares line through the rows of an instance, in their order, is one
    observation; the 95 % confidence interval of the mean slope must lie beyond 0.
    """
    sign = 1 if direction == "up" else -1
    lines = [_by_instance(values_of(seen, title, rows)) for title in titles_of(seen, columns)]
    return all(
        _lower_end([sign * _slope(range(len(one)), one) for one in line]) > 0 for line in lines
    )


def grows_logarithmically(seen: Seen, columns: Names = "*", rows: Names = "*") -> bool:
    """Whether each column rises, and fits a logarithm of the rows' numbers better than a line.

    The number of a row is at the start of its label, as in ``1,000``. The squared residuals of the
    least-squares fits a + b ln x and a + b x of the means are compared.

    Raises
    ------
    StudyError
        If there are fewer than four rows, or a label without a number.
    """
    for title in titles_of(seen, columns):
        labels = labels_of(seen[title], rows)
        if len(labels) < MIN_ROWS_OF_FIT:
            raise StudyError(f"{title} has {len(labels)} rows; expected {MIN_ROWS_OF_FIT} or more")
        x, y = [_number(label) for label in labels], values_of(seen, title, rows)
        if not trend(seen, "up", title, rows):
            return False
        if _residual([math.log(one) for one in x], y) > _residual(x, y):
            return False
    return True


def smaller_by(seen: Seen, of: Names, to: Names, percent: float, rows: Names = "*") -> bool:
    """Whether columns are at least some per cent smaller than others, in each row."""
    return ratio(seen, of, to, rows, at_most=1 - percent / 100)


def spread(seen: Seen, columns: Names, rows: Names = "*", **bounds: Unpack[Bounds]) -> bool:
    """Whether the largest value of each column, divided by its smallest, is within bounds."""
    lines = [values_of(seen, title, rows) for title in titles_of(seen, columns)]
    return all(within(_divide(max(line), min(line)), **bounds) for line in lines if line)


def ratio(
    seen: Seen, of: Names, to: Names, rows: Names = "*", some: bool = False,
    **bounds: Unpack[Bounds],
) -> bool:  # fmt: skip
    """Whether the ratios of columns are within bounds in each row; ``some``: of any one pair."""
    held = [
        all(within(_divide(one, other), **bounds) for one, other in _pairs(seen, *pair, rows))
        for pair in _couples(of, to)
    ]
    return any(held) if some else all(held)


def difference(
    seen: Seen, of: Names, to: Names, rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether the differences of columns are within bounds in each row."""
    return all(
        within(one - other, **bounds)
        for pair in _couples(of, to)
        for one, other in _pairs(seen, *pair, rows)
    )


def ratio_of_means(
    seen: Seen, of: Names, to: Names, rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether the ratios of the means of columns are within bounds."""
    return all(
        within(_divide(_mean(seen, one, rows), _mean(seen, other, rows)), **bounds)
        for one, other in _couples(of, to)
    )


def difference_of_means(
    seen: Seen, of: Names, to: Names, rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether the differences of the means of columns are within bounds."""
    return all(
        within(_mean(seen, one, rows) - _mean(seen, other, rows), **bounds)
        for one, other in _couples(of, to)
    )


def row_ratio(seen: Seen, column: str, of: Names, to: Names, **bounds: Unpack[Bounds]) -> bool:
    """Whether the ratios of rows of a column are within bounds."""
    line = seen[column]
    return all(within(_divide(line[one], line[other]), **bounds) for one, other in _couples(of, to))


def row_difference(seen: Seen, column: str, of: Names, to: Names, **bounds: Unpack[Bounds]) -> bool:
    """Whether the differences of rows of a column are within bounds."""
    line = seen[column]
    return all(within(line[one] - line[other], **bounds) for one, other in _couples(of, to))


def _couples(of: Names, to: Names) -> list[tuple[str, str]]:
    """Return pairs of names: one by one, or each with the single name of the other side."""
    ones = [of] if isinstance(of, str) else list(of)
    others = [to] if isinstance(to, str) else list(to)
    if 1 in (len(ones), len(others)):
        return list(product(ones, others))
    return list(zip(ones, others, strict=True))


def _pairs(seen: Seen, of: str, to: str, rows: Names) -> list[tuple[float, float]]:
    """Return the values of two columns in the rows that both have."""
    one, other = seen[of], seen[to]
    return [(one[label], other[label]) for label in labels_of(one, rows) if label in other]


def _mean(seen: Seen, column: str, rows: Names) -> float:
    return fmean(values_of(seen, column, rows))


def _divide(one: float, other: float) -> float:
    return one / other if other else math.copysign(math.inf, one)


def _ascending(values: Sequence[float]) -> bool:
    return all(after > before for before, after in pairwise(values))


def _by_instance(values: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the values of the rows for each instance that all of them have."""
    return list(zip(*map(runs_of, values), strict=False))


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the slope of the least-squares line; 0 for a single point."""
    middle, mean = fmean(x), fmean(y)
    squares = sum((one - middle) ** 2 for one in x)
    products = sum((one - middle) * (other - mean) for one, other in zip(x, y, strict=True))
    return products / squares if squares else 0.0


def _residual(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the sum of squared residuals of the least-squares line."""
    slope, middle, mean = _slope(x, y), fmean(x), fmean(y)
    return sum((b - mean - slope * (a - middle)) ** 2 for a, b in zip(x, y, strict=True))


def _lower_end(values: Sequence[float]) -> float:
    """Return the lower end of the confidence interval of the mean."""
    interval = confidence_interval(values)
    return interval.mean - (interval.half_width or 0.0)


def _number(label: str) -> float:
    """Return the number with which a label begins."""
    found = re.match(r"[\d.,]*\d", label)
    if found is None:
        raise StudyError(f"row {label!r} does not begin with a number")
    return float(found[0].replace(",", ""))
