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

from collections.abc import Iterable
from typing import Annotated, Protocol

import msgspec

from gossamer.protocols.components.component import Component
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


class RelayNode(Protocol):
    """The machine of relay paths."""

    me: Peer

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in a fixed order."""
        ...

    def on_paths_changed(self, now: int, out: Effects) -> None:
        """Note that a topic has a new neighbour on its tree."""
        ...


class RelayPaths(Component):
    """The relay paths through a node.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    timeout
        Microseconds after which a child that has not repeated its request is removed.
    """

    def __init__(self, node: RelayNode, timeout: int) -> None:
        self.here = identifier_of_node(node.me)
        self.timeout = timeout
        self._node = node
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

    def check_invariants(self) -> None:
        """Raise AssertionError if a path leaves the links, or does not approach its topic."""
        linked = set(self._node.linked())
        for topic, path in self._paths.items():
            target = identifier_of_topic(topic)
            here = closeness(self.here, target)
            assert linked.issuperset(path.children), "a child is not linked"
            assert all(closeness(identifier_of_node(c), target) > here for c in path.children)
            if path.parent is not None:
                assert path.parent in linked, "a parent is not linked"
                assert closeness(identifier_of_node(path.parent), target) < here

    # -- what happens ------------------------------------------------------------------------

    def refresh(self, own: Iterable[Topic], now: int, out: Effects) -> None:
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
            for child in [c for c, since in path.children.items() if since < now - self.timeout]:
                del path.children[child]
        for topic in own:
            self._paths.setdefault(topic, _Path()).own = True
        self._update(list(self._paths), now, out)

    def on_relay(self, peer: Peer, message: Relay, now: int, out: Effects) -> None:
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
        if fresh:
            self._update(fresh, now, out)
        if grown:
            self._node.on_paths_changed(now, out)

    def on_prune(self, peer: Peer, message: Prune, now: int, out: Effects) -> None:
        """Let a child go."""
        touched = []
        for topic in message.topics:
            path = self._paths.get(topic)
            if path is not None and path.children.pop(peer, None) is not None:
                touched.append(topic)
        self._update([t for t in touched if not self._is_used(t)], now, out)

    def on_unlink(self, peer: Peer, now: int, out: Effects) -> None:
        """Do without a neighbour, and find another way where it was the parent."""
        touched = []
        for topic, path in self._paths.items():
            if path.children.pop(peer, None) is not None or path.parent == peer:
                touched.append(topic)
                path.parent = None if path.parent == peer else path.parent
        self._update(touched, now, out)

    def on_leave(self, out: Effects) -> None:
        """Say on all paths that they go here no more."""
        ended: dict[Peer, list[Topic]] = {}
        for topic, path in self._paths.items():
            if path.parent is not None:
                ended.setdefault(path.parent, []).append(topic)
        out += _messages(ended, Prune)

    # -- inside ------------------------------------------------------------------------------

    def _is_used(self, topic: Topic) -> bool:
        path = self._paths[topic]
        return path.own or bool(path.children)

    def _update(self, topics: list[Topic], now: int, out: Effects) -> None:
        """Find the next hop on topics, and tell it; let those go that nobody uses."""
        told: dict[Peer, list[Topic]] = {}
        ended: dict[Peer, list[Topic]] = {}
        linked = list(self._node.linked())
        gained = False
        for topic in topics:
            path = self._paths[topic]
            if not self._is_used(topic):
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                del self._paths[topic]
                continue
            parent = next_hop(self._node.me, linked, identifier_of_topic(topic))
            if parent != path.parent:
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                path.parent = parent
                if parent is not None:
                    path.children.pop(parent, None)
                    gained = True
            if parent is not None:
                told.setdefault(parent, []).append(topic)
        out += [*_messages(told, Relay), *_messages(ended, Prune)]
        if gained:
            self._node.on_paths_changed(now, out)


def _messages(listed: dict[Peer, list[Topic]], kind: type[Relay] | type[Prune]) -> Effects:
    return [
        Send(peer, kind(tuple(topics[start : start + MAX_LISTED])))
        for peer, topics in listed.items()
        for start in range(0, len(topics), MAX_LISTED)
    ]
