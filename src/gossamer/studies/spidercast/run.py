"""One run of the SpiderCast study: a simulated protocol, with or without churn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Scenario
from gossamer.protocols.contract import Topics
from gossamer.quality import top_intersection
from gossamer.sim import Recording, simulate
from gossamer.studies.inputs import given_options, sample_active_users
from gossamer.time import SECOND
from gossamer.workloads import (
    churn_rounds,
    draw_sessions,
    find_kind,
    generate_interests,
    parse_sizes,
)
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

OPTIONS = (
    "kg", "kr", "adaptive", "ties", "disconnect_at_max", "repeat_disconnect", "similar_links",
    "random_links", "links", "heartbeat_seconds",
)  # fmt: skip
CHURN_SECONDS = 1000.0
SNAPSHOT_SECONDS = 200.0
THIRDS = ("fewest", "middle", "most")
"""Thirds of the nodes by number of subscriptions."""


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Simulate one instance, and return all measurements of the figures.

    ``degree`` is the mean degree and ``interval`` the half width of its 95 % confidence interval
    over nodes (Figure 7(a)), ``share/d`` the share of nodes of degree d, ``components`` the number
    of connected components summed over topics, ``partitioned`` the number of partitioned topics,
    ``topics per link`` the mean number of topics that a link serves. Under churn, degrees are means
    over the snapshots, and ``per change``, ``per link`` and ``per topic`` are control messages for
    each join or leave, also divided by the degree and by the number of subscriptions.
    """
    interests = draw_interests(parameters, seed)
    churning = "churn" in parameters
    world = _churn(parameters, interests, seed) if churning else {}
    if "until" in parameters:
        world["duration"] = float(parameters["until"])
    done = simulate(
        Scenario(interests, view=str(parameters.get("view", "full")), seed=seed, **world),
        str(parameters.get("protocol", "spidercast")),
        recording=Recording(snapshots=SNAPSHOT_SECONDS if churning else None),
        **given_options(parameters, OPTIONS),
    )
    found = done.assessment
    degrees = done.last.overlay.degrees
    measured: Measurements = {
        "degree": found.mean_degree,
        "interval": 1.96 * float(degrees.std()) / max(len(degrees), 1) ** 0.5,
        "deviation": float(degrees.std()),
        "maximum": float(found.max_degree),
        "percentile 95": float(found.p95_degree),
        "degree 3": float((degrees == 3).mean()),
        "components": float(done.snapshots[-1].components),
        "partitioned": float(done.snapshots[-1].topics - done.snapshots[-1].topics_connected),
        "diameter": float(found.max_diameter),
        "mean diameter": found.mean_diameter,
        "under-covered": float(done.snapshots[-1].under_covered),
        "topics per link": done.snapshots[-1].mean_view / max(done.snapshots[-1].mean_degree, 1e-9),
        "control": done.snapshots[-1].control / max(done.joins, 1),
        "messages": done.snapshots[-1].messages / max(done.joins, 1),
    }
    counts = np.bincount(degrees)
    for degree in np.flatnonzero(counts).tolist():
        measured[f"share/{degree}"] = float(counts[degree] / len(degrees))
    sizes = done.last.interests.subscription_sizes
    if len(np.unique(sizes)) > 1:
        measured |= _by_subscriptions(sizes, degrees.astype(np.int64))
    if "depth" in parameters:
        measured["tdi"] = top_intersection(interests, int(parameters["depth"]))
    if churning:
        kept = done.snapshots
        mean_degree = float(np.mean([one.mean_degree for one in kept]))
        changes = max(done.joins + done.departures, 1)
        measured |= {
            "degree": mean_degree,
            "online nodes": float(np.mean([one.nodes for one in kept])),
            "snapshots connected": float(np.mean([one.topic_connected for one in kept])),
            "partitioned": float(np.mean([one.topics - one.topics_connected for one in kept])),
            "per change": kept[-1].control / changes,
            "per link": kept[-1].control / changes / mean_degree,
            "per topic": kept[-1].control / changes / float(sizes.mean()),
        }
    return measured


def _churn(parameters: Parameters, interests: Interests, seed: int) -> dict[str, Any]:
    """Return the changes of presence, or one change of interests a second."""
    if parameters["churn"] == "interests":
        rounds = int(CHURN_SECONDS)
        present, events = churn_rounds(interests, rounds, seed=seed, interest_changes=1.0)
        return {"churn": events, "present": present, "duration": CHURN_SECONDS}
    online = float(parameters["churn"])
    law = ChurnLaw(ExponentialLifetimes(online), online / 4)
    until = round(CHURN_SECONDS * SECOND)
    return {
        "churn": draw_sessions(law, nodes=interests.node_count, until=until, seed=seed),
        "departure": str(parameters.get("departure", "leave")),
        "new_interests": _new_interests(parameters, seed),
        "duration": CHURN_SECONDS,
    }


def _by_subscriptions(sizes: NDArray[np.int64], degrees: NDArray[np.int64]) -> Measurements:
    """Return the correlation of degree and number of subscriptions, and degrees by thirds."""
    thirds = np.array_split(degrees[np.argsort(sizes, kind="stable")], 3)
    means = {f"degree/{name}": float(one.mean()) for name, one in zip(THIRDS, thirds, strict=True)}
    spread = float(degrees.std()) > 0
    return means | {"correlation": float(np.corrcoef(sizes, degrees)[0, 1]) if spread else 0.0}


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Draw the interests of all nodes, or those of random users of a table."""
    if "table" in parameters:
        return sample_active_users(parameters, seed)
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
