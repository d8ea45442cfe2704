"""A drawing of an overlay: all of its links, or those that carry one topic."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.model.interests import Name
from gossamer.quality.diameters import shape_of_topic
from gossamer.quality.topic_graphs import TopicGraph, check_fit
from gossamer.viz.blocks import Chart
from gossamer.viz.interest_groups import interest_groups
from gossamer.viz.layers import CHOSEN, Spec, finish, layer, tooltip
from gossamer.viz.layout import positions
from gossamer.viz.picture import draw_picture
from gossamer.viz.styles import COLORS, GREY

MAX_NODES = 2500
"""Nodes of the largest drawing; of a larger overlay, a part is drawn."""
MAX_NAMED = 40
"""Nodes of the largest drawing in which each has its name beside it."""
WIDTH, HEIGHT, MARGIN = 720, 600, 12
SLATE = "#7b858f"
CLEAR = {
    "background": None,
    "text": {"color": SLATE, "fontSize": 11},
    "title": {
        "anchor": "start",
        "frame": "group",
        "color": SLATE,
        "subtitleColor": SLATE,
        "fontSize": 13,
    },
    "legend": {"labelColor": SLATE, "labelFontSize": 11, "labelLimit": 400},
}
"""Theme that is legible on light and on dark paper."""


class Coloured(NamedTuple):
    """Colours of nodes and links: positions in a list of series, beyond its end for grey."""

    series: list[str]
    nodes: NDArray[np.int64]
    links: NDArray[np.int64]
    title: str
    note: str


def overlay_picture(
    interests: Interests,
    overlay: Overlay,
    path: str | os.PathLike[str],
    *,
    topic: Name | None = None,
    title: str | None = None,
    seed: int = 0,
) -> None:
    """Draw an overlay: its links, and its nodes coloured by interest; or one topic in it.

    Parameters
    ----------
    interests, overlay
        Subscriptions, and the links among the same nodes.
    path
        Output file: .png, .svg or .pdf. It is written whole or not at all.
    topic
        Name of a topic whose subscribers, and the links among them, stand out. If it is
        disconnected, each component has its colour.
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
    The area of a node grows with its degree. Of an overlay of more than 2,500 nodes, as many are
    drawn, and the picture says so: breadth first from the subscribers of the topic, or from the
    node of the highest degree.
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
        coloured = _by_interest(interests, overlay)
        start = np.argsort(-overlay.degrees, kind="stable")[:1]
    else:
        coloured = _by_component(interests, overlay, interests.topic_id(topic))
        start = interests.subscribers_of(interests.topic_id(topic)).astype(np.int64)
    nodes = _nearest(overlay, start)
    note = coloured.note
    if len(nodes) < overlay.node_count:
        near = "the node of the highest degree" if topic is None else "the subscribers"
        drawn = f"drawn: {len(nodes):,} of {overlay.node_count:,} nodes, those nearest to {near}"
        note = f"{drawn}; {note}"
    inside = np.zeros(overlay.node_count, dtype=np.bool_)
    inside[nodes] = True
    places = _places(interests, overlay, inside, seed)
    kept = inside[overlay.links].all(axis=1)
    series = [*coloured.series, ""]
    links = [
        {"series": series[min(colour, len(series) - 1)], "x": x, "y": y, "x2": x2, "y2": y2}
        for colour, ((x, y), (x2, y2)) in zip(
            coloured.links[kept].tolist(), places[overlay.links[kept]].tolist(), strict=True
        )
    ]
    sizes = _areas(overlay.degrees, len(nodes))
    points = [
        {
            "label": str(interests.node_names[node]),
            "name": str(interests.node_names[node]) if len(nodes) <= MAX_NAMED else "",
            "series": series[min(int(coloured.nodes[node]), len(series) - 1)],
            "across": x, "along": y, "size": sizes[node], "degree": int(overlay.degrees[node]),
            "topics": int(interests.subscription_sizes[node]),
        }
        for node, (x, y) in zip(nodes.tolist(), places[nodes].tolist(), strict=True)
    ]  # fmt: skip
    # The coloured ones are drawn over the grey ones.
    ranks = {name: place for place, name in enumerate(reversed(series))}
    for rows in (links, points):
        rows.sort(key=lambda row: ranks[row["series"]])
    return Chart(
        coloured.title if title is None else title,
        f"{coloured.title}. {'; '.join(coloured.series)}.",
        _spec(points, links, coloured.series, faint=topic is not None),
        tuple(coloured.series),
        note=note,
    )


def _by_interest(interests: Interests, overlay: Overlay) -> Coloured:
    """Colour nodes by their group, and links inside a group like their ends."""
    groups = interest_groups(interests)
    named = [place for place, topic in enumerate(groups.topics) if topic >= 0][: len(COLORS)]
    series = [
        f"{_topic_text(interests, groups.topics[place])} ({groups.sizes[place]:,})"
        for place in named
    ]
    colours = np.full(len(groups.sizes), len(series))
    colours[named] = np.arange(len(series))
    nodes = colours[groups.of_node]
    ends = nodes[overlay.links]
    links = np.where(ends[:, 0] == ends[:, 1], ends[:, 0], len(series))
    title = f"{_count(overlay.node_count, 'node')}, {_count(overlay.link_count, 'link')}"
    note = "colours: groups of similar interests, each with its characteristic topic and its size"
    return Coloured(series, nodes, links, title, note)


def _by_component(interests: Interests, overlay: Overlay, topic: int) -> Coloured:
    """Colour the subscribers of a topic, and the links among them, by component."""
    members = interests.subscribers_of(topic)
    place_of = np.full(overlay.node_count, -1)
    place_of[members] = np.arange(len(members))
    ends = place_of[overlay.links]
    carries = (ends >= 0).all(axis=1)
    labels = _components(len(members), ends[carries])
    roots, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    ranks = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
    shown = np.sort(sizes)[::-1].tolist()
    series = [
        f"component {place}: {_count(size, 'subscriber')}" for place, size in enumerate(shown, 1)
    ]
    if len(shown) > len(COLORS):
        last = len(COLORS) - 1
        ranks = np.minimum(ranks, last)
        rest = f"{len(shown) - last:,} more: {_count(sum(shown[last:]), 'subscriber')}"
        series = [*series[:last], rest]
    nodes = np.full(overlay.node_count, len(COLORS))
    nodes[members] = ranks[labels]
    links = np.where(carries, nodes[overlay.links[:, 0]], len(COLORS))
    shape = shape_of_topic(TopicGraph.from_links(len(members), ends[carries]))
    state = "connected" if len(roots) <= 1 else f"{len(roots):,} components"
    title = (
        f"{_topic_text(interests, topic)}: {len(members):,} of {overlay.node_count:,} nodes, "
        f"{_count(int(carries.sum()), 'link')}, {state}, diameter {shape.diameter:,}"
    )
    return Coloured(series, nodes, links, title, "grey: the nodes and links of other topics")


def _components(count: int, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a label for each vertex, equal in a component: its lowest vertex."""
    labels = np.arange(count)
    while True:
        before = labels.copy()
        low = labels[links].min(axis=1)
        for end in links.T:
            np.minimum.at(labels, end, low)
        labels = labels[labels]
        if np.array_equal(labels, before):
            return labels


def _nearest(overlay: Overlay, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes to draw: all, or the nearest to some, breadth first."""
    if overlay.node_count <= MAX_NODES:
        return np.arange(overlay.node_count)
    seen = np.zeros(overlay.node_count, dtype=np.bool_)
    level: NDArray[Any] = start
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
    interests: Interests, overlay: Overlay, inside: NDArray[np.bool_], seed: int
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
    found = positions(part, links, interest_groups(part).of_node, seed=seed)
    if len(found):
        low, high = found.min(axis=0), found.max(axis=0)
        room = np.array((WIDTH, HEIGHT)) - 2 * MARGIN
        scale = (room / np.maximum(high - low, 1e-3)).min()
        places[inside] = np.round(
            (found - (low + high) / 2) * scale + np.array((WIDTH, HEIGHT)) / 2, 1
        )
    return places


def _areas(degrees: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return the area of each node in square pixels: the smaller, the more nodes there are."""
    base = min(max(24_000 / max(count, 1), 8.0), 160.0)
    relative = degrees / max(float(degrees.sum()) / max(len(degrees), 1), 1.0)
    areas: NDArray[np.float64] = np.round(base * np.clip(0.3 + 0.7 * relative, 0.3, 5.0), 1)
    return areas


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _topic_text(interests: Interests, topic: int) -> str:
    name = interests.topic_names[topic]
    return name if isinstance(name, str) else f"topic {name}"


def _spec(points: list[Spec], links: list[Spec], series: list[str], *, faint: bool) -> Spec:
    """Return the specification: links below nodes."""
    color: Spec = {
        "field": "series",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [*series, ""], "range": [*COLORS[: len(series)], GREY]},
    }
    grey = "datum.series == ''"
    x, y = (
        {"type": "quantitative", "axis": None, "scale": {"domain": [0, size], "nice": False}}
        for size in (WIDTH, HEIGHT)
    )

    def opacity(full: float, of_grey: float) -> Spec:
        return {
            "condition": [
                {"test": f"!({CHOSEN})", "value": 0.06},
                {"test": grey, "value": of_grey},
            ],
            "value": full,
        }

    many = len(links) > 2000
    lines = layer(
        {"type": "rule", "aria": False, "tooltip": None},
        links,
        x={"field": "x", **x},
        y={"field": "y", **y},
        x2={"field": "x2"},
        y2={"field": "y2"},
        color=color,
        strokeOpacity=opacity(0.9, 0.16)
        if faint
        else opacity(0.4, 0.12)
        if many
        else opacity(0.6, 0.25),
        strokeWidth={
            "condition": {"test": grey, "value": 0.5 if many else 0.8},
            "value": 1.8 if faint else 0.6 if many else 1.0,
        },
    )
    nodes = layer(
        {"type": "point", "filled": True, "shape": "circle", "opacity": 1, "aria": False},
        x={"field": "across", **x},
        y={"field": "along", **y},
        color=color,
        size={"field": "size", "type": "quantitative", "scale": None, "legend": None},
        fillOpacity=opacity(1, 0.35 if faint else 0.6),
        tooltip=tooltip(label="node", degree=("links", ","), topics=("topics", ",")),
    )
    usermeta = {"labels": {"of": "points_marks", "field": "name"}}
    named = any(point["name"] for point in points)
    return finish(
        [lines, nodes | {"name": "points"}],
        HEIGHT,
        data={"values": points},
        **({"usermeta": usermeta} if named else {}),
    )
