"""Charts of results, as pictures and as pages."""

from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.comparison import comparison_page, comparison_picture
from gossamer.viz.front import front_page, front_picture
from gossamer.viz.html import render_page
from gossamer.viz.output import check_picture, require_drawing
from gossamer.viz.overlay import overlay_chart, overlay_picture
from gossamer.viz.picture import draw_picture

__all__ = [
    "Chart",
    "Section",
    "Table",
    "check_picture",
    "comparison_page",
    "comparison_picture",
    "draw_picture",
    "front_page",
    "front_picture",
    "overlay_chart",
    "overlay_picture",
    "render_page",
    "require_drawing",
]
