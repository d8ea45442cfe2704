"""OPT: an overlay for each topic with few links, by interest alone (Vitis, §IV).

The unstructured system that Vitis compares itself with, like SpiderCast: without a bound on their
links nodes have many, and with one some subscribers are not reached.
"""

from __future__ import annotations

from gossamer.errors import ParameterError
from gossamer.protocols.components.dissemination import FloodMode
from gossamer.protocols.components.neighbour_table import make_pace
from gossamer.protocols.components.newscast import make_newscast
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.opt.machine import MAX_LINKS, Opt
from gossamer.protocols.opt.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.protocols.registry import protocol
from gossamer.protocols.vitis import REFERENCE

__all__ = ["Opt", "opt"]


@protocol(
    "opt",
    reference=f"As compared in {REFERENCE}, §IV; like SpiderCast (Chockler et al., DEBS 2007)",
    messages=MESSAGES,
    background=BACKGROUND_MESSAGES,
    topic_connected=False,
)
def opt(
    context: NodeContext,
    *,
    cover: int = 3,
    bound: int = 0,
    every: float = 1.0,
    missed: int = 5,
    view_size: int = 20,
    shuffle: float = 1.0,
    flood: FloodMode = "crosspost",
) -> Opt:
    """Cover each topic by some neighbours with few links, and flood among subscribers.

    Parameters
    ----------
    context
        Who and where the node is.
    cover
        How many neighbours each topic should have.
    bound
        How many links a node has at most; 0 for no bound.
    every, missed, view_size, shuffle
        As for Vitis.
    flood
        How what is published travels.
    """
    if not 1 <= cover <= 64:
        raise ParameterError(f"cover is {cover} neighbours; expected 1 to 64")
    if not 0 <= bound <= MAX_LINKS:
        raise ParameterError(f"bound is {bound} links; expected 0 to {MAX_LINKS}")
    return Opt(
        context,
        make_pace(every, missed),
        make_newscast(context, view_size=view_size, shuffle=shuffle),
        cover=cover,
        bound=bound or MAX_LINKS,
        flood=flood,
    )
