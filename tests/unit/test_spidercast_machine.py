"""SpiderCast's machine, one event at a time: requests, refusals, redirects, half-open links."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.host import Stream
from gossamer.protocols import find_protocol
from gossamer.protocols.components.dissemination import Disseminator
from gossamer.protocols.components.views import KnownPeers
from gossamer.protocols.contract import (
    Effect,
    Event,
    Key,
    Leave,
    Link,
    NodeContext,
    Peer,
    PeerDown,
    Publish,
    Received,
    Send,
    SetTimer,
    Started,
    Subscribe,
    TimerExpired,
    Topic,
    Topics,
    Unlink,
    Unsubscribe,
)
from gossamer.protocols.spidercast.machine import HEARTBEAT, LOOPS, MAX_REDIRECTS
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

BEAT, LOOP = 1_000_000, 100_000
START = 10 * BEAT
GREEDY, RANDOM = LOOPS


class Driver:
    """One machine, its time, and the timers that it has set."""

    def __init__(self, topics: Topics = ("a", "b"), known: Any = None, **options: Any) -> None:
        self.view = KnownPeers(known or {})
        seat = NodeContext("me", topics, Stream(1), self.view)
        self.machine: Any = find_protocol("spidercast")(seat, **{"kg": 1, "margin": 1, **options})
        self.now = START
        self.timers: dict[Key, int] = {}
        self.links: set[Peer] = set()
        self.do(Started())

    def do(self, event: Event, after: int = 0) -> list[Effect]:
        """Let time pass, handle an event, and return all effects but timers."""
        self.now += after
        out = []
        for effect in self.machine.handle(event, self.now):
            if isinstance(effect, SetTimer):
                self.timers[effect.key] = effect.at
                continue
            if isinstance(effect, Link):
                assert effect.peer not in self.links
                self.links.add(effect.peer)
            elif isinstance(effect, Unlink):
                self.links.remove(effect.peer)
            out.append(effect)
        assert set(self.machine.linked()) == self.links
        if not isinstance(event, Leave):
            self.machine.check_invariants()
        return out

    def receive(self, peer: Peer, message: Any, after: int = 0) -> list[Effect]:
        return self.do(Received(peer, message), after)

    def fire(self, key: Key) -> list[Effect]:
        """Let a timer expire at its time."""
        at = self.timers.pop(key)
        self.now = max(self.now, at)
        return self.do(TimerExpired(key))

    def link(self, peer: Peer, topics: Topics = ("a", "b"), task: int = 0, **more: int) -> None:
        """Let a peer connect."""
        out = self.receive(peer, asks(topics, task, **more))
        assert isinstance(out[-1], Send)
        assert isinstance(out[-1].message, ConnectOk), out

    def agreed(self, peer: Peer, after: int = 0, **more: Any) -> list[Effect]:
        """Let a linked peer send a heartbeat that agrees with the link."""
        within = more.pop("within", 1)
        return self.receive(peer, beat(within, **more), after)


def asks(
    topics: Topics, task: int = 0, degree: int = 1, target: int = 1, version: int = 7
) -> Connect:
    return Connect(task, degree, target, topics, version)


def grants(topics: Topics, task: int = 0, version: int = 7) -> ConnectOk:
    return ConnectOk(task, 1, 1, topics, version)


def beat(
    within: int, version: int = 7, topics: Topics | None = None, degree: int = 1, target: int = 1
) -> TaskHeartbeat:
    return TaskHeartbeat((degree, degree), (target, target), within, version, topics)


def on(driver: Driver, topic: Topic) -> list[Peer]:
    return list(driver.machine.neighbours_on(topic))


# -- connecting ----------------------------------------------------------------------------


def test_best_peer_is_requested_once_in_quarantine() -> None:
    driver = Driver(known={"p": ("a", "b"), "q": ("b",), "r": ("c",)}, quarantine_seconds=5.0)
    assert driver.fire(GREEDY) == [Send("p", Connect(0, 0, 2, ("a", "b"), START))]
    assert driver.timers[GREEDY] == driver.now + LOOP
    assert driver.fire(GREEDY) == [Send("q", Connect(0, 0, 2, ("a", "b"), START))]
    assert driver.fire(GREEDY) == [], "r wants nothing of it"
    assert GREEDY not in driver.timers, "the loop is idle"
    for _ in range(5):
        driver.fire(HEARTBEAT)
        assert GREEDY not in driver.timers
    driver.fire(HEARTBEAT)
    assert GREEDY in driver.timers, "the quarantine has ended"
    assert driver.fire(GREEDY) == [Send("p", Connect(0, 0, 2, ("a", "b"), START))]


def test_suspended_loop_resumes_when_the_view_changes() -> None:
    driver = Driver(known={})
    assert driver.fire(GREEDY) == []
    first = driver.now
    driver.fire(HEARTBEAT)
    assert GREEDY not in driver.timers
    driver.view.put("p", ("a",))
    driver.fire(HEARTBEAT)
    assert driver.timers[GREEDY] % LOOP == first % LOOP, "when its next round would have been"
    assert driver.now <= driver.timers[GREEDY] < driver.now + LOOP
    assert driver.fire(GREEDY) == [Send("p", Connect(0, 0, 2, ("a", "b"), START))]


def test_random_task_has_separate_requests() -> None:
    driver = Driver(known={"p": ("a", "b")}, kr=1)
    driver.fire(GREEDY)
    assert driver.fire(RANDOM) == [Send("p", Connect(1, 0, 2, ("a", "b"), START))]
    driver.receive("p", grants(("a", "b"), task=1))
    assert driver.fire(HEARTBEAT) == [Send("p", TaskHeartbeat((0, 1), (2, 2), 2, START))]
    driver.receive("p", grants(("a", "b")))
    assert driver.fire(HEARTBEAT) == [Send("p", TaskHeartbeat((1, 1), (2, 2), 3, START))]
    idle = Driver(known={"p": ("a", "b")})
    assert RANDOM not in idle.timers, "nothing to cover"
    idle.fire(HEARTBEAT)
    assert RANDOM not in idle.timers, "nor after a heartbeat"


def test_accepted_request_makes_a_link() -> None:
    driver = Driver(known={"p": ("a", "b")})
    driver.fire(GREEDY)
    assert driver.receive("p", grants(("a", "c"))) == [Link("p")]
    assert on(driver, "a") == ["p"]
    assert on(driver, "b") == []
    assert on(driver, "c") == ["p"]
    assert driver.receive("p", grants(("a",))) == [], "again: no other link, and no refusal"
    assert (on(driver, "a"), on(driver, "c")) == (["p"], []), "the later topics count"


def test_loops_start_within_one_iteration() -> None:
    driver = Driver(kr=1)
    for loop in (GREEDY, RANDOM):
        assert START <= driver.timers[loop] < START + LOOP


def test_peers_are_requested_again_as_soon_as_their_quarantine_ends() -> None:
    driver = Driver(known={"p": ("a", "b"), "q": ("b",)}, quarantine_seconds=0.15)
    requested = [effect.peer for _ in range(3) for effect in driver.fire(GREEDY)]  # type: ignore[attr-defined]
    assert requested == ["p", "q", "p"]


def test_requested_and_lost_peers_are_known() -> None:
    driver = Driver(known={"p": ("a", "b"), "q": ("a",)})
    driver.fire(GREEDY)
    assert driver.machine.requested() == ["p"]
    driver.receive("p", grants(("a", "b")))
    assert (driver.machine.requested(), list(driver.machine.lost())) == ([], [])
    driver.do(PeerDown("p"))
    assert list(driver.machine.lost()) == ["p"]


def test_suspended_loop_resumes_after_a_request() -> None:
    started = Driver()
    assert started.fire(GREEDY) == []
    for driver in (started, Driver(topics=())):
        assert GREEDY not in driver.timers
        driver.link("x", ("a",))
        assert driver.now <= driver.timers[GREEDY] < driver.now + LOOP


def test_target_rises_with_an_acceptance() -> None:
    driver = Driver(known={"p": ("a", "b")}, margin=2)
    driver.fire(GREEDY)
    driver.link("x", ("a", "b"), degree=1, target=9)
    driver.fire(GREEDY)
    assert driver.machine.tasks[0].target == 1
    driver.receive("p", grants(("a", "b")))
    assert driver.machine.tasks[0].target == 2


def test_suspended_loop_resumes_after_an_acceptance() -> None:
    driver = Driver(known={"p": ("a", "b")})
    driver.fire(GREEDY)
    assert driver.fire(GREEDY) == []
    assert GREEDY not in driver.timers
    driver.receive("p", grants(("a",)))
    assert driver.now <= driver.timers[GREEDY] < driver.now + LOOP


def test_unsolicited_acceptance_is_refused() -> None:
    driver = Driver(known={"p": ("a",)}, kr=1)
    assert driver.receive("p", grants(("a",))) == [Send("p", LeaveLink(0))]
    driver.fire(GREEDY)
    assert driver.receive("p", grants(("a",), task=1)) == [Send("p", LeaveLink(1))]
    assert driver.receive("p", grants(("a",))) == [Link("p")]
    assert driver.do(PeerDown("p"))
    assert driver.receive("p", grants(("a",))) == [Send("p", LeaveLink(0))], "once a request"


def test_acceptance_beyond_the_margin_is_refused() -> None:
    driver = Driver(known={"p": ("a", "b")}, margin=0)
    driver.fire(GREEDY)
    for peer in ("x", "y"):
        driver.link(peer, ("c",))
    assert driver.receive("p", grants(("a", "b"))) == [Send("p", LeaveLink(0))]
    wider = Driver(known={"p": ("a", "b")}, margin=1)
    wider.fire(GREEDY)
    for peer in ("x", "y"):
        wider.link(peer, ("c",))
    assert wider.receive("p", grants(("a", "b"))) == [Link("p")]


def test_requests_beyond_the_margin_are_redirected() -> None:
    driver = Driver()
    state = []
    for peer in ("x", "y", "z"):
        link, reply = driver.receive(peer, asks(("a",)))
        assert link == Link(peer)
        assert isinstance(reply, Send)
        state.append((reply.message.degree, reply.message.target))
    assert state == [(1, 2), (2, 2), (3, 2)]
    (reply,) = driver.receive("late", asks(("a",), degree=0))
    assert isinstance(reply, Send)
    assert reply.peer == "late"
    assert isinstance(reply.message, Redirect)
    assert reply.message.peer in ("x", "y", "z")
    (again,) = driver.receive("x", asks(("a",)))
    assert isinstance(again, Send)
    assert isinstance(again.message, ConnectOk), "a neighbour is granted again"


def test_redirect_names_the_best_neighbour_with_capacity() -> None:
    driver = Driver()
    driver.link("one", ("a", "c"), degree=1, target=1)
    driver.link("most", ("a", "c", "d"), degree=1, target=1)
    driver.link("full", ("a", "c", "d", "e"), degree=2, target=1)
    (reply,) = driver.receive("late", asks(("a", "c", "d", "e")))
    assert reply == Send("late", Redirect(0, "most"))
    crowded = Driver()
    for peer in ("x", "y", "z"):
        crowded.link(peer, ("a",), degree=5, target=1)
    (reply,) = crowded.receive("late", asks(("a",)))
    assert reply == Send("late", Redirect(0, None)), "none has room"


# -- redirects -----------------------------------------------------------------------------


def test_an_unsolicited_redirect_is_ignored() -> None:
    driver = Driver(known={"p": ("a", "b"), "q": ("a",)})
    driver.receive("q", Redirect(0, "trap"))
    assert driver.fire(GREEDY) == [Send("p", Connect(0, 0, 2, ("a", "b"), START))]
    driver.receive("q", Redirect(0, "trap"))
    driver.receive("p", Redirect(1, "trap"))
    assert driver.fire(GREEDY) == [Send("q", Connect(0, 0, 2, ("a", "b"), START))]
    driver.receive("p", Redirect(0, "named"))
    assert driver.fire(GREEDY) == [Send("named", Connect(0, 0, 2, ("a", "b"), START))]
    driver.receive("p", Redirect(0, "trap"))
    assert driver.fire(GREEDY) == [], "a second answer to one request"


@pytest.mark.parametrize("named", [None, "me", "x"])
def test_redirects_to_known_peers_are_ignored(named: Peer | None) -> None:
    driver = Driver(known={"p": ("a", "b"), "q": ("b",)})
    driver.link("x", ("a",))
    driver.fire(GREEDY)
    assert driver.receive("p", Redirect(0, named)) == []
    assert [effect.peer for effect in driver.fire(GREEDY)] == ["q"]  # type: ignore[attr-defined]


def test_redirects_are_bounded() -> None:
    driver = Driver(known={f"p{n}": ("a", "b") for n in range(MAX_REDIRECTS + 9)})
    task = driver.machine.tasks[0]
    for number in range(MAX_REDIRECTS + 9):
        task.request(f"p{number}", driver.now)
        driver.receive(f"p{number}", Redirect(0, f"r{number}"))
    assert len(task.redirects) == MAX_REDIRECTS == 64


# -- disconnecting -------------------------------------------------------------------------


@pytest.mark.parametrize("repeat", [False, True])
def test_covered_node_requests_a_disconnect_once(repeat: bool) -> None:
    asked = Driver(repeat_disconnect=repeat)
    asked.link("x", ("a", "b"), degree=4, target=4)
    asked.link("y", ("a", "b"), degree=4, target=5)
    assert asked.fire(GREEDY) == [Send("x", Disconnect(0))], "y has not reached its target"
    assert asked.fire(GREEDY) == [], "x was asked already"
    asked.agreed("x", degree=4, target=3)
    assert asked.fire(GREEDY) == [], "and its degree is as before"
    assert asked.receive("y", DisconnectOk(0)) == [], "it was not asked"
    asked.agreed("x", degree=5, target=5)
    again = [Send("x", Disconnect(0))] if repeat else []
    assert asked.fire(GREEDY) == again, "its degree has grown"
    assert asked.receive("x", DisconnectOk(0)) == [Unlink("x")]
    assert asked.links == {"y"}


def test_sole_neighbour_on_a_topic_stays() -> None:
    driver = Driver()
    driver.link("x", ("a",), degree=4, target=4)
    driver.link("y", ("b",), degree=4, target=4)
    assert driver.fire(GREEDY) == []
    driver.link("z", ("b", "c"), degree=4, target=4)
    assert driver.fire(GREEDY)[0].peer in ("y", "z")  # type: ignore[attr-defined]


def test_disconnect_is_accepted_without_loss_of_coverage() -> None:
    driver = Driver()
    assert driver.receive("stranger", Disconnect(0)) == [Send("stranger", DisconnectOk(0))]
    driver.link("x", ("a", "b"))
    assert driver.receive("x", Disconnect(0)) == [], "it covers all alone"
    driver.link("y", ("a", "b"))
    assert driver.receive("x", Disconnect(0)) == [Unlink("x"), Send("x", DisconnectOk(0))]
    assert driver.links == {"y"}
    assert driver.receive("y", Disconnect(0)) == []


def test_disconnect_is_accepted_beyond_the_target() -> None:
    driver = Driver()
    driver.link("x", ("a",))
    driver.link("y", ("c",))
    assert driver.receive("y", Disconnect(0)) == [], "two of two, and something is missing"
    driver.link("z", ("c",))
    assert driver.receive("y", Disconnect(0)) == [Unlink("y"), Send("y", DisconnectOk(0))]
    assert driver.receive("z", Disconnect(0)) == []


def test_peer_stays_a_neighbour_of_the_other_task() -> None:
    driver = Driver(kr=1)
    driver.link("x", ("a", "b"))
    (reply,) = driver.receive("x", asks(("a", "b"), task=1))
    assert isinstance(reply, Send)
    assert isinstance(reply.message, ConnectOk)
    driver.timers.clear()
    assert driver.receive("x", LeaveLink(0)) == []
    assert driver.timers == {GREEDY: driver.now}, "at once, as it is not covered any more"
    assert on(driver, "a") == ["x"]
    assert driver.receive("x", LeaveLink(0)) == []
    assert driver.receive("x", LeaveLink(1)) == [Unlink("x")]
    assert driver.receive("x", LeaveLink(1)) == []


@pytest.mark.parametrize(
    ("topics", "leaving", "resumes"),
    [
        ([("a", "b")] * 3, "z", False),
        ([("a", "b")] * 2, "y", True),
        ([("a", "b"), (), ()], "x", True),
    ],
    ids=["target reached", "below the target", "coverage lost"],
)
def test_loop_runs_at_once_if_a_needed_neighbour_leaves(
    topics: list[Topics], leaving: Peer, resumes: bool
) -> None:
    driver = Driver()
    for peer, mine in zip("xyz", topics, strict=False):
        driver.link(peer, mine)
    driver.timers.clear()
    assert driver.receive(leaving, LeaveLink(0)) == [Unlink(leaving)]
    assert driver.timers == ({GREEDY: driver.now} if resumes else {})


def test_node_with_max_neighbours_requests_none() -> None:
    driver = Driver(known={"p": ("b",)}, disconnect_at_max=False)
    for peer in ("x", "y"):
        driver.link(peer, ("a",))
    assert driver.fire(GREEDY) == [], "b is missing, and L^max is reached"
    driver.receive("y", LeaveLink(0))
    assert [effect.peer for effect in driver.fire(GREEDY)] == ["p"]  # type: ignore[attr-defined]


def test_node_with_max_neighbours_disconnects_from_one_that_covers_nothing_alone() -> None:
    driver = Driver(("a", "b", "c"), known={"p": ("b", "c")})
    driver.link("x", ("a",), degree=1, target=3)
    driver.link("y", ("a",), degree=3, target=3)
    driver.link("z", ("c",), degree=3, target=3)
    assert driver.fire(GREEDY) == [Send("y", Disconnect(0))], "x has too few, z covers c alone"
    assert driver.receive("y", DisconnectOk(0)) == [Unlink("y")]
    assert [effect.peer for effect in driver.fire(GREEDY)] == ["p"]  # type: ignore[attr-defined]
    driver.link("p", ("b", "c"))
    assert driver.machine.covered


def test_node_with_max_neighbours_keeps_those_that_cover_topics_alone() -> None:
    driver = Driver(("a", "b"), known={"p": ("b",)}, kg=2)
    for peer, topics in (("v", ("a", "b")), ("x", ("a",)), ("y", ()), ("z", ())):
        driver.link(peer, topics, degree=4, target=5)
    assert driver.fire(GREEDY) == [], "y and z have not reached their targets"
    driver.agreed("x", degree=5, target=5)
    driver.agreed("v", degree=5, target=5)
    assert driver.fire(GREEDY) == [], "v and x are needed for a"


def test_task_with_k_of_0_is_not_run() -> None:
    driver = Driver(kr=0, margin=2)
    driver.link("x", ("a", "b"), task=1, degree=9, target=9)
    assert driver.timers[RANDOM]
    assert driver.fire(RANDOM) == [], "as long as K > 0 (§2.3.1)"


def test_node_is_under_covered_if_a_topic_could_have_more_neighbours() -> None:
    driver = Driver(kg=2)
    driver.link("x", ("a", "b"))
    driver.link("y", ("a",))
    subscribers = {"a": 9, "b": 2}
    assert not driver.machine.is_under_covered(subscribers.__getitem__), "x alone shares b"
    subscribers["b"] = 3
    assert driver.machine.is_under_covered(subscribers.__getitem__)


def test_target_is_lowered_to_the_degree_after_coverage() -> None:
    driver = Driver(margin=2)
    driver.link("x", ("a", "b"), degree=1, target=9)
    driver.fire(GREEDY)
    assert driver.fire(HEARTBEAT) == [Send("x", TaskHeartbeat((1, 0), (1, 0), 1, START))]
    driver.link("y", ("a", "b"), degree=1, target=9)
    driver.agreed("x", target=9)
    assert driver.fire(HEARTBEAT)[0] == Send("x", TaskHeartbeat((2, 0), (2, 0), 1, START)), "raised"
    assert driver.receive("y", Disconnect(0))[-1] == Send("y", DisconnectOk(0))
    driver.agreed("x", target=9)
    assert driver.fire(HEARTBEAT) == [Send("x", TaskHeartbeat((1, 0), (1, 0), 1, START))]


def test_loop_that_is_due_is_not_postponed() -> None:
    driver = Driver()
    driver.link("x", ("a",))
    driver.link("y", ("b",))
    driver.receive("x", LeaveLink(0))
    assert driver.timers[GREEDY] == driver.now
    driver.agreed("y", degree=3)
    assert driver.timers[GREEDY] == driver.now


def test_target_is_the_maximum_again_after_a_loss_of_coverage() -> None:
    driver = Driver(known={"p": ("a", "b")}, margin=2)
    driver.link("x", ("a", "b"), degree=1, target=9)
    driver.fire(GREEDY)
    assert driver.machine.tasks[0].target == 1
    assert driver.receive("x", LeaveLink(0)) == [Unlink("x")]
    assert driver.fire(GREEDY) == [Send("p", Connect(0, 0, 2, ("a", "b"), START))]


def test_disconnect_is_refused_if_coverage_is_missing() -> None:
    driver = Driver(("a", "b", "c"))
    driver.link("x", ("a",))
    assert driver.receive("x", Disconnect(0)) == [], "two are missing, and one would be lost"
    driver.link("y", ("b",))
    assert driver.receive("y", Disconnect(0)) == [], "one is missing, and one would be lost"


def test_loops_resume_when_a_neighbour_changes() -> None:
    driver = Driver(kr=1)
    driver.link("x", ("a", "b"), degree=1, target=1)
    driver.receive("x", asks(("a", "b"), task=1))

    def woken(message: Any) -> set[Key]:
        driver.timers.clear()
        driver.machine._looping[:] = [False, False]
        driver.receive("x", message)
        return set(driver.timers)

    assert woken(TaskHeartbeat((1, 1), (1, 1), 3, 7)) == set()
    assert woken(TaskHeartbeat((1, 1), (2, 1), 3, 7)) == {GREEDY}
    assert woken(TaskHeartbeat((1, 1), (2, 2), 3, 7)) == {RANDOM}
    assert woken(TaskHeartbeat((4, 1), (2, 2), 3, 7)) == {GREEDY}
    assert woken(TaskHeartbeat((4, 4), (2, 2), 3, 7)) == {RANDOM}
    assert woken(TaskHeartbeat((4, 4), (2, 2), 3, 8, ("a",))) == {GREEDY, RANDOM}
    assert woken(TaskHeartbeat((4, 4), (2, 2), 3, 9, ("a",))) == set(), "the same interest"


def test_a_suspected_peer_is_reported_to_gossip_membership() -> None:
    seat = NodeContext("me", ("a",), Stream(1), None, contacts=("p",))
    machine: Any = find_protocol("spidercast")(seat, kg=1)
    machine.handle(Started(), START)
    assert "p" in machine.membership.known or machine.membership is machine.view
    suspected: list[tuple[Peer, int]] = []
    machine.membership.suspect = lambda peer, now: suspected.append((peer, now))
    machine.handle(PeerDown("p"), START + 5)
    assert suspected == [("p", START + 5)]


# -- heartbeats and half-open links --------------------------------------------------------


def test_heartbeats_name_the_tasks_of_each_peer() -> None:
    driver = Driver(kr=1)
    first = driver.timers[HEARTBEAT]
    assert START <= first < START + BEAT
    driver.link("x", ("a",))
    driver.link("y", ("b",), task=1)
    driver.receive("y", asks(("b",)))
    assert driver.fire(HEARTBEAT) == [
        Send("x", TaskHeartbeat((2, 1), (2, 2), 1, START)),
        Send("y", TaskHeartbeat((2, 1), (2, 2), 3, START)),
    ]
    assert driver.timers[HEARTBEAT] == first + BEAT


def test_half_open_link_of_the_peer_ends() -> None:
    driver = Driver(kr=1)
    assert driver.receive("p", beat(1)) == [], "a message may be under way"
    assert driver.receive("p", beat(1), after=BEAT // 2 - 1) == []
    assert driver.receive("p", beat(1), after=1) == [Send("p", LeaveLink(0))]
    assert driver.receive("p", beat(3), after=1) == [], "doubted again from now on"
    assert driver.receive("p", beat(3), after=BEAT // 2) == [
        Send("p", LeaveLink(0)),
        Send("p", LeaveLink(1)),
    ]
    assert not driver.links


def test_half_open_link_of_the_node_ends() -> None:
    driver = Driver(kr=1)
    driver.link("p", ("a", "b"))
    assert driver.receive("p", beat(0)) == []
    assert driver.receive("p", beat(0), after=BEAT // 2) == [Unlink("p")]
    driver.link("q", ("a", "b"))
    driver.receive("q", asks(("a", "b"), task=1))
    assert driver.receive("q", beat(1)) == []
    assert driver.receive("q", beat(1), after=BEAT // 2) == []
    assert driver.fire(HEARTBEAT)[-1].message.within == 1  # type: ignore[attr-defined]


def test_resolved_disagreement_is_forgotten() -> None:
    driver = Driver()
    driver.link("p", ("a", "b"))
    driver.receive("p", beat(0))
    driver.agreed("p", after=BEAT // 4)
    assert driver.receive("p", beat(0), after=BEAT // 2) == [], "doubted from now on alone"
    assert driver.receive("p", beat(0), after=BEAT // 2) == [Unlink("p")]


def test_suspected_neighbour_is_requested_with_backoff() -> None:
    driver = Driver(missed_heartbeats=2)
    driver.link("p", ("a", "b"))
    driver.link("q", ("a", "b"))
    heard = driver.now
    out: list[Effect] = []
    while Unlink("p") not in out:
        driver.agreed("q")
        out = driver.fire(HEARTBEAT)
    assert heard + 2.5 * BEAT < driver.now <= heard + 3.5 * BEAT
    assert driver.links == {"q"}
    suspected = driver.now
    asked = []
    while driver.now < suspected + 140 * BEAT:
        driver.agreed("q")
        asked += [
            driver.now - suspected
            for effect in driver.fire(HEARTBEAT)
            if isinstance(effect, Send) and effect.peer == "p"
        ]
    assert asked == [pause * BEAT for pause in (2, 6, 14, 30, 62, 126)]


def test_restored_neighbour_is_not_requested() -> None:
    driver = Driver()
    driver.link("p", ("a", "b"))
    assert driver.do(PeerDown("p")) == [Unlink("p")]
    assert driver.do(PeerDown("p")) == []
    driver.link("p", ("a", "b"))
    for _ in range(8):
        driver.agreed("p")
        assert all(
            isinstance(effect.message, TaskHeartbeat)  # type: ignore[attr-defined]
            for effect in driver.fire(HEARTBEAT)
        )


def test_lost_neighbours_are_requested_within_capacity() -> None:
    driver = Driver(margin=0, kr=0)
    driver.link("p", ("a",))
    driver.do(PeerDown("p"))
    for peer in ("x", "y"):
        driver.link(peer, ("c",))
    for _ in range(4):
        for peer in ("x", "y"):
            driver.agreed(peer)
        assert all(effect.peer != "p" for effect in driver.fire(HEARTBEAT))  # type: ignore[attr-defined]


def test_stranger_given_up_is_never_requested() -> None:
    driver = Driver()
    assert driver.do(PeerDown("stranger")) == []
    for _ in range(8):
        assert driver.fire(HEARTBEAT) == []


def test_repeated_request_counts_as_a_sign_of_life() -> None:
    driver = Driver(missed_heartbeats=2)
    driver.link("p", ("a", "b"))
    driver.link("q", ("a", "b"))
    for _ in range(6):
        driver.receive("p", asks(("a", "b")))
        driver.fire(HEARTBEAT)
    assert driver.links == {"p"}


def test_restarted_neighbour_is_known_by_its_lower_version() -> None:
    driver = Driver()
    driver.link("p", ("a",), version=9)
    assert driver.receive("p", LeaveLink(0)) == [Unlink("p")]
    driver.link("p", ("b",), version=5)
    assert (on(driver, "a"), on(driver, "b")) == ([], ["p"])


def test_contradictory_state_breaks_an_invariant() -> None:
    def linked() -> Any:
        driver = Driver()
        driver.link("p", ("a", "b"))
        return driver.machine

    machine = linked()
    machine.dissemination.on_unlink("p")
    with pytest.raises(AssertionError, match="dissemination has other neighbours"):
        machine.check_invariants()
    machine = linked()
    machine.tasks[0].aim.missing += 1
    with pytest.raises(AssertionError, match="coverage was counted wrongly"):
        machine.check_invariants()
    machine = linked()
    machine._linked["p"] = 3
    with pytest.raises(AssertionError, match="links and tasks have different neighbours"):
        machine.check_invariants()
    machine = linked()
    machine._versions["q"] = 1
    with pytest.raises(AssertionError):
        machine.check_invariants()


# -- interests -----------------------------------------------------------------------------


def test_changed_interest_is_in_three_heartbeats() -> None:
    driver = Driver(kr=1)
    driver.link("p", ("a", "c"))
    driver.timers.clear()
    driver.do(Subscribe("c"))
    assert driver.timers == {GREEDY: driver.now, RANDOM: driver.now, HEARTBEAT: driver.now}
    assert driver.machine.topics == ("a", "b", "c")
    seen = []
    for _ in range(5):
        driver.agreed("p")
        (sent,) = driver.fire(HEARTBEAT)
        assert isinstance(sent, Send)
        seen.append((sent.message.version, sent.message.topics))
    three = (START + 1, ("a", "b", "c"))
    assert seen == [three, three, three, (START + 1, None), (START + 1, None)]
    driver.do(Unsubscribe("a"))
    driver.agreed("p")
    (sent,) = driver.fire(HEARTBEAT)
    assert sent.message.version == START + 2  # type: ignore[attr-defined]


def test_newer_interest_is_adopted_or_requested() -> None:
    driver = Driver()
    driver.link("p", ("a",), version=7)
    assert driver.agreed("p", version=7, topics=("b",)) == []
    assert on(driver, "b") == [], "of the same version"
    assert driver.agreed("p", version=9, topics=("b",)) == []
    assert (on(driver, "a"), on(driver, "b")) == ([], ["p"])
    assert driver.agreed("p", version=8, topics=("a",)) == [], "older"
    assert on(driver, "b") == ["p"]
    assert driver.agreed("p", version=10) == [Send("p", InterestRequest())]
    assert driver.receive("stranger", InterestReply(99, ("b",))) == []
    assert driver.receive("p", InterestReply(10, ("a", "b"))) == []
    assert (on(driver, "a"), on(driver, "b")) == (["p"], ["p"])
    driver.receive("p", InterestReply(10, ("b",)))
    assert on(driver, "a") == ["p"], "known already"
    assert driver.agreed("p", version=10) == []


def test_changed_interest_of_a_neighbour_sends_it_digests() -> None:
    driver = Driver(flood="crosspost")
    driver.link("p", ("b",))
    driver.do(Publish(("a",), b"x"))
    assert driver.fire(Disseminator.TIMER) == []
    assert Disseminator.TIMER not in driver.timers
    driver.agreed("p", version=9, topics=("a",))
    (digest,) = driver.fire(Disseminator.TIMER)
    assert isinstance(digest, Send)
    assert (digest.peer, len(digest.message.ids)) == ("p", 1)


def test_interest_requests_of_linked_peers_are_answered() -> None:
    driver = Driver()
    assert driver.receive("p", InterestRequest()) == []
    driver.link("p", ("a",))
    assert driver.receive("p", InterestRequest()) == [Send("p", InterestReply(START, ("a", "b")))]


def test_old_request_keeps_the_newer_interest() -> None:
    driver = Driver(kr=1)
    driver.link("p", ("a",), version=5)
    driver.agreed("p", version=9, topics=("b",))
    driver.receive("p", asks(("a",), task=1, version=5))
    assert on(driver, "b") == ["p"]
    assert on(driver, "a") == []
    driver.receive("p", LeaveLink(0))
    assert on(driver, "b") == ["p"], "nor in the other task"
    driver.receive("p", asks(("a",), version=9))
    assert on(driver, "a") == ["p"], "as new as what is known"


# -- leaving -------------------------------------------------------------------------------


def test_graceful_leave_reaches_all_neighbours_of_all_tasks() -> None:
    driver = Driver(kr=1)
    driver.link("p", ("a",))
    driver.link("q", ("a",), task=1)
    driver.receive("q", asks(("a",)))
    assert driver.do(Leave()) == [
        Send("p", LeaveLink(0)),
        Unlink("p"),
        Send("q", LeaveLink(0)),
        Send("q", LeaveLink(1)),
        Unlink("q"),
    ]
    assert not driver.links
    assert on(driver, "a") == []


def test_own_and_unknown_messages_are_ignored() -> None:
    driver = Driver()
    assert driver.receive("me", asks(("a",))) == []
    assert driver.receive("p", "garbage") == []
    assert not driver.links


# -- the adaptive scheme -------------------------------------------------------------------


def test_adaptive_coverage_grows_at_nodes_with_few_links() -> None:
    driver = Driver(adaptive=True)
    driver.link("p", ("a", "b"))
    assert driver.machine.tasks[1].aim.k == 1, "covered by one link, which is K_g"
    assert RANDOM in driver.timers
    assert driver.machine.tasks[1].target == 2
    plain = Driver()
    plain.link("p", ("a", "b"))
    assert plain.machine.tasks[1].aim.k == 0
    several = Driver(adaptive=True)
    several.link("p", ("a",))
    assert several.machine.tasks[1].aim.k == 0, "not covered"
    several.link("q", ("b",))
    assert several.machine.tasks[1].aim.k == 0, "by two links, more than K_g"
