"""Draws simulation.svg: SpiderCast over simulated time, as ``simulate --picture`` does."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gossamer
from first_overlay import CommandPicture
from gossamer.viz.simulation import simulation_picture


def draw() -> CommandPicture:
    """Simulate 200 nodes until no link has changed for five seconds."""
    table = gossamer.generate_interests("rss", nodes=200, topics=20, subscriptions=5)
    done = gossamer.simulate(gossamer.Scenario(table), "spidercast")
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "simulation.svg")
        simulation_picture(done, picture)
        return CommandPicture(picture.read_text(encoding="utf-8"))


if __name__ == "__main__":
    draw().save("simulation")
