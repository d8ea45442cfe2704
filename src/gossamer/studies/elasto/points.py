"""Size of a quick run of the ElastO study."""

from __future__ import annotations

from gossamer.studies.schema import Parameters

QUICK_NODES, QUICK_ROUNDS = 150, 60


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a quick run: fewer nodes and events."""
    smaller = {**parameters, "nodes": QUICK_NODES}
    if "rounds" in parameters:
        smaller["rounds"] = QUICK_ROUNDS
    return smaller
