"""Results as people look at them: algorithms side by side, and pictures.

What is measured comes from :mod:`gossamer.quality`; nothing is measured anew here.
"""

from gossamer.report.comparison import Comparison, ComparisonRow, compare
from gossamer.report.pictures import comparison_picture

__all__ = ["Comparison", "ComparisonRow", "compare", "comparison_picture"]
