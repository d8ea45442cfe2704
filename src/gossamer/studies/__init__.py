"""Studies: the experiments of the papers, with published values and ours side by side.

A study is a folder with ``figures.toml`` (figures, point sets, published values, sentences),
``run.py`` (one run) and, where needed, ``checks.py`` (checks of the sentences) and ``points.py``
(the size of quick runs).
"""

from gossamer.studies.comparison import Cell, FigureResult, Runs, StatementResult, Verdict
from gossamer.studies.engine import run_instance, run_named
from gossamer.studies.inventory import Claim
from gossamer.studies.registry import find_study, studies
from gossamer.studies.report import (
    REPORT_COLUMNS,
    report_remarks,
    report_rows,
    write_overview,
    write_report,
)
from gossamer.studies.report_page import report_page
from gossamer.studies.results_table import StoredRun
from gossamer.studies.runner import reproduce, reproduce_all
from gossamer.studies.schema import Column, Figure, Point, Reading, Row, Study, Untested
from gossamer.studies.statement import Cause, InstanceMean, Statement
from gossamer.studies.store import ResultStore, stored_seconds
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
    "reproduce_all",
    "run_instance",
    "run_named",
    "stored_seconds",
    "studies",
    "write_overview",
    "write_report",
]
