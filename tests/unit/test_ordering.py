"""Deliveries in the order of publication: waits, gaps that are given up, and bounds."""

from __future__ import annotations

import pytest

from gossamer.errors import ParameterError
from gossamer.protocols import find_protocol
from gossamer.protocols.components import ordering
from gossamer.protocols.components.ordering import Ordering
from gossamer.protocols.contract import Deliver, Effect, Gap, SetTimer

STREAM = ("p", 0, "tea")
SECOND = 1_000_000


def give(part: Ordering, number: int, now: int = 0, publisher: str = "p") -> list[Effect]:
    out: list[Effect] = []
    one = Deliver(("tea",), b"%d" % number, publisher, 1, (number,))
    part.deliver((publisher, 0, "tea"), one, now, out)
    return out


def numbers(effects: list[Effect]) -> list[tuple[int, tuple[Gap, ...]]]:
    return [(one.numbers[0], one.missing) for one in effects if isinstance(one, Deliver)]


def timer(part: Ordering, now: int) -> list[Effect]:
    out: list[Effect] = []
    part.on_timer(now, out)
    return out


def test_deliveries_wait_for_earlier_ones() -> None:
    part = Ordering(5 * SECOND)
    assert numbers(give(part, 1)) == [(1, ())]
    assert give(part, 3, 10) == [SetTimer("order", 10 + 5 * SECOND)]
    assert give(part, 4, 20) == []
    assert numbers(give(part, 2, 30)) == [(2, ()), (3, ()), (4, ())]
    assert timer(part, 10 + 5 * SECOND) == []


def test_missing_publications_are_given_up_after_the_wait() -> None:
    part = Ordering(5 * SECOND)
    give(part, 1)
    give(part, 4, 10)
    give(part, 7, 20)
    out = timer(part, 10 + 5 * SECOND)
    assert numbers(out) == [(4, (Gap("tea", 2, 3),))]
    assert out[-1] == SetTimer("order", 20 + 5 * SECOND)
    assert give(part, 3, 30) == [], "it is too late"
    assert numbers(timer(part, 20 + 5 * SECOND)) == [(7, (Gap("tea", 5, 6),))]


def test_first_publications_wait_for_the_history() -> None:
    part = Ordering(5 * SECOND)
    assert give(part, 100, 0) == [SetTimer("order", 5 * SECOND)]
    for number in (98, 99):
        assert numbers(give(part, number, 10)) == []
    assert numbers(timer(part, 5 * SECOND)) == [(98, ()), (99, ()), (100, ())]
    assert numbers(give(part, 101, 5 * SECOND)) == [(101, ())]


def test_waiting_deliveries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MAX_HELD", 3)
    part = Ordering(5 * SECOND)
    give(part, 1)
    for number in (3, 5, 7):
        assert not numbers(give(part, number))
    assert numbers(give(part, 9)) == [(3, (Gap("tea", 2, 2),))]


def test_streams_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MAX_STREAMS", 2)
    part = Ordering(5 * SECOND)
    give(part, 1, publisher="p")
    give(part, 3, publisher="p")
    give(part, 1, publisher="q")
    assert numbers(give(part, 1, publisher="r")) == [(3, (Gap("tea", 2, 2),)), (1, ())]


def test_floods_have_no_order() -> None:
    with pytest.raises(ParameterError, match="order is publisher with flood simple"):
        find_protocol("spidercast").configure({"order": "publisher", "flood": "simple"})
