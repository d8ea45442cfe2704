"""The constant-diameter family: overlays of stars, in which every topic has diameter 2.

CD-ODA, CD-ODA-I, CD-ODA-II and TD-CD-ODA differ in the score that selects the next hub; 2D-ODA
gives a star to one topic at a time. In the formulas of the papers, counts, weights and densities
are over the remaining topics, and a star links its hub to the nodes that share a *remaining*
topic with it.

References
----------
Equations 1 to 4 are those of S. Layazali, K. Oztoprak, E. Dogdu: Topic distribution constant
diameter overlay design algorithm (TD-CD-ODA). ICSC 2017.
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


class _StarDesign:
    """State of a design: remaining topics, links so far, and the terms of the scores."""

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
        self.members = np.empty(node_count, dtype=np.int32)
        self.links: list[NDArray[np.int32]] = []

    def current_reach(self) -> NDArray[np.int64]:
        """Return the number of nodes that share a remaining topic with each node."""
        stars.recount_reach(
            self.stale, self.relation, self.remaining, self.reach, self.mark, self.members
        )
        return self.reach

    def strike(self, topics: NDArray[np.int32]) -> None:
        """Remove topics from those that remain."""
        stars.strike_topics(
            topics, self.relation, self.interests.popularity,
            self.remaining, self.weights, self.left, self.stale,
        )  # fmt: skip
        self.progress("adding stars", 1 - self.remaining.sum() / max(len(self.remaining), 1))

    def add(self, hub: int, members: NDArray[np.int32]) -> None:
        """Add the links of a star."""
        self.links.append(np.stack((np.full_like(members, hub), members), axis=1))

    def overlay(self) -> Overlay:
        """Return the overlay of all stars."""
        links = np.concatenate([np.empty((0, 2), dtype=np.int32), *self.links])
        return Overlay.from_links(self.interests.node_count, links)

    def add_node_stars(
        self, score: Callable[[_StarDesign], NDArray[np.float64] | NDArray[np.int64]]
    ) -> Overlay:
        """Add a star around the node of highest score and remove its topics, until none remains."""
        mark = np.full(self.interests.node_count, -1, dtype=np.int32)
        members = np.empty(self.interests.node_count, dtype=np.int32)
        while True:
            scores = score(self).astype(np.float64)
            hub = stars.best_star(scores, self.left > 0, self.order, self.degrees, self.by_degree)
            if hub < 0:
                return self.overlay()
            count = stars.star_links(hub, self.relation, self.remaining, mark, members)
            self.add(hub, members[:count].copy())
            self.degrees[hub] += count
            self.degrees[members[:count]] += 1
            topics = self.interests.topics_of(hub)
            self.strike(topics[self.remaining[topics]])


@algorithm("cd-oda", reference="Onus, Richa, IEEE/ACM ToN 2011", topic_connected=True, diameter=2)
def cd_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes that share topics with most other nodes (CD-ODA, Equation 1).

    Parameters
    ----------
    interests
        Subscriptions.
    ties
        Rule for equally good hubs: lowest degree (fewest-degree), random, or lowest identifier
        (lexicographic).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; every topic has diameter 2 at most.

    Notes
    -----
    O(I · Σ n_t²) time at worst for I stars, at most one per topic, and n_t subscribers of topic
    t, since each star changes the counts of the nodes that lose a topic; O(V + S) memory. A link
    may count twice in a degree if two hubs choose each other, which matters for ties only.

    References
    ----------
    M. Onus, A. W. Richa: Minimum maximum-degree publish-subscribe overlay network design.
    IEEE/ACM Transactions on Networking 19(5), 2011.

    See Also
    --------
    cd_oda_1, cd_oda_2, td_cd_oda, two_d_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda(Interests.from_lists({"a": ["x", "y"], "b": "x", "c": "y"})).link_count
    2
    """
    return _StarDesign(interests, ties, seed, progress).add_node_stars(_StarDesign.current_reach)


@algorithm("cd-oda-1", reference="Onus, Richa, ICDCS 2010", topic_connected=True, diameter=2)
def cd_oda_1(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes whose topics have most subscribers in total (CD-ODA-I, Equation 2).

    Parameters
    ----------
    interests
        Subscriptions.
    ties
        Rule for equally good hubs: lowest degree (fewest-degree), random, or lowest identifier
        (lexicographic).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; every topic has diameter 2 at most.

    Notes
    -----
    O(S + V · T) time, O(V + S) memory.

    See Also
    --------
    cd_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda_1(Interests.from_lists({"a": ["x", "y"], "b": "x", "c": "y"})).link_count
    2
    """
    return _StarDesign(interests, ties, seed, progress).add_node_stars(lambda now: now.weights)


@algorithm("cd-oda-2", reference="Onus, Richa, ICDCS 2010", topic_connected=True, diameter=2)
def cd_oda_2(
    interests: Interests,
    *,
    density: Literal["printed", "others"] = "printed",
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes of highest connection density, weight over reach (CD-ODA-II).

    Parameters
    ----------
    interests
        Topics of each node.
    density
        Weight of a node in Equation 3: with itself among the subscribers of its topics
        (printed, as in the paper), or with the other subscribers only (others).
    ties
        Rule for nodes of equal density: lowest degree, random, or lowest identifier.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; every topic has diameter 2 at most.

    Notes
    -----
    Time and memory as :func:`cd_oda`: O(I · Σ n_t²) time at worst, O(V + S) memory.

    See Also
    --------
    cd_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> cd_oda_2(Interests.from_lists({"a": ["x", "y"], "b": "x", "c": "y"})).link_count
    2
    """

    def connection_density(now: _StarDesign) -> NDArray[np.float64]:
        weights = now.weights - now.left if density == "others" else now.weights
        # A node without others to link to needs no link: its star is free.
        reach = now.current_reach()
        return np.where(reach > 0, weights / np.maximum(reach, 1), np.inf)

    return _StarDesign(interests, ties, seed, progress).add_node_stars(connection_density)


@algorithm(
    "td-cd-oda", reference="Layazali, Oztoprak, Dogdu, ICSC 2017", topic_connected=True, diameter=2
)
def td_cd_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Stars around the nodes of lowest topic distribution: few subscribers a topic (TD-CD-ODA).

    The topic distribution is Σ n_t over the remaining topics of the node, divided by its
    initial number of subscriptions (Algorithm 1, line 4).

    Parameters
    ----------
    interests
        Subscriptions.
    ties
        Rule for equally good hubs: lowest degree (fewest-degree), random, or lowest identifier
        (lexicographic).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; every topic has diameter 2 at most.

    Notes
    -----
    O(S + V · T) time, O(V + S) memory.

    See Also
    --------
    cd_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> td_cd_oda(Interests.from_lists({"a": ["x", "y"], "b": "x", "c": "y"})).link_count
    2
    """
    return _StarDesign(interests, ties, seed, progress).add_node_stars(
        lambda now: -now.weights / np.maximum(now.sizes, 1)
    )


@algorithm(
    "2d-oda", reference="Onus, Richa, Computer Networks 94, 2016", topic_connected=True, diameter=2
)
def two_d_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Give each topic a star, hub and topic of highest topic density first (2D-ODA, Equation 4).

    The topic density is Σ n_t over the remaining topics of the hub, divided by the number of
    other subscribers of the topic that the hub is not linked to; a star without new links comes
    first.

    Parameters
    ----------
    interests
        Subscriptions.
    ties
        Rule for equally good hubs: lowest degree (fewest-degree), random, or lowest identifier
        (lexicographic).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; every topic has diameter 2 at most.

    Notes
    -----
    O(S · (s + log V)) time for S subscriptions, s of them per node; O(S) memory.

    See Also
    --------
    cd_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> two_d_oda(Interests.from_lists({"a": ["x", "y"], "b": "x", "c": "y"})).link_count
    2
    """
    stars_so_far = _StarDesign(interests, ties, seed, progress)
    relation, by_degree = stars_so_far.relation, stars_so_far.by_degree
    count, node_count = interests.subscription_count, interests.node_count
    densities = topic_stars.Densities(
        stars_so_far.remaining,
        stars_so_far.weights,
        np.zeros(count, dtype=np.int32),
        stars_so_far.degrees,
    )
    neighbours = topic_stars.AdjacencyLists(
        np.full(node_count, -1, dtype=np.int32), *np.empty((2, 2 * count), dtype=np.int32)
    )
    tournament = _tournament(stars_so_far.order)
    mark = np.zeros(node_count, dtype=np.int32)
    members = np.empty(node_count, dtype=np.int32)
    used = 0
    stale = np.arange(node_count, dtype=np.int32)
    while True:
        topic_stars.refresh(stale, relation, densities, tournament, by_degree)
        hub = int(tournament.winners[1])
        if hub < 0 or tournament.best[hub] < 0:
            return stars_so_far.overlay()
        topic = int(interests.node_topics[tournament.best[hub]])
        found = topic_stars.add_topic_star(
            hub, topic, used, relation, densities, neighbours, mark, members
        )
        used += 2 * found
        stars_so_far.add(hub, members[:found].copy())
        stars_so_far.strike(np.array([topic], dtype=np.int32))
        stale = interests.subscribers_of(topic).copy()


def _tournament(order: NDArray[np.int32]) -> topic_stars.Tournament:
    """Return a binary tree with the nodes at its leaves, in the order given."""
    leaves = 1 << max(len(order) - 1, 1).bit_length()
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    winners = np.full(2 * leaves, -1, dtype=np.int32)
    winners[leaves : leaves + len(order)] = order
    return topic_stars.Tournament(order, ranks, np.full(len(order), -1, dtype=np.int32), winners)
