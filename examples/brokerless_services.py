"""Services that publish to each other without a broker: orders, stock and an audit, by topic.

Run it anywhere: ``python examples/brokerless_services.py``. Each service is a node; here all are in
one process, and they may as well be on many machines: every node needs only the address of one
other to join.
"""

from __future__ import annotations

import asyncio
import json

from gossamer.live import Node, PublishedEvent

ORDERS, STOCK = "orders", "stock"


async def stock(node: Node, orders: int) -> None:
    """Take what is ordered off the shelf, and tell how much is left."""
    left = 10
    taken = 0
    async for event in node.subscribe(ORDERS):
        order = json.loads(event.payload)
        left -= order["pieces"]
        await node.publish([STOCK], json.dumps({"left": left}).encode())
        taken += 1
        if taken == orders:
            return


async def audit(node: Node, events: int) -> list[str]:
    """Note everything that is published on both topics."""
    seen: list[str] = []
    done = asyncio.Event()

    def note(event: PublishedEvent) -> None:
        seen.append(f"{','.join(map(str, event.topics))}: {event.payload.decode()}")
        if len(seen) == events:
            done.set()

    node.on_event = note
    await asyncio.wait_for(done.wait(), 30)
    return seen


async def main() -> None:
    """Start three services, order three times, and show what the audit saw."""
    async with (
        Node(topics=[ORDERS, STOCK]) as shelf,
        Node(topics=[ORDERS, STOCK], join=[shelf.address]) as auditor,
        Node(topics=[ORDERS], join=[shelf.address]) as shop,
    ):
        while len(auditor.links) < 2 or not shop.links:
            await asyncio.sleep(0.05)
        noted = asyncio.create_task(audit(auditor, events=6))
        served = asyncio.create_task(stock(shelf, orders=3))
        await asyncio.sleep(0)
        for pieces in (1, 2, 3):
            await shop.publish([ORDERS], json.dumps({"pieces": pieces}).encode())
        await served
        for line in await noted:
            print(line)


asyncio.run(main())
