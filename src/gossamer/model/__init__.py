"""The data model: interests, overlays, presence, publications, scenarios. NumPy only."""

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
from gossamer.model.latency import Latency
from gossamer.model.overlay import Overlay
from gossamer.model.publications import Publications
from gossamer.model.repair import RepairRequest, RepairRule
from gossamer.model.scenario import Scenario, WorkloadSpec
from gossamer.model.sessions import Sessions

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
    "Scenario",
    "Sessions",
    "StudyError",
    "TableError",
    "WorkloadSpec",
]
