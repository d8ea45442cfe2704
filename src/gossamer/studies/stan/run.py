"""One run of a StaN experiment: a workload, a world, thirty rounds or more, and what is measured.

What is run where, and what the paper says of it, is in :mod:`gossamer.studies.stan`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.design.greedy_omniscient import omniscient_views
from gossamer.model import Interests, Overlay, Sessions
from gossamer.quality import (
    TopicGraphs,
    clustering_coefficients,
    degree_statistics,
    flood_publications,
    savings,
)
from gossamer.sim import World
from gossamer.sim.rules import Delay, Loss, Rule
from gossamer.sim.snapshot import Observation, observe
from gossamer.studies.stan.universes import (
    draw_growth,
    find_interests,
    find_posts,
    find_sessions_of,
)
from gossamer.time import SECOND
from gossamer.workloads import crosspost_triplets

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

__all__ = ["SAVINGS", "measure"]

SETTLE = 3
"""Seconds in which views fill before the first round."""
OPTIONS = {"swap": "swap", "collect": "collect", "walk": "walk_hops", "refill": "refill"}
DELAYS = Delay(5_000, 15_000)
PATIENCE = 0.125
"""Seconds for a walk or a swap of six messages: eight of the longest delays."""
SAVINGS = (0, 5, 10, 15, 20, 30, 40)
HOPS = range(1, 13)
PERCENTILES = tuple(range(10, 101, 10))
GRACE = 2
LONG = 5
"""Rounds after which an empty view is cut off."""
EACH = 10


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return everything that a figure or table may show of it.

    ``pvs/r``, ``lvs/r``, ``nodes/r`` are physical and logical views, and nodes, after round r;
    ``connected/r`` the share of topics whose overlay is connected. Where nodes come and go,
    ``isolated`` are nodes without any link at once, at most; ``empty views`` the share of views
    with nobody in them, of those where somebody could be; and ``cut off`` how many views in all
    were empty for five rounds on end. A static run has more: see
    :func:`_before_and_after`.
    """
    interests = find_interests(parameters, seed)
    rounds = int(parameters["rounds"])
    seconds = float(SETTLE + rounds)
    sessions: Sessions | None = None
    if "faster" in parameters:
        sessions = find_sessions_of(parameters, interests, seconds, SETTLE, seed)
    elif parameters.get("grows"):
        sessions, _ = draw_growth(interests.node_count, SETTLE, seconds, seed)
    run = _Run(
        interests, _world(parameters, interests, sessions, seed), churns="faster" in parameters
    )
    run.advance(SETTLE, grace=0)
    first = run.last
    initial = run.graphs if parameters.get("whole") else None
    run.note(0)
    for one in range(1, rounds + 1):
        run.advance(1, grace=GRACE if sessions is not None else 0)
        run.note(one)
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
    loss = float(parameters.get("loss", 0.0))
    options: dict[str, Any] = {
        option: parameters[name] for name, option in OPTIONS.items() if name in parameters
    }
    # Heartbeats that are lost must not be taken for a failure.
    options |= {
        "fill_seconds": float(SETTLE),
        "idle_rounds": 1,
        "missed_heartbeats": 1 if sessions is not None else 12,
    }
    options["timeout_seconds"] = PATIENCE
    rules: list[Rule] = [DELAYS, *([Loss(loss)] if loss else [])]
    return World(
        "stan", interests, options=options, rules=rules, sessions=sessions, departure="crash",
        seed=seed % (1 << 63),
    )  # fmt: skip


@dataclass
class _Run:
    """A world, round by round."""

    interests: Interests
    world: World
    churns: bool
    measured: Measurements = field(default_factory=dict)
    isolated: list[int] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    cut_off: list[int] = field(default_factory=list)
    streaks: dict[tuple[int, int], int] = field(default_factory=dict)

    def advance(self, seconds: float, *, grace: int) -> None:
        """Let time pass, and look."""
        self.world.run(self.world.now + round(seconds * SECOND))
        self.last: Observation = observe(self.world, min_age=grace * SECOND)

    @property
    def graphs(self) -> TopicGraphs:
        """Each topic's overlay at present."""
        return self.world.views_of(self.last.nodes, self.last.interests)

    def note(self, number: int) -> None:
        """Keep what was seen after a round."""
        seen = self.last.snapshot
        self.measured |= {
            f"pvs/{number}": seen.mean_degree,
            f"lvs/{number}": seen.mean_view,
            f"nodes/{number}": float(seen.nodes),
            f"connected/{number}": seen.topics_connected / max(seen.topics, 1),
        }
        if self.churns:
            self._note_alone()

    def _note_alone(self) -> None:
        """Keep who has no link to anybody who is there, newcomers included."""
        there = observe(self.world)
        interests, settled = there.interests, np.isin(there.nodes, self.last.nodes)
        old = settled[interests.topic_nodes]
        topic_of = np.repeat(np.arange(interests.topic_count), interests.popularity)
        others = np.bincount(topic_of[old], minlength=interests.topic_count)
        possible = old & np.repeat(others >= 2, interests.popularity)
        alone = possible & (np.diff(self.world.views_of(there.nodes, interests).offsets) == 0)
        someone = np.zeros(interests.node_count, dtype=np.bool_)
        someone[interests.topic_nodes[possible]] = True
        self.isolated.append(int((someone & (there.overlay.degrees == 0)).sum()))
        self.empty.append(float(alone.sum() / max(possible.sum(), 1)))
        topics = topic_of[alone]
        nodes = there.nodes[interests.topic_nodes[alone]]
        pairs = zip(nodes.tolist(), topics.tolist(), strict=True)
        self.streaks = {pair: self.streaks.get(pair, 0) + 1 for pair in pairs}
        self.cut_off.append(sum(length == LONG for length in self.streaks.values()))


def _before_and_after(
    parameters: Parameters,
    interests: Interests,
    first: Observation,
    initial: TopicGraphs,
    run: _Run,
    seed: int,
) -> Measurements:
    """Return what is compared between the first and the last overlay, and with the omniscient.

    ``clustering …/p`` are percentiles of the clustering coefficients of all nodes in the
    overlays of all their topics; ``… pvs/d`` mean physical views of the tenth of nodes that is
    d-th by their first one; ``… saving …/s`` the share of nodes that send s % fewer copies or less
    with CrosspostFlood; ``… hops …/h`` the share of first deliveries after h hops.
    """
    last, final = run.last, run.graphs
    topics, ones, others = omniscient_views(interests, seed=seed)
    both = (np.concatenate((ones, others)), np.concatenate((others, ones)))
    omniscient = TopicGraphs.from_arcs(interests, np.concatenate((topics, topics)), *both)
    greedy = _physical(interests, omniscient)
    measured: Measurements = {
        "topics in pieces": float((final.components() > 1).sum()),
        "messages a node and round": last.snapshot.messages
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
    measured["most pvs initial"] = float(degree_statistics(first.overlay).maximum)
    measured["most pvs final"] = float(degree_statistics(last.overlay).maximum)
    kinds = {"triplets ": crosspost_triplets(interests, each=EACH, seed=seed % (1 << 63))}
    if parameters.get("posts"):
        kinds["posts "] = find_posts(parameters, interests, seed)
    for kind, publications in kinds.items():
        for name, graphs in (("before", initial), ("after", final)):
            simple = flood_publications(interests, graphs, publications, flood="simple")
            cross = flood_publications(interests, graphs, publications, flood="crosspost")
            saved = savings(simple, cross)
            measured[f"{kind}copies simple {name}"] = _per_receipt(simple)
            measured[f"{kind}copies crosspost {name}"] = _per_receipt(cross)
            measured[f"{kind}total saving {name}"] = 100 * (
                1 - int(cross.sent.sum()) / max(int(simple.sent.sum()), 1)
            )
            measured[f"{kind}hit ratio {name}"] = cross.hit_ratio
            for least in SAVINGS:
                measured[f"{kind}saving {name}/{least}"] = float((saved > least).mean())
            for flood, done in (("simple", simple), ("crosspost", cross)):
                counts = np.zeros(HOPS[-1] + 1)
                np.add.at(counts, np.minimum(done.hops.values, HOPS[-1]), done.hops.counts)
                measured[f"{kind}mean hops {flood} {name}"] = done.hops.mean
                for hops in HOPS:
                    share = counts[hops] / max(counts.sum(), 1)
                    measured[f"{kind}hops {flood} {name}/{hops}"] = float(share)
    return measured


def _per_receipt(done: Any) -> float:
    return int(done.sent.sum()) / max(int(done.receipts.sum()), 1)


def _slots(graphs: TopicGraphs) -> Overlay:
    """Return all topics' overlays as one graph, whose nodes are subscriptions."""
    owners, others = _ends(graphs)
    return Overlay.from_links(len(graphs.offsets) - 1, np.stack((owners, others), axis=1))


def _physical(interests: Interests, graphs: TopicGraphs) -> Overlay:
    """Return the links that topics' overlays share."""
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
