"""Draws overlay.svg: an overlay of twenty services, and the links of three topics in it."""

from __future__ import annotations

import numpy as np

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, Drawing, Point, links_of_topic
from services import interests, layout

TOPICS = {"orders": BLUE, "reviews": ORANGE, "invoices": GREEN}


def label_side(at: Point, around: list[Point]) -> tuple[float, float, str]:
    """Return where a name stands beside a node: on the side that is farthest from its links."""
    sides = {(0, -1): (0, -11, "middle"), (0, 1): (0, 20, "middle"),
             (1, 0): (11, 4, "start"), (-1, 0): (-11, 4, "end")}  # fmt: skip

    def nearest_link(side: tuple[int, int]) -> float:
        cosines = [
            ((x - at[0]) * side[0] + (y - at[1]) * side[1]) / float(np.hypot(x - at[0], y - at[1]))
            for x, y in around
        ]
        return max(cosines) + 0.15 * abs(side[0])

    return sides[min(sides, key=nearest_link)]


def draw() -> Drawing:
    """Draw all links at the left, and three topics at the right."""
    table = interests()
    overlay = gossamer.low_oda(table)
    bound = gossamer.links_lower_bound(table)
    assert gossamer.is_topic_connected(table, overlay)
    page = Drawing(900, 470, "An overlay of twenty services, and three of its topics")
    page.text(
        (10, 20), f"{table.node_count} services, {table.topic_count} topics, {overlay.link_count} "
        f"links (at least {bound.links} are necessary)", bold=True,
    )  # fmt: skip
    main = layout(75, 55, 450, 380)
    for u, v in overlay.links.tolist():
        page.line(main[u], main[v], FAINT, 1.5)
    for node, at in enumerate(main):
        page.circle(at, 3.5 + 0.9 * int(overlay.degrees[node]), INK)
        around = [main[other] for other in overlay.neighbours_of(node).tolist()]
        dx, dy, anchor = label_side(at, around)
        page.text((at[0] + dx, at[1] + dy), str(table.node_names[node]), anchor=anchor)
    for row, (topic, color) in enumerate(TOPICS.items()):
        number = table.topic_id(topic)
        members = set(table.subscribers_of(number).tolist())
        carrying = links_of_topic(table, overlay, number)
        top = 20 + 152 * row
        page.text((620, top), f"{topic}:", color=color, bold=True)
        page.text((632 + 7 * len(topic), top), f"{len(members)} subscribers, {len(carrying)} links")
        small = layout(640, top + 14, 220, 108)
        for u, v in overlay.links.tolist():
            page.line(small[u], small[v], FAINT, 0.7, opacity=0.45)
        for u, v in carrying:
            page.line(small[u], small[v], color, 2)
        for node, at in enumerate(small):
            inside = node in members
            page.circle(at, 4.2 if inside else 2, color if inside else FAINT)
    return page


if __name__ == "__main__":
    draw().save("overlay")
