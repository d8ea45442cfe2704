"""Parts of Vega-Lite charts: channels, reference lines, the frame.

Fonts and backgrounds are those of the page or picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gossamer.viz.styles import styles_of

__all__ = [
    "FAINT",
    "SCHEMA",
    "Spec",
    "by_series",
    "chosen_opacity",
    "chosen_or",
    "finish",
    "number",
    "reference_line",
    "rows_axis",
    "tooltip",
]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FAINT = 0.13
CHOSEN = "!length(chosen) || indexof(chosen, datum.series) >= 0"

Spec = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""


def number(name: str, **options: Any) -> Spec:
    """Return a channel of numbers."""
    return {"field": name, "type": "quantitative", **options}


def by_series(channel: str, series: Sequence[str]) -> Spec:
    """Return the channel ``color``, ``strokeDash`` or ``shape``, with the style of each series.

    It has no legend: a page explains its series once a section, and a picture adds a legend.
    """
    styles = styles_of(series).values()
    ranges: dict[str, list[Any]] = {
        "color": [style.color for style in styles],
        "strokeDash": [list(style.dash) or [1, 0] for style in styles],
        "shape": [style.shape for style in styles],
    }
    return {
        "field": "series",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(series), "range": ranges[channel]},
    }


def chosen_or(chosen: Any, other: Any) -> Spec:
    """Return a channel with one value for the chosen series and another for the rest."""
    return {"condition": {"test": CHOSEN, "value": chosen}, "value": other}


def chosen_opacity(full: float = 1.0) -> Spec:
    """Return an opacity that dims the series that are not chosen."""
    return chosen_or(full, FAINT)


def tooltip(fields: Mapping[str, tuple[str, str | None]]) -> list[Spec]:
    """Return a tooltip: for each field, its title, and the format if it is a number."""
    return [
        {"field": name, "title": title}
        | ({"type": "nominal"} if form is None else {"type": "quantitative", "format": form})
        for name, (title, form) in fields.items()
    ]


def rows_axis(order: Sequence[str]) -> Spec:
    """Return a vertical axis with a row for each series."""
    axis = {"title": None, "labelLimit": 170, "ticks": False, "domain": False, "grid": True}
    return {"field": "series", "type": "nominal", "sort": list(order), "axis": axis}


def reference_line(line: tuple[str, float], *, channel: str = "x") -> list[Spec]:
    """Return a dashed line at a value of an axis, with its name beside it."""
    name, value = line
    text: Spec = {"type": "text", "fontStyle": "italic", "align": "left", "baseline": "bottom"}
    # The name of a vertical line stands above the chart, that of a horizontal one on its right end.
    end = {"y": {"value": -4}} if channel == "x" else {"x": {"value": "width"}}
    if channel == "y":
        text |= {"align": "right", "baseline": "top", "dy": 4}
    place = {channel: number("at")}
    return [
        {
            "name": "avoid_rule",
            "data": {"values": [{"at": value, "name": name}]},
            "mark": {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5},
            "encoding": place,
        },
        {
            "name": "avoid_text",
            "data": {"values": [{"at": value, "name": name}]},
            "mark": text,
            "encoding": {**place, **end, "text": {"field": "name", "type": "nominal"}},
        },
    ]


def finish(layers: Sequence[Spec], height: int, **more: Any) -> Spec:
    """Return a whole specification: as wide as its container, with the parameter ``chosen``."""
    return {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "params": [{"name": "chosen", "value": []}],
        "layer": list(layers),
        **more,
    }
