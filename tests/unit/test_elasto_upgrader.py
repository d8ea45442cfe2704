"""ElastO's repairs, one event at a time: both ends of a link, replies, late nodes, silence."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from gossamer.host import Stream
from gossamer.protocols import find_protocol
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.components.views import KnownPeers
from gossamer.protocols.contract import (
    Effect,
    Event,
    InstallLinks,
    Key,
    NodeContext,
    Peer,
    PeerDown,
    Received,
    Send,
    SetTimer,
    Started,
    TimerExpired,
    Topics,
)
from gossamer.protocols.elasto import upgrader as elasto_upgrader
from gossamer.protocols.elasto.messages import (
    MAX_HOPS,
    AddneiQ,
    AddneiS,
    ChurnNotice,
    LeavingNode,
    LvS,
    NeighbQ,
    NeighbS,
    NodeDescriptor,
    NodeProfile,
    RepairQ,
    RepairS,
)

BEAT = 1_000_000
START = 1000 * BEAT
RING: list[Peer] = sorted(range(20), key=identifier_of_node)
GONE, ME = RING[4], RING[5]
P, Q, R, S, COORDINATOR = RING[8], RING[10], RING[12], RING[14], RING[3]
REPAIR = elasto_upgrader.Upgrader.TIMER


def described(
    peer: Peer, topics: Topics = ("a",), near: tuple[Peer, ...] = (GONE,), version: int = 5
) -> NodeDescriptor:
    return NodeDescriptor(peer, 1, version, topics, near)


class Driver:
    """One ElastO machine, its timers, and a repair rule with prepared answers.

    Without answers the rule links those that must be connected in a chain.
    """

    def __init__(self, topics: Topics = (), *, rule: bool = True, **options: Any) -> None:
        self.asked: list[Any] = []
        self.answers: list[list[tuple[int, int]]] = []
        self.view = KnownPeers({})
        seat = NodeContext(
            ME, topics, Stream(1), self.view, repair_rule=self.repair_rule if rule else None
        )
        settings = {"coverage": 0, "reach": 0, **options}
        self.machine: Any = find_protocol("elasto")(seat, **settings)
        self.now = START
        self.timers: dict[Key, int] = {}
        self.do(Started())

    def repair_rule(self, request: Any) -> list[tuple[int, int]]:
        self.asked.append(request)
        if self.answers:
            return self.answers.pop(0)
        needed = [place for place, one in enumerate(request.must_connect) if one]
        return list(pairwise(needed))

    @property
    def repairs(self) -> Any:
        return self.machine.upgrader

    def do(self, event: Event, after: int = 0) -> list[Effect]:
        self.now += after
        out = []
        for effect in self.machine.handle(event, self.now):
            if isinstance(effect, SetTimer):
                self.timers[effect.key] = effect.at
            else:
                out.append(effect)
        return out

    def receive(self, peer: Peer, message: Any, after: int = 0) -> list[Effect]:
        return self.do(Received(peer, message), after)

    def meet(self, *peers: Peer, **more: Any) -> None:
        """Let peers send their descriptors."""
        for peer in peers:
            self.receive(peer, NodeProfile(described(peer, **more), False, 0))

    def wait(self, beats: float) -> list[Effect]:
        """Let time pass with the repair timer only; return the messages sent."""
        end = self.now + round(beats * BEAT)
        out: list[Effect] = []
        while self.timers.get(REPAIR, end + 1) <= end:
            self.now = max(self.now, self.timers.pop(REPAIR))
            out += self.do(TimerExpired(REPAIR))
        self.now = end
        return out


def sent(effects: list[Effect], kind: type) -> list[tuple[Peer, Any]]:
    return [
        (effect.peer, effect.message)
        for effect in effects
        if isinstance(effect, Send) and isinstance(effect.message, kind)
    ]


def left(stamp: int = 1, peer: Peer = GONE, topics: Topics = ("a",)) -> ChurnNotice:
    return ChurnNotice(False, peer, stamp, topics)


def asks(source: Peer, *named: Peer, churn: ChurnNotice | None = None, hops: int = 0) -> RepairQ:
    nodes = tuple(described(peer) for peer in named)
    return RepairQ(churn or left(), described(source), nodes, hops)


def done(peer: Peer, message: AddneiQ, *, made: bool = True) -> AddneiS:
    near = (GONE, message.newnei.peer)
    return AddneiS(message.repair, message.newnei.peer, made, described(peer, near=near, version=6))


def links(effects: list[Effect]) -> dict[Peer, Any]:
    """Return the link that each end is asked to make."""
    return dict(sent(effects, AddneiQ))


def started(*named: Peer, **options: Any) -> tuple[Driver, dict[Peer, Any]]:
    """Return a coordinator that has just requested new links."""
    driver = Driver(**options)
    driver.meet(*(named or (P, Q)))
    driver.receive(P, asks(P, *(named or (P, Q))))
    return driver, links(driver.wait(elasto_upgrader.PREPARED))


# -- a whole repair ------------------------------------------------------------------------


def test_repair_asks_both_ends_of_a_link() -> None:
    driver, asked = started()
    assert set(asked) == {P, Q}
    assert asked[P].newnei.peer == Q
    assert asked[Q].newnei.peer == P
    assert asked[P].newnei.topics == ("a",)
    assert {message.newnei.age for message in asked.values()} == {0}, "whatever age was heard"
    assert driver.repairs.links_added == 1
    assert driver.repairs.coordinated == 1
    (request,) = driver.asked
    assert request.topics == ((0,), (0,))
    assert request.must_connect == (True, True)


def test_repair_ends_when_both_ends_have_answered() -> None:
    driver, asked = started()
    assert R not in driver.machine.local.known
    driver.receive(R, asks(R, churn=left()))
    assert R in driver.machine.local.known, "a request describes its sender"
    assert driver.receive(P, done(P, asked[P])) == []
    assert driver.receive(P, done(P, asked[P])) == [], "an answer counts once"
    assert driver.receive(S, done(S, asked[Q])) == [], "nor does another's answer"
    assert len(driver.repairs.open) == 1
    out = driver.receive(Q, done(Q, asked[Q]))
    assert sorted(sent(out, RepairS)) == sorted(
        [(P, RepairS(False, GONE, 1)), (R, RepairS(False, GONE, 1))]
    )


def test_answer_of_an_end_updates_its_descriptor() -> None:
    driver, asked = started()
    assert driver.machine.local.known[P].version == 5
    driver.receive(P, done(P, asked[P], made=False))
    assert driver.machine.local.known[P].version == 6
    driver.receive(S, AddneiS(1, P, True, described(R, version=9)))
    assert R not in driver.machine.local.known, "sent by another node"


def test_repair_waits_for_the_second_end() -> None:
    driver, asked = started()
    driver.receive(P, done(P, asked[P]))
    out = driver.wait(0.5)
    assert links(out) == {Q: asked[Q]}, "the other end is asked again"
    assert driver.repairs.open
    driver.receive(Q, done(Q, asked[Q]))
    assert not driver.repairs.open
    assert links(driver.wait(3.0)) == {}


def test_end_without_the_link_counts_as_answered() -> None:
    driver, asked = started(P, Q, R)
    driver.answers = []
    assert {peer: message.newnei.peer for peer, message in asked.items()}[P] == Q
    driver.receive(P, done(P, asked[P], made=False))
    out: list[Effect] = []
    while len(driver.asked) == 1:
        out = driver.wait(0.5)
    assert set(links(out)) <= {P}, "q and r are silent, and left out"
    assert driver.asked[-1].must_connect == (True,)


def test_silent_ends_are_left_out_after_three_requests() -> None:
    driver, asked = started()
    assert links(driver.wait(0.5)) == asked
    assert links(driver.wait(0.5)) == asked
    driver.receive(P, done(P, asked[P]))
    out = driver.wait(0.5)
    assert [len(request.must_connect) for request in driver.asked] == [2, 1]
    assert sent(out, RepairS) == [(P, RepairS(False, GONE, 1))], "without q nothing is to be done"


def test_repair_ends_after_five_attempts() -> None:
    driver, asked = started()
    for peer in (P, Q):
        assert driver.receive(peer, done(peer, asked[peer], made=False)) == []
    out = driver.wait(20)
    assert len(driver.asked) == elasto_upgrader.MAX_ATTEMPTS
    each = 2 * elasto_upgrader.TRIES_OF_A_LINK
    assert len(sent(out, AddneiQ)) == each * elasto_upgrader.MAX_ATTEMPTS - 2, "two came before"
    assert all(request.must_connect == (True, True) for request in driver.asked), (
        "neither was silent"
    )
    assert not driver.repairs.open
    assert sent(out, RepairS) == [(P, RepairS(False, GONE, 1))]


def test_repair_is_repeated_without_a_failed_end() -> None:
    driver, _ = started(P, Q, R)
    out = driver.do(PeerDown(Q))
    assert len(driver.asked) == 2
    assert {peer: message.newnei.peer for peer, message in links(out).items()} == {P: R, R: P}
    assert driver.do(PeerDown(S)) == [], "no end of a link"
    assert len(driver.asked) == 2


def test_next_attempt_has_no_link_that_one_end_did_not_make() -> None:
    driver, asked = started()
    driver.receive(P, AddneiS(asked[P].repair, Q, True, described(P)))
    driver.receive(Q, AddneiS(asked[Q].repair, P, False, described(Q)))
    out = driver.wait(1.5)
    assert driver.asked[1].must_connect == (True, True)
    assert driver.asked[1].links == ()
    assert set(links(out)) == {P, Q}


def test_next_attempt_knows_the_links_made() -> None:
    driver = Driver()
    driver.meet(P, Q, R)
    driver.receive(P, asks(P, P, Q, R))
    for peer, message in sent(driver.wait(elasto_upgrader.PREPARED), AddneiQ):
        if R not in (peer, message.newnei.peer):
            driver.receive(
                peer, AddneiS(message.repair, message.newnei.peer, True, described(peer))
            )
    driver.do(PeerDown(R))
    assert len(driver.asked) == 2
    assert driver.asked[1].must_connect == (True, True)
    assert driver.asked[1].links == ((0, 1),), "p and q have it, though they do not say so yet"


def test_new_design_ends_repairs_and_inquiries() -> None:
    driver, _ = started()
    driver.do(InstallLinks((), 1))
    assert not driver.repairs.open
    assert links(driver.wait(5.0)) == {}
    reporting = asking()
    reporting.do(PeerDown(RING[2]))
    reporting.do(InstallLinks((), 1))
    assert requests(reporting.wait(5.0)) == []


def test_other_subscribers_are_given_only_to_leaves_with_reach() -> None:
    driver, _ = started()
    driver.meet(R)
    driver.do(PeerDown(Q))
    assert [request.read_only for request in driver.asked] == [0, 0], "r is known"
    joined = Driver(coverage=0, reach=1)
    joined.meet(P, Q, near=())
    joined.receive(GONE, joins())
    assert [request.read_only for request in joined.asked] == [0]


# -- who asks --------------------------------------------------------------------------------


def test_neighbours_of_a_left_node_are_queried_first() -> None:
    driver = Driver(concurrent=2)
    driver.meet(P, Q)
    out = driver.receive(P, asks(P, P))
    succ = driver.machine.local.succ
    assert [peer for peer, _ in sent(out, NeighbQ)] == list(succ)
    assert {message.peer for _, message in sent(out, NeighbQ)} == {GONE}
    assert driver.asked == []
    out = driver.receive(S, NeighbS(NodeDescriptor(GONE, 0, 0, ()), (described(Q), described(R))))
    assert len(driver.asked) == 1
    assert set(links(out)) == {P, Q, R}
    assert driver.receive(S, NeighbS(NodeDescriptor(GONE, 0, 0, ()), (described(S),))) == [], "once"


def test_neighbours_of_a_left_node_are_awaited_for_two_heartbeats() -> None:
    driver = Driver()
    driver.meet(P, Q)
    driver.receive(P, asks(P, P, Q))
    assert sent(driver.wait(1.9), AddneiQ) == []
    assert [peer for peer, _ in sent(driver.wait(0.1), AddneiQ)] == [P, Q], "each once"


def test_described_neighbours_of_a_left_node_are_connected_at_once() -> None:
    driver = Driver()
    driver.meet(P, Q)
    gone = described(GONE, near=(P, Q))
    driver.receive(GONE, NodeProfile(gone, False, 0))
    driver.receive(GONE, NeighbS(gone, (described(P), described(Q))))
    driver.now += elasto_upgrader.FRESH * BEAT
    out = driver.receive(P, asks(P, P))
    assert set(links(out)) == {P, Q}
    assert sent(out, NeighbQ) == []


@pytest.mark.parametrize(("version", "connected"), [(4, 2), (6, 1)])
def test_newer_description_of_a_neighbour_counts(version: int, connected: int) -> None:
    driver = Driver()
    driver.meet(P, Q)
    elsewhere = described(Q, ("b",), version=version)
    driver.receive(P, RepairQ(left(), described(P), (elsewhere,), 0))
    driver.wait(elasto_upgrader.PREPARED)
    (request,) = driver.asked
    assert len(request.must_connect) == connected


def test_timer_that_is_set_is_not_postponed() -> None:
    driver = Driver()
    driver.meet(P, Q)
    driver.receive(P, asks(P, P, Q))
    first = driver.timers[REPAIR]
    assert first == driver.now + BEAT // 2
    driver.receive(P, asks(P, P, Q, churn=left(stamp=2)), after=BEAT // 4)
    assert len(driver.repairs.open) == 2
    assert driver.timers[REPAIR] == first


def test_request_about_a_live_node_is_ignored() -> None:
    driver = Driver()
    driver.meet(P, Q)
    driver.receive(GONE, NodeProfile(described(GONE, near=(P, Q)), False, 0))
    assert driver.receive(P, asks(P, P, Q)) == []
    assert not driver.repairs.open
    driver.now += (elasto_upgrader.FRESH * BEAT) - 1
    assert driver.receive(P, asks(P, P, Q)) == []
    driver.now += 1
    driver.receive(P, asks(P, P, Q))
    assert driver.repairs.open, "it has been silent for two heartbeats"
    other = Driver()
    other.receive(GONE, NodeProfile(described(GONE), False, 0))
    other.receive(P, asks(P, P, Q, churn=left(stamp=2)))
    assert other.repairs.open, "of another incarnation"


def test_request_is_forwarded_to_the_coordinator() -> None:
    churn = left(peer=RING[9])
    driver = Driver()
    driver.meet(P, Q, R)
    out = driver.receive(R, asks(R, R, churn=churn))
    assert out == [Send(Q, asks(R, R, churn=churn, hops=1))], "the first clockwise from it"
    assert driver.repairs.coordinated == 0
    driver.receive(R, asks(R, R, churn=churn, hops=MAX_HOPS))
    assert driver.repairs.coordinated == 1, "it has been passed on enough"
    back = Driver()
    back.meet(P, Q)
    back.receive(Q, asks(R, R, churn=churn))
    assert back.repairs.coordinated == 1, "not back to where it came from"


@pytest.mark.parametrize("hops", [0, MAX_HOPS])
def test_requests_about_or_from_this_node_are_ignored(hops: int) -> None:
    driver = Driver()
    assert driver.receive(P, asks(P, P, Q, churn=left(peer=ME), hops=hops)) == []
    assert driver.receive(P, asks(ME, P, Q, hops=hops)) == []
    assert not driver.repairs.open


def test_request_about_a_repaired_event_is_answered() -> None:
    driver, asked = started()
    for peer in (P, Q):
        driver.receive(peer, done(peer, asked[peer]))
    assert driver.receive(Q, asks(Q)) == [Send(Q, RepairS(False, GONE, 1))]
    assert driver.repairs.coordinated == 1
    assert len(driver.asked) == 1


def test_late_node_is_connected_to_repaired_ones() -> None:
    driver, asked = started()
    for peer in (P, Q):
        driver.receive(peer, done(peer, asked[peer]))
    driver.answers = [[(0, 1)]]
    out = driver.receive(R, asks(R))
    assert driver.repairs.coordinated == 1, "the same event"
    request = driver.asked[-1]
    assert request.must_connect == (True, False, False)
    assert request.preconnected == (False, True, True)
    assert {peer: message.newnei.peer for peer, message in links(out).items()} == {R: P, P: R}
    for peer, message in links(out).items():
        last = driver.receive(peer, done(peer, message))
    assert sent(last, RepairS) == [(R, RepairS(False, GONE, 1))]


def test_request_during_link_requests_is_served_afterwards() -> None:
    driver, asked = started()
    assert driver.receive(R, asks(R)) == []
    assert len(driver.asked) == 1
    driver.receive(P, done(P, asked[P]))
    out = driver.receive(Q, done(Q, asked[Q]))
    assert sorted(peer for peer, _ in sent(out, RepairS)) == sorted([P, R])
    assert len(driver.asked) == 2
    assert driver.asked[1].must_connect == (True, False, False)
    assert driver.asked[1].preconnected == (False, True, True)


def test_node_of_a_repair_that_asks_again_is_not_repaired_again() -> None:
    driver, asked = started()
    assert driver.receive(Q, asks(Q, P, Q)) == []
    driver.receive(P, done(P, asked[P]))
    out = driver.receive(Q, done(Q, asked[Q]))
    assert sorted(peer for peer, _ in sent(out, RepairS)) == sorted([P, Q])
    assert len(driver.asked) == 1
    assert not driver.repairs.open


def test_request_during_neighbour_queries_joins_the_repair() -> None:
    driver = Driver()
    driver.meet(P, Q, R)
    driver.receive(P, asks(P, P))
    driver.receive(R, asks(R))
    out = driver.wait(elasto_upgrader.PREPARED)
    assert set(links(out)) == {P, R}
    assert len(driver.asked) == 1


def test_repaired_events_expire_after_thirty_heartbeats() -> None:
    driver, asked = started()
    for peer in (P, Q):
        driver.receive(peer, done(peer, asked[peer]))
    finished = driver.now
    driver.wait(elasto_upgrader.REMEMBERED)
    assert driver.receive(Q, asks(Q)) == [Send(Q, RepairS(False, GONE, 1))]
    driver.wait(0.5)
    assert driver.now > finished + elasto_upgrader.REMEMBERED * BEAT
    driver.receive(Q, asks(Q))
    assert driver.repairs.coordinated == 2


def test_answers_count_for_the_repair_that_they_name() -> None:
    driver = Driver()
    driver.meet(P, Q)
    for stamp in (1, 2):
        driver.receive(P, asks(P, P, Q, churn=left(stamp=stamp)))
    asked = sent(driver.wait(elasto_upgrader.PREPARED), AddneiQ)
    assert [message.repair for _, message in asked] == [1, 1, 2, 2]
    out = [
        answer
        for peer, message in asked[2:]
        for answer in driver.receive(peer, done(peer, message))
    ]
    assert sent(out, RepairS) == [(P, RepairS(False, GONE, 2))]
    assert [key[2] for key in driver.repairs.open] == [1]


def test_concurrent_repairs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elasto_upgrader, "MAX_OPEN", 2)
    driver = Driver()
    driver.meet(P, Q)
    for stamp in (1, 2, 3):
        driver.receive(P, asks(P, P, Q, churn=left(stamp=stamp)))
    assert [key[2] for key in driver.repairs.open] == [1, 2]


def test_remembered_events_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elasto_upgrader, "MAX_DONE", 2)
    driver = Driver(rule=False)
    for stamp in (1, 2, 3):
        driver.receive(P, asks(P, churn=left(stamp=stamp)))
        driver.wait(elasto_upgrader.PREPARED)
    assert driver.repairs.coordinated == 3
    for stamp in (2, 3):
        driver.receive(P, asks(P, churn=left(stamp=stamp)))
    assert driver.repairs.coordinated == 3
    driver.receive(Q, asks(Q, churn=left(stamp=2)))
    assert driver.repairs.coordinated == 3, "late for the same event, which is the latest now"
    driver.receive(P, asks(P, churn=left(stamp=1)))
    assert driver.repairs.coordinated == 4, "the oldest was forgotten"
    driver.wait(elasto_upgrader.PREPARED)
    driver.receive(P, asks(P, churn=left(stamp=2)))
    assert driver.repairs.coordinated == 4, "the third was forgotten"


def test_requests_are_answered_at_once_without_a_repair_rule() -> None:
    driver = Driver(rule=False)
    driver.meet(P, Q)
    driver.receive(P, asks(P, P, Q))
    assert sent(driver.wait(elasto_upgrader.PREPARED), RepairS) == [(P, RepairS(False, GONE, 1))]
    assert driver.repairs.links_added == 0


def test_repair_without_a_subscriber_of_the_topics_makes_no_links() -> None:
    driver = Driver()
    driver.receive(P, RepairQ(left(), described(P, topics=("b",)), (), 0))
    assert sent(driver.wait(elasto_upgrader.PREPARED), RepairS) == [(P, RepairS(False, GONE, 1))]
    assert driver.asked == []


def test_bounds_of_a_repair() -> None:
    bounds = (elasto_upgrader.MAX_OPEN, elasto_upgrader.MAX_ASKED, elasto_upgrader.MAX_DONE)
    assert bounds == (256, 256, 1024)
    assert (elasto_upgrader.MAX_TRIES, elasto_upgrader.MAX_ATTEMPTS) == (12, 5)
    assert (elasto_upgrader.REMEMBERED, elasto_upgrader.FRESH, elasto_upgrader.PREPARED) == (
        30, 2, 2,
    )  # fmt: skip
    fresh = Driver()
    assert (fresh.repairs.coordinated, fresh.repairs.links_added) == (0, 0)


# -- merge and leaving in good order -----------------------------------------------------


def joins(peer: Peer = GONE) -> RepairQ:
    return RepairQ(ChurnNotice(True, peer, 5, ("a",)), described(peer, near=()), (), 0)


def test_joining_node_is_connected_to_backups() -> None:
    driver = Driver(coverage=1)
    driver.meet(P, near=())
    driver.answers = [[(0, 1)]]
    out = driver.receive(GONE, joins())
    assert [peer for peer, _ in sent(out, LvS)] == [GONE]
    (request,) = driver.asked
    assert request.must_connect == (True, False)
    assert request.preconnected == (False, True)
    asked = links(out)
    assert {peer: message.newnei.peer for peer, message in asked.items()} == {GONE: P, P: GONE}
    driver.receive(P, done(P, asked[P]))
    out = driver.receive(GONE, done(GONE, asked[GONE]))
    assert sent(out, RepairS) == [(GONE, RepairS(True, GONE, 5))]
    again = driver.receive(GONE, joins())
    assert sent(again, RepairS) == [(GONE, RepairS(True, GONE, 5))]
    assert len(driver.asked) == 1


def test_only_a_joining_node_is_welcomed() -> None:
    driver = Driver(coverage=1)
    driver.meet(P, near=())
    joined = ChurnNotice(True, GONE, 5, ("a",))
    assert sent(driver.receive(P, RepairQ(joined, described(P), (), 0)), LvS) == []
    assert sent(driver.receive(GONE, RepairQ(left(), described(GONE), (), 0)), LvS) == []
    assert driver.repairs.coordinated == 2


def test_neighbours_of_a_graceful_leave_are_connected_at_once() -> None:
    driver = Driver()
    driver.meet(P, Q)
    out = driver.receive(GONE, LeavingNode(described(GONE), (described(P), described(Q))))
    assert set(links(out)) == {P, Q}
    assert set(links(driver.wait(0.5))) == {P, Q}, "requests are repeated"
    late = driver.receive(GONE, LeavingNode(described(GONE), (described(P),)))
    assert late == [], "said already"


def test_coordinator_may_be_an_end_of_a_link() -> None:
    driver = Driver(("a",))
    driver.meet(P)
    driver.receive(P, RepairS(True, ME, START))
    driver.answers = [[(0, 1)]]
    out = driver.receive(GONE, LeavingNode(described(GONE), (described(P),)))
    assert [peer for peer, _ in sent(out, AddneiQ)] == [P]
    assert [peer for peer, _ in sent(out, NodeProfile)] == [P], "it offers the link itself"
    assert driver.asked[0].must_connect == (True, False)


# -- who has an event dealt with -------------------------------------------------------------


def asking() -> Driver:
    """Return a node that reports a failed neighbour to its coordinator."""
    driver = Driver(("a",))
    driver.meet(P, Q, R, COORDINATOR)
    gone = RING[2]
    driver.receive(gone, NodeProfile(described(gone, near=()), True, 0))
    driver.receive(COORDINATOR, RepairS(True, ME, START))
    driver.wait(2.0)
    assert REPAIR not in driver.timers
    assert gone in driver.machine.linked()
    return driver


def requests(effects: list[Effect]) -> list[Peer]:
    return [peer for peer, message in sent(effects, RepairQ) if message.churn.peer == RING[2]]


def test_failed_neighbour_is_reported_until_the_coordinator_answers() -> None:
    driver = asking()
    out = driver.do(PeerDown(RING[2]))
    ((target, message),) = sent(out, RepairQ)
    assert target == COORDINATOR
    assert message.churn == ChurnNotice(False, RING[2], 1, ("a",))
    assert [one.peer for one in message.affected] == [ME]
    assert message.source.peer == ME
    assert requests(driver.wait(0.9)) == []
    assert requests(driver.wait(0.1)) == [COORDINATOR], "after a heartbeat"
    answered = asking()
    answered.do(PeerDown(RING[2]))
    answered.receive(P, RepairS(False, RING[2], 99))  # of another event
    assert requests(answered.wait(1.0)) == [COORDINATOR]
    answered.receive(COORDINATOR, RepairS(False, RING[2], 1))
    assert requests(answered.wait(5.0)) == []
    assert answered.repairs.coordinated == 0


def test_graceful_leave_of_a_neighbour_is_reported_after_two_heartbeats() -> None:
    driver = asking()
    gone = described(RING[2], near=(ME,), version=START)
    assert requests(driver.receive(RING[2], LeavingNode(gone, ()))) == []
    assert requests(driver.wait(1.9)) == [], "its coordinator was notified by the node that left"
    assert requests(driver.wait(0.5)) == [COORDINATOR]


def test_next_coordinator_is_asked_after_two_requests() -> None:
    driver = asking()
    asked = requests(driver.do(PeerDown(RING[2])))
    asked += requests(driver.wait(1.0))
    assert asked == [COORDINATOR, COORDINATOR]
    assert len(driver.asked) == 0
    assert requests(driver.wait(1.0)) == [], "the next clockwise is this node itself"
    assert driver.asked == [], "other neighbours may be heard of"
    driver.wait(elasto_upgrader.PREPARED)
    assert driver.repairs.coordinated == 1
    assert len(driver.asked) == 1
    assert not driver.repairs._asks


def test_coordinator_awaits_the_neighbours_of_its_failed_neighbour() -> None:
    driver = Driver(("a",))
    driver.meet(P)
    driver.receive(GONE, NodeProfile(described(GONE, near=()), True, 0))
    driver.receive(COORDINATOR, RepairS(True, ME, START))
    assert GONE in driver.machine.linked()
    driver.do(PeerDown(GONE))
    assert driver.repairs.coordinated == 1
    assert driver.asked == []
    driver.wait(elasto_upgrader.PREPARED)
    assert len(driver.asked) == 1


def test_open_inquiries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elasto_upgrader, "MAX_OPEN", 1)
    driver = asking()
    driver.receive(RING[1], NodeProfile(described(RING[1], near=()), True, 0))
    assert {RING[1], RING[2]} <= set(driver.machine.linked())
    driver.do(PeerDown(RING[2]))
    assert sent(driver.do(PeerDown(RING[1])), RepairQ) == []
    assert requests(driver.wait(1.0)) == [COORDINATOR]


def test_inquiries_end_after_twelve_requests() -> None:
    driver = Driver(("a",))
    driver.view.put(P, ("a",))
    asked = sent(driver.wait(40), RepairQ)
    assert len(asked) == elasto_upgrader.MAX_TRIES
    assert {peer for peer, _ in asked} == {P}
    assert all(message.churn.joins and message.source.peer == ME for _, message in asked)
    assert REPAIR not in driver.timers, "nothing is left to repeat"


def test_inquiries_end_when_the_node_is_back() -> None:
    driver = asking()
    driver.do(PeerDown(RING[2]))
    back = NodeDescriptor(RING[2], 2 * START, 2 * START, ("a",), (ME,))
    driver.now += BEAT // 10
    driver.receive(RING[2], NodeProfile(back, True, 0))
    assert RING[2] in driver.machine.linked()
    assert requests(driver.wait(5.0)) == []


# -- looking around the shadows --------------------------------------------------------------


def looking() -> tuple[Driver, list[Effect]]:
    driver = Driver(reach=1)
    driver.meet(P, Q)
    driver.receive(P, asks(P, P, Q))
    return driver, driver.wait(elasto_upgrader.PREPARED)


def test_shadows_are_queried_before_links_are_chosen() -> None:
    driver, out = looking()
    assert sent(out, NeighbQ) == [(P, NeighbQ(P)), (Q, NeighbQ(Q))]
    assert driver.asked == []
    near = described(P, near=(GONE, R), version=8)
    assert driver.receive(P, NeighbS(near, (described(R, near=(P, Q)),))) == []
    out = driver.receive(Q, NeighbS(described(Q, near=(GONE, R), version=8), ()))
    (request,) = driver.asked
    assert request.read_only == 1
    assert request.links == ((0, 2), (1, 2)), "r connects them already"
    assert set(links(out)) == {P, Q}


def test_silent_shadows_are_awaited_for_half_a_heartbeat() -> None:
    driver, _ = looking()
    driver.receive(P, NeighbS(described(P, version=8), ()))
    assert driver.wait(0.4) == []
    assert [peer for peer, _ in sent(driver.wait(0.2), AddneiQ)] == [P, Q], "each once"
    driver.wait(0.5)
    assert len(driver.asked) == 1, "links are chosen once"


def test_shadows_of_a_graceful_leave_are_awaited_for_half_a_heartbeat() -> None:
    driver = Driver(reach=1)
    driver.meet(P, Q)
    out = driver.receive(GONE, LeavingNode(described(GONE), (described(P), described(Q))))
    assert [peer for peer, _ in sent(out, NeighbQ)] == [P, Q]
    assert driver.wait(0.4) == []
    assert set(links(driver.wait(0.1))) == {P, Q}


def test_shadows_are_awaited_from_the_moment_they_are_queried() -> None:
    driver = Driver(reach=1)
    driver.meet(P, Q)
    driver.receive(P, asks(P, P, Q))
    driver.wait(1.1)
    gone = NodeDescriptor(GONE, 0, 0, ())
    out = driver.receive(S, NeighbS(gone, (described(Q),)))
    assert [peer for peer, _ in sent(out, NeighbQ)] == [P, Q]
    assert links(driver.wait(0.5)) == {}, "0.4 heartbeats later at the last expiry"
    assert set(links(driver.wait(0.5))) == {P, Q}


def test_descriptions_that_no_repair_awaits_are_of_no_use_to_it() -> None:
    driver, _ = looking()
    for peer in (S, P, P):
        assert driver.receive(peer, NeighbS(described(peer, version=8), ())) == []
    assert driver.asked == []


def test_failed_shadow_is_not_awaited() -> None:
    driver, _ = looking()
    driver.receive(P, NeighbS(described(P, version=8), ()))
    driver.do(PeerDown(Q))
    assert len(driver.asked) == 1
    assert driver.asked[0].must_connect == (True,)


def test_joins_and_nodes_without_a_repair_rule_query_no_shadows() -> None:
    joined = Driver(coverage=1, reach=1)
    joined.meet(P, near=())
    joined.answers = [[(0, 1)]]
    assert sent(joined.receive(GONE, joins()), NeighbQ) == []
    assert len(joined.asked) == 1
    bare = Driver(rule=False, reach=1)
    bare.meet(P, Q)
    bare.receive(P, asks(P, P, Q))
    out = bare.wait(elasto_upgrader.PREPARED)
    assert sent(out, NeighbQ) == []
    assert sent(out, RepairS) == [(P, RepairS(False, GONE, 1))]


def test_single_node_queries_no_shadows() -> None:
    driver = Driver(reach=1)
    driver.meet(P)
    driver.receive(P, asks(P, P))
    out = driver.wait(elasto_upgrader.PREPARED)
    assert sent(out, NeighbQ) == []
    assert len(driver.asked) == 1
    assert sent(out, RepairS) == [(P, RepairS(False, GONE, 1))], "and no link to make"
