"""Positions of the nodes of an overlay in a drawing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.draw.layout import force_layout
from gossamer.kernels.measure.topic_graphs import count_shared_topics
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay

ROUNDS = 300
COHESION = 0.8


def positions(
    interests: Interests, overlay: Overlay, groups: NDArray[np.int64], *, seed: int = 0
) -> NDArray[np.float64]:
    """Return a position for each node: linked nodes and those of a group are near each other.

    Parameters
    ----------
    interests, overlay
        Subscriptions, and the links among the same nodes.
    groups
        Group of each node.
    seed
        Seed of the random number generator.

    Returns
    -------
    NDArray
        Shape (n, 2), around the origin; the longer extent is the horizontal one.

    Notes
    -----
    O(n²) a round, with 300 rounds.
    """
    count = overlay.node_count
    random = np.random.default_rng(seed)
    angles = 2 * math.pi * (groups / max(groups.max(initial=0) + 1, 1) + random.random(count) / 8)
    radii = np.sqrt(count * random.random(count))
    places = np.stack((radii * np.cos(angles), radii * np.sin(angles)), axis=1)
    shared = count_shared_topics(relation_of(interests), overlay.links)
    weights = 0.2 * np.sqrt(np.maximum(shared, 1))
    masses = np.sqrt(1.0 + overlay.degrees / max(2 * overlay.link_count / max(count, 1), 1.0))
    force_layout(places, overlay.links, weights, masses, groups, COHESION, ROUNDS)
    if not count:
        return places
    places -= places.mean(axis=0)
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    turned: NDArray[np.float64] = places @ axes.T
    return turned
