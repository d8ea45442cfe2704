"""A machine with a table, one event at a time: requests, acceptance, refusal, failure."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.protocols.components.config import RoundConfig
from gossamer.protocols.components.neighbour_table import NeighbourTableMachine
from gossamer.protocols.components.profiles import (
    Leaving,
    Profile,
    RatedDescriptor,
    StateHeartbeat,
    StateRequest,
    TableDisconnect,
    TableRefused,
)
from gossamer.protocols.components.tman import TableExchange, TableExchangeReply, TMan
from gossamer.protocols.contract import (
    Effect,
    Leave,
    Link,
    Message,
    NodeContext,
    Peer,
    PeerDown,
    Received,
    Send,
    Started,
    Subscribe,
    TimerExpired,
    Unlink,
)
from gossamer.random_stream import Stream
from tests.component_driver import ComponentDriver

PERIOD = 1_000_000


class LowestNames(NeighbourTableMachine):
    """A node whose best table has the two lowest names."""

    def chosen(self, candidates: Mapping[Peer, RatedDescriptor]) -> list[Peer]:
        return sorted(map(int, candidates))[:2]  # type: ignore[return-value]


class Play:
    """The machine and its time."""

    def __init__(self, most: int = 2) -> None:
        context = NodeContext(50, (1,), Stream(1))
        config = RoundConfig(period_seconds=1.0, missed_heartbeats=3)
        self.node = LowestNames(context, config, max_in_degree=most, flood="notify")
        self.now = 0
        self.node.handle(Started(), 0)

    def hear(self, peer: int, message: Message, after: int = 1000) -> list[Effect]:
        self.now += after
        return [
            effect
            for effect in self.node.handle(Received(peer, message), self.now)
            if isinstance(effect, Link | Unlink | Send)
        ]

    def turn(self) -> list[Effect]:
        self.now += PERIOD
        return self.node.handle(TimerExpired("round"), self.now)

    def say(self, peer: int, **more: Any) -> list[Effect]:
        given: dict[str, Any] = {"mine": False, "ring": False, "yours": False, **more}
        version = given.pop("version", self.now + 1000)
        profile = Profile((1,), (), (), given.pop("state", 1), version, **given)
        return self.hear(peer, profile)

    def offer(self, *peers: int, age: int = 0) -> dict[int, Any]:
        """Let the machine receive descriptors; return the messages sent."""
        descriptors = tuple(RatedDescriptor(peer, (1,), (), self.now, age) for peer in peers)
        return sent(self.hear(99, TableExchangeReply(descriptors)))

    def agree(self, *peers: int) -> None:
        self.offer(*peers)
        for peer in peers:
            self.say(peer, yours=True)


def sent(effects: list[Effect]) -> dict[int, Any]:
    return {int(e.peer): e.message for e in effects if isinstance(e, Send)}


def all_sent(effects: list[Effect]) -> list[Any]:
    return [e.message for e in effects if isinstance(e, Send)]


def test_chosen_candidate_is_linked_after_it_accepts() -> None:
    play = Play()
    asked = play.offer(7, 3, 9)
    assert sorted(asked) == [3, 7], "the two least"
    assert all(isinstance(one, Profile) and one.mine for one in asked.values())
    assert list(play.node.linked()) == []
    assert Link(3) in play.say(3, yours=True)
    assert Link(7) in play.say(7, yours=True)
    assert list(play.node.table) == list(play.node.linked()) == [3, 7]
    assert sorted(play.offer(5)) == [5], "asked, while 7 stays"
    assert list(play.node.linked()) == [3, 7]
    answered = play.say(5, yours=True)
    assert [e for e in answered if isinstance(e, Link | Unlink)] == [Unlink(7), Link(5)]
    assert Send(7, TableDisconnect()) in answered


def test_heartbeats_replace_known_profiles() -> None:
    play = Play()
    play.agree(3)

    def word() -> Any:
        kinds = (Profile, StateHeartbeat)
        return next(one for one in all_sent(play.turn()) if isinstance(one, kinds))

    first = word()
    assert isinstance(first, Profile)
    again = word()
    assert isinstance(again, StateHeartbeat)
    assert again.state == first.state
    assert (again.mine, again.yours) == (True, False)
    play.node.handle(Subscribe(2), play.now)
    changed = word()
    assert changed.state > first.state, "and with it what it stands for, which was sent before"
    asked = play.hear(3, StateRequest())
    assert [one.topics for one in sent(asked).values()] == [(1, 2)]
    assert play.hear(98, StateRequest()) == [], "a stranger is not told"


def test_unknown_state_is_requested() -> None:
    play = Play()
    assert Link(60) in play.say(60, mine=True, state=5)
    known = StateHeartbeat(5, play.now + 2000, mine=True, ring=False, yours=False)
    assert play.hear(60, known) == []
    newer = StateHeartbeat(6, play.now + 2000, mine=True, ring=False, yours=False)
    assert play.hear(60, newer) == [Send(60, StateRequest())]
    assert play.hear(61, newer) == [Send(61, StateRequest())], "nothing is known of it"
    assert list(play.node.linked()) == [60]
    ended = StateHeartbeat(5, play.now + 9000, mine=False, ring=False, yours=False)
    assert play.hear(60, ended) == [Unlink(60)], "a heartbeat says how its sender sees the link"


def test_link_exists_while_one_end_has_the_other() -> None:
    play = Play()
    answered = play.say(60, mine=True)
    assert Link(60) in answered
    reply = sent(answered)[60]
    assert isinstance(reply, Profile)
    assert (reply.mine, reply.yours) == (False, True)
    assert play.say(60, mine=True) == [], "a heartbeat, no news"
    assert play.hear(60, TableDisconnect()) == [Unlink(60)]
    assert play.say(60, yours=True) == [Send(60, TableDisconnect())], "it is in nobody's table"


def test_max_in_degree_does_not_limit_ring_neighbours() -> None:
    play = Play(most=2)
    for peer in (60, 61):
        assert Link(peer) in play.say(peer, mine=True)
    assert play.say(62, mine=True) == [Send(62, TableRefused())]
    assert Link(63) in play.say(63, mine=True, ring=True)
    assert play.say(63, mine=True, ring=False) == [Send(63, TableRefused()), Unlink(63)]
    play.agree(3)
    assert sent(play.say(3, mine=True))[3].yours, "who is chosen too costs no link"


def test_refusing_candidate_is_asked_again_later() -> None:
    play = Play()
    play.offer(3)
    assert play.hear(3, TableRefused()) == []
    assert sorted(play.offer(3, 8)) == [8], "somebody else"
    for _ in range(11):
        play.turn()
    assert 3 in play.offer(3)


def test_old_descriptors_are_rejected() -> None:
    play = Play()
    play.now = 20 * PERIOD
    assert play.offer(3, age=3001) == {}
    assert sorted(play.offer(3, age=2999)) == [3]
    play.turn()
    assert sorted(play.offer(3, age=1500)) == [], "said before it was asked in vain"
    assert sorted(play.offer(3, age=500)) == [3], "a sign of life from after"
    play.say(3, yours=True)
    assert list(play.node.linked()) == [3]
    for _ in range(3):
        assert Unlink(3) not in play.turn()
    assert Unlink(3) in play.turn(), "silent for three rounds and a half"
    assert play.offer(3, age=1) == {}
    play.now += PERIOD
    assert sorted(play.offer(3, age=1)) == [3]


def test_late_answer_is_accepted() -> None:
    play = Play()
    play.offer(3)
    play.turn()
    assert 3 not in play.node._asked
    assert Link(3) in play.say(3, yours=True)
    assert play.say(4, yours=True) == [Send(4, TableDisconnect())], "this one was never asked"


def test_reordered_profiles_are_ignored() -> None:
    play = Play()
    play.say(60, mine=True, version=500)
    assert play.say(60, mine=False, version=499) == []
    assert list(play.node.linked()) == [60]


@pytest.mark.parametrize("how", ["goodbye", "down"])
def test_failed_and_leaving_peers_are_removed(how: str) -> None:
    play = Play()
    play.agree(3)
    play.say(3, mine=True)
    if how == "goodbye":
        assert Unlink(3) in play.hear(3, Leaving())
    else:
        assert Unlink(3) in play.node.handle(PeerDown(3), play.now)
    assert not play.node.table
    assert not play.node.inward
    assert play.node.handle(Leave(), play.now) == []


def test_exchange_partners_are_of_the_table_or_the_ring() -> None:
    taken: list[Any] = []
    node: Any = SimpleNamespace(
        random=Stream(4), buffer=lambda now: [RatedDescriptor(50, (), (), now, 0)]
    )
    part = ComponentDriver(TMan(node))
    other: Any = SimpleNamespace(random=Stream(4), buffer=lambda now: [])
    plain = ComponentDriver(TMan(other, ring_one_in=0))
    assert part.start_exchange([], [], 0) == []
    for _ in range(3000):
        (effect,) = part.start_exchange([1, 2, 3, 4], [9], 7)
        assert isinstance(effect, Send)
        assert effect.message == TableExchange((RatedDescriptor(50, (), (), 7, 0),))
        taken.append(effect.peer)
        (effect,) = plain.start_exchange([1, 2, 3, 4], [9], 7)
        assert isinstance(effect, Send)
        assert effect.peer != 9
    assert 900 < taken.count(9) < 1100
    assert all(400 < taken.count(peer) < 600 for peer in (1, 2, 3, 4))
