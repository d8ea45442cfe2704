"""A proven lower bound on the maximum degree of any topic-connected overlay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gossamer.kernels.measure.overlap import largest_overlaps
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests
from gossamer.model.wording import quoted

MAX_VISITS = 2_000_000_000
"""Maximum pair visits of the scan of overlaps: some seconds on one core."""


@dataclass(frozen=True)
class DegreeBound:
    """Minimum of the maximum degree, and the node or topic that proves it, in a sentence."""

    degree: int
    reason: str


def max_degree_lower_bound(interests: Interests, *, hops: int | None = None) -> DegreeBound:
    """Return a proven lower bound on the maximum degree of every topic-connected overlay.

    Parameters
    ----------
    interests
        Topics of each node. Only topics with two or more subscribers need links.
    hops
        Maximum topic diameter of the overlays; without one, any.

    Notes
    -----
    **Node needs.** A link at v serves at most the largest overlap of v with any other node, so v
    has at least |T(v)| / (that overlap) links, rounded up, as in :func:`links_lower_bound`. This
    takes Σ n_t² pair visits, and is left out above 2·10⁹.

    **Moore's bound.** With at most D links at a node, at most 1 + D Σ_{i<h} (D - 1)^i nodes are
    within h hops of a node. The largest topic may not have more subscribers.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["a", "b"], "bob": ["a"], "cy": ["b"]})
    >>> max_degree_lower_bound(interests).degree
    2
    """
    popularity = interests.popularity
    bounds = [DegreeBound(0, "no topic has two subscribers")]
    if int((popularity.astype(np.float64) ** 2).sum()) <= MAX_VISITS:
        bounds.append(_of_nodes(interests))
    if popularity.max(initial=0) >= 2:
        bounds.append(_of_topics(interests, hops))
    return max(bounds, key=lambda bound: bound.degree)


def least_degree(size: int, hops: int) -> int:
    """Return the lowest maximum degree of a graph of that size and diameter, by Moore's bound.

    Examples
    --------
    >>> least_degree(10, 2), least_degree(11, 2), least_degree(5, 1), least_degree(9, 8)
    (3, 4, 4, 2)
    """
    degree = 1
    while True:
        reached, further = 1, degree
        for _ in range(hops):
            reached += further
            further *= degree - 1
            if reached >= size:
                return degree
            if not further:
                break
        degree += 1


def _of_nodes(interests: Interests) -> DegreeBound:
    asking = interests.popularity[interests.node_topics] >= 2
    topics = np.bincount(interests.node_column[asking], minlength=interests.node_count)
    nodes = np.arange(interests.node_count, dtype=np.int64)
    overlaps = largest_overlaps(nodes, relation_of(interests))
    needs = -(-topics // np.maximum(overlaps, 1))
    node = int(np.argmax(needs)) if len(needs) else 0
    if not len(needs) or not needs[node]:
        return DegreeBound(0, "no topic has two subscribers")
    name = quoted(str(interests.node_names[node]))
    return DegreeBound(
        int(needs[node]),
        f"the node {name} has {topics[node]:,} topics with other subscribers, and shares at most "
        f"{overlaps[node]:,} of them with any other node, so it needs {needs[node]:,} links or "
        "more",
    )


def _of_topics(interests: Interests, hops: int | None) -> DegreeBound:
    topic = int(np.argmax(interests.popularity))
    size = int(interests.popularity[topic])
    degree = least_degree(size, size - 1 if hops is None else hops)
    name = quoted(str(interests.topic_names[topic]))
    within = "" if hops is None else f" within {hops:,} {'hop' if hops == 1 else 'hops'}"
    return DegreeBound(
        degree,
        f"the topic {name} has {size:,} subscribers, and one of them needs {degree:,} links or "
        f"more to connect them{within}",
    )
