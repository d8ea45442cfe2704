"""Draws resilience.svg: the bridges of two topics, and the links that remove them."""

from __future__ import annotations

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, RED, Drawing, components, links_of_topic
from services import interests, layout


def bridges(count: int, links: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the links without which there are more components."""
    whole = len(set(components(count, links).tolist()))
    return {
        link
        for link in links
        if len(set(components(count, [one for one in links if one != link]).tolist())) > whole
    }


def draw() -> Drawing:
    """Draw the links of two topics before, and those added."""
    table = interests()
    before = gossamer.low_oda(table)
    after = gossamer.make_resilient(table, before)
    page = Drawing(900, 330, "The bridges of two topics, and the links that remove them")
    added = after.link_count - before.link_count
    page.text((10, 20), f"{before.link_count} links, and {added} added", bold=True)
    legend = ((RED, "bridge"), (BLUE, "other link"), (GREEN, "added link"))
    for place, (color, text) in enumerate(legend):
        page.line((540 + 125 * place, 16), (565 + 125 * place, 16), color, 3)
        page.text((572 + 125 * place, 20), text)
    for place, name in enumerate(("orders", "reviews")):
        topic = table.topic_id(name)
        old = links_of_topic(table, before, topic)
        new = links_of_topic(table, after, topic)
        cut, still = bridges(table.node_count, old), bridges(table.node_count, new)
        page.text((10 + 450 * place, 48), f"{name}: {len(cut)} bridges before, {len(still)} after")
        places = layout(30 + 450 * place, 75, 390, 235)
        for u, v in after.links.tolist():
            page.line(places[u], places[v], FAINT, 0.7, opacity=0.4)
        for link in new:
            color = GREEN if link not in old else RED if link in cut else BLUE
            page.line(places[link[0]], places[link[1]], color, 2.5)
        members = set(table.subscribers_of(topic).tolist())
        for node, at in enumerate(places):
            page.circle(at, 4.5 if node in members else 2, INK if node in members else FAINT)
    return page


if __name__ == "__main__":
    draw().save("resilience")
