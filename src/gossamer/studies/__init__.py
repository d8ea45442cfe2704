"""The papers' experiments: parameters, runner, and the paper's values beside ours."""

from gossamer.studies.comparison import Cell, FigureResult, StudyResult, Verdict
from gossamer.studies.preparation import needs_tables
from gossamer.studies.registry import find_study, studies
from gossamer.studies.report import REPORT_COLUMNS, report_page, report_rows
from gossamer.studies.runner import reproduce, run_instance, run_named
from gossamer.studies.schema import Column, Explanation, Figure, Point, Row, Study
from gossamer.studies.store import ResultStore, StoredRun

__all__ = [
    "REPORT_COLUMNS",
    "Cell",
    "Column",
    "Explanation",
    "Figure",
    "FigureResult",
    "Point",
    "ResultStore",
    "Row",
    "StoredRun",
    "Study",
    "StudyResult",
    "Verdict",
    "find_study",
    "needs_tables",
    "report_page",
    "report_rows",
    "reproduce",
    "run_instance",
    "run_named",
    "studies",
]
