"""Queue groups: one member handles each event."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import pytest

from gossamer.live import (
    Node,
    PublishedEvent,
    Subscription,
)
from gossamer.live.messaging import groups as live_groups
from gossamer.live.messaging.groups import event_id_of, rank, seed_of
from tests.live.nodes import QUICK, crash, event, run, until


def test_ranks_spread_events_evenly() -> None:
    seeds = [seed_of(f"h:{number}#1") for number in range(10)]
    owners = Counter(
        max(range(10), key=lambda one: rank(event_id_of(event("a", b"", number), "a"), seeds[one]))
        for number in range(5000)
    )
    assert len(owners) == 10
    assert 400 < min(owners.values()) <= max(owners.values()) < 600


@pytest.fixture
def quick_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_groups, "PERIOD", 0.2)
    monkeypatch.setattr(live_groups, "JOIN_SECONDS", 0.4)
    monkeypatch.setattr(live_groups, "ALONE_SECONDS", 0.2)


class Workers:
    """Nodes that work in a group, and what each has handled."""

    def __init__(self) -> None:
        self.handled: list[tuple[int, bytes]] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.streams: list[Subscription] = []
        self.nodes: dict[Node, None] = {}

    def start(self, node: Node, topic: str = "work") -> None:
        stream = node.subscribe(topic, group="workers")
        self.streams.append(stream)
        self.nodes[node] = None
        number = len(self.tasks)
        self.tasks.append(asyncio.create_task(self._work(stream, number)))

    async def _work(self, stream: Subscription, number: int) -> None:
        async for one in stream:
            self.handled.append((number, one.payload))

    def know_each_other(self) -> bool:
        members = [
            member
            for node in self.nodes
            for consumers in node._subscriptions._consumers.values()
            for member in consumers
            if isinstance(member, live_groups.GroupMember)
        ]
        return all(member.members == len(self.tasks) for member in members)

    def payloads(self) -> Counter[bytes]:
        return Counter(payload for _, payload in self.handled)


@pytest.mark.usefixtures("quick_groups")
def test_each_event_is_handled_by_one_member_of_a_group() -> None:
    async def test() -> None:
        async with (
            Node(**QUICK) as one,
            Node(join=[one.address], **QUICK) as two,
            Node(join=[one.address], **QUICK) as shop,
        ):
            workers = Workers()
            for node in (one, two, two):
                workers.start(node)
            plain = one.subscribe("work")
            for number in range(90):
                await shop.publish("work", b"%d" % number)
            await until(lambda: len(workers.handled) >= 90)
            assert len(workers.payloads()) == 90
            before = len(workers.handled)
            await until(workers.know_each_other)
            for number in range(90, 300):
                await shop.publish("work", b"%d" % number)
            await until(lambda: len(workers.payloads()) == 300)
            assert len(workers.handled) - before == 210, "each is handled once"
            shares = Counter(number for number, _ in workers.handled[before:])
            assert min(shares.values()) > 30
            assert plain.waiting == 300, "a subscription without a group gets all"
            assert one.topics == ("work",)
            # A member that leaves hands over what it has not read.
            workers.streams[2].close()
            for number in range(300, 400):
                await shop.publish("work", b"%d" % number)
            await until(lambda: len(workers.payloads()) == 400)

    run(test)


@pytest.mark.usefixtures("quick_groups")
def test_events_of_a_member_that_crashes_go_to_the_others() -> None:
    async def test() -> None:
        async with (
            Node(**QUICK) as one,
            Node(join=[one.address], **QUICK) as shop,
            AsyncExitStack() as stack,
        ):
            lost = Node(join=[one.address], **QUICK)
            await lost.start()
            stack.push_async_callback(lost.stop)
            workers = Workers()
            workers.start(one)
            unread = lost.subscribe("work", group="workers")
            member: Any = next(iter(lost._subscriptions._consumers[unread]))
            await until(lambda: member.members == 2)
            for number in range(200):
                await shop.publish("work", b"%d" % number)
            await until(lambda: unread.waiting + len(workers.handled) == 200)
            assert unread.waiting > 50
            for _ in range(20):
                await anext(unread)  # handled, except for the last, and not acknowledged yet
            await crash(lost)
            member.close()
            await until(lambda: len(workers.payloads()) == 200)
            assert max(workers.payloads().values()) == 1

    run(test)


def test_an_event_that_no_member_holds_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each member may expect another one to handle an event that arrives while one joins."""
    monkeypatch.setattr(live_groups, "PERIOD", 0.02)
    monkeypatch.setattr(live_groups, "JOIN_SECONDS", 0.05)
    monkeypatch.setattr(live_groups, "REPLY_SECONDS", 0.005)

    async def test() -> None:
        members: list[live_groups.GroupMember] = []
        read: list[list[PublishedEvent]] = [[], []]
        lose_heartbeats = False

        def publish(topic: str, payload: bytes) -> None:
            for member in () if lose_heartbeats else members:
                asyncio.get_running_loop().call_soon(member.put, event(topic, payload))

        members.extend(
            live_groups.GroupMember(
                "a",
                "workers",
                f"h:{number}#1",
                hand_over=read[number].append,
                publish=publish,
                has_others=lambda _: True,
            )
            for number in range(2)
        )
        one, two = members
        await until(lambda: one.members == two.members == 2)
        seeds = [seed_of(f"h:{number}#1") for number in range(2)]

        def ranks_second(number: int) -> bool:
            event_id = event_id_of(event("a", b"", number), "a")
            return rank(event_id, seeds[0]) < rank(event_id, seeds[1])

        missed, held, done = [
            event("a", b"", number) for number in range(1, 50) if ranks_second(number)
        ][:3]
        for each in (missed, held, done):
            one.put(each)
        two.put(held)
        two.put(done)
        # The acknowledgement of one event is lost.
        lose_heartbeats = True
        two.note_handled(done)
        two._send_heartbeat()
        lose_heartbeats = False
        assert one.unacknowledged == 3
        await until(lambda: read[0])
        await asyncio.sleep(0.3)
        assert read == [[missed], [held, done]]
        assert one.unacknowledged == 1, "the reader of the other member still holds it"
        one.note_handled(missed)
        two.note_handled(held)
        await until(lambda: one.unacknowledged == 0)
        for member in members:
            member.close()

    run(test, seconds=5.0)
