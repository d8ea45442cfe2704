"""One run of Tables I to VI of the TD-CD-ODA paper: every algorithm on the same interests.

All columns of a row, and the tables of average and of maximum degrees, show the same instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.design.registry import find_algorithm
from gossamer.workloads import generate_interests

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "gm": ("greedy-merge", {"ties": "lexicographic"}),
    "gm-default": ("greedy-merge", {}),
    "cd-oda": ("cd-oda", {}),
    "cd-oda-1": ("cd-oda-1", {}),
    "cd-oda-2": ("cd-oda-2", {}),
    "cd-oda-2-others": ("cd-oda-2", {"density": "others"}),
    "2d-oda": ("2d-oda", {}),
    "td-cd-oda": ("td-cd-oda", {}),
}
"""The columns: how each one's overlay is designed."""


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Design every overlay for one instance; return their average and maximum degrees.

    The measurements are named ``<column>/average`` and ``<column>/maximum``.
    """
    interests = generate_interests(
        "uniform",
        nodes=int(parameters["nodes"]),
        topics=int(parameters["topics"]),
        subscriptions=int(parameters["subscriptions"]),
        seed=seed,
    )
    measured: Measurements = {}
    for column, (name, options) in DESIGNS.items():
        degrees = find_algorithm(name)(interests, seed=seed, **options).degrees
        measured[f"{column}/average"] = float(degrees.mean())
        measured[f"{column}/maximum"] = float(degrees.max())
    return measured
