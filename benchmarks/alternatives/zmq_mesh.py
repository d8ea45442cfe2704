"""Publish and subscribe among nodes that are all connected to each other, with pyzmq.

Each node has a PUB socket that the others connect a SUB socket to, and subscribes to its topics
there: the usual way without a broker. One copy goes to each subscriber, over N(N - 1) connections.
"""

from __future__ import annotations

import asyncio
import time

import zmq
import zmq.asyncio

__all__ = ["zmq_mesh"]


async def zmq_mesh(
    wants: list[list[int]], published: list[tuple[int, int]], payload: bytes
) -> tuple[int, float, float]:
    """Publish (node, topic) one after the other; return deliveries, seconds, and CPU seconds."""
    context = zmq.asyncio.Context()
    senders, receivers = [], []
    for _ in wants:
        sender = context.socket(zmq.PUB)
        sender.set_hwm(0)
        senders.append((sender, sender.bind_to_random_port("tcp://127.0.0.1")))
    for number, topics in enumerate(wants):
        receiver = context.socket(zmq.SUB)
        receiver.set_hwm(0)
        for topic in topics:
            receiver.setsockopt(zmq.SUBSCRIBE, b"%05d" % topic)
        for other, (_, port) in enumerate(senders):
            if other != number:
                receiver.connect(f"tcp://127.0.0.1:{port}")
        receivers.append(receiver)
    await asyncio.sleep(2)
    expected = sum(
        topic in topics
        for node, topic in published
        for number, topics in enumerate(wants)
        if number != node
    )
    came = 0
    done = asyncio.Event()

    async def listen(receiver: zmq.asyncio.Socket) -> None:
        nonlocal came
        while True:
            await receiver.recv_multipart()
            came += 1
            if came == expected:
                done.set()

    listeners = [asyncio.ensure_future(listen(receiver)) for receiver in receivers]
    started, computed = time.perf_counter(), time.process_time()
    for count, (node, topic) in enumerate(published):
        await senders[node][0].send_multipart([b"%05d" % topic, payload])
        if count % 50 == 0:
            await asyncio.sleep(0)
    await asyncio.wait_for(done.wait(), 60)
    seconds, cpu = time.perf_counter() - started, time.process_time() - computed
    for listener in listeners:
        listener.cancel()
    await asyncio.gather(*listeners, return_exceptions=True)
    context.destroy(linger=0)
    return came, seconds, cpu
