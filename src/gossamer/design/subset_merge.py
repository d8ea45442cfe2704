"""Greedy merge by shared subsets: groups of nodes instead of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import NO_CAP, Descent, Merging
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge import subsets
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress

__all__ = ["subset_merge"]

VISITS_A_SUBSCRIPTION = 64
"""Subsets that may be visited, over all levels, per subscription: what keeps the work linear."""

OPEN_ENDS = 32


@algorithm(
    "subset-merge",
    reference="ours: greedy merge by shared subsets of topics",
    topic_connected=True,
)
def subset_merge(
    interests: Interests,
    *,
    degree_cap: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Chain the nodes that share the largest subsets of topics, then smaller ones (ours).

    All nodes that share c topics can be chained by links that merge c topics each. So, for
    c from the highest down to 2, the nodes are grouped by the c-subsets of topics that they
    share, and each group is chained: the next node is linked to an end of the chain with
    which it still differs in c topics, and takes its place, so that nobody collects many
    links. At level 1 what is left is joined, low degrees first.

    Parameters
    ----------
    interests
        Who wants what.
    degree_cap
        Links that a node should have at most; 0, if none is given: as many as come. It is
        soft: what is left at the last level is joined, low degrees first, whatever it takes.
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected. Every link merges, when it is added at level c, at least c topics;
        what plain greedy merge would still have found at that level may be missed, so the
        mean degree is close to its, not equal.

    Notes
    -----
    Work is groups and shuffles, no scan of all pairs, which is what makes it fit for
    tables that one process cannot hold. A node of s subscriptions is in up to 2^s groups,
    so heavy tails would explode. The rule: at most 64 subsets a subscription are visited,
    over all levels. Where that is not enough, the nodes of most subscriptions are *bulk*:
    they take part in no group, and their pairs, with each other and with all others, are
    found and linked as greedy merge does it, at the same levels. In the limit where all
    nodes are bulk it is greedy merge.

    Time O(64 · S · s) for the groups, and the scan of greedy merge for the bulk rows only:
    Σ over bulk nodes v and their topics t of n_t. Memory O(64 · S) at worst, 4 bytes each.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> overlay = subset_merge(interests)
    >>> overlay.link_count, int(overlay.degrees.max())
    (4, 2)
    """
    if not 0 <= degree_cap <= NO_CAP:
        raise ParameterError(f"degree_cap is {degree_cap}; expected 1 or more, or 0: none")
    # Nodes of most subscriptions first, so that the bulk is the rows before a certain one.
    order = np.argsort(-interests.subscription_sizes, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ranked = Interests.from_ids(
        rank[interests.node_column],
        interests.node_topics,
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )
    merging = Merging(ranked, ties="fewest-degree", seed=seed, progress=progress)
    budget = VISITS_A_SUBSCRIPTION * ranked.subscription_count
    merge_subsets(merging, budget, cap=degree_cap or NO_CAP)
    merging.span()
    links = order[merging.ordered_links()]
    return Overlay.from_links(interests.node_count, links)


@dataclass
class TopicSubsets:
    """The nodes that share each subset of ``level`` topics, two nodes or more to a group.

    Group g is ``records[offsets[g] : offsets[g + 1]]``; see ``kernels/subsets.py``.
    """

    level: int
    offsets: NDArray[np.int64]
    records: NDArray[np.int32]


def merge_subsets(merging: Merging, budget: int, *, cap: int = NO_CAP) -> int:
    """Link all groups, and the pairs of bulk nodes, down to level 2; return the bulk's size."""
    interests = merging.interests
    merging.report("finding shared subsets")
    bulk, groups = shared_subsets(interests, budget)
    by_level = {found.level: found for found in groups}
    pairs = Descent(merging, stop=bulk, cap=cap)
    for level in range(int(merging.ceilings.max(initial=0)), 1, -1):
        if bulk:
            pairs.link(level)
        if level in by_level and merging.apart():
            _chain(merging, by_level.pop(level), cap)
    return bulk


def shared_subsets(interests: Interests, budget: int) -> tuple[int, list[TopicSubsets]]:
    """Find the groups of every level from 2 on, visiting at most ``budget`` subsets.

    Nodes must be in descending order of subscription size. Returns how many of them, from
    the front, had to be left out for the budget, and the groups of the others.
    """
    bulk, relation = 0, relation_of(interests)
    while True:
        visited = np.zeros(int(interests.subscription_sizes.max(initial=0)) + 1, dtype=np.int64)
        levels: list[TopicSubsets] = []
        for groups in _mine(interests, bulk):
            if groups.level > 1:
                levels.append(groups)
            subsets.count_visits(groups.records, interests.node_column, relation, visited)
            if visited.sum() > budget:
                break
        else:
            return bulk, levels
        # Over: start again without the largest nodes, down to a size that leaves room for
        # the levels not seen yet.
        within = np.flatnonzero(np.cumsum(visited) <= budget // 2)
        largest = min(int(within[-1]), int(interests.subscription_sizes[bulk]) - 1)
        bulk = int(np.searchsorted(-interests.subscription_sizes, -largest, side="left"))


def _mine(interests: Interests, bulk: int) -> Iterator[TopicSubsets]:
    """Give the groups of level 1 (the topics), 2, 3 and so on, without the first nodes."""
    owners, topic_count = interests.node_column, interests.topic_count
    relation = relation_of(interests)
    listed = interests.topic_nodes >= bulk
    ends = offsets_of(listed)[interests.topic_offsets]
    groups = TopicSubsets(1, ends, interests.places[listed])
    seen = np.zeros(topic_count, dtype=np.int32)
    touched = np.empty(topic_count, dtype=np.int32)
    places = np.empty(topic_count, dtype=np.int64)
    while len(groups.records):
        yield groups
        arrays = (groups.offsets, groups.records, owners, relation, seen, touched)
        totals = np.zeros(2, dtype=np.int64)
        subsets.count_extensions(*arrays, totals)
        group_count, record_count = totals.tolist()
        offsets = np.empty(group_count + 1, dtype=np.int64)
        records = np.empty(record_count, dtype=np.int32)
        subsets.extend_groups(*arrays, places, offsets, records)
        groups = TopicSubsets(groups.level + 1, offsets, records)


def _chain(merging: Merging, groups: TopicSubsets, cap: int) -> None:
    links = np.empty(merging.apart() // groups.level, dtype=np.int64)
    count = subsets.chain_groups(
        groups.level, cap, merging.random.permutation(len(groups.offsets) - 1),
        groups.offsets, groups.records, merging.interests.node_column,
        merging.relation, merging.components, np.empty(OPEN_ENDS, dtype=np.int32), links,
    )  # fmt: skip
    merging.links.append(links[:count].copy())
    merging.report("chaining groups")
