"""The inputs that benchmarks share, and how their results are put in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Size
from gossamer.design import find_algorithm
from gossamer.model import Interests, Overlay
from gossamer.workloads import generate_interests

__all__ = ["designed", "links_and_degrees", "rss"]


def rss(size: Size) -> Interests:
    """Make interests as in RSS feeds, always the same ones for a size."""
    nodes, topics, subscriptions = size
    return generate_interests(
        "rss", nodes=nodes, topics=topics, subscriptions=min(subscriptions, topics), seed=1
    )


def designed(name: str, **options: Any) -> Callable[[Size], Callable[[], Overlay]]:
    """Return what prepares a run of a design algorithm."""

    def prepare(size: Size) -> Callable[[], Overlay]:
        algorithm, interests = find_algorithm(name), rss(size)
        return lambda: algorithm(interests, seed=1, **options)

    return prepare


def links_and_degrees(overlay: Overlay) -> str:
    """Say what an overlay costs."""
    degrees = overlay.degrees
    return f"{overlay.link_count:,} links, degree {degrees.mean():.2f} / {degrees.max()}"
