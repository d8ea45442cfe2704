"""A drawing of an overlay: nodes and links coloured by interests, or the tree of one topic."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.model.interests import Name
from gossamer.model.overlay import check_fit
from gossamer.quality.diameters import shape_of_topic
from gossamer.quality.topic_graphs import TopicGraph
from gossamer.viz.blocks import Chart
from gossamer.viz.interest_groups import interest_groups
from gossamer.viz.layers import Spec
from gossamer.viz.layout import positions
from gossamer.viz.network import HEIGHT, MARGIN, MAX_NAMED, WIDTH, areas, counted, network_spec
from gossamer.viz.picture import draw_picture
from gossamer.viz.styles import COLORS
from gossamer.viz.topic_tree import Tree, pack_discs, place_tree, shortest_path_trees

MAX_NODES = 2500
"""Nodes of the largest drawing; of a larger overlay or topic, a part is drawn."""
MAX_RINGS = 6
TOUCH, MIN_AREA = 0.42, 4.0
"""Largest radius of a node as a share of the distance of two rings, and the smallest area."""
FACTS = {"degree": ("links", ","), "topics": ("topics", ",")}
TOPIC_FACTS = {"degree": ("links of the topic", ","), "hops": ("hops from the centre", ",")}
SLATE = "#7b858f"
CLEAR = {
    "background": None,
    "text": {"color": SLATE, "fontSize": 11},
    "legend": {"labelColor": SLATE, "labelFontSize": 11, "labelLimit": 400},
}
"""Theme that is legible on light and on dark paper."""


def overlay_picture(
    interests: Interests,
    overlay: Overlay,
    path: str | os.PathLike[str],
    *,
    topic: Name | None = None,
    title: str | None = None,
    seed: int = 0,
) -> None:
    """Draw an overlay: its links, and its nodes coloured by interest; or the tree of one topic.

    Parameters
    ----------
    interests, overlay
        Subscriptions, and the links among the same nodes.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    topic
        Name of a topic, whose subscribers and links are drawn alone: a tree of shortest paths on
        rings around its centre. If the topic is disconnected, each component has its colour.
    title
        Title of the picture (default: sizes of the overlay or of the topic).
    seed
        Seed of the layout.

    Raises
    ------
    InputError
        If no topic has that name, the overlay is over other nodes, or the file cannot be written.

    Notes
    -----
    The area of a node grows with its degree. At most 2,500 nodes are drawn, and the picture says
    so: of a larger overlay those nearest to the node of the highest degree, of a topic with more
    subscribers those nearest to its centre. O(n²) for the n nodes of an overlay that are drawn,
    O(subscribers + links) for a topic.
    """
    chart = overlay_chart(interests, overlay, topic=topic, title=title, seed=seed)
    draw_picture(path, "", [chart], width=WIDTH, theme=CLEAR)


def overlay_chart(
    interests: Interests,
    overlay: Overlay,
    *,
    topic: Name | None = None,
    title: str | None = None,
    seed: int = 0,
) -> Chart:
    """Return the drawing of :func:`overlay_picture` as a chart of a page."""
    check_fit(interests, overlay)
    if topic is None:
        return _whole(interests, overlay, title, seed)
    return _one_topic(interests, overlay, interests.topic_id(topic), title)


def _whole(interests: Interests, overlay: Overlay, title: str | None, seed: int) -> Chart:
    """Colour nodes by their group, and links inside a group like their ends."""
    groups = interest_groups(interests)
    named = [
        place for place, topic in enumerate(groups.topics) if topic >= 0 and groups.sizes[place] > 1
    ][: len(COLORS)]
    series = [
        f"{_topic_text(interests, groups.topics[place])} ({groups.sizes[place]:,})"
        for place in named
    ]
    colours = np.full(len(groups.sizes), len(series))
    colours[named] = np.arange(len(series))
    colour_of = colours[groups.of_node]
    nodes = _nearest(overlay)
    colours_text = (
        "colours: groups of similar interests, each with its characteristic topic and size"
    )
    notes = [colours_text] * (len(series) > 1)
    if len(nodes) < overlay.node_count:
        notes[:0] = [
            f"drawn: {len(nodes):,} of {overlay.node_count:,} nodes, those nearest to the node "
            "of the highest degree"
        ]
    inside = np.zeros(overlay.node_count, dtype=np.bool_)
    inside[nodes] = True
    places = _places(interests, overlay, inside, groups.of_node, seed)
    kept = overlay.links[inside[overlay.links].all(axis=1)]
    shown = [*series, ""]
    links = [
        {"series": shown[colour_of[u]] if colour_of[u] == colour_of[v] else "",
         "x": x, "y": y, "x2": x2, "y2": y2}
        for (u, v), ((x, y), (x2, y2)) in zip(kept.tolist(), places[kept].tolist(), strict=True)
    ]  # fmt: skip
    sizes = areas(overlay.degrees, len(nodes))
    points = [
        _point(interests, node, len(nodes), x, y, sizes[node], shown[colour_of[node]])
        | {"degree": int(overlay.degrees[node]), "topics": int(interests.subscription_sizes[node])}
        for node, (x, y) in zip(nodes.tolist(), places[nodes].tolist(), strict=True)
    ]
    heading = f"{counted(overlay.node_count, 'node')}, {counted(overlay.link_count, 'link')}"
    return Chart(
        heading if title is None else title,
        f"{heading}. {'; '.join(series)}.",
        network_spec(points, links, series, facts=FACTS),
        tuple(series),
        note="; ".join(notes),
    )


def _one_topic(interests: Interests, overlay: Overlay, topic: int, title: str | None) -> Chart:
    """Draw the components of a topic as trees, each in its colour."""
    members = interests.subscribers_of(topic)
    place_of = np.full(overlay.node_count, -1)
    place_of[members] = np.arange(len(members))
    ends = place_of[overlay.links]
    ends = ends[(ends >= 0).all(axis=1)]
    graph = TopicGraph.from_links(len(members), ends)
    trees = shortest_path_trees(graph)
    series, colour_of = _components([len(tree.order) for tree in trees])
    drawn = _part(trees)
    discs = pack_discs(
        [max(len(tree.order), 1) ** 0.5 for tree in drawn] or [1.0],
        WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN,
    )  # fmt: skip
    discs[:, :2] += MARGIN
    degrees = np.diff(graph.offsets)
    count = sum(len(tree.order) for tree in drawn)
    sizes = areas(degrees, count)
    places: dict[int, tuple[float, float]] = {}
    strong: set[tuple[int, int]] = set()
    points: list[Spec] = []
    for number, (tree, (u, v, radius)) in enumerate(zip(drawn, discs.tolist(), strict=True)):
        scale = radius / (max(tree.hops) + 0.3)
        fitting = max(math.pi * (TOUCH * scale) ** 2, MIN_AREA)
        found = np.round(place_tree(tree) * scale + np.array((u, v)), 1).tolist()
        for vertex, parent, hops, (x, y) in zip(
            tree.order, tree.parents, tree.hops, found, strict=True
        ):
            places[vertex] = x, y
            strong.add((min(vertex, tree.order[parent]), max(vertex, tree.order[parent])))
            row = _point(
                interests, int(members[vertex]), count, x, y, min(sizes[vertex], fitting),
                series[colour_of[number]],
            )  # fmt: skip
            points.append(row | {"degree": int(degrees[vertex]), "hops": hops})
    colours = {row["label"]: row["series"] for row in points}
    links = [
        {"series": colours[str(interests.node_names[members[u]])], "faint": (u, v) not in strong,
         "x": places[u][0], "y": places[u][1], "x2": places[v][0], "y2": places[v][1]}
        for u, v in np.sort(ends, axis=1).tolist()
        if u in places and v in places
    ]  # fmt: skip
    shape = shape_of_topic(graph)
    state = "connected" if len(trees) <= 1 else f"{len(trees):,} components"
    heading = (
        f"{_topic_text(interests, topic)}: {counted(len(members), 'subscriber')}, "
        f"{counted(len(ends), 'link')}, {state}, diameter {shape.diameter:,}"
    )
    rings = _rings(drawn, discs)
    notes = []
    if count < len(members):
        notes = [f"drawn: {count:,} of {len(members):,} subscribers, the nearest to the centre"]
    notes += ["each component: a tree of shortest paths from its centre"] * (len(trees) > 1)
    if rings:
        at = ", ".join(f"{hops:,}" for hops in rings)
        unit = "hop" if at == "1" else "hops"
        notes += [f"a tree of shortest paths from the centre; rings: {at} {unit} from it"]
    notes += ["thin: the other links of the topic"] * any(link["faint"] for link in links)
    return Chart(
        heading if title is None else title,
        f"{heading}. {'; '.join(series)}.",
        network_spec(points, links, series, facts=TOPIC_FACTS, rings=list(rings.values())),
        tuple(series),
        note="; ".join(notes),
    )


def _components(sizes: list[int]) -> tuple[list[str], list[int]]:
    """Return names of components, the last for all small ones if there are many, and colours."""
    series = [
        f"component {place}: {counted(size, 'subscriber')}" for place, size in enumerate(sizes, 1)
    ]
    if len(sizes) > len(COLORS):
        last = len(COLORS) - 1
        rest = f"{len(sizes) - last:,} more: {counted(sum(sizes[last:]), 'subscriber')}"
        series = [*series[:last], rest]
    return series, [min(place, len(series) - 1) for place in range(len(sizes))]


def _part(trees: list[Tree]) -> list[Tree]:
    """Return the trees to draw: the largest, the last in part, so that there is room for all."""
    drawn, room = [], MAX_NODES
    for tree in trees:
        if room > 0:
            drawn.append(tree.nearest(room))
            room -= len(tree.order)
    return drawn


def _rings(drawn: list[Tree], discs: NDArray[np.float64]) -> dict[int, tuple[float, float, float]]:
    """Return the ring of some hops from the centre, for a topic of one component."""
    if len(drawn) != 1 or max(drawn[0].hops) < 1:
        return {}
    depth = max(drawn[0].hops)
    u, v, radius = discs[0].tolist()
    step = -(-depth // MAX_RINGS)
    return {hops: (u, v, radius / (depth + 0.3) * hops) for hops in range(step, depth + 1, step)}


def _point(
    interests: Interests, node: int, count: int, x: float, y: float, size: float, series: str
) -> Spec:
    name = str(interests.node_names[node])
    shown = name if count <= MAX_NAMED else ""
    return {
        "label": name, "name": shown, "series": series, "across": x, "along": y,
        "size": float(size),
    }  # fmt: skip


def _nearest(overlay: Overlay) -> NDArray[np.int64]:
    """Return the nodes to draw: all, or the nearest to that of highest degree, breadth first."""
    if overlay.node_count <= MAX_NODES:
        return np.arange(overlay.node_count)
    level: NDArray[Any] = np.argsort(-overlay.degrees, kind="stable")[:1]
    seen = np.zeros(overlay.node_count, dtype=np.bool_)
    while True:
        level = level[: MAX_NODES - int(seen.sum())]
        seen[level] = True
        reached = np.concatenate((overlay.links, overlay.links[:, ::-1]))
        reached = np.unique(reached[seen[reached[:, 0]] & ~seen[reached[:, 1]], 1]).astype(np.int64)
        if seen.sum() == MAX_NODES:
            return np.flatnonzero(seen)
        # Nodes without links to those drawn follow in order of their degrees.
        level = (
            reached
            if len(reached)
            else np.argsort(np.where(seen, 1, -overlay.degrees), kind="stable")
        )


def _places(
    interests: Interests,
    overlay: Overlay,
    inside: NDArray[np.bool_],
    groups: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:
    """Return positions in pixels of the nodes of a part; those of other nodes are 0."""
    numbers = np.cumsum(inside) - 1
    kept = inside[overlay.links].all(axis=1)
    rows = inside[interests.node_column]
    part = Interests.from_ids(
        numbers[interests.node_column[rows]],
        interests.node_topics[rows],
        node_names=interests.node_names[inside],
        topic_names=interests.topic_names,
    )
    links = Overlay.from_links(part.node_count, numbers[overlay.links[kept]])
    places = np.zeros((overlay.node_count, 2))
    _, own = np.unique(groups[inside], return_inverse=True)
    found = positions(part, links, own, seed=seed)
    if len(found):
        low, high = found.min(axis=0), found.max(axis=0)
        room = np.array((WIDTH, HEIGHT)) - 2 * MARGIN
        scale = (room / np.maximum(high - low, 1e-3)).min()
        places[inside] = np.round(
            (found - (low + high) / 2) * scale + np.array((WIDTH, HEIGHT)) / 2, 1
        )
    return places


def _topic_text(interests: Interests, topic: int) -> str:
    name = interests.topic_names[topic]
    return name if isinstance(name, str) else f"topic {name}"
