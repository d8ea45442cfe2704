"""Universes of the ElastO study: interests and churn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.model import ChurnEvents, Interests
from gossamer.studies.inputs import read_graph, read_trace
from gossamer.workloads import (
    PowerLawSizes,
    churn_rounds,
    follower_graph,
    generate_interests,
    machine_events,
    sample_followers,
)

if TYPE_CHECKING:
    from gossamer.studies.schema import Parameters

TOPICS, EXPONENT, RATE = 200, 2.0, 0.02
SYNTHETIC = {
    "unif": ("uniform", {}),
    "zipf": ("zipf", {"alpha": 2.0}),
    "expo": ("exponential", {"rate": RATE}),
}
MEAN_FOLLOWED = 20.0


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Return drawn interests, or a sample of a follower graph."""
    nodes = int(parameters["nodes"])
    workload = str(parameters["workload"])
    if workload == "follows":
        graph = whole_graph(parameters, seed)
        return sample_followers(graph, min(nodes, graph.node_count), seed=seed)
    if workload == "drawn":
        return follower_graph(nodes, mean=MEAN_FOLLOWED, seed=seed)
    name, more = SYNTHETIC[workload]
    sizes = PowerLawSizes(10, 90, float(parameters.get("exponent", EXPONENT)))
    return generate_interests(
        name, nodes=nodes, topics=TOPICS, subscriptions=sizes, seed=seed, **more
    )


def whole_graph(parameters: Parameters, seed: int) -> Interests:
    """Return the follower graph from which a sample is taken."""
    if str(parameters["workload"]) == "drawn":
        return follower_graph(10 * int(parameters["nodes"]), mean=MEAN_FOLLOWED, seed=seed)
    return read_graph(parameters)


def draw_events(
    parameters: Parameters, interests: Interests, seed: int
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Return the nodes present at the start, and one event for each round."""
    rounds = int(parameters["rounds"])
    count = interests.node_count
    churn = str(parameters["churn"])
    if churn == "rounds":
        return churn_rounds(count, rounds, seed=seed)
    if churn == "machines":
        sessions = machine_events(count, seed=seed, removals=max(1.0, 0.6 * rounds / count))
    else:
        sessions = read_trace(parameters, interests, 1.0)
    present, events = ChurnEvents.from_sessions(sessions, count)
    first = slice(0, rounds)
    kept = ChurnEvents.from_columns(events.times[first], events.nodes[first], events.joins[first])
    return present, kept
