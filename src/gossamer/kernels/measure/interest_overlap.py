"""Overlaps of the interests of a few chosen nodes with those of all nodes, node by node.

The topics of the chosen nodes are an index; each passing node is compared with the chosen nodes
that share a topic with it. Memory does not depend on the number of passing nodes.
"""

from __future__ import annotations

from gossamer.kernels.jit import Floats, Int32s, Int64s, kernel
from gossamer.kernels.measure.overlap import replace_lowest

JACCARD_UNIT = 1 << 32
"""Denominator of Jaccard indices as fixed-point numbers, whose sum does not depend on order."""


@kernel
def add_overlaps(
    offsets: Int64s,
    topics: Int32s,
    chosen_as: Int32s,
    index_offsets: Int64s,
    index_nodes: Int32s,
    chosen_sizes: Int64s,
    shared: Int64s,
    met: Int32s,
    highest: Floats,
    partners: Int64s,
    shared_sums: Int64s,
    jaccard_sums: Int64s,
) -> None:
    """Compare each passing node with the chosen nodes with which it shares a topic.

    ``topics[offsets[v] : offsets[v + 1]]`` are the topics of passing node v, -1 for a topic of no
    chosen node, and ``chosen_as[v]`` its index among the chosen nodes, or -1. ``highest`` (chosen ×
    depth) holds the highest relative overlaps of each chosen node as a heap; ``partners`` counts
    the nodes that share a topic with it, and ``shared_sums`` and ``jaccard_sums`` add up over
    those. ``shared`` is zero before and after.
    """
    for passing in range(len(offsets) - 1):
        count = 0
        for entry in range(offsets[passing], offsets[passing + 1]):
            topic = topics[entry]
            if topic < 0:
                continue
            for slot in range(index_offsets[topic], index_offsets[topic + 1]):
                node = index_nodes[slot]
                if shared[node] == 0:
                    met[count] = node
                    count += 1
                shared[node] += 1
        size = offsets[passing + 1] - offsets[passing]
        for place in range(count):
            node = met[place]
            common = shared[node]
            shared[node] = 0
            if node == chosen_as[passing]:
                continue
            partners[node] += 1
            shared_sums[node] += common
            either = size + chosen_sizes[node] - common
            jaccard_sums[node] += int(common / either * JACCARD_UNIT + 0.5)
            overlap = common / min(size, chosen_sizes[node])
            if overlap > highest[node, 0]:
                replace_lowest(highest[node], overlap)
