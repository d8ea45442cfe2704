"""The papers' experiments: parameters, runner, and the paper's values beside ours."""

from gossamer.studies.comparison import ArtefactResult, Cell, StudyResult, Verdict
from gossamer.studies.preparation import needs_tables
from gossamer.studies.registry import find_study, studies
from gossamer.studies.report import LEDGER_COLUMNS, ledger_page, ledger_rows
from gossamer.studies.runner import reproduce, run_instance, run_named
from gossamer.studies.schema import Artefact, Column, Explanation, Point, Row, Study
from gossamer.studies.store import ResultStore, StoredRun

__all__ = [
    "LEDGER_COLUMNS",
    "Artefact",
    "ArtefactResult",
    "Cell",
    "Column",
    "Explanation",
    "Point",
    "ResultStore",
    "Row",
    "StoredRun",
    "Study",
    "StudyResult",
    "Verdict",
    "find_study",
    "ledger_page",
    "ledger_rows",
    "needs_tables",
    "reproduce",
    "run_instance",
    "run_named",
    "studies",
]
