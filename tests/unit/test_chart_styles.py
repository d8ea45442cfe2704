"""Looks of charts: colours, legends, titles of measures, and names of many series."""

from __future__ import annotations

import zlib
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gossamer
from gossamer.experiments.comparison import Comparison, compare
from gossamer.measures import MEASURES
from gossamer.viz import labels
from gossamer.viz.blocks import Chart
from gossamer.viz.charts import ChartPoint, scatter_chart
from gossamer.viz.comparison import comparison_picture, comparison_sections
from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.picture import _panel, draw_picture, pack_png
from gossamer.viz.styles import COLORS, GREY, MAX_COLOURED, THEME, styles_of

SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
"""What colours look like to colour-blind readers (Machado, Oliveira, Fernandes, 2009)."""


def linear(color: str) -> Any:
    """Return the linear red, green and blue of a colour, from 0 to 1."""
    values = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: Any) -> Any:
    """Return the position of a colour in the space CIELAB, where distances are as perceived."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
         [0.0193339, 0.1191920, 0.9503041]]
    )  # fmt: skip
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    roots = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])])


def luminance(color: str) -> float:
    """Return the relative luminance of a colour."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color))


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_colour_blind_readers_too(sight: str) -> None:
    seen = {color: lab(SIGHT[sight] @ linear(color)) for color in (*COLORS, GREY)}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 15, (one, other)


@pytest.mark.parametrize("paper", ["#ffffff", "#1d2329"])
def test_colours_have_contrast_on_light_and_dark_paper(paper: str) -> None:
    for color in (*COLORS, GREY):
        low, high = sorted((luminance(color), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) > 2.7


def test_styles_of_series_differ_and_those_beyond_eight_are_grey() -> None:
    styles = styles_of([str(name) for name in range(32)])
    first = list(styles.values())[:MAX_COLOURED]
    assert len({style.color for style in first}) == len(first) == 8
    assert len({(style.dash, style.shape) for style in first}) == 8, "without colours too"
    assert {style.color for style in list(styles.values())[8:]} == {GREY}


# -- many series ------------------------------------------------------------------------

MANY = [f"line {number}" for number in range(12)]


def test_chart_of_many_lines_has_eight_colours_and_names_the_others_on_hover() -> None:
    curves = [Curve(name, [0, 1], [place, place + 1]) for place, name in enumerate(MANY)]
    chart = line_chart("t", curves, x="x", y="y", points=20)
    lines, points = chart.spec["layer"]
    scale = lines["encoding"]["color"]["scale"]
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    assert sum(colour != GREY for colour in colours.values()) == 8
    shown = {"field": "series", "type": "nominal", "title": "name"}
    assert points["encoding"]["tooltip"][0] == shown
    drawn = list(dict.fromkeys(row["series"] for row in lines["data"]["values"]))
    assert drawn == [*MANY[8:], *MANY[:8]], "grey lines are below the others"
    panel = _panel(chart, 400, None, 1, tinted=True)
    assert panel["layer"][0]["encoding"]["color"]["legend"]["values"] == MANY[:8]
    texts = [layer["mark"].get("text") for layer in panel["layer"] if "mark" in layer]
    assert "grey: 4 others" in texts


def test_important_points_are_drawn_on_top_and_named_first() -> None:
    points = [ChartPoint(name, 1 + place, 2, name) for place, name in enumerate(MANY)]
    spec = scatter_chart("t", points, x="x", y="y", named=True).spec
    assert [row["rank"] for row in spec["data"]["values"]] == list(range(12))
    order = spec["layer"][-1]["encoding"]["order"]
    assert (order["field"], order["sort"]) == ("rank", "descending")


def test_legends_are_below_charts(tmp_path: Path) -> None:
    curves = [Curve(name, [0, 1], [1, 2]) for name in "ab"]
    panel = _panel(line_chart("t", curves, x="x", y="y"), 400, None, 0, tinted=True)
    legends = [
        channel["legend"]
        for layer in panel["layer"]
        for channel in layer["encoding"].values()
        if isinstance(channel, dict) and channel.get("legend")
    ]
    assert legends
    assert {legend["orient"] for legend in legends} == {"bottom"}
    draw_picture(tmp_path / "p.svg", "", [line_chart("t", curves, x="x", y="y", note="n; m")])


def test_headings_of_a_row_are_at_one_height() -> None:
    charts = [
        line_chart("t", [Curve("a", [0, 1], [1, 2])], x="x", y="y", note=note)
        for note in ("", "one; two")
    ]
    panels = [_panel(chart, 400, None, 2, tinted=True) for chart in charts]
    tops = {
        layer["encoding"]["y"]["value"]
        for panel in panels
        for layer in panel["layer"]
        if layer["mark"] != "rule" and layer["mark"].get("text") == "t"
    }
    assert len(tops) == 1


def test_packed_png_is_the_same_picture_and_smaller() -> None:
    import vl_convert

    chart = line_chart("t", [Curve("a", [0, 1, 2], [1, 3, 2])], x="x", y="y")
    spec = {**chart.spec, "width": 300, "config": THEME}
    original = vl_convert.vegalite_to_png(spec, scale=2)
    packed = pack_png(original)
    assert len(packed) < 0.7 * len(original)
    assert pixels_of(packed) == pixels_of(original)


def pixels_of(png: bytes) -> tuple[bytes, bytes]:
    """Return header and pixels of a PNG, whose check sums are right."""
    place, header, pixels = 8, b"", b""
    while place < len(png):
        length = int.from_bytes(png[place : place + 4])
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + data) == int.from_bytes(png[place + 8 + length :][:4])
        header += data if kind == b"IHDR" else b""
        pixels += data if kind == b"IDAT" else b""
        place += 12 + length
    return header, zlib.decompress(pixels)


def test_horizontal_axis_begins_at_zero_if_the_values_begin_near_it() -> None:
    for start, zero in ((0, True), (1, True), (15, False)):
        chart = line_chart("t", [Curve("a", [start, 20], [1, 2])], x="x", y="y")
        assert chart.spec["layer"][0]["encoding"]["x"]["scale"]["zero"] is zero


def test_name_of_a_line_at_the_right_is_on_its_left() -> None:
    for at, align in ((1.0, "left"), (9.0, "right")):
        chart = line_chart("t", [Curve("a", [0, 10], [1, 2])], x="x", y="y", line=("here", at))
        assert chart.spec["layer"][-1]["mark"]["align"] == align


# -- measures ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    interests = gossamer.generate_interests("rss", nodes=80, topics=10, subscriptions=3, seed=1)
    return compare(interests, None)


def charts_of(comparison: Comparison) -> list[Chart]:
    return [chart for one in comparison_sections(comparison) for chart in one.charts]


def test_measures_have_the_same_titles_in_pages_pictures_and_tables(
    comparison: Comparison, tmp_path: Path
) -> None:
    trade_off = charts_of(comparison)[0]
    encoding = trade_off.spec["layer"][-1]["encoding"]
    titles = encoding["x"]["title"], encoding["y"]["title"]
    assert titles[0].startswith(MEASURES["max_diameter"].title.removesuffix(")"))
    assert titles[1].startswith(MEASURES["mean_degree"].title)
    (results,) = (one for one in comparison_sections(comparison) if one.title == "Results")
    header = results.tables[0].header
    assert header == ("Algorithm", *(MEASURES[name].title for name in labels.FIELDS))
    assert {MEASURES["mean_degree"].title, MEASURES["max_diameter"].title} <= {*header}
    comparison_picture(comparison, tmp_path / "c.svg")
    drawn = (tmp_path / "c.svg").read_text()
    for title in (*titles, trade_off.title, charts_of(comparison)[1].title):
        assert f">{title}</text>" in drawn


def test_recommended_overlays_and_those_of_the_front_have_the_colours(
    comparison: Comparison,
) -> None:
    trade_off = charts_of(comparison)[0]
    advice = gossamer.recommend(comparison)
    recommended = list(dict.fromkeys(one.point.label for one in advice if one.point is not None))
    assert list(trade_off.series[: len(recommended)]) == recommended
    assert set(trade_off.series) == {row.algorithm for row in comparison.rows}
    for chart in charts_of(comparison):
        assert list(chart.series) == [name for name in trade_off.series if name in chart.series]
