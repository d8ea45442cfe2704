"""The fault test: its counts, its proxies, and a small run of it."""

from __future__ import annotations

import asyncio

import pytest

from tests.chaos import __main__ as chaos
from tests.chaos.proxy import Proxies
from tests.chaos.records import Incarnation, Publication
from tests.chaos.verdict import judge

TOPICS = {0: [7], 1: [7], 2: [7]}


def incarnation(service: int, *lines: str, **more: object) -> Incarnation:
    one = Incarnation(service, 0, **more)  # type: ignore[arg-type]
    return one.read(f"{line}\n" for line in ("ready 0.0", *lines))


def test_counts_of_lost_duplicated_and_disordered_deliveries() -> None:
    publisher = incarnation(0, *(f"published 7 {number} {number}.0" for number in range(1, 6)))
    reader = incarnation(
        1, "delivered 0 0 7 2 2.1", "delivered 0 0 7 1 2.2", "delivered 0 0 7 2 2.3",
        "delivered 0 0 7 5 5.01",
    )  # fmt: skip
    late = incarnation(2, "delivered 0 0 7 1 4.6", "delivered 0 0 7 5 5.5")
    late.ready = 4.5
    verdict = judge([publisher, reader, late], TOPICS, [0.0, 3.5])
    first, second = verdict.periods
    assert (first.expected, first.lost, first.duplicated, first.out_of_order) == (3, 1, 1, 1)
    assert (second.expected, second.lost, second.duplicated) == (3, 1, 0)
    assert (first.to_returned, second.to_returned) == (1, 0)
    assert (first.recovered, second.recovered) == (2.2, 5.5)
    pair = verdict.pairs[0, 1]
    assert (pair.expected, pair.lost, pair.duplicated, pair.out_of_order) == (5, 2, 1, 1)


def test_what_a_killed_publisher_and_a_slow_reader_cost_is_counted_apart() -> None:
    lines = (f"published 7 {number} {number}.0" for number in range(1, 6))
    publisher = incarnation(0, *lines, ended=5.5, killed=True)
    reader = incarnation(1, *(f"delivered 0 0 7 {number} {number}.1" for number in range(1, 5)))
    slow = incarnation(2, "delivered 0 0 7 1 1.5", "delivered 0 0 7 2 9.5", "dropped 2")
    (counts,) = judge([publisher, reader, slow], TOPICS, [0.0], frozenset({2})).periods
    assert (counts.expected, counts.lost, counts.last_words) == (10, 2, 2)
    assert (counts.dropped, counts.recovered) == (2, 0.0)


def test_delivery_to_a_service_that_ends_is_not_expected() -> None:
    publisher = incarnation(0, "published 7 1 1.0")
    (counts,) = judge([publisher, incarnation(1, ended=8.0)], TOPICS, [0.0]).periods
    assert (counts.expected, counts.lost) == (0, 0)


def test_record_without_the_end_of_its_last_line_is_read() -> None:
    one = Incarnation(3, 1).read(["published 7 1 2.5\n", "published 7 2"])
    assert one.published == {Publication(3, 1, 7, 1): 2.5}


def test_bytes_wait_while_two_groups_are_cut_off() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(100):
            writer.write(chunk)
        writer.close()

    async def test() -> None:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        target = server.sockets[0].getsockname()
        proxies = Proxies(lambda address: 0)
        await proxies.serve(1, "127.0.0.1", 0, target)
        address = proxies._servers[0].sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"one")
        assert await reader.readexactly(3) == b"one"
        proxies.cut([1])
        writer.write(b"two")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readexactly(3), 0.05)
        proxies.cut([0, 1])
        proxies.heal()
        assert await reader.readexactly(3) == b"two"
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await proxies.close()
        server.close()

    asyncio.run(test())


def test_services_under_faults_lose_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seconds in {
        "SECONDS_TO_SETTLE": 0.5, "SECONDS_TO_RETURN": 0.2, "SECONDS_BETWEEN_LOOKS": 0.3,
        "PORT": 7391,
    }.items():  # fmt: skip
        monkeypatch.setattr(chaos, name, seconds)
    words = "--services 3 --topics 2 --subscriptions 2 --rate 60 --faults kill,cut --cut 0.5"
    assert chaos.main(words.split()) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in shown[2:]] == ["| kill", "| cut"]
    assert all(int(line.split(" | ")[2]) > 0 for line in shown[2:])
