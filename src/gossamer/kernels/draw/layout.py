"""Force-directed layout: nodes repel each other, links and groups pull them together."""

from __future__ import annotations

import math

import numpy as np

from gossamer.kernels.jit import Floats, Int32s, Int64s, kernel


@kernel
def force_layout(
    places: Floats,
    links: Int32s,
    weights: Floats,
    masses: Floats,
    groups: Int64s,
    cohesion: float,
    rounds: int,
) -> None:
    """Move nodes until forces balance or the rounds end. O(n² + m) a round.

    Every two nodes repel each other with the product of their masses over their distance; a link
    pulls with its weight times the distance; ``cohesion`` pulls a node to the centre of its group,
    and a weak force pulls all to the origin. A node moves no further than the temperature, which
    falls (Fruchterman and Reingold, Software: Practice and Experience 1991).

    Parameters
    ----------
    places
        Positions, shape (n, 2): those to start from, and then the result.
    links, weights
        Pairs of nodes, and the pull of each.
    masses
        Repulsion of each node.
    groups
        Group of each node.
    """
    count = len(places)
    forces = np.empty((count, 2))
    members = np.bincount(groups)
    centres = np.empty((len(members), 2))
    start = 0.1 * math.sqrt(count)
    for step in range(rounds):
        temperature = start * (1.0 - step / rounds) ** 2
        centres[:] = 0.0
        for u in range(count):
            centres[groups[u], 0] += places[u, 0] / members[groups[u]]
            centres[groups[u], 1] += places[u, 1] / members[groups[u]]
        for u in range(count):
            forces[u, 0] = cohesion * (centres[groups[u], 0] - places[u, 0]) - 0.05 * places[u, 0]
            forces[u, 1] = cohesion * (centres[groups[u], 1] - places[u, 1]) - 0.05 * places[u, 1]
        for u in range(count):
            x, y, mass = places[u, 0], places[u, 1], masses[u]
            for v in range(u + 1, count):
                dx, dy = x - places[v, 0], y - places[v, 1]
                push = mass * masses[v] / (dx * dx + dy * dy + 1e-4)
                forces[u, 0] += push * dx
                forces[u, 1] += push * dy
                forces[v, 0] -= push * dx
                forces[v, 1] -= push * dy
        for link in range(len(links)):
            u, v = links[link]
            dx = weights[link] * (places[v, 0] - places[u, 0])
            dy = weights[link] * (places[v, 1] - places[u, 1])
            forces[u, 0] += dx
            forces[u, 1] += dy
            forces[v, 0] -= dx
            forces[v, 1] -= dy
        for u in range(count):
            size = math.sqrt(forces[u, 0] ** 2 + forces[u, 1] ** 2) + 1e-9
            scale = min(size, temperature) / size
            places[u, 0] += scale * forces[u, 0]
            places[u, 1] += scale * forces[u, 1]
