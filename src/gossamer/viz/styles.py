"""How names look in charts: colours told apart by most eyes, then dashes and shapes.

The same names in the same order look the same in every chart and in the page's legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SHAPES", "Style", "styles_of"]

COLORS = ("#2f7fc1", "#d9650b", "#1f9d6f", "#c24f97", "#b3870b", "#7a66c9", "#c8393b", "#2a9db0")
DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (9, 3, 2, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond")


@dataclass(frozen=True)
class Style:
    """How one of a series looks: told apart by colour, and by dash and shape beyond eight."""

    color: str
    dash: tuple[int, ...]
    shape: str


def styles_of(series: Sequence[str]) -> dict[str, Style]:
    """Deal out colours, dashes and shapes to names, by their places.

    Examples
    --------
    >>> styles_of(["a", "b"])["b"].shape
    'circle'
    """
    rounds = [divmod(place, len(COLORS)) for place in range(len(series))]
    return {
        name: Style(COLORS[place], DASHES[turn % len(DASHES)], SHAPES[turn % len(SHAPES)])
        for name, (turn, place) in zip(series, rounds, strict=True)
    }
