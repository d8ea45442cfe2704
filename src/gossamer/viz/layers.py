"""Parts of Vega-Lite charts: channels, reference lines, the frame.

Fonts and backgrounds are those of the page or picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gossamer.viz.styles import styles_of

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FAINT = 0.13
MAX_NAME, TAIL = 28, 10
"""Characters of a name in a chart, and those of its end if it is longer."""
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


def chosen_opacity(full: float = 1.0) -> Spec:
    """Return an opacity that dims the series that are not chosen."""
    return {"condition": {"test": CHOSEN, "value": full}, "value": FAINT}


def tooltip(**fields: str | tuple[str, str]) -> list[Spec]:
    """Return a tooltip: the title of each field, with a format if it is a number."""
    return [
        {"field": name, "type": "nominal", "title": shown}
        if isinstance(shown, str)
        else {"field": name, "type": "quantitative", "title": shown[0], "format": shown[1]}
        for name, shown in fields.items()
    ]


def shortened(name: str) -> str:
    """Return a name of at most 28 characters; a longer one loses its middle.

    Examples
    --------
    >>> shortened("low-oda:rho=5"), shortened("an-idea-with-quite-a-long-name:weight=2.5")
    ('low-oda:rho=5', 'an-idea-with-quit…weight=2.5')
    """
    if len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - TAIL - 1]}…{name[-TAIL:]}"


def names_axis() -> Spec:
    """Return a vertical axis of names, which are shortened like those beside points."""
    head, tail = MAX_NAME - TAIL - 1, TAIL
    return {
        "title": None,
        "labelExpr": f"length(datum.label) > {MAX_NAME} ? slice(datum.label, 0, {head}) + '…' + "
        f"slice(datum.label, -{tail}) : datum.label",
        "labelLimit": 200,
        "labelPadding": 8,
        "ticks": False,
        "domain": False,
    }


def layer(mark: str | Spec, rows: Sequence[Spec] | None = None, **encoding: Any) -> Spec:
    """Return a layer: its mark, its encoding, and its data if they are not those of the chart."""
    data = {} if rows is None else {"data": {"values": list(rows)}}
    return {**data, "mark": mark, "encoding": encoding}


def reference_line(
    line: tuple[str, float], *, channel: str = "x", among: Sequence[float] = ()
) -> list[Spec]:
    """Return a dashed line at a value of an axis, with its name beside it.

    The name of a vertical line stands over the larger part of the values among which it is.
    """
    name, value = line
    rows, place = [{"at": value}], {channel: number("at")}
    text: Spec = {"type": "text", "text": name, "fontStyle": "italic"}
    rule = layer({"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5}, rows, **place)
    if channel == "x":  # the name stands above the chart
        right = bool(among) and value > (min(among) + max(among)) / 2
        text |= {"align": "right" if right else "left", "baseline": "bottom"}
        named = layer(text, rows, **place, y={"value": -4})
    else:
        text |= {"align": "right", "baseline": "top", "dy": 4}
        named = layer(text, rows, **place, x={"value": "width"})
    return [rule | {"name": "avoid_rule"}, named | {"name": "avoid_text"}]


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
