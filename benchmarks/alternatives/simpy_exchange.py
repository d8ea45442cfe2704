"""The same exchange of messages in SimPy: a process for each node and for each message."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

__all__ = ["simpy_exchange"]


def simpy_exchange(nodes: int, rounds: int, period: int, delays: list[int]) -> int:
    """Let every node send to its next in each period, and answer what it gets; count receipts."""
    world = simpy.Environment()
    inboxes: list[simpy.Store] = [simpy.Store(world) for _ in range(nodes)]
    received = 0

    def carry(source: int, target: int, answer: bool, delay: int) -> Generator[Any, Any, None]:
        yield world.timeout(delay)
        inboxes[target].put((source, answer))

    def send(source: int, target: int, answer: bool, count: int) -> None:
        world.process(carry(source, target, answer, delays[(source + count) % len(delays)]))

    def beat(node: int) -> Generator[Any, Any, None]:
        for count in range(rounds):
            yield world.timeout(period)
            send(node, (node + 1 + count % 7) % nodes, False, count)

    def listen(node: int) -> Generator[Any, Any, None]:
        nonlocal received
        while True:
            source, answer = yield inboxes[node].get()
            received += 1
            if not answer:
                send(node, source, True, 0)

    for node in range(nodes):
        world.process(beat(node))
        world.process(listen(node))
    world.run(until=(rounds + 2) * period)
    return received
