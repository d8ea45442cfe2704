"""Envelopes and parts: large payloads, and malformed content."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import MessageError, ParameterError
from gossamer.live import (
    NetworkLimits,
    Node,
)
from gossamer.live.events.envelope import MARK, Envelope, Part, decode_envelope
from gossamer.live.events.parts import PART_BYTES, Assembler, split
from tests.live.nodes import QUICK, run


@given(st.binary(max_size=40))
def test_arbitrary_bytes_are_an_envelope_or_rejected(content: bytes) -> None:
    try:
        assert isinstance(decode_envelope(content), Envelope | Part)
    except MessageError:
        return


def test_malformed_envelopes_are_counted() -> None:
    async def test() -> None:
        async with Node(topics=["a"]) as node, node.subscribe("a") as events:
            assert node._runtime.host is not None
            machine: Any = node._runtime.host.machine
            for content in (MARK, MARK + b"\x02abc", MARK + b"\x01abc"):
                out: list[Any] = []
                machine.dissemination.publish(
                    ("a",), content, machine.dissemination._incarnation, out
                )
                for one in out:
                    node._runtime.host._apply(one)
            assert node.status.unreadable == 3
            assert events.waiting == 0

    run(test)


@given(st.permutations(range(5)), st.integers(0, 4))
def test_parts_are_assembled_in_any_order_and_once(order: list[int], again: int) -> None:
    content = bytes(range(256)) * (4 * PART_BYTES // 256) + b"end"
    parts = list(split(content, 7))
    assembler = Assembler(1 << 30, 1 << 30, 60.0)
    found = [assembler.add("h:1", parts[place]) for place in order[:4]]
    assert found == [None] * 4
    if again != order[4]:
        assert assembler.add("h:1", parts[again]) is None
    assert assembler.add("h:1", parts[order[4]]) == content
    assert (len(assembler), assembler.bytes, assembler.incomplete) == (0, 0, 0)


def test_incomplete_parts_are_bounded_in_memory_and_time() -> None:
    now = 0.0
    assembler = Assembler(3 * PART_BYTES, 4 * PART_BYTES, 60.0, lambda: now)
    one, two = (list(split(bytes(3 * PART_BYTES), number)) for number in (1, 2))
    for part in (*one[:2], *two[:2]):
        assert assembler.add("h:1", part) is None
    assert assembler.add("h:2", Part(1, 0, 2, 2 * PART_BYTES, bytes(PART_BYTES))) is None
    assert (assembler.incomplete, assembler.bytes) == (1, 3 * PART_BYTES), "the oldest is given up"
    assert assembler.add("h:1", two[2]) is not None
    now = 61.0
    assembler.drop_old()
    assert (assembler.incomplete, assembler.bytes, len(assembler)) == (2, 0, 0)
    for part in (
        Part(3, 0, 1, 4 * PART_BYTES, b""), Part(4, 2, 2, 9, b""), Part(5, 0, 9, 3, b"abc"),
    ):  # fmt: skip
        assert assembler.add("h:1", part) is None
    assert assembler.incomplete == 5
    assert assembler.add("h:1", Part(6, 0, 2, 3, b"abcd")) is None
    assert (assembler.incomplete, assembler.bytes) == (6, 0), "more bytes than announced"
    assert assembler.add("h:1", Part(7, 0, 1, 3, b"ab")) is None
    assert (assembler.incomplete, assembler.bytes) == (7, 0), "fewer bytes than announced"


def test_payload_of_20_megabytes_arrives_as_it_is() -> None:
    payload = b"".join(bytes([number % 251]) * 1000 for number in range(20_000))

    async def test() -> None:
        async with (
            Node(topics=["films"], **QUICK) as one,
            Node(topics=["films"], join=[one.address], **QUICK) as two,
            Node(join=[one.address], **QUICK) as three,
        ):
            streams = [node.subscribe("films", max_bytes=1) for node in (one, two)]
            await one.ready("films")
            await three.publish("films", payload)
            await three.flush()
            for stream in streams:
                assert (await anext(stream)).payload == payload
            await one.publish("films", b"small")
            assert (await anext(streams[1])).payload == b"small"
            assert two.status.incomplete == 0

    run(test)


def test_payload_beyond_the_limit_is_refused() -> None:
    async def test() -> None:
        async with Node(limits=NetworkLimits(payload_bytes=10)) as node:
            with pytest.raises(
                ParameterError, match="the payload has 11 bytes; expected 10 at most"
            ):
                await node.publish("a", bytes(11))

    run(test)
