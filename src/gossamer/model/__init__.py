"""The nouns: who wants what, who is linked to whom, and the errors. NumPy only."""

from gossamer.errors import (
    EngineError,
    GossamerError,
    InputError,
    OverlayError,
    ParameterError,
    StudyError,
    TableError,
)
from gossamer.model.churn import ChurnEvents
from gossamer.model.interests import Interests
from gossamer.model.overlay import Overlay
from gossamer.model.publications import Publications
from gossamer.model.repair import RepairRequest, RepairRule
from gossamer.model.workload import Latency, Sessions, Workload

__all__ = [
    "ChurnEvents",
    "EngineError",
    "GossamerError",
    "InputError",
    "Interests",
    "Latency",
    "Overlay",
    "OverlayError",
    "ParameterError",
    "Publications",
    "RepairRequest",
    "RepairRule",
    "Sessions",
    "StudyError",
    "TableError",
    "Workload",
]
