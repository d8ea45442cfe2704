"""Checks of statements of StaN's supplement."""

from __future__ import annotations

from itertools import pairwise
from typing import Unpack

from gossamer.studies.checks import Bounds, within
from gossamer.studies.statement import Seen


def mean_hops_not_above(seen: Seen, of: str, to: str) -> bool:
    """Whether the mean of a distribution over hops is at most that of another."""
    one, other = (
        sum(int(hops) * share for hops, share in seen[column].items()) for column in (of, to)
    )
    return one <= other


def lags(seen: Seen, column: str, behind: str, row: str, **bounds: Unpack[Bounds]) -> bool:
    """Whether a curve's lag behind another, as a share of that one's descent, is within bounds."""
    other = seen[behind]
    descent = other["0"] - min(other.values())
    return within((seen[column][row] - other[row]) / max(descent, 1e-9), **bounds)


def steps_in_order(seen: Seen, columns: list[str]) -> bool:
    """Whether the mean steps between rows ascend from column to column."""
    lines = [list(seen[column].values()) for column in columns]
    steps = [sum(abs(b - a) for a, b in pairwise(line)) / max(len(line), 1) for line in lines]
    return all(one < other for one, other in pairwise(steps))


def grows_then_shrinks(seen: Seen, column: str, rounds: list[int]) -> bool:
    """Whether a curve is lower 8 rounds after each of these rounds than at its peak in between."""
    line = seen[column]
    return all(
        line[str(start + 8)] < max(line[str(one)] for one in range(start, start + 8, 2))
        for start in rounds
    )


def reduces_physical_views(seen: Seen) -> bool:
    """Whether PVS falls by a quarter, LVS stays within 1 %, and every topic is connected."""
    return all(
        seen["PVS, last"][row] <= 0.75 * first
        and abs(seen["LVS, last"][row] / seen["LVS, first"][row] - 1) <= 0.01
        and seen["partitioned topics"][row] == 0
        for row, first in seen["PVS, first"].items()
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
