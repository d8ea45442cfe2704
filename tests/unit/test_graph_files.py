"""Files of links for other programs, read back by networkx, igraph and pydot."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pydot
import pytest

from gossamer.atomic_files import GRAPH_ENDINGS
from gossamer.errors import OverlayError, TableError
from gossamer.model import Interests, Overlay
from gossamer.tables import read_links, write_links

PLAIN = ["ann", "007", "-1", "1.5", "node", "graph", "strict", "with space", " lead", "trail "]
MARKS = [
    'b"b', "it's", "a,b", "a;b", "a:b", "a:b:c", "[x]", "{y}", "#z", "--", "->", "%s", "//c",
    "/*c*/", "<script>alert(1)</script>", "a&b", "&amp;", "&#38;", "\\", "back\\", "back\\n",
    '\\"q', '\\\\"q', "\\N",
]  # fmt: skip
FOREIGN = ["é", "日本", "😀", "\u2028", "\u200b"]
BLANKS = ["c\nd", "e\tf"]
ALONE = "alone"
NAMES = [*PLAIN, *MARKS, *FOREIGN, *BLANKS]
INTERESTS = Interests.from_lists({name: ["tea"] for name in [*NAMES, ALONE]})
Ends = Iterable[Iterable[str]]


def chain(interests: Interests) -> Overlay:
    """Link all nodes in a chain, but for the node ``alone``."""
    ids = [place for place, name in enumerate(interests.node_names.tolist()) if name != ALONE]
    return Overlay.from_links(interests.node_count, list(pairwise(ids)))


OVERLAY = chain(INTERESTS)


def written(folder: Path, ending: str) -> Path:
    path = folder / f"links{ending}"
    write_links(path, INTERESTS, OVERLAY)
    return path


def is_equal(nodes: Iterable[str], links: Ends) -> bool:
    expected = INTERESTS.node_names.tolist()
    pairs = {frozenset((expected[one], expected[other])) for one, other in OVERLAY.links.tolist()}
    return sorted(nodes) == expected and {frozenset(link) for link in links} == pairs


def read_json(path: Path) -> Any:
    return nx.node_link_graph(json.loads(path.read_text(encoding="utf-8")), edges="edges")


@pytest.mark.parametrize(
    ("ending", "read"),
    [(".graphml", nx.read_graphml), (".gml", nx.read_gml), (".json", read_json)],
)
def test_networkx_reads_all_names_and_links(tmp_path: Path, ending: str, read: Any) -> None:
    graph = read(written(tmp_path, ending))
    assert is_equal(graph.nodes, graph.edges)
    assert not graph.is_directed()


def test_igraph_reads_graphml(tmp_path: Path) -> None:
    graph = igraph.Graph.Read_GraphML(str(written(tmp_path, ".graphml")))
    names = graph.vs["name"]
    assert is_equal(names, ([names[one], names[other]] for one, other in graph.get_edgelist()))


def test_igraph_reads_gml_of_ascii_names(tmp_path: Path) -> None:
    interests = Interests.from_lists({name: ["tea"] for name in [*PLAIN, 'b"b', "a&b"]})
    write_links(tmp_path / "links.gml", interests, chain(interests))
    graph = igraph.Graph.Read_GML(str(tmp_path / "links.gml"))
    assert graph.vs["label"] == interests.node_names.tolist()
    assert sorted(graph.get_edgelist()) == list(map(tuple, chain(interests).links.tolist()))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of pyparsing
def test_pydot_reads_dot(tmp_path: Path) -> None:
    def name(text: str) -> str:
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")

    (graph,) = pydot.graph_from_dot_file(str(written(tmp_path, ".dot")), encoding="utf-8")
    edges = ([name(edge.get_source()), name(edge.get_destination())] for edge in graph.get_edges())
    assert is_equal((name(node.get_name()) for node in graph.get_nodes()), edges)


def test_integers_stay_integers_in_json_only(tmp_path: Path) -> None:
    interests = Interests.from_pairs([3, 10], ["x", "x"])
    overlay = Overlay.from_links(2, [(0, 1)])
    for ending, read, name in (
        (".json", read_json, int), (".gml", nx.read_gml, str), (".graphml", nx.read_graphml, str),
    ):  # fmt: skip
        write_links(tmp_path / f"l{ending}", interests, overlay)
        assert list(read(tmp_path / f"l{ending}").edges) == [(name(3), name(10))]


@pytest.mark.parametrize("ending", GRAPH_ENDINGS)
def test_graph_without_nodes_is_a_graph(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"l{ending.upper()}"
    write_links(path, Interests.from_lists({}), Overlay.from_links(0, []))
    readers: Any = {".graphml": nx.read_graphml, ".gml": nx.read_gml, ".json": read_json}
    if ending in readers:
        assert not list(readers[ending](path).nodes)
    else:
        assert path.read_text() == "graph {\n}\n"


def test_name_that_xml_does_not_have_leaves_no_file(tmp_path: Path) -> None:
    interests = Interests.from_lists({"a\x01": ["x"]})
    with pytest.raises(OverlayError, match=r"XML does not have; expected another format"):
        write_links(tmp_path / "l.graphml", interests, Overlay.from_links(1, []))
    assert not list(tmp_path.iterdir())
    write_links(tmp_path / "l.gml", interests, Overlay.from_links(1, []))
    assert list(nx.read_gml(tmp_path / "l.gml").nodes) == ["a\x01"]


@pytest.mark.parametrize("ending", GRAPH_ENDINGS)
def test_graph_file_given_as_links_is_named(tmp_path: Path, ending: str) -> None:
    with pytest.raises(TableError, match="expected a table with named columns"):
        read_links(written(tmp_path, ending), INTERESTS)
