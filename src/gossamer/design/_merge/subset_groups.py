"""Groups of nodes that share a subset of topics, level by level, as in frequent-itemset mining."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.merge import subsets
from gossamer.kernels.relation import Relation


@dataclass(frozen=True)
class SubsetGroups:
    """The groups that share each subset of ``level`` topics.

    Group g is ``records[offsets[g] : offsets[g + 1]]``; see ``kernels/merge/subsets.py``.
    """

    level: int
    offsets: NDArray[np.int64]
    records: NDArray[np.int32]


def mine_groups(
    groups: SubsetGroups,
    owners: NDArray[np.int32],
    relation: Relation,
    topic_count: int,
    top: int | None = None,
) -> Iterator[SubsetGroups]:
    """Yield the groups given, of one topic each, and those of two topics, three and so on.

    Groups of two nodes or more are extended, up to level ``top``. ``owners`` maps each record
    to its row of the relation.
    """
    seen = np.zeros(topic_count, dtype=np.int32)
    touched = np.empty(topic_count, dtype=np.int32)
    places = np.empty(topic_count, dtype=np.int64)
    while len(groups.records):
        yield groups
        if groups.level == top:
            return
        arrays = (groups.offsets, groups.records, owners, relation, seen, touched)
        totals = np.zeros(2, dtype=np.int64)
        subsets.count_extensions(*arrays, totals)
        offsets = np.empty(int(totals[0]) + 1, dtype=np.int64)
        records = np.empty(int(totals[1]), dtype=np.int32)
        subsets.extend_groups(*arrays, places, offsets, records)
        groups = SubsetGroups(groups.level + 1, offsets, records)


def enlarge_bulk(
    sizes: NDArray[np.int64], bulk: int, visits: NDArray[np.int64], allowance: int
) -> int:
    """Return a larger number of bulk nodes, if the visits of groups exceed the allowance.

    Nodes have descending ``sizes``, and ``visits`` are given by size. The visits of the nodes
    that are left take up half of the allowance at most, so that later levels fit.
    """
    within = np.flatnonzero(np.cumsum(visits) <= allowance // 2)
    largest = min(int(within[-1]), int(sizes[bulk]) - 1)
    return int(np.searchsorted(-sizes, -largest, side="left"))
