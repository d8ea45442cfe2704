"""Relay paths: soft state from gateways to the rendezvous node (Vitis, §III-B, III-D).

A node on a topic's tree sends a relay request to its neighbour closest to the topic's identifier,
its parent; the parent does the same, up to the node that is closest itself. Each node keeps its
parent and its children. Requests are repeated every round, so paths follow changes of links, and a
path without requests disappears. As in Scribe (Castro et al., JSAC 2002), all paths of a topic form
one tree.

A child is farther from the topic than its parent, by their identifiers, so there are no loops
whatever peers send. A neighbour may be a child on a limited number of topics.

Lookups may end at the first subscriber (ours): a subscriber that is not a gateway then has no
parent, and its own gateway, which is closer to the topic than the subscriber, has the path onward.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import msgspec

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.identifiers import (
    closeness,
    identifier_of_node,
    identifier_of_topic,
)
from gossamer.protocols.components.rendezvous import next_hop
from gossamer.protocols.contract import Effects, Message, Peer, Send, Topic, Trace

if TYPE_CHECKING:
    from gossamer.protocols.vitis.machine import Vitis

MAX_LISTED = 4096
MAX_RELAYED = 1 << 17

Listed = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_LISTED)]


class Relay(Message, frozen=True, tag="relay"):
    """Request to be a child of the receiver on these topics."""

    topics: Listed


class Prune(Message, frozen=True, tag="prune"):
    """End of the request on these topics."""

    topics: Listed


class _Path:
    """Path of a topic at a node: its parent, and children with the times of their requests."""

    __slots__ = ("children", "own", "parent")

    def __init__(self) -> None:
        self.parent: Peer | None = None
        self.children: dict[Peer, int] = {}
        self.own = False
        """Whether a path starts at the node itself."""


class RelayPaths(Component):
    """The relay paths through a node.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    timeout
        Microseconds after which a child that has not repeated its request is removed.
    max_paths
        Maximum number of topics on which one neighbour is a child.
    """

    def __init__(self, node: Vitis, timeout: int, max_paths: int) -> None:
        self.here = identifier_of_node(node.me)
        self.timeout = timeout
        self.max_paths = max_paths
        self._node = node
        self._paths: dict[Topic, _Path] = {}
        self._accepted: Counter[Peer] = Counter()
        """Number of topics on which each neighbour is a child."""

    # -- queries -----------------------------------------------------------------------------

    def __contains__(self, topic: Topic) -> bool:
        """Whether a path of a topic starts at or passes through the node."""
        return topic in self._paths

    @property
    def topics(self) -> list[Topic]:
        """Topics whose paths start at or pass through the node."""
        return list(self._paths)

    def parent_on(self, topic: Topic) -> Peer | None:
        """Return the next hop of a topic's path; None if it ends here or there is no path."""
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
        children = Counter(child for path in self._paths.values() for child in path.children)
        assert self._accepted == children, "the number of a neighbour's paths is wrong"
        assert max(children.values(), default=0) <= self.max_paths
        for topic, path in self._paths.items():
            target = identifier_of_topic(topic)
            here = closeness(self.here, target)
            assert linked.issuperset(path.children), "a child is not linked"
            assert all(closeness(identifier_of_node(c), target) > here for c in path.children)
            if path.parent is not None:
                assert path.parent in linked, "a parent is not linked"
                assert closeness(identifier_of_node(path.parent), target) < here

    # -- calls of the machine ----------------------------------------------------------------

    def refresh(self, own: Iterable[Topic], now: int, out: Effects) -> None:
        """Repeat the requests of all paths; ``own`` start here. O(topics · neighbours)."""
        for path in self._paths.values():
            path.own = False
            for child in [c for c, since in path.children.items() if since < now - self.timeout]:
                self._remove_child(path, child)
        for topic in own:
            self._paths.setdefault(topic, _Path()).own = True
        self._update(list(self._paths), now, out)

    def on_relay(self, peer: Peer, message: Relay, now: int, out: Effects) -> None:
        """Accept a linked peer as a child on topics; request new paths at once."""
        fresh: list[Topic] = []
        grown = refused = False
        identifier = identifier_of_node(peer)
        for topic in message.topics:
            target = identifier_of_topic(topic)
            if closeness(identifier, target) <= closeness(self.here, target):
                continue  # closer nodes cannot be children
            path = self._paths.get(topic)
            if path is None or peer not in path.children:
                if self._accepted[peer] >= self.max_paths or len(self._paths) >= MAX_RELAYED:
                    refused = True
                    continue
                if path is None:
                    path = self._paths[topic] = _Path()
                    fresh.append(topic)
                self._accepted[peer] += 1
                grown = True
            path.children[peer] = now
        if refused:
            out.append(Trace("paths-refused", peer))
        if fresh:
            self._update(fresh, now, out)
        if grown:
            self._node.on_paths_changed(now, out)

    def on_prune(self, peer: Peer, message: Prune, now: int, out: Effects) -> None:
        """Remove a child on topics."""
        touched = []
        for topic in message.topics:
            path = self._paths.get(topic)
            if path is not None and self._remove_child(path, peer):
                touched.append(topic)
        self._update([t for t in touched if not self._is_used(t)], now, out)

    def on_unlink(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a peer from all paths, and choose another parent where it was one."""
        touched = []
        for topic, path in self._paths.items():
            if self._remove_child(path, peer) or path.parent == peer:
                touched.append(topic)
                path.parent = None if path.parent == peer else path.parent
        self._update(touched, now, out)

    def on_leave(self, out: Effects) -> None:
        """End the requests of all paths."""
        ended: dict[Peer, list[Topic]] = {}
        for topic, path in self._paths.items():
            if path.parent is not None:
                ended.setdefault(path.parent, []).append(topic)
        out += _messages(ended, Prune)

    # -- helpers -----------------------------------------------------------------------------

    def _remove_child(self, path: _Path, peer: Peer) -> bool:
        """Remove a child from a path; return whether it was one."""
        if path.children.pop(peer, None) is None:
            return False
        self._accepted[peer] -= 1
        if not self._accepted[peer]:
            del self._accepted[peer]
        return True

    def _is_used(self, topic: Topic) -> bool:
        path = self._paths[topic]
        return path.own or bool(path.children)

    def _update(self, topics: list[Topic], now: int, out: Effects) -> None:
        """Send requests to the next hops on topics; drop paths without use."""
        requested: dict[Peer, list[Topic]] = {}
        ended: dict[Peer, list[Topic]] = {}
        ways = self._node.lookup_links()
        gained = False
        for topic in topics:
            path = self._paths[topic]
            if not self._is_used(topic):
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                del self._paths[topic]
                continue
            parent = None
            if path.own or not self._node.ends_lookup(topic):
                parent = next_hop(self._node.me, ways, identifier_of_topic(topic))
            if parent != path.parent:
                if path.parent is not None:
                    ended.setdefault(path.parent, []).append(topic)
                path.parent = parent
                if parent is not None:
                    self._remove_child(path, parent)
                    gained = True
            if parent is not None:
                requested.setdefault(parent, []).append(topic)
        out += [*_messages(requested, Relay), *_messages(ended, Prune)]
        if gained:
            self._node.on_paths_changed(now, out)


def _messages(listed: dict[Peer, list[Topic]], kind: type[Relay] | type[Prune]) -> Effects:
    return [
        Send(peer, kind(tuple(topics[start : start + MAX_LISTED])))
        for peer, topics in listed.items()
        for start in range(0, len(topics), MAX_LISTED)
    ]
