"""Draws improvement_phase.svg: links that the improvement phase removes, and those it adds."""

from __future__ import annotations

import numpy as np

import gossamer
from drawing import FAINT, GREEN, INK, RED, Drawing
from gossamer.design._trees.prune import prune
from gossamer.design._trees.reparent import improve
from gossamer.design.cover_forest import place_nodes_in_order
from services import interests, layout

RADIUS, CAP = 4, 6


def draw() -> Drawing:
    """Draw the overlay before and after, for services that are placed in random order."""
    table = interests()
    order = np.random.default_rng(0).permutation(table.node_count)
    caps = np.full(table.node_count, CAP, dtype=np.int32)
    placed = place_nodes_in_order(table, order, RADIUS, caps)
    before = gossamer.Overlay.from_links(table.node_count, placed.ends())
    pruned = prune(table, before, placed.roots, RADIUS)
    after = improve(table, before, placed.roots, RADIUS, caps)
    page = Drawing(900, 350, "An overlay before and after the improvement phase")
    page.text(
        (10, 20), f"before: {before.link_count} links, {before.degrees.max()} at most", bold=True
    )
    page.text((10, 38), f"red: removed; pruning alone leaves {pruned.link_count} links", color=RED)
    page.text(
        (460, 20), f"after: {after.link_count} links, {after.degrees.max()} at most", bold=True
    )
    page.text((460, 38), "green: links to new parents", color=GREEN)
    for place, (mine, other, color) in enumerate(((before, after, RED), (after, before, GREEN))):
        places = layout(25 + 450 * place, 70, 400, 260)
        both = set(map(tuple, other.links.tolist()))
        for u, v in sorted(mine.links.tolist(), key=lambda link: tuple(link) not in both):
            kept = (u, v) in both
            page.line(places[u], places[v], FAINT if kept else color, 1.2 if kept else 2.5)
        for node, at in enumerate(places):
            page.circle(at, 2.5 + 0.9 * int(mine.degrees[node]), INK)
    return page


if __name__ == "__main__":
    draw().save("improvement_phase")
