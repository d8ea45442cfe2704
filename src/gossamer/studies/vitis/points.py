"""Size of a quick run of the Vitis study."""

from __future__ import annotations

from gossamer.studies.schema import Parameters


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a quick run: a tenth of the nodes and topics, and fewer rounds."""
    nodes = int(parameters["nodes"])
    smaller = {**parameters, "nodes": min(nodes, max(nodes // 10, 500))}
    if "topics" in parameters:
        smaller["topics"] = max(int(parameters["topics"]) // 10, 200)
    if "crowd" in parameters:
        smaller["crowd"] = max(int(parameters["crowd"]) // 8, 1)
    elif "every" not in parameters:
        smaller["rounds"] = min(80, int(parameters["rounds"]))
    return smaller
