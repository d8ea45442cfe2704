"""One run of a SpiderCast experiment: a workload, a world, a protocol, and what is measured.

What is run where, and what the paper says of it, is in :mod:`gossamer.studies.spidercast`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gossamer.model import Scenario
from gossamer.protocols.contract import Topics
from gossamer.quality import top_intersection
from gossamer.sim import Recording, simulate
from gossamer.studies.schema import Measurements, Parameters
from gossamer.workloads import draw_sessions, find_kind, generate_interests, parse_sizes
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

__all__ = ["measure_overlay"]

OPTIONS = {
    "kg": "kg", "kr": "kr", "alike": "similar_links", "anybody": "random_links", "links": "links",
    "heartbeat": "heartbeat_seconds",
}  # fmt: skip
SECONDS_OF_CHURN = 1000.0
SECONDS_BETWEEN_SNAPSHOTS = 200.0


def measure_overlay(parameters: Parameters, seed: int) -> Measurements:
    """Simulate one instance, and return everything that a figure or table may show of it.

    ``degree`` is the mean, with the half width of its 95 % confidence interval over nodes
    (Figure 7(a)), percentiles and maximum; ``share/d`` the share of nodes of degree d;
    ``components`` those of all topics together; ``partitioned`` the topics in pieces.
    """
    kind = str(parameters["kind"])
    nodes, topics = int(parameters["nodes"]), int(parameters["topics"])
    sizes = parse_sizes(str(parameters["subscriptions"]))
    own = {"alpha": float(parameters["alpha"])} if "alpha" in parameters else {}
    interests = generate_interests(
        kind, nodes=nodes, topics=topics, subscriptions=sizes, seed=seed, **own
    )
    options: dict[str, Any] = {
        option: _number(parameters[name]) for name, option in OPTIONS.items() if name in parameters
    }
    if parameters.get("adaptive"):
        options["adaptive"] = True
    churning = "churn" in parameters
    world: dict[str, Any] = {}
    if churning:
        there = float(parameters["churn"])
        world = {
            "churn": draw_sessions(
                ChurnLaw(ExponentialLifetimes(there), there / 4),
                nodes=nodes,
                until=round(SECONDS_OF_CHURN * 1_000_000),
                seed=seed,
            ),
            "new_interests": _fresh(kind, topics, sizes, nodes, seed, own),
            "duration": SECONDS_OF_CHURN,
        }
    if "until" in parameters:
        world["duration"] = float(parameters["until"])
    done = simulate(
        Scenario(interests, view=str(parameters.get("view", "full")), seed=seed, **world),
        str(parameters.get("protocol", "spidercast")),
        options=options,
        recording=Recording(snapshots=SECONDS_BETWEEN_SNAPSHOTS if churning else None),
    )
    found = done.assessment
    degrees = done.last.overlay.degrees
    measured: Measurements = {
        "degree": found.mean_degree,
        "interval": 1.96 * float(degrees.std()) / max(len(degrees), 1) ** 0.5,
        "deviation": float(degrees.std()),
        "maximum": float(found.max_degree),
        "percentile 95": float(found.percentile_95_degree),
        "components": float(done.snapshots[-1].components),
        "partitioned": float(done.snapshots[-1].topics - done.snapshots[-1].topics_connected),
        "diameter": float(found.max_topic_diameter),
        "mean diameter": found.mean_topic_diameter,
        "control": done.snapshots[-1].control / max(done.joins, 1),
        "messages": done.snapshots[-1].messages / max(done.joins, 1),
    }
    counts = np.bincount(degrees)
    for degree in np.flatnonzero(counts).tolist():
        measured[f"share/{degree}"] = float(counts[degree] / len(degrees))
    if "depth" in parameters:
        measured["tdi"] = top_intersection(interests, int(parameters["depth"]))
    if churning:
        kept = done.snapshots
        measured |= {
            "degree": float(np.mean([one.mean_degree for one in kept])),
            "nodes there": float(np.mean([one.nodes for one in kept])),
            "snapshots connected": float(np.mean([one.topic_connected for one in kept])),
            "per change": kept[-1].control / (done.joins + done.departures),
        }
    return measured


def _number(value: int | float | str) -> int | float:
    number = float(value)
    return int(number) if number == int(number) and not isinstance(value, float) else number


def _fresh(
    kind: str, topics: int, sizes: Any, nodes: int, seed: int, own: dict[str, float]
) -> Callable[[int, int], Topics]:
    """Return what a node wants in a later life: "every time … with a different interest" (§3.8)."""
    pattern = find_kind(kind)(topics, sizes, **own)

    def topics_of(node: int, life: int) -> Topics:
        _, drawn = pattern.subscriptions_of([node + life * nodes], seed=seed)
        return tuple(sorted(drawn.tolist()))

    return topics_of
