"""How much the topics of a few chosen nodes overlap with everybody else's, node by node.

The chosen nodes' topics are an index from topic to chosen nodes; everybody passes by once
and is compared with those of them that share a topic. Nothing grows with how many pass.
"""

from __future__ import annotations

from gossamer.kernels.jit import Floats, Int32s, Int64s, kernel
from gossamer.kernels.measure.overlap import replace_lowest

__all__ = ["JACCARD_UNIT", "add_overlaps"]

JACCARD_UNIT = 1 << 32
"""Jaccard indices are added up as whole multiples of its inverse: in any order the same sum."""


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

    ``topics[offsets[v] : offsets[v + 1]]`` are the topics of the v-th passing node, -1 for
    one that no chosen node has, and ``chosen_as[v]`` which chosen node it is, or -1.
    ``highest`` (chosen × depth) has the highest relative overlaps of each chosen node as a
    heap; ``partners`` counts with how many it shares a topic, ``shared_sums`` and
    ``jaccard_sums`` add up over those. ``shared`` must be zero, and is again afterwards.
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
