"""Draws stan.svg: connections of a node, and its neighbours over all topics, as StaN runs."""

from __future__ import annotations

import gossamer
from drawing import BLUE, INK, ORANGE, Drawing, Plot

SECONDS = 40


def draw() -> Drawing:
    """Simulate StaN, and draw both means over time."""
    table = gossamer.generate_interests(
        "high-correlation", nodes=100, topics=40, subscriptions=8, buckets=8, seed=1
    )
    done = gossamer.simulate(
        gossamer.Scenario(table, duration=SECONDS, seed=1), "stan",
        recording=gossamer.Recording(snapshots=1),
    )  # fmt: skip
    times = [shot.time / 1_000_000 for shot in done.snapshots]
    logical = [shot.mean_view for shot in done.snapshots]
    physical = [shot.mean_degree for shot in done.snapshots]
    page = Drawing(760, 400, "StaN: connections fall while the neighbours of topics stay")
    page.text((10, 20), f"{table.node_count} nodes with 8 topics each", bold=True)
    top = 10 * (int(max(logical)) // 10 + 1)
    plot = Plot(page, (60, 62), (460, 270), (0, SECONDS), (0, top))
    plot.axes(range(0, SECONDS + 1, 10), range(0, top + 1, 10), "seconds", "per node, mean")
    plot.curve(list(zip(times, logical, strict=True)), ORANGE)
    plot.curve(list(zip(times, physical, strict=True)), BLUE)
    for value, color, name, text in (
        (logical[-1], ORANGE, "logical view", "neighbours, summed over topics"),
        (physical[-1], BLUE, "physical view", "connections"),
    ):
        x, y = plot.at(SECONDS, value)
        page.text((x + 10, y), f"{name}: {value:.1f}", color=color, bold=True)
        page.text((x + 10, y + 17), text, color=INK)
    return page


if __name__ == "__main__":
    draw().save("stan")
