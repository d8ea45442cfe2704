"""Steps of a primal–dual method for the linear program of links, over a list of candidate pairs.

A pair is a list of shared topics, each with its two slots, compressed by ``offsets``. The steps
use floating point and prove nothing; ``dual_bound`` certifies their result.
"""

from __future__ import annotations

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Floats, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation


@kernel
def fill_shared_slots(
    relation: Relation,
    pairs: Int32s,
    offsets: Int64s,
    topics: Int32s,
    lower_slots: Int32s,
    upper_slots: Int32s,
) -> None:
    """Write the shared topics and slots of each pair between its two offsets."""
    for pair in range(len(pairs)):
        u, v = pairs[pair]
        i, end_i = relation.node_offsets[u], relation.node_offsets[u + 1]
        j, end_j = relation.node_offsets[v], relation.node_offsets[v + 1]
        for place in range(offsets[pair], offsets[pair + 1]):
            i, j = next_shared(relation.topics, i, end_i, relation.topics, j, end_j)
            topics[place] = relation.topics[i]
            lower_slots[place] = relation.slots[i]
            upper_slots[place] = relation.slots[j]
            i += 1
            j += 1


@kernel
def pair_prices(
    offsets: Int64s,
    topics: Int32s,
    lower_slots: Int32s,
    upper_slots: Int32s,
    topic_multipliers: Floats,
    slot_multipliers: Floats,
    prices: Floats,
) -> None:
    """Write the price of each pair: the multipliers of all that a link between the two serves."""
    for pair in range(len(offsets) - 1):
        price = 0.0
        for place in range(offsets[pair], offsets[pair + 1]):
            price += topic_multipliers[topics[place]]
            price += slot_multipliers[lower_slots[place]] + slot_multipliers[upper_slots[place]]
        prices[pair] = price


@kernel
def move_links(
    offsets: Int64s,
    topics: Int32s,
    lower_slots: Int32s,
    upper_slots: Int32s,
    topic_multipliers: Floats,
    slot_multipliers: Floats,
    weight: float,
    links: Floats,
    topic_served: Floats,
    slot_served: Floats,
) -> float:
    """Raise the links whose price exceeds their cost, and lower the others.

    Returns the total excess.

    ``links`` holds the value of each link, 0 to 1. The service of the extrapolated links is added
    up by topic and by slot.
    """
    excess = 0.0
    topic_served[:] = 0.0
    slot_served[:] = 0.0
    for pair in range(len(offsets) - 1):
        price = 0.0
        for place in range(offsets[pair], offsets[pair + 1]):
            price += topic_multipliers[topics[place]]
            price += slot_multipliers[lower_slots[place]] + slot_multipliers[upper_slots[place]]
        excess += max(price - 1.0, 0.0)
        step = weight / (3 * (offsets[pair + 1] - offsets[pair]))
        moved = min(max(links[pair] + step * (price - 1.0), 0.0), 1.0)
        ahead = 2.0 * moved - links[pair]
        links[pair] = moved
        if ahead != 0.0:
            for place in range(offsets[pair], offsets[pair + 1]):
                topic_served[topics[place]] += ahead
                slot_served[lower_slots[place]] += ahead
                slot_served[upper_slots[place]] += ahead
    return excess


@kernel
def move_multipliers(
    topic_offsets: Int64s,
    topic_steps: Floats,
    slot_steps: Floats,
    topic_served: Floats,
    slot_served: Floats,
    topic_multipliers: Floats,
    slot_multipliers: Floats,
    topic_sums: Floats,
    slot_sums: Floats,
) -> float:
    """Raise the multipliers of underserved constraints, and lower the others.

    A topic needs as many links as it has subscribers, less one; a slot needs one. The new
    multipliers are added to the sums. Returns needs times old multipliers.
    """
    worth = 0.0
    for topic in range(len(topic_offsets) - 1):
        begin, end = topic_offsets[topic], topic_offsets[topic + 1]
        if end - begin < 2:
            continue
        need = end - begin - 1
        worth += need * topic_multipliers[topic]
        moved = topic_multipliers[topic] + topic_steps[topic] * (need - topic_served[topic])
        moved = min(max(moved, 0.0), 1.0)
        topic_multipliers[topic] = moved
        topic_sums[topic] += moved
        for slot in range(begin, end):
            worth += slot_multipliers[slot]
            slot_moved = slot_multipliers[slot] + slot_steps[slot] * (1.0 - slot_served[slot])
            slot_multipliers[slot] = min(max(slot_moved, 0.0), 1.0 - moved)
            slot_sums[slot] += slot_multipliers[slot]
    return worth
