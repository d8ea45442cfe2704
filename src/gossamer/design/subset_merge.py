"""Subset merge: greedy merge by groups of nodes that share a subset of topics, not by pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gossamer.design._merge.engine import NO_CAP, Descent, MergeDesign, renumber_nodes
from gossamer.design._merge.subset_groups import SubsetGroups, enlarge_bulk, mine_groups
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge import subsets
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress

MAX_VISITS = 64
"""Maximum subsets visited, over all levels, per subscription; keeps the work linear."""

OPEN_ENDS = 32


def check_degree_cap(degree_cap: int) -> None:
    """Raise :class:`ParameterError` unless the degree cap is valid."""
    if not 0 <= degree_cap <= NO_CAP:
        raise ParameterError(f"degree_cap is {degree_cap}; expected 1 or more, or 0: none")


@algorithm(
    "subset-merge",
    reference="ours: greedy merge by shared subsets of topics",
    topic_connected=True,
    checks={"degree_cap": check_degree_cap},
)
def subset_merge(
    interests: Interests, *, degree_cap: int = 0, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Chain the nodes that share the largest subsets of topics, then smaller ones (ours).

    All nodes that share c topics can be chained by links that merge c components each. So, for
    c from the highest down to 2, nodes are grouped by the c-subsets of topics that they share, and
    each group is chained: the next node is linked to an end of the chain from which it still
    differs in c topics, and takes its place, so that no node collects many links. At level 1 the
    remaining components are joined, low degrees first.

    Parameters
    ----------
    interests
        Topics of each node.
    degree_cap
        Maximum degree of a node; 0 for no maximum. It is soft: at the last level components are
        joined in any case, low degrees first.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected. A link added at level c merges at least c components. Links that plain
        greedy merge would find at that level may be missed, so the mean degree is close to that
        of greedy merge, not equal.

    Notes
    -----
    The work is grouping and shuffling, without a scan of all pairs, so it suits tables that
    exceed one process. A node of s subscriptions is in up to 2^s groups, so heavy tails would
    explode. Therefore at most 64 subsets a subscription are visited, over all levels. If that does
    not suffice, the nodes of most subscriptions are *bulk*: they are in no group, and their pairs,
    with each other and with all others, are scanned and linked as in greedy merge, at the same
    levels. If all nodes are bulk, the result is greedy merge.

    Time O(64 · S · s) for the groups, and the scan of greedy merge for the bulk rows only:
    Σ over bulk nodes v and their topics t of n_t. Memory O(64 · S) at worst, 4 bytes each.

    See Also
    --------
    greedy_merge, partitioned_merge

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> overlay = subset_merge(interests)
    >>> overlay.link_count, int(overlay.degrees.max())
    (4, 2)
    """
    check_degree_cap(degree_cap)
    # Nodes of most subscriptions first, so that the bulk nodes are the first rows.
    order = np.argsort(-interests.subscription_sizes, kind="stable")
    ranked = renumber_nodes(interests, order)
    merging = MergeDesign(ranked, ties="fewest-degree", seed=seed, progress=progress)
    budget = MAX_VISITS * ranked.subscription_count
    merge_subsets(merging, budget, cap=degree_cap or NO_CAP)
    merging.span()
    links = order[merging.ordered_links()]
    return Overlay.from_links(interests.node_count, links)


def merge_subsets(merging: MergeDesign, budget: int, *, cap: int = NO_CAP) -> int:
    """Link all groups, and the pairs of bulk nodes, down to level 2; return their number."""
    interests = merging.interests
    merging.report("finding shared subsets")
    bulk, groups = shared_subsets(interests, budget)
    by_level = {found.level: found for found in groups}
    pairs = Descent(merging, stop=bulk, cap=cap)
    for level in range(int(merging.ceilings.max(initial=0)), 1, -1):
        if bulk:
            pairs.link(level)
        if level in by_level and merging.missing_merges():
            _chain(merging, by_level.pop(level), cap)
    return bulk


def shared_subsets(interests: Interests, budget: int) -> tuple[int, list[SubsetGroups]]:
    """Return the number of bulk nodes, and the groups of the other nodes from level 2 on.

    At most ``budget`` subsets are visited. Nodes must be in descending order of subscription
    size; the first ones become bulk.
    """
    bulk, relation = 0, relation_of(interests)
    while True:
        visited = np.zeros(int(interests.subscription_sizes.max(initial=0)) + 1, dtype=np.int64)
        levels: list[SubsetGroups] = []
        for groups in _groups_by_level(interests, bulk):
            if groups.level > 1:
                levels.append(groups)
            subsets.count_visits(groups.records, interests.node_column, relation, visited)
            if visited.sum() > budget:
                break
        else:
            return bulk, levels
        bulk = enlarge_bulk(interests.subscription_sizes, bulk, visited, budget)


def _groups_by_level(interests: Interests, bulk: int) -> Iterator[SubsetGroups]:
    """Yield the groups of level 1 (the topics), 2, 3 and so on, without the bulk nodes."""
    owners, topic_count = interests.node_column, interests.topic_count
    relation = relation_of(interests)
    listed = interests.topic_nodes >= bulk
    ends = offsets_of(listed)[interests.topic_offsets]
    groups = SubsetGroups(1, ends, interests.places[listed])
    return mine_groups(groups, owners, relation, topic_count)


def _chain(merging: MergeDesign, groups: SubsetGroups, cap: int) -> None:
    links = np.empty(merging.missing_merges() // groups.level, dtype=np.int64)
    count = subsets.chain_groups(
        groups.level, cap, merging.random.permutation(len(groups.offsets) - 1),
        groups.offsets, groups.records, merging.interests.node_column,
        merging.relation, merging.components, np.empty(OPEN_ENDS, dtype=np.int32), links,
    )  # fmt: skip
    merging.links.append(links[:count].copy())
    merging.report("chaining groups")
