"""Events published in a cycle, and their measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.population import Population
from gossamer.kernels.traffic.relay import EventCounts, disseminate_events
from gossamer.model.csr import offsets_of
from gossamer.quality.relay_traffic import RelayTraffic
from gossamer.results import Result


@dataclass(frozen=True, eq=False)
class Events:
    """Events of a cycle, sorted by topic: publisher, topic and weight of each."""

    publishers: NDArray[np.int32]
    topics: NDArray[np.int32]
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CycleMeasures(Result):
    """Measures of an overlay in a cycle, and of the events published in it.

    Attributes
    ----------
    cycle, nodes
        Number of the cycle, and of the present nodes.
    links_mean, links_max
        Mean and maximum number of neighbours of a node, over links in both directions.
    ring
        Share of nodes with the right successor and predecessor; NaN for a protocol without a ring,
        as are the next two.
    rendezvous
        Share of topics whose lookups all ended at the same node.
    gateways
        Share of subscriptions whose node is a gateway.
    hit_ratio
        Share of the expected deliveries; NaN if none was expected.
    hops, furthest
        Mean (NaN if there is none) and maximum hops of a delivery.
    traffic
        Notifications received by each node.
    degrees
        Number of neighbours of each present node.
    """

    BRIEF: ClassVar = ("cycle", "nodes", "mean_degree", "hit_ratio")

    cycle: int
    nodes: int
    links_mean: float
    links_max: int
    ring: float
    rendezvous: float
    gateways: float
    hit_ratio: float
    hops: float
    furthest: int
    traffic: RelayTraffic
    degrees: NDArray[np.int64]

    def row(self) -> dict[str, float]:
        """Return a row of the table of rounds."""
        return {
            "round": self.cycle,
            "nodes": self.nodes,
            "links_mean": self.links_mean,
            "links_max": self.links_max,
            "ring": self.ring,
            "rendezvous": self.rendezvous,
            "gateways": self.gateways,
            "hit_ratio": self.hit_ratio,
            "overhead": self.traffic.overhead,
            "overhead_with_duplicates": self.traffic.overhead_with_duplicates,
            "overhead_mean_over_nodes": self.traffic.mean_over_nodes,
            "hops": self.hops,
            "furthest": self.furthest,
        }

    def summary(self) -> dict[str, Any]:
        """Return the measures by name; None for those that nothing was counted for."""
        found = {
            "cycle": self.cycle,
            "nodes": self.nodes,
            "mean_degree": self.links_mean,
            "max_degree": self.links_max,
            "ring": self.ring,
            "rendezvous": self.rendezvous,
            "gateways": self.gateways,
            "hit_ratio": self.hit_ratio,
            "overhead": self.traffic.overhead,
            "overhead_with_duplicates": self.traffic.overhead_with_duplicates,
            "overhead_mean_over_nodes": self.traffic.mean_over_nodes,
            "mean_hops": self.hops,
            "max_hops": None if math.isnan(self.hops) else self.furthest,
        }
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in found.items()
        }


class EventWorld(Population):
    """Population in which events are published."""

    routed = 0
    """Cycles of routing after which routes have converged, without churn."""

    def route(self) -> None:
        """Advance the routing of events by one cycle."""
        raise NotImplementedError

    def measure(self, events: Events, *, min_age: int = 0) -> CycleMeasures:
        """Publish events, and measure their deliveries and the overlay.

        Nodes count as subscribers from ``min_age`` cycles after they joined.
        """
        raise NotImplementedError


def draw_events(
    population: Population, random: np.random.Generator, *, each: int = 1,
    rates: NDArray[np.float64] | None = None, min_age: int = 0,
) -> Events:  # fmt: skip
    """Draw ``each`` events on every topic, by subscribers that joined ``min_age`` cycles ago.

    An event is weighted by the rate of its topic, so measures are expectations over events of
    these rates. O(S).
    """
    numbered = population.numbered
    eligible = population.alive & (population.now - population.joined >= min_age)
    able = eligible[numbered.topic_nodes]
    before = offsets_of(able)
    choices = numbered.topic_nodes[able]
    first = before[numbered.topic_offsets[:-1]]
    counts = before[numbered.topic_offsets[1:]] - first
    alive = population.alive[numbered.topic_nodes]
    present = offsets_of(alive)
    others = present[numbered.topic_offsets[1:]] - present[numbered.topic_offsets[:-1]]
    published = np.ones(len(counts), dtype=np.bool_) if rates is None else rates > 0
    topics = np.repeat(np.flatnonzero((counts > 0) & (others > 1) & published), each)
    drawn = (random.random(len(topics)) * counts[topics]).astype(np.int64)
    weights = np.ones(len(topics)) if rates is None else rates[topics].astype(np.float64)
    return Events(choices[first[topics] + drawn], topics.astype(np.int32), weights / max(each, 1))


def follow_events(
    population: Population, events: Events, offsets: NDArray[np.int64], links: NDArray[np.int32],
    paths: tuple[NDArray[np.int64], NDArray[np.int32]], *, clusters: bool, through: bool,
    min_age: int, ring: float = math.nan, rendezvous: float = math.nan, gateways: float = math.nan,
) -> CycleMeasures:  # fmt: skip
    """Follow events over clusters and relay paths, and measure. O(L) per event at worst."""
    numbered = population.numbered
    nodes, topics = len(population.alive), len(numbered.topic_identifiers)
    counted = EventCounts(
        wanted=np.zeros(nodes),
        unwanted=np.zeros(nodes),
        all_wanted=np.zeros(nodes),
        all_unwanted=np.zeros(nodes),
        expected=np.zeros(topics),
        delivered=np.zeros(topics),
        hops=np.zeros(topics),
        relayed=np.zeros(topics),
        furthest=np.zeros(topics, dtype=np.int32),
    )
    eligible = population.alive & (population.now - population.joined >= min_age)
    with population.timed("events"):
        disseminate_events(
            events.publishers, events.topics, events.weights, numbered.topic_offsets,
            numbered.topic_nodes, offsets, links, *paths, population.alive, eligible, clusters,
            through, counted,
        )  # fmt: skip
    expected, delivered = float(counted.expected.sum()), float(counted.delivered.sum())
    degrees = np.diff(offsets)[population.alive]
    return CycleMeasures(
        cycle=population.now,
        nodes=int(population.alive.sum()),
        links_mean=float(degrees.mean()) if len(degrees) else 0.0,
        links_max=int(degrees.max(initial=0)),
        ring=ring,
        rendezvous=rendezvous,
        gateways=gateways,
        hit_ratio=delivered / expected if expected else math.nan,
        hops=float(counted.hops.sum()) / delivered if delivered else math.nan,
        furthest=int(counted.furthest.max(initial=0)),
        traffic=RelayTraffic(
            counted.wanted, counted.unwanted, counted.all_wanted, counted.all_unwanted
        ),
        degrees=degrees,
    )
