"""Hypothesis strategies for interests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gossamer.model import Interests

seeds = st.integers(0, 2**32)


def interests(*, max_nodes: int = 9, max_topics: int = 6) -> st.SearchStrategy[Interests]:
    """Small interests, sparse and dense: empty nodes and topics and identical nodes included."""
    return sparse_interests(max_nodes=max_nodes, max_topics=max_topics) | dense_interests(
        min_nodes=2, max_nodes=max_nodes, max_topics=max_topics
    )


@st.composite
def sparse_interests(draw: st.DrawFn, *, max_nodes: int = 9, max_topics: int = 6) -> Interests:
    """Small interests: empty nodes, empty topics and identical nodes included."""
    node_count = draw(st.integers(0, max_nodes))
    topic_count = draw(st.integers(0, max_topics))
    pairs = draw(
        st.sets(
            st.tuples(
                st.integers(0, max(node_count - 1, 0)), st.integers(0, max(topic_count - 1, 0))
            ),
            max_size=node_count * topic_count,
        )
        if node_count and topic_count
        else st.just(set[tuple[int, int]]())
    )
    columns = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return Interests.from_ids(
        columns[:, 0], columns[:, 1], node_names=node_count, topic_names=topic_count
    )


@st.composite
def dense_interests(
    draw: st.DrawFn, *, min_nodes: int = 5, max_nodes: int = 9, max_topics: int = 6
) -> Interests:
    """Interests in which most nodes subscribe to most topics: many ties among pairs."""
    node_count = draw(st.integers(min_nodes, max_nodes))
    topic_count = draw(st.integers(2, max_topics))
    share = draw(st.sampled_from([0.5, 0.6, 0.7, 0.8, 0.9]))
    drawn = np.random.default_rng(draw(seeds)).random((node_count, topic_count)) < share
    nodes, topics = np.nonzero(drawn)
    return Interests.from_ids(nodes, topics, node_names=node_count, topic_names=topic_count)


@st.composite
def crowds(draw: st.DrawFn, *, max_nodes: int = 9, topics: int = 4) -> Interests:
    """Small interests of at least two nodes, most of which share topics."""
    topics_of = st.sets(st.integers(0, topics - 1), max_size=3).map(sorted)
    lists = draw(st.lists(topics_of, min_size=2, max_size=max_nodes))
    pairs = [(node, topic) for node, mine in enumerate(lists) for topic in mine]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Interests.from_ids(
        columns[:, 0], columns[:, 1], node_names=len(lists), topic_names=topics
    )
