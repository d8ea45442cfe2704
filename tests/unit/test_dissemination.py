"""Limits of the disseminator: incarnations, bounded state and messages, digests, gaps."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.errors import MessageError
from gossamer.host import Codec
from gossamer.protocols.components import dissemination
from gossamer.protocols.components.dissemination import (
    Digest,
    Publication,
    PublicationId,
    Pull,
)
from gossamer.protocols.contract import Deliver, Effect, Gap, Peer, Send, SetTimer, Topic, Topics
from tests.component_driver import DisseminatorDriver

PERIOD = 1_000_000


def make(me: Peer = "me", near: tuple[Peer, ...] = ("a", "b"), **more: Any) -> DisseminatorDriver:
    """Return a node with some linked peers, which are neighbours on every topic."""

    def neighbours_on(topic: Topic) -> tuple[Peer, ...]:
        return near

    part = DisseminatorDriver(me, neighbours_on, **more)
    for peer in near:
        part.on_link(peer, 0)
    return part


def sent(effects: list[Effect], kind: type = Publication) -> list[tuple[Peer, Any]]:
    return [
        (effect.peer, effect.message)
        for effect in effects
        if isinstance(effect, Send) and isinstance(effect.message, kind)
    ]


def delivered(effects: list[Effect]) -> list[Deliver]:
    return [effect for effect in effects if isinstance(effect, Deliver)]


def count(gaps: tuple[Gap, ...]) -> int:
    """Return the number of missing publications."""
    return sum(gap.last - gap.first + 1 for gap in gaps)


def timers(effects: list[Effect]) -> list[int]:
    return [effect.at for effect in effects if isinstance(effect, SetTimer)]


def copy(
    number: int,
    topics: Topics = (0,),
    places: tuple[int, ...] | None = None,
    *,
    publisher: Peer = "p",
    life: int = 0,
    payload: bytes = b"x",
    hops: int = 1,
    on: Topic | None = None,
) -> Publication:
    return Publication(
        PublicationId(publisher, life, number),
        topics,
        places or (number,) * len(topics),
        payload,
        hops,
        on,
    )


def take(
    part: DisseminatorDriver, message: Publication, own: Topics = (0,), now: int = 0
) -> list[Effect]:
    found: list[Effect] = part.on(own).on_publication("a", message, now)
    return found


# -- incarnations --------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [2, 100])
def test_publications_after_a_restart_are_delivered(memory: int) -> None:
    listener = make(memory=memory)
    payloads = []
    for life in (5, 77):
        publisher = make("p", ("me",))
        publisher.start(life)
        for number in range(4):
            made = sent(publisher.on((0,)).publish((0,), b"%d of %d" % (number, life), life))
            assert [message.id for _, message in made] == [PublicationId("p", life, number + 1)]
            found = delivered(take(listener, made[0][1]))
            payloads += [(one.payload, count(one.missing)) for one in found]
    assert payloads == [(b"%d of %d" % (n, life), 0) for life in (5, 77) for n in range(4)]


def test_gaps_are_counted_per_incarnation() -> None:
    part = make()
    assert [count(one.missing) for one in delivered(take(part, copy(1)))] == [0]
    assert [count(one.missing) for one in delivered(take(part, copy(4)))] == [2]
    assert [count(one.missing) for one in delivered(take(part, copy(9, life=8)))] == [0], (
        "a new count"
    )
    assert [count(one.missing) for one in delivered(take(part, copy(3)))] == [1]
    assert [count(one.missing) for one in delivered(take(part, copy(2)))] == [0]


# -- publishing ----------------------------------------------------------------------------


@pytest.mark.parametrize("flood", ["crosspost", "simple", "notify"])
def test_repeated_topic_counts_once(flood: Any) -> None:
    part = make(flood=flood)
    first = part.on((0, 1)).publish((0, 1, 0, 0), b"x", 0)
    assert sorted(topic for one in delivered(first) for topic in one.topics) == [0, 1]
    part.on((0, 1)).publish((0,), b"y", 0)
    latest = part._kept[part.latest]
    assert (latest.topics, latest.places) == ((0,), (2,)), "two on topic 0 so far"


def test_a_publication_has_no_more_topics_than_the_wire_allows() -> None:
    many = tuple(range(dissemination.MAX_TAGS + 3))
    part = make()
    (made, *_) = delivered(part.on(many).publish(many, b"", 0))
    assert made.topics == many[: dissemination.MAX_TAGS]
    assert part._kept[part.latest].places == (1,) * dissemination.MAX_TAGS


def test_publications_with_a_repeated_topic_are_dropped() -> None:
    part = make()
    assert take(part, copy(1, (0, 0))) == []
    assert delivered(take(part, copy(1))), "nor was it noted as seen"


def test_copies_go_to_all_neighbours_but_sender_and_publisher_with_one_hop_more() -> None:
    part = make(near=("a", "b", "c", "p"))
    out = take(part, copy(1, hops=3))
    assert [one.hops for one in delivered(out)] == [3]
    assert [(peer, message.hops) for peer, message in sent(out)] == [("b", 4), ("c", 4)]
    assert take(part, copy(1, hops=2)) == [], "once"
    own = part.on((0,)).publish((0,), b"y", 0)
    assert [(one.hops, one.publisher) for one in delivered(own)] == [(0, "me")]
    assert [(peer, message.hops) for peer, message in sent(own)] == [
        (peer, 1) for peer in ("a", "b", "c", "p")
    ]


@pytest.mark.parametrize(("flood", "copies"), [("crosspost", 1), ("simple", 2), ("notify", 1)])
def test_neighbour_on_two_topics_receives_one_copy_unless_topics_are_flooded_apart(
    flood: Any, copies: int
) -> None:
    part = make(flood=flood)
    out = part.on((0, 1)).publish((0, 1), b"x", 0)
    peers = [effect.peer for effect in out if isinstance(effect, Send)]
    assert peers == ["a", "b"] * copies


def test_publication_without_a_matching_topic_is_ignored() -> None:
    part = make()
    assert take(part, copy(1, (7,))) == []
    assert not part._kept
    carrier = make(carries=lambda topic: topic == 7)
    out = take(carrier, copy(1, (7,)))
    assert not delivered(out)
    assert [peer for peer, _ in sent(out)] == ["b"]


def test_carried_topics_are_forwarded_and_other_foreign_topics_are_not() -> None:
    near: dict[Topic, tuple[Peer, ...]] = {0: ("b",), 7: ("c",), 8: ("d",)}
    part = DisseminatorDriver("me", near.__getitem__, carries=lambda topic: topic == 7)
    out = take(part, copy(1, (0, 7, 8)))
    assert [one.topics for one in delivered(out)] == [(0,)]
    assert [peer for peer, _ in sent(out)] == ["b", "c"]


# -- what is kept --------------------------------------------------------------------------


def kept_bytes(part: DisseminatorDriver) -> int:
    return sum(len(one.payload) for one in part._kept.values())


def test_history_counts_a_message_once_in_simple_floods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissemination, "MAX_BYTES", 100)
    part = make(flood="simple")
    for number in range(1, 12):
        for topic in (0, 1, 2):
            take(part, copy(number, (0, 1, 2), payload=bytes(30), on=topic), (0, 1, 2))
        assert part._bytes == kept_bytes(part) <= 100
    assert [one.number for one in part._kept] == [9, 10, 11], "the latest that fit"
    part.on((0, 1, 2)).publish((0, 1, 2), bytes(50), 0)
    assert part._bytes == kept_bytes(part) == 80
    assert [one.number for one in part._kept] == [11, 1]


def test_history_is_bounded_by_count_and_bytes() -> None:
    part = make(history=2)
    for number, size in enumerate((10, 20, 30, 40), 1):
        take(part, copy(number, payload=bytes(size)))
    assert [one.number for one in part._kept] == [3, 4]
    assert part._bytes == 70
    assert [
        message.id.number for _, message in sent(part.on_pull("b", Pull(ids(1, 2, 3), ()), 0))
    ] == [3]


def test_history_may_fill_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissemination, "MAX_BYTES", 100)
    part = make()
    for number, size in enumerate((40, 60, 1), 1):
        take(part, copy(number, payload=bytes(size)))
        assert part._bytes == kept_bytes(part) == (40, 100, 61)[number - 1]


def ids(*numbers: int) -> tuple[PublicationId, ...]:
    return tuple(PublicationId("p", 0, number) for number in numbers)


def test_publishers_are_bounded_and_the_oldest_is_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dissemination, "MAX_PUBLISHERS", 3)
    part = make()
    for publisher, number in (("p", 1), ("q", 1), ("r", 1), ("p", 2), ("s", 1)):
        take(part, copy(number, publisher=publisher, life=9))
    assert list(part._heard) == [("r", 9), ("p", 9), ("s", 9)]


def test_evicted_identifiers_count_as_received_per_publisher() -> None:
    part = make(memory=3)
    for number in (1, 2, 3, 4, 5):
        assert delivered(take(part, copy(number)))
    assert len(part._seen) == 3
    assert [bool(delivered(take(part, copy(n)))) for n in (1, 2, 3, 4, 5)] == [False] * 5
    assert delivered(take(part, copy(2, publisher="q")))
    assert delivered(take(part, copy(2, life=1)))
    assert delivered(take(part, copy(2, publisher="r")))
    assert delivered(take(part, copy(1, publisher="r"))), "the earlier one, the first time"
    take(part, copy(3, publisher="r"))
    assert delivered(take(part, copy(2, life=1))) == [], "evicted, of a later incarnation"
    late = make(memory=2)
    for number in (4, 3, 6, 7):
        take(late, copy(number))
    assert not delivered(take(late, copy(2))), "below what was forgotten"
    assert delivered(take(late, copy(5))), "above it"


def test_missing_numbers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissemination, "MAX_ABSENT", 5)
    part = make()
    take(part, copy(1))
    assert [count(one.missing) for one in delivered(take(part, copy(7)))] == [5]
    assert [count(one.missing) for one in delivered(take(part, copy(100)))] == [5]
    found = [count(delivered(take(part, copy(number)))[0].missing) for number in (8, 12, 13, 50)]
    assert found == [4, 3, 3, 3], "8 to 12 were noted last"


def test_missing_numbers_are_counted_on_subscribed_topics() -> None:
    part = make()
    take(part, copy(1, (0, 1), (1, 1)), (0, 1))
    (one,) = delivered(take(part, copy(4, (1,), (3,)), (0, 1)))
    assert count(one.missing) == 1, "one on topic 1"
    (one,) = delivered(take(part, copy(5, (0,), (2,)), (0, 1)))
    assert count(one.missing) == 0, "none on topic 0"
    (one,) = delivered(take(part, copy(6, (0, 1), (4, 4)), (0, 1)))
    assert count(one.missing) == 2, "one on each"
    (one,) = delivered(take(part, copy(3, (0, 1), (3, 2)), (0,)))
    assert (one.topics, one.missing) == ((0,), ())


# -- digests -------------------------------------------------------------------------------


def test_long_digest_has_the_latest_publications(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dissemination, "MAX_LISTED", 4)
    part = make(near=("a", "b"))
    for number in range(1, 11):
        take(part, copy(number))
    (first,) = sent(part.on((0,)).on_timer(PERIOD), Digest)
    assert first == ("b", Digest(ids(7, 8, 9, 10))), "a sent them, so no digest lists them for it"
    part.on_pull("b", Pull((), ids(7, 8, 9, 10)), 0)
    assert sent(part.on((0,)).on_timer(PERIOD), Digest) == [("b", Digest(ids(3, 4, 5, 6)))]
    part.on_pull("b", Pull((), ids(3, 4, 5, 6)), 0)
    part.on_pull("b", Pull((), ids(1, 2)), 0)
    last = part.on((0,)).on_timer(PERIOD)
    assert last == [], "all is reported, and no timer is set"


def test_digests_fit_the_wire() -> None:
    part = make(history=1000)
    for number in range(1, dissemination.MAX_LISTED + 40):
        take(part, copy(number))
    ((_, digest),) = sent(part.on((0,)).on_timer(PERIOD), Digest)
    assert len(digest.ids) == dissemination.MAX_LISTED
    assert digest.ids[-1].number == dissemination.MAX_LISTED + 39


def test_digest_timer_is_set_once() -> None:
    part = DisseminatorDriver("me", lambda topic: ("a", "b"), period=7)
    assert part.on_link("a", 0) == [], "nothing is kept"
    assert part.on_link("b", 0) == []
    assert timers(take(part, copy(1), now=100)) == [107]
    assert timers(take(part, copy(2), now=101)) == []
    assert timers(part.on((0,)).on_timer(110)) == [117], "b has not said that it has them"
    assert timers(part.on_link("c", 111)) == []
    part.on_pull("b", Pull((), ids(1, 2)), 0)
    assert part.on((0,)).on_timer(120) == []
    assert timers(part.on_link("b", 130)) == [137], (
        "a peer that is linked again receives digests again"
    )
    assert [peer for peer, _ in sent(part.on((0,)).on_timer(140), Digest)] == ["b"]


def test_unlinked_peers_receive_no_digests() -> None:
    part = make()
    take(part, copy(1))
    assert part.peers == {"a", "b"}
    part.on_unlink("b")
    assert part.peers == {"a"}
    assert part.on((0,)).on_timer(PERIOD) == []


def test_digests_are_repeated_after_changed_topics() -> None:
    near: dict[Topic, tuple[Peer, ...]] = {0: ("a",)}
    part = DisseminatorDriver("me", lambda topic: near.get(topic, ()))
    for peer in ("a", "b"):
        part.on_link(peer, 0)
    take(part, copy(1))
    assert part.on((0,)).on_timer(PERIOD) == []
    near[0] = ("a", "b")
    assert part.on((0,)).on_timer(PERIOD) == [], "settled"
    assert timers(part.on_neighbours_changed(5)) == [5 + PERIOD]
    assert sent(part.on((0,)).on_timer(PERIOD), Digest) == [("b", Digest(ids(1)))]


def test_missing_publications_are_pulled_once_a_period() -> None:
    part = make()
    assert sent(part.on((0,)).on_digest("a", Digest(ids(1, 2)), 0), Pull) == [
        ("a", Pull(ids(1, 2), ()))
    ]
    assert part.on((0,)).on_digest("b", Digest(ids(1)), PERIOD) == [], "the answer may be under way"
    assert sent(part.on((0,)).on_digest("b", Digest(ids(1)), PERIOD + 1), Pull) == [
        ("b", Pull(ids(1), ()))
    ]
    take(part, copy(1))
    assert sent(part.on((0,)).on_digest("b", Digest(ids(1, 3)), 0), Pull) == [
        ("b", Pull(ids(3), ids(1)))
    ], "what is there is said to be"
    assert part.on((0,)).on_digest("b", Digest(()), 0) == []


def test_pulled_publications_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissemination, "MAX_LISTED", 3)
    part = make(flood="notify")
    for number in range(1, 9):
        part.on((0,)).on_digest("a", Digest(ids(number)), 0)
    assert [one.number for one in part._asked] == [6, 7, 8]
    assert [one.number for one in part._notifiers] == [6, 7, 8]


def test_sender_of_a_digest_has_its_publications() -> None:
    part = make()
    take(part, copy(1))
    part.on((0,)).on_digest("b", Digest(ids(1)), 0)
    assert part.on((0,)).on_timer(PERIOD) == []
    assert part._has["b"] == dict.fromkeys(ids(1))
    part.on((0,)).on_digest("b", Digest(ids(5)), 0)
    part.on_pull("b", Pull((), ids(6)), 0)
    assert part._has["b"] == dict.fromkeys(ids(1)), "of what is kept alone"
    assert part.on_pull("stranger", Pull(ids(1), ids(1)), 0)
    assert set(part._has) == {"a", "b"}


def test_sender_of_a_duplicate_has_the_publication() -> None:
    part = make()
    take(part, copy(1))
    assert part.on((0,)).on_publication("b", copy(1), 0) == []
    assert part.on((0,)).on_timer(PERIOD) == []
    part.on((0,)).on_publication("stranger", copy(1), 0)
    part.on((0,)).on_publication("b", copy(2, (0, 1), on=0), 0)
    assert part._has == {"a": dict.fromkeys(ids(1)), "b": dict.fromkeys(ids(1))}, (
        "a copy on one topic alone says nothing of the others"
    )


def test_evicted_publications_are_forgotten_for_all_peers() -> None:
    part = make(history=1)
    take(part, copy(1))
    part.on_pull("b", Pull((), ids(1)), 0)
    part.on((0,)).on_timer(PERIOD)
    assert list(part._complete_everywhere) == list(ids(1))
    take(part, copy(2))
    assert not part._complete_everywhere
    assert list(part._delivered) == list(ids(2))
    assert part._has == {"a": dict.fromkeys(ids(2)), "b": {}}


def test_pull_is_answered_from_the_history() -> None:
    part = make(flood="simple")
    take(part, copy(1, (0, 1), hops=4, on=0), (0, 1))
    take(part, copy(1, (0, 1), hops=9, on=1), (0, 1))
    ((peer, answer),) = sent(part.on_pull("b", Pull(ids(1, 9), ()), 0))
    assert peer == "b"
    assert (answer.hops, answer.on, answer.topics) == (5, None, (0, 1))


def test_repaired_publication_is_delivered_on_missing_topics() -> None:
    part = make(flood="simple")
    (one,) = delivered(take(part, copy(1, (0, 1, 2), on=0), (0, 1)))
    assert one.topics == (0,)
    assert sent(part.on((0, 1)).on_digest("b", Digest(ids(1)), 0), Pull) == [
        ("b", Pull(ids(1), ()))
    ]
    assert not sent(part.on((0, 1)).on_timer(PERIOD), Digest), "it has not come on all topics"
    (one,) = delivered(take(part, copy(1, (0, 1, 2), hops=6), (0, 1)))
    assert one.topics == (1,)
    ((_, whole),) = sent(part.on_pull("b", Pull(ids(1), ()), 0))
    assert whole.hops == 7, "the whole publication replaces a copy"
    assert take(part, copy(1, (0, 1, 2), on=1), (0, 1)) == []
    assert len(part._kept) == 1
    assert part._bytes == kept_bytes(part), "counted once"


# -- notification --------------------------------------------------------------------------


def test_notifier_is_acknowledged_and_not_notified() -> None:
    part = make(near=("a", "b", "c", "d"), flood="notify")
    assert sent(part.on((0,)).on_digest("a", Digest(ids(1)), 0), Pull) == [("a", Pull(ids(1), ()))]
    assert part.on((0,)).on_digest("b", Digest(ids(1)), 0) == [], "asked for already"
    out = take(part, copy(1))
    assert len(delivered(out)) == 1
    assert sent(out, Pull) == [("a", Pull((), ids(1))), ("b", Pull((), ids(1)))]
    assert sent(out, Digest) == [("c", Digest(ids(1))), ("d", Digest(ids(1)))]
    assert not sent(out, Publication)
    assert set(part._has["a"]) == set(part._has["b"]) == set(ids(1))
    assert part.on((0,)).on_digest("c", Digest(ids(1)), 0) == [Send("c", Pull((), ids(1)))]


def test_publication_without_notification_is_acknowledged() -> None:
    part = make(near=("a", "b"), flood="notify")
    out = part.on((0,)).on_publication("b", copy(1), 0)
    assert sent(out, Pull) == [("b", Pull((), ids(1)))]
    assert sent(out, Digest) == [("a", Digest(ids(1)))]
    own = part.on((0,)).publish((0,), b"y", 0)
    assert not sent(own, Pull)
    assert [peer for peer, _ in sent(own, Digest)] == ["a", "b"]


def test_notification_is_used_after_a_later_subscription() -> None:
    part = make(flood="notify", carries=lambda topic: False)
    assert take(part, copy(1, (7,))) == []
    assert len(delivered(take(part, copy(1, (7,)), (7,)))) == 1


def test_notifiers_of_a_publication_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissemination, "MAX_NOTIFIERS", 2)
    part = make(flood="notify")
    for peer in ("a", "b", "c"):
        part.on((0,)).on_digest(peer, Digest(ids(1)), 0)
    assert list(part._notifiers[ids(1)[0]]) == ["a", "b"]


# -- the wire ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fits", "too_long"),
    [
        (copy(1, payload=bytes(512 << 10)), copy(1, payload=bytes((512 << 10) + 1))),
        (copy(1, tuple(range(64))), copy(1, tuple(range(65)))),
        (copy(1 << 62), copy((1 << 62) + 1)),
        (copy(1, hops=1 << 31), copy(1, hops=(1 << 31) + 1)),
        (Digest(ids(*range(256))), Digest(ids(*range(257)))),
        (Pull(ids(*range(256)), ()), Pull(ids(*range(257)), ())),
        (Pull((), ids(*range(256))), Pull((), ids(*range(257)))),
    ],
    ids=["payload", "topics", "number", "hops", "digest", "pull", "had"],
)
def test_messages_beyond_the_bounds_of_the_wire_are_rejected(fits: Any, too_long: Any) -> None:
    codec = Codec(dissemination.MESSAGES)
    assert codec.decode(codec.encode(fits)) == fits
    with pytest.raises(MessageError):
        codec.decode(codec.encode(too_long))


def test_defaults_match_the_documentation() -> None:
    part = make()
    assert (part.period, part._memory, part._most_kept, part.flood) == (
        1_000_000, 8192, 512, "crosspost",
    )  # fmt: skip
    assert (dissemination.MAX_PUBLISHERS, dissemination.MAX_BYTES) == (4096, 4 << 20)
    assert (dissemination.MAX_ABSENT, dissemination.MAX_NOTIFIERS) == (256, 64)


# -- the history ---------------------------------------------------------------------------


def stored(part: DisseminatorDriver, *numbers: int, publisher: Peer = "p") -> list[int]:
    """Return which numbers a peer could pull."""
    ids = tuple(PublicationId(publisher, 0, number) for number in numbers)
    out: list[Effect] = []
    part.part.on_pull("b", Pull(ids, ()), 0, out)
    return [message.id.number for _, message in sent(out)]


def test_own_publications_stay_until_a_peer_has_one() -> None:
    """A returning node pulls a long history, and keeps what it has just published."""
    part = make("me", history=3)
    (_, mine), *_ = sent(part.on((0,)).publish((0,), b"mine", 0))
    for number in range(1, 6):
        take(part, copy(number))
    assert stored(part, 1, publisher="me") == [1]
    assert stored(part, 1, 2, 3, 4, 5) == [4, 5]
    part.on((0,)).on_pull("a", Pull((), (mine.id,)), 0)
    for number in range(6, 9):
        take(part, copy(number))
    assert stored(part, 1, publisher="me") == [], "the peer has it"
    assert stored(part, 6, 7, 8) == [6, 7, 8]


def test_history_of_unshared_publications_is_bounded() -> None:
    part = make("me", history=3)
    for _ in range(5):
        part.on((0,)).publish((0,), b"", 0)
    assert stored(part, 1, 2, 3, 4, 5, publisher="me") == [3, 4, 5]


def test_new_topics_are_delivered_from_the_history_once() -> None:
    part = make("me")
    assert [one.topics for one in delivered(take(part, copy(1, (0, 1))))] == [(0,)]
    (late,) = delivered(part.on((0, 1)).on_interest((0,), 5))
    assert (late.topics, late.payload, late.publisher) == ((1,), b"x", "p")
    assert delivered(take(part, copy(1, (0, 1)), (0, 1))) == []
    assert delivered(part.on((0,)).on_interest((0, 1), 6)) == []
    assert delivered(part.on((0, 1)).on_interest((0,), 7)) == [], "the application has it"


def test_publications_of_no_interest_are_requested_after_a_subscription() -> None:
    part = make("me")
    digest = Digest((copy(1).id,))
    assert sent(part.on((0,)).on_digest("a", digest, 0), Pull) == [("a", Pull(digest.ids, ()))]
    assert delivered(take(part, copy(1, (5,)))) == []
    assert sent(part.on((0,)).on_digest("a", digest, 1), Pull) == [("a", Pull((), digest.ids))]
    assert delivered(part.on((0, 5)).on_interest((0,), 2)) == []
    assert sent(part.on((0, 5)).on_digest("a", digest, 3), Pull) == [("a", Pull(digest.ids, ()))], (
        "at once, although it was requested before"
    )
    assert [one.topics for one in delivered(take(part, copy(1, (5,)), (0, 5)))] == [(5,)]
    part.on((0,)).on_interest((0, 5), 4)
    part.on((0, 5)).on_interest((0,), 5)
    assert delivered(take(part, copy(1, (5,)), (0, 5))) == [], "once, however often it subscribes"


def test_new_topics_are_delivered_once_in_simple_floods() -> None:
    part = make("me", (), flood="simple")
    take(part, copy(1, (0, 1), on=0))
    assert part.on((0,)).on_timer(PERIOD) == []
    out = part.on((0, 1)).on_interest((0,), 5)
    assert [one.topics for one in delivered(out)] == [(1,)]
    assert timers(out) == [5 + PERIOD], "new neighbours may lack it"
    assert delivered(take(part, copy(1, (0, 1), on=1), (0, 1))) == []


def test_publications_of_no_interest_are_bounded() -> None:
    part = make("me", history=2)
    for number in (1, 2, 3):
        take(part, copy(number, (5,)))
    assert part._passed_over == dict.fromkeys(ids(2, 3), (5,))
