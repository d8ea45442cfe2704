"""Events in a round, and what is measured of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.population import Population
from gossamer.kernels.traffic.relay import EventCounts, disseminate_events
from gossamer.model.csr import offsets_of
from gossamer.quality.relay_traffic import RelayTraffic

__all__ = ["EventWorld", "Events", "RoundMeasures", "draw_events", "follow_events"]


@dataclass(frozen=True, eq=False)
class Events:
    """What is published in a round, sorted by topic: by whom, on what, and how much it counts."""

    publishers: NDArray[np.int32]
    topics: NDArray[np.int32]
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RoundMeasures:
    """An overlay in a round, and what became of events that were published in it.

    Attributes
    ----------
    now, nodes
        Which round, and how many nodes were there.
    links_mean, links_max
        A node's neighbours, both directions of links together.
    ring
        The share of nodes whose successor and predecessor are right.
    rendezvous
        The share of topics whose lookups all ended at the same node.
    gateways
        The share of subscriptions whose node is a gateway.
    hit_ratio
        Deliveries by those that there should be; not a number where there should be none.
    hops, furthest
        Of a delivery: mean, not a number where there is none, and most.
    traffic
        What each node got.
    degrees
        Each node's neighbours, of those that are there.
    """

    now: int
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

    def summary(self) -> dict[str, float]:
        """Return the measures as numbers, by name: a row of the table of rounds."""
        return {
            "round": self.now,
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


class EventWorld(Population):
    """A population in which events can be published."""

    routed = 0
    """Rounds of routing after which hardly anything changes, where nobody comes or goes."""

    def route(self) -> None:
        """Let a round of whatever events need besides links pass."""
        raise NotImplementedError

    def measure(self, events: Events, *, grace: int = 0) -> RoundMeasures:
        """Publish events, and measure what becomes of them, and the overlay.

        Nodes count as subscribers from ``grace`` rounds after they joined.
        """
        raise NotImplementedError


def draw_events(
    population: Population, random: np.random.Generator, *, each: int = 1,
    rates: NDArray[np.float64] | None = None, grace: int = 0,
) -> Events:  # fmt: skip
    """Draw ``each`` events on every topic, by subscribers that have been there for some rounds.

    They count by the topic's rate, so that what is measured is what events of these rates would
    give in the mean, without the chance of drawing topics. O(S).
    """
    numbered = population.numbered
    settled = population.alive & (population.now - population.joined >= grace)
    able = settled[numbered.topic_nodes]
    before = offsets_of(able)
    choices = numbered.topic_nodes[able]
    first = before[numbered.topic_offsets[:-1]]
    counts = before[numbered.topic_offsets[1:]] - first
    alive = population.alive[numbered.topic_nodes]
    there = offsets_of(alive)
    others = there[numbered.topic_offsets[1:]] - there[numbered.topic_offsets[:-1]]
    published = np.ones(len(counts), dtype=np.bool_) if rates is None else rates > 0
    topics = np.repeat(np.flatnonzero((counts > 0) & (others > 1) & published), each)
    drawn = (random.random(len(topics)) * counts[topics]).astype(np.int64)
    weights = np.ones(len(topics)) if rates is None else rates[topics].astype(np.float64)
    return Events(choices[first[topics] + drawn], topics.astype(np.int32), weights / max(each, 1))


def follow_events(
    population: Population, events: Events, offsets: NDArray[np.int64], links: NDArray[np.int32],
    paths: tuple[NDArray[np.int64], NDArray[np.int32]], *, clusters: bool, through: bool,
    grace: int, ring: float, rendezvous: float, gateways: float,
) -> RoundMeasures:  # fmt: skip
    """Follow events over clusters and relay paths, and measure. O(L) an event at worst."""
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
    settled = population.alive & (population.now - population.joined >= grace)
    with population.timed("events"):
        disseminate_events(
            events.publishers, events.topics, events.weights, numbered.topic_offsets,
            numbered.topic_nodes, offsets, links, *paths, population.alive, settled, clusters,
            through, counted,
        )  # fmt: skip
    expected, delivered = float(counted.expected.sum()), float(counted.delivered.sum())
    degrees = np.diff(offsets)[population.alive]
    return RoundMeasures(
        now=population.now,
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
