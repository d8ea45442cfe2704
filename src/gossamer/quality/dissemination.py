"""Dissemination metrics: delivery, hops, copies and bytes of publications.

The metrics are defined once for both engines: exact floods over links of equal delay without loss
(:func:`flood_publications`), and floods of protocol machines in a simulated world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.kernels.relation import relation_of
from gossamer.kernels.traffic import flood as kernels
from gossamer.model import Interests, Publications
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze
from gossamer.progress import Progress, silent
from gossamer.quality.distributions import Histogram
from gossamer.quality.relay_traffic import RelayTraffic
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.results import Ids, Result, Table

Flood = Literal["crosspost", "simple"]
Spread = Literal["crosspost", "simple", "notify", "tree"]
"""Forwarding mode of machines: one of the floods, notify and pull, or trees."""
FLOODS: tuple[Flood, ...] = ("crosspost", "simple")
PARTS = 200
"""Progress reports of a long computation."""


@dataclass(frozen=True, eq=False, repr=False)
class Dissemination(Result):
    """Counts of the dissemination of publications.

    A *delivery* is one publication on one topic at one subscriber other than the publisher; a
    *receipt* is the first copy of a publication at a node, on any topics.

    Attributes
    ----------
    flood
        Forwarding mode.
    expected, delivered
        Deliveries expected and made, by publication.
    copies, receipts, furthest
        Copies sent, nodes reached, and largest hop count of a delivery, by publication.
    sent, bytes, deliveries
        Copies sent, their bytes, and deliveries, by node.
    hops
        Deliveries by hop count.
    arrived
        Copies that arrived: all of them without loss.
    left_out
        Publications not published: the publisher was absent or had unsubscribed, or the simulation
        ended before.
    delays
        Microseconds from publishing to each delivery, if time was simulated.
    relays
        Nodes reached that subscribe to none of the topics, by publication.
    traffic
        Wanted and unwanted traffic of each node, if it was counted.
    """

    BRIEF: ClassVar = ("flood", "published", "hit_ratio", "mean_hops")

    flood: Spread
    expected: NDArray[np.int64]
    delivered: NDArray[np.int64]
    copies: NDArray[np.int64]
    receipts: NDArray[np.int64]
    furthest: NDArray[np.int64]
    sent: NDArray[np.int64]
    bytes: NDArray[np.int64]
    deliveries: NDArray[np.int64]
    hops: Histogram
    arrived: int
    left_out: int = 0
    delays: NDArray[np.int64] | None = field(default=None)
    relays: NDArray[np.int64] | None = field(default=None)
    traffic: RelayTraffic | None = field(default=None)

    @property
    def publications(self) -> int:
        """Number of publications."""
        return len(self.expected) - self.left_out

    @property
    def hit_ratio(self) -> float:
        """Deliveries made over deliveries expected; 1 if none is expected."""
        wanted = int(self.expected.sum())
        return int(self.delivered.sum()) / wanted if wanted else 1.0

    @property
    def duplicates_per_receipt(self) -> float:
        """Copies at nodes that had the publication already, per first copy."""
        first = int(self.receipts.sum())
        return (self.arrived - first) / first if first else 0.0

    def summary(self) -> dict[str, Any]:
        """Return the measures by name."""
        nodes = Histogram.of(self.sent)
        volumes = np.sort(self.bytes)
        hops = self.hops
        facts: dict[str, Any] = {
            "flood": self.flood,
            "published": self.publications,
            **({"not_published": self.left_out} if self.left_out else {}),
            "deliveries_expected": int(self.expected.sum()),
            "deliveries": int(self.delivered.sum()),
            "deliveries_missing": int(self.expected.sum() - self.delivered.sum()),
            "hit_ratio": self.hit_ratio if self.expected.any() else None,
            "mean_hops": hops.mean if hops.total else None,
            "p95_hops": hops.percentiles([95])[0] if hops.total else None,
            "max_hops": hops.maximum if hops.total else None,
            "copies": int(self.sent.sum()),
            "mean_copies": nodes.mean,
            "p95_copies": nodes.percentiles([95])[0] if nodes.total else 0,
            "max_copies": nodes.maximum,
            "bytes": int(volumes.sum()),
            "mean_bytes": float(volumes.mean()) if len(volumes) else 0.0,
            "p95_bytes": _percentile(volumes, 95),
            "max_bytes": int(volumes.max(initial=0)),
            "duplicates_per_receipt": self.duplicates_per_receipt,
        }
        if self.delays is not None:
            ordered = np.sort(self.delays)
            some = len(ordered) > 0
            facts |= {
                "mean_delay_ms": float(ordered.mean()) / 1000 if some else None,
                "p95_delay_ms": _percentile(ordered, 95) / 1000 if some else None,
                "max_delay_ms": int(ordered.max()) / 1000 if some else None,
            }
        if self.traffic is not None and self.traffic.unwanted.any():
            facts |= {
                "overhead": self.traffic.overhead,
                "overhead_with_duplicates": self.traffic.overhead_with_duplicates,
                "overhead_mean_over_nodes": self.traffic.mean_over_nodes,
            }
        return facts

    def _tables(self) -> Mapping[str, Table]:
        def traffic() -> dict[str, Any]:
            return {
                "node": Ids("node", np.arange(len(self.sent))),
                "flood": [self.flood] * len(self.sent),
                "sent": self.sent,
                "bytes": self.bytes,
                "deliveries": self.deliveries,
            }

        def hops() -> dict[str, Any]:
            values = self.hops.values
            flood = [self.flood] * len(values)
            return {"flood": flood, "hops": values, "deliveries": self.hops.counts}

        def publications() -> dict[str, Any]:
            names = ("expected", "delivered", "copies", "receipts", "furthest")
            return {name: getattr(self, name) for name in names}

        return {"traffic": traffic, "hops": hops, "publications": publications}


def savings(before: Dissemination, after: Dissemination) -> NDArray[np.float64]:
    """Return the copies that each node saves, in % of those it sent before, ascending.

    Nodes that sent none before are left out (StaN, Figure 10(a): the ratio of messages sent by each
    node with the two floods).
    """
    active = before.sent > 0
    saved = 100.0 * (1.0 - after.sent[active] / before.sent[active])
    return np.sort(saved)


def flood_publications(
    interests: Interests,
    graphs: TopicGraphs,
    publications: Publications,
    *,
    flood: Flood = "crosspost",
    send_back: bool = False,
    sizes: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Dissemination:
    """Flood publications over links of equal delay without loss.

    The publisher sends a copy to its neighbours on the publication's topics. A node forwards its
    first copy to its neighbours on those of the topics that it subscribes to, except to the sender
    and to the publisher. *crosspost*: one copy to a neighbour for all topics; *simple*: each topic
    floods separately.

    Costs O(arcs and subscribers of its topics) per publication, and memory for a few numbers a
    node, with *crosspost* one more for each topic that a publication may have.

    Parameters
    ----------
    interests
        Topics of each node.
    graphs
        Neighbours on each topic, over the same interests.
    publications
        Publications by nodes that subscribe to their topics.
    flood
        Forwarding mode.
    send_back
        Whether copies also go to the sender of the first copy and to the publisher, as StaN's
        Algorithm 3 is printed. They reach no further node.
    sizes
        Bytes of a copy: by publication with *crosspost*, by listed topic with *simple*; 1 by
        default.
    progress
        Callback that receives the current step and the fraction done.

    Examples
    --------
    >>> from gossamer.model import Overlay
    >>> interests = Interests.from_lists({0: [7], 1: [7], 2: [7]})
    >>> graphs = TopicGraphs.of(interests, Overlay.from_links(3, [(0, 1), (1, 2)]))
    >>> flood_publications(interests, graphs, Publications.from_lists([0], [[0]])).hops.mean
    1.5
    """
    if flood not in FLOODS:
        raise ParameterError(f"flood is {flood!r}; expected {' or '.join(FLOODS)}")
    if not np.array_equal(graphs.topic_offsets, interests.topic_offsets):
        raise OverlayError("the graphs of topics are over other interests; expected the same")
    publications.check(interests)
    strange = np.flatnonzero(~publications.are_by_subscribers(interests))
    if len(strange):
        at = int(strange[0])
        row = int(publications.rows[at])
        name = interests.node_names[publications.publishers[row]]
        topic = interests.topic_names[publications.topics[at]]
        raise InputError(
            f"publication {row} is by {str(name)!r} on {str(topic)!r}, of which it is no "
            "subscriber; expected publishers that subscribe to their topics"
        )
    report = progress or silent
    entries = len(publications) if flood == "crosspost" else len(publications.topics)
    volumes = np.ones(entries) if sizes is None else np.asarray(sizes)
    if volumes.shape != (entries,):
        raise ParameterError(f"{volumes.size} sizes are given; expected {entries}")
    given = kernels.PublicationBatch(
        publications.publishers, publications.offsets, publications.topics,
        freeze(volumes.astype(np.int64)),
    )  # fmt: skip
    over = kernels.Graphs(relation_of(interests), graphs.offsets, graphs.neighbours)
    nodes, count = interests.node_count, len(publications)
    lengths = (nodes,) * 3 + (count,) * 4 + (nodes + 1,)
    counts = kernels.FloodCounts._make(np.zeros(length, dtype=np.int64) for length in lengths)
    widest = int(np.diff(publications.offsets).max(initial=0)) if flood == "crosspost" else 0
    scratch = kernels.FloodScratch(
        np.full(nodes, -1, dtype=np.int32),
        np.empty(nodes, dtype=np.int32),
        np.empty(nodes, dtype=np.int32),
        np.full(nodes, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.full((nodes, widest), -1, dtype=np.int32),
    )
    run = kernels.flood_crossposts if flood == "crosspost" else kernels.flood_topics
    bounds = _parts(interests, graphs, publications)
    for part, (first, last) in enumerate(pairwise(bounds)):
        report(f"flooding ({flood})", part / len(bounds))
        run(over, given, first, last, counts, scratch, send_back)
    heard = offsets_of(interests.popularity[publications.topics] - 1)
    return Dissemination(
        flood=flood,
        expected=freeze(np.diff(heard[publications.offsets]).astype(np.int64)),
        delivered=freeze(counts.delivered),
        copies=freeze(counts.copies),
        receipts=freeze(counts.receipts),
        furthest=freeze(counts.furthest),
        sent=freeze(counts.sent),
        bytes=freeze(counts.bytes),
        deliveries=freeze(counts.got),
        hops=Histogram.of(np.arange(nodes + 1), counts.hops),
        arrived=int(counts.copies.sum()),
    )


def _parts(interests: Interests, graphs: TopicGraphs, publications: Publications) -> list[int]:
    """Divide publications into runs of about equal work, at most ``PARTS``."""
    ends = graphs.offsets[interests.topic_offsets]
    work = (np.diff(ends) + interests.popularity)[publications.topics]
    done = offsets_of(work)[publications.offsets]
    wanted = np.linspace(0, done[-1], PARTS + 1)[1:-1]
    cuts = np.searchsorted(done, wanted)
    bounds: list[int] = np.unique(np.concatenate(([0], cuts, [len(publications)]))).tolist()
    return bounds


def _percentile(ordered: NDArray[np.int64], percent: int) -> int:
    """Return the smallest value that at least ``percent`` of a hundred do not exceed."""
    if not len(ordered):
        return 0
    return int(ordered[-(-percent * len(ordered) // 100) - 1])
