"""Colours, dashes and shapes of series, and the theme of pictures.

The same series in the same order look the same in every chart and in the legend of a page.
Most colour-blind readers can distinguish the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

COLORS = ("#2f7fc1", "#d9650b", "#1f9d6f", "#c24f97", "#b3870b", "#7a66c9", "#c8393b", "#2a9db0")
BLUE, ORANGE, GREEN, *_ = COLORS
GREY, INK = "#8c8c8c", "#222222"
DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (9, 3, 2, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond")

THEME: dict[str, Any] = {
    "background": "white",
    "font": "Liberation Sans, Arial, sans-serif",
    "view": {"stroke": None},
    "rule": {"color": INK},
    "text": {"color": INK, "fontSize": 11},
    "title": {
        "anchor": "start",
        "frame": "group",
        "color": INK,
        "fontSize": 13,
        "subtitleColor": "#666666",
    },
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": "#e6e6e6",
        "domainColor": GREY,
        "tickColor": GREY,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {"labelColor": INK, "labelFontSize": 11, "labelLimit": 400},
    "concat": {"spacing": 36},
}
"""Vega-Lite configuration of a picture; a page has its own, in light and dark."""


@dataclass(frozen=True)
class Style:
    """Look of a series: a colour, and beyond eight series also a dash and a shape."""

    color: str
    dash: tuple[int, ...]
    shape: str


def styles_of(series: Sequence[str]) -> dict[str, Style]:
    """Assign colours, dashes and shapes to series by their positions.

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
