"""The Pareto front, by comparison of all pairs of points."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["naive_non_dominated"]


def naive_non_dominated(points: Sequence[tuple[float, ...]]) -> list[int]:
    """Return the places of the points that no other point beats."""
    return [
        place
        for place, point in enumerate(points)
        if not any(
            all(a <= b for a, b in zip(other, point, strict=True))
            and any(a < b for a, b in zip(other, point, strict=True))
            for other in points
        )
    ]
