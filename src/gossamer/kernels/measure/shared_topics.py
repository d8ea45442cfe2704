"""The topics that both ends of a link have, where the two ends' topics come from two places."""

from __future__ import annotations

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = ["count_shared", "list_shared"]


@kernel
def count_shared(
    nodes: Int32s,
    offsets: Int64s,
    topics: Int32s,
    carried_offsets: Int64s,
    carried: Int32s,
    counts: Int64s,
) -> None:
    """Count, for each link, the carried topics that the node here has too."""
    for k in range(len(nodes)):
        i, end_i = offsets[nodes[k]], offsets[nodes[k] + 1]
        j, end_j = carried_offsets[k], carried_offsets[k + 1]
        count = 0
        i, j = next_shared(topics, i, end_i, carried, j, end_j)
        while i < end_i:
            count += 1
            i, j = next_shared(topics, i + 1, end_i, carried, j + 1, end_j)
        counts[k] = count


@kernel
def list_shared(
    nodes: Int32s,
    offsets: Int64s,
    topics: Int32s,
    carried_offsets: Int64s,
    carried: Int32s,
    found: Int32s,
) -> None:
    """Write those topics, link after link."""
    at = 0
    for k in range(len(nodes)):
        i, end_i = offsets[nodes[k]], offsets[nodes[k] + 1]
        j, end_j = carried_offsets[k], carried_offsets[k + 1]
        i, j = next_shared(topics, i, end_i, carried, j, end_j)
        while i < end_i:
            found[at] = topics[i]
            at += 1
            i, j = next_shared(topics, i + 1, end_i, carried, j + 1, end_j)
