"""Interests and overlays from graphs of other libraries, and overlays as such graphs."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import igraph
import networkx as nx
import pytest
import scipy.sparse

from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.model import Interests, Overlay

INTERESTS = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": []})
OVERLAY = Overlay.from_links(3, [(0, 1)])


def test_bipartite_graph_keeps_nodes_and_topics_without_edges() -> None:
    graph = nx.Graph([("ann", "tea"), ("tea", "bob")])
    for name, side in (("ann", 0), ("bob", 0), ("cy", 0), ("tea", 1), ("chess", 1)):
        graph.add_node(name, bipartite=side)
    interests = Interests.from_networkx(graph)
    assert interests.node_names.tolist() == ["ann", "bob", "cy"]
    assert interests.topic_names.tolist() == ["chess", "tea"]
    assert interests.subscription_count == 2


def test_directed_graph_is_one_of_followers() -> None:
    interests = Interests.from_networkx(nx.DiGraph([(1, 2), (3, 2)]))
    assert interests.topic_names.tolist() == [1, 2, 3]
    assert interests.subscribers_of(1).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        (nx.path_graph(3), "undirected and its nodes have no attribute bipartite"),
        (nx.complete_bipartite_graph(1, 1).to_directed(), None),
        ([("a", "b")], "graph is a list; expected a graph of networkx"),
    ],
)
def test_other_graphs(graph: object, says: str | None) -> None:
    if says is None:
        assert Interests.from_networkx(graph).subscription_count == 1
        return
    with pytest.raises(InputError, match=says):
        Interests.from_networkx(graph)


def test_wrong_sides_are_rejected() -> None:
    graph = nx.Graph([("a", "b")])
    graph.nodes["a"]["bipartite"] = 0
    with pytest.raises(InputError, match="'b' has the attribute bipartite=None"):
        Interests.from_networkx(graph)
    graph.nodes["b"]["bipartite"] = 0
    with pytest.raises(InputError, match="joins two nodes"):
        Interests.from_networkx(graph)


def test_networkx_round_trip() -> None:
    graph = OVERLAY.to_networkx(INTERESTS)
    assert sorted(graph.nodes) == ["ann", "bob", "cy"]
    assert Overlay.from_networkx(graph, INTERESTS) == OVERLAY
    assert sorted(OVERLAY.to_networkx().nodes) == [0, 1, 2]
    with pytest.raises(OverlayError, match="'cy' is not one of the 2 nodes"):
        Overlay.from_networkx(nx.Graph([("ann", "cy")]), ["ann", "bob"])


def test_igraph_and_scipy() -> None:
    graph = OVERLAY.to_igraph(INTERESTS)
    assert graph.vs["name"] == ["ann", "bob", "cy"]
    assert graph.get_edgelist() == [(0, 1)]
    matrix = OVERLAY.to_scipy()
    assert matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_names_must_fit() -> None:
    with pytest.raises(OverlayError, match="2 names for 3 nodes"):
        OVERLAY.to_networkx(["ann", "bob"])


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ParameterError, match="igraph is not installed; install it with: pip inst"):
        OVERLAY.to_igraph()


def test_graphs_of_igraph_and_matrices_come_back() -> None:
    assert Overlay.from_igraph(OVERLAY.to_igraph(INTERESTS), INTERESTS) == OVERLAY
    assert Overlay.from_scipy(OVERLAY.to_scipy()) == OVERLAY
    assert Overlay.from_scipy(scipy.sparse.coo_array(([1, 0], ([0, 1], [2, 2])), (3, 3))) == (
        Overlay.from_links(3, [(0, 2)])
    )


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Overlay.from_igraph(nx.Graph(), INTERESTS), "Graph of networkx; expected a graph"),
        (lambda: Overlay.from_igraph(igraph.Graph(2), INTERESTS), "have no attribute 'name'"),
        (lambda: Overlay.from_scipy([[0]]), "matrix is a list; expected a sparse matrix"),
        (lambda: Overlay.from_scipy(scipy.sparse.coo_array((2, 3))), "2 rows and 3 columns"),
        (lambda: Overlay.from_scipy(scipy.sparse.eye_array(2)), "node 0 is linked to itself"),
    ],
)
def test_other_objects_are_no_overlays(build: Callable[[], Overlay], says: str) -> None:
    with pytest.raises(InputError, match=says):
        build()
