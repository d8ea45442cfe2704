"""The data model: interests, overlays, presence, publications, scenarios. NumPy only."""

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
    "Interests",
    "Latency",
    "Overlay",
    "Publications",
    "RepairRequest",
    "RepairRule",
    "Scenario",
    "Sessions",
    "WorkloadSpec",
]
