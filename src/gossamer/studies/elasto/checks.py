"""Checks of statements of the ElastO paper."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from gossamer.studies import checks
from gossamer.studies.statement import Seen


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
