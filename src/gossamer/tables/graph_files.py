"""Overlays as files of other programs: GraphML, GML, DOT, and JSON as networkx has it.

Every node is in the file, those without links included. Names are text in GraphML, GML and DOT;
JSON keeps integers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

from numpy.typing import NDArray

from gossamer.atomic_files import GRAPH_ENDINGS
from gossamer.errors import OverlayError
from gossamer.model.wording import quoted

Links = NDArray[Any]
Names = Sequence[int | str]

JOINED = 1 << 12
"""Lines that are written together."""
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
XML_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
NOT_ASCII = re.compile("[^ -~]")


def write_graph(stream: IO[bytes], names: Names, links: Links, ending: str) -> None:
    """Write an overlay in the format of an ending, a key of :data:`GRAPH_FORMATS`.

    Parameters
    ----------
    stream
        Stream of bytes.
    names
        Name of each node, by id.
    links
        Pairs of ids.
    ending
        Ending of the file's name.

    Raises
    ------
    OverlayError
        If a name cannot be written in this format.
    """
    lines = GRAPH_FORMATS[ending](names, links)
    while block := list(islice(lines, JOINED)):
        stream.write("".join(f"{line}\n" for line in block).encode())


def graphml(names: Names, links: Links) -> Iterator[str]:
    """Yield the lines of a GraphML file: the name of a node is its id, and its attribute ``name``.

    networkx takes the id. igraph and Gephi show the attribute; igraph misreads & in an id.

    Examples
    --------
    >>> list(graphml(["a&b"], []))[4]
    '<node id="a&amp;b"><data key="name">a&amp;b</data></node>'
    """
    ids = [_xml(str(name)) for name in names]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<graphml xmlns="{XML_NAMESPACE}">'
    yield '<key id="name" for="node" attr.name="name" attr.type="string"/>'
    yield '<graph edgedefault="undirected">'
    yield from (f'<node id="{name}"><data key="name">{name}</data></node>' for name in ids)
    yield from (f'<edge source="{ids[one]}" target="{ids[other]}"/>' for one, other in _of(links))
    yield "</graph>\n</graphml>"


def gml(names: Names, links: Links) -> Iterator[str]:
    """Yield the lines of a GML file, in which the label of a node is its name.

    The format is ASCII: other characters are written as ``&#233;``. networkx reads them; igraph
    leaves them as they are.
    """
    yield "graph ["
    for place, name in enumerate(names):
        label = str(name).replace("&", "&amp;").replace('"', "&quot;")
        label = NOT_ASCII.sub(lambda found: f"&#{ord(found[0])};", label)
        yield f'  node [ id {place} label "{label}" ]'
    yield from (f"  edge [ source {one} target {other} ]" for one, other in _of(links))
    yield "]"


def dot(names: Names, links: Links) -> Iterator[str]:
    r"""Yield the lines of a DOT file for Graphviz, in which the identifier of a node is its name.

    Examples
    --------
    >>> print(*dot(["ann", 'b"b'], [(0, 1)]), sep="\n")
    graph {
      "ann";
      "b\"b";
      "ann" -- "b\"b";
    }
    """
    ids = ['"{}"'.format(str(name).replace("\\", "\\\\").replace('"', '\\"')) for name in names]
    yield "graph {"
    yield from (f"  {name};" for name in ids)
    yield from (f"  {ids[one]} -- {ids[other]};" for one, other in _of(links))
    yield "}"


def node_link_json(names: Names, links: Links) -> Iterator[str]:
    """Yield the lines of a JSON file, as ``networkx.node_link_graph`` and d3 read it.

    Examples
    --------
    >>> text = "".join(node_link_json(["ann", "bob"], [(0, 1)]))
    >>> json.loads(text)["edges"]
    [{'source': 'ann', 'target': 'bob'}]
    """
    ids = [json.dumps(name, ensure_ascii=False) for name in names]
    yield '{"directed": false, "multigraph": false, "graph": {},'
    yield '"nodes": ['
    yield from _separated(f'{{"id": {name}}}' for name in ids)
    yield '],\n"edges": ['
    yield from _separated(
        f'{{"source": {ids[one]}, "target": {ids[other]}}}' for one, other in _of(links)
    )
    yield "]}"


GRAPH_FORMATS: dict[str, Callable[[Names, Links], Iterator[str]]] = {
    ".graphml": graphml,
    ".gml": gml,
    ".dot": dot,
    ".json": node_link_json,
}
assert tuple(GRAPH_FORMATS) == GRAPH_ENDINGS


def _of(links: Links) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an array of links, in Python's integers."""
    for start in range(0, len(links), JOINED):
        block = links[start : start + JOINED]
        yield from block.tolist() if hasattr(block, "tolist") else block


def _separated(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines with a comma after each but the last."""
    before = next(lines, None)
    for line in lines:
        yield f"{before},"
        before = line
    if before is not None:
        yield before


def _xml(name: str) -> str:
    """Return a name as XML has it, in text and in the value of an attribute."""
    if NOT_IN_XML.search(name):
        raise OverlayError(
            f"the node {quoted(name)} has a character in its name that XML does not have; expected "
            "another format, such as .gml, .json or .csv"
        )
    for character, reference in (
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"),
        ("\t", "&#9;"), ("\n", "&#10;"), ("\r", "&#13;"),
    ):  # fmt: skip
        name = name.replace(character, reference)
    return name
