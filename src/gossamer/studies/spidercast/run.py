"""One run of a SpiderCast experiment: a workload, a world, a protocol, and what is measured.

What is run where, and what the paper says of it, is in :mod:`gossamer.studies.spidercast`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.model import Interests, Scenario
from gossamer.protocols.contract import Topics
from gossamer.quality import top_intersection
from gossamer.sim import Recording, simulate
from gossamer.workloads import draw_sessions, find_kind, generate_interests, parse_sizes
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

__all__ = ["draw_interests", "measure"]

OPTIONS = {
    "kg": "kg", "kr": "kr", "alike": "similar_links", "anybody": "random_links", "links": "links",
    "heartbeat": "heartbeat_seconds",
}  # fmt: skip
SECONDS_OF_CHURN = 1000.0
SECONDS_BETWEEN_SNAPSHOTS = 200.0


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Simulate one instance, and return everything that a figure or table may show of it.

    ``degree`` is the mean, with the half width of its 95 % confidence interval over nodes
    (Figure 7(a)), percentiles and maximum; ``share/d`` the share of nodes of degree d;
    ``components`` those of all topics together; ``partitioned`` the topics in pieces.
    """
    nodes, interests = int(parameters["nodes"]), draw_interests(parameters, seed)
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
            "new_interests": _fresh(parameters, seed),
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


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Draw the interests of all nodes."""
    return generate_interests(
        str(parameters["kind"]),
        nodes=int(parameters["nodes"]),
        topics=int(parameters["topics"]),
        subscriptions=parse_sizes(str(parameters["subscriptions"])),
        seed=seed,
        **_kind_options(parameters),
    )


def _kind_options(parameters: Parameters) -> dict[str, float]:
    return {"alpha": float(parameters["alpha"])} if "alpha" in parameters else {}


def _number(value: int | float | str) -> int | float:
    number = float(value)
    return int(number) if number == int(number) and not isinstance(value, float) else number


def _fresh(parameters: Parameters, seed: int) -> Callable[[int, int], Topics]:
    """Return the interests of a later incarnation: "with a different interest" (section 3.8)."""
    pattern = find_kind(str(parameters["kind"]))(
        int(parameters["topics"]),
        parse_sizes(str(parameters["subscriptions"])),
        **_kind_options(parameters),
    )
    nodes = int(parameters["nodes"])

    def topics_of(node: int, incarnation: int) -> Topics:
        _, drawn = pattern.subscriptions_of([node + incarnation * nodes], seed=seed)
        return tuple(sorted(drawn.tolist()))

    return topics_of
