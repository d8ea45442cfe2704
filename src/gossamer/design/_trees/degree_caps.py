"""Radius and degree caps of the algorithms with bounded radius."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.measure.overlap import largest_overlaps
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay

MAX_RADIUS = 64
"""Greedy merge itself stays within this radius on most interests."""

MAX_CAP = 1_000_000
"""A cap times the √k of a large node still fits 32 bits."""

BRANCHES = 5 / 3, 5.0, 3.0
"""Factors of n^(1/R) and of ln n / (R - 1/2) in the rule for caps, and its minimum.

Fitted on ``rss`` interests, 10,000 nodes with 10 of 100 topics, for low degrees at radii 5 to 10.
"""

MIN_LINKS = 7.0
"""Minimum cap by rule: nearly twice the mean degree without a bound on the radius.

Fitted on interests of Ask Ubuntu and Facebook.
"""

SAMPLE = 500
"""Nodes in the sample from which the links of an average node are estimated."""


@dataclass(frozen=True, eq=False)
class DegreeCaps:
    """Maximum degrees.

    Attributes
    ----------
    average
        Cap of a node of average interests.
    caps
        Cap of each node.
    """

    average: int
    caps: NDArray[np.int32]

    @property
    def same(self) -> bool:
        """Whether all nodes have the same cap."""
        return bool((self.caps == self.average).all())

    def over(self, overlay: Overlay) -> tuple[int, int]:
        """Return the number of nodes above their cap, and the largest excess."""
        beyond = overlay.degrees - self.caps
        return int((beyond > 0).sum()), max(int(beyond.max(initial=0)), 0)


def check_radius(radius: int) -> None:
    """Raise :class:`ParameterError` unless the radius is valid."""
    if not _whole(radius) or not 1 <= radius <= MAX_RADIUS:
        raise ParameterError(
            f"radius is {radius!r}; expected 1 to {MAX_RADIUS} (without a bound there are "
            "greedy-merge and low-oda)"
        )


def check_cap(degree_cap: int) -> None:
    """Raise :class:`ParameterError` unless the degree cap is valid."""
    if not _whole(degree_cap) or not 0 <= degree_cap <= MAX_CAP:
        raise ParameterError(
            f"degree_cap is {degree_cap!r}; expected 1 to {MAX_CAP:,}, or 0: by rule"
        )


TREE_CHECKS = {"radius": check_radius, "degree_cap": check_cap}
"""Checks of the options of trees with a radius."""


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def degree_caps(interests: Interests, *, radius: int, degree_cap: int = 0) -> DegreeCaps:
    """Return the maximum degree of each node: the cap given, or by a rule.

    A tree of n members and radius R has a member with about n^(1/R) children, and a node belongs to
    trees of several topics, which share links. So the rule is 5/3 μ n^(1/R), rounded down. If R is
    ln n or somewhat less, a few more links pay off, and the rule is 5 μ ln n / (R - 1/2), which is
    more there, nearly the tangent of that power. The cap is at least 3 μ. Here n is the number of
    subscribers of the largest topic, and μ the mean, over a sample of nodes, of the number of
    topics over the largest overlap with any other node: the fewest links that could suffice. The
    cap is also at least 7 times the fourth root of E(s²) / E(s)² for subscription sizes s: if they
    differ much, hubs take the links that other nodes have no room for, and a lower cap costs links
    without lowering the maximum.

    A node with k times the average number of subscriptions may have √k times as many links: it has
    k times the needs, and finds partners with which it shares more.

    Costs 500 rows of subscriber lists: O(500 · S · s / V).
    """
    links = 1.0
    if interests.subscription_count and not degree_cap:
        links = typical_links(interests)
    widest = int(interests.popularity.max(initial=0))
    return caps_of(
        interests.subscription_sizes, widest, links, radius=radius, degree_cap=degree_cap
    )


def caps_of(
    sizes: NDArray[np.int64], widest: int, links: float, *, radius: int, degree_cap: int
) -> DegreeCaps:
    """Return the caps of nodes of these subscription sizes.

    ``widest`` is the number of subscribers of the largest topic, and ``links`` the number of links
    that an average node needs at least.
    """
    if not widest:
        return DegreeCaps(degree_cap or 1, np.full(len(sizes), degree_cap or 1, dtype=np.int32))
    power, tangent, least = BRANCHES
    branches = max(power * widest ** (1 / radius), tangent * log(widest) / (radius - 0.5), least)
    relative = sizes / sizes[sizes > 0].mean()
    least = MIN_LINKS * float(np.square(relative[sizes > 0]).mean()) ** 0.25
    average = degree_cap or int(max(links * branches, least))
    factors = np.sqrt(np.maximum(relative, 1))
    return DegreeCaps(average, np.minimum(np.ceil(average * factors), 1 << 30).astype(np.int32))


def sample_nodes(needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a sample of nodes with shared topics, given the number of those of each node."""
    asking = np.flatnonzero(needs)
    return asking[np.linspace(0, len(asking) - 1, min(SAMPLE, len(asking))).astype(np.int64)]


def needed_links(needs: NDArray[np.int64], overlaps: NDArray[np.int64]) -> float:
    """Return the links that a node needs, from the topics and largest overlaps of a sample."""
    return max(float((needs / overlaps).mean()), 1.0) if len(needs) else 1.0


def typical_links(interests: Interests) -> float:
    """Return the links that an average node needs, from a sample of nodes."""
    shared = interests.popularity[interests.node_topics] >= 2
    needs = np.bincount(interests.node_column[shared], minlength=interests.node_count)
    asked = sample_nodes(needs)
    return needed_links(needs[asked], largest_overlaps(asked, relation_of(interests)))
