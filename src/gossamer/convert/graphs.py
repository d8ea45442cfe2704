"""Graphs of networkx, igraph and SciPy: from names and links, and back."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.frames import describe
from gossamer.errors import InputError, ParameterError

NODE, TOPIC = 0, 1
"""Values of networkx's node attribute ``bipartite`` in a graph of nodes and topics."""


class GraphPairs(NamedTuple):
    """Nodes, topics, and a (node, topic) pair for each subscription of a graph."""

    nodes: list[Any]
    topics: list[Any]
    pairs: list[tuple[Any, Any]]


def graph_pairs(graph: Any) -> GraphPairs:
    """Return the subscriptions of a networkx graph.

    In a bipartite graph, the attribute ``bipartite`` is 0 for nodes and 1 for topics. In a
    directed graph without it, an edge (u, v) means that u follows v, and each vertex is both a
    node and a topic.
    """
    _check_graph(graph)
    sides = dict(graph.nodes(data="bipartite"))
    if all(side is None for side in sides.values()):
        if not graph.is_directed():
            raise InputError(
                "the graph is undirected and its nodes have no attribute bipartite; expected "
                "bipartite=0 for nodes and 1 for topics, or a directed graph of who follows whom "
                "(of friends, with graph.to_directed())"
            )
        return GraphPairs(list(sides), list(sides), list(graph.edges()))
    for name, side in sides.items():
        if side not in (NODE, TOPIC):
            raise InputError(
                f"{name!r} has the attribute bipartite={side!r}; expected 0 for a node, 1 for a "
                "topic"
            )
    pairs = []
    for one, other in graph.edges():
        if sides[one] == sides[other]:
            what = "nodes" if sides[one] == NODE else "topics"
            raise InputError(
                f"the edge {one!r} to {other!r} joins two {what}; expected a node and a topic"
            )
        pairs.append((one, other) if sides[one] == NODE else (other, one))
    nodes, topics = ([name for name, at in sides.items() if at == side] for side in (NODE, TOPIC))
    return GraphPairs(nodes, topics, pairs)


def graph_links(graph: Any) -> list[tuple[Any, Any]]:
    """Return the edges of a networkx graph as pairs of names."""
    _check_graph(graph)
    return list(graph.edges())


def igraph_links(graph: Any) -> list[tuple[Any, Any]]:
    """Return the edges of an igraph graph as pairs of names, the vertices' attribute ``name``."""
    if not (hasattr(graph, "vs") and hasattr(graph, "get_edgelist")):
        raise InputError(f"graph is {describe(graph)}; expected a graph of igraph")
    if "name" not in graph.vs.attributes():
        raise InputError("the vertices have no attribute 'name'; expected the names of the nodes")
    names = graph.vs["name"]
    return [(names[one], names[other]) for one, other in graph.get_edgelist()]


def matrix_links(matrix: Any) -> tuple[int, NDArray[np.int64]]:
    """Return the number of nodes of an adjacency matrix of SciPy, and its links."""
    if not hasattr(matrix, "tocoo"):
        raise InputError(f"matrix is {describe(matrix)}; expected a sparse matrix of SciPy")
    rows, columns = matrix.shape
    if rows != columns:
        raise InputError(f"the matrix has {rows:,} rows and {columns:,} columns; expected as many")
    found = matrix.tocoo()
    ends = np.column_stack((found.row, found.col)).astype(np.int64)
    return rows, ends[found.data != 0]


def to_networkx(names: Sequence[Any], links: NDArray[np.int32]) -> Any:
    """Return a ``networkx.Graph`` of all names, with an edge per link."""
    graph = _library("networkx").Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[one], names[other]) for one, other in links.tolist())
    return graph


def to_igraph(names: Sequence[Any], links: NDArray[np.int32]) -> Any:
    """Return an ``igraph.Graph``; a vertex has its name as text in the attribute ``name``."""
    graph = _library("igraph").Graph(n=len(names), edges=links.tolist(), directed=False)
    graph.vs["name"] = [str(name) for name in names]
    return graph


def to_scipy(count: int, links: NDArray[np.int32]) -> Any:
    """Return the symmetric adjacency matrix as a ``scipy.sparse.csr_array``."""
    sparse = _library("scipy.sparse")
    both = np.concatenate((links, links[:, ::-1]))
    ones = np.ones(len(both), dtype=np.int64)
    return sparse.csr_array((ones, (both[:, 0], both[:, 1])), shape=(count, count))


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        top = name.partition(".")[0]
        raise ParameterError(
            f"{top} is not installed; install it with: pip install {top}"
        ) from None


def _check_graph(graph: Any) -> None:
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed", "is_multigraph")):
        raise InputError(f"graph is {describe(graph)}; expected a graph of networkx")
