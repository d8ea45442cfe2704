"""A ring for each topic, ordered by name; a link serves all topics on which two nodes are adjacent.

SpiderCast is compared with it (§3.9.2, "similar to [22]"), without a description. Ours follows the
usual ring maintenance: a node sends a request to the nearest successor that it knows; a node that
has a nearer predecessor names it instead; heartbeats repeat the request, so rings form from
partial views, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import FailureDetector, MissedHeartbeats
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import (
    Effects,
    Key,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
)
from gossamer.protocols.ring_per_topic.config import RingPerTopicConfig
from gossamer.protocols.ring_per_topic.messages import (
    FollowAccept,
    FollowRequest,
    PredecessorLeft,
    RingHeartbeat,
    SuccessorHint,
)
from gossamer.protocols.ring_per_topic.policy import is_between

HEARTBEAT = "beat"


class RingPerTopic(ComposedMachine):
    """One node of a ring per topic.

    A heartbeat takes a query of the view for each topic.
    """

    detector: FailureDetector

    def __init__(
        self,
        context: NodeContext,
        config: RingPerTopicConfig,
    ) -> None:
        super().__init__(
            context,
            make_membership(context, config),
            MissedHeartbeats(config.heartbeat, config.missed_heartbeats),
            flood=config.flood,
            history=config.history,
            ordering=config.ordering,
            period=config.heartbeat,
        )
        self.heartbeat = config.heartbeat
        self._after: dict[Topic, Peer] = {}
        """Successor on each topic that has accepted."""
        self._before: dict[Topic, Peer] = {}
        self._uses: dict[Peer, int] = {}
        """Number of rings and sides that each linked peer serves."""

    # -- queries -----------------------------------------------------------------------------

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        return list(self._uses)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the next and the previous on a topic's ring."""
        ends = (self._after.get(topic), self._before.get(topic))
        return list(dict.fromkeys(peer for peer in ends if peer is not None))

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        uses: dict[Peer, int] = {}
        for ends in (self._after, self._before):
            assert ends.keys() <= set(self._topics), "a ring of a topic without subscription"
            for peer in ends.values():
                uses[peer] = uses.get(peer, 0) + 1
        assert uses == self._uses, "links and rings have different neighbours"

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Ask known successors, and start heartbeats at a random time."""
        out.append(SetTimer(HEARTBEAT, now + self.random.randbelow(self.heartbeat)))
        self._follow_successors(out)

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a peer from all rings."""
        for ends in (self._after, self._before):
            for topic in [topic for topic, other in ends.items() if other == peer]:
                self._set(ends, topic, None, now, out)
        if self.membership is not None:
            self.membership.suspect(peer, now)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Leave rings and join others."""
        for topic in before:
            if topic not in self._topics:
                self._leave_ring(topic, out)
        self._follow_successors(out)

    def on_leave(self, now: int, out: Effects) -> None:
        """Leave all rings."""
        for topic in self._topics:
            self._leave_ring(topic, out)

    # -- messages ----------------------------------------------------------------------------

    def _on_follow_request(
        self, peer: Peer, message: FollowRequest, now: int, out: Effects
    ) -> None:
        topic = message.topic
        if topic not in self._topics:
            out.append(Send(peer, SuccessorHint(topic, None)))
            return
        before = self._before.get(topic)
        if before is not None and is_between(peer, before, self.me):
            out.append(Send(peer, SuccessorHint(topic, before)))
            return
        if before is not None and before != peer:
            out.append(Send(before, SuccessorHint(topic, peer)))
        self._set(self._before, topic, peer, now, out)
        out.append(Send(peer, FollowAccept(topic)))

    def _on_follow_accept(self, peer: Peer, message: FollowAccept, now: int, out: Effects) -> None:
        topic = message.topic
        after = self._after.get(topic)
        if topic not in self._topics or (
            after is not None and after != peer and not is_between(self.me, peer, after)
        ):
            out.append(Send(peer, PredecessorLeft(topic)))
            return
        if after is not None and after != peer:
            out.append(Send(after, PredecessorLeft(topic)))
        self._set(self._after, topic, peer, now, out)

    def _on_successor_hint(
        self, peer: Peer, message: SuccessorHint, now: int, out: Effects
    ) -> None:
        topic, named = message.topic, message.peer
        if self._after.get(topic) == peer:
            self._set(self._after, topic, None, now, out)
        if topic in self._topics and named is not None and named not in (self.me, peer):
            after = self._after.get(topic)
            if after is None or is_between(self.me, named, after):
                out.append(Send(named, FollowRequest(topic)))

    def _on_predecessor_left(
        self, peer: Peer, message: PredecessorLeft, now: int, out: Effects
    ) -> None:
        if self._before.get(message.topic) == peer:
            self._set(self._before, message.topic, None, now, out)

    def _on_heartbeat(self, peer: Peer, message: RingHeartbeat, now: int, out: Effects) -> None:
        if peer in self._uses:
            self.detector.heard(peer, now)
        for topic in message.successor_on:
            if topic not in self._topics:
                out.append(Send(peer, SuccessorHint(topic, None)))
            elif self._before.get(topic) != peer:
                self._on_follow_request(peer, FollowRequest(topic), now, out)
        for topic in [t for t, before in self._before.items() if before == peer]:
            if topic not in message.successor_on:  # it has another successor, or has lost this one
                self._set(self._before, topic, None, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Send heartbeats."""
        assert key == HEARTBEAT
        self._on_heartbeat_due(now, out)

    def _on_heartbeat_due(self, now: int, out: Effects) -> None:
        for peer in self.detector.suspects(now):
            self.on_peer_down(peer, now, out)
        followed: dict[Peer, list[Topic]] = {peer: [] for peer in self._uses}
        for topic, peer in self._after.items():
            followed[peer].append(topic)
        for peer, topics in followed.items():
            out.append(Send(peer, RingHeartbeat(tuple(sorted(topics, key=order_of)))))
        out.append(SetTimer(HEARTBEAT, now + self.heartbeat))
        self._follow_successors(out)

    # -- decisions ---------------------------------------------------------------------------

    def _follow_successors(self, out: Effects) -> None:
        """Ask the nearest known successor on each topic, if it is nearer than the present one."""
        for topic in self._topics:
            best = self.view.next_on(topic, self.me)
            now = self._after.get(topic)
            if best is not None and (now is None or is_between(self.me, best, now)):
                out.append(Send(best, FollowRequest(topic)))

    def _leave_ring(self, topic: Topic, out: Effects) -> None:
        """Leave a ring; the two neighbours learn of each other."""
        after, before = self._after.get(topic), self._before.get(topic)
        if before is not None:
            out.append(Send(before, SuccessorHint(topic, after)))
        if after is not None:
            out.append(Send(after, PredecessorLeft(topic)))
        self._set(self._after, topic, None, 0, out)
        self._set(self._before, topic, None, 0, out)

    # -- helpers -----------------------------------------------------------------------------

    def _set(
        self, ends: dict[Topic, Peer], topic: Topic, peer: Peer | None, now: int, out: Effects
    ) -> None:
        """Set or clear the neighbour on one side of a ring, and update the link."""
        was = ends.pop(topic, None)
        if peer is not None:
            ends[topic] = peer
            if peer not in self._uses:
                self._uses[peer] = 0
                self.link(peer, now, out)
            self._uses[peer] += 1
        if peer != was:
            self.dissemination.on_neighbours_changed(now, out)
        if was is not None:
            self._uses[was] -= 1
            if not self._uses[was]:
                del self._uses[was]
                self.unlink(was, out)
