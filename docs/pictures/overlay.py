"""Draws overlay.svg: an overlay of twenty services, and the links of three topics in it."""

from __future__ import annotations

import numpy as np

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, Drawing, Point, links_of_topic
from services import interests, layout

TOPICS = {"orders": BLUE, "reviews": ORANGE, "invoices": GREEN}


def crosses_box(start: Point, end: Point, corner: Point, size: Point) -> bool:
    """Return whether a line passes through a rectangle."""
    steps = np.linspace(0, 1, 60)[:, None]
    points = np.array(start) + steps * np.subtract(end, start)
    inside = (points >= np.array(corner)) & (points <= np.add(corner, size))
    return bool(inside.all(axis=1).any())


def label_side(text: str, at: Point, lines: list[tuple[Point, Point]]) -> tuple[Point, str]:
    """Return the place and the anchor of a name beside a node: where fewest lines cross it."""
    width, height = 7.2 * len(text), 14.0
    sides = [
        ((0, -11), "middle", (-width / 2, -22)), ((0, 20), "middle", (-width / 2, 8)),
        ((11, 4), "start", (9, -8)), ((-11, 4), "end", (-9 - width, -8)),
    ]  # fmt: skip

    def crossings(side: tuple[Point, str, Point]) -> int:
        corner = (at[0] + side[2][0], at[1] + side[2][1])
        return sum(crosses_box(start, end, corner, (width, height)) for start, end in lines)

    (dx, dy), anchor, _ = min(sides, key=crossings)
    return (at[0] + dx, at[1] + dy), anchor


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
        name = str(table.node_names[node])
        place, anchor = label_side(name, at, [(main[u], main[v]) for u, v in overlay.links])
        page.text(place, name, anchor=anchor)
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
