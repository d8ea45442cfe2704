"""Numbers that have arrived as ranges, and the history of publications, against plain sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components import history, sequences
from gossamer.protocols.components.dissemination import Publication, PublicationId
from gossamer.protocols.components.history import OVERHEAD, History, HistoryLimits
from gossamer.protocols.components.sequences import Arrived, Sequences, ranges_of

STREAM = ("p", 0, "tea")
SECOND = 1_000_000


@given(st.lists(st.integers(1, 40), min_size=1), st.integers(1, 40), st.integers(0, 40))
def test_arrived_numbers_equal_a_set(numbers: list[int], first: int, length: int) -> None:
    arrived = Arrived(numbers[0], 0)
    known = {numbers[0]}
    for number in numbers[1:]:
        assert arrived.add(number, 0) == (number not in known)
        known.add(number)
        assert (arrived.first, arrived.last) == (min(known), max(known))
        assert list(arrived.gaps) == list(
            ranges_of(n for n in range(min(known), max(known)) if n not in known)
        )
    asked = range(first, first + length + 1)
    assert arrived.missing(asked[0], asked[-1]) == list(
        ranges_of(number for number in asked if number not in known)
    )


def test_a_million_publications_of_a_publisher_are_one_range() -> None:
    found = Sequences()
    assert all(found.add(STREAM, number, number) is not None for number in range(1, 1_000_001))
    arrived = found.streams[STREAM]
    assert (arrived.first, arrived.last, arrived.gaps) == (1, 1_000_000, ())
    assert not found.add(STREAM, 500_000, 0)


def test_gaps_are_bounded_and_the_first_counts_as_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "MAX_GAPS", 3)
    arrived = Arrived(1, 0)
    for number in (3, 5, 7, 9):
        assert arrived.add(number, 0)
    assert arrived.gaps == ((4, 4), (6, 6), (8, 8))
    assert not arrived.add(2, 0)
    assert arrived.add(4, 0)


def test_old_gaps_are_given_up() -> None:
    arrived = Arrived(1, 0)
    arrived.add(4, 0)
    arrived.add(5, sequences.MAX_GAP_AGE)
    assert list(arrived.gaps) == [(2, 3)]
    arrived.add(6, sequences.MAX_GAP_AGE + 1)
    assert not list(arrived.gaps)
    assert not arrived.add(2, 0)


def test_streams_are_bounded_and_the_most_silent_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sequences, "MAX_STREAMS", 16)
    found = Sequences()
    for publisher in range(16):
        found.add((publisher, 0, 0), 1, publisher)
    found.add((0, 0, 0), 2, 99)
    found.add((16, 0, 0), 1, 100)
    assert list(found.streams) == [(p, 0, 0) for p in (0, *range(3, 17))]


# -- the history ---------------------------------------------------------------------------


def copy(
    number: int, topics: tuple[int, ...] = (0,), size: int = 0, publisher: str = "p"
) -> Publication:
    places = (number,) * len(topics)
    return Publication(PublicationId(publisher, 0, number), topics, places, bytes(size), 0)


def numbers_of(found: History, topic: int = 0) -> list[tuple[int, int]]:
    return [span for _, span in found.spans(topic)]


def test_publications_are_stored_for_half_as_long_again() -> None:
    found = History(HistoryLimits(seconds=60))
    for number in range(1, 101):
        found.add(copy(number), (0,), "q", number * SECOND, shared=True)
    found.drop_old(100 * SECOND)
    found.check_invariants()
    assert numbers_of(found) == [(10, 100)]
    assert found.get(("p", 0, 0), 9) is None
    stored = found.get(("p", 0, 0), 10)
    assert stored is not None
    assert (stored.publication.id.number, stored.source) == (10, "q")
    found.drop_old(1000 * SECOND)
    found.check_invariants()
    assert (len(found), found.bytes, bool(found)) == (0, 0, False)


def test_loud_topic_does_not_evict_a_quiet_one() -> None:
    found = History(HistoryLimits(max_bytes=100 * OVERHEAD))
    for number in range(1, 4):
        found.add(copy(number, (1,)), (1,), "q", 0, shared=True)
    for number in range(1, 1000):
        found.add(copy(number), (0,), "q", 0, shared=True)
        found.check_invariants()
        assert found.bytes <= 100 * OVERHEAD
    assert numbers_of(found, 1) == [(1, 3)]
    ((first, last),) = numbers_of(found)
    assert last == 999
    assert last - first > 80


def test_topics_that_are_equally_loud_lose_equally_many() -> None:
    found = History(HistoryLimits(max_bytes=160 * OVERHEAD))
    for number in range(1, 161):
        found.add(copy(number, (number % 4,)), (number % 4,), "q", 0, shared=True)
    found.add(copy(161, (0,)), (0,), "q", 0, shared=True)
    counts = [sum(b - a + 1 for a, b in numbers_of(found, topic)) for topic in range(4)]
    assert 146 < sum(counts) == len(found) <= 150
    assert max(counts) - min(counts) <= 1


def test_own_publications_stay_until_a_neighbour_has_them() -> None:
    """A returning node keeps its own first publication, however long the history that it pulls."""
    found = History(HistoryLimits(max_bytes=50 * OVERHEAD))
    found.add(copy(1, publisher="me"), (0,), None, 0, shared=False)
    for number in range(1, 500):
        found.add(copy(number), (0,), "q", 0, shared=True)
    found.drop_old(1000 * SECOND)
    mine = found.get(("me", 0, 0), 1)
    assert mine is not None
    found.note_shared(mine)
    found.check_invariants()
    found.drop_old(1000 * SECOND)
    assert found.get(("me", 0, 0), 1) is None
    for number in range(2, 80):
        found.add(copy(number, publisher="me"), (0,), None, 0, shared=False)
        found.check_invariants()
    assert numbers_of(found) == [(30, 79)]


def test_publications_of_a_dropped_topic_are_dropped() -> None:
    found = History(HistoryLimits())
    found.add(copy(1, (0, 1)), (0, 1), "q", 0, shared=True)
    found.add(copy(2, (1,)), (1,), "q", 0, shared=True)
    found.add(copy(3, (0,), publisher="me"), (0,), None, 0, shared=False)
    assert numbers_of(found, 1) == [(1, 2)]
    found.drop_topic(0)
    found.check_invariants()
    assert (numbers_of(found, 0), numbers_of(found, 1)) == ([], [(2, 2)])


def test_stored_publication_takes_the_bytes_that_are_counted() -> None:
    import tracemalloc

    from gossamer.host import Codec
    from gossamer.protocols.components.dissemination import MESSAGES

    codec = Codec(MESSAGES)
    encoded = [codec.encode(copy(n, publisher="10.0.0.17:7000")) for n in range(20_000)]
    found = History(HistoryLimits())
    tracemalloc.start()
    for one in encoded:
        found.add(codec.decode(one), (0,), "10.0.0.18:7000", 5, shared=True)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0.7 < size / found.bytes < 1.1
    assert history.OVERHEAD == OVERHEAD
