"""One churn event after the other: an overlay that is maintained, or a protocol's machines.

Both give the same record of each event, so that strategies with full knowledge and protocols with
partial knowledge are compared in one frame (ElastO §7).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.model import Interests, Overlay
from gossamer.quality import topic_components
from gossamer.sim.initial_overlay import initial_overlay_of
from gossamer.sim.snapshot import count_messages, observe
from gossamer.sim.world import World
from gossamer.time import SECOND

__all__ = ["EventRecord", "maintain_events", "protocol_events", "settle_links"]

QUIET = 2 * SECOND
LONGEST = 20 * SECOND
STEP = SECOND // 2


@dataclass(frozen=True)
class EventRecord:
    """What one churn event came to.

    Attributes
    ----------
    node, joined
        Who, and whether it joined or left.
    nodes, links
        How many are there afterwards.
    mean_degree, max_degree
        Of those who are there.
    topics_apart
        How many topics are not connected afterwards; -1 where that was not looked at.
    added, ended
        Links that the event added, and ended, the leaver's own included; 0 for a protocol's
        machines, of which they are not counted.
    seconds
        How long it took to compute.
    messages
        How many messages it took, where a protocol was run or simulated.
    coordinator, shadows, known
        Of ElastO-L: see :class:`gossamer.maintain.strategies.elasto_l.Repaired`.
    """

    node: int
    joined: bool
    nodes: int
    links: int
    mean_degree: float
    max_degree: int
    topics_apart: int
    added: int
    ended: int
    seconds: float
    messages: int = 0
    coordinator: int = -1
    shadows: int = 0
    known: int = 0


def maintain_events(
    maintainer: Maintainer,
    nodes: NDArray[np.int32],
    joins: NDArray[np.bool_],
    *,
    gossip: float = 0.0,
    verify: bool = True,
) -> Iterator[EventRecord]:
    """Let a maintainer take events one by one, by id, and give a record of each.

    Parameters
    ----------
    maintainer
        What keeps the overlay.
    nodes, joins
        Who, and whether it joins.
    gossip
        Of ElastO-L: the share of nodes that exchange views after each event.
    verify
        Whether to see after each event that every topic is connected.
    """
    strategy = maintainer.strategy
    local = strategy if isinstance(strategy, ElastoL) else None
    for node, joined in zip(nodes.tolist(), joins.tolist(), strict=True):
        started = time.perf_counter()
        done = maintainer.join_id(node) if joined else maintainer.leave_id(node)
        seconds = time.perf_counter() - started
        degrees = maintainer.degrees
        apart = -1
        if verify:
            apart = _apart(maintainer.interests_now, maintainer.overlay)
        cost = (0, -1, 0, 0) if local is None else _cost(local)
        yield EventRecord(
            node=node,
            joined=joined,
            nodes=len(degrees),
            links=int(degrees.sum(dtype=np.int64)) // 2,
            mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
            max_degree=int(degrees.max(initial=0)),
            topics_apart=apart,
            added=len(done.links),
            ended=len(done.unlinks),
            seconds=seconds,
            messages=cost[0],
            coordinator=cost[1],
            shadows=cost[2],
            known=cost[3],
        )
        if local is not None and gossip > 0:
            local.gossip(gossip)


def _cost(local: ElastoL) -> tuple[int, int, int, int]:
    last = local.last
    return last.messages, last.coordinator, last.shadows, last.known


def _apart(interests: Interests, overlay: Overlay) -> int:
    return int((topic_components(interests, overlay) > 1).sum())


def protocol_events(
    protocol: str,
    interests: Interests,
    present: NDArray[np.bool_],
    nodes: NDArray[np.int32],
    joins: NDArray[np.bool_],
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    settle: float = 60.0,
    creator: str | None = None,
    watch: Callable[[int, Interests, Overlay], None] | None = None,
) -> Iterator[EventRecord]:
    """Let machines of a protocol build an overlay, then take events one by one.

    After each event time passes until no link has changed for two seconds, at most twenty. The
    first record is of the overlay before any event, with node -1, and its computing time is that
    of building it. Every node knows of all others, and leaves with a goodbye. ``watch`` is given
    the number of events so far, and the interests and overlay of those who are there. With a
    ``creator`` the first overlay is that of a design algorithm, where the protocol takes one.
    """
    world = World(protocol, interests, options=options, seed=seed)
    for node in np.flatnonzero(~present).tolist():
        world.crash(node)
    if creator is not None:
        initial_overlay_of(creator, None, seed).attach(world)
    before = 0
    events = [(-1, False), *zip(nodes.tolist(), joins.tolist(), strict=True)]
    for place, (node, joined) in enumerate(events):
        started = time.perf_counter()
        if node >= 0 and joined:
            world.join(node)
        elif node >= 0:
            world.leave(node)
        settle_links(world, settle if node < 0 else LONGEST / SECOND)
        seconds = time.perf_counter() - started
        seen = observe(world)
        sent = sum(count_messages(world).by_kind.values())
        degrees = seen.overlay.degrees
        if watch is not None:
            watch(place, seen.interests, seen.overlay)
        yield EventRecord(
            node=node,
            joined=joined,
            nodes=len(degrees),
            links=seen.overlay.link_count,
            mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
            max_degree=int(degrees.max(initial=0)),
            topics_apart=_apart(seen.interests, seen.overlay),
            added=0,
            ended=0,
            seconds=seconds,
            messages=sent - before,
        )
        before = sent


def settle_links(world: World, most: float) -> None:
    """Let time pass until no link has changed for two seconds, at most so many."""
    end = world.now + round(most * SECOND)
    changes, changed_at = world.fabric.changes, world.now
    while world.now < end and world.now - changed_at < QUIET:
        world.run(world.now + STEP)
        if world.fabric.changes != changes:
            changes, changed_at = world.fabric.changes, world.now
