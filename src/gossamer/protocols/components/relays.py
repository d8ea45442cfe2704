"""Relay paths: soft state that leads from gateways to the rendezvous node (Vitis, §III-B, III-D).

Who wants to be on a topic's tree tells the neighbour that is closest to the topic's identifier;
that one does the same, up to the node to which nobody is closer. Each keeps who told it, its
children, and whom it told, its parent. It is told again every round, so a path goes another way
when links do; and who is told no more stops telling, so that nothing is left of a path that
nobody wants. As in Scribe (Castro et al., JSAC 2002), all paths of a topic are one tree.

A child is farther from the topic than its parent: identifiers show it, so there are no loops,
whoever says what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec

from gossamer.protocols.components.identifiers import (
    closeness,
    identifier_of_node,
    identifier_of_topic,
)
from gossamer.protocols.components.rendezvous import next_hop
from gossamer.protocols.contract import Effects, Message, Peer, Send, Topic

__all__ = ["Prune", "Relay", "RelayPaths"]

MAX_LISTED = 4096
MAX_RELAYED = 1 << 17

Listed = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_LISTED)]


class Relay(Message, frozen=True, tag="relay"):
    """Pass on to me what is published on these topics, and take it from me."""

    topics: Listed


class Prune(Message, frozen=True, tag="prune"):
    """Not on these topics any more."""

    topics: Listed


class _Path:
    """One topic's path at a node: whom it told, and who told it when."""

    __slots__ = ("children", "own", "parent")

    def __init__(self) -> None:
        self.parent: Peer | None = None
        self.children: dict[Peer, int] = {}
        self.own = False
        """Whether the node itself begins a path."""


class RelayPaths:
    """The paths that go through a node.

    Parameters
    ----------
    me
        The node's name.
    linked
        Gives its neighbours, in a fixed order.
    patience
        Microseconds after which a child that did not tell again is none.
    gained
        Called when a topic has gained a neighbour on its tree.
    """

    def __init__(
        self,
        me: Peer,
        linked: Callable[[], Iterable[Peer]],
        patience: int,
        gained: Callable[[int], Effects],
    ) -> None:
        self.me = me
        self.here = identifier_of_node(me)
        self.patience = patience
        self._linked = linked
        self._gained = gained
        self._paths: dict[Topic, _Path] = {}

    # -- what a machine asks -----------------------------------------------------------------

    def __contains__(self, topic: Topic) -> bool:
        """Whether a path of a topic begins or goes through here."""
        return topic in self._paths

    @property
    def topics(self) -> list[Topic]:
        """The topics whose paths begin or go through here."""
        return list(self._paths)

    def parent_on(self, topic: Topic) -> Peer | None:
        """Return the next hop of a topic's path; None where it ends, or there is none."""
        path = self._paths.get(topic)
        return None if path is None else path.parent

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return parent and children on a topic's tree."""
        path = self._paths.get(topic)
        if path is None:
            return []
        up = [] if path.parent is None else [path.parent]
        return [*up, *path.children]

    # -- what happens ------------------------------------------------------------------------

    def on_round(self, own: Iterable[Topic], now: int) -> Effects:
        """Tell everybody's parent again. O(topics · neighbours).

        Parameters
        ----------
        own
            The topics for which this node begins a path.
        now
            The time.
        """
        for path in self._paths.values():
            path.own = False
            for child in [c for c, since in path.children.items() if since < now - self.patience]:
                del path.children[child]
        for topic in own:
            self._paths.setdefault(topic, _Path()).own = True
        return self._told_again(list(self._paths), now)

    def on_relay(self, peer: Peer, message: Relay, now: int) -> Effects:
        """Take a linked peer as a child on topics, and tell the parent at once where it is new."""
        fresh: list[Topic] = []
        grown = False
        there = identifier_of_node(peer)
        for topic in message.topics:
            target = identifier_of_topic(topic)
            if closeness(there, target) <= closeness(self.here, target):
                continue  # it is closer, so it cannot be a child
            path = self._paths.get(topic)
            if path is None:
                if len(self._paths) >= MAX_RELAYED:
                    continue
                path = self._paths[topic] = _Path()
                fresh.append(topic)
            grown |= peer not in path.children
            path.children[peer] = now
        out = self._told_again(fresh, now) if fresh else []
        return [*out, *self._gained(now)] if grown else out

    def on_prune(self, peer: Peer, message: Prune, now: int) -> Effects:
        """Let a child go."""
        touched = []
        for topic in message.topics:
            path = self._paths.get(topic)
            if path is not None and path.children.pop(peer, None) is not None:
                touched.append(topic)
        return self._told_again([t for t in touched if not self._is_used(t)], now)

    def on_unlinked(self, peer: Peer, now: int) -> Effects:
        """Do without a neighbour, and find another way where it was the parent."""
        touched = []
        for topic, path in self._paths.items():
            if path.children.pop(peer, None) is not None or path.parent == peer:
                touched.append(topic)
                path.parent = None if path.parent == peer else path.parent
        return self._told_again(touched, now)

    def on_leave(self) -> Effects:
        """Say on all paths that they go here no more."""
        ended: dict[Peer, list[Topic]] = {}
        for topic, path in self._paths.items():
            if path.parent is not None:
                ended.setdefault(path.parent, []).append(topic)
        return _sent(ended, Prune)

    # -- inside ------------------------------------------------------------------------------

    def _is_used(self, topic: Topic) -> bool:
        path = self._paths[topic]
        return path.own or bool(path.children)

    def _told_again(self, topics: list[Topic], now: int) -> Effects:
        """Find the next hop on topics, and tell it; let those go that nobody uses."""
        told: dict[Peer, list[Topic]] = {}
        ended: dict[Peer, list[Topic]] = {}
        linked = list(self._linked())
        gained = False
        for topic in topics:
            path = self._paths[topic]
            if not self._is_used(topic):
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                del self._paths[topic]
                continue
            parent = next_hop(self.me, linked, identifier_of_topic(topic))
            if parent != path.parent:
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                path.parent = parent
                path.children.pop(parent, None)  # type: ignore[arg-type]
                gained |= parent is not None
            if parent is not None:
                told.setdefault(parent, []).append(topic)
        out = [*_sent(told, Relay), *_sent(ended, Prune)]
        return [*out, *self._gained(now)] if gained else out


def _sent(listed: dict[Peer, list[Topic]], kind: type[Relay] | type[Prune]) -> Effects:
    return [
        Send(peer, kind(tuple(topics[start : start + MAX_LISTED])))
        for peer, topics in listed.items()
        for start in range(0, len(topics), MAX_LISTED)
    ]
