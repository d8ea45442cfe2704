"""Groups of nodes with similar interests, each known by the topic that distinguishes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.draw.communities import move_vertices
from gossamer.model import Interests
from gossamer.model.csr import offsets_of

PASSES = 20


@dataclass(frozen=True)
class InterestGroups:
    """Groups of nodes, the largest first.

    Attributes
    ----------
    of_node
        Group of each node. Nodes without topics are in groups of their own.
    topics
        Topic that distinguishes each group, no two the same: most above its expected number of
        subscribers there; -1 if the group has none left.
    sizes
        Number of nodes of each group.
    """

    of_node: NDArray[np.int64]
    topics: list[int]
    sizes: list[int]


def interest_groups(interests: Interests) -> InterestGroups:
    """Group nodes by the communities of the graph of nodes and topics.

    The communities are those of greatest modularity that moves of single nodes and topics, and
    then of communities, reach (the Louvain method). O(S) a pass for S subscriptions.

    Examples
    --------
    >>> interests = Interests.from_lists({"a": [1, 2], "b": [1, 2], "c": [3], "d": [3], "e": [3]})
    >>> interest_groups(interests).of_node.tolist()
    [1, 1, 0, 0, 0]
    """
    nodes = interests.node_count
    labels = _communities(
        nodes + interests.topic_count,
        interests.node_column.astype(np.int64),
        nodes + interests.node_topics.astype(np.int64),
    )[:nodes]
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[order] = np.arange(len(sizes))
    of_node = ranks[labels]
    keys = of_node[interests.node_column] * interests.topic_count + interests.node_topics
    found, counts = np.unique(keys, return_counts=True)
    group, topic = np.divmod(found, max(interests.topic_count, 1))
    expected = sizes[order][group] * interests.popularity[topic] / max(nodes, 1)
    order_of_pairs = np.lexsort((topic, expected - counts, group))
    topics = [-1] * len(sizes)
    taken: set[int] = set()
    for one, its in zip(
        group[order_of_pairs].tolist(), topic[order_of_pairs].tolist(), strict=True
    ):
        if topics[one] < 0 and its not in taken:
            topics[one] = its
            taken.add(its)
    return InterestGroups(of_node, topics, sizes[order].tolist())


def _communities(
    count: int, sources: NDArray[np.int64], targets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the community of each vertex of a graph."""
    labels: NDArray[np.int64] = np.arange(count)
    weights = np.ones(len(sources), dtype=np.int64)
    while True:
        loop = sources == targets
        own = np.zeros(count, dtype=np.int64)
        np.add.at(own, sources[loop], 2 * weights[loop])
        ends = np.concatenate((sources[~loop], targets[~loop]))
        others = np.concatenate((targets[~loop], sources[~loop]))
        order = np.lexsort((others, ends))
        offsets = offsets_of(np.bincount(ends, minlength=count))
        both = np.tile(weights[~loop], 2)[order]
        moved = move_vertices(offsets, others[order].astype(np.int32), both, own, PASSES)
        kept, moved = np.unique(moved, return_inverse=True)
        labels = moved[labels]
        if len(kept) == count:
            return labels
        count = len(kept)
        keys, places = np.unique(moved[sources] * count + moved[targets], return_inverse=True)
        summed = np.zeros(len(keys), dtype=np.int64)
        np.add.at(summed, places, weights)
        sources, targets = np.divmod(keys, count)
        weights = summed
