"""Checks of statements, shared by the studies.

A check takes the means of a figure, and says whether a statement holds for them. Columns and rows
are selected by titles and labels, in which ``*`` stands for any text, ``?`` for one character;
rows also by ``"first"`` and ``"last"``. Bounds are the keywords of :class:`Bounds`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise, product
from statistics import fmean
from typing import Any, TypedDict, Unpack

from gossamer.errors import StudyError
from gossamer.studies.statement import Seen

Names = str | Sequence[str]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "below": operator.lt,
    "above": operator.gt,
    "at_most": operator.le,
    "at_least": operator.ge,
    "equal": operator.eq,
}


class Bounds(TypedDict, total=False):
    """Bounds of a value; those that are given must hold."""

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
    """Whether every value of some columns and rows is within bounds."""
    return all(
        within(value, **bounds)
        for title in titles_of(seen, columns)
        for value in values_of(seen, title, rows)
    )


def any_value(
    seen: Seen, columns: Names = "*", rows: Names = "*", **bounds: Unpack[Bounds]
) -> bool:
    """Whether some value of these columns and rows is within bounds."""
    return any(
        within(value, **bounds)
        for title in titles_of(seen, columns)
        for value in values_of(seen, title, rows)
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


def ends_higher(seen: Seen, columns: Names = "*", rows: Names = "*") -> bool:
    """Whether the last value of each column is above its first."""
    lines = [values_of(seen, title, rows) for title in titles_of(seen, columns)]
    return all(line[-1] > line[0] for line in lines)


def ends_lower(seen: Seen, columns: Names = "*", rows: Names = "*") -> bool:
    """Whether the last value of each column is below its first."""
    lines = [values_of(seen, title, rows) for title in titles_of(seen, columns)]
    return all(line[-1] < line[0] for line in lines)


def spread(seen: Seen, columns: Names, rows: Names = "*", **bounds: Unpack[Bounds]) -> bool:
    """Whether the largest value of each column, over its smallest, is within bounds."""
    lines = [values_of(seen, title, rows) for title in titles_of(seen, columns)]
    return all(within(_divide(max(line), min(line)), **bounds) for line in lines if line)


def ratio(
    seen: Seen, of: Names, to: Names, rows: Names = "*", some: bool = False,
    **bounds: Unpack[Bounds],
) -> bool:  # fmt: skip
    """Whether the ratios of columns are within bounds in each row, or for ``some`` pair of them."""
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
    """Return pairs of names: one by one, or each with the only one of the other side."""
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
