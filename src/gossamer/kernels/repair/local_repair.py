"""Repairs from a local view: only the links among the known nodes are considered."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Bools, Int32s, kernel
from gossamer.kernels.repair.blocks import Blocks, Scratch, neighbours_among, with_neighbours
from gossamer.kernels.repair.local_views import distinct_present
from gossamer.kernels.repair.shadows import connect_shadows, find_shadows, label_by_neighbours


@kernel
def link_newcomer(
    node: int,
    topics: Int32s,
    backups: Int32s,
    rho: float,
    own: Blocks,
    adjacency: Blocks,
    scratch: Scratch,
) -> tuple[Int32s, bool]:
    """Return links that connect a joining node with its backups, and whether they suffice.

    The backups count as connected with each other.
    """
    count = len(backups) + 1
    nodes = np.empty(count, dtype=np.int32)
    nodes[:-1] = backups
    nodes[-1] = node
    preconnected = np.ones(count, dtype=np.bool_)
    preconnected[-1] = False
    needed = np.ones(count, dtype=np.bool_)
    return _repair(nodes, topics, preconnected, needed, count, rho, own, adjacency, scratch)


@kernel
def reconnect_neighbours(
    topics: Int32s,
    backups: Int32s,
    neighbours: Int32s,
    reach: int,
    all_needed: bool,
    rho: float,
    own: Blocks,
    adjacency: Blocks,
    present: Bools,
    scratch: Scratch,
) -> tuple[Int32s, bool, int, int]:
    """Return links among former neighbours and backups that connect the neighbours again.

    The other results are whether the links suffice, the number of shadows and the number of known
    nodes. With ``reach`` above 0, the neighbours of the shadows are known too.
    """
    shadows = distinct_present(np.concatenate((backups, neighbours)), present)
    nodes = shadows
    if reach > 0:
        nodes = with_neighbours(shadows, adjacency, scratch.nodes)
    needed = np.zeros(len(nodes), dtype=np.bool_)
    needed[: len(shadows)] = all_needed
    for node in neighbours:
        needed[lower_bound(shadows, node, 0, len(shadows))] = True
    preconnected = np.zeros(len(nodes), dtype=np.bool_)
    contested = _contested(shadows if all_needed else neighbours, topics, own, scratch.topics)
    links, sufficient = _repair(
        nodes, contested, preconnected, needed, len(shadows), rho, own, adjacency, scratch
    )
    return links, sufficient, len(shadows), len(nodes)


@kernel
def _contested(nodes: Int32s, topics: Int32s, own: Blocks, places: Int32s) -> Int32s:
    """Return the topics with two or more subscribers among the nodes; others need no link."""
    shadows = find_shadows(nodes, topics, own, places)
    return topics[shadows.topic_offsets[1:] - shadows.topic_offsets[:-1] > 1]


@kernel
def _repair(
    nodes: Int32s,
    topics: Int32s,
    preconnected: Bools,
    must_connect: Bools,
    linkable: int,
    rho: float,
    own: Blocks,
    adjacency: Blocks,
    scratch: Scratch,
) -> tuple[Int32s, bool]:
    """Return links by LowODA's rule, the lower id first, and whether they suffice."""
    shadows = find_shadows(nodes, topics, own, scratch.topics)
    offsets, near = neighbours_among(nodes, adjacency, scratch.nodes)
    labels = np.empty((len(nodes), len(topics)), dtype=np.int32)
    label_by_neighbours(shadows, offsets, near, preconnected, labels)
    degrees = np.empty(linkable, dtype=np.int32)
    maximum = 0
    for place in range(linkable):
        degrees[place] = adjacency.counts[nodes[place]]
        maximum = max(maximum, degrees[place])
    links, sufficient = connect_shadows(
        shadows, labels, must_connect, linkable, degrees, maximum, rho
    )
    for link in range(len(links)):
        one, other = nodes[links[link, 0]], nodes[links[link, 1]]
        links[link, 0], links[link, 1] = min(one, other), max(one, other)
    return links, sufficient
