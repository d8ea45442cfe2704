"""Subset merge and bounded radius joined: groups that share topics become shallow trees.

As subset merge, it groups nodes by the subsets of topics that they share, and links the next
member of a group to one before it; but where that makes a chain, here a member is linked to
any of a few open ones as long as the trees of enough topics stay shallow. The rest is hung
under the roots as bounded radius does it.
"""

from __future__ import annotations

import numpy as np

from gossamer.design._trees.degree_caps import degree_caps
from gossamer.design.bounded_radius import LOOSE_SHARE, Growth
from gossamer.design.subset_merge import MAX_VISITS, OPEN_ENDS, shared_subsets
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import Relation
from gossamer.kernels.trees.shallow_trees import Limits, Trees, add_tree_link, link_worth
from gossamer.model import Interests, Overlay

__all__ = ["shallow_groups"]


@kernel
def link_groups(
    level: int,
    caps: Int32s,
    order: Int64s,
    offsets: Int64s,
    records: Int32s,
    owners: Int32s,
    limits: Limits,
    relation: Relation,
    components: Components,
    trees: Trees,
    opened: Int32s,
    links: Int64s,
) -> int:
    """Link members of each group where that joins trees of ``level`` topics or more."""
    node_count, degrees = len(relation.node_offsets) - 1, components.degrees
    count = 0
    for g in order:
        ready = 0
        for r in range(offsets[g], offsets[g + 1]):
            v = owners[records[r]]
            if degrees[v] >= caps[v]:
                continue
            best = -1
            for k in range(ready):
                u = opened[k]
                if degrees[u] >= caps[u] or (best >= 0 and degrees[u] >= degrees[opened[best]]):
                    continue
                if link_worth(u, v, limits, relation, components.labels, trees) >= level:
                    best = k
            if best >= 0:
                u = opened[best]
                add_tree_link(u, v, limits, relation, components, trees)
                links[count] = min(u, v) * node_count + max(u, v)
                count += 1
            if ready < len(opened):
                opened[ready] = v
                ready += 1
            elif best >= 0 and degrees[v] <= degrees[opened[best]]:
                opened[best] = v
    return count


def shallow_groups(interests: Interests, *, radius: int, seed: int = 0) -> Overlay:
    """Design with groups in the place of rows while trees are loose."""
    random = np.random.default_rng(seed)
    shuffled = random.permutation(interests.node_count)
    order = shuffled[np.argsort(-interests.subscription_sizes[shuffled], kind="stable")]
    rank = np.argsort(order)
    ranked = Interests.from_ids(
        rank[interests.node_column],
        interests.node_topics,
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )
    growth = Growth(ranked, radius, degree_caps(interests, radius=radius).caps[order])
    _, found = shared_subsets(ranked, MAX_VISITS * ranked.subscription_count)
    caps = (-(-2 * growth.caps // 3)).astype(np.int32)
    for groups in sorted(found, key=lambda groups: -groups.level):
        if growth.missing_merges() <= (1 - LOOSE_SHARE) * growth.to_merge:
            break
        links = np.empty(growth.missing_merges() // groups.level, dtype=np.int64)
        count = link_groups(
            groups.level, caps, random.permutation(len(groups.offsets) - 1),
            groups.offsets, groups.records, ranked.node_column, growth.limits,
            growth.relation, growth.components, growth.trees,
            np.empty(OPEN_ENDS, dtype=np.int32), links,
        )  # fmt: skip
        growth.links.append(links[:count].copy())
    growth.root()
    growth.attach_all()
    return Overlay.from_links(interests.node_count, order[growth.ends()])
