"""Publications in a simulated world: injected at their times, and metered.

Deliveries are counted from the effects of machines, copies from the messages on the fabric. A node
is expected to receive a publication on a topic if it has been present, and subscribed to the topic,
since its warm-up before the publication until the end.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.host import Codec
from gossamer.model import Publications
from gossamer.model.interests import freeze
from gossamer.protocols.components.dissemination import (
    MAX_PAYLOAD,
    MESSAGES,
    Digest,
    Publication,
    PublicationId,
)
from gossamer.protocols.components.handover import Handover
from gossamer.protocols.components.tree_messages import Repaired
from gossamer.protocols.contract import Deliver, Publish
from gossamer.quality.dissemination import Dissemination, Spread
from gossamer.quality.distributions import Histogram
from gossamer.quality.relay_traffic import RelayTraffic
from gossamer.sim.world import World
from gossamer.time import SECOND


def check_payload(payload: int) -> int:
    """Return a payload size in bytes, or raise if nodes would not carry it."""
    if not 0 <= payload <= MAX_PAYLOAD:
        raise ParameterError(f"payload is {payload} bytes; expected 0 to {MAX_PAYLOAD}")
    return payload


def carried_by(message: Any) -> Publication | None:
    """Return the publication in a message; None if there is none."""
    if type(message) in (Handover, Repaired):
        publication: Publication = message.publication
        return publication
    return message if type(message) is Publication else None


class PublicationMeter:
    """Publishes in a world, and counts copies and deliveries.

    Give :meth:`deliver` to the world when it is made, then :meth:`attach` the meter.

    Parameters
    ----------
    publications
        Publications, and their times.
    payload
        Size of each in bytes.
    warm_up
        Seconds after joining before a node is expected to receive publications (Vitis §IV-E: 10).
    """

    def __init__(self, publications: Publications, payload: int = 0, warm_up: float = 0.0) -> None:
        self._given = publications
        self._warm_up = round(warm_up * SECOND)
        self._payload = bytes(check_payload(payload))
        self._world: World | None = None
        self._number_of: dict[PublicationId, int] = {}
        self._publishing: int | None = None
        self._arriving: PublicationId | None = None
        self._codec = Codec((*MESSAGES, Handover, Repaired))
        self._last: Any = None
        self._size = 0
        self._arrived = 0
        count = len(publications)
        self._published: list[tuple[int, ...] | None] = [None] * count
        self._copies = [0] * count
        self._receipts = [0] * count
        self._relays = [0] * count
        self._had: set[tuple[int, int]] = set()
        self._deliveries = tuple(array("q") for _ in range(5))
        """Publication, node, topic, hops and delay of each delivery."""

    def attach(self, world: World) -> None:
        """Count in this world from now on, and schedule the publications."""
        self._world = world
        nodes = world.interests.node_count
        self._sent = [0] * nodes
        self._bytes = [0] * nodes
        self._first = ([0] * nodes, [0] * nodes)
        """First arrivals of publications at each node: of interest, and of none."""
        self._arrivals: dict[type, tuple[list[int], list[int]]] = {
            kind: ([0] * nodes, [0] * nodes) for kind in (Publication, Digest)
        }
        """All arrivals, in copies and in digests: of interest, and of none."""
        world.fabric.meter = self
        for number, time in enumerate(self._given.times.tolist()):
            world.scheduler.at(time, self._publish, number, None)

    # -- during the run ----------------------------------------------------------------

    def sent(self, node: int, message: Any) -> None:
        """Count a copy that a node sends, lost or not."""
        publication = carried_by(message)
        if publication is None:
            return
        if message is not self._last:  # one message to several peers
            self._last, self._size = message, self._codec.size(message)
        if self._publishing is not None:
            self._number_of[publication.id] = self._publishing
        number = self._number_of.get(publication.id)
        if number is None:
            return
        self._sent[node] += 1
        self._bytes[node] += self._size
        self._copies[number] += 1

    def arrived(self, node: int, message: Any) -> None:
        """Count a copy that is about to be received by a node."""
        self._arriving = None
        publication = carried_by(message)
        if publication is None:
            if type(message) is Digest:
                for one in message.ids:
                    self._count_arrival(node, self._number_of.get(one), Digest)
            return
        number = self._number_of.get(publication.id)
        if number is None:
            return
        self._arriving = publication.id
        self._arrived += 1
        uninteresting = self._count_arrival(node, number, Publication)
        if (number, node) not in self._had:
            self._had.add((number, node))
            self._receipts[number] += 1
            self._first[uninteresting][node] += 1
            self._relays[number] += uninteresting

    def _count_arrival(self, node: int, number: int | None, kind: type) -> bool:
        """Count an arrival of a publication; return whether it is of no interest to the node."""
        if number is None:
            return False
        assert self._world is not None
        own = self._world.index.topics_of[node] or ()
        tags = self._published[number] or ()
        uninteresting = not any(topic in own for topic in tags)
        self._arrivals[kind][uninteresting][node] += 1
        return uninteresting

    def deliver(self, node: int, effect: Deliver) -> None:
        """Count a delivery to the application of a node, other than of its own publications."""
        if self._arriving is None or self._publishing is not None:
            return
        assert self._world is not None
        number = self._number_of[self._arriving]
        delay = self._world.now - int(self._given.times[number])
        for topic in effect.topics:
            for column, value in zip(
                self._deliveries, (number, node, topic, effect.hops, delay), strict=True
            ):
                column.append(value)  # type: ignore[arg-type]

    def _publish(self, number: int, _: Any) -> None:
        assert self._world is not None
        host = self._world.ports[int(self._given.publishers[number])].host
        if host is None:
            return
        tags = tuple(self._given.topics_of(number).tolist())
        self._published[number] = tags
        self._publishing = number
        host.handle(Publish(tags, self._payload))
        self._publishing = None
        component = getattr(host.machine, "dissemination", None)
        if component is not None:  # perhaps no copy was sent yet
            self._number_of[component.latest] = number

    # -- at the end ----------------------------------------------------------------------------

    def result(self, flood: Spread) -> Dissemination:
        """Return the measures of nodes that stayed present. O(n log n) for n deliveries."""
        assert self._world is not None
        world, times = self._world, self._given.times
        joined = np.array(
            [port.joined if port.host is not None else 1 << 62 for port in world.ports],
            dtype=np.int64,
        )
        joined += self._warm_up
        numbers, nodes, topics, hops, delays = (
            np.array(column, dtype=np.int64) for column in self._deliveries
        )
        counted = joined[nodes] <= times[numbers]
        if world.interest_changes:
            rows = zip(nodes.tolist(), topics.tolist(), times[numbers].tolist(), strict=True)
            counted &= np.array(
                [
                    topic in (world.index.topics_of[node] or ())
                    and self._since(node, topic, joined) <= time
                    for node, topic, time in rows
                ],
                dtype=np.bool_,
            )
        numbers, nodes, hops = numbers[counted], nodes[counted], hops[counted]
        count = len(times)
        furthest = np.zeros(count, dtype=np.int64)
        np.maximum.at(furthest, numbers, hops)
        return Dissemination(
            flood=flood,
            expected=freeze(self._expected(joined)),
            delivered=freeze(np.bincount(numbers, minlength=count)),
            copies=freeze(np.array(self._copies, dtype=np.int64)),
            receipts=freeze(np.array(self._receipts, dtype=np.int64)),
            furthest=freeze(furthest),
            sent=freeze(np.array(self._sent, dtype=np.int64)),
            bytes=freeze(np.array(self._bytes, dtype=np.int64)),
            deliveries=freeze(np.bincount(nodes, minlength=len(joined))),
            hops=Histogram.of(hops),
            arrived=self._arrived,
            left_out=sum(tags is None for tags in self._published),
            delays=freeze(delays[counted]),
            relays=freeze(np.array(self._relays, dtype=np.int64)),
            traffic=RelayTraffic(
                *(freeze(np.array(counts, dtype=np.float64)) for counts in self._first),
                *(
                    freeze(np.array(counts, dtype=np.float64))
                    for counts in self._arrivals[Digest if flood == "notify" else Publication]
                ),
            ),
        )

    def _expected(self, joined: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count, for each publication, the other subscribers that were present from then on."""
        assert self._world is not None
        subscribers: dict[int, list[int]] = {}
        for node, topics in enumerate(self._world.index.topics_of):
            for topic in topics or ():
                subscribers.setdefault(topic, []).append(self._since(node, topic, joined))
        since = {topic: np.sort(np.array(found)) for topic, found in subscribers.items()}
        none = np.empty(0, dtype=np.int64)
        expected = np.zeros(len(self._published), dtype=np.int64)
        for number, tags in enumerate(self._published):
            if tags is None:
                continue
            time = int(self._given.times[number])
            publisher = int(self._given.publishers[number])
            own = self._world.index.topics_of[publisher] or ()
            for topic in tags:
                before = int(np.searchsorted(since.get(topic, none), time, side="right"))
                itself = topic in own and self._since(publisher, topic, joined) <= time
                expected[number] += before - itself
        return expected

    def _since(self, node: int, topic: int, joined: NDArray[np.int64]) -> int:
        """Return the time from which a node is expected to receive publications on its topic."""
        assert self._world is not None
        subscribed = self._world.subscribed_at.get((node, topic), -self._warm_up)
        return max(int(joined[node]), subscribed + self._warm_up)
