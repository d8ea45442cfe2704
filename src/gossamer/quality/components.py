"""Connected components of each topic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure.topic_graphs import count_topic_components
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.interests import freeze
from gossamer.model.overlay import check_fit


def topic_components(interests: Interests, overlay: Overlay) -> NDArray[np.int64]:
    """Return the number of connected components of each topic's subgraph.

    A topic without subscribers has 0, one with a single subscriber 1. Union–find over the
    subscriptions: O(subscriptions + Σ over links of both ends' subscriptions), times a logarithm at
    the very worst; memory O(subscriptions).

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea", "jazz"], "cy": ["tea"]})
    >>> topic_components(interests, Overlay.from_links(3, [(0, 1)])).tolist()
    [1, 2]
    """
    check_fit(interests, overlay)
    return freeze(count_topic_components(relation_of(interests), overlay.links))


def is_topic_connected(interests: Interests, overlay: Overlay) -> bool:
    """Return whether the subscribers of every topic are connected (a TCO).

    Costs what :func:`topic_components` costs.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": []})
    >>> is_topic_connected(interests, Overlay.from_links(3, [(0, 1)]))
    True
    """
    return bool((topic_components(interests, overlay) <= 1).all())
