"""Follower graphs: users that are topics too, with power laws in both directions.

A model of the Twitter graph of Vitis: the number of users that a user follows, and of its
followers, fall as x^-1.65 (§IV-E, Figure 8), and users of a community follow similar users. Real
follower graphs are read in :mod:`gossamer.tables` and sampled in
:mod:`gossamer.workloads.follower_sample`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.generate import follower_graph as kernels
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.workloads import sizes as size_draws
from gossamer.workloads.pattern import (
    Columns,
    Purpose,
    check_topics,
    checked_count,
    draw_columns,
    stream,
)
from gossamer.workloads.registry import workload
from gossamer.workloads.sizes import Sizes, power_law_of_mean
from gossamer.workloads.thresholds import probabilities, thresholds

REFERENCE = "after Rahimian et al., Vitis, IPDPS 2011, §IV-E, Figures 8 and 9"
EXPONENT = 1.65
GROUPS = 24
ROUNDS = 200
DECIMALS = 6
"""Decimals of the fitted log weights; hides different rounding of the last bit by processors."""


@dataclass(frozen=True)
class FollowerPattern:
    """Each node follows distinct users other than itself, in proportion to their weights.

    Users are named 0 to T - 1, and user 0 has most followers. With as many nodes as users the
    number of followers is distributed as x^-exponent, up to ``most_followed`` of all users, from
    the value that makes the means of both directions equal. Weights in proportion to these numbers
    would not give them: no node follows a user twice, so nodes that follow many soon have all
    popular users. So the weights are fitted to the numbers (see
    :func:`gossamer.kernels.generate.follower_graph.fit_weights`).

    User i, as a node and as a topic, belongs to the community i mod C. A draw selects the node's
    own community with probability ``within``, else all users, and there in proportion to the
    weights, so members of a community follow similar users. Draws are without replacement
    (successive sampling), as in :class:`gossamer.workloads.by_popularity.ByPopularity`.

    Attributes
    ----------
    topic_count
        Number of users T.
    sizes
        Number of users that a node follows, at most T - 1.
    followers_exponent
        Exponent of the number of followers.
    most_followed
        Share of all users that follow the most followed one; at least four times the mean, or all.
    community
        Approximate size of a community: there are T / community of them, at least one.
    within
        Share of draws from the own community; 0 for no communities.
    """

    topic_count: int
    sizes: Sizes
    followers_exponent: float = EXPONENT
    most_followed: float = 0.25
    community: int = 100
    within: float = 0.5

    def __post_init__(self) -> None:
        check_topics(self.topic_count, self.sizes)
        if self.sizes.maximum and self.sizes.maximum == self.topic_count:
            raise ParameterError(
                f"{self.sizes.maximum} subscriptions for a node, of {self.topic_count} users; "
                f"expected at most {self.topic_count - 1}, since no user follows itself"
            )
        if not 1 < self.followers_exponent <= 10:
            raise ParameterError(
                f"followers_exponent is {self.followers_exponent}; expected more than 1, at most 10"
            )
        if not 0 < self.most_followed <= 1:
            raise ParameterError(
                f"most_followed is {self.most_followed}; expected a share of all users, above 0 "
                "and at most 1"
            )
        if checked_count("community", self.community) < 1:
            raise ParameterError(f"community is {self.community}; expected 1 user or more")
        if not 0 <= self.within < 1:
            raise ParameterError(
                f"within is {self.within}; expected a share of draws, 0 or more and below 1"
            )

    @property
    def communities(self) -> int:
        """Number of communities."""
        return max(1, round(self.topic_count / self.community))

    def subscriptions_of(self, nodes: ArrayLike, *, seed: int = 0) -> Columns:
        """Return the users that these nodes follow, a row each.

        For N nodes with S subscriptions among T users: O(S log T + T) expected time when few draws
        repeat, O(S log T + N T log T) at worst; O(S + N + T) memory.
        """
        key, rest = stream(seed, Purpose.TOPICS), stream(seed, Purpose.REMAINING_TOPICS)
        return draw_columns(
            self.sizes, nodes, seed,
            lambda column, offsets, followed: kernels.draw_following(
                key, rest, column, offsets, *_tables(self), followed
            ),
        )  # fmt: skip

    def log_weights(self) -> list[float]:
        """Return the fitted log weight of each user, most followed first; O(T)."""
        grid, fitted = _fit_grid(self)
        ranks = (
            _quantile(_law(self), (rank + 0.5) / self.topic_count)
            for rank in range(self.topic_count)
        )
        return [_between(grid, fitted, math.log(degree)) for degree in ranks]


class _Law(NamedTuple):
    """Distribution of follower numbers: x^-exponent over the reals from least to most."""

    least: float
    most: float
    exponent: float


class _Tables(NamedTuple):
    """Arguments of the kernel, in its order."""

    limits: NDArray[np.uint64]
    community_offsets: NDArray[np.int64]
    community_limits: NDArray[np.uint64]
    within: np.uint64
    log_weights: NDArray[np.float64]
    log_own: NDArray[np.float64]
    log_other: float


@lru_cache(maxsize=16)
def _tables(pattern: FollowerPattern) -> _Tables:
    count, communities = pattern.topic_count, pattern.communities
    logs = pattern.log_weights()
    weights = [math.exp(value) for value in logs]
    whole = math.fsum(weights)
    members = [logs[first::communities] for first in range(communities)]
    own = [
        1 - pattern.within + pattern.within * whole / math.fsum(weights[first::communities])
        for first in range(communities)
    ]
    lengths = [len(one) for one in members]
    assert sum(lengths) == count
    return _Tables(
        thresholds(logs),
        offsets_of(lengths),
        np.concatenate([thresholds(one) for one in members]),
        np.uint64(int(pattern.within * 2.0**63)),
        np.array(logs, dtype=np.float64),
        np.array([math.log(factor) for factor in own], dtype=np.float64),
        math.log(1 - pattern.within),
    )


def _law(pattern: FollowerPattern) -> _Law:
    return _law_of(
        size_draws.mean_size(pattern.sizes),
        pattern.topic_count,
        pattern.most_followed,
        pattern.followers_exponent,
    )


@lru_cache(maxsize=16)
def _law_of(mean: float, users: int, most_followed: float, exponent: float) -> _Law:
    """Find the minimum number of followers, by bisection of the mean, which grows with it."""
    most = max(most_followed * users, min(4 * mean, float(users)))
    low, high = most * 1e-18, most
    for _ in range(200):
        middle = math.sqrt(low * high)
        if _mean_of(_Law(middle, most, exponent)) < mean:
            low = middle
        else:
            high = middle
    return _Law(low, most, exponent)


def _power_area(power: float, low: float, high: float) -> float:
    """Return the integral of x^power from low to high."""
    if abs(power + 1) < 1e-9:
        return math.log(high / low)
    return float((high ** (power + 1) - low ** (power + 1)) / (power + 1))


def _mean_of(law: _Law) -> float:
    if law.least >= law.most * (1 - 1e-9):
        return law.most
    part = _power_area(-law.exponent, law.least, law.most)
    return _power_area(1 - law.exponent, law.least, law.most) / part


def _quantile(law: _Law, above: float) -> float:
    """Return the number of followers that a share of users exceeds."""
    power = 1 - law.exponent
    ratio = (law.most / law.least) ** power
    return float(law.least * (ratio + (1 - ratio) * above) ** (1 / power))


@lru_cache(maxsize=16)
def _fit_grid(pattern: FollowerPattern) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return logarithms of follower numbers, ascending, and of the weights fitted to them."""
    law, users = _law(pattern), pattern.topic_count
    span = math.log(law.most / law.least)
    edges = [law.least * math.exp(span * step / GROUPS) for step in range(GROUPS + 1)]
    whole = _power_area(-law.exponent, law.least, law.most) if span > 1e-9 else 0.0
    if whole <= 0.0 or not pattern.sizes.maximum:
        return (math.log(law.most),), (0.0,)
    shares, degrees = [], []
    for low, high in pairwise(edges):
        part = _power_area(-law.exponent, low, high)
        shares.append(part / whole)
        degrees.append(_power_area(1 - law.exponent, low, high) / part)
    groups, group_shares = _size_groups(pattern.sizes)
    own_share = 1 / pattern.communities
    weights = np.array(degrees, dtype=np.float64)
    kernels.fit_weights(
        np.array(groups, dtype=np.float64),
        np.array(group_shares, dtype=np.float64),
        np.array(degrees, dtype=np.float64),
        np.array(shares, dtype=np.float64),
        own_share,
        1 - pattern.within + pattern.within / own_share,
        1 - pattern.within,
        float(users),
        ROUNDS,
        weights,
    )
    largest = max(weights.tolist())
    return (
        tuple(math.log(degree) for degree in degrees),
        tuple(round(math.log(weight / largest), DECIMALS) for weight in weights.tolist()),
    )


def _size_groups(sizes: Sizes) -> tuple[list[float], list[float]]:
    """Return the means of groups of similar sizes, and the share of nodes in each."""
    chances = probabilities(sizes.log_weights())
    top = math.log(sizes.maximum + 1) + 1e-9
    sums: dict[int, tuple[float, float]] = {}
    for size, chance in enumerate(chances, sizes.minimum):
        group = int(GROUPS * math.log(size + 1) / top)
        share, total = sums.get(group, (0.0, 0.0))
        sums[group] = (share + chance, total + chance * size)
    kept = [(share, total) for share, total in sums.values() if share > 0]
    return [total / share for share, total in kept], [share for share, _ in kept]


def _between(grid: tuple[float, ...], values: tuple[float, ...], at: float) -> float:
    """Interpolate linearly on an ascending grid."""
    if len(grid) == 1:
        return values[0]
    right = min(max(bisect_left(grid, at), 1), len(grid) - 1)
    slope = (values[right] - values[right - 1]) / (grid[right] - grid[right - 1])
    return values[right - 1] + slope * (at - grid[right - 1])


@workload("follower-graph", reference=REFERENCE)
def follower_kind(
    topics: int,
    sizes: Sizes,
    *,
    followers_exponent: float = EXPONENT,
    most_followed: float = 0.25,
    community: int = 100,
    within: float = 0.5,
) -> FollowerPattern:
    """Draw the users that each user follows: followers fall as x^-1.65, with communities."""
    return FollowerPattern(topics, sizes, followers_exponent, most_followed, community, within)


def follower_graph(
    users: int,
    *,
    mean: float = 80.0,
    exponent: float = EXPONENT,
    most: float = 0.25,
    community: int = 100,
    within: float = 0.5,
    seed: int = 0,
) -> Interests:
    """Draw a follower graph with the same power law in both directions (Vitis §IV-E).

    Parameters
    ----------
    users
        Number of users, which are nodes and topics.
    mean
        Mean number of users that a user follows; about 80 in Vitis's samples.
    exponent
        Exponent of both distributions; 1.65 in Vitis.
    most
        Maximum share of all users that a user follows, or that follow it.
    community, within
        Approximate size of a community, and the share of draws from the own one, which correlates
        interests; 0 for none. Both defaults are ours.
    seed
        Seed of the random number generator, 0 to 2^64 - 1.

    Raises
    ------
    ParameterError
        If no such power law has that mean, or a parameter is out of range.

    Notes
    -----
    The mean varies like that of as many draws from a heavy tail: by about 3 % at 10,000 users.

    Examples
    --------
    >>> follower_graph(1000, mean=20, seed=1)
    Interests(1000 nodes, 1000 topics, 19133 subscriptions)
    """
    count = checked_count("users", users)
    if not 0 < most <= 1:
        raise ParameterError(f"most is {most}; expected a share of all users, above 0, at most 1")
    largest = max(1, min(int(most * count), count - 1))
    sizes = power_law_of_mean(mean, exponent=exponent, most=largest)
    pattern = FollowerPattern(count, sizes, exponent, most, community, within)
    columns = pattern.subscriptions_of(np.arange(count, dtype=np.int64), seed=seed)
    return Interests.from_ids(*columns, node_names=count, topic_names=count)
