"""One run of the SpiderCast study: a simulated protocol, with or without churn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.model import Interests, Scenario
from gossamer.protocols.contract import Topics
from gossamer.quality import top_intersection
from gossamer.sim import Recording, simulate
from gossamer.studies.inputs import given_options
from gossamer.time import SECOND
from gossamer.workloads import draw_sessions, find_kind, generate_interests, parse_sizes
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

OPTIONS = (
    "kg", "kr", "adaptive", "similar_links", "random_links", "links", "heartbeat_seconds",
)  # fmt: skip
CHURN_SECONDS = 1000.0
SNAPSHOT_SECONDS = 200.0


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Simulate one instance, and return all measurements of the figures.

    ``degree`` is the mean degree and ``interval`` the half width of its 95 % confidence interval
    over nodes (Figure 7(a)), ``share/d`` the share of nodes of degree d, ``components`` the number
    of connected components summed over topics, ``partitioned`` the number of partitioned topics.
    Under churn, degrees are means over the snapshots.
    """
    nodes, interests = int(parameters["nodes"]), draw_interests(parameters, seed)
    churning = "churn" in parameters
    world: dict[str, Any] = {}
    if churning:
        online = float(parameters["churn"])
        world = {
            "churn": draw_sessions(
                ChurnLaw(ExponentialLifetimes(online), online / 4),
                nodes=nodes,
                until=round(CHURN_SECONDS * SECOND),
                seed=seed,
            ),
            "new_interests": _new_interests(parameters, seed),
            "duration": CHURN_SECONDS,
        }
    if "until" in parameters:
        world["duration"] = float(parameters["until"])
    done = simulate(
        Scenario(interests, view=str(parameters.get("view", "full")), seed=seed, **world),
        str(parameters.get("protocol", "spidercast")),
        options=given_options(parameters, OPTIONS),
        recording=Recording(snapshots=SNAPSHOT_SECONDS if churning else None),
    )
    found = done.assessment
    degrees = done.last.overlay.degrees
    measured: Measurements = {
        "degree": found.mean_degree,
        "interval": 1.96 * float(degrees.std()) / max(len(degrees), 1) ** 0.5,
        "deviation": float(degrees.std()),
        "maximum": float(found.max_degree),
        "percentile 95": float(found.p95_degree),
        "components": float(done.snapshots[-1].components),
        "partitioned": float(done.snapshots[-1].topics - done.snapshots[-1].topics_connected),
        "diameter": float(found.max_diameter),
        "mean diameter": found.mean_diameter,
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
            "online nodes": float(np.mean([one.nodes for one in kept])),
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


def _new_interests(parameters: Parameters, seed: int) -> Callable[[int, int], Topics]:
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
