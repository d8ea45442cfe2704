"""Trees of blocks: the design of a block alone, and the links that join the trees of all blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import degree_caps
from gossamer.design._trees.reparent import forest_of
from gossamer.design.bounded_radius import Growth, empty_trees, grow_trees
from gossamer.kernels.measure.overlap import largest_overlaps
from gossamer.kernels.relation import relation_of
from gossamer.kernels.trees.shallow_trees import Trees
from gossamer.kernels.trees.tree_tops import (
    choose_top_roots,
    find_tops,
    lay_arcs,
    measure_reaches,
    set_tops,
)
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress


@dataclass(frozen=True)
class Share:
    """Some nodes of a table; ``nodes[k]`` has ``topics[offsets[k] : offsets[k + 1]]``."""

    nodes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    topics: NDArray[np.int32]

    @classmethod
    def concatenate(cls, shares: Iterable[Share]) -> Share:
        """Concatenate the shares of a block from parts of the table, nodes in ascending order."""
        found = sorted(shares, key=lambda share: int(share.nodes[0]))
        sizes = np.concatenate([np.diff(share.offsets) for share in found])
        return cls(
            np.concatenate([share.nodes for share in found]),
            offsets_of(sizes),
            np.concatenate([share.topics for share in found]),
        )

    @property
    def subscriber_of(self) -> NDArray[np.int64]:
        """Index of the node of each subscription in the block."""
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.offsets))


@dataclass(frozen=True)
class Tops:
    """The overlay of a block, and the tops of its trees.

    Attributes
    ----------
    ends
        Ends of its links.
    nodes, topics
        Members near the centre of the tree of a topic, the centre first, one row each.
    parents
        Row of the parent; -1 for a centre.
    reaches
        Distance of the farthest member of the tree.
    sizes
        Number of members of the tree.
    """

    ends: NDArray[np.int32]
    nodes: NDArray[np.int32]
    topics: NDArray[np.int32]
    parents: NDArray[np.int32]
    reaches: NDArray[np.int32]
    sizes: NDArray[np.int32]


def overlaps_in(asked: Share, among: Share) -> NDArray[np.int64]:
    """Return the largest overlap of each node of one share with any other node of two shares.

    A node in both counts once. Costs the subscribers, in these shares, of the topics.
    """
    new = ~np.isin(among.nodes, asked.nodes)
    sizes = np.diff(among.offsets)
    column = np.repeat(np.cumsum(new) - 1 + len(asked.nodes), sizes)
    chosen = np.repeat(new, sizes)
    topics = np.concatenate((asked.topics, among.topics[chosen]))
    together = Interests.from_ids(
        np.concatenate((asked.subscriber_of, column[chosen])),
        topics,
        node_names=len(asked.nodes) + int(new.sum()),
        topic_names=int(topics.max(initial=-1)) + 1,
    )
    return largest_overlaps(np.arange(len(asked.nodes)), relation_of(together))


def grow_share(share: Share, *, radius: int, degree_cap: int, levels: int, seed: int) -> Tops:
    """Design a block alone by bounded radius, and return the tops of its trees.

    With radius 0 no node is linked, and every member is the top of its own tree.
    """
    topics, dense = np.unique(share.topics, return_inverse=True)
    interests = Interests.from_ids(
        share.subscriber_of, dense, node_names=len(share.nodes), topic_names=len(topics)
    )
    if not radius:
        column = share.nodes[interests.node_column]
        none = np.zeros(len(column), dtype=np.int32)
        ends = np.empty((0, 2), dtype=np.int32)
        return Tops(ends, column, share.topics, none - 1, none, none + 1)
    caps = degree_caps(interests, radius=radius, degree_cap=degree_cap).caps
    overlay, roots = grow_trees(interests, radius, caps, seed=seed)
    relation, trees = relation_of(interests), trees_of(interests, overlay, roots)
    measure_reaches(relation, trees)
    members = np.empty(interests.subscription_count, dtype=np.int32)
    parents = np.empty_like(members)
    found = find_tops(levels, relation, trees, members, parents)
    members, parents = members[:found], parents[:found]
    of_members = interests.node_topics[members]
    return Tops(
        ends=share.nodes[overlay.links],
        nodes=share.nodes[interests.node_column[members]],
        topics=topics[of_members].astype(np.int32),
        parents=parents,
        reaches=trees.reaches[members],
        sizes=interests.popularity[of_members].astype(np.int32),
    )


def trees_of(interests: Interests, overlay: Overlay, roots: NDArray[np.int64]) -> Trees:
    """Return a breadth-first tree of every topic, without reaches."""
    parent = forest_of(interests, overlay, roots).parent
    attached = np.flatnonzero(parent >= 0)
    trees = empty_trees(interests)
    lay_arcs(interests.places[attached], interests.places[parent[attached]], trees)
    return trees


def join_tops(
    tops: Sequence[Tops],
    caps: NDArray[np.int32],
    *,
    radius: int,
    seed: int,
    progress: Progress | None = None,
) -> NDArray[np.int32]:
    """Return links that join the trees of all blocks, topic by topic, by members of their tops.

    ``caps`` are those of all nodes. The result has shape (m, 2).
    """
    counts = np.array([len(top.nodes) for top in tops], dtype=np.int64)
    shifts = np.repeat(offsets_of(counts)[:-1], counts)
    nodes = np.concatenate([top.nodes for top in tops])
    topics = np.concatenate([top.topics for top in tops])
    parents = np.concatenate([top.parents for top in tops])
    parents = np.where(parents < 0, -1, parents + shifts)
    degrees = np.zeros(len(caps), dtype=np.int32)
    for top in tops:
        degrees += np.bincount(top.ends.ravel(), minlength=len(caps)).astype(np.int32)
    # A topic in a single block is connected already.
    kept = np.bincount(topics[parents < 0], minlength=int(topics.max(initial=0)) + 1)[topics] > 1
    place = np.cumsum(kept) - 1
    parents = np.where(parents[kept] < 0, -1, place[parents[kept]])
    node_ids, node_of = np.unique(nodes[kept], return_inverse=True)
    topic_ids, topic_of = np.unique(topics[kept], return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(node_ids))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    interests = Interests.from_ids(
        rank[node_of], topic_of, node_names=len(node_ids), topic_names=len(topic_ids)
    )
    node_ids = node_ids[order]
    growth = Growth(interests, radius, caps[node_ids], hidden=True, progress=progress)
    growth.components.degrees[:] = degrees[node_ids]
    keys = rank[node_of] * max(len(topic_ids), 1) + topic_of
    places = np.empty(len(keys), dtype=np.int32)
    places[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    growth.trees.reaches[places] = np.concatenate([top.reaches for top in tops])[kept]
    sizes = np.concatenate([top.sizes for top in tops])[kept]
    arrays = (growth.relation, growth.components, growth.trees)
    set_tops(places, parents.astype(np.int32), sizes, *arrays)
    choose_top_roots(radius, growth.caps, degrees[node_ids], *arrays)
    growth.to_merge = growth.missing_merges()
    growth.attach_all()
    return _distinct(node_ids[growth.ends()], len(caps))


def _distinct(ends: NDArray[np.integer], node_count: int) -> NDArray[np.int32]:
    """Return each link once, in order: a link may be added again for further topics."""
    lower, upper = ends.min(axis=1).astype(np.int64), ends.max(axis=1).astype(np.int64)
    keys = np.unique(lower * node_count + upper)
    return np.stack(np.divmod(keys, node_count), axis=1).astype(np.int32)
