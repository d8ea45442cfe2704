"""Draws bounded_radius.svg: one topic of two overlays, on rings by distance from its centre."""

from __future__ import annotations

import gossamer
from drawing import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    Drawing,
    center_of,
    distances,
    links_of_topic,
    radial_tree,
)

RADIUS = 3


def draw() -> Drawing:
    """Draw the most popular topic under greedy merge and under bounded radius."""
    table = gossamer.generate_interests("rss", nodes=200, topics=30, subscriptions=5, seed=3)
    topic = int(table.popularity.argmax())
    designs = {
        "greedy merge": (gossamer.greedy_merge(table), BLUE),
        f"bounded radius, R = {RADIUS}": (gossamer.bounded_radius(table, radius=RADIUS), ORANGE),
    }
    page = Drawing(900, 505, "One topic under greedy merge and under bounded radius")
    for place, (name, (overlay, color)) in enumerate(designs.items()):
        left = 450 * place
        links = links_of_topic(table, overlay, topic)
        root = center_of(links)
        depth = max(distances(links, root).values())
        diameter = int(gossamer.assess(table, overlay, lower_bound=False).topic_diameters[topic])
        page.text((left + 10, 20), name, color=color, bold=True)
        page.text(
            (left + 10, 38), f"{overlay.degrees.mean():.2f} links per node; this topic: "
            f"{int(table.popularity[topic])} subscribers, diameter {diameter}",
        )  # fmt: skip
        page.text((left + 10, 56), "pale: links that close a cycle in this topic")
        center, step = (left + 225, 285), 205 / depth
        for ring in range(1, depth + 1):
            page.circle(center, round(ring * step, 1), stroke=FAINT, width=0.6, dash="2 4")
        places, parent = radial_tree(links, root, center, step)
        for u, v in links:
            in_tree = parent.get(u) == v or parent.get(v) == u
            page.line(places[u], places[v], color, 1.5, opacity=1 if in_tree else 0.25)
        for node, at in places.items():
            page.circle(at, 6 if node == root else 3, color if node == root else INK)
    return page


if __name__ == "__main__":
    draw().save("bounded_radius")
