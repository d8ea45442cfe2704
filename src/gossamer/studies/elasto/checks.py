"""Checks of statements of the ElastO paper."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from gossamer.studies import checks
from gossamer.studies.checks import values_of
from gossamer.studies.statement import InstanceMean, Seen, runs_of


def largest_within(seen: Seen, of: str, factor: float, to: str) -> bool:
    """Whether the largest value of a column is within a multiple of the smallest of another."""
    return max(seen[of].values()) <= factor * min(seen[to].values())


def grows_by_factor(seen: Seen, column: str, first: int, factor: float) -> bool:
    """Whether each value exceeds the one before by a factor, from a given row on."""
    values = list(seen[column].values())[first:]
    return all(later > factor * earlier for earlier, later in pairwise(values))


def rises_ever_less(seen: Seen, column: str) -> bool:
    """Whether a column rises, and less in its second half than in the first."""
    values = list(seen[column].values())
    middle = len(values) // 2
    return checks.rises(seen, column) and values[-1] - values[middle] < values[middle] - values[0]


def sample_keeps_distribution(seen: Seen) -> bool:
    """Whether both distributions of the sample fall, and some users have 64 followers."""
    followers, followed = seen["followers, sample"], seen["followed, sample"]
    return followers["6"] > 0 and all(
        later <= earlier
        for line in (followers, followed)
        for earlier, later in pairwise(line.values())
    )


def gap_widens(seen: Seen, of: str, to: str) -> bool:
    """Whether the difference of two columns rises over all rows."""
    gaps = {
        str(place): _difference(one, other)
        for place, (one, other) in enumerate(
            zip(values_of(seen, of), values_of(seen, to), strict=True)
        )
    }
    return checks.trend({"gap": gaps}, "up")


def levels_off(seen: Seen, column: str) -> bool:
    """Whether a column changes less in the second half of its rows than in the first."""
    values = values_of(seen, column)
    middle = len(values) // 2
    return abs(values[-1] - values[middle]) < abs(values[middle] - values[0])


def rises_fast_until(seen: Seen, column: str, row: str) -> bool:
    """Whether a column makes more than half of its rise up to a row."""
    values = values_of(seen, column)
    early = seen[column][row] - values[0]
    return early > 0 and early > (values[-1] - values[0]) / 2


def spreads_less(seen: Seen, of: str, to: str) -> bool:
    """Whether the largest value of a column over its smallest is below that of another."""
    one, other = values_of(seen, of), values_of(seen, to)
    return max(one) / min(one) < max(other) / min(other)


def ratio_falls(seen: Seen, of: str, to: str) -> bool:
    """Whether the ratio of two columns falls with each row."""
    ratios = [
        one / other for one, other in zip(values_of(seen, of), values_of(seen, to), strict=True)
    ]
    return all(later < earlier for earlier, later in pairwise(ratios))


def grows_linearly(seen: Seen, column: str) -> bool:
    """Whether a column rises, and a line through the labels fits it better than their logarithm."""
    return checks.trend(seen, "up", column) and not checks.grows_logarithmically(seen, column)


def means_in_order(seen: Seen, columns: list[str]) -> bool:
    """Whether the means of columns strictly ascend."""
    means = [fmean(seen[column].values()) for column in columns]
    return all(one < other for one, other in pairwise(means))


def mean_gaps_at_most(seen: Seen, of: list[str], to: list[str], gaps: list[float]) -> bool:
    """Whether the differences of the means of columns are at most the given gaps."""
    return all(
        checks.difference_of_means(seen, one, other, at_most=gap)
        for one, other, gap in zip(of, to, gaps, strict=True)
    )


def _difference(one: float, other: float) -> InstanceMean:
    runs = [first - second for first, second in zip(runs_of(one), runs_of(other), strict=False)]
    return InstanceMean(fmean(runs), runs)
