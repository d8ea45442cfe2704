"""Charts and pages of results."""

from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.comparison_page import comparison_page
from gossamer.viz.comparison_picture import comparison_picture
from gossamer.viz.html import render_page

__all__ = ["Chart", "Section", "Table", "comparison_page", "comparison_picture", "render_page"]
