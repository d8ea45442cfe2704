"""Topic components, topic diameters and the lower bound as NetworkX and SciPy give them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from gossamer.model import Interests, Overlay

__all__ = [
    "linear_program_bound",
    "networkx_clustering",
    "networkx_components",
    "networkx_diameters",
    "scipy_components",
    "scipy_diameters",
]


def networkx_graph(overlay: Overlay) -> nx.Graph[int]:
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(overlay.node_count))
    graph.add_edges_from(overlay.links.tolist())
    return graph


def networkx_components(interests: Interests, overlay: Overlay) -> list[int]:
    graph = networkx_graph(overlay)
    return [
        nx.number_connected_components(graph.subgraph(interests.subscribers_of(t).tolist()))
        for t in range(interests.topic_count)
    ]


def networkx_diameters(interests: Interests, overlay: Overlay) -> list[int]:
    graph = networkx_graph(overlay)
    return [
        max(
            (nx.diameter(part.subgraph(found)) for found in nx.connected_components(part)),
            default=0,
        )
        for part in (
            nx.Graph(graph.subgraph(interests.subscribers_of(t).tolist()))
            for t in range(interests.topic_count)
        )
    ]


def networkx_clustering(overlay: Overlay) -> float:
    return float(nx.average_clustering(networkx_graph(overlay)))


def _matrices(interests: Interests, overlay: Overlay) -> Iterator[Any]:
    """Give the adjacency matrix of each topic's subscribers."""
    ends = np.concatenate((overlay.links, overlay.links[:, ::-1]))
    whole = csr_array(
        (np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])),
        shape=(overlay.node_count, overlay.node_count),
    )
    for topic in range(interests.topic_count):
        members = interests.subscribers_of(topic)
        yield whole[members][:, members]


def scipy_components(interests: Interests, overlay: Overlay) -> list[int]:
    return [
        int(connected_components(matrix, directed=False)[0])
        for matrix in _matrices(interests, overlay)
    ]


def scipy_diameters(interests: Interests, overlay: Overlay) -> list[int]:
    diameters = []
    for matrix in _matrices(interests, overlay):
        distances = shortest_path(matrix, directed=False, unweighted=True)
        diameters.append(int(distances[np.isfinite(distances)].max(initial=0)))
    return diameters


def linear_program_bound(interests: Interests) -> float:
    """Return the best bound on links that multipliers can give, from the linear program itself.

    Its variables are all pairs that share a topic; a topic of n subscribers needs n − 1
    links among them, and each of them one.
    """
    topics = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    rows: list[int] = []
    columns: list[int] = []
    subscription_row = {
        (int(v), int(t)): interests.topic_count + place
        for place, (v, t) in enumerate(
            zip(interests.node_column, interests.node_topics, strict=True)
        )
    }
    pairs = 0
    for u, v in combinations(range(interests.node_count), 2):
        shared = topics[u] & topics[v]
        for topic in shared:
            rows += [topic, subscription_row[u, topic], subscription_row[v, topic]]
            columns += [pairs, pairs, pairs]
        pairs += bool(shared)
    popularity = interests.popularity
    needs = np.concatenate((np.maximum(popularity - 1, 0), (popularity > 1)[interests.node_topics]))
    serves = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(needs), pairs))
    limits: Any = -serves.tocsr()
    solved = linprog(np.ones(pairs), A_ub=limits, b_ub=-needs.astype(float), bounds=(0, 1))
    assert solved.fun is not None, solved.message
    return float(solved.fun)
