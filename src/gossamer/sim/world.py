"""A world: nodes that come and go, a network between them, and one time for all.

It joins what the other modules of this package hold: scheduler, fabric, rules, views, and the
sessions that say who is there when. What is measured of it is in
:mod:`gossamer.sim.snapshot`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.host import Codec, Host, Tracer, stream_of
from gossamer.model import Interests, Overlay, Sessions
from gossamer.model.repair import RepairRequest
from gossamer.protocols import ProtocolEntry, find_protocol
from gossamer.protocols.contract import Deliver, Event, NodeContext, Topics
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.sim.fabric import Fabric, Port
from gossamer.sim.rules import Delay, Rule
from gossamer.sim.scheduler import Scheduler
from gossamer.sim.views import FullView, SampledView, SharedIndex, ViewSize

__all__ = ["Departure", "World"]

Departure = Literal["leave", "crash"]
CONTACTS = 3
"""How many random others a joining node is told of, where it has to gossip."""

DELAY = Delay(5_000, 15_000)
"""Ours: the paper assumes uniform delays, and gives none."""


class World:
    """Nodes that run a protocol, in virtual time.

    Parameters
    ----------
    protocol, options
        What they run: a name on the list of protocols, or an entry that is not on it.
    interests
        What each node wants; topics and nodes go by their ids.
    view
        What each node knows of the others.
    rules
        What happens to messages; delays of 5 to 15 ms if not given.
    sessions
        Who is there when; everybody all the time if not given.
    fresh
        What a node wants in its second life and later ones, by (node, life), life from 1 on;
        the same as before if not given (SpiderCast §3.8 has another interest each time).
    departure
        How sessions end: with a goodbye, or without.
    seed
        Settles every random choice.
    tracer, codec
        If given, keep a trace, and encode every message.
    deliver
        Given each node that something published came to, and what it was.
    check_invariants
        Whether each machine checks its invariants and link transitions after each event.
    """

    def __init__(
        self,
        protocol: str | ProtocolEntry,
        interests: Interests,
        *,
        options: Mapping[str, Any] | None = None,
        view: ViewSize | None = None,
        rules: Sequence[Rule] | None = None,
        sessions: Sessions | None = None,
        fresh: Callable[[int, int], Topics] | None = None,
        departure: Departure = "leave",
        seed: int = 0,
        tracer: Tracer | None = None,
        codec: Codec | None = None,
        deliver: Callable[[int, Deliver], None] | None = None,
        check_invariants: bool = False,
    ) -> None:
        if interests.node_count == 0:
            raise ParameterError("there are no nodes; expected interests of 1 or more")
        self.protocol = find_protocol(protocol) if isinstance(protocol, str) else protocol
        self.options = dict(options or {})
        self.config = self.protocol.configure(self.options)
        self.interests = interests
        self.view = view or ViewSize("full")
        self.seed = seed
        self.tracer = tracer
        self.scheduler = Scheduler()
        self.fabric = Fabric(
            self.scheduler,
            interests.node_count,
            [DELAY] if rules is None else rules,
            stream_of(seed, "fabric"),
            codec,
        )
        room = np.maximum(interests.popularity, 1).astype(np.int64)
        self.index = SharedIndex(interests.node_count, interests.topic_count, room)
        self.joins = 0
        self.departures = 0
        self._departure: Departure = departure
        self._check_invariants = check_invariants
        self._fresh = fresh
        self._deliver = deliver
        self._contacts = stream_of(seed, "contacts")
        if sessions is None:
            self._start_all()
        else:
            self._follow(sessions)

    @property
    def ports(self) -> list[Port]:
        """The nodes' places on the network, there or not."""
        return self.fabric.ports

    @property
    def now(self) -> int:
        """The present time, in microseconds."""
        return self.scheduler.time

    def run(self, until: int) -> None:
        """Let time pass."""
        self.scheduler.run(until)

    # -- nodes come and go -------------------------------------------------------------

    def join(self, node: int) -> None:
        """Let a node begin a life."""
        port = self.ports[node]
        assert port.host is None, f"node {node} is there already"
        self._enter(port)
        self._begin(port)

    def leave(self, node: int) -> None:
        """Let a node say goodbye and end its life; nothing if it is not there."""
        port = self.ports[node]
        if port.host is not None:
            port.host.leave()
            self._gone(port)

    def crash(self, node: int) -> None:
        """Let a node end its life without a word; nothing if it is not there."""
        port = self.ports[node]
        if port.host is not None:
            port.host.close()
            self._gone(port)

    def tell(self, node: int, event: Event) -> None:
        """Give a node an event, such as a subscription; nothing if it is not there."""
        host = self.ports[node].host
        if host is None:
            return
        host.handle(event)
        if self.index.topics_of[node] != host.machine.topics:
            self.index.leave(node)
            self.index.join(node, host.machine.topics)  # type: ignore[arg-type]

    def _enter(self, port: Port) -> None:
        node = port.node
        topics: Topics
        if self._fresh is not None and port.life > 0:
            topics = self._fresh(node, port.life)
        else:
            topics = tuple(self.interests.topics_of(node).tolist())
        machine = self.protocol.build(self._seat(node, port.life, topics), self.config)
        deliver = None if self._deliver is None else partial(self._deliver, node)
        port.host = Host(
            node, machine, self.scheduler, port, tracer=self.tracer, deliver=deliver,
            check_invariants=self._check_invariants,
        )  # fmt: skip
        port.joined = self.now
        self.index.join(node, topics)  # type: ignore[arg-type]
        self.joins += 1

    def _begin(self, port: Port) -> None:
        if port.host is not None:
            port.host.start()

    def _gone(self, port: Port) -> None:
        port.host = None
        port.life += 1
        port.links.clear()
        self.fabric.changes += 1
        self.index.leave(port.node)
        self.departures += 1

    def _seat(self, node: int, life: int, topics: Topics) -> NodeContext:
        view: Any = None
        contacts: tuple[int, ...] = ()
        if self.view.kind == "full":
            view = FullView(self.index, node)
        elif self.view.kind == "gossip":
            others = [other for other in self._some_present() if other != node]
            contacts = tuple(others[:CONTACTS])
        else:
            view = SampledView(
                self.index, node, self.view.sample(len(self.ports), node, life, self.seed)
            )
        random = stream_of(self.seed, "node", node, life)
        return NodeContext(node, topics, random, view, contacts, repair_rule=_repair_links)

    def _some_present(self) -> list[int]:
        present = self.index.present
        if not present:
            return []
        drawn = [present[self._contacts.randbelow(len(present))] for _ in range(2 * CONTACTS)]
        return list(dict.fromkeys(drawn))

    def _start_all(self) -> None:
        """Let all nodes be created at once (§3), so that nobody is first."""
        for port in self.ports:
            self._enter(port)
        for port in self.ports:
            self._begin(port)

    def _follow(self, sessions: Sessions) -> None:
        end = self.leave if self._departure == "leave" else self.crash
        columns = (sessions.nodes.tolist(), sessions.starts.tolist(), sessions.ends.tolist())
        for node, start, stop in zip(*columns, strict=True):
            self.scheduler.at(start, _called, self.join, node)
            self.scheduler.at(stop, _called, end, node)

    # -- what there is -----------------------------------------------------------------

    def settled_nodes(self, since: int) -> NDArray[np.int64]:
        """Return the nodes that are there and joined at a time or before, ascending."""
        return np.array(
            [p.node for p in self.ports if p.host is not None and p.joined <= since],
            dtype=np.int64,
        )

    def interests_of(self, nodes: NDArray[np.int64]) -> Interests:
        """Return what some nodes that are there want now; node names are their ids."""
        lists = [self.index.topics_of[node] or () for node in nodes.tolist()]
        return Interests.from_ids(
            np.repeat(np.arange(len(nodes)), [len(topics) for topics in lists]),
            np.array([topic for topics in lists for topic in topics], dtype=np.int64),
            node_names=nodes,
            topic_names=self.interests.topic_count,
        )

    def views_of(self, nodes: NDArray[np.int64], interests: Interests) -> TopicGraphs:
        """Return the neighbours of some nodes on each topic, where both ends say so.

        ``interests`` are those of the nodes, from :meth:`interests_of`. O(n log n) for n
        neighbours on topics.
        """
        place = np.full(len(self.ports), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        topics: list[int] = []
        sources: list[int] = []
        targets: list[int] = []
        for at, node in enumerate(nodes.tolist()):
            host = self.ports[node].host
            assert host is not None
            for topic in host.machine.topics:
                neighbours = host.machine.neighbours_on(topic)
                targets.extend(neighbours)
                grown = len(targets) - len(sources)
                topics.extend([topic] * grown)
                sources.extend([at] * grown)
        ends = place[np.array(targets, dtype=np.int64)]
        there = ends >= 0
        return TopicGraphs.from_arcs(
            interests, np.array(topics)[there], np.array(sources)[there], ends[there]
        )

    def overlay_of(self, nodes: NDArray[np.int64]) -> tuple[Overlay, int]:
        """Return the links that both ends agree on among some nodes, and how many are half-open."""
        place = np.full(len(self.ports), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        counted = [self.ports[node] for node in nodes.tolist()]
        sizes = [len(port.links) for port in counted]
        sources = np.repeat(np.arange(len(nodes)), sizes)
        ends = [peer for port in counted for peer in port.links]
        targets = place[np.array(ends, dtype=np.int64)] if ends else np.empty(0, dtype=np.int64)
        inside = targets >= 0
        sources, targets = sources[inside], targets[inside]
        low, high = np.minimum(sources, targets), np.maximum(sources, targets)
        keys, sides = np.unique(low * max(len(nodes), 1) + high, return_counts=True)
        agreed = keys[sides == 2]
        links = np.stack((agreed // max(len(nodes), 1), agreed % max(len(nodes), 1)), axis=1)
        return Overlay.from_links(len(nodes), links), int((sides == 1).sum())


def _repair_links(request: RepairRequest) -> list[tuple[int, int]]:
    """Apply the repair rule, which is imported when a machine first needs it."""
    from gossamer.maintain.repair import repair_links

    return repair_links(request)


def _called(action: Callable[[int], None], node: int) -> None:
    action(node)
