"""Requirements on every registered protocol, in both worlds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gossamer.protocols import find_protocol, protocols
from gossamer.random_stream import Stream
from tests.conformance.worlds import STAGES, Stage, converged, in_order, nonsense, overlay_of

INTERESTS: list[tuple[int, ...]] = [
    (0, 1), (0, 1, 2), (1, 2), (0, 2, 3), (3,), (0, 3), (1, 3), (2, 3), (0, 1, 2, 3),
]  # fmt: skip

Scenario = Callable[[Stage], Awaitable[None]]


@pytest.fixture(params=sorted(STAGES))
def play(request: pytest.FixtureRequest) -> Callable[[str, Scenario], None]:
    """Run a scenario in one of the worlds."""

    def played(protocol: str, scenario: Scenario) -> None:
        async def run() -> None:
            stage = STAGES[request.param](protocol)
            await stage.start(INTERESTS)
            try:
                await scenario(stage)
            finally:
                await stage.stop()
            assert request.param == "simulated" or not asyncio.all_tasks() - {
                asyncio.current_task()
            }

        asyncio.run(run())

    return played


@pytest.fixture(params=sorted(protocols()))
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


Play = Callable[[str, Scenario], None]


def test_joining_nodes_form_the_overlay(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        await stage.join(len(INTERESTS), (1, 3))
        await converged(stage)
        assert stage.present()[len(INTERESTS)][1], "who joined is linked"

    play(protocol, scenario)


def test_overlay_follows_changed_interests(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        for number in (0, 4, 6):
            stage.subscribe(number, 5)
        stage.unsubscribe(1, 2)
        stage.unsubscribe(8, 0)
        stage.unsubscribe(8, 0)
        await converged(stage)
        assert stage.present()[4][0] == (3, 5)
        assert stage.present()[8][0] == (1, 2, 3)

    play(protocol, scenario)


def test_overlay_is_repaired_after_graceful_leaves(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        for number in (8, 3):
            await stage.leave(number)
        await converged(stage)
        assert set(stage.present()) == {0, 1, 2, 4, 5, 6, 7}

    play(protocol, scenario)


def test_overlay_is_repaired_after_crashes_and_restarts(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        for number in (1, 8, 5):
            await stage.crash(number)
        await converged(stage)
        await stage.join(8, (0, 3))
        await converged(stage)
        assert stage.present()[8][0] == (0, 3)

    play(protocol, scenario)


def test_overlay_reconnects_after_a_partition(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        stage.cut(lambda number: number % 2)
        for _ in range(100):
            await stage.wait(0.3)
            crossing = [
                (number, other)
                for number, (_, links) in stage.present().items()
                for other in links
                if number % 2 != other % 2
            ]
            if not crossing:
                break
        assert not crossing, "a silent peer is given up"
        stage.heal()
        await converged(stage)

    play(protocol, scenario)


def test_overlay_forms_despite_loss_duplicates_and_reordering(play: Play, protocol: str) -> None:
    """Faults from the first message on."""

    async def scenario(stage: Stage) -> None:
        stage.disturb(loss=0.1, doubled=0.2, reordered=0.3)
        await stage.join(len(INTERESTS), (0, 2))
        await stage.wait(3.0)
        await stage.leave(2)
        await stage.crash(7)
        stage.heal()
        await converged(stage)

    play(protocol, scenario)


def test_malformed_messages_do_no_harm(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        messages = list(nonsense(find_protocol(protocol).messages, Stream(9), 300))
        for number in (0, 4):
            await stage.confuse(number, messages)
        await converged(stage)

    play(protocol, scenario)


def test_converged_overlay_does_not_change(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        await stage.wait(1.0)
        _, before, _ = overlay_of(stage)
        await stage.wait(1.5)
        _, after, _ = overlay_of(stage)
        assert in_order(stage)
        assert before == after

    play(protocol, scenario)


def expected(stage: Stage, sent: dict[bytes, tuple[int, ...]]) -> list[tuple[int, int, bytes]]:
    """Return the expected deliveries: node, topic and payload."""
    return sorted(
        (number, topic, payload)
        for payload, topics in sent.items()
        for number, (wanted, _) in stage.present().items()
        for topic in topics
        if topic in wanted
    )


async def all_delivered(stage: Stage, sent: dict[bytes, tuple[int, ...]]) -> None:
    """Wait until every subscriber has every publication, exactly once."""
    for _ in range(150):
        await stage.wait(0.2)
        if sorted(stage.delivered()) == expected(stage, sent):
            break
    await stage.wait(0.6)
    assert sorted(stage.delivered()) == expected(stage, sent)


def test_publications_reach_every_subscriber_once(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        await converged(stage)
        sent = {b"one": (0,), b"two": (3,), b"three": (0, 1, 2)}
        if not find_protocol(protocol).delivers:
            return  # nothing is promised
        stage.publish(0, sent[b"one"], b"one")
        stage.publish(4, sent[b"two"], b"two")
        stage.publish(8, sent[b"three"], b"three")
        await all_delivered(stage, sent)

    play(protocol, scenario)


def test_late_subscriber_receives_the_history(play: Play, protocol: str) -> None:
    """Over links that exist already, too."""

    async def scenario(stage: Stage) -> None:
        if not find_protocol(protocol).delivers:
            return  # nothing is promised
        await converged(stage)
        sent: dict[bytes, tuple[int, ...]] = {}
        for number in range(3):
            sent[b"first %d" % number] = (0,)
            stage.publish(0, (0,), b"first %d" % number)
        await all_delivered(stage, sent)
        for number in (2, 4, 6):
            stage.subscribe(number, 0)
        await converged(stage)
        await all_delivered(stage, sent)

    play(protocol, scenario)


def test_publisher_need_not_subscribe(play: Play, protocol: str) -> None:
    """To none of the topics, or to some, or to no topic at all."""

    async def scenario(stage: Stage) -> None:
        if not find_protocol(protocol).delivers:
            return  # nothing is promised
        stranger = len(INTERESTS)
        await stage.join(stranger, ())
        await converged(stage)
        sent = {b"none": (0, 1), b"some": (0, 2, 3), b"stranger": (1, 3)}
        stage.publish(4, sent[b"none"], b"none")
        stage.publish(2, sent[b"some"], b"some")
        stage.publish(stranger, sent[b"stranger"], b"stranger")
        await all_delivered(stage, sent)
        stage.disturb(loss=0.2, doubled=0.2, reordered=0.2)
        for count in range(5):
            payload = b"lossy %d" % count
            sent[payload] = (count % 3,)
            stage.publish(4, sent[payload], payload)
        await stage.wait(1.0)
        stage.heal()
        await all_delivered(stage, sent)

    play(protocol, scenario)


def test_lost_and_partitioned_publications_are_repaired(play: Play, protocol: str) -> None:
    async def scenario(stage: Stage) -> None:
        if not find_protocol(protocol).delivers:
            return  # nothing is promised
        await converged(stage)
        sent: dict[bytes, tuple[int, ...]] = {}
        stage.disturb(loss=0.2, doubled=0.2, reordered=0.2)
        for count in range(10):
            payload = b"lost %d" % count
            sent[payload] = (3,) if count % 2 else (0, 1)
            stage.publish(4 if count % 2 else 0, sent[payload], payload)
        await stage.wait(1.0)
        stage.heal()
        await converged(stage)
        stage.cut(lambda number: number % 2)
        await stage.wait(2.5)
        for number, topics in ((0, (0, 1)), (1, (0, 1, 2)), (4, (3,)), (7, (2, 3))):
            payload = b"cut %d" % number
            sent[payload] = topics
            stage.publish(number, topics, payload)
        await stage.wait(0.5)
        stage.heal()
        await converged(stage)
        await all_delivered(stage, sent)

    play(protocol, scenario)


@pytest.mark.parametrize("name", sorted(protocols()))
def test_registry_entry_is_complete(name: str) -> None:
    entry = find_protocol(name)
    assert entry.summary.endswith(".")
    assert entry.reference
    assert set(entry.background) < set(entry.messages)
    tags = [kind.__struct_config__.tag for kind in entry.messages]
    assert len(set(tags)) == len(tags)
