"""Results as people look at them: algorithms side by side, pictures and pages.

What is measured comes from :mod:`gossamer.quality`; nothing is measured anew here.
"""

from gossamer.report.advice import Advice, advise
from gossamer.report.blocks import Chart, Section, Table
from gossamer.report.comparison import Comparison, ComparisonRow, Origin, compare
from gossamer.report.folder import load_comparison
from gossamer.report.front_running import front
from gossamer.report.fronts import Front, FrontPoint
from gossamer.report.page import comparison_page
from gossamer.report.pictures import comparison_picture
from gossamer.report.rendering import render_page

__all__ = [
    "Advice",
    "Chart",
    "Comparison",
    "ComparisonRow",
    "Front",
    "FrontPoint",
    "Origin",
    "Section",
    "Table",
    "advise",
    "compare",
    "comparison_page",
    "comparison_picture",
    "front",
    "load_comparison",
    "render_page",
]
