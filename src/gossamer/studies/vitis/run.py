"""One run of the Vitis study: rounds of the cycle-driven engine, or a follower graph alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import CycleMeasures
from gossamer.model import Interests, Scenario, Sessions
from gossamer.protocols.components.friends import utility
from gossamer.quality import follower_degrees
from gossamer.quality.shape import FittedHistogram
from gossamer.sim import Recording, simulate
from gossamer.studies.inputs import given_options, read_graph, read_trace
from gossamer.time import SECOND
from gossamer.workloads import (
    follower_graph,
    generate_interests,
    power_law_rates,
    sample_followers,
    superpeer_sessions,
)
from gossamer.workloads.sessions import with_flash_crowd

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

OPTIONS = (
    "table_size", "small_world_links", "max_gateway_hops", "missed_heartbeats", "inclusive_hops",
    "lookup", "stop_at_subscribers", "through", "one_way", "refresh", "ring_share", "population",
    "max_in_degree", "cover", "bound",
)  # fmt: skip
SUBSCRIPTIONS = 50
TOPICS_PER_BUCKET = 50
EVENTS_PER_TOPIC = 2
SHARES = range(0, 100, 10)
"""Lower ends of the classes of a node's overhead, in per cent."""
DEGREES = (0, 5, 10, 15, 20, 30, 50, 100, 200)
"""Degrees above which nodes are counted."""
MEAN_FOLLOWED = 80.0


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return all measurements of the figures.

    ``overhead`` is the share of first receptions without a subscription, ``duplicates`` that of all
    receptions, ``by node`` the mean of the nodes' shares. ``from/p`` is the share of nodes with an
    overhead of p to p + 10 %, ``links above/k`` that of nodes with more than k links, ``hottest``
    the share of the topic with most events. With the parameter ``every``, each measurement also
    has the suffix ``/`` and the round. The protocol ``none`` stands for the graph alone: see
    :func:`_degrees`; ``utility`` for the example of Equation 1: see :func:`_utilities`.
    """
    if parameters["protocol"] == "utility":
        return _utilities()
    interests = draw_interests(parameters, seed)
    if parameters["protocol"] == "none":
        return _degrees(interests)
    rounds = int(parameters["rounds"])
    every = float(parameters["every"]) if "every" in parameters else None
    rates = _rates(parameters, interests, seed)
    scenario = Scenario(
        interests,
        churn=_sessions(parameters, interests, seed),
        rates=rates,
        warm_up=float(parameters.get("warm_up", 10)),
        duration=rounds,
        seed=seed,
    )
    done = simulate(
        scenario,
        str(parameters["protocol"]),
        engine="cycles",
        recording=Recording(snapshots=every, events_per_topic=EVENTS_PER_TOPIC),
        **given_options(parameters, OPTIONS),
    )
    last = done.last_cycle
    measured = _measures(last, "")
    measured["hottest"] = (
        1 / interests.topic_count if rates is None else float(rates.max() / rates.sum())
    )
    if every is not None:
        for one in done.cycles:
            measured |= _measures(one, f"/{one.cycle}")
    shares = last.traffic.by_node
    for lower in SHARES:
        inside = (shares >= lower / 100) & ((shares < lower / 100 + 0.1) | (lower == SHARES[-1]))
        measured[f"from/{lower}"] = float(inside.mean()) if len(shares) else 0.0
    measured["above 20 %"] = float((shares > 0.2).mean()) if len(shares) else 0.0
    for degree in DEGREES:
        measured[f"links above/{degree}"] = float((last.degrees > degree).mean())
    return measured


def _measures(one: CycleMeasures, ending: str) -> Measurements:
    found = {
        "hit": one.hit_ratio,
        "overhead": one.traffic.overhead,
        "duplicates": one.traffic.overhead_with_duplicates,
        "by node": one.traffic.mean_over_nodes,
        "hops": one.hops,
        "maximum hops": float(one.furthest),
        "ring": one.ring,
        "rendezvous": one.rendezvous,
        "gateways": one.gateways,
        "links": one.links_mean,
        "maximum degree": float(one.links_max),
        "nodes": float(one.nodes),
    }
    # While no node counts, no delivery is expected, and there is no hit ratio.
    return {f"{name}{ending}": value for name, value in found.items() if math.isfinite(value)}


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Return drawn interests, or a sample of a follower graph."""
    nodes = int(parameters["nodes"])
    workload = str(parameters["workload"])
    if workload == "follower-graph":
        return follower_graph(nodes, mean=MEAN_FOLLOWED * min(1.0, nodes / 2000), seed=seed)
    if workload == "follows":
        return sample_followers(read_graph(parameters), nodes, seed=seed)
    topics = int(parameters["topics"])
    more = {} if workload == "random" else {"buckets": max(topics // TOPICS_PER_BUCKET, 5)}
    return generate_interests(
        workload,
        nodes=nodes,
        topics=topics,
        subscriptions=int(parameters.get("subscriptions", SUBSCRIPTIONS)),
        seed=seed,
        **more,
    )


def _rates(parameters: Parameters, interests: Interests, seed: int) -> NDArray[np.float64] | None:
    """Return publication rates of a power law in random order; None for equal rates."""
    if "alpha" not in parameters:
        return None
    rates = power_law_rates(interests.topic_count, float(parameters["alpha"]))
    return np.asarray(np.random.default_rng(seed).permutation(rates))


def _sessions(parameters: Parameters, interests: Interests, seed: int) -> Sessions | None:
    """Return sessions of drawn superpeers or of a table, with a flash crowd."""
    if "faster" not in parameters:
        return None
    faster, rounds = float(parameters["faster"]), int(parameters["rounds"])
    nodes = interests.node_count
    if "sessions" in parameters:
        found = read_trace(parameters, interests, faster)
    else:
        found = superpeer_sessions(nodes, seconds=rounds * faster, time_scale=faster, seed=seed)
    return with_flash_crowd(
        found,
        nodes=nodes,
        at=int(parameters["crowd at"]) * SECOND,
        window=int(parameters["crowd within"]) * SECOND,
        joining=int(parameters["crowd"]),
        stay=rounds * SECOND,
        seed=seed,
    )


def _utilities() -> Measurements:
    """Return the utilities of the example of Equation 1, of nodes p, q and r (§III-A)."""
    p, q, r = "ABC", "CD", "CDEFGH"
    cold: dict[int | str, int] = {**dict.fromkeys("ABDEFGH", 1000), "C": 1}
    hot: dict[int | str, int] = {"C": 1000}
    return {
        "utility/p and q": utility(p, q),
        "utility/p and r": utility(p, r),
        "utility/q and r": utility(q, r),
        "utility/p and q, hardly an event on C": utility(p, q, cold),
        "utility/p and q, nearly all events on C": utility(p, q, hot),
    }


def _degrees(interests: Interests) -> Measurements:
    """Return degrees of a follower graph: numbers of followers (in) and of users followed (out).

    ``in share/k`` is the share of users with 2^k or more followers, and fewer than 2^(k + 1).
    """
    found = follower_degrees(interests)
    measured: dict[str, float] = {}
    for way, facts in (("in", found.facts()["in-degree"]), ("out", found.facts()["out-degree"])):
        measured |= {
            f"{way} {name}": float(value) for name, value in facts.items() if value is not None
        }
    for way, one in (("in", found.followers), ("out", found.followed)):
        measured |= {f"{way} share/{k}": share for k, share in _shares(one).items()}
    return measured


def _shares(one: FittedHistogram) -> dict[int, float]:
    histogram: Any = one.histogram
    values, counts = np.asarray(histogram.values), np.asarray(histogram.counts)
    total = max(int(counts.sum()), 1)
    return {
        k: int(counts[(values >= 1 << k) & (values < 1 << (k + 1))].sum()) / total
        for k in range(13)
    }
