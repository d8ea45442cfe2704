"""Workload generators in plain Python."""

from __future__ import annotations

import math

import numpy as np

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
    return word ^ (word >> 31)


def words(seed: int, purpose: int, node: int, counter: int) -> int:
    stream = mix64((mix64((seed + GOLDEN) & MASK) + purpose * GOLDEN) & MASK)
    key = mix64((stream + (node + 1) * GOLDEN) & MASK)
    return mix64((key + (counter + 1) * GOLDEN) & MASK)


def index_of(word: int, log_weights: list[float]) -> int | None:
    largest = max(log_weights)
    weights = [math.exp(value - largest) for value in log_weights]
    total = math.fsum(weights)
    end = 0
    for index, weight in enumerate(weights):
        end += int(weight / total * 2**63)
        if word >> 1 < end:
            return index
    return None


def size_of(seed: int, node: int, minimum: int, log_weights: list[float]) -> int:
    if len(log_weights) == 1:
        return minimum
    counter = 0
    while True:
        index = index_of(words(seed, 1, node, counter), log_weights)
        if index is not None:
            return minimum + index
        counter += 1


def topics_of(seed: int, node: int, size: int, log_weights: list[float]) -> set[int]:
    """The topics of one node: draw again on a repeat, then the earliest arrivals."""
    chosen: set[int] = set()
    for counter in range(4 * size + 16):
        if len(chosen) == size:
            break
        index = index_of(words(seed, 2, node, counter), log_weights)
        if index is not None:
            chosen.add(index)
    arrivals = []
    for topic, log_weight in enumerate(log_weights):
        if topic not in chosen:
            share = ((words(seed, 3, node, topic) >> 12) + 0.5) / 2**52
            arrivals.append((math.log(-math.log(share)) - log_weight, topic))
    return chosen | {topic for _, topic in sorted(arrivals)[: size - len(chosen)]}


def followed_by(
    seed: int, node: int, size: int, log_weights: list[float], communities: int, within: float
) -> set[int]:
    """Users that a node follows: draws in its community or among all, then earliest arrivals."""
    own = [user for user in range(len(log_weights)) if user % communities == node % communities]
    chosen: set[int] = set()
    for counter in range(4 * size + 16):
        if len(chosen) == size:
            break
        inside = words(seed, 2, node, 2 * counter) >> 1 < int(within * 2**63)
        pool = own if inside else list(range(len(log_weights)))
        word = words(seed, 2, node, 2 * counter + 1)
        index = index_of(word, [log_weights[user] for user in pool])
        if index is not None and pool[index] != node:
            chosen.add(pool[index])
    weights = [math.exp(value) for value in log_weights]
    factor = 1 - within + within * math.fsum(weights) / math.fsum(weights[user] for user in own)
    arrivals = []
    for user, log_weight in enumerate(log_weights):
        if user != node and user not in chosen:
            share = ((words(seed, 3, node, user) >> 12) + 0.5) / 2**52
            added = math.log(factor if user in own else 1 - within)
            arrivals.append((math.log(-math.log(share)) - (log_weight + added), user))
    return chosen | {user for _, user in sorted(arrivals)[: size - len(chosen)]}


def sampled_users(
    pairs: set[tuple[int, int]], order: list[int], wanted: int, starts: int
) -> dict[int, int]:
    """The level of each user of a breadth-first sample, over sets."""
    levels: dict[int, int] = {}
    frontier: list[int] = []
    level, seeds, searched = 0, starts, False
    while len(levels) < wanted:
        found = {b for a, b in pairs if a in frontier} - levels.keys()
        level += 1
        if not found:
            level = 0
            found = set([user for user in order if user not in levels][:seeds])
            seeds, searched = (2 * seeds if searched else seeds), True
        frontier = sorted(found, key=order.index)[: wanted - len(levels)]
        levels |= dict.fromkeys(frontier, level)
    return levels


def successive_sample(
    random: np.random.Generator, probabilities: list[float], size: int
) -> list[int]:
    """Draw one topic after the other in proportion to p over the topics still there."""
    remaining = list(range(len(probabilities)))
    chosen = []
    for _ in range(size):
        weights = np.array([probabilities[topic] for topic in remaining])
        place = int(random.choice(len(remaining), p=weights / weights.sum()))
        chosen.append(remaining.pop(place))
    return chosen


def inclusion_probabilities(probabilities: list[float], size: int) -> list[float]:
    """The exact chance of each topic to be among ``size`` successive draws, by recursion."""
    included = [0.0] * len(probabilities)

    def descend(chance: float, chosen: tuple[int, ...]) -> None:
        if len(chosen) == size:
            for topic in chosen:
                included[topic] += chance
            return
        left = sum(p for topic, p in enumerate(probabilities) if topic not in chosen)
        for topic, p in enumerate(probabilities):
            if topic not in chosen:
                descend(chance * p / left, (*chosen, topic))

    descend(1.0, ())
    return included
