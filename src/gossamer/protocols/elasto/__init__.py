"""ElastO (Chen, Vitenberg, Jacobsen 2013): a designed overlay, links_added by shadows under churn.

``messages`` is what is said, ``policy`` what is decided, ``local_view`` and ``exchange`` what is
known of others (MemberServ), ``upgrader`` how churn is dealt with (TcoUpgrader), ``roots`` and
``merge`` how parts find together, ``machine`` when what happens.
"""

from __future__ import annotations

from typing import Literal

from gossamer.errors import ParameterError
from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.components.failure_detector import make_detector
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.elasto.machine import ElastO
from gossamer.protocols.elasto.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.protocols.registry import protocol
from gossamer.time import SECOND

__all__ = ["ElastO", "elasto"]

REFERENCE = "Chen, Vitenberg, Jacobsen: ElastO, 2013"
MAX_CONCURRENT = 64
MAX_COVERAGE = 1000


@protocol(
    "elasto",
    reference=REFERENCE,
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    installs_links=True,
)
def elasto(
    context: NodeContext,
    *,
    coverage: int = 5,
    concurrent: int = 3,
    backups: Literal["primal-dual", "greedy"] = "primal-dual",
    reach: int = 1,
    every: float = 2.0,
    heartbeat: float = 1.0,
    missed: int = 4,
    detector: Literal["missed", "accrual"] = "missed",
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
    flood: Literal["crosspost", "simple"] = "crosspost",
) -> ElastO:
    """Links by a design algorithm, links_added by a few nodes whenever somebody comes or goes.

    Parameters
    ----------
    context
        Who and where the node is.
    coverage
        λ: how often backups cover each topic of the node that they are for (paper: 5).
    concurrent
        L: how many nodes may come or go at once; so many successors and predecessors are known
        (3 is ours).
    backups
        Whether backups are chosen by the primal-dual method (paper), or greedily.
    reach
        Hops around the shadows within which a coordinator finds out who is linked to whom before
        it adds links: 0 (paper), or 1, for which it asks each of them, so that fewer are added
        (ours).
    every
        Seconds between two exchanges of local views (ours).
    heartbeat, missed, detector
        Seconds between heartbeats, how many in a row must be missing, and whether a fixed
        silence is suspected, or an unlikely one (ours).
    view_size, exchanged, shuffle
        Of the peer sampling, where there is no oracle: descriptors in a view, in a message, and
        seconds between shuffles (ours).
    flood
        How what is published travels: a copy a link, or one for each topic of a link.
    """
    for name, value in (("every", every), ("heartbeat", heartbeat)):
        if not 0.001 <= value <= 86_400:
            raise ParameterError(f"{name} is {value} seconds; expected 0.001 to 86400")
    for name, number, least, most in (
        ("coverage", coverage, 0, MAX_COVERAGE), ("concurrent", concurrent, 1, MAX_CONCURRENT),
        ("reach", reach, 0, 1),
    ):  # fmt: skip
        if not least <= number <= most:
            raise ParameterError(f"{name} is {number}; expected {least} to {most}")
    interval = round(heartbeat * SECOND)
    membership = make_membership(context, view_size=view_size, exchanged=exchanged, shuffle=shuffle)
    return ElastO(
        context,
        make_detector(detector, interval, missed),
        membership=membership,
        heartbeat=interval,
        every=round(every * SECOND),
        coverage=coverage,
        concurrent=concurrent,
        backups=backups,
        reach=reach,
        flood=flood,
    )
