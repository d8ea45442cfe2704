"""Follower graphs: weights that give wanted degrees, draws by community, breadth-first samples.

Users are nodes and topics at once. User i belongs to the community i mod C, so member j of
community c is the user c + j C.
"""

from __future__ import annotations

import math

import numpy as np

from gossamer.kernels.generate.draws import draw_index, draw_remaining
from gossamer.kernels.jit import Bytes, Floats, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import ONE, node_key, u64_at

PRIME_1 = np.uint64(0x9E3779B185EBCA87)
PRIME_2 = np.uint64(0xC2B2AE3D27D4EB4F)
PRIME_3 = np.uint64(0x165667B19E3779F9)
PRIME_4 = np.uint64(0x85EBCA77C2B2AE63)
PRIME_5 = np.uint64(0x27D4EB2F165667C5)


@kernel
def _chance(rate: float, own_share: float, own_factor: float, other_factor: float) -> float:
    """Return the probability of an arrival, over nodes of the same community and others."""
    own, other = -math.expm1(-rate * own_factor), -math.expm1(-rate * other_factor)
    return own_share * own + (1.0 - own_share) * other


@kernel
def fit_weights(
    sizes: Floats,
    size_shares: Floats,
    degrees: Floats,
    degree_shares: Floats,
    own_share: float,
    own_factor: float,
    other_factor: float,
    users: float,
    rounds: int,
    weights: Floats,
) -> float:
    """Fit the weight of each group of users to its wanted mean degree; return the relative error.

    A node of size s that takes users in the order of exponential arrivals has, by its time t(s),
    user i with probability 1 - exp(-t(s) w_i f), where f is the factor of its own community or of
    the others. Times and weights are scaled alternately until sizes and degrees agree (iterative
    proportional fitting).
    """
    times = np.empty(len(sizes), dtype=np.float64)
    for group in range(len(sizes)):
        times[group] = sizes[group] / users
    error = 0.0
    for _ in range(rounds):
        for group in range(len(sizes)):
            if sizes[group] == 0.0:
                continue
            total = 0.0
            for one in range(len(degrees)):
                rate = times[group] * weights[one]
                total += degree_shares[one] * _chance(rate, own_share, own_factor, other_factor)
            times[group] *= sizes[group] / (users * total)
        error = 0.0
        for one in range(len(degrees)):
            total = 0.0
            for group in range(len(sizes)):
                rate = times[group] * weights[one]
                total += size_shares[group] * _chance(rate, own_share, own_factor, other_factor)
            ratio = degrees[one] / (users * total)
            weights[one] *= ratio
            error = max(error, abs(ratio - 1.0))
        if error < 1e-4:
            break
    return error


@kernel
def draw_following(
    stream: np.uint64,
    remaining_stream: np.uint64,
    nodes: UInt64s,
    offsets: Int64s,
    thresholds: UInt64s,
    community_offsets: Int64s,
    community_thresholds: UInt64s,
    within: np.uint64,
    log_weights: Floats,
    log_own: Floats,
    log_other: float,
    chosen: Int32s,
) -> None:
    """Draw ``chosen[offsets[i]:offsets[i + 1]]``, the users that ``nodes[i]`` follows, not itself.

    A draw takes two words: whether it selects the own community (63 bits below ``within``), and the
    user. After four draws per entry and sixteen more, the rest is chosen by arrival times; there a
    user of the own community c has ``log_own[c]`` added to its log weight, and any other
    ``log_other``.
    """
    users, communities = len(thresholds), len(community_offsets) - 1
    stamps = np.zeros(users, dtype=np.int64)
    adjusted = np.empty(users, dtype=np.float64)
    for place in range(len(nodes)):
        start, stop, stamp = offsets[place], offsets[place + 1], place + 1
        if nodes[place] < np.uint64(users):
            stamps[int(nodes[place])] = stamp
        own = int(nodes[place] % np.uint64(communities))
        members = community_thresholds[community_offsets[own] : community_offsets[own + 1]]
        key = node_key(stream, nodes[place])
        filled = start
        for counter in range(4 * (stop - start) + 16):
            if filled == stop:
                break
            word = u64_at(key, 2 * counter + 1)
            if u64_at(key, 2 * counter) >> ONE < within:
                index = draw_index(members, word)
                index = own + index * communities if index < len(members) else users
            else:
                index = draw_index(thresholds, word)
            if index < users and stamps[index] != stamp:
                stamps[index] = stamp
                chosen[filled] = index
                filled += 1
        if filled < stop:
            for user in range(users):
                adjusted[user] = log_weights[user] + log_other
            for user in range(own, users, communities):
                adjusted[user] = log_weights[user] + log_own[own]
            key = node_key(remaining_stream, nodes[place])
            draw_remaining(key, adjusted, stamps, stamp, chosen, filled, stop)


@kernel
def search_levels(
    offsets: Int64s, followed: Int32s, order: Int64s, wanted: int, starts: int
) -> Int64s:
    """Search breadth-first until ``wanted`` users are reached; return their levels, -1 for others.

    Starts from the first users of ``order``; a level with too many users is cut to the first of
    them in that order. If no new user is found the search continues from the next users of the
    order: as many as at first, then twice as many each time. O(users + relations). ``order`` must
    contain every user with a relation, and ``wanted`` users or more.
    """
    users = len(offsets) - 1
    levels = np.full(users, -1, dtype=np.int64)
    reached = np.empty(users, dtype=np.int64)
    first, count, level, place = 0, 0, 0, 0
    seeds, seeded = min(starts, wanted), 0
    while count < wanted:
        begin, level = count, level + 1
        for at in range(first, begin):
            for k in range(offsets[reached[at]], offsets[reached[at] + 1]):
                user = followed[k]
                if levels[user] == -1:
                    levels[user] = level
                    reached[count] = user
                    count += 1
        if count > wanted:
            for at in range(begin, count):
                levels[reached[at]] = -2
            count = begin
            for user in order:
                if levels[user] == -2:
                    levels[user] = level if count < wanted else -1
                    count += 1 if count < wanted else 0
        elif count == begin:
            level = 0
            for _ in range(min(seeds, wanted - count)):
                while levels[order[place]] != -1:
                    place += 1
                levels[order[place]] = 0
                reached[count] = order[place]
                count += 1
            seeds = 2 * seeds if seeded else seeds
            seeded = 1
        first = begin
    return levels


@kernel
def _rotate(word: np.uint64, bits: int) -> np.uint64:
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@kernel
def _number(text: Bytes, start: int, length: int) -> np.uint64:
    """Return a little-endian number of ``length`` bytes."""
    number = np.uint64(0)
    for place in range(length):
        number |= np.uint64(text[start + place]) << np.uint64(8 * place)
    return number


@kernel
def _round(lane: np.uint64, word: np.uint64) -> np.uint64:
    return _rotate(lane + word * PRIME_2, 31) * PRIME_1


@kernel
def _hash_bytes(text: Bytes, start: int, stop: int, seed: np.uint64) -> np.uint64:
    """Return XXH64 of ``text[start:stop]`` (Collet's xxHash, 64 bits)."""
    at = start
    if stop - start >= 32:
        lanes = np.empty(4, dtype=np.uint64)
        lanes[0], lanes[1] = seed + PRIME_1 + PRIME_2, seed + PRIME_2
        lanes[2], lanes[3] = seed, seed - PRIME_1
        while at + 32 <= stop:
            for lane in range(4):
                lanes[lane] = _round(lanes[lane], _number(text, at + 8 * lane, 8))
            at += 32
        word = _rotate(lanes[0], 1) + _rotate(lanes[1], 7)
        word += _rotate(lanes[2], 12) + _rotate(lanes[3], 18)
        for lane in range(4):
            word = (word ^ _round(np.uint64(0), lanes[lane])) * PRIME_1 + PRIME_4
    else:
        word = seed + PRIME_5
    word += np.uint64(stop - start)
    while at + 8 <= stop:
        word ^= _round(np.uint64(0), _number(text, at, 8))
        word = _rotate(word, 27) * PRIME_1 + PRIME_4
        at += 8
    if at + 4 <= stop:
        word ^= _number(text, at, 4) * PRIME_1
        word = _rotate(word, 23) * PRIME_2 + PRIME_3
        at += 4
    while at < stop:
        word ^= np.uint64(text[at]) * PRIME_5
        word = _rotate(word, 11) * PRIME_1
        at += 1
    word = (word ^ (word >> np.uint64(33))) * PRIME_2
    word = (word ^ (word >> np.uint64(29))) * PRIME_3
    return word ^ (word >> np.uint64(32))


@kernel
def hash_names(seed: Bytes, text: Bytes, offsets: Int64s, hashes: UInt64s) -> None:
    """Hash the seed (bytes) and each ``text[offsets[i]:offsets[i + 1]]``: Spark's xxhash64."""
    start = _hash_bytes(seed, 0, len(seed), np.uint64(42))
    for name in range(len(hashes)):
        hashes[name] = _hash_bytes(text, offsets[name], offsets[name + 1], start)
