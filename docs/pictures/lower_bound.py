"""Draws lower_bound.svg: links of designs and the bounds that no overlay can undercut."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import gossamer
from drawing import BLUE, GREEN, INK, ORANGE, RED, Drawing, Plot

SHARED = range(1, 11)
DESIGNS: dict[str, tuple[Callable[[gossamer.Interests], gossamer.Overlay], str]] = {
    "ring per topic": (gossamer.ring_per_topic, GREEN),
    "bounded radius": (gossamer.bounded_radius, ORANGE),
    "greedy merge": (gossamer.greedy_merge, BLUE),
}


def draw() -> Drawing:
    """Draw the mean degree of three designs, and the bound, for more and more subscriptions."""
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in [*DESIGNS, "bound"]}
    for size in SHARED:
        table = gossamer.generate_interests("rss", nodes=600, topics=30, subscriptions=size, seed=1)
        for name, (design, _) in DESIGNS.items():
            points[name].append((size, float(design(table).degrees.mean())))
        points["bound"].append((size, gossamer.links_lower_bound(table).mean_degree))
    page = Drawing(760, 430, "Mean degree of three designs, and the proven lower bound")
    page.text((10, 20), "600 nodes, 30 topics", bold=True)
    plot = Plot(page, (60, 62), (520, 300), (1, 10), (0, 12))
    plot.axes(list(SHARED), (0, 2, 4, 6, 8, 10, 12), "topics per node", "links per node, mean")
    bound = points["bound"]
    for (x, y), (x2, y2) in pairwise(bound):
        corners = (plot.at(x, 0), plot.at(x, y), plot.at(x2, y2), plot.at(x2, 0))
        text = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        page.parts.append(f'<polygon points="{text}" fill="{RED}" fill-opacity="0.12"/>')
    for name, (_, color) in DESIGNS.items():
        inside = [(x, y) for x, y in points[name] if y <= 12]
        plot.curve(inside, color, name, lift=-4 if name == "bounded radius" else 0)
    plot.curve(bound, RED, "lower bound", lift=8)
    page.text(plot.at(5.6, 0.9), "no topic-connected overlay is here", color=INK)
    return page


if __name__ == "__main__":
    draw().save("lower_bound")
