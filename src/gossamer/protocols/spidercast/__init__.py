"""SpiderCast (Chockler et al., DEBS 2007): greedy and random coverage of a node's topics.

``messages`` is what is said, ``policy`` what is decided, ``tasks`` what is kept for each set of
neighbours, ``machine`` when what happens.
"""

from __future__ import annotations

from typing import Literal

from gossamer.errors import ParameterError
from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.components.dissemination import FloodMode
from gossamer.protocols.components.failure_detector import make_detector
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.spidercast.machine import SpiderCast
from gossamer.protocols.spidercast.maintenance_task import Aim, CoverageAim, Task
from gossamer.protocols.spidercast.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.protocols.spidercast.times import Times
from gossamer.time import SECOND

__all__ = ["SpiderCast", "build", "spidercast"]

REFERENCE = "Chockler, Melamed, Tock, Vitenberg: SpiderCast, DEBS 2007"
ALL_MESSAGES = (*MESSAGES, *COMPONENT_MESSAGES)
ALL_BACKGROUND = (*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES)


def build(
    context: NodeContext,
    aims: tuple[Aim, Aim],
    *,
    margin: int,
    loop: float,
    heartbeat: float,
    quarantine: float,
    missed: int,
    detector: Literal["missed", "accrual"],
    view_size: int,
    exchanged: int,
    shuffle: float,
    adaptive_from: int = 0,
    flood: FloodMode = "crosspost",
) -> SpiderCast:
    """Build a machine that strives for two aims, one for each task; times are in seconds."""
    for name, value in (
        ("loop", loop), ("heartbeat", heartbeat), ("quarantine", quarantine),
    ):  # fmt: skip
        if not 0.001 <= value <= 86_400:
            raise ParameterError(f"{name} is {value} seconds; expected 0.001 to 86400")
    for name, number, least in (("margin", margin, 0), ("missed", missed, 1)):
        if number < least:
            raise ParameterError(f"{name} is {number}; expected {least} or more")
    interval = round(heartbeat * SECOND)
    times = Times(round(loop * SECOND), interval, round(quarantine * SECOND))
    membership = make_membership(context, view_size=view_size, exchanged=exchanged, shuffle=shuffle)
    return SpiderCast(
        context,
        (Task(0, aims[0], margin), Task(1, aims[1], margin)),
        times,
        make_detector(detector, interval, missed),
        membership=membership,
        adaptive_from=adaptive_from,
        flood=flood,
    )


@protocol("spidercast", reference=REFERENCE, messages=ALL_MESSAGES, background=ALL_BACKGROUND)
def spidercast(
    context: NodeContext,
    *,
    kg: int = 3,
    kr: int = 0,
    adaptive: bool = False,
    margin: int = 5,
    loop: float = 0.1,
    heartbeat: float = 1.0,
    quarantine: float = 5.0,
    missed: int = 4,
    detector: Literal["missed", "accrual"] = "missed",
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
    flood: Literal["crosspost", "simple"] = "crosspost",
) -> SpiderCast:
    """Links to those who cover most of a node's topics, each K times.

    Parameters
    ----------
    context
        Who and where the node is.
    kg, kr
        How often each topic is covered, greedily and at random (paper: 3 and 0 suffice but
        for heavily skewed interests).
    adaptive
        Whether K_r starts at 0 and grows by itself where a node has few links (§3.3.1).
    margin
        How many neighbours beyond L^max are accepted (paper: "a small constant, e.g., 5").
    loop
        Seconds between two rounds of a loop, the paper's connect_timeout; more than a round
        trip (ours).
    heartbeat, missed
        Seconds between heartbeats, and how many in a row must be missing (ours).
    quarantine
        Seconds for which a node that was asked is not asked again (ours).
    detector
        Whether a fixed silence is suspected, or an unlikely one.
    view_size, exchanged, shuffle
        Of the gossip membership, where there is no oracle: descriptors in a view, in a
        message, and seconds between shuffles (ours).
    flood
        How what is published travels: a copy a link, or one for each topic of a link.
    """
    for name, value in (("kg", kg), ("kr", kr)):
        if not 0 <= value <= 1000:
            raise ParameterError(f"{name} is {value}; expected 0 to 1000")
    if kg + kr == 0:
        raise ParameterError("kg and kr are both 0; expected one of them to be 1 or more")
    return build(
        context,
        (CoverageAim(kg, greedy=True), CoverageAim(0 if adaptive else kr, greedy=False)),
        margin=margin,
        loop=loop,
        heartbeat=heartbeat,
        quarantine=quarantine,
        missed=missed,
        detector=detector,
        view_size=view_size,
        exchanged=exchanged,
        shuffle=shuffle,
        adaptive_from=kg if adaptive else 0,
        flood=flood,
    )
