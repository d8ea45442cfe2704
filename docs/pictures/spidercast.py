"""Draws spidercast.svg: the neighbours of one node, and how often they cover each of its topics."""

from __future__ import annotations

from collections import Counter

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, RED, VIOLET, Drawing, between, on_circle

COLORS = (BLUE, ORANGE, GREEN, VIOLET, RED)


def draw() -> Drawing:
    """Simulate 200 nodes, and draw a node of average degree with its neighbours."""
    table = gossamer.generate_interests("rss", nodes=200, topics=25, subscriptions=5, seed=4)
    done = gossamer.simulate(gossamer.Scenario(table, seed=1), "spidercast")
    overlay, goal = done.last.overlay, 3
    degree = int(overlay.degrees.mean())
    node = next(v for v in range(table.node_count) if overlay.degrees[v] == degree)
    mine = table.topics_of(node).tolist()
    color_of = dict(zip(mine, COLORS, strict=True))
    neighbours = overlay.neighbours_of(node).tolist()
    shared = {
        other: [t for t in table.topics_of(other).tolist() if t in mine] for other in neighbours
    }
    neighbours.sort(key=lambda other: (-len(shared[other]), other))
    coverage = Counter(topic for topics in shared.values() for topic in topics)
    page = Drawing(880, 390, "A node under SpiderCast, and its neighbours")
    center = (220.0, 200.0)
    places = on_circle(len(neighbours), center, 140)
    for other, at in zip(neighbours, places, strict=True):
        page.line(*between(center, at, 22, 19), FAINT, 1.5)
        page.circle(at, 19, stroke=INK, width=1)
        for place, topic in enumerate(shared[other]):
            left = at[0] - 4.5 * len(shared[other]) + 9 * place
            page.box((left + 0.5, at[1] - 4), 8, 8, color_of[topic])
    page.circle(center, 22, INK)
    page.text((center[0], center[1] + 4), "v", size=14, color="white", anchor="middle", bold=True)
    page.text((450, 60), f"node v subscribes to {len(mine)} topics", bold=True)
    page.text((450, 80), f"and has {len(neighbours)} neighbours; goal: {goal} for each topic")
    for row, topic in enumerate(sorted(mine, key=lambda topic: -coverage[topic])):
        y = 118 + 34 * row
        page.box((450, y - 10), 12, 12, color_of[topic])
        page.text((470, y), f"{table.popularity[topic]} subscribers")
        for place in range(coverage[topic]):
            page.circle((600 + 18 * place, y - 4), 6, color_of[topic])
    page.text((450, 310), "A square: the neighbour subscribes to that topic of v.")
    page.text(
        (450, 330), f"{len(neighbours)} links cover {sum(coverage.values())} subscriptions; "
        "one link serves several topics.",
    )  # fmt: skip
    return page


if __name__ == "__main__":
    draw().save("spidercast")
