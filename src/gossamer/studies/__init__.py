"""Studies: the experiments of the papers, with published values and ours side by side.

A study is a folder with ``figures.toml`` (figures, point sets, published values, sentences),
``run.py`` (one run) and, where needed, ``checks.py`` (checks of the sentences) and ``points.py``
(the size of quick runs).
"""

from gossamer.studies.comparison import Cell, FigureResult, Runs, StatementResult, Verdict
from gossamer.studies.inventory import Claim
from gossamer.studies.registry import find_study, studies
from gossamer.studies.report import (
    REPORT_COLUMNS,
    report_remarks,
    report_rows,
    write_report,
)
from gossamer.studies.report_page import report_page
from gossamer.studies.runner import reproduce, run_instance, run_named
from gossamer.studies.schema import Column, Figure, Point, Reading, Row, Study, Untested
from gossamer.studies.statement import Cause, InstanceMean, Statement
from gossamer.studies.store import ResultStore, StoredRun
from gossamer.studies.study_result import StudyResult
from gossamer.studies.variants import needed_tables

__all__ = [
    "REPORT_COLUMNS",
    "Cause",
    "Cell",
    "Claim",
    "Column",
    "Figure",
    "FigureResult",
    "InstanceMean",
    "Point",
    "Reading",
    "ResultStore",
    "Row",
    "Runs",
    "Statement",
    "StatementResult",
    "StoredRun",
    "Study",
    "StudyResult",
    "Untested",
    "Verdict",
    "find_study",
    "needed_tables",
    "report_page",
    "report_remarks",
    "report_rows",
    "reproduce",
    "run_instance",
    "run_named",
    "studies",
    "write_report",
]
