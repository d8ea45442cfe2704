"""The unstructured overlays that SpiderCast compares itself with (§3.9.1).

``similarity(x, y)``: x links to those most alike and y to anybody; ``random(y)``: y to anybody.
The machine is SpiderCast's, with another way of choosing neighbours, as in the paper.
"""

from __future__ import annotations

from gossamer.errors import ParameterError
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.spidercast import ALL_BACKGROUND, ALL_MESSAGES, REFERENCE, SpiderCast, build
from gossamer.protocols.spidercast.maintenance_task import LinkQuota

__all__ = ["random", "similarity"]


@protocol(
    "similarity",
    reference=f"Chand, Felber, Euro-Par 2005, as compared in {REFERENCE}, §3.9.1",
    messages=ALL_MESSAGES,
    background=ALL_BACKGROUND,
    topic_connected=False,
)
def similarity(
    context: NodeContext,
    *,
    alike: int = 10,
    anybody: int = 0,
    margin: int = 5,
    loop: float = 0.1,
    heartbeat: float = 1.0,
    quarantine: float = 5.0,
    missed: int = 4,
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
) -> SpiderCast:
    """Links to those whose interests are most alike, and some to anybody.

    Parameters
    ----------
    context
        Who and where the node is.
    alike, anybody
        The paper's x and y: how many links of each kind.
    margin, loop, heartbeat, quarantine, missed, view_size, exchanged, shuffle
        As for SpiderCast.
    """
    for name, value in (("alike", alike), ("anybody", anybody)):
        if not 0 <= value <= 100_000:
            raise ParameterError(f"{name} is {value}; expected 0 to 100000 links")
    if alike + anybody == 0:
        raise ParameterError("alike and anybody are both 0; expected one of them to be 1 or more")
    return build(
        context,
        (LinkQuota(alike, alike=True), LinkQuota(anybody, alike=False)),
        margin=margin,
        loop=loop,
        heartbeat=heartbeat,
        quarantine=quarantine,
        missed=missed,
        detector="missed",
        view_size=view_size,
        exchanged=exchanged,
        shuffle=shuffle,
    )


@protocol(
    "random",
    reference=f"{REFERENCE}, §3.9.1",
    messages=ALL_MESSAGES,
    background=ALL_BACKGROUND,
    topic_connected=False,
)
def random(
    context: NodeContext,
    *,
    links: int = 10,
    margin: int = 5,
    loop: float = 0.1,
    heartbeat: float = 1.0,
    quarantine: float = 5.0,
    missed: int = 4,
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
) -> SpiderCast:
    """Links to anybody, whatever they want.

    Parameters
    ----------
    context
        Who and where the node is.
    links
        How many.
    margin, loop, heartbeat, quarantine, missed, view_size, exchanged, shuffle
        As for SpiderCast.
    """
    if links < 1:
        raise ParameterError(f"links is {links}; expected 1 or more")
    return similarity(
        context,
        alike=0,
        anybody=links,
        margin=margin,
        loop=loop,
        heartbeat=heartbeat,
        quarantine=quarantine,
        missed=missed,
        view_size=view_size,
        exchanged=exchanged,
        shuffle=shuffle,
    )
