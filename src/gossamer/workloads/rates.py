"""Publication rates of topics, in events per second."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.workloads.pattern import checked_count
from gossamer.workloads.popularity import Popularity, Uniform, Zipf, topic_probabilities


def power_law_rates(
    topic_count: int, alpha: float, *, total: float | None = None
) -> NDArray[np.float64]:
    """Return rates in proportion to i^-alpha for i = 1 .. T, topic 0 the busiest.

    Vitis §IV-D varies alpha from 0.3, close to uniform, to 3, where almost all
    events are on a single topic. O(T) for T topics.

    Parameters
    ----------
    topic_count
        Number of topics T.
    alpha
        0 (uniform) or more.
    total
        Events per second over all topics; one for each topic if not given.

    Examples
    --------
    >>> power_law_rates(3, 1.0, total=11.0).round(6).tolist()
    [6.0, 3.0, 2.0]
    """
    return _shared_out(Zipf(alpha), topic_count, total)


def uniform_rates(topic_count: int, *, total: float | None = None) -> NDArray[np.float64]:
    """Return the same rate for each of T topics: ``total / T``, or 1 if no total is given.

    Examples
    --------
    >>> uniform_rates(4, total=2.0).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    return _shared_out(Uniform(), topic_count, total)


def _shared_out(
    popularity: Popularity, topic_count: int, total: float | None
) -> NDArray[np.float64]:
    count = checked_count("topics", topic_count)
    events = float(count) if total is None else float(total)
    if not (math.isfinite(events) and events >= 0):
        raise ParameterError(f"total is {total}; expected a number of events a second, 0 or more")
    return topic_probabilities(popularity, count) * events
