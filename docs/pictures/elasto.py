"""Draws elasto.svg: a node leaves, and its successor repairs the overlay among the shadows."""

from __future__ import annotations

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, RED, Drawing, on_circle
from gossamer.maintain.strategies.elasto_g import ElastoG
from gossamer.protocols.components.identifiers import identifier_of_node
from services import interests

LEAVER = "billing"


def draw() -> Drawing:
    """Draw the identifier circle with the links of the departed node and those of the repair."""
    table = interests()
    names = [str(name) for name in table.node_names]
    overlay = gossamer.low_oda(table)
    strategy = ElastoG(coverage=1)
    maintainer = gossamer.Maintainer(table, overlay, strategy=strategy)
    leaver = table.node_id(LEAVER)
    backups = set(strategy.backups.of(maintainer.dynamic_overlay, leaver).tolist())
    neighbours = set(overlay.neighbours_of(leaver).tolist())
    added = maintainer.leave(LEAVER).links
    circle = sorted(range(table.node_count), key=lambda node: identifier_of_node(names[node]))
    coordinator = circle[(circle.index(leaver) + 1) % len(circle)]
    center = (300.0, 235.0)
    places = dict(zip(circle, on_circle(len(circle), center, 190), strict=True))
    page = Drawing(880, 470, "The repair after a node has left")
    page.circle(center, 190, stroke=FAINT, width=0.8, dash="3 4")
    for u, v in overlay.links.tolist():
        lost = leaver in (u, v)
        page.line(
            places[u], places[v], RED if lost else FAINT, 2 if lost else 1,
            dash="5 4" if lost else "", opacity=1 if lost else 0.45,
        )  # fmt: skip
    for one, other in added:
        page.line(places[table.node_id(one)], places[table.node_id(other)], GREEN, 3)
    for node, (x, y) in places.items():
        color = RED if node == leaver else BLUE if node in neighbours else INK
        color = ORANGE if node in backups - neighbours else color
        page.circle((x, y), 6, color)
        if node == coordinator:
            page.circle((x, y), 10, stroke=INK, width=2)
        out_x, out_y = x + (x - center[0]) * 0.09, y + (y - center[1]) * 0.1 + 4
        anchor = "start" if x > center[0] + 5 else "end" if x < center[0] - 5 else "middle"
        page.text((out_x, out_y), names[node], anchor=anchor)
    legend = (
        (RED, "departed node, and its links"),
        (BLUE, "its former neighbours"),
        (ORANGE, "its backups that were no neighbours"),
        (GREEN, f"links of the repair: {len(added)}"),
    )
    for row, (color, text) in enumerate(legend):
        if color == GREEN:
            page.line((598, 200 + 26 * row), (614, 200 + 26 * row), color, 3)
        else:
            page.circle((606, 200 + 26 * row), 6, color)
        page.text((622, 204 + 26 * row), text)
    page.circle((606, 304), 4, INK)
    page.circle((606, 304), 8, stroke=INK, width=2)
    page.text((622, 308), "its successor on the circle: coordinator")
    return page


if __name__ == "__main__":
    draw().save("elasto")
