"""Draws dissemination.svg: the copies of one publication on two topics, in two forwarding modes."""

from __future__ import annotations

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, Drawing, Point, between
from gossamer.quality.dissemination import Flood
from services import interests, layout

PUBLISHER, TOPICS = "warehouse", ("orders", "shipping")
COLORS = {"orders": BLUE, "shipping": ORANGE, "both": GREEN}


def copies(
    table: gossamer.Interests, overlay: gossamer.Overlay, publisher: int, topics: frozenset[int]
) -> list[tuple[int, int]]:
    """Return the copies of one flood: a node forwards the first one that it receives."""
    sent: list[tuple[int, int]] = []
    seen, queue = {publisher}, [(publisher, -1)]
    for node, sender in queue:
        mine = topics & set(table.topics_of(node).tolist())
        for other in overlay.neighbours_of(node).tolist():
            wanted = mine & set(table.topics_of(other).tolist())
            if wanted and other not in (sender, publisher):
                sent.append((node, other))
                if other not in seen:
                    seen.add(other)
                    queue.append((other, node))
    return sent


def draw() -> Drawing:
    """Draw both modes on the same links."""
    table = interests()
    overlay = gossamer.make_resilient(table, gossamer.low_oda(table))
    publisher = table.node_id(PUBLISHER)
    numbers = {name: table.topic_id(name) for name in TOPICS}
    publications = gossamer.Publications.from_lists([publisher], [sorted(numbers.values())])
    scenario = gossamer.Scenario(table, publications=publications)
    simple = {
        name: copies(table, overlay, publisher, frozenset({number}))
        for name, number in numbers.items()
    }
    joint = {"both": copies(table, overlay, publisher, frozenset(numbers.values()))}
    page = Drawing(900, 370, "One publication on two topics, in two forwarding modes")
    modes: list[tuple[Flood, dict[str, list[tuple[int, int]]]]]
    modes = [("simple", simple), ("crosspost", joint)]
    for place, (mode, floods) in enumerate(modes):
        found = gossamer.disseminate(scenario, overlay, flood=mode)
        total = sum(map(len, floods.values()))
        assert found.sent.sum() == total
        left = 10 + 450 * place
        text = f"{mode}: {total} copies, {found.deliveries.sum()} deliveries"
        page.text((left, 20), text, bold=True)
        places = layout(left + 15, 75, 400, 270)
        for u, v in overlay.links.tolist():
            page.line(places[u], places[v], FAINT, 0.7, opacity=0.4)
        for row, (name, sent) in enumerate(floods.items()):
            text = "one copy for both topics" if name == "both" else f"copies for {name}"
            page.text((left + 150 * row, 40), f"{text}: {len(sent)}", color=COLORS[name])
            shift = 0.0 if name == "both" else 2.5 * (2 * row - 1)
            for u, v in sent:
                start: Point = (places[u][0] + shift, places[u][1] + shift)
                end: Point = (places[v][0] + shift, places[v][1] + shift)
                page.line(*between(start, end, 6, 7), COLORS[name], 1.6, arrow=True)
        for node, at in enumerate(places):
            inside = set(table.topics_of(node).tolist()) & set(numbers.values())
            page.circle(at, 4.5 if inside else 2, INK if inside else FAINT)
        page.circle(places[publisher], 10, stroke=INK, width=2)
    return page


if __name__ == "__main__":
    draw().save("dissemination")
