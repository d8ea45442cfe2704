"""StaN: a gossip overlay for each topic, all of them steering towards the same links."""

from __future__ import annotations

from typing import Literal

from gossamer.errors import ParameterError
from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.components.dissemination import FloodMode
from gossamer.protocols.components.failure_detector import MissedHeartbeats
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.stan.machine import Settings, StaN
from gossamer.protocols.stan.messages import BACKGROUND_MESSAGES, MAX_HOPS, MESSAGES
from gossamer.time import SECOND

__all__ = ["StaN", "stan"]


@protocol(
    "stan",
    reference="Matos, Felber, Oliveira, Pereira, Rivière: StaN, and its supplement",
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    views_by_topic=True,
)
def stan(
    context: NodeContext,
    *,
    slack: int = 2,
    walk: int = 5,
    collect: Literal["views", "visited"] = "views",
    swap: Literal["pair", "move", "none"] = "pair",
    refill: int = 5,
    every: float = 1.0,
    patience: float = 0.5,
    settle: float = 1.0,
    rest: int = 8,
    heartbeat: float = 1.0,
    missed: int = 4,
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
    flood: FloodMode = "crosspost",
) -> StaN:
    """Keep a random overlay for each topic, swapped link by link so that topics share links.

    Parameters
    ----------
    context
        Who and where the node is.
    slack
        A view of a topic with n subscribers has about ⌈ln n⌉ + slack neighbours.
    walk, collect
        How many nodes a walk visits, and whether it collects, from the second half of them,
        their views too.
    swap
        Which links are swapped for lighter ones: a pair of them, one end of one, or none.
    refill
        A view with fewer neighbours is filled up by a walk; 0 for never.
    every
        Seconds between two rounds of walks.
    patience
        Seconds that a walk, or a swap, six messages each, may take; then it counts as lost, and
        is tried again in the same round if there is time.
    settle
        Seconds before a node's first walk, in which its views fill.
    rest
        Rounds that a topic on which nothing changes may rest between two walks; 1 is the paper's.
    heartbeat, missed
        Seconds between heartbeats, and how many in a row must be missing.
    view_size, exchanged, shuffle
        Of the gossip membership, where there is no oracle; it knows topics by their tokens.
    flood
        How what is published travels.
    """
    if not 0 <= slack <= 64:
        raise ParameterError(f"slack is {slack}; expected 0 to 64")
    if not 1 <= walk <= MAX_HOPS:
        raise ParameterError(f"walk is {walk} nodes; expected 1 to {MAX_HOPS}")
    if not 0 <= refill <= 64:
        raise ParameterError(f"refill is {refill}; expected 0 to 64")
    if not 1 <= rest <= 3600:
        raise ParameterError(f"rest is {rest} rounds; expected 1 to 3600")
    for name, seconds in (("every", every), ("patience", patience), ("heartbeat", heartbeat)):
        if not 0.001 <= seconds <= 86_400:
            raise ParameterError(f"{name} is {seconds} seconds; expected 0.001 to 86400")
    if not 0 <= settle <= 86_400:
        raise ParameterError(f"settle is {settle} seconds; expected 0 to 86400")
    interval = round(heartbeat * SECOND)
    membership = make_membership(context, view_size=view_size, exchanged=exchanged, shuffle=shuffle)
    return StaN(
        context,
        Settings(
            slack=slack,
            hops=walk,
            with_views=collect == "views",
            swap=swap,
            refill=refill,
            period=round(every * SECOND),
            patience=round(patience * SECOND),
            settle=round(settle * SECOND),
            rest=rest,
            heartbeat=interval,
        ),
        MissedHeartbeats(interval, missed),
        membership,
        flood,
    )
