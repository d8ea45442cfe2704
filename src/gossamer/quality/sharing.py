"""Topics per link: the topics that both ends of a link share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure.topic_graphs import count_shared_topics
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.interests import freeze
from gossamer.model.overlay import check_fit


def shared_topics(interests: Interests, overlay: Overlay) -> NDArray[np.int32]:
    """Return the number of topics that the ends of each link share.

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
    """Return the number of links that serve k topics at entry k.

    Entry 0, links that serve no topic, always exists. Costs what :func:`shared_topics` costs.
    """
    return freeze(np.bincount(shared_topics(interests, overlay), minlength=1).astype(np.int64))
