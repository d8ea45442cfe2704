"""One run of the StaN study: rounds of the protocol in a simulated world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.design.greedy_omniscient import omniscient_views
from gossamer.model import Interests, Overlay, Sessions
from gossamer.quality import (
    Dissemination,
    TopicGraphs,
    clustering_coefficients,
    degree_statistics,
    flood_publications,
    savings,
)
from gossamer.sim import World
from gossamer.sim.rules import Delay, Loss
from gossamer.sim.snapshot import Observation, observe
from gossamer.studies.inputs import given_options
from gossamer.studies.stan.universes import (
    draw_growth,
    find_interests,
    find_posts,
    find_sessions,
)
from gossamer.time import SECOND
from gossamer.workloads import crosspost_triplets

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

FILL_SECONDS = 3.0
"""Time in which views fill before the first round."""
OPTIONS = ("swap", "overhear", "walk_hops", "refill")
DELAYS = Delay(5_000, 15_000)
SAVINGS = (0, 5, 10, 15, 20, 30, 40)
HOPS = range(1, 13)
PERCENTILES = tuple(range(10, 101, 10))
WARM_UP_SECONDS = 2
"""Time after its join in which a node is not counted."""
CUT_OFF_ROUNDS = 5
"""Rounds after which an empty view counts as cut off from its topic."""
PUBLICATIONS_PER_TOPIC = 10


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return all measurements of the figures.

    ``pvs/r``, ``lvs/r`` and ``nodes/r`` are the mean physical and logical view sizes and the number
    of nodes after round r, ``connected/r`` the share of connected topics. Under churn, ``isolated``
    is the largest number of nodes without a link, ``empty views`` the share of empty views among
    those that could have a neighbour, ``cut off`` the number of views that were empty for five
    rounds in a row. A ``whole`` run has more: see :func:`_before_and_after`.
    """
    interests = find_interests(parameters, seed)
    rounds = int(parameters["rounds"])
    seconds = FILL_SECONDS + rounds
    sessions: Sessions | None = None
    if "faster" in parameters:
        sessions = find_sessions(parameters, interests, seconds, FILL_SECONDS, seed)
    elif parameters.get("grows"):
        sessions = draw_growth(interests.node_count, FILL_SECONDS, seconds, seed)
    run = _StanRun(
        interests, _world(parameters, interests, sessions, seed), churns="faster" in parameters
    )
    run.advance(FILL_SECONDS, warm_up=0)
    first = run.last
    initial = run.graphs if parameters.get("whole") else None
    run.measure(0)
    if "loss" in parameters:
        run.world.fabric.rules.append(Loss(float(parameters["loss"])))
    for one in range(1, rounds + 1):
        run.advance(1, warm_up=WARM_UP_SECONDS if sessions is not None else 0)
        run.measure(one)
    measured = run.measured
    if run.churns:
        measured |= {
            "isolated": float(max(run.isolated[1:])),
            "isolated at the end": float(run.isolated[-1]),
            "empty views": float(np.mean(run.empty[1:])),
            "cut off": float(sum(run.cut_off)),
        }
    if initial is not None:
        measured |= _before_and_after(parameters, interests, first, initial, run, seed)
    return measured


def _world(
    parameters: Parameters, interests: Interests, sessions: Sessions | None, seed: int
) -> World:
    options = given_options(parameters, OPTIONS) | {
        "fill_seconds": FILL_SECONDS,
        "idle_rounds": 1,
        "missed_heartbeats": 1 if sessions is not None else 12,  # lost heartbeats are no failure
    }
    return World(
        "stan", interests, options=options, rules=[DELAYS], sessions=sessions, departure="crash",
        seed=seed,
    )  # fmt: skip


@dataclass
class _StanRun:
    """A world and its measurements, round by round."""

    interests: Interests
    world: World
    churns: bool
    measured: Measurements = field(default_factory=dict)
    isolated: list[int] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    cut_off: list[int] = field(default_factory=list)
    streaks: dict[tuple[int, int], int] = field(default_factory=dict)

    def advance(self, seconds: float, *, warm_up: int) -> None:
        """Run for some seconds, and observe the nodes that joined ``warm_up`` seconds ago."""
        self.world.run(self.world.now + round(seconds * SECOND))
        self.last: Observation = observe(self.world, min_age=warm_up * SECOND)

    @property
    def graphs(self) -> TopicGraphs:
        """Present overlay of each topic."""
        return self.world.views_of(self.last.nodes, self.last.interests)

    def measure(self, number: int) -> None:
        """Record the observation after a round."""
        seen = self.last.snapshot
        self.measured |= {
            f"pvs/{number}": seen.mean_degree,
            f"lvs/{number}": seen.mean_view,
            f"nodes/{number}": float(seen.nodes),
            f"connected/{number}": seen.topics_connected / max(seen.topics, 1),
        }
        if self.churns:
            self._measure_isolation()

    def _measure_isolation(self) -> None:
        """Record nodes without a link to a present node, newcomers included, and empty views."""
        present = observe(self.world)
        interests, counted = present.interests, np.isin(present.nodes, self.last.nodes)
        old = counted[interests.topic_nodes]
        topic_of = np.repeat(np.arange(interests.topic_count), interests.popularity)
        others = np.bincount(topic_of[old], minlength=interests.topic_count)
        possible = old & np.repeat(others >= 2, interests.popularity)
        empty = possible & (np.diff(self.world.views_of(present.nodes, interests).offsets) == 0)
        linkable = np.zeros(interests.node_count, dtype=np.bool_)
        linkable[interests.topic_nodes[possible]] = True
        self.isolated.append(int((linkable & (present.overlay.degrees == 0)).sum()))
        self.empty.append(float(empty.sum() / max(possible.sum(), 1)))
        topics = topic_of[empty]
        nodes = present.nodes[interests.topic_nodes[empty]]
        pairs = zip(nodes.tolist(), topics.tolist(), strict=True)
        self.streaks = {pair: self.streaks.get(pair, 0) + 1 for pair in pairs}
        self.cut_off.append(sum(length == CUT_OFF_ROUNDS for length in self.streaks.values()))


def _before_and_after(
    parameters: Parameters,
    interests: Interests,
    first: Observation,
    initial: TopicGraphs,
    run: _StanRun,
    seed: int,
) -> Measurements:
    """Return measurements of the first overlay, the last, and the omniscient design.

    ``clustering …/p`` are percentiles of the clustering coefficients over nodes and topics,
    ``… pvs/d`` mean physical views of tenths of the nodes, by size of the first view. With
    CrosspostFlood, ``… saving …/s`` is the share of nodes that save more than s % of the copies,
    ``… hops …/h`` the share of first deliveries after h hops. ``printed …`` are measurements of
    floods that send copies back to the sender and the publisher, as Algorithm 3 is printed.
    """
    last, final = run.last, run.graphs
    topics, ones, others = omniscient_views(interests, seed=seed)
    both = (np.concatenate((ones, others)), np.concatenate((others, ones)))
    omniscient = TopicGraphs.from_arcs(interests, np.concatenate((topics, topics)), *both)
    greedy = _physical(interests, omniscient)
    measured: Measurements = {
        "partitioned topics": float((final.components() > 1).sum()),
        "messages per node and round": last.snapshot.messages
        / interests.node_count
        / max(int(parameters["rounds"]), 1),
        "pvs greedy": float(greedy.degrees.mean()),
        "lvs greedy": len(omniscient.neighbours) / interests.node_count,
    }
    for name, graphs in (("initial", initial), ("final", final), ("greedy", omniscient)):
        coefficients = clustering_coefficients(_slots(graphs))
        measured[f"clustering {name}"] = float(coefficients.mean())
        for percent in PERCENTILES:
            measured[f"clustering {name}/{percent}"] = float(np.percentile(coefficients, percent))
    order = np.argsort(first.overlay.degrees, kind="stable")
    for tenth, members in enumerate(np.array_split(order, 10), start=1):
        for name, overlay in (
            ("initial", first.overlay),
            ("final", last.overlay),
            ("greedy", greedy),
        ):
            measured[f"{name} pvs/{tenth}"] = float(overlay.degrees[members].mean())
    measured["maximum pvs initial"] = float(degree_statistics(first.overlay).maximum)
    measured["maximum pvs final"] = float(degree_statistics(last.overlay).maximum)
    kinds = {"triplets ": crosspost_triplets(interests, each=PUBLICATIONS_PER_TOPIC, seed=seed)}
    if parameters.get("posts"):
        kinds["posts "] = find_posts(parameters, interests, seed)
    for kind, publications in kinds.items():
        for name, graphs in (("before", initial), ("after", final)):
            for variant, send_back in (("", False), ("printed ", True)):
                simple, cross = (
                    flood_publications(
                        interests, graphs, publications, flood=flood, send_back=send_back
                    )
                    for flood in ("simple", "crosspost")
                )
                measured |= _saving(f"{kind}{variant}", name, simple, cross)
            measured[f"{kind}hit ratio {name}"] = cross.hit_ratio
            for flood, done in (("simple", simple), ("crosspost", cross)):
                counts = np.zeros(HOPS[-1] + 1)
                np.add.at(counts, np.minimum(done.hops.values, HOPS[-1]), done.hops.counts)
                measured[f"{kind}mean hops {flood} {name}"] = done.hops.mean
                for hops in HOPS:
                    share = counts[hops] / max(counts.sum(), 1)
                    measured[f"{kind}hops {flood} {name}/{hops}"] = float(share)
    return measured


def _saving(kind: str, when: str, simple: Dissemination, cross: Dissemination) -> Measurements:
    """Return copies per receipt of both floods, and what CrosspostFlood saves."""
    saved = savings(simple, cross)
    total = 1 - int(cross.sent.sum()) / max(int(simple.sent.sum()), 1)
    return {
        f"{kind}copies simple {when}": _per_receipt(simple),
        f"{kind}copies crosspost {when}": _per_receipt(cross),
        f"{kind}total saving {when}": 100 * total,
        **{f"{kind}saving {when}/{p}": float((saved > p).mean()) for p in SAVINGS},
    }


def _per_receipt(done: Dissemination) -> float:
    return int(done.sent.sum()) / max(int(done.receipts.sum()), 1)


def _slots(graphs: TopicGraphs) -> Overlay:
    """Return all topics' overlays as one graph, whose nodes are subscriptions."""
    owners, others = _ends(graphs)
    return Overlay.from_links(len(graphs.offsets) - 1, np.stack((owners, others), axis=1))


def _physical(interests: Interests, graphs: TopicGraphs) -> Overlay:
    """Return the links of all topics' overlays as one overlay of nodes."""
    owners, others = _ends(graphs)
    nodes = interests.topic_nodes
    return Overlay.from_links(
        interests.node_count, np.stack((nodes[owners], nodes[others]), axis=1)
    )


def _ends(graphs: TopicGraphs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = np.diff(graphs.offsets)
    first = np.repeat(graphs.topic_offsets[:-1], np.diff(graphs.topic_offsets))
    owners = np.repeat(np.arange(len(sizes)), sizes)
    return owners, np.repeat(first, sizes) + graphs.neighbours
