"""Checks of statements of StaN's supplement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import StatisticsError, correlation, fmean
from typing import Unpack

from gossamer.studies.checks import Bounds, Names, titles_of, within
from gossamer.studies.statement import Seen, runs_of


def lies_above(seen: Seen, of: str, to: str) -> bool:
    """Whether a column is below another in no row, and above it in some."""
    gaps = _gaps(seen, of, to)
    return min(gaps) >= 0 < max(gaps)


def lies_above_somewhere(seen: Seen, of: str, to: str) -> bool:
    """Whether a column is above another in some row."""
    return max(_gaps(seen, of, to)) > 0


def lags(seen: Seen, column: str, behind: str, row: str, **bounds: Unpack[Bounds]) -> bool:
    """Whether a curve's lag behind another, as a share of that one's descent, is within bounds."""
    other = seen[behind]
    descent = other["0"] - min(other.values())
    return within((seen[column][row] - other[row]) / max(descent, 1e-9), **bounds)


def is_too_slow_above(seen: Seen, usable: str, slow: str, behind: str, row: str) -> bool:
    """Whether one curve lags behind by half the descent or less, and another by more."""
    return lags(seen, usable, behind, row, at_most=0.5) and lags(seen, slow, behind, row, above=0.5)


def steps_in_order(seen: Seen, columns: Sequence[str], also: Sequence[str] = ()) -> bool:
    """Whether the mean steps between rows ascend from column to column; also of other columns."""

    def mean_step(line: Sequence[float]) -> float:
        return fmean(abs(after - before) for before, after in pairwise(line))

    return all(_ascend(seen, some, mean_step) for some in (columns, also) if some)


def amplitudes_in_order(seen: Seen, columns: Sequence[str]) -> bool:
    """Whether the largest value less the smallest ascends from column to column."""
    return _ascend(seen, columns, lambda line: max(line) - min(line))


def moves_with(seen: Seen, of: Sequence[str], to: Sequence[str], **bounds: Unpack[Bounds]) -> bool:
    """Whether the correlation over rows of each column with another is within bounds.

    It is the mean over instances.
    """
    return all(
        within(
            fmean(
                _correlation(*lines)
                for lines in zip(_instances(seen, one), _instances(seen, other), strict=False)
            ),
            **bounds,
        )
        for one, other in zip(of, to, strict=True)
    )


def grows(seen: Seen, column: str, rounds: Sequence[int]) -> bool:
    """Whether a curve is higher within 4 rounds after each of these rounds than at it."""
    line = seen[column]
    return all(
        max(line[str(start + 2)], line[str(start + 4)]) > line[str(start)] for start in rounds
    )


def grows_then_shrinks(seen: Seen, column: str, rounds: Sequence[int]) -> bool:
    """Whether a curve is lower 8 rounds after each of these rounds than at its peak in between."""
    line = seen[column]
    return all(
        line[str(start + 8)] < max(line[str(one)] for one in range(start, start + 8, 2))
        for start in rounds
    )


def saves_more_with_sharing(seen: Seen, without: str, with_sharing: str, row: str) -> bool:
    """Whether copies are saved without shared links, and more with them."""
    return 0 < seen[without][row] < seen[with_sharing][row]


def crossposting_is_a_shortcut(seen: Seen) -> bool:
    """Whether CrosspostFlood needs fewer hops than SimpleFlood on three topics, and not on one."""
    simple, cross = seen["SimpleFlood, mean hops, after"], seen["CrosspostFlood, mean hops, after"]
    return cross["triplets"] < simple["triplets"] and cross["singles"] == simple["singles"]


def saves_without_cost(seen: Seen) -> bool:
    """Whether copies are saved, no node sends more, and hops do not rise."""
    simple, cross = seen["SimpleFlood, mean hops, after"], seen["CrosspostFlood, mean hops, after"]
    return (
        seen["as printed: saved, %, after"]["triplets"] > 0
        and seen["as printed: nodes that send more, after"]["triplets"] == 0
        and cross["triplets"] <= simple["triplets"]
    )


def is_crossposted_as_usenet(seen: Seen) -> bool:
    """Whether 30 % of the posts or more are on several topics, and these on two to four."""
    return all(
        share >= 30 and 2 <= seen["topics of such a post"][row] <= 4
        for row, share in seen["posts on several topics, %"].items()
    )


def disseminates_worse(seen: Seen) -> bool:
    """Whether the omniscient overlay needs more hops than StaN's, or misses subscribers."""
    return all(
        seen["mean hops, omniscient"][row] > hops
        or seen["hit ratio, omniscient"][row] < seen["hit ratio, StaN"][row]
        for row, hops in seen["mean hops, StaN"].items()
    )


def overhearing_helps(seen: Seen, columns: Names) -> bool:
    """Whether values are lower by default than where nodes use their own walks alone."""
    return all(
        seen[title]["as by default"] < seen[title]["own walks alone"]
        for title in titles_of(seen, columns)
    )


def keeps_logical_views(seen: Seen, clustering: bool = False) -> bool:
    """Whether LVS stays within 1 %, every topic is connected, and clustering within 10 %."""
    return all(
        abs(seen["LVS, last"][row] / first - 1) <= 0.01
        and seen["partitioned topics"][row] == 0
        and (
            not clustering
            or abs(seen["clustering, last"][row] / seen["clustering, first"][row] - 1) <= 0.1
        )
        for row, first in seen["LVS, first"].items()
    )


def only_pairs_keep_views(seen: Seen) -> bool:
    """Whether swapping pairs keeps LVS and clustering, and moving one end does not."""
    pair, _, one_end, *_ = seen["LVS"]
    return _keeps(seen, pair) and not _keeps(seen, one_end)


def _keeps(seen: Seen, row: str) -> bool:
    """Whether a row keeps LVS within 1 % and clustering within a tenth."""
    return (
        abs(seen["LVS"][row] / seen["LVS, first"][row] - 1) <= 0.01
        and seen["clustering"][row] <= 1.1 * seen["clustering, first"][row]
    )


def _gaps(seen: Seen, of: str, to: str) -> list[float]:
    """Return by how much a column is above another in each row."""
    return [value - seen[to][row] for row, value in seen[of].items()]


def _instances(seen: Seen, column: str) -> list[tuple[float, ...]]:
    """Return the values of a column's rows in each instance."""
    return list(zip(*map(runs_of, seen[column].values()), strict=False))


def _ascend(
    seen: Seen, columns: Sequence[str], measure: Callable[[Sequence[float]], float]
) -> bool:
    """Whether means over instances of a measure of the rows ascend from column to column."""
    values = [fmean(map(measure, _instances(seen, column))) for column in columns]
    return all(one < other for one, other in pairwise(values))


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the correlation; 0 if one is constant."""
    try:
        return correlation(one, other)
    except StatisticsError:
        return 0.0
