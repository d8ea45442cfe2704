"""Readiness: wait until events on a topic reach its subscribers."""

from __future__ import annotations

import asyncio

from gossamer.live.errors import NotReadyError
from gossamer.live.messaging.pattern_lists import PatternLists
from gossamer.live.messaging.publication_builder import PublicationBuilder
from gossamer.live.runtime import Runtime
from gossamer.protocols.contract import Peer

POLL_SECONDS = 0.02
MAX_ASKED = 16
"""Maximum number of peers that are asked to confirm patterns at the same time."""
ASK_SECONDS = 0.3
"""Time to wait for the confirmations of the peers that were asked."""


async def wait_for_subscribers(
    runtime: Runtime, builder: PublicationBuilder, topic: str, subscribers: int, timeout: float
) -> None:
    """Wait until enough nodes subscribe to a topic or to matching patterns.

    If this node subscribes to the topic too, wait also for a link to another subscriber.

    Raises
    ------
    NotReadyError
        If that is not so when the time is over.
    """
    end = asyncio.get_running_loop().time() + timeout
    while True:
        host = runtime.running("ready")
        tags = builder.tags_of(topic)
        found = runtime.subscribers_of(tags)
        shared = topic in runtime.topics and runtime.subscribers_of((topic,))
        linked = not shared or any(True for _ in host.machine.neighbours_on(topic))
        if len(found) >= subscribers and (linked or not subscribers):
            return
        if asyncio.get_running_loop().time() >= end:
            raise NotReadyError(
                f"{topic!r} has {len(found)} other subscribers after {timeout:g} s"
                f"{'' if linked else ', and no link to one'}; expected {subscribers}"
            )
        await asyncio.sleep(POLL_SECONDS)


async def wait_for_pattern(
    runtime: Runtime, patterns: PatternLists, pattern: str, timeout: float
) -> None:
    """Wait until the linked and the known peers have confirmed the patterns of this node.

    A known peer that does not answer within ``ASK_SECONDS`` is asked once more and then left out; a
    linked peer is asked until it answers.

    Raises
    ------
    NotReadyError
        If, when the time is over, a peer has not confirmed or no peer is known.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    asked: dict[Peer, int] = {}
    while True:
        runtime.running("ready")
        linked, _, known = runtime.peers()
        missing = patterns.unconfirmed(dict.fromkeys((*linked, *known)))
        missing = [peer for peer in missing if peer in linked or asked.get(peer, 0) < 2]
        alone = not linked and not known
        if not missing and (not alone or not runtime.settings.join):
            return
        if loop.time() >= end:
            raise NotReadyError(
                f"{len(missing)} peers have not confirmed {pattern!r} after {timeout:g} s"
                if missing
                else f"no peer is known after {timeout:g} s; expected one that confirms {pattern!r}"
            )
        batch = missing[:MAX_ASKED]
        patterns.ask_to_confirm(batch)
        asked |= {peer: asked.get(peer, 0) + 1 for peer in batch}
        until = min(end, loop.time() + (ASK_SECONDS if batch else POLL_SECONDS))
        while loop.time() < until and (not batch or patterns.unconfirmed(batch)):
            await asyncio.sleep(POLL_SECONDS / 4)
