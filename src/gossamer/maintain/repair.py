"""Repair of an overlay among a few nodes, the shadows, by LowODA's rule (ElastO, Algorithm 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import OverlayError, ParameterError
from gossamer.kernels.repair.shadows import Shadows, connect_shadows, label_shadows
from gossamer.model import RepairRequest
from gossamer.model.csr import offsets_of


def check_rho(rho: float) -> None:
    """Raise if ρ is out of range."""
    if not rho >= 1:
        raise ParameterError(f"rho is {rho}; expected 1 or more")


def repair_links(request: RepairRequest, *, rho: float = 3.0) -> list[tuple[int, int]]:
    """Return links among the shadows that repair an overlay, by LowODA's rule.

    Components are those of the known links *and* the new ones, on the topics of the node that
    joined or left; the paper can only mean that. Ours: links are added until the shadows that must
    connect are connected, and redundant ones are pruned. As printed, all shadows would have to be
    connected, and a few hundred events would double the degrees (``gossamer reproduce elasto``).

    Parameters
    ----------
    request
        Shadows, and the known links among them.
    rho
        As in :func:`~gossamer.design.low_oda.low_oda`; the maximum degree is that of the shadows.

    Raises
    ------
    OverlayError
        If the shadows cannot be connected.

    Examples
    --------
    >>> star = RepairRequest(topics=((0,), (0, 1), (1,)), degrees=(1, 1, 1), links=(),
    ...                      must_connect=(True, True, True), preconnected=(False, False, False))
    >>> repair_links(star)
    [(0, 1), (1, 2)]
    """
    check_rho(rho)
    sizes = [len(topics) for topics in request.topics]
    width = 1 + max((topics[-1] for topics in request.topics if topics), default=-1)
    shadows = shadows_of(
        np.repeat(np.arange(len(sizes)), sizes),
        np.array([topic for topics in request.topics for topic in topics], dtype=np.int64),
        len(sizes),
        width,
    )
    preconnected = np.array(request.preconnected, dtype=np.bool_)
    labels = np.empty((len(sizes), width), dtype=np.int32)
    known = np.array(request.links, dtype=np.int32).reshape(-1, 2)
    label_shadows(shadows, known, preconnected, labels)
    links = repair_shadows(
        shadows,
        labels,
        np.array(request.must_connect, dtype=np.bool_) | preconnected,
        np.array(request.degrees, dtype=np.int32),
        rho=rho,
        read_only=request.read_only,
    )
    return [(one, other) for one, other in links.tolist()]


def shadows_of(
    nodes: NDArray[np.int64], topics: NDArray[np.int64], count: int, width: int
) -> Shadows:
    """Return the subscriptions of shadows, compressed; pairs are sorted by node, then topic."""
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
    must_connect: NDArray[np.bool_],
    degrees: NDArray[np.int32],
    *,
    rho: float,
    read_only: int = 0,
    maximum: int | None = None,
) -> NDArray[np.int32]:
    """Return the links to add, in the order of adding; see :func:`repair_links`.

    Parameters
    ----------
    shadows, labels
        Subscriptions and components of the shadows, as in
        :mod:`gossamer.kernels.repair.shadows`.
    must_connect, degrees
        Of each shadow, whether it must be connected on each of its topics, and its degree.
    rho
        LowODA's ρ.
    read_only
        Number of shadows, the last ones, that get no links.
    maximum
        Maximum degree in LowODA's rule; that of the shadows that may get links if not given.
    """
    linkable = len(must_connect) - read_only
    if maximum is None:
        maximum = int(degrees[:linkable].max(initial=0))
    links, sufficient = connect_shadows(
        shadows, labels, must_connect, linkable, degrees, maximum, float(rho)
    )
    return checked_links(links, sufficient)


def checked_links(links: NDArray[np.int32], sufficient: bool) -> NDArray[np.int32]:
    """Return the links of a repair, or raise if they do not suffice."""
    if not sufficient:
        raise OverlayError("the shadows cannot be connected: too few of them share topics")
    return links
