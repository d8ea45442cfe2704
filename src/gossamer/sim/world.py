"""World: nodes that join and leave, a network between them, and virtual time.

It combines the scheduler, the fabric, the network rules, the views and the sessions of the nodes.
:mod:`gossamer.sim.snapshot` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gossamer.definitions import blame
from gossamer.errors import ParameterError
from gossamer.host import Codec, Host, Tracer, stream_of
from gossamer.model import ChurnEvents, Interests, Overlay, Scenario, Sessions
from gossamer.model.churn import SUBSCRIBE
from gossamer.model.repair import RepairRequest
from gossamer.model.scenario import Departure
from gossamer.protocols import ProtocolEntry, resolve_protocol
from gossamer.protocols.contract import (
    CoverageMachine,
    Deliver,
    Event,
    Message,
    NodeContext,
    Subscribe,
    Topics,
    Unsubscribe,
)
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.sim.fabric import Fabric, Port
from gossamer.sim.rules import DEFAULT_DELAY, Rule
from gossamer.sim.scheduler import Scheduler
from gossamer.sim.views import FullView, SampledView, SharedIndex, ViewSize
from gossamer.workloads.synthetic import interest_drawer

CONTACTS = 3
"""Number of random contacts of a joining node whose view is built by gossip."""


class World:
    """Nodes that run a protocol in virtual time.

    Parameters
    ----------
    protocol, options
        Name or entry of a protocol, and its options.
    interests
        Topics of each node.
    view
        Membership known to each node.
    rules
        Network rules; delays of 5 to 15 ms if not given.
    sessions
        Sessions of the nodes; always present if not given.
    changes
        Changes of interests: events ``subscribe`` and ``unsubscribe``. At the same time, joins and
        leaves come first.
    new_interests
        Topics of (node, incarnation) from incarnation 1 on; unchanged if not given (SpiderCast
        §3.8 draws new ones).
    departure
        End of a session: graceful leave or crash.
    seed
        Seed of the random number generator.
    tracer, codec
        Recorder of the trace, and codec with which every message is encoded, if given.
    deliver
        Callback that is given each delivery: the node and the effect.
    compound
        Whether the messages of a step to a peer travel as one.
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
        changes: ChurnEvents | None = None,
        new_interests: Callable[[int, int], Topics] | None = None,
        departure: Departure = "leave",
        seed: int = 0,
        tracer: Tracer | None = None,
        codec: Codec | None = None,
        deliver: Callable[[int, Deliver], None] | None = None,
        compound: bool = False,
        check_invariants: bool = False,
    ) -> None:
        if interests.node_count == 0:
            raise ParameterError("there are no nodes; expected interests of 1 or more")
        self.options = dict(options or {})
        if isinstance(protocol, str):
            self.protocol, self.options = resolve_protocol(protocol, self.options)
        else:
            self.protocol = protocol
        self.config = self.protocol.configure(self.options)
        self.interests = interests
        self.view = view or ViewSize("full")
        self.seed = seed
        self.tracer = tracer
        self.scheduler = Scheduler()
        self.fabric = Fabric(
            self.scheduler,
            interests.node_count,
            [DEFAULT_DELAY] if rules is None else rules,
            stream_of(seed, "fabric"),
            codec,
            compound=compound,
            check_kind=self._check_kind,
        )
        capacities = np.maximum(interests.popularity, 1).astype(np.int64)
        self.index = SharedIndex(interests.node_count, interests.topic_count, capacities)
        self.joins = 0
        self.departures = 0
        self._earlier_presence = 0
        self.interest_changes = 0
        self.subscribed_at: dict[tuple[int, int], int] = {}
        """Time at which a node last subscribed to a topic, where its interests have changed."""
        self._changed: dict[int, tuple[int, ...]] = {}
        self._departure: Departure = departure
        self._check_invariants = check_invariants
        self._new_interests = new_interests
        self._deliver = deliver
        self._contacts = stream_of(seed, "contacts")
        if sessions is None:
            self._start_all()
        else:
            self._follow(sessions)
        if changes is not None:
            self._schedule(changes)

    @property
    def ports(self) -> list[Port]:
        """Ports of all nodes, present or not."""
        return self.fabric.ports

    @property
    def now(self) -> int:
        """Virtual time in microseconds."""
        return self.scheduler.time

    def run(self, until: int) -> None:
        """Process all events up to a time."""
        self.scheduler.run(until)

    # -- joins and departures -------------------------------------------------------------

    def join(self, node: int) -> None:
        """Start a new incarnation of a node."""
        port = self.ports[node]
        assert port.host is None, f"node {node} is present already"
        self._enter(port)
        self._begin(port)

    def leave(self, node: int) -> None:
        """End the incarnation of a node gracefully; nothing if it is absent."""
        port = self.ports[node]
        if port.host is not None:
            port.host.leave()
            self._depart(port)

    def crash(self, node: int) -> None:
        """End the incarnation of a node without a message; nothing if it is absent."""
        port = self.ports[node]
        if port.host is not None:
            port.host.close()
            self._depart(port)

    def subscribe(self, node: int, topic: int) -> None:
        """Add a topic to those of a node; if it is absent, it has the topic when it joins."""
        self.subscribed_at[node, topic] = self.now
        self._change(node, {*self._topics_of(node), topic}, Subscribe(topic))

    def unsubscribe(self, node: int, topic: int) -> None:
        """Remove a topic from those of a node; if it is absent, it lacks it when it joins."""
        self.subscribed_at.pop((node, topic), None)
        self._change(node, {*self._topics_of(node)} - {topic}, Unsubscribe(topic))

    def _change(self, node: int, topics: set[int], event: Event) -> None:
        self.interest_changes += 1
        self._changed[node] = tuple(sorted(topics))
        self.inject(node, event)
        host = self.ports[node].host
        if host is not None and tuple(host.machine.topics) != self._changed[node]:
            raise ParameterError(
                f"{self.protocol.name} does not change the topics of a running node; expected "
                "joins and leaves alone, or another protocol"
            )

    def _topics_of(self, node: int) -> tuple[int, ...]:
        """Return the topics of a node, with the changes of its interests so far."""
        changed = self._changed.get(node)
        return tuple(self.interests.topics_of(node).tolist()) if changed is None else changed

    def inject(self, node: int, event: Event) -> None:
        """Pass an event, such as a subscription, to a node; nothing if it is absent."""
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
        if self._new_interests is not None and port.incarnation > 0:
            topics = self._new_interests(node, port.incarnation)
        else:
            topics = self._topics_of(node)
        context = self._context(node, port.incarnation, topics)
        machine = self.protocol.build(context, self.config)
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

    def _depart(self, port: Port) -> None:
        self._earlier_presence += self.now - port.joined
        port.host = None
        port.incarnation += 1
        port.links.clear()
        self.fabric.changes += 1
        self.index.leave(port.node)
        self.departures += 1

    def _context(self, node: int, incarnation: int, topics: Topics) -> NodeContext:
        view: Any = None
        contacts: tuple[int, ...] = ()
        if self.view.kind == "full":
            view = FullView(self.index, node)
        elif self.view.kind == "gossip":
            others = [other for other in self._draw_present() if other != node]
            contacts = tuple(others[:CONTACTS])
        else:
            view = SampledView(
                self.index, node, self.view.sample(len(self.ports), node, incarnation, self.seed)
            )
        random = stream_of(self.seed, "node", node, incarnation)
        return NodeContext(node, topics, random, view, contacts, repair_rule=_repair_links)

    def _draw_present(self) -> list[int]:
        present = self.index.present
        if not present:
            return []
        drawn = [present[self._contacts.randbelow(len(present))] for _ in range(2 * CONTACTS)]
        return list(dict.fromkeys(drawn))

    def _start_all(self) -> None:
        """Create all nodes before any starts (SpiderCast §3)."""
        for port in self.ports:
            self._enter(port)
        for port in self.ports:
            self._begin(port)

    def _follow(self, sessions: Sessions) -> None:
        end = self.leave if self._departure == "leave" else self.crash
        columns = (sessions.nodes.tolist(), sessions.starts.tolist(), sessions.ends.tolist())
        for node, start, stop in zip(*columns, strict=True):
            self.scheduler.at(start, _call, self.join, node)
            self.scheduler.at(stop, _call, end, node)

    def _schedule(self, changes: ChurnEvents) -> None:
        """Schedule changes of interests."""
        columns = (changes.times, changes.kinds, changes.nodes, changes.topics)
        for time, kind, node, topic in zip(*(column.tolist() for column in columns), strict=True):
            change = self.subscribe if kind == SUBSCRIBE else self.unsubscribe
            self.scheduler.at(time, change, node, topic)

    # -- state -----------------------------------------------------------------

    @property
    def presence(self) -> int:
        """Time for which nodes have been present, in microseconds, summed over all nodes."""
        present = (self.now - port.joined for port in self.ports if port.host is not None)
        return self._earlier_presence + sum(present)

    def present_nodes(self, since: int) -> NDArray[np.int64]:
        """Return the present nodes that joined at a time or before, ascending."""
        return np.array(
            [p.node for p in self.ports if p.host is not None and p.joined <= since],
            dtype=np.int64,
        )

    def interests_of(self, nodes: NDArray[np.int64]) -> Interests:
        """Return the current interests of present nodes; node names are their identifiers."""
        lists = [self.index.topics_of[node] or () for node in nodes.tolist()]
        return Interests.from_ids(
            np.repeat(np.arange(len(nodes)), [len(topics) for topics in lists]),
            np.array([topic for topics in lists for topic in topics], dtype=np.int64),
            node_names=nodes,
            topic_names=self.interests.topic_count,
        )

    def views_of(self, nodes: NDArray[np.int64], interests: Interests) -> TopicGraphs:
        """Return the neighbours of some nodes on each topic, on which both ends agree.

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
                if not isinstance(neighbours, Collection):
                    self._blame_neighbours(node, topic)
                targets.extend(neighbours)
                grown = len(targets) - len(sources)
                topics.extend([topic] * grown)
                sources.extend([at] * grown)
        try:
            ends = place[np.array(targets, dtype=np.int64)]
        except (TypeError, ValueError, IndexError):
            at = [self.fabric.is_port(one) for one in targets].index(False)
            self._blame_neighbours(int(nodes[sources[at]]), topics[at])
        there = ends >= 0
        return TopicGraphs.from_arcs(
            interests, np.array(topics)[there], np.array(sources)[there], ends[there]
        )

    def _blame_neighbours(self, node: int, topic: int) -> NoReturn:
        """Raise the error of a machine whose neighbours on a topic are no nodes."""
        host = self.ports[node].host
        assert host is not None
        returned = (
            f"neighbours_on of node {node} returned {host.machine.neighbours_on(topic)!r:.60}"
        )
        blame(type(host.machine), f"{returned}; expected nodes, 0 to {len(self.ports) - 1}")

    def overlay_of(self, nodes: NDArray[np.int64]) -> tuple[Overlay, int]:
        """Return the links among some nodes on which both ends agree, and the number half-open."""
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

    def _check_kind(self, kind: type[Message]) -> None:
        """Raise if the protocol does not name a type of message."""
        if kind not in self.protocol.messages:
            blame(kind, f"{self.protocol.name} sends it; expected it among its messages")

    def count_under_covered(self, nodes: NDArray[np.int64], interests: Interests) -> int:
        """Return how many of some nodes have too few neighbours on a topic.

        ``interests`` are those of the nodes, from :meth:`interests_of`.
        """
        subscribers = interests.popularity.tolist().__getitem__
        hosts = [self.ports[node].host for node in nodes.tolist()]
        machines = [host.machine for host in hosts if host is not None]
        return sum(
            one.is_under_covered(subscribers)
            for one in machines
            if isinstance(one, CoverageMachine)
        )


def new_interests_of(scenario: Scenario) -> Callable[[int, int], Topics] | None:
    """Return the interests of returning nodes as a function; None if they do not change."""
    given = scenario.new_interests
    if not isinstance(given, bool):
        return lambda node, incarnation: tuple(given(node, incarnation))
    if not given:
        return None
    assert scenario.workload is not None
    return interest_drawer(scenario.workload)


def _repair_links(request: RepairRequest) -> list[tuple[int, int]]:
    """Apply the repair rule, which is imported on first use."""
    from gossamer.maintain.repair import repair_links

    return repair_links(request)


def _call(action: Callable[[int], None], node: int) -> None:
    action(node)
