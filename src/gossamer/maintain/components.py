"""Components of topics among the present nodes, and links that connect them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import MergeDesign
from gossamer.design.greedy_merge import merge_greedily
from gossamer.design.low_oda import merge_low
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.model import Interests, Overlay
from gossamer.model.wording import quoted
from gossamer.quality import topic_components


def count_components(
    interests: Interests, overlay: Overlay, present: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the number of components of each topic among its present subscribers.

    Absent nodes must have no links. O(subscriptions and the links within each topic).

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> line = Overlay.from_links(3, [(0, 1)])
    >>> count_components(interests, line, np.array([True, True, False])).tolist()
    [1]
    """
    absent = interests.node_topics[~present[interests.node_column]]
    isolated = np.bincount(absent, minlength=interests.topic_count)
    components: NDArray[np.int64] = topic_components(interests, overlay) - isolated
    return components


def describe_disconnected(interests: Interests, components: NDArray[np.int64]) -> str:
    """Describe the disconnected topics: their number, and the first of them."""
    disconnected = np.flatnonzero(components > 1)
    first = quoted(interests.topic_names[disconnected[0]])
    return (
        f"{len(disconnected):,} of {len(components):,} topics disconnected (first: {first}, "
        f"{components[disconnected[0]]} components)"
    )


def connect_topics(
    overlay: DynamicOverlay, topics: NDArray[np.int32], *, rho: float = 3.0, seed: int = 0
) -> NDArray[np.int32]:
    """Return the links that LowODA's rule adds to connect some topics, in the order of choosing.

    Parameters
    ----------
    overlay
        Present nodes and their links; it is not changed.
    topics
        Ids of the topics.
    rho
        LowODA's ρ.
    seed
        Seed of the random number generator.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> present = np.ones(3, dtype=np.bool_)
    >>> overlay = DynamicOverlay(interests, present, Overlay.from_links(3, [(0, 1)]))
    >>> connect_topics(overlay, np.array([0], dtype=np.int32)).tolist()
    [[0, 2]]
    """
    members, labels = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    for topic in topics.tolist():
        alone = np.array([topic], dtype=np.int32)
        members.append(overlay.subscribers(alone))
        labels.append(overlay.labels(members[-1], alone, overlay.shadows(members[-1], alone))[:, 0])
    sizes = [len(found) for found in members[1:]]
    nodes, owners = np.unique(np.concatenate(members), return_inverse=True)
    places = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((places, owners))
    return merge_components(
        overlay, nodes, owners[order], places[order], np.concatenate(labels)[order],
        rho=rho, seed=seed,
    )  # fmt: skip


def merge_components(
    overlay: DynamicOverlay,
    nodes: NDArray[np.int32],
    owners: NDArray[np.int64],
    topics: NDArray[np.int64],
    labels: NDArray[np.int32],
    *,
    rho: float,
    seed: int,
) -> NDArray[np.int32]:
    """Return the links that LowODA's rule adds to merge the components of topics.

    Parameters
    ----------
    overlay
        Overlay whose degrees count.
    nodes
        Ids of the nodes that may get links, ascending.
    owners, topics, labels
        Subscriptions in the order of nodes, then topics: position of the node in ``nodes``,
        number of the topic, and label of the component on that topic.
    rho
        LowODA's ρ.
    seed
        Seed of the random number generator.
    """
    if not len(owners):
        return np.empty((0, 2), dtype=np.int32)
    width = int(topics.max()) + 1
    interests = Interests.from_ids(owners, topics, node_names=len(nodes), topic_names=width)
    merging = MergeDesign(interests, ties="lexicographic", seed=seed)
    keys = labels.astype(np.int64) * width + topics
    components = np.unique(keys, return_inverse=True)[1].astype(np.int32)
    merging.restore_from(components, overlay.degrees[nodes])
    if rho == 1:
        merge_greedily(merging)
    else:
        merge_low(merging, rho, maximum=int(overlay.degrees.max(initial=0)))
    links: NDArray[np.int32] = nodes[merging.ordered_links()].astype(np.int32)
    return links.reshape(-1, 2)
