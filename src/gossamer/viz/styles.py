"""Colours, dashes and shapes of series, and the theme of pictures.

The same series in the same order look the same in every chart and in the legend of a page. The
first eight have a colour; the others are grey, and a page names them when they are pointed at.
Colour-blind readers can distinguish the colours, which also differ in their dashes or shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

COLORS = ("#2f7cf8", "#db7b0e", "#2c8157", "#8d55c0", "#db001f", "#1ba8d3", "#9f5189", "#948041")
BLUE, ORANGE, GREEN, *_ = COLORS
MAX_COLOURED = len(COLORS)
"""Series that have a colour; further ones are grey."""
GREY, INK = "#8c8c8c", "#222222"
DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond")

THEME: dict[str, Any] = {
    "background": "white",
    "font": "Liberation Sans, Arial, sans-serif",
    "view": {"stroke": None},
    "rule": {"color": INK},
    "style": {"ink": {"color": INK}},
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
    "axisX": {"labelFlush": 16},  # a label near the end does not stick out of a narrow chart
    "legend": {"labelColor": INK, "labelFontSize": 11, "labelLimit": 400},
    "concat": {"spacing": 36},
}
"""Vega-Lite configuration of a picture; a page has its own, in light and dark."""


@dataclass(frozen=True)
class Style:
    """Look of a series."""

    color: str
    dash: tuple[int, ...]
    shape: str


OTHER = Style(GREY, (), "circle")
"""Look of the series beyond the first eight."""


def styles_of(series: Sequence[str]) -> dict[str, Style]:
    """Assign colours, dashes and shapes to series, the most important of which come first.

    Examples
    --------
    >>> styles_of(["a", "b"])["b"].shape
    'square'
    """
    looks = [
        Style(color, DASHES[place // len(SHAPES)], SHAPES[place % len(SHAPES)])
        for place, color in enumerate(COLORS)
    ]
    return {name: looks[at] if at < len(looks) else OTHER for at, name in enumerate(series)}
