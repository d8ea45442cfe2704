"""Topics that are in pieces: how many pieces there are, and links that bring them together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import Merging
from gossamer.design.greedy_merge import merge_greedily
from gossamer.design.low_oda import merge_low
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.model import Interests

__all__ = ["connect_topics", "count_pieces"]


def count_pieces(overlay: DynamicOverlay) -> NDArray[np.int64]:
    """Return into how many pieces each topic's subscribers that are there fall.

    O(subscriptions and the links within each topic).

    Examples
    --------
    >>> from gossamer.model import Overlay
    >>> people = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> links = Overlay.from_links(3, [(0, 1)])
    >>> count_pieces(DynamicOverlay(people, np.ones(3, dtype=bool), links))
    array([2])
    """
    topics = range(overlay.interests.topic_count)
    return np.array([len(np.unique(_pieces(overlay, t)[1])) for t in topics], dtype=np.int64)


def connect_topics(
    overlay: DynamicOverlay, topics: NDArray[np.int32], *, rho: float = 3.0, seed: int = 0
) -> NDArray[np.int32]:
    """Return links that, with those there, connect some topics among their subscribers there.

    They are chosen by LowODA's rule among all of these subscribers, in the order in which it
    chooses them; nothing is changed.

    Parameters
    ----------
    overlay
        Who is there, and the links.
    topics
        Which topics.
    rho
        LowODA's ρ.
    seed
        Settles random choices.

    Examples
    --------
    >>> from gossamer.model import Overlay
    >>> people = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> overlay = DynamicOverlay(people, np.ones(3, dtype=bool), Overlay.from_links(3, [(0, 1)]))
    >>> connect_topics(overlay, np.array([0], dtype=np.int32)).tolist()
    [[0, 2]]
    """
    found = [_pieces(overlay, topic) for topic in topics.tolist()]
    owners = np.concatenate([np.empty(0, dtype=np.int32), *(members for members, _ in found)])
    if not len(owners):
        return np.empty((0, 2), dtype=np.int32)
    pieces = np.concatenate([labels for _, labels in found]).astype(np.int64)
    places = np.repeat(np.arange(len(found)), [len(members) for members, _ in found])
    nodes, numbers = np.unique(owners, return_inverse=True)
    order = np.lexsort((places, numbers))  # subscriptions in the nodes' order, as merging has them
    wanted = Interests.from_ids(
        numbers[order], places[order], node_names=len(nodes), topic_names=len(found)
    )
    merging = Merging(wanted, ties="lexicographic", seed=seed)
    named = (pieces * len(found) + places)[order]
    labels = np.unique(named, return_inverse=True)[1].astype(np.int32)
    merging.start_from(labels, overlay.degrees[nodes])
    if rho == 1:
        merge_greedily(merging)
    else:
        merge_low(merging, rho, maximum=int(overlay.degrees.max(initial=0)))
    links: NDArray[np.int32] = nodes[merging.ordered_links()].astype(np.int32)
    return links.reshape(-1, 2)


def _pieces(overlay: DynamicOverlay, topic: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return a topic's subscribers that are there, and for each a name of its piece."""
    alone = np.array([topic], dtype=np.int32)
    members = overlay.members(alone)
    labels = overlay.labels(members, alone, overlay.shadows(members, alone))
    return members, labels[:, 0]
