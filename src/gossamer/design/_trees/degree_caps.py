"""What algorithms with a bounded radius share: checking it, and how many links a node may have."""

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

__all__ = [
    "MAX_CAP",
    "MAX_RADIUS",
    "DegreeCaps",
    "asked_nodes",
    "caps_of",
    "check_cap",
    "check_radius",
    "degree_caps",
    "links_needed",
    "typical_links",
]

MAX_RADIUS = 64
"""Above it a bound is hardly one: greedy merge itself stays within it on most interests."""

MAX_CAP = 1_000_000
"""More than any node should have; with √k times as many it still is a whole number of 32 bits."""

BRANCHES = 5 / 3, 5.0, 3.0
"""Of the rule for caps: how n^(1/R) counts, how ln n / (R - 1/2) does, and the least.

Fitted on ``rss`` interests, 10,000 nodes with 10 of 100 topics, for low degrees at radii 5 to 10.
"""

MIN_LINKS = 7.0
"""A cap by rule is not below it: twice what nodes have on average without a bound, nearly.

Fitted on interests of Ask Ubuntu and Facebook.
"""

ASKED = 500
"""Nodes whose needs are looked at, to tell the average node's."""


@dataclass(frozen=True, eq=False)
class DegreeCaps:
    """How many links each node should have at most.

    Attributes
    ----------
    average
        For a node of average interests.
    caps
        For each node.
    """

    average: int
    caps: NDArray[np.int32]

    @property
    def same(self) -> bool:
        """Whether it is the same for all nodes."""
        return bool((self.caps == self.average).all())

    def over(self, overlay: Overlay) -> tuple[int, int]:
        """Return how many nodes have more links than that, and by how many at most."""
        beyond = overlay.degrees - self.caps
        return int((beyond > 0).sum()), max(int(beyond.max(initial=0)), 0)


def check_radius(radius: int) -> None:
    """Raise where it is no radius."""
    if not _whole(radius) or not 1 <= radius <= MAX_RADIUS:
        raise ParameterError(
            f"radius is {radius!r}; expected 1 to {MAX_RADIUS} (without a bound there are "
            "greedy-merge and low-oda)"
        )


def check_cap(degree_cap: int) -> None:
    """Raise where it is no cap."""
    if not _whole(degree_cap) or not 0 <= degree_cap <= MAX_CAP:
        raise ParameterError(
            f"degree_cap is {degree_cap!r}; expected 1 to {MAX_CAP:,}, or 0: by rule"
        )


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def degree_caps(interests: Interests, *, radius: int, degree_cap: int = 0) -> DegreeCaps:
    """Return how many links each node should have: the cap given, or by rule.

    A tree of n members and radius R has a member with n^(1/R) children or nearly so, and a
    node is in trees of several topics, sharing links between them. So the rule is
    5/3 μ n^(1/R), cut. Where R is ln n or somewhat less, a few more links are worth it, and it
    is 5 μ ln n / (R - 1/2), which is more there, as nearly the tangent of that power; and it is
    3 μ at least. n are the subscribers of the largest topic, and μ is the mean, over a sample of
    nodes, of their topics over their largest overlap with any other node: the least number of
    links that could do for them. And it is 7 at least, times the fourth root of E(s²) / E(s)² for
    sizes s of subscriptions: where they differ much, hubs take what others have no links for, and
    less room for others costs links without lowering the maximum.

    A node with k times as many subscriptions as the average may have √k times as many links:
    it has k times the needs, and finds partners with which it shares more.

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
    """Return the caps of nodes of these sizes.

    ``widest`` is how many subscribers the largest topic has, and ``links`` how many an
    average node needs at least.
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


def asked_nodes(needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes whose needs are looked at, of nodes with so many shared topics each."""
    asking = np.flatnonzero(needs)
    return asking[np.linspace(0, len(asking) - 1, min(ASKED, len(asking))).astype(np.int64)]


def links_needed(needs: NDArray[np.int64], overlaps: NDArray[np.int64]) -> float:
    """Return how many links a node needs, from some nodes' topics and largest overlaps."""
    return max(float((needs / overlaps).mean()), 1.0) if len(needs) else 1.0


def typical_links(interests: Interests) -> float:
    """Return how many links an average node needs, from what nodes all over need."""
    shared = interests.popularity[interests.node_topics] >= 2
    needs = np.bincount(interests.node_column[shared], minlength=interests.node_count)
    asked = asked_nodes(needs)
    return links_needed(needs[asked], largest_overlaps(asked, relation_of(interests)))
