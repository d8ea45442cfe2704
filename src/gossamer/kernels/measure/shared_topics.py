"""The topics that both ends of a link share, where the topics of the ends come from two tables."""

from __future__ import annotations

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel


@kernel
def list_shared_topics(
    nodes: Int32s,
    offsets: Int64s,
    topics: Int32s,
    carried_offsets: Int64s,
    carried: Int32s,
    counts: Int64s,
    shared: Int32s,
) -> int:
    """Write the topics that each link's node shares with the carried list of its other end.

    ``counts`` receives their number by link, and ``shared`` the topics, link after link.
    Returns their total.
    """
    total = 0
    for k in range(len(nodes)):
        before = total
        i, end_i = offsets[nodes[k]], offsets[nodes[k] + 1]
        j, end_j = carried_offsets[k], carried_offsets[k + 1]
        i, j = next_shared(topics, i, end_i, carried, j, end_j)
        while i < end_i:
            shared[total] = topics[i]
            total += 1
            i, j = next_shared(topics, i + 1, end_i, carried, j + 1, end_j)
        counts[k] = total - before
    return total
