"""Draws partitioned_designs.svg: one topic of an overlay that was designed in three blocks."""

from __future__ import annotations

import numpy as np

import gossamer
from drawing import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    Drawing,
    center_of,
    distances,
    links_of_topic,
    radial_tree,
)
from gossamer.design.partitioned_merge import number_table
from gossamer.design.partitioned_radius import Division

RADIUS, BLOCK = 6, 60
COLORS = (BLUE, ORANGE, GREEN)


def draw() -> Drawing:
    """Draw the tree of a topic: links within a block in its colour, joining links thick."""
    table = gossamer.generate_interests("rss", nodes=180, topics=30, subscriptions=5, seed=2)
    shape, _, order = number_table(table)
    division = Division.of(shape, radius=RADIUS, degree_cap=0, block=BLOCK, seed=0)
    block_of = np.empty(table.node_count, dtype=np.int64)
    block_of[order] = division.block_of(np.arange(table.node_count))
    overlay = gossamer.partitioned_radius(table, radius=RADIUS, block=BLOCK)
    whole = gossamer.bounded_radius(table, radius=RADIUS)
    topic = int(table.popularity.argmax())
    links = links_of_topic(table, overlay, topic)
    root = center_of(links)
    depth = max(distances(links, root).values())
    places, parent = radial_tree(links, root, (260, 250), 235 / depth)
    page = Drawing(800, 470, "One topic of an overlay designed in three blocks")
    page.text((10, 20), f"one topic: {len(places)} subscribers in 3 blocks", bold=True)
    for u, v in links:
        tree = parent.get(u) == v or parent.get(v) == u
        inside = block_of[u] == block_of[v]
        color = COLORS[block_of[u]] if inside else INK
        page.line(
            places[u], places[v], color if tree else FAINT, 1.5 if inside else 3.5,
            opacity=1 if tree else 0.3,
        )  # fmt: skip
    for node, at in places.items():
        page.circle(at, 7 if node == root else 4, COLORS[block_of[node]])
    rows = [
        f"links per node, in 3 blocks: {overlay.degrees.mean():.2f}",
        f"links per node, undivided: {whole.degrees.mean():.2f}",
        f"radius promised: {RADIUS}; within blocks: {division.inner}",
    ]
    for row, text in enumerate(rows):
        page.text((560, 80 + 24 * row), text)
    for row, color in enumerate(COLORS):
        page.circle((566, 170 + 24 * row), 5, color)
        page.text((580, 174 + 24 * row), f"block {row + 1}: {int((block_of == row).sum())} nodes")
    page.line((560, 242), (576, 242), INK, 3.5)
    page.text((584, 246), "links that join the blocks")
    page.line((560, 266), (576, 266), FAINT, 1.5, opacity=0.4)
    page.text((584, 270), "links that close a cycle in this topic")
    return page


if __name__ == "__main__":
    draw().save("partitioned_designs")
