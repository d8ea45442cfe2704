"""Resilience of topics to single failures: bridges and articulation points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import GossamerError
from gossamer.kernels.measure import bridges as kernels
from gossamer.model import Interests, Overlay
from gossamer.model.interests import freeze
from gossamer.quality.topic_graphs import TopicGraphs


class TopicResilience(NamedTuple):
    """Number of single failures that disconnect each topic.

    Attributes
    ----------
    bridges
        Links whose failure disconnects subscribers that were connected.
    articulation_points
        Subscribers whose failure disconnects others that were connected.
    """

    bridges: NDArray[np.int64]
    articulation_points: NDArray[np.int64]


def resilience_of_topics(graphs: TopicGraphs) -> TopicResilience:
    """Count every topic's bridges and articulation points.

    A topic without bridges is two-edge-connected in each of its components: any one link may
    fail. The only link of a topic with two subscribers is a bridge, whatever is done.

    Notes
    -----
    O(subscriptions + arcs): one depth-first search (Hopcroft and Tarjan, CACM 1973).

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": "x", "dee": "x"})
    >>> overlay = Overlay.from_links(4, [(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> bridges, articulation_points = resilience_of_topics(TopicGraphs.of(interests, overlay))
    >>> bridges.tolist(), articulation_points.tolist()
    ([1], [1])
    """
    bridges, is_cut = _find_cuts(graphs)
    before = np.concatenate(([0], np.cumsum(is_cut)))
    return TopicResilience(freeze(bridges), freeze(np.diff(before[graphs.topic_offsets])))


def articulation_points(
    interests: Interests, overlay: Overlay
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the articulation points of all topics: a node and the topic that its failure splits.

    Rows are sorted by node, then by topic. O(subscriptions + arcs), and the sort.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["x", "y"], "bob": ["x", "y"], "cy": ["x"]})
    >>> nodes, topics = articulation_points(interests, Overlay.from_links(3, [(0, 1), (1, 2)]))
    >>> nodes.tolist(), topics.tolist()
    ([1], [0])
    """
    graphs = TopicGraphs.of(interests, overlay)
    _, is_cut = _find_cuts(graphs)
    slots = np.flatnonzero(is_cut)
    topics = np.searchsorted(graphs.topic_offsets, slots, side="right") - 1
    nodes = interests.topic_nodes[slots]
    order = np.lexsort((topics, nodes))
    return nodes[order], topics[order]


def _find_cuts(graphs: TopicGraphs) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the bridges of each topic, and whether each slot is an articulation point."""
    bridges = np.zeros(graphs.topic_count, dtype=np.int64)
    is_cut = np.zeros(len(graphs.offsets) - 1, dtype=np.bool_)
    kernels.find_cuts(graphs.topic_offsets, graphs.offsets, graphs.neighbours, bridges, is_cut)
    return bridges, is_cut


def failures_before_and_after(
    interests: Interests, before: Overlay, after: Overlay
) -> dict[str, int]:
    """Return what was added to an overlay, and the single failures that split a topic, by name.

    O(subscriptions + arcs).

    Raises
    ------
    GossamerError
        If a bridge is left that could be taken away: one that is not the only link of two.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": "x"})
    >>> path = Overlay.from_links(3, [(0, 1), (1, 2)])
    >>> ring = Overlay.from_links(3, [(0, 1), (1, 2), (0, 2)])
    >>> failures_before_and_after(interests, path, ring)["bridges_before"]
    2
    """
    graphs = TopicGraphs.of(interests, after)
    old, new = resilience_of_topics(TopicGraphs.of(interests, before)), resilience_of_topics(graphs)
    if (new.bridges != graphs.components_of_two()).any():
        raise GossamerError(
            "a topic is left with a bridge that could be taken away; that is a bug in gossamer, "
            "and nothing was written"
        )
    of_two = (new.bridges > 0) & (interests.popularity == 2)
    return {
        "links_added": after.link_count - before.link_count,
        "bridges_before": int(old.bridges.sum()),
        "bridges_after": int(new.bridges.sum()),
        "topics_of_two": int(of_two.sum()),
        "articulation_points_before": int(old.articulation_points.sum()),
        "articulation_points_after": int(new.articulation_points.sum()),
    }
