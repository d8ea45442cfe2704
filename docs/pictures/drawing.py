"""A small canvas for the pictures of the documentation: circles, lines and text as SVG.

The pictures have no background, and the grey of the text is legible on light and on dark pages.
``python docs/pictures/NAME.py`` draws ``docs/pictures/NAME.svg`` again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from gossamer import Interests, Overlay
from gossamer.viz.styles import COLORS

HERE = Path(__file__).parent
INK = "#6e7781"
FAINT = "#8c959f"
BLUE, ORANGE, GREEN, VIOLET, RED, *_ = COLORS
Point = tuple[float, float]


class Drawing:
    """An SVG picture under construction, in pixels from the upper left corner."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def line(
        self, start: Point, end: Point, color: str = FAINT, width: float = 1, *,
        opacity: float = 1, dash: str = "", arrow: bool = False,
    ) -> None:  # fmt: skip
        """Draw a line, with an arrow head at its end if asked."""
        (x, y), (x2, y2) = start, end
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
            f'stroke-width="{width:g}" stroke-opacity="{opacity:g}" stroke-linecap="round"{more}/>'
        )
        if arrow:
            along = np.array((x2 - x, y2 - y)) / max(float(np.hypot(x2 - x, y2 - y)), 1e-9)
            side = np.array((-along[1], along[0]))
            tip = np.array(end)
            corners = (tip, tip - 8 * along + 3.5 * side, tip - 8 * along - 3.5 * side)
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
            self.parts.append(f'<polygon points="{points}" fill="{color}"/>')

    def path(self, points: Sequence[Point], color: str, width: float = 1.5) -> None:
        """Draw lines from point to point."""
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="{width:g}"/>'
        )

    def circle(
        self, at: Point, radius: float, fill: str = "none", *, stroke: str = "none",
        width: float = 1, opacity: float = 1, dash: str = "",
    ) -> None:  # fmt: skip
        """Draw a circle."""
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{width:g}" opacity="{opacity:g}"{more}/>'
        )

    def box(self, at: Point, width: float, height: float, fill: str, opacity: float = 1) -> None:
        """Draw a filled rectangle."""
        self.parts.append(
            f'<rect x="{at[0]:.1f}" y="{at[1]:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="2" fill="{fill}" opacity="{opacity:g}"/>'
        )

    def text(
        self, at: Point, text: str, *, size: float = 12, color: str = INK, anchor: str = "start",
        bold: bool = False,
    ) -> None:  # fmt: skip
        """Write a line of text; ``anchor`` is start, middle or end."""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size:g}" fill="{color}" '
            f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
        )

    def svg(self) -> str:
        """Return the picture as text."""
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} '
                f'{self.height:g}" width="{self.width:g}" height="{self.height:g}" role="img" '
                'font-family="Liberation Sans, Arial, Helvetica, sans-serif">',
                f"<title>{escape(self.title)}</title>",
                *self.parts,
                "</svg>\n",
            ]
        )

    def save(self, name: str) -> None:
        """Write the picture beside this file."""
        (HERE / f"{name}.svg").write_text(self.svg(), encoding="utf-8")


def between(start: Point, end: Point, from_start: float, from_end: float) -> tuple[Point, Point]:
    """Return the part of a line that is farther than given from its start and from its end."""
    along = np.subtract(end, start) / max(float(np.hypot(*np.subtract(end, start))), 1e-9)
    (x, y), (x2, y2) = (start + from_start * along).tolist(), (end - from_end * along).tolist()
    return (x, y), (x2, y2)


def on_circle(count: int, center: Point, radius: float) -> list[Point]:
    """Return places on a circle, clockwise from the top."""
    angles = 2 * np.pi * np.arange(count) / max(count, 1)
    return [
        (center[0] + radius * float(np.sin(angle)), center[1] - radius * float(np.cos(angle)))
        for angle in angles
    ]


def links_of_topic(interests: Interests, overlay: Overlay, topic: int) -> list[tuple[int, int]]:
    """Return the links between two subscribers of a topic."""
    members = set(interests.subscribers_of(topic).tolist())
    return [(u, v) for u, v in overlay.links.tolist() if u in members and v in members]


def distances(links: Iterable[tuple[int, int]], start: int) -> dict[int, int]:
    """Return the hops from a node to each node that links connect to it."""
    neighbours: dict[int, list[int]] = {}
    for u, v in links:
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    hops, queue = {start: 0}, [start]
    for node in queue:
        for other in sorted(neighbours.get(node, [])):
            if other not in hops:
                hops[other] = hops[node] + 1
                queue.append(other)
    return hops


def center_of(links: Sequence[tuple[int, int]]) -> int:
    """Return the node with the smallest distance to the farthest one."""
    nodes = sorted({node for link in links for node in link})
    return min(nodes, key=lambda node: (max(distances(links, node).values()), node))


def radial_tree(
    links: Sequence[tuple[int, int]], root: int, center: Point, step: float
) -> tuple[dict[int, Point], dict[int, int]]:
    """Place a breadth-first tree on rings around its root; return places, and parents."""
    depth = distances(links, root)
    parent: dict[int, int] = {}
    for node in sorted(depth, key=lambda node: (depth[node], node)):
        for u, v in links:
            for one, other in ((u, v), (v, u)):
                if one == node and depth[other] == depth[node] + 1:
                    parent.setdefault(other, node)
    children: dict[int, list[int]] = {}
    for node, above in parent.items():
        children.setdefault(above, []).append(node)
    leaves: dict[int, int] = {}
    for node in sorted(depth, key=lambda node: -depth[node]):
        leaves[node] = max(sum(leaves[child] for child in children.get(node, [])), 1)
    places: dict[int, Point] = {}

    def place(node: int, low: float, high: float) -> None:
        angle, ring, span = (low + high) / 2, depth[node] * step, high - low
        places[node] = (
            center[0] + ring * float(np.cos(angle)),
            center[1] + ring * float(np.sin(angle)),
        )
        for child in sorted(children.get(node, [])):
            share = span * leaves[child] / leaves[node]
            place(child, low, low + share)
            low += share

    place(root, 0.0, 2 * np.pi)
    return places, parent


def components(count: int, links: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """Return a label for each node, equal in a component."""
    labels = np.arange(count)
    for u, v in links:
        labels[labels == labels[v]] = labels[u]
    return labels


class Plot:
    """Axes in a rectangle of a drawing; both axes linear or both logarithmic."""

    def __init__(
        self, page: Drawing, corner: Point, size: Point, x: tuple[float, float],
        y: tuple[float, float], *, log: bool = False,
    ) -> None:  # fmt: skip
        self.page, self.corner, self.size, self.log = page, corner, size, log
        self.x, self.y = x, y

    def at(self, x: float, y: float) -> Point:
        """Return the place of a value."""

        def share(value: float, ends: tuple[float, float]) -> float:
            if self.log:
                value, ends = float(np.log(value)), (float(np.log(ends[0])), float(np.log(ends[1])))
            return (value - ends[0]) / (ends[1] - ends[0])

        return (
            self.corner[0] + self.size[0] * share(x, self.x),
            self.corner[1] + self.size[1] * (1 - share(y, self.y)),
        )

    def axes(
        self, x_ticks: Sequence[float], y_ticks: Sequence[float], x_title: str, y_title: str
    ) -> None:
        """Draw grid lines, their values, and the titles."""
        for value in y_ticks:
            start, end = self.at(self.x[0], value), self.at(self.x[1], value)
            self.page.line(start, end, FAINT, 0.6, opacity=0.45)
            self.page.text((start[0] - 7, start[1] + 4), f"{value:,g}", anchor="end")
        for value in x_ticks:
            low = self.at(value, self.y[0])
            self.page.line(low, (low[0], low[1] + 4), FAINT)
            self.page.text((low[0], low[1] + 18), f"{value:,g}", anchor="middle")
        left, bottom = self.corner[0], self.corner[1] + self.size[1]
        self.page.text((left + self.size[0], bottom + 36), x_title, anchor="end")
        self.page.text((left - 30, self.corner[1] - 14), y_title)

    def curve(
        self, points: Iterable[Point], color: str, name: str = "", *, lift: float = 0
    ) -> None:
        """Draw a line through points, with its name at its end."""
        places = [self.at(x, y) for x, y in points]
        self.page.path(places, color, 2)
        if name:
            self.page.text((places[-1][0] + 6, places[-1][1] + 4 + lift), name, color=color)
