"""The cover forest with sets and dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import Interests

WHOLE = 1 << 24


def place(
    interests: Interests, order: Sequence[int], radius: int, caps: Sequence[int]
) -> tuple[list[tuple[int, int]], dict[tuple[int, int], int]]:
    """Return the links in order, and the depth of each node in each of its topics."""
    topics = [interests.topics_of(v).tolist() for v in range(interests.node_count)]
    degrees = [0] * interests.node_count
    depth: dict[tuple[int, int], int] = {}
    links = []
    for v in order:
        placed = {t: [w for w in range(len(topics)) if (w, t) in depth] for t in topics[v]}
        waiting = []
        for t in topics[v]:
            if placed[t]:
                waiting.append(t)
            else:
                depth[v, t] = 0
        while waiting:
            worth: dict[int, int] = {}
            for t in waiting:
                able = [w for w in placed[t] if depth[w, t] < radius and degrees[w] < caps[w]]
                for w in able:
                    worth[w] = worth.get(w, 0) + WHOLE // len(able)
            if worth:
                parent = min(worth, key=lambda w: (-worth[w], degrees[w], w))
            else:
                able = [w for w in placed[waiting[0]] if depth[w, waiting[0]] < radius]
                parent = min(able, key=lambda w: (degrees[w], w))
            for t in list(waiting):
                if depth.get((parent, t), radius) < radius:
                    depth[v, t] = depth[parent, t] + 1
                    waiting.remove(t)
            links.append((min(v, parent), max(v, parent)))
            degrees[v] += 1
            degrees[parent] += 1
    return links, depth
