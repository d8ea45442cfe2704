"""Size of a quick run of the SpiderCast study."""

from __future__ import annotations

from gossamer.studies.schema import Parameters


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a quick run: half the nodes."""
    return {**parameters, "nodes": max(int(parameters["nodes"]) // 2, 200)}
