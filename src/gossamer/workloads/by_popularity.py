"""Interests by topic popularity: uniform, Zipf, exponential, RSS, NYSE.

Each node draws its number of topics, then as many distinct topics, in proportion to popularity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.kernels.generate import draws as sampling
from gossamer.workloads.pattern import Columns, Purpose, check_topics, draw_columns, stream
from gossamer.workloads.popularity import ExponentialDecay, Popularity, TopShare, Uniform, Zipf
from gossamer.workloads.registry import workload
from gossamer.workloads.sizes import Sizes
from gossamer.workloads.thresholds import thresholds


@dataclass(frozen=True)
class ByPopularity:
    """Each node draws distinct topics, one after the other, in proportion to popularity.

    This is *successive sampling*: the next topic is i with probability p_i over the sum of p over
    the topics not yet chosen. It is done by drawing from p, with rejection of repeats. With skewed
    popularity and many topics that could take arbitrarily long (Zipf(2), 90 of 200 topics), so
    after 4 k + 16 draws for k topics the rest is chosen at once: topic i gets an exponential
    arrival time E_i / p_i, and the earliest of the missing topics are chosen (Efraimidis and
    Spirakis, IPL 97(5), 2006).

    The switch does not bias the result. Draws with replacement are independent of each other; so
    for any result of the first m draws, the order in which the *other* topics would come up first
    is that of successive sampling over them, and independent of those m draws. Arrival times order
    topics by the same law: of independent exponentials with rates p_i, the first is i with
    probability p_i over the sum, and, since exponentials are memoryless, so on for the rest. The
    moment of the switch depends only on the draws before it, so replacing the continuation by an
    independent one of equal law leaves the law of the whole unchanged.

    Attributes
    ----------
    topic_count
        Number of topics T; topic 0 is the most popular.
    sizes
        Subscription sizes of nodes.
    popularity
        Probability of each topic in one draw.
    """

    topic_count: int
    sizes: Sizes
    popularity: Popularity

    def __post_init__(self) -> None:
        check_topics(self.topic_count, self.sizes)

    def subscriptions_of(self, nodes: ArrayLike, *, seed: int = 0) -> Columns:
        """Return the subscriptions of these nodes, a row each.

        For N nodes with S subscriptions among T topics: O(S log T + T) expected time when few draws
        repeat, O(S log T + N T log T) at worst; O(S + N + T) memory.
        """
        keys = stream(seed, Purpose.TOPICS), stream(seed, Purpose.REMAINING_TOPICS)
        return draw_columns(
            self.sizes, nodes, seed,
            lambda column, offsets, topics: sampling.draw_by_weight(
                *keys, column, offsets, *_tables(self.popularity, self.topic_count), topics
            ),
        )  # fmt: skip


@lru_cache(maxsize=16)
def _tables(
    popularity: Popularity, topic_count: int
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    log_weights = popularity.log_weights(topic_count)
    return thresholds(log_weights), np.array(log_weights, dtype=np.float64)


@workload("uniform", reference="Chockler et al., SpiderCast, DEBS 2007, §3.3")
def uniform(topics: int, sizes: Sizes) -> ByPopularity:
    """Draw all topics with equal probability."""
    return ByPopularity(topics, sizes, Uniform())


@workload("rss", reference="Liu et al., IMC 2005; SpiderCast §3.1")
def rss(topics: int, sizes: Sizes) -> ByPopularity:
    """Draw topics by the popularity of RSS feeds: Zipf with alpha = 0.5."""
    return ByPopularity(topics, sizes, Zipf(0.5))


@workload("zipf", reference="Chockler et al., SpiderCast, DEBS 2007, §3.1")
def zipf(topics: int, sizes: Sizes, *, alpha: float = 1.0) -> ByPopularity:
    """Draw the i-th topic in proportion to 1 / i^alpha."""
    return ByPopularity(topics, sizes, Zipf(alpha))


@workload("exponential", reference="Chen et al., ElastO, §7.1")
def exponential(topics: int, sizes: Sizes, *, rate: float = 0.02) -> ByPopularity:
    """Draw the i-th topic in proportion to exp(-rate · i).

    ElastO does not give its rate; the default is ours.
    """
    return ByPopularity(topics, sizes, ExponentialDecay(rate))


@workload("nyse", reference="Tock et al., PDCS 2005; SpiderCast §3.1")
def nyse(topics: int, sizes: Sizes) -> ByPopularity:
    """Draw topics by the popularity of stocks: exponential, the top 10 % have 0.55 of the draws."""
    return ByPopularity(topics, sizes, TopShare())
