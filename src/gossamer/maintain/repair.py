"""Mending an overlay among a few nodes: LowODA's rule on the shadows of one that came or went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import OverlayError, ParameterError
from gossamer.kernels.repair.shadows import Shadows, keep_needed, label_shadows, mend_links
from gossamer.model import RepairRequest
from gossamer.model.csr import offsets_of

__all__ = ["check_rho", "repair_links", "repair_shadows", "shadows_of"]


def check_rho(rho: float) -> None:
    """Say what is wrong with a ρ."""
    if not rho >= 1:
        raise ParameterError(f"rho is {rho}; expected 1 or more")


def repair_links(wound: RepairRequest, *, rho: float = 3.0) -> list[tuple[int, int]]:
    """Return links among the shadows that mend a wound, by LowODA's rule (ElastO, Algorithm 5).

    Read as it can only be meant: components are those of the links that are there *and* the new
    ones, on the topics of the node that came or went. Ours: links end when those who are needed
    hang together, and those that turn out not to be needed go again; as printed, all shadows would
    have to, and a few hundred events would double everybody's links
    (``gossamer reproduce elasto``).

    Parameters
    ----------
    wound
        The shadows, and what is known of them.
    rho
        As in :func:`~gossamer.design.low_oda.low_oda`; the maximum degree is that of the shadows.

    Raises
    ------
    OverlayError
        If the needed cannot be brought together among the shadows.

    Examples
    --------
    >>> star = RepairRequest(topics=((0,), (0, 1), (1,)), degrees=(1, 1, 1), links=(),
    ...                      must_connect=(True, True, True), preconnected=(False, False, False))
    >>> repair_links(star)
    [(0, 1), (1, 2)]
    """
    check_rho(rho)
    sizes = [len(topics) for topics in wound.topics]
    width = 1 + max((topics[-1] for topics in wound.topics if topics), default=-1)
    shadows = shadows_of(
        np.repeat(np.arange(len(sizes)), sizes),
        np.array([topic for topics in wound.topics for topic in topics], dtype=np.int64),
        len(sizes),
        width,
    )
    together = np.array(wound.preconnected, dtype=np.bool_)
    labels = np.empty((len(sizes), width), dtype=np.int32)
    known = np.array(wound.links, dtype=np.int32).reshape(-1, 2)
    label_shadows(shadows, known, together, labels)
    needed = np.array(wound.must_connect, dtype=np.bool_) | together
    links = repair_shadows(
        shadows,
        labels,
        needed,
        np.array(wound.degrees, dtype=np.int32),
        rho=rho,
        bystanders=wound.read_only,
    )
    return [(one, other) for one, other in links.tolist()]


def shadows_of(
    nodes: NDArray[np.int64], topics: NDArray[np.int64], count: int, width: int
) -> Shadows:
    """Compress who wants what among the shadows; pairs sorted by node, then topic."""
    by_topic = np.argsort(topics, kind="stable")
    return Shadows(
        node_offsets=_offsets(nodes, count),
        node_topics=topics.astype(np.int32),
        topic_offsets=_offsets(topics, width),
        topic_nodes=nodes[by_topic].astype(np.int32),
    )


def _offsets(ids: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    return offsets_of(np.bincount(ids, minlength=count)).astype(np.int32)


def repair_shadows(
    shadows: Shadows,
    labels: NDArray[np.int32],
    needed: NDArray[np.bool_],
    degrees: NDArray[np.int32],
    *,
    rho: float,
    bystanders: int = 0,
    maximum: int | None = None,
) -> NDArray[np.int32]:
    """Return the links to add, in the order of adding; see :func:`repair_links`.

    ``labels`` are read as :mod:`gossamer.kernels.repair.shadows` says. The maximum degree is that
    of the
    shadows which may get links, unless it is given.
    """
    open_nodes = len(needed) - bystanders
    if maximum is None:
        maximum = int(degrees[:open_nodes].max(initial=0))
    room = np.empty((max(len(shadows.node_topics), 1), 2), dtype=np.int32)
    after = labels.copy()
    count = mend_links(
        shadows, after, needed, open_nodes, degrees.copy(), maximum, float(rho), room
    )
    links = room[:count]
    if not _all_together(shadows, after, needed):
        raise OverlayError("the shadows cannot be brought together: too few of them share topics")
    kept = np.empty(count, dtype=np.bool_)
    keep_needed(shadows, labels, needed, links, kept)
    return links[kept]


def _all_together(shadows: Shadows, labels: NDArray[np.int32], needed: NDArray[np.bool_]) -> bool:
    """Whether every topic's needed shadows have one label."""
    topics = np.repeat(np.arange(labels.shape[1]), np.diff(shadows.topic_offsets))
    rows = needed[shadows.topic_nodes]
    nodes, topics = shadows.topic_nodes[rows], topics[rows]
    found = np.unique(topics.astype(np.int64) * len(labels) + labels[nodes, topics])
    return len(found) == len(np.unique(topics))
