"""Size of a quick run of the StaN study."""

from __future__ import annotations

from gossamer.studies.schema import Parameters

QUICK_NODES = 60


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a quick run: fewer nodes."""
    if "nodes" not in parameters:
        return parameters
    return {**parameters, "nodes": min(QUICK_NODES, int(parameters["nodes"]))}
