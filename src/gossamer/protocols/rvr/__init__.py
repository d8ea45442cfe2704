"""RVR: rendezvous routing on a ring with small-world links, whatever nodes want (Vitis, §IV).

The structured system that Vitis compares itself with, like Scribe or Bayeux: a tree for each
topic, along the lookups of all its subscribers. The machine is that of Vitis, with small-world
links in the place of friends, and every subscriber its own gateway.
"""

from __future__ import annotations

from typing import Literal

from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.vitis import REFERENCE, Vitis, build, check_table
from gossamer.protocols.vitis.machine import Settings
from gossamer.protocols.vitis.messages import MESSAGES, UPKEEP

__all__ = ["rvr"]


@protocol(
    "rvr",
    reference=f"As compared in {REFERENCE}, §IV; like Scribe (Castro et al., JSAC 2002)",
    messages=MESSAGES,
    upkeep=UPKEEP,
    topic_connected=False,
    delivers=True,
)
def rvr(
    context: NodeContext,
    *,
    table: int = 15,
    most: int = 0,
    population: int = 10_000,
    every: float = 1.0,
    missed: int = 5,
    view_size: int = 20,
    shuffle: float = 1.0,
    flood: Literal["notify", "crosspost"] = "notify",
) -> Vitis:
    """Send what is published along a tree of lookups for each topic, on a small world.

    Parameters
    ----------
    context
        Who and where the node is.
    table
        How many neighbours a node chooses: two on the ring, all others small-world links.
    most, population, every, missed, view_size, shuffle, flood
        As for Vitis.
    """
    check_table(table, 0)
    return build(
        context,
        Settings(table - 2, 0, 0, population, measured=False),
        most=most or 3 * table,
        every=every,
        missed=missed,
        view_size=view_size,
        shuffle=shuffle,
        flood=flood,
    )
