"""The machine of SpiderCast (§2.3): two neighbour maintenance tasks over one set of links.

The two endless loops of Figure 2 are timers here. An idle maintenance loop is suspended until its
inputs change, and resumes at the time of its next iteration. Decisions are in
:mod:`~gossamer.protocols.spidercast.policy`. The paper leaves these to the reader:

- quarantine of nodes that were asked recently ("not presented in the pseudo-code", §2.3.1);
- heartbeats and failure detection ("we assume the existence of …");
- half-open links: a heartbeat names the tasks in which the receiver is a neighbour; if the two ends
  disagree for longer than messages take, the link ends;
- a topic with too few subscribers in the view is covered as far as possible; the loop resumes when
  the view has changed or a quarantine has ended;
- a suspected neighbour is asked again a few times, even if all topics are covered without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import FailureDetector, make_detector
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.components.reconnect_backoff import ReconnectBackoff
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
from gossamer.protocols.spidercast.config import TaskConfig
from gossamer.protocols.spidercast.maintenance_task import CoverageAim, Task
from gossamer.protocols.spidercast.messages import (
    Connect,
    ConnectOk,
    Disconnect,
    DisconnectOk,
    InterestReply,
    InterestRequest,
    LeaveLink,
    Redirect,
    TaskHeartbeat,
)
from gossamer.protocols.spidercast.policy import (
    disconnect_candidates,
    has_capacity,
    more_random_coverage,
    raise_target,
    redirect_candidates,
)
from gossamer.time import microseconds

HEARTBEAT = "heartbeat"
LOOPS = (("loop", 0), ("loop", 1))
BEATS_WITH_TOPICS = 3
MAX_REDIRECTS = 64


class SpiderCast(ComposedMachine):
    """One node of SpiderCast.

    An iteration of a loop takes one query of the view; a message takes O(s) for s topics.
    """

    detector: FailureDetector

    def __init__(
        self,
        context: NodeContext,
        config: TaskConfig,
    ) -> None:
        super().__init__(
            context,
            make_membership(context, config),
            make_detector(config.detector, config.heartbeat, config.missed_heartbeats),
            flood=config.flood,
            history=config.history,
            ordering=config.ordering,
            period=config.heartbeat,
        )
        self.heartbeat = config.heartbeat
        self.loop = microseconds(config.loop_seconds)
        self.quarantine = microseconds(config.quarantine_seconds)
        self.adaptive_from = config.adaptive_from
        self.disconnect_at_max = config.disconnect_at_max
        self.repeat_disconnect = config.repeat_disconnect
        greedy, random = config.aims
        self.tasks = (Task(0, greedy, config.margin), Task(1, random, config.margin))
        self._version = 0
        self._beats_with_topics = 0
        self._linked: dict[Peer, int] = {}
        """Tasks in which each linked peer is a neighbour, as bits."""
        self._versions: dict[Peer, int] = {}
        self._doubted: dict[Peer, int] = {}
        """Time since which the two ends of a link seem to disagree."""
        self._backoff = ReconnectBackoff(config.heartbeat)
        self._phases = [0, 0]
        self._looping = [False, False]
        self._seen_view: list[int | None] = [None, None]
        for task in self.tasks:
            task.set_topics(self._topics)

    # -- queries -----------------------------------------------------------------------------

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        return list(self._linked)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the linked peers that subscribe to a topic, as far as is known."""
        greedy, random = (task.neighbours for task in self.tasks)
        return [
            peer
            for peer in self._linked
            if topic in (greedy[peer] if peer in greedy else random[peer]).topics
        ]

    @property
    def covered(self) -> bool:
        """Whether both tasks have reached their aims."""
        return not (self.tasks[0].aim.missing or self.tasks[1].aim.missing)

    def is_under_covered(self, subscribers: Callable[[Topic], int]) -> bool:
        """Whether a topic has fewer neighbours than its aim and its subscribers allow."""
        return any(task.aim.is_under_covered(subscribers) for task in self.tasks)

    def requested(self) -> Iterable[Peer]:
        """Return the peers that have not answered a CONNECT."""
        return [peer for task in self.tasks for peer in task.pending]

    def lost(self) -> Iterable[Peer]:
        """Return the former neighbours that are asked again with backoff."""
        return self._backoff.peers

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        assert set(self._versions) == set(self._linked)
        for task in self.tasks:
            task.check_invariants()
            members = {peer for peer, tasks in self._linked.items() if tasks >> task.number & 1}
            assert members == set(task.neighbours), "links and tasks have different neighbours"

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Start loops and heartbeats at random times, so that nodes do not act in step."""
        self._version = now
        out.append(SetTimer(HEARTBEAT, now + self.random.randbelow(self.heartbeat)))
        for task in self.tasks:
            self._phases[task.number] = now + self.random.randbelow(self.loop)
            if task.aim.missing:
                self._loop_at(task, self._phases[task.number], out)

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """FAILUREDETECTIONSUSPECT (Figure 4, lines 29-30)."""
        within = self._linked.get(peer, 0)
        for task in self.tasks:
            self._remove_connection(task, peer, now, out)
        self._backoff.add(peer, within, now)
        if self.membership is not None:
            self.membership.suspect(peer, now)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Change the interest; heartbeats and membership report it to neighbours (§2.4)."""
        self._version += 1
        self._beats_with_topics = BEATS_WITH_TOPICS
        for task in self.tasks:
            task.set_topics(self._topics)
            self._loop_at(task, now, out)
        out.append(SetTimer(HEARTBEAT, now))

    def on_leave(self, now: int, out: Effects) -> None:
        """Leave every neighbour (§2.4)."""
        for peer, within in self._linked.items():
            out += [Send(peer, LeaveLink(t.number)) for t in self.tasks if within >> t.number & 1]
            self.unlink(peer, out)
        self._linked.clear()

    # -- messages ----------------------------------------------------------------------------

    def _on_connect(self, peer: Peer, message: Connect, now: int, out: Effects) -> None:
        task = self.tasks[message.task]
        capacity = has_capacity(len(task.neighbours), task.aim.most, task.margin)
        if peer not in task.neighbours and not capacity:
            out.append(Send(peer, Redirect(task.number, self._redirect(task, peer, message))))
            return
        self._add(task, peer, message, now, out)
        state = (len(task.neighbours), task.target, self._topics, self._version)
        out.append(Send(peer, ConnectOk(task.number, *state)))
        task.target = raise_target(task.target, task.aim.most, len(task.neighbours), task.margin)
        self._resume(task, now, out)

    def _on_redirect(self, peer: Peer, message: Redirect, now: int, out: Effects) -> None:
        task = self.tasks[message.task]
        named = message.peer
        # Only a requested peer may redirect.
        if not task.answered(peer) or named is None or named == self.me:
            return
        if named not in task.neighbours and len(task.redirects) < MAX_REDIRECTS:
            task.redirects[named] = None

    def _on_connect_ok(self, peer: Peer, message: ConnectOk, now: int, out: Effects) -> None:
        task = self.tasks[message.task]
        if peer in task.neighbours:
            self._add(task, peer, message, now, out)
            return
        if not task.answered(peer) or not has_capacity(
            len(task.neighbours), task.aim.most, task.margin
        ):
            out.append(Send(peer, LeaveLink(task.number)))
            return
        self._add(task, peer, message, now, out)
        task.target = raise_target(task.target, task.aim.most, len(task.neighbours), task.margin)
        self._resume(task, now, out)

    def _on_leave_link(self, peer: Peer, message: LeaveLink, now: int, out: Effects) -> None:
        self._remove_connection(self.tasks[message.task], peer, now, out)

    def _on_disconnect(self, peer: Peer, message: Disconnect, now: int, out: Effects) -> None:
        task = self.tasks[message.task]
        known = task.neighbours.get(peer)
        if known is None:
            out.append(Send(peer, DisconnectOk(task.number)))
            return
        missing = task.aim.missing + task.aim.lost_without(known.shared)
        if len(task.neighbours) > task.target or not missing:
            self._remove_connection(task, peer, now, out)
            out.append(Send(peer, DisconnectOk(task.number)))
            if not missing:
                task.target = len(task.neighbours)

    def _on_disconnect_ok(self, peer: Peer, message: DisconnectOk, now: int, out: Effects) -> None:
        task = self.tasks[message.task]
        known = task.neighbours.get(peer)
        if known is not None and known.asked:
            self._remove_connection(task, peer, now, out)

    def _on_heartbeat(self, peer: Peer, message: TaskHeartbeat, now: int, out: Effects) -> None:
        within = self._linked.get(peer, 0)
        if within != message.within:
            self._on_disagreement(peer, within, message.within, now, out)
            within = self._linked.get(peer, 0)
        elif self._doubted:
            self._doubted.pop(peer, None)
        if not within:
            return
        self.detector.heard(peer, now)
        for task in self.tasks:
            if within >> task.number & 1:
                known = task.neighbours[peer]
                degree, target = message.degrees[task.number], message.targets[task.number]
                if self.repeat_disconnect and degree > known.degree:
                    known.asked = False
                if known.update(degree, target):
                    self._resume(task, now, out)
        if message.version > self._versions[peer]:
            if message.topics is None:
                out.append(Send(peer, InterestRequest()))
            else:
                self._learn(peer, message.version, message.topics, now, out)

    def _on_interest_request(
        self, peer: Peer, message: InterestRequest, now: int, out: Effects
    ) -> None:
        if peer in self._linked:
            out.append(Send(peer, InterestReply(self._version, self._topics)))

    def _on_interest_reply(
        self, peer: Peer, message: InterestReply, now: int, out: Effects
    ) -> None:
        if peer in self._linked and message.version > self._versions[peer]:
            self._learn(peer, message.version, message.topics, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Send heartbeats, or run an iteration of a loop."""
        if key == HEARTBEAT:
            self._on_heartbeat_due(now, out)
        else:
            self._on_loop_due(self.tasks[LOOPS.index(key)], now, out)

    def _on_heartbeat_due(self, now: int, out: Effects) -> None:
        for peer in self.detector.suspects(now):
            self.on_peer_down(peer, now, out)
        greedy, random = self.tasks
        degrees = (len(greedy.neighbours), len(random.neighbours))
        targets = (greedy.target, random.target)
        topics = self._topics if self._beats_with_topics else None
        self._beats_with_topics = max(0, self._beats_with_topics - 1)
        beats = [
            TaskHeartbeat(degrees, targets, within, self._version, topics) for within in range(4)
        ]
        out += [Send(peer, beats[within]) for peer, within in self._linked.items()]
        out.append(SetTimer(HEARTBEAT, now + self.heartbeat))
        self._request_lost(now, out)
        for task in self.tasks:
            if task.aim.missing and not self._looping[task.number]:
                released = task.release(now - self.quarantine)
                if released or self._seen_view[task.number] != self.view.version:
                    self._resume(task, now, out)

    def _on_loop_due(self, task: Task, now: int, out: Effects) -> None:
        self._looping[task.number] = False
        before = len(out)
        aim, degree = task.aim, len(task.neighbours)
        if not aim.enabled:
            return
        if aim.missing:
            task.target = aim.most
            if degree < aim.most:
                self._connect(task, now, out)
        if not aim.missing or degree > aim.most or (degree == aim.most and self.disconnect_at_max):
            self._disconnect(task, out)
        if len(out) > before:
            self._loop_at(task, now + self.loop, out)

    def _request_lost(self, now: int, out: Effects) -> None:
        for peer, within in self._backoff.due(now):
            for task in self.tasks:
                capacity = has_capacity(len(task.neighbours), task.aim.most, task.margin)
                if within >> task.number & 1 and capacity:
                    self._request(task, peer, now, out)

    # -- decisions ---------------------------------------------------------------------------

    def _connect(self, task: Task, now: int, out: Effects) -> None:
        """CONNECT (Figure 2, lines 14-20)."""
        task.release(now - self.quarantine)
        peer = task.next_peer(self.view, self.me, self.random)
        if peer is None:
            self._seen_view[task.number] = self.view.version
            return
        self._request(task, peer, now, out)

    def _disconnect(self, task: Task, out: Effects) -> None:
        """DISCONNECT (Figure 2, lines 22-32)."""
        degree = len(task.neighbours)
        task.target = min(task.aim.most, degree)
        candidates, lost = disconnect_candidates(
            (peer, known.degree, known.target, task.aim.lost_without(known.shared))
            for peer, known in task.neighbours.items()
            if not known.asked
        )
        full = degree == task.aim.most and self.disconnect_at_max
        if candidates and (degree > task.target or (lost == 0 and (full or not task.aim.missing))):
            peer = self.random.choice(candidates)
            task.neighbours[peer].asked = True
            out.append(Send(peer, Disconnect(task.number)))

    def _redirect(self, task: Task, peer: Peer, message: Connect) -> Peer | None:
        wanted = frozenset(message.topics)
        found = redirect_candidates(
            (
                (other, known.degree, known.target, len(wanted.intersection(known.topics)))
                for other, known in task.neighbours.items()
                if other != peer
            ),
            task.margin,
        )
        return self.random.choice(found) if found else None

    def _on_disagreement(self, peer: Peer, mine: int, theirs: int, now: int, out: Effects) -> None:
        """End a half-open link, if the disagreement lasts.

        A message in transit may still resolve it, so nothing is done for half a heartbeat.
        """
        if now - self._doubted.setdefault(peer, now) < self.heartbeat // 2:
            return
        del self._doubted[peer]
        for task in self.tasks:
            bit = 1 << task.number
            if mine & bit and not theirs & bit:
                self._remove_connection(task, peer, now, out)
            elif theirs & bit and not mine & bit:
                out.append(Send(peer, LeaveLink(task.number)))

    def _increase_random_coverage(self, now: int, out: Effects) -> None:
        """Take a step of the adaptive scheme (§3.3.1) when coverage is reached."""
        random = self.tasks[1]
        assert isinstance(random.aim, CoverageAim)
        if more_random_coverage(
            self.adaptive_from, random.aim.k, len(self._linked), len(self._topics)
        ):
            random.aim.set_k(random.aim.k + 1)
            random.target = random.aim.most
            self._resume(random, now, out)

    # -- helpers -----------------------------------------------------------------------------

    def _request(self, task: Task, peer: Peer, now: int, out: Effects) -> None:
        task.request(peer, now)
        state = (len(task.neighbours), task.target, self._topics, self._version)
        out.append(Send(peer, Connect(task.number, *state)))

    def _loop_at(self, task: Task, at: int, out: Effects) -> None:
        self._looping[task.number] = True
        out.append(SetTimer(LOOPS[task.number], at))

    def _resume(self, task: Task, now: int, out: Effects) -> None:
        """Resume a suspended loop at the time of its next iteration."""
        if not self._looping[task.number]:
            wait = (self._phases[task.number] - now) % self.loop
            self._loop_at(task, now + wait, out)

    def _learn(self, peer: Peer, version: int, topics: Topics, now: int, out: Effects) -> None:
        self._versions[peer] = version
        self.dissemination.on_neighbours_changed(now, out)
        for task in self.tasks:
            if peer in task.neighbours and task.update_topics(peer, topics):
                self._resume(task, now, out)

    def _add(
        self, task: Task, peer: Peer, message: Connect | ConnectOk, now: int, out: Effects
    ) -> None:
        known = self._versions.get(peer)
        if known is None or message.version >= known:
            self._versions[peer] = message.version
            task.add(peer, message.degree, message.target, message.topics)
        else:  # an old message: the other task has newer topics
            topics = next(t.neighbours[peer].topics for t in self.tasks if peer in t.neighbours)
            task.add(peer, message.degree, message.target, topics)
        if peer not in self._linked:
            self._backoff.found(peer)
            self.link(peer, now, out)
        else:
            self.dissemination.on_neighbours_changed(now, out)
        self._linked[peer] = self._linked.get(peer, 0) | 1 << task.number
        self.detector.heard(peer, now)
        if self.adaptive_from and self.covered and self._topics:
            self._increase_random_coverage(now, out)

    def _remove_connection(self, task: Task, peer: Peer, now: int, out: Effects) -> None:
        if not task.remove(peer):
            return
        self._linked[peer] &= ~(1 << task.number)
        if not self._linked[peer]:
            del self._linked[peer]
            del self._versions[peer]
            self.unlink(peer, out)
        # "wake up connectivity task" (Figure 4, lines 37-38)
        if len(task.neighbours) < task.target or task.aim.missing:
            self._seen_view[task.number] = None
            self._loop_at(task, now, out)
