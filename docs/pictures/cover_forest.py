"""Draws cover_forest.svg: the order in which services are placed, and the parents of each."""

from __future__ import annotations

import numpy as np

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, RED, VIOLET, Drawing
from gossamer.design.cover_forest import place_nodes_in_order
from services import interests

RADIUS = 3
COLORS = (BLUE, ORANGE, GREEN, VIOLET, RED)
ROWS = 12


def parents_of(
    table: gossamer.Interests, order: list[int]
) -> dict[int, list[tuple[int, list[int]]]]:
    """Return the parents of each node in the order of choice, with the topics that each covers."""
    caps = np.full(table.node_count, table.node_count, dtype=np.int32)
    placed = place_nodes_in_order(table, np.array(order), RADIUS, caps)
    rank = {node: place for place, node in enumerate(order)}
    found: dict[int, list[tuple[int, list[int]]]] = {node: [] for node in order}
    topics_of = {node: set(table.topics_of(node).tolist()) for node in order}
    open_topics = {node: set(topics_of[node]) for node in order}
    for u, v in placed.ends().tolist():
        child, parent = (u, v) if rank[u] > rank[v] else (v, u)
        covered = sorted(open_topics[child] & topics_of[parent])
        open_topics[child] -= set(covered)
        found[child].append((parent, covered))
    return found


def draw() -> Drawing:
    """Draw a row for each service: a square for each topic, in the colour of the parent in it."""
    table = interests()
    sizes = table.subscription_sizes
    order = sorted(range(table.node_count), key=lambda node: (-int(sizes[node]), node))
    parents = parents_of(table, order)
    names, topics = table.node_names, table.topic_names
    page = Drawing(940, 60 + 30 * ROWS, "The first services that cover forest places")
    for column, topic in enumerate(topics):
        page.text((160 + 56 * column, 24), str(topic), size=11, anchor="middle")
    page.text((690, 24), "parents", bold=True)
    for row, node in enumerate(order[:ROWS]):
        y = 52 + 30 * row
        page.text((10, y + 4), f"{row + 1}. {names[node]}")
        color_of = {
            topic: COLORS[place]
            for place, (_, covered) in enumerate(parents[node])
            for topic in covered
        }
        for column in range(table.topic_count):
            corner = (160 + 56 * column - 9, y - 9)
            if column in table.topics_of(node).tolist():
                if column in color_of:
                    page.box(corner, 18, 18, color_of[column])
                else:
                    page.text((160 + 56 * column, y + 4), "root", size=11, anchor="middle")
            else:
                page.circle((160 + 56 * column, y), 1.5, FAINT, opacity=0.5)
        left = 690.0
        for place, (parent, covered) in enumerate(parents[node]):
            page.box((left, y - 6), 10, 10, COLORS[place])
            text = f"{names[parent]} ({len(covered)})"
            page.text((left + 15, y + 4), text, color=INK)
            left += 30 + 6.6 * len(text)
    return page


if __name__ == "__main__":
    draw().save("cover_forest")
