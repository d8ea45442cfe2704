"""A machine that is put together of parts: what every such machine does with its events.

Gossip membership and dissemination have messages and timers of their own, which are handed to
them here, once. What is left, the protocol's own, goes to its methods: ``on_started``,
``on_timer``, ``on_peer_down``, ``on_interest``, ``on_leave``, and one for each kind of message in
``HANDLERS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from gossamer.protocols.components import dissemination as flooding
from gossamer.protocols.components import membership as gossip
from gossamer.protocols.components.dissemination import (
    Digest,
    Disseminator,
    ForwardingMode,
    Publication,
    Pull,
)
from gossamer.protocols.components.membership import GossipMembership, Shuffle, ShuffleReply
from gossamer.protocols.components.views import InterestView, order_of
from gossamer.protocols.contract import (
    Effects,
    Event,
    InstallLinks,
    Key,
    Leave,
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
    Unsubscribe,
)

__all__ = ["COMPONENT_MESSAGES", "ComposedMachine"]

COMPONENT_MESSAGES = (Shuffle, ShuffleReply, Publication, Digest, Pull)
"""The messages of the parts; none of them is about links."""

Handler = Callable[[Any, Peer, Any, int, Effects], None]


class ComposedMachine:
    """A machine with gossip membership, unless it has an oracle, and dissemination.

    Parameters
    ----------
    context
        Who and where the node is.
    membership
        The part that gossips; None if the context has a view.
    flood, period
        How what is published travels, and how often neighbours tell what they have.
    carries
        Whether the node carries what is published on a topic without wanting it.
    """

    HANDLERS: ClassVar[dict[type, Handler]] = {}
    """What is done with each kind of message, by a method."""

    def __init__(
        self,
        context: NodeContext,
        membership: GossipMembership | None,
        *,
        flood: ForwardingMode = "crosspost",
        period: int,
        carries: Callable[[Topic], bool] | None = None,
    ) -> None:
        self.me = context.me
        self.random = context.random
        self.membership = membership
        self.view: InterestView = context.view if membership is None else membership
        self.dissemination = Disseminator(
            context.me, self.neighbours_on, flood=flood, carries=carries, period=period
        )
        self._topics: Topics = tuple(context.topics)
        if membership is not None:
            membership.topics = self.names_for_gossip(self._topics)

    def __init_subclass__(cls) -> None:
        """Add the parts' messages to the protocol's own."""
        super().__init_subclass__()
        cls.HANDLERS = {**COMPONENT_HANDLERS, **cls.__base__.HANDLERS, **cls.HANDLERS}  # type: ignore[union-attr]

    @property
    def topics(self) -> Topics:
        """What the node wants at present."""
        return self._topics

    def handle(self, event: Event, now: int) -> Effects:
        """Take what happened, and return what is to be done."""
        out: Effects = []
        if type(event) is Received:
            handler = self.HANDLERS.get(type(event.message))
            if handler is not None and event.peer != self.me:
                handler(self, event.peer, event.message, now, out)
        elif type(event) is TimerExpired:
            if event.key == gossip.TIMER:
                assert self.membership is not None
                out += self.membership.on_timer(now)
            elif event.key == flooding.TIMER:
                out += self.dissemination.on_timer(self._topics, now)
            else:
                self.on_timer(event.key, now, out)
        else:
            self._on_other(event, now, out)
        return out

    def _on_other(self, event: Event, now: int, out: Effects) -> None:
        match event:
            case Started():
                self.dissemination.start(now)
                self.on_started(now, out)
                if self.membership is not None:
                    out += self.membership.start(now)
            case PeerDown(peer):
                self.on_peer_down(peer, now, out)
            case Subscribe(topic):
                if topic not in self._topics:
                    self._change({*self._topics, topic}, now, out)
            case Unsubscribe(topic):
                if topic in self._topics:
                    self._change({*self._topics} - {topic}, now, out)
            case Publish(topics, payload):
                out += self.dissemination.publish(topics, payload, self._topics, now)
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
            self.membership.want(self.names_for_gossip(self._topics))
        self.on_interest(before, now, out)

    def names_for_gossip(self, topics: Topics) -> Topics:
        """Return what gossip calls topics, in ascending order: their names."""
        return topics

    # -- the protocol's own ------------------------------------------------------------------

    def neighbours_on(self, topic: Topic) -> Iterable[Peer]:
        """Return the linked peers that want a topic, in a fixed order."""
        raise NotImplementedError

    def on_started(self, now: int, out: Effects) -> None:
        """Begin."""
        raise NotImplementedError

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Do what is due."""
        raise NotImplementedError

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Do without a peer."""
        raise NotImplementedError

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Go by the node's new topics."""
        raise NotImplementedError

    def on_install_links(self, event: InstallLinks, now: int, out: Effects) -> None:
        """Have the links that somebody gives; most protocols let nobody do that."""

    def on_leave(self, now: int, out: Effects) -> None:
        """Say goodbye."""
        raise NotImplementedError

    # -- the parts' messages -------------------------------------------------------------------

    def _on_shuffle(self, peer: Peer, message: Shuffle, now: int, out: Effects) -> None:
        if self.membership is not None:
            out += self.membership.on_shuffle(peer, message, now)

    def _on_shuffle_reply(self, peer: Peer, message: ShuffleReply, now: int, out: Effects) -> None:
        if self.membership is not None:
            out += self.membership.on_shuffle_reply(peer, message, now)

    def _on_publication(self, peer: Peer, message: Publication, now: int, out: Effects) -> None:
        out += self.dissemination.on_publication(peer, message, self._topics, now)

    def _on_digest(self, peer: Peer, message: Digest, now: int, out: Effects) -> None:
        out += self.dissemination.on_digest(peer, message, self._topics, now)

    def _on_pull(self, peer: Peer, message: Pull, now: int, out: Effects) -> None:
        out += self.dissemination.on_pull(peer, message)


COMPONENT_HANDLERS: dict[type, Handler] = {
    Shuffle: ComposedMachine._on_shuffle,
    ShuffleReply: ComposedMachine._on_shuffle_reply,
    Publication: ComposedMachine._on_publication,
    Digest: ComposedMachine._on_digest,
    Pull: ComposedMachine._on_pull,
}
