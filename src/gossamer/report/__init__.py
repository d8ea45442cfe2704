"""Results as people look at them: algorithms side by side, pictures and pages.

What is measured comes from :mod:`gossamer.quality`; nothing is measured anew here.
"""

from gossamer.report.blocks import Chart, Section, Table
from gossamer.report.comparison import Comparison, ComparisonRow, Origin, compare
from gossamer.report.folder import load_comparison
from gossamer.report.page import comparison_page
from gossamer.report.pictures import comparison_picture
from gossamer.report.rendering import render_page

__all__ = [
    "Chart",
    "Comparison",
    "ComparisonRow",
    "Origin",
    "Section",
    "Table",
    "compare",
    "comparison_page",
    "comparison_picture",
    "load_comparison",
    "render_page",
]
