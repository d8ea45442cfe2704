"""One run of the StaN study: rounds of the protocol in a simulated world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gossamer.model import Interests, Sessions
from gossamer.quality import TopicGraphs
from gossamer.sim import World
from gossamer.sim.rules import Delay, Loss
from gossamer.sim.snapshot import Observation, observe
from gossamer.studies.inputs import given_options
from gossamer.studies.stan.floods import (
    describe_posts,
    measure_example,
    measure_floods,
    on_one_topic,
)
from gossamer.studies.stan.overlays import design_omniscient, measure_overlays
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
OPTIONS = ("swap", "overhear", "walk_hops", "refill", "retries")
HEARTBEAT_SECONDS = 3.0
"""Seconds between heartbeats where no node fails; a second otherwise."""
DELAYS = Delay(5_000, 15_000)
WARM_UP_SECONDS = 2
"""Time after its join in which a node is not counted."""
CUT_OFF_ROUNDS = 5
"""Rounds after which an empty view counts as cut off from its topic."""
PUBLICATIONS_PER_TOPIC = 10


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return all measurements of the figures.

    ``pvs/r``, ``lvs/r`` and ``nodes/r`` are the mean physical and logical view sizes and the number
    of nodes after round r, ``connected/r`` the share of connected topics. Under churn, ``isolated``
    is the largest number of nodes without a link at a time, ``isolated nodes`` the number of nodes
    that were ever without one, ``empty views`` the share of empty views among
    those that could have a neighbour, ``cut off`` the number of views that were empty for five
    rounds in a row. A ``whole`` run has more: see :func:`_before_and_after`.
    """
    if "example" in parameters:
        return measure_example(str(parameters["example"]))
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
            "isolated": float(max(map(len, run.isolated[1:]))),
            "isolated nodes": float(len(set().union(*run.isolated[1:]))),
            "empty views": float(np.mean(run.empty[1:])),
            "cut off": float(sum(run.cut_off)),
        }
    if initial is not None:
        measured |= _before_and_after(parameters, interests, initial, run, seed)
    return measured


def _world(
    parameters: Parameters, interests: Interests, sessions: Sessions | None, seed: int
) -> World:
    options = given_options(parameters, OPTIONS) | {
        "fill_seconds": FILL_SECONDS,
        "idle_rounds": 1,
        "heartbeat_seconds": 1.0 if sessions is not None else HEARTBEAT_SECONDS,
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
    isolated: list[set[int]] = field(default_factory=list)
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
        alone = linkable & (present.overlay.degrees == 0)
        self.isolated.append(set(present.nodes[alone].tolist()))
        self.empty.append(float(empty.sum() / max(possible.sum(), 1)))
        topics = topic_of[empty]
        nodes = present.nodes[interests.topic_nodes[empty]]
        pairs = zip(nodes.tolist(), topics.tolist(), strict=True)
        self.streaks = {pair: self.streaks.get(pair, 0) + 1 for pair in pairs}
        self.cut_off.append(sum(length == CUT_OFF_ROUNDS for length in self.streaks.values()))


def _before_and_after(
    parameters: Parameters, interests: Interests, initial: TopicGraphs, run: _StanRun, seed: int
) -> Measurements:
    """Return measurements of the first overlay, the last, and the omniscient design.

    See :func:`~gossamer.studies.stan.overlays.measure_overlays` and
    :func:`~gossamer.studies.stan.floods.measure_floods`.
    """
    final, greedy = run.graphs, design_omniscient(interests, seed)
    overlays = {"initial": initial, "final": final, "greedy": greedy}
    measured = measure_overlays(interests, overlays, seed)
    measured["messages per node and round"] = (
        run.last.snapshot.messages / interests.node_count / max(int(parameters["rounds"]), 1)
    )
    triplets = crosspost_triplets(interests, each=PUBLICATIONS_PER_TOPIC, seed=seed)
    kinds = {"triplets": triplets, "singles": on_one_topic(triplets)}
    if parameters.get("posts"):
        kinds["posts"] = posts = find_posts(parameters, interests, seed)
        measured |= describe_posts(posts)
    for kind, publications in kinds.items():
        for when, graphs in (("before", initial), ("after", final), ("omniscient", greedy)):
            measured |= measure_floods(kind, when, interests, graphs, publications)
    return measured
