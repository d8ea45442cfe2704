"""Other interpretations of CD-ODA-II and 2D-ODA, tried where the published values differ from ours.

Each is written for a few hundred nodes, as plainly as the paper states it: the interests are a
matrix of nodes and topics, and each step looks at all of it again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests

Matrix = NDArray[np.int64]


def interest_matrix(interests: Interests) -> Matrix:
    """Return the matrix with 1 for each subscription of a node (row) to a topic (column)."""
    matrix = np.zeros((interests.node_count, interests.topic_count), dtype=np.int64)
    for node in range(interests.node_count):
        matrix[node, interests.topics_of(node)] = 1
    return matrix


def cd_oda_2_degrees(interests: Matrix, *, once: bool, whole_reach: bool) -> Matrix:
    """Return the degrees of CD-ODA-II (Equation 3).

    Parameters
    ----------
    interests
        Matrix of interests.
    once
        Whether densities are computed once, over all topics, instead of over the remaining topics
        in each step.
    whole_reach
        Whether a hub is linked to all nodes that share any topic with it, instead of a remaining
        one.
    """
    nodes, topics = interests.shape
    remaining = np.ones(topics, dtype=bool)
    links = np.zeros((nodes, nodes), dtype=bool)
    at_first = _connection_densities(interests)
    while remaining.any():
        density = at_first if once else _connection_densities(interests[:, remaining])
        left = interests[:, remaining].any(axis=1)
        hub = int(np.argmax(np.where(left, density, -1.0)))
        shared = np.flatnonzero(interests[hub] * (1 if whole_reach else remaining))
        members = np.zeros(nodes, dtype=bool)
        members[np.flatnonzero(interests[:, shared].sum(axis=1))] = True
        _add_star(links, hub, members)
        remaining &= interests[hub] == 0
    degrees: Matrix = links.sum(axis=1)
    return degrees


def two_d_oda_degrees(interests: Matrix, *, all_topics: bool, count_linked: bool) -> Matrix:
    """Return the degrees of 2D-ODA (Equation 4).

    Parameters
    ----------
    interests
        Matrix of interests.
    all_topics
        Whether the numerator sums over all topics of a node, instead of the remaining ones.
    count_linked
        Whether the denominator counts all other subscribers of the topic, instead of those that
        the node is not linked to.
    """
    nodes, topics = interests.shape
    remaining = np.ones(topics, dtype=bool)
    links = np.zeros((nodes, nodes), dtype=bool)
    popularity = interests.sum(axis=0)
    while remaining.any():
        wanted = interests[:, remaining]
        counted = np.ones_like(remaining) if all_topics else remaining
        weights = interests[:, counted] @ popularity[counted]
        missing = np.ones_like(links) if count_linked else ~links
        others = missing.astype(np.int64) @ wanted - wanted
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.where(others > 0, weights[:, None] / others, np.inf)
        hub, place = np.unravel_index(np.argmax(np.where(wanted > 0, density, -1.0)), wanted.shape)
        topic = np.flatnonzero(remaining)[place]
        _add_star(links, int(hub), interests[:, topic] > 0)
        remaining[topic] = False
    degrees: Matrix = links.sum(axis=1)
    return degrees


def _connection_densities(interests: Matrix) -> NDArray[np.float64]:
    """Return the weight of each node over its reach; infinite without other nodes to reach."""
    weights = interests @ interests.sum(axis=0)
    reach = ((interests @ interests.T) > 0).sum(axis=1) - interests.any(axis=1)
    densities: NDArray[np.float64] = np.where(reach > 0, weights / np.maximum(reach, 1), np.inf)
    return densities


def _add_star(links: NDArray[np.bool_], hub: int, members: NDArray[np.bool_]) -> None:
    links[hub] |= members
    links[:, hub] |= members
    links[hub, hub] = False
