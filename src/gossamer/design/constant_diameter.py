"""The constant-diameter family: stars, so that no two subscribers are more than two hops apart.

CD-ODA, CD-ODA-I, CD-ODA-II and TD-CD-ODA differ in one line: which node gets the next
star. 2D-ODA, which gives a star to one topic at a time, stands beside them. How the
papers' formulas are read: counts, weights and densities are over the topics that
remain, and a star reaches the nodes that share a *remaining* topic with its hub.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import Ties, check_ties
from gossamer.design.registry import algorithm
from gossamer.kernels.relation import relation_of
from gossamer.kernels.trees import stars, topic_stars
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent

__all__ = ["cd_oda", "cd_oda_1", "cd_oda_2", "td_cd_oda", "two_d_oda"]

Scores = NDArray[np.float64]


class _Stars:
    """What remains, and what the scores are made of."""

    def __init__(
        self, interests: Interests, ties: Ties, seed: int, progress: Progress | None
    ) -> None:
        check_ties(ties)
        self.interests = interests
        self.by_degree = ties == "fewest-degree"
        self.progress = progress or silent
        node_count = interests.node_count
        self.order = np.arange(node_count, dtype=np.int32)
        if ties != "lexicographic":
            np.random.default_rng(seed).shuffle(self.order)
        self.sizes = interests.subscription_sizes
        self.remaining = interests.popularity > 0
        self.left = self.sizes.astype(np.int32)
        self.degrees = np.zeros(node_count, dtype=np.int32)
        self.weights = np.empty(node_count, dtype=np.int64)
        self.relation = relation_of(interests)
        stars.initial_weights(self.relation, interests.popularity, self.weights)
        self.reach = np.empty(node_count, dtype=np.int64)
        self.stale = np.ones(node_count, dtype=np.bool_)
        self.mark = np.full(node_count, -1, dtype=np.int32)
        self.links: list[NDArray[np.int32]] = []

    def current_reach(self) -> NDArray[np.int64]:
        """Return how many others share a remaining topic with each node."""
        stars.recount_reach(self.stale, self.relation, self.remaining, self.reach, self.mark)
        return self.reach

    def strike(self, topics: NDArray[np.int32]) -> None:
        """Take topics off what remains."""
        stars.strike_topics(
            topics, self.relation, self.interests.popularity,
            self.remaining, self.weights, self.left, self.stale,
        )  # fmt: skip
        self.progress("giving out stars", 1 - self.remaining.sum() / max(len(self.remaining), 1))

    def add(self, hub: int, members: NDArray[np.int32]) -> None:
        """Keep the links of a star."""
        self.links.append(np.stack((np.full_like(members, hub), members), axis=1))

    def overlay(self) -> Overlay:
        """Return what has been built."""
        links = np.concatenate([np.empty((0, 2), dtype=np.int32), *self.links])
        return Overlay.from_links(self.interests.node_count, links)


def _node_stars(family: _Stars, score: Callable[[_Stars], Scores]) -> Overlay:
    """Give a star to the node of highest score, strike its topics, until none remains."""
    interests = family.interests
    mark = np.full(interests.node_count, -1, dtype=np.int32)
    members = np.empty(interests.node_count, dtype=np.int32)
    while True:
        hub = stars.best_star(
            score(family), family.left > 0, family.order, family.degrees, family.by_degree
        )
        if hub < 0:
            return family.overlay()
        count = stars.star_links(hub, family.relation, family.remaining, mark, members)
        family.add(hub, members[:count].copy())
        family.degrees[hub] += count
        family.degrees[members[:count]] += 1
        topics = interests.topics_of(hub)
        family.strike(topics[family.remaining[topics]])


@algorithm(
    "cd-oda",
    reference="Onus, Richa, IEEE/ACM ToN 2011",
    topic_connected=True,
    diameter=2,
)
def cd_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes that share topics with the most others (CD-ODA).

    Returns
    -------
    Overlay
        Topic-connected, every topic's diameter at most 2.

    Notes
    -----
    O(I · Σ n_t²) time at worst for I stars, of which there are at most as many as topics,
    and n_t subscribers of a topic: after each star, the nodes that lost a topic are counted
    anew over what remains to them. O(V + S) memory. A degree may be counted twice where two hubs
    choose each other, which matters for ties only.

    References
    ----------
    M. Onus, A. W. Richa: Minimum maximum-degree publish-subscribe overlay network design.
    Equation 1 of Layazali, Oztoprak, Dogdu, ICSC 2017.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda(Interests.from_lists({"a": "xy", "b": "x", "c": "y"})).link_count
    2
    """
    family = _Stars(interests, ties, seed, progress)
    return _node_stars(family, lambda now: now.current_reach().astype(np.float64))


@algorithm(
    "cd-oda-1",
    reference="Onus, Richa, ICDCS 2010",
    topic_connected=True,
    diameter=2,
)
def cd_oda_1(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes whose topics have the most subscribers in all (CD-ODA-I).

    Returns
    -------
    Overlay
        Topic-connected, every topic's diameter at most 2.

    Notes
    -----
    O(S + V · T) time, O(V + S) memory.

    References
    ----------
    Equation 2 of Layazali, Oztoprak, Dogdu, ICSC 2017.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda_1(Interests.from_lists({"a": "xy", "b": "x", "c": "y"})).link_count
    2
    """
    family = _Stars(interests, ties, seed, progress)
    return _node_stars(family, lambda now: now.weights.astype(np.float64))


@algorithm(
    "cd-oda-2",
    reference="Onus, Richa, ICDCS 2010",
    topic_connected=True,
    diameter=2,
)
def cd_oda_2(
    interests: Interests,
    *,
    density: Literal["printed", "others"] = "printed",
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes of highest connection density: weight over reach (CD-ODA-II).

    Parameters
    ----------
    interests
        Who wants what.
    density
        Equation 3 counts a node among its topics' own subscribers, and that is the default;
        "others" leaves it out of the weight.
    ties
        Which of the nodes of equal density: the one of fewest links, a random one, or the
        first by id.
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected, every topic's diameter at most 2.

    Notes
    -----
    O(I · Σ n_t²) time at worst for I stars, as CD-ODA; O(V + S) memory.

    References
    ----------
    Equation 3 of Layazali, Oztoprak, Dogdu, ICSC 2017.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda_2(Interests.from_lists({"a": "xy", "b": "x", "c": "y"})).link_count
    2
    """

    def connection_density(now: _Stars) -> Scores:
        weights = now.weights - now.left if density == "others" else now.weights
        # A node that reaches nobody needs no link: its star is free.
        reach = now.current_reach()
        return np.where(reach > 0, weights / np.maximum(reach, 1), np.inf)

    family = _Stars(interests, ties, seed, progress)
    return _node_stars(family, connection_density)


@algorithm(
    "td-cd-oda",
    reference="Layazali, Oztoprak, Dogdu, ICSC 2017",
    topic_connected=True,
    diameter=2,
)
def td_cd_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes of least topic distribution: few subscribers a topic (TD-CD-ODA).

    The topic distribution is Σ n_t over the node's remaining topics, divided by its
    initial subscription size (Algorithm 1, line 4).

    Returns
    -------
    Overlay
        Topic-connected, every topic's diameter at most 2.

    Notes
    -----
    O(S + V · T) time, O(V + S) memory.

    References
    ----------
    S. Layazali, K. Oztoprak, E. Dogdu: Topic distribution constant diameter overlay design
    algorithm (TD-CD-ODA). ICSC 2017.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> td_cd_oda(Interests.from_lists({"a": "xy", "b": "x", "c": "y"})).link_count
    2
    """
    family = _Stars(interests, ties, seed, progress)
    return _node_stars(family, lambda now: -now.weights / np.maximum(now.sizes, 1))


@algorithm(
    "2d-oda",
    reference="Onus, Richa, Computer Networks 94, 2016",
    topic_connected=True,
    diameter=2,
)
def two_d_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Give each topic a star, the hub and topic of highest topic density first (2D-ODA).

    The topic density is Σ n_t over the hub's remaining topics, divided by the number of
    the topic's other subscribers that the hub is not linked to; a star that needs no new
    link comes first.

    Returns
    -------
    Overlay
        Topic-connected, every topic's diameter at most 2.

    Notes
    -----
    O(S · (s + log V)) time for S subscriptions, s of them a node; O(S) memory.

    References
    ----------
    Equation 4 of Layazali, Oztoprak, Dogdu, ICSC 2017.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> two_d_oda(Interests.from_lists({"a": "xy", "b": "x", "c": "y"})).link_count
    2
    """
    family = _Stars(interests, ties, seed, progress)
    count, node_count = interests.subscription_count, interests.node_count
    densities = topic_stars.Densities(
        family.remaining, family.weights, np.zeros(count, dtype=np.int32), family.degrees
    )
    neighbours = topic_stars.AdjacencyLists(
        np.full(node_count, -1, dtype=np.int32), *np.empty((2, 2 * count), dtype=np.int32)
    )
    tournament = _tournament(family.order)
    mark = np.zeros(node_count, dtype=np.int32)
    members = np.empty(node_count, dtype=np.int32)
    used = 0
    stale = np.arange(node_count, dtype=np.int32)
    while True:
        topic_stars.refresh(stale, family.relation, densities, tournament, family.by_degree)
        hub = int(tournament.winners[1])
        if hub < 0 or tournament.best[hub] < 0:
            return family.overlay()
        topic = int(interests.node_topics[tournament.best[hub]])
        found = topic_stars.add_topic_star(
            hub, topic, used, family.relation, densities, neighbours, mark, members
        )
        used += 2 * found
        family.add(hub, members[:found].copy())
        family.strike(np.array([topic], dtype=np.int32))
        stale = interests.subscribers_of(topic).copy()


def _tournament(order: NDArray[np.int32]) -> topic_stars.Tournament:
    """NodeContext the nodes, in the order given, at the leaves of a tree."""
    leaves = 1 << max(len(order) - 1, 1).bit_length()
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    winners = np.full(2 * leaves, -1, dtype=np.int32)
    winners[leaves : leaves + len(order)] = order
    return topic_stars.Tournament(order, ranks, np.full(len(order), -1, dtype=np.int32), winners)
