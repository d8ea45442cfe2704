"""The nouns: who wants what, who is linked to whom, and the errors. NumPy only."""

from gossamer.model.churn import ChurnEvents
from gossamer.model.interests import Interests
from gossamer.model.overlay import Overlay
from gossamer.model.publications import Publications
from gossamer.model.repair import RepairRequest, RepairRule
from gossamer.model.workload import Latency, Sessions, Workload

__all__ = [
    "ChurnEvents",
    "Interests",
    "Latency",
    "Overlay",
    "Publications",
    "RepairRequest",
    "RepairRule",
    "Sessions",
    "Workload",
]
