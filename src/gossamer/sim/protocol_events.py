"""A protocol under churn, one event at a time, with the record that maintenance gives of an event.

Strategies with full knowledge and protocols with partial knowledge are compared in this way
(ElastO §7).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.events import EventRecord, RepairCost
from gossamer.model import ChurnEvents, Interests, Overlay, churn
from gossamer.quality import topic_components
from gossamer.sim.initial_overlay import initial_overlay_of
from gossamer.sim.snapshot import count_messages, observe
from gossamer.sim.world import World
from gossamer.time import SECOND

QUIET = 2 * SECOND
MAX_SECONDS = 20.0
STEP = SECOND // 2


def protocol_events(
    protocol: str,
    interests: Interests,
    present: NDArray[np.bool_],
    events: ChurnEvents,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    start_seconds: float = 60.0,
    initial_overlay: str | None = None,
    watch: Callable[[int, Interests, Overlay], None] | None = None,
) -> Iterator[EventRecord]:
    """Build an overlay by a protocol, apply events one by one, and yield a record of each.

    After each event the simulation runs until links are quiet. The first record is that of the
    overlay before any event: its node is -1, and its computing time that of building the overlay.
    Every node knows all others, and leaves gracefully.

    Parameters
    ----------
    protocol, options
        Name of the protocol, and its options.
    interests, present
        Topics of each node, and its presence at the start.
    events
        Joins, leaves and changes of interests; their times do not count.
    seed
        Seed of the random number generator.
    start_seconds
        Maximum number of simulated seconds before the first event.
    initial_overlay
        Design algorithm of the initial overlay, for protocols that install links.
    watch
        Callback that receives the number of events so far, and the interests and overlay of the
        present nodes.
    """
    world = World(protocol, interests, options=options, seed=seed)
    for node in np.flatnonzero(~present).tolist():
        world.crash(node)
    if initial_overlay is not None:
        initial_overlay_of(initial_overlay, None, seed).attach(world)
    before = 0
    columns = (events.nodes, events.kinds, events.topics)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for place, (node, kind, topic) in enumerate([(-1, churn.LEAVE, churn.NO_TOPIC), *rows]):
        began = time.perf_counter()
        if node >= 0:
            _apply(world, node, kind, topic)
        run_until_quiet(world, start_seconds if node < 0 else MAX_SECONDS)
        seconds = time.perf_counter() - began
        seen = observe(world)
        sent = sum(count_messages(world).by_kind.values())
        degrees = seen.overlay.degrees
        if watch is not None:
            watch(place, seen.interests, seen.overlay)
        yield EventRecord(
            node=node,
            kind=kind,
            topic=topic,
            nodes=len(degrees),
            links=seen.overlay.link_count,
            mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
            max_degree=int(degrees.max(initial=0)),
            disconnected_topics=int((topic_components(seen.interests, seen.overlay) > 1).sum()),
            seconds=seconds,
            cost=RepairCost(messages=sent - before),
        )
        before = sent


def _apply(world: World, node: int, kind: int, topic: int) -> None:
    match kind:
        case churn.JOIN:
            world.join(node)
        case churn.LEAVE:
            world.leave(node)
        case churn.SUBSCRIBE:
            world.subscribe(node, topic)
        case _:
            world.unsubscribe(node, topic)


def run_until_quiet(world: World, max_seconds: float) -> None:
    """Run until no link has changed for two simulated seconds, at most a number of seconds."""
    end = world.now + round(max_seconds * SECOND)
    changes, changed_at = world.fabric.changes, world.now
    while world.now < end and world.now - changed_at < QUIET:
        world.run(world.now + STEP)
        if world.fabric.changes != changes:
            changes, changed_at = world.fabric.changes, world.now
