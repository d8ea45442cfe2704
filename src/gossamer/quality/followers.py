"""Follower counts of a follower graph: the statistics of Vitis's Figures 8 and 9.

A follower graph is interests whose topics are users too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gossamer.model import Interests
from gossamer.quality.distributions import Histogram
from gossamer.quality.power_law import log_log_exponent
from gossamer.quality.shape import FittedHistogram, fit_histogram


@dataclass(frozen=True)
class FollowerDegrees:
    """Degrees of a follower graph, in both directions, over all users.

    Attributes
    ----------
    followers
        In-degree: number of followers of a user.
    followed
        Out-degree: number of subscriptions of a user.
    """

    followers: FittedHistogram
    followed: FittedHistogram

    def facts(self) -> dict[str, dict[str, int | float | None]]:
        """Return the rows of Figure 9 and the exponents of Figure 8, by direction and label.

        There are four exponents: of the tail and from 1 on, by maximum likelihood; of a straight
        line through the log-binned distribution; and a of the ranks, which corresponds to 1 + 1/a.
        """
        return {"in-degree": _facts(self.followers), "out-degree": _facts(self.followed)}


def follower_degrees(interests: Interests) -> FollowerDegrees:
    """Return the degrees of a follower graph with power-law fits (Vitis §IV-E, Figures 8 and 9).

    A user is a node or a topic, by name; one that is only one of them has degree 0 in the other
    direction. :meth:`gossamer.quality.distributions.Histogram.log_bins` gives the data of a plot.
    O(users log users), and the fits.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> found = follower_degrees(Interests.from_lists({"ann": ["bob", "cy"], "bob": ["cy"]}))
    >>> found.followers.histogram.mean, found.followed.histogram.maximum
    (1.0, 2)
    """
    nodes, topics = interests.node_names, interests.topic_names
    both = np.isin(nodes, topics).sum() if nodes.dtype == topics.dtype else 0
    users = len(nodes) + len(topics) - int(both)
    return FollowerDegrees(
        fit_histogram(_with_zeros(interests.popularity, users)),
        fit_histogram(_with_zeros(interests.subscription_sizes, users)),
    )


def _with_zeros(degrees: np.ndarray[tuple[int, ...], np.dtype[np.int64]], users: int) -> Histogram:
    values = np.append(degrees, 0)
    return Histogram.of(values, np.append(np.ones_like(degrees), users - len(degrees)))


def _facts(one: FittedHistogram) -> dict[str, int | float | None]:
    shape = one.histogram
    return {
        "average": shape.mean,
        "variance": shape.variance,
        "standard deviation": shape.deviation,
        "maximum": shape.maximum,
        "exponent of the tail": one.fit.exponent if one.fit else None,
        "exponent from 1 on": one.plain.exponent if one.plain else None,
        "exponent of a line through log-log bins": log_log_exponent(shape),
        "exponent of the ranks": one.ranks,
    }
