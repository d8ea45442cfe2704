"""Checks of statements of the Vitis paper."""

from __future__ import annotations

from statistics import fmean

from gossamer.studies.checks import Names, values_of
from gossamer.studies.statement import Seen


def approaches(seen: Seen, column: str, other: str) -> bool:
    """Whether a column falls, and its distance from another at least halves."""
    one, two = list(seen[column].values()), list(seen[other].values())
    return abs(one[-1] - two[-1]) < abs(one[0] - two[0]) / 2 and one[-1] < one[0]


def minima_above(seen: Seen, of: list[str], to: list[str], rows: Names) -> bool:
    """Whether the smallest value of each column, over some rows, is above that of its partner."""
    return all(
        min(values_of(seen, one, rows)) > min(values_of(seen, other, rows))
        for one, other in zip(of, to, strict=True)
    )


def peak_above_mean(seen: Seen, column: str, before: Names, after: Names, by: float) -> bool:
    """Whether a column later peaks above its earlier mean; dips below it, for a negative ``by``."""
    mean, later = fmean(values_of(seen, column, before)), values_of(seen, column, after)
    return max(later) > mean + by if by > 0 else min(later) < mean + by


def ends_above_mean(seen: Seen, columns: list[str], before: Names) -> bool:
    """Whether the last value of each column is above its earlier mean."""
    return all(
        values_of(seen, column, "last")[0] > fmean(values_of(seen, column, before))
        for column in columns
    )
