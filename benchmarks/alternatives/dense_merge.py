"""Greedy merge on a dense matrix: what every pair is worth, and the best of all, each time."""

from __future__ import annotations

import numpy as np

from gossamer.model import Interests

__all__ = ["dense_greedy_merge"]


def dense_greedy_merge(interests: Interests) -> list[tuple[int, int]]:
    """Return the links of greedy merge, the first of the best pairs at every step.

    O(V²) memory and O(V²) time a link, all of it in NumPy.
    """
    nodes, topics = interests.node_count, interests.topic_count
    wants = np.zeros((nodes, topics), dtype=np.int32)
    wants[interests.node_column, interests.node_topics] = 1
    worth = np.triu(wants @ wants.T, 1).astype(np.int16)
    parts = [{int(v): {int(v)} for v in interests.subscribers_of(t)} for t in range(topics)]
    links: list[tuple[int, int]] = []
    while True:
        best = int(worth.argmax())
        u, v = divmod(best, nodes)
        if worth[u, v] <= 0:
            return links
        links.append((u, v))
        for topic in np.flatnonzero(wants[u] & wants[v]).tolist():
            part = parts[topic]
            if part[u] is part[v]:
                continue
            first, second = sorted(part[u]), sorted(part[v])
            low, high = np.meshgrid(first, second, indexing="ij")
            worth[np.minimum(low, high), np.maximum(low, high)] -= 1
            joined = part[u] | part[v]
            part.update(dict.fromkeys(joined, joined))
