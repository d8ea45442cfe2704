"""Hypothesis strategies for the nouns."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gossamer.model import Interests


@st.composite
def interests(draw: st.DrawFn, *, max_nodes: int = 9, max_topics: int = 6) -> Interests:
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
def crowds(draw: st.DrawFn, *, max_nodes: int = 9, topics: int = 4) -> Interests:
    """Small interests of at least two nodes, most of whom share topics."""
    wanted = st.sets(st.integers(0, topics - 1), max_size=3).map(sorted)
    lists = draw(st.lists(wanted, min_size=2, max_size=max_nodes))
    pairs = [(node, topic) for node, mine in enumerate(lists) for topic in mine]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Interests.from_ids(
        columns[:, 0], columns[:, 1], node_names=len(lists), topic_names=topics
    )


seeds = st.integers(0, 2**32)
