"""One run of a Vitis experiment: a workload, some rounds, and what is measured at the end.

What is run where, and what the paper says of it, is in :mod:`gossamer.studies.vitis`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import CycleMeasures
from gossamer.model import Interests, Scenario, Sessions
from gossamer.quality import follower_degrees
from gossamer.quality.shape import FittedHistogram
from gossamer.sim import Recording, simulate
from gossamer.tables import read_interests, read_sessions
from gossamer.time import SECOND
from gossamer.workloads import (
    follower_graph,
    generate_interests,
    power_law_rates,
    sample_followers,
    superpeer_sessions,
)
from gossamer.workloads.resolution import match_sessions
from gossamer.workloads.sessions import with_flash_crowd

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

__all__ = ["DEGREES", "SHARES", "draw_interests", "measure"]

OPTIONS = {
    "size": "table_size", "sw": "small_world_links", "d": "max_gateway_hops",
    "at_most": "inclusive_hops", "lookup": "lookup", "through": "through", "one_way": "one_way",
    "refresh": "refresh", "missed": "missed_heartbeats", "ring_share": "ring_share",
    "cover": "cover", "bound": "bound",
}  # fmt: skip
"""Option of the protocol for each parameter of a point."""
YES_OR_NO = ("inclusive_hops", "through", "one_way")
SUBSCRIPTIONS = 50
TOPICS_A_BUCKET = 50
EVENTS = 2
SHARES = tuple(range(0, 100, 10))
"""Per cent of overhead, from which on a node falls into the next class."""
DEGREES = (0, 5, 10, 15, 20, 30, 50, 100, 200)
"""Links, above which nodes are counted."""
MEAN_FOLLOWED = 80.0


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return everything that a figure or table may show of it.

    ``hit``, ``overhead`` (of first receptions), ``duplicates`` (of all), ``by node`` (the mean of
    nodes' shares), ``hops``, ``ring``, ``rendezvous``, ``links``; ``from/p`` is the share of nodes
    whose overhead is p to p + 10 %, and ``links above/k`` that of nodes with more than k links.
    Where something is measured ``every`` so many rounds: the same after ``/`` and the round. Of a
    follower graph alone: see :func:`_degrees`.
    """
    seed %= 1 << 63
    interests = draw_interests(parameters, seed)
    if parameters["protocol"] == "none":
        return _degrees(interests)
    rounds = int(parameters["rounds"])
    options = {option: parameters[name] for name, option in OPTIONS.items() if name in parameters}
    options |= {name: bool(options[name]) for name in YES_OR_NO if name in options}
    every = float(parameters["every"]) if "every" in parameters else None
    scenario = Scenario(
        interests,
        churn=_sessions(parameters, interests, seed),
        rates=_rates(parameters, interests, seed),
        warm_up=float(parameters.get("grace", 10)),
        duration=rounds,
        seed=seed,
    )
    done = simulate(
        scenario,
        str(parameters["protocol"]),
        options=options,
        engine="cycles",
        recording=Recording(snapshots=every, events_per_topic=EVENTS),
    )
    last = done.last_cycle
    measured = _measures(last, "")
    if every is not None:
        for one in done.cycles:
            measured |= _measures(one, f"/{one.cycle}")
    shares = last.traffic.by_node
    for least in SHARES:
        inside = (shares >= least / 100) & ((shares < least / 100 + 0.1) | (least == SHARES[-1]))
        measured[f"from/{least}"] = float(inside.mean()) if len(shares) else 0.0
    measured["above 20 %"] = float((shares > 0.2).mean()) if len(shares) else 0.0
    for least in DEGREES:
        measured[f"links above/{least}"] = float((last.degrees > least).mean())
    return measured


def _measures(one: CycleMeasures, ending: str) -> Measurements:
    found = {
        "hit": one.hit_ratio,
        "overhead": one.traffic.overhead,
        "duplicates": one.traffic.overhead_with_duplicates,
        "by node": one.traffic.mean_over_nodes,
        "hops": one.hops,
        "furthest": float(one.furthest),
        "ring": one.ring,
        "rendezvous": one.rendezvous,
        "gateways": one.gateways,
        "links": one.links_mean,
        "most links": float(one.links_max),
        "nodes": float(one.nodes),
    }
    # Where nobody counts yet, nothing is expected, and there is no hit ratio.
    return {f"{name}{ending}": value for name, value in found.items() if math.isfinite(value)}


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Return who wants what: drawn, or sampled from a table of who follows whom."""
    nodes = int(parameters["nodes"])
    workload = str(parameters["workload"])
    if workload == "follower-graph":
        return follower_graph(nodes, mean=MEAN_FOLLOWED * min(1.0, nodes / 2000), seed=seed)
    if workload == "follows":
        everybody = read_interests(Path(str(parameters["_folder"])) / str(parameters["table"]))
        return sample_followers(everybody, nodes, seed=seed)
    topics = int(parameters["topics"])
    more = {} if workload == "random" else {"buckets": max(topics // TOPICS_A_BUCKET, 5)}
    return generate_interests(
        workload, nodes=nodes, topics=topics, subscriptions=SUBSCRIPTIONS, seed=seed, **more
    )


def _rates(parameters: Parameters, interests: Interests, seed: int) -> NDArray[np.float64] | None:
    """Return how often topics are published on, in random order: a power law, or all alike."""
    if "alpha" not in parameters:
        return None
    rates = power_law_rates(interests.topic_count, float(parameters["alpha"]))
    return np.asarray(np.random.default_rng(seed).permutation(rates))


def _sessions(parameters: Parameters, interests: Interests, seed: int) -> Sessions | None:
    """Return who is there when: drawn superpeers or a table's sessions, and a flash crowd."""
    if "faster" not in parameters:
        return None
    faster, rounds = float(parameters["faster"]), int(parameters["rounds"])
    nodes = interests.node_count
    if "sessions" in parameters:
        table = str(parameters["sessions"])
        named = read_sessions(Path(str(parameters["_folder"])) / table)
        found, _ = match_sessions(table, named, interests, time_scale=faster, by_name=False)
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


def _degrees(interests: Interests) -> Measurements:
    """Return the degrees of a follower graph: of users' followers (in), and whom they follow (out).

    ``in average``, ``in exponent`` and so on, and ``in share/k``: the share of users with 2^k
    followers or more, and fewer than 2^(k + 1).
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
