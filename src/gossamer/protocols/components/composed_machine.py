"""The base of all machines: dispatch of events, messages and timers, and what every machine checks.

Messages and timers of components go to them (:mod:`~gossamer.protocols.components.component`).
The others go to methods of the machine: ``on_started``, ``on_peer_down``, ``on_interest``,
``on_install_links``, ``on_leave``, one for each type of message, and ``on_timer``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from gossamer.protocols.components import dissemination, handover, tree_messages
from gossamer.protocols.components.component import Component, Handler, handlers_of
from gossamer.protocols.components.config import GossipConfig
from gossamer.protocols.components.dissemination import (
    MAX_TAGS,
    Disseminator,
    ForwardingMode,
    Publication,
)
from gossamer.protocols.components.failure_detector import FailureDetector
from gossamer.protocols.components.handover import Handovers
from gossamer.protocols.components.history import HistoryLimits
from gossamer.protocols.components.membership import (
    GossipMembership,
    Shuffle,
    ShuffleReply,
    make_membership,
)
from gossamer.protocols.components.ordering import Ordering
from gossamer.protocols.components.trees import TreeDisseminator
from gossamer.protocols.components.views import InterestView, order_of
from gossamer.protocols.contract import (
    Effects,
    Event,
    InstallLinks,
    Key,
    Leave,
    Link,
    NodeContext,
    Peer,
    PeerDown,
    Publish,
    Received,
    Started,
    Subscribe,
    TimerExpired,
    Topic,
    Topics,
    Unlink,
    Unsubscribe,
)
from gossamer.protocols.link_state import LinkState
from gossamer.time import SECOND

COMPONENT_MESSAGES = (
    Shuffle,
    ShuffleReply,
    *dissemination.MESSAGES,
    *tree_messages.MESSAGES,
    *handover.MESSAGES,
)
"""Messages of gossip membership and dissemination; none of them changes links."""


class ComposedMachine:
    """A machine with dissemination and, unless it has an oracle, gossip membership.

    Parameters
    ----------
    context
        Identity and environment of the node.
    membership
        Gossip membership; if not given, one with default options, unless the context has a view.
    detector
        Failure detector of linked peers, if the machine itself watches them.
    flood, period
        Forwarding mode of publications, and microseconds between digests (default: a second).
    history, ordering
        Limits of the history, and component that orders deliveries, if they are; for trees.
    carries
        Whether the node forwards publications on a topic without a subscription.
    """

    COMPONENTS: ClassVar[Mapping[str, type[Component]]] = {
        "membership": GossipMembership,
        "floods": Disseminator,
        "trees": TreeDisseminator,
        "ordering": Ordering,
        "handovers": Handovers,
    }
    """Components by the attribute that holds them; an attribute may be None."""
    ROUTES: ClassVar[dict[type, tuple[str, Handler]]] = {}
    TIMERS: ClassVar[dict[Key, str]] = {}

    def __init__(
        self,
        context: NodeContext,
        membership: GossipMembership | None = None,
        detector: FailureDetector | None = None,
        *,
        flood: ForwardingMode = "tree",
        period: int = SECOND,
        history: HistoryLimits = HistoryLimits(),  # noqa: B008 (frozen)
        ordering: Ordering | None = None,
        carries: Callable[[Topic], bool] | None = None,
    ) -> None:
        if membership is None:
            membership = make_membership(context, GossipConfig())
        self.me = context.me
        self.random = context.random
        self.membership = membership
        self.detector = detector
        self.view: InterestView = context.view if membership is None else membership
        self._topics: Topics = tuple(context.topics)
        self.ordering = ordering
        self.trees: TreeDisseminator | None = None
        self.floods: Disseminator | None = None
        self.dissemination: TreeDisseminator | Disseminator
        if flood == "tree":
            self.dissemination = self.trees = TreeDisseminator(self, period=period, limits=history)
        else:
            self.dissemination = self.floods = Disseminator(
                self, flood=flood, carries=carries, period=period
            )
        self.handovers = Handovers(self, period)
        if membership is not None:
            membership.topics = self.names_for_gossip(self._topics)

    def __init_subclass__(cls) -> None:
        """Collect the messages and timers of components, and the machine's own."""
        super().__init_subclass__()
        base: Any = cls.__base__
        cls.COMPONENTS = {**base.COMPONENTS, **cls.COMPONENTS}
        cls.ROUTES = {
            message: (name, handler)
            for name, component in cls.COMPONENTS.items()
            for message, handler in handlers_of(component).items()
        } | {message: ("", handler) for message, handler in handlers_of(cls).items()}
        cls.TIMERS = {
            component.TIMER: name
            for name, component in cls.COMPONENTS.items()
            if component.TIMER is not None
        }

    # -- dispatch ----------------------------------------------------------------------------

    def handle(self, event: Event, now: int) -> Effects:
        """Handle an event at a time; return the effects, in order."""
        out: Effects = []
        if type(event) is Received:
            route = self.ROUTES.get(type(event.message))
            if route is not None and event.peer != self.me:
                name, handler = route
                part = getattr(self, name) if name else self
                if part is not None:
                    handler(part, event.peer, event.message, now, out)
        elif type(event) is TimerExpired:
            holder = self.TIMERS.get(event.key)
            if holder is None:
                self.on_timer(event.key, now, out)
            else:
                getattr(self, holder).on_timer(now, out)
        else:
            self._handle_rare(event, now, out)
        if self.trees is not None and self.trees.changed:
            self.trees.on_changes(now, out)
        return out

    def _handle_rare(self, event: Event, now: int, out: Effects) -> None:
        match event:
            case Started():
                self.dissemination.start(now)
                self.on_started(now, out)
                if self.membership is not None:
                    self.membership.start(now, out)
            case PeerDown(peer):
                self.on_peer_down(peer, now, out)
            case Subscribe(topic):
                if topic not in self._topics:
                    self._change({*self._topics, topic}, now, out)
            case Unsubscribe(topic):
                if topic in self._topics:
                    self._change({*self._topics} - {topic}, now, out)
            case Publish(topics, payload):
                foreign = tuple(topic for topic in topics if topic not in self._topics)
                handed_over = self.prepare_publishing(foreign, now, out) if foreign else ()
                publication = self.dissemination.publish(topics, payload, now, out)
                if handed_over:
                    self.handovers.begin(publication, handed_over, now, out)
            case InstallLinks():
                self.on_install_links(event, now, out)
            case Leave():
                self.on_leave(now, out)
            case _:
                pass

    def _change(self, topics: set[Any], now: int, out: Effects) -> None:
        before = self._topics
        self._topics = tuple(sorted(topics, key=order_of))
        if self.membership is not None:
            self.membership.set_topics(self.names_for_gossip(self._topics))
        self.on_interest(before, now, out)
        self.dissemination.on_interest(before, now, out)

    # -- queries -----------------------------------------------------------------------------

    @property
    def topics(self) -> Topics:
        """Topics that the node subscribes to."""
        return self._topics

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        raise NotImplementedError

    def neighbours_on(self, topic: Topic) -> Iterable[Peer]:
        """Return the linked peers that publications on a topic go to, in a fixed order."""
        raise NotImplementedError

    def names_for_gossip(self, topics: Topics) -> Topics:
        """Return the names of topics in gossip, in ascending order."""
        return topics

    def requested(self) -> Iterable[Peer]:
        """Return the peers that this node has asked for a link and that have not answered."""
        return ()

    def suspected(self) -> Iterable[Peer]:
        """Return the peers that were given up and whose older descriptors are rejected."""
        return ()

    def lost(self) -> Iterable[Peer]:
        """Return the former neighbours that are asked again with backoff."""
        return ()

    def unsent(self) -> int:
        """Return the number of own publications that no peer has received yet."""
        return self.dissemination.unsent + self.handovers.waiting

    def link_states(self) -> dict[Peer, LinkState]:
        """Return the state of each link that is not absent."""
        return (
            dict.fromkeys(self.suspected(), LinkState.SUSPECTED)
            | dict.fromkeys(self.lost(), LinkState.LOST)
            | dict.fromkeys(self.requested(), LinkState.REQUESTED)
            | dict.fromkeys(self.linked(), LinkState.LINKED)
        )

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        linked = list(self.linked())
        peers = set(linked)
        assert len(peers) == len(linked), "a peer is linked twice"
        assert self.me not in peers, "the node is linked to itself"
        assert list(self._topics) == sorted(set(self._topics), key=order_of)
        assert self.dissemination.peers == peers, "dissemination has other neighbours"
        assert self.me not in self.view, "the node is in its own view"
        self.dissemination.check_invariants()
        for topic in self._topics:
            neighbours = list(self.neighbours_on(topic))
            assert len(set(neighbours)) == len(neighbours), "a neighbour counts twice on a topic"
            assert peers.issuperset(neighbours), "a neighbour on a topic is not linked"

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Start: the first event."""
        raise NotImplementedError

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a peer that is silent or unreachable."""
        raise NotImplementedError

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Adapt to changed topics."""
        raise NotImplementedError

    def on_install_links(self, event: InstallLinks, now: int, out: Effects) -> None:
        """Replace the links by those of a design; most protocols ignore it."""

    def prepare_publishing(self, topics: Topics, now: int, out: Effects) -> Topics:
        """Prepare to publish on topics without a subscription; return those to hand over."""
        return topics[:MAX_TAGS]

    def on_leave(self, now: int, out: Effects) -> None:
        """Leave gracefully: the last event."""
        raise NotImplementedError

    # -- messages ----------------------------------------------------------------------------

    def _on_publication(self, peer: Peer, message: Publication, now: int, out: Effects) -> None:
        self.dissemination.on_publication(peer, message, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Do what is due at a timer of the machine itself."""
        raise NotImplementedError

    # -- helpers -----------------------------------------------------------------------------

    def link(self, peer: Peer, now: int, out: Effects) -> None:
        """Make a link to a peer."""
        if self.detector is not None:
            self.detector.heard(peer, now)
        out.append(Link(peer))
        self.dissemination.on_link(peer, now, out)

    def unlink(self, peer: Peer, out: Effects) -> None:
        """End the link to a peer."""
        if self.detector is not None:
            self.detector.forget(peer)
        self.dissemination.on_unlink(peer)
        out.append(Unlink(peer))
