"""The nouns: who wants what, who is linked to whom, and the errors. NumPy only."""

from gossamer.model.churn import ChurnEvents
from gossamer.model.errors import (
    EngineError,
    GossamerError,
    InputError,
    OverlayError,
    ParameterError,
    StudyError,
    TableError,
)
from gossamer.model.interests import Interests
from gossamer.model.mending import Mend, Wound
from gossamer.model.overlay import Overlay
from gossamer.model.publications import Publications
from gossamer.model.workload import Latency, Sessions, Workload

__all__ = [
    "ChurnEvents",
    "EngineError",
    "GossamerError",
    "InputError",
    "Interests",
    "Latency",
    "Mend",
    "Overlay",
    "OverlayError",
    "ParameterError",
    "Publications",
    "Sessions",
    "StudyError",
    "TableError",
    "Workload",
    "Wound",
]
