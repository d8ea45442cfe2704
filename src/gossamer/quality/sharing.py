"""How many topics the links serve: the topics that both ends of a link want."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure.topic_graphs import count_shared_topics
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.interests import freeze
from gossamer.quality.topic_graphs import check_fit

__all__ = ["shared_topics", "sharing_histogram"]


def shared_topics(interests: Interests, overlay: Overlay) -> NDArray[np.int32]:
    """Count the topics that the two ends of each link share, beside ``overlay.links``.

    O(Σ over links of both ends' subscriptions) time, O(links) memory.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": []})
    >>> shared_topics(interests, Overlay.from_links(3, [(0, 1), (1, 2)])).tolist()
    [1, 0]
    """
    check_fit(interests, overlay)
    return freeze(count_shared_topics(relation_of(interests), overlay.links))


def sharing_histogram(interests: Interests, overlay: Overlay) -> NDArray[np.int64]:
    """Count the links by the number of topics they serve: entry k serves k topics.

    Entry 0, the links that serve no topic, is always there. Costs what
    :func:`shared_topics` costs.
    """
    return freeze(np.bincount(shared_topics(interests, overlay), minlength=1).astype(np.int64))
