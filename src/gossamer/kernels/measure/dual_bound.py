"""Scans over all pairs of nodes that share a topic, for the lower bound on links.

A scan takes each pair once, from its lower node: a row costs the later subscribers of the node's
topics, all rows Σ n_t (n_t - 1) / 2 pair visits, in O(nodes) memory. Lists are read twice, once to
add up and once to read and clear, which is faster than a list of visited nodes. All arithmetic is
in integers, so that the proof does not depend on rounding.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation


@kernel
def scan_overlaps(
    relation: Relation, first: int, last: int, histogram: Int64s, largest: Int32s
) -> None:
    """Count pairs by the number of shared topics, for lower nodes from ``first`` to ``last``.

    ``largest`` receives the largest overlap of each node with any other. Entry 0 of ``histogram``
    counts second visits of pairs, and has no meaning.
    """
    node_offsets, topics, topic_offsets, nodes, _, slots = relation
    shared = np.zeros(len(node_offsets) - 1, dtype=np.int32)
    for node in range(first, last):
        for place in range(node_offsets[node], node_offsets[node + 1]):
            for slot in range(slots[place] + 1, topic_offsets[topics[place] + 1]):
                shared[nodes[slot]] += 1
        most = largest[node]
        for place in range(node_offsets[node], node_offsets[node + 1]):
            for slot in range(slots[place] + 1, topic_offsets[topics[place] + 1]):
                other = nodes[slot]
                overlap = shared[other]
                histogram[overlap] += 1
                most = max(most, overlap)
                largest[other] = max(largest[other], overlap)
                shared[other] = 0
        largest[node] = most


@kernel
def price_pairs(
    relation: Relation,
    first: int,
    last: int,
    topic_prices: Int64s,
    slot_prices: Int64s,
    cost: int,
    threshold: int,
    found: Int32s,
    found_count: int,
) -> tuple[int, int]:
    """Add up the excess of pair prices over the cost of a link; collect the pairs of high price.

    The price of a pair is the sum, over the topics it shares, of the topic's price and of both
    slots' prices. Lower nodes are those from ``first`` to ``last``. Pairs with a price above the
    threshold (0 to the cost) are written to ``found`` from ``found_count`` on, as far as they fit.
    Returns the excess, and ``found_count`` with all such pairs counted.
    """
    node_offsets, topics, topic_offsets, nodes, _, slots = relation
    prices = np.zeros(len(node_offsets) - 1, dtype=np.int64)
    excess = 0
    for node in range(first, last):
        for place in range(node_offsets[node], node_offsets[node + 1]):
            topic = topics[place]
            price = topic_prices[topic] + slot_prices[slots[place]]
            for slot in range(slots[place] + 1, topic_offsets[topic + 1]):
                prices[nodes[slot]] += price + slot_prices[slot]
        for place in range(node_offsets[node], node_offsets[node + 1]):
            for slot in range(slots[place] + 1, topic_offsets[topics[place] + 1]):
                other = nodes[slot]
                if prices[other] > threshold:
                    excess += max(prices[other] - cost, 0)
                    if found_count < len(found):
                        found[found_count, 0] = node
                        found[found_count, 1] = other
                    found_count += 1
                prices[other] = 0
    return excess, found_count
