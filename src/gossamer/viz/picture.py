"""Charts as one picture: PNG, SVG or PDF, drawn without a browser or network; or a page."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gossamer.tables import replacing
from gossamer.viz.blocks import Chart, Section
from gossamer.viz.html import render_page
from gossamer.viz.layers import SCHEMA, Spec, layer
from gossamer.viz.names import name_layers
from gossamer.viz.output import PAGE_ENDINGS, check_picture
from gossamer.viz.styles import MAX_COLOURED, THEME

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
WIDTH = 460
SCALE = 2
LEGEND = {"orient": "bottom", "title": None, "symbolOpacity": 1, "symbolStrokeWidth": 2}
CHARACTER_WIDTH, SYMBOL_WIDTH = 5.6, 36
HEADING_GAP, LINE_HEIGHT = 22, 15
"""Pixels between a chart and the last line of its heading, and from line to line."""
CHANNELS = ("color", "fill", "shape", "strokeDash", "size", "opacity")
INDEPENDENT = {"scale": dict.fromkeys(CHANNELS, "independent")}


def draw_picture(
    path: str | os.PathLike[str],
    title: str,
    charts: Sequence[Chart],
    *,
    columns: int = 2,
    width: int = WIDTH,
    height: int | None = None,
    theme: Spec | None = None,
) -> None:
    """Draw charts side by side under a title; the file is written whole or not at all.

    Parameters
    ----------
    path
        Output file: .png, .svg or .pdf; or .html, a page whose charts have tooltips.
    title
        Title above all charts, if any.
    charts
        Charts, row by row.
    columns
        Number of charts in a row.
    width, height
        Size of each chart in pixels; by default each chart keeps its height.
    theme
        Changes of the theme, by part of a chart.
    """
    place = check_picture(path)
    if place.suffix.lower() in PAGE_ENDINGS:
        shown = charts if title else [replace(charts[0], title=""), *charts[1:]]
        render_page(title or charts[0].title, [Section("", charts=shown)], place)
        return
    import vl_convert

    panels = []
    for first in range(0, len(charts), columns):
        row = charts[first : first + columns]
        remarks = max(len(_remarks(chart)) for chart in row)
        panels += [_panel(chart, width, height, remarks, tinted=theme is None) for chart in row]

    spec: Spec = {
        "$schema": SCHEMA,
        "config": THEME | (theme or {}),
        "params": [{"name": "chosen", "value": []}],
        "concat": panels,
        "columns": columns,
        "resolve": INDEPENDENT,
    }
    if title:
        spec["title"] = {"text": title, "fontSize": 14, "fontWeight": "normal", "offset": 14}
    match place.suffix.lower():
        case ".png":
            # On a transparent background, vl-convert darkens what is half transparent.
            spec["config"] = spec["config"] | {"background": "white"}
            content = pack_png(vl_convert.vegalite_to_png(spec, scale=SCALE))
        case ".svg":
            content = vl_convert.vegalite_to_svg(spec).encode()
        case _:
            content = vl_convert.vegalite_to_pdf(spec)
    with replacing(place) as partial:
        partial.write_bytes(content)


def pack_png(content: bytes) -> bytes:
    """Return the same PNG with its pixels compressed well: about a third of vl-convert's size."""
    place, chunks, pixels = len(PNG_SIGNATURE), [], b""
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        kind, data = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        if kind == b"IDAT":
            pixels += data
        else:
            chunks.append((kind, data))
        place += 12 + length
    chunks.insert(-1, (b"IDAT", zlib.compress(zlib.decompress(pixels), 9)))
    return PNG_SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _panel(chart: Chart, width: int, height: int | None, remarks: int, *, tinted: bool) -> Spec:
    """Return a chart of a page as a chart of a picture: sized, titled, with names or a legend."""
    outer = ("$schema", "autosize", "params", "usermeta")
    height = height or chart.spec["height"]
    layers: list[Spec] = [dict(one) for one in chart.spec["layer"]]
    if len(chart.series) > 1 and not chart.named:
        layers = [_with_legend(one, chart.series, width) for one in layers]
    if "labels" in chart.spec.get("usermeta", {}):
        layers += name_layers(dict(chart.spec), width, height, tinted=tinted)
    layers += _heading(chart, remarks)
    for one in layers:
        one.pop("name", None)  # two panels may not have layers of one name
    panel = {name: value for name, value in chart.spec.items() if name not in outer}
    return panel | {"width": width, "height": height, "layer": layers}


def _remarks(chart: Chart) -> list[str]:
    """Return the lines under the title of a chart."""
    others = len(chart.series) - MAX_COLOURED
    named = chart.named or others <= 0
    return [
        *(chart.note.split("; ") if chart.note else ()),
        *(() if named else (f"grey: {others} others",)),
    ]


def _heading(chart: Chart, remarks: int) -> Iterator[Spec]:
    """Yield title and remarks of a chart, at the same height in all charts of a row.

    Parameters
    ----------
    chart
        Chart.
    remarks
        Largest number of remarks of a chart in the row.
    """
    bold = {"fontSize": 13, "fontWeight": "bold"}
    for line, text in enumerate([chart.title, *_remarks(chart)]):
        mark = {"type": "text", "text": text, "align": "left", "baseline": "bottom"}
        top = -HEADING_GAP - LINE_HEIGHT * (remarks - line)
        yield layer(mark | (bold if line == 0 else {"opacity": 0.75}), [{}],
                    x={"value": 0}, y={"value": top})  # fmt: skip


def _with_legend(part: Spec, series: Sequence[str], width: int) -> Spec:
    """Explain the series of a layer below the chart, in as few rows as the names allow."""
    series = series[:MAX_COLOURED]
    longest = SYMBOL_WIDTH + CHARACTER_WIDTH * max(map(len, series))
    columns = min(max(int(width // longest), 1), len(series))
    legend = LEGEND | {"columns": columns, "values": list(series)}
    channels = {
        name: {**channel, "legend": legend}
        if channel.get("field") == "series" and "legend" in channel
        else channel
        for name, channel in part["encoding"].items()
        if isinstance(channel, dict)
    }
    return part | {"encoding": {**part["encoding"], **channels}}
