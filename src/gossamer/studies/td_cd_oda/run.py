"""One run of Tables I to VI of the TD-CD-ODA paper: every algorithm on the same interests.

All columns of a row, and the tables of average and of maximum degrees, show the same instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.design.registry import find_algorithm
from gossamer.quality import TopicGraphs
from gossamer.quality.diameters import shapes_of_topics
from gossamer.studies.td_cd_oda.interpretations import (
    cd_oda_2_degrees,
    interest_matrix,
    two_d_oda_degrees,
)
from gossamer.workloads import generate_interests

if TYPE_CHECKING:
    from gossamer.model import Interests
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
    """Design every overlay for one instance; return their degrees and diameters.

    The measurements are named ``<column>/average``, ``<column>/maximum``, ``<column>/peak`` (the
    maximum over the average) and ``<column>/diameter``. A point with ``interpretations`` measures
    other interpretations of two algorithms instead.
    """
    interests = generate_interests(
        "uniform",
        nodes=int(parameters["nodes"]),
        topics=int(parameters["topics"]),
        subscriptions=int(parameters["subscriptions"]),
        seed=seed,
    )
    if parameters.get("interpretations"):
        return _interpretations(interests, seed)
    measured: Measurements = {}
    for column, (name, options) in DESIGNS.items():
        overlay = find_algorithm(name)(interests, seed=seed, **options)
        degrees = overlay.degrees
        shapes = shapes_of_topics(TopicGraphs.of(interests, overlay))
        measured[f"{column}/average"] = float(degrees.mean())
        measured[f"{column}/maximum"] = float(degrees.max())
        measured[f"{column}/peak"] = float(degrees.max() / degrees.mean())
        measured[f"{column}/diameter"] = float(shapes.diameters.max())
    return measured


def _interpretations(interests: Interests, seed: int) -> Measurements:
    """Return average and maximum degrees by other interpretations of two algorithms."""
    matrix = interest_matrix(interests)
    found = {
        "td-cd-oda": find_algorithm("td-cd-oda")(interests, seed=seed).degrees,
        "cd-oda-2": cd_oda_2_degrees(matrix, once=False, whole_reach=False),
        "cd-oda-2, once": cd_oda_2_degrees(matrix, once=True, whole_reach=False),
        "cd-oda-2, whole reach": cd_oda_2_degrees(matrix, once=False, whole_reach=True),
        "2d-oda": two_d_oda_degrees(matrix, all_topics=False, count_linked=False),
        "2d-oda, all topics": two_d_oda_degrees(matrix, all_topics=True, count_linked=False),
        "2d-oda, linked too": two_d_oda_degrees(matrix, all_topics=False, count_linked=True),
        "2d-oda, both": two_d_oda_degrees(matrix, all_topics=True, count_linked=True),
    }
    average = {f"{name}/average": float(degrees.mean()) for name, degrees in found.items()}
    return average | {f"{name}/maximum": float(degrees.max()) for name, degrees in found.items()}
