"""T-Man (Jelasity, Babaoglu 2006) with the ranking of Vitis: a round of all nodes.

Nodes are numbered along the identifier circle, so ``identifiers`` ascend. A routing table is a
row: successor, predecessor, small-world links, friends (Vitis, Algorithm 4); -1 is an empty
entry. An exchange merges two tables and the fresh samples of both nodes, and both select again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Floats, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_randbelow

RING = 2
"""Ring entries of a table: successor, then predecessor."""


class Tables(NamedTuple):
    """The routing tables of all nodes.

    ``peers[p]`` is a row, ``heard`` the round of the last message of each entry, ``utilities`` the
    utility of each friend, ``targets[p]`` the identifiers of p's small-world links, and
    ``inward[p]`` the number of nodes with p as a small-world link or friend that are not in p's
    table.
    """

    peers: Int32s
    heard: Int32s
    utilities: Floats
    targets: UInt64s
    inward: Int32s


class Taste(NamedTuple):
    """Terms of the utility of friends: topics of each node, and publication rate of each topic.

    ``weights[p]`` is the sum of the rates of p's topics.
    """

    offsets: Int64s
    topics: Int32s
    rates: Floats
    weights: Floats


class TableScratch(NamedTuple):
    """Work arrays of tokens that only grow: two by node and one by topic."""

    seen: Int64s
    present: Int64s
    mine: Int64s


@kernel
def ring_distance(one: np.uint64, other: np.uint64) -> np.uint64:
    """Return the shorter distance on the circle of 2^64 identifiers."""
    ahead = other - one
    back = one - other
    return ahead if ahead < back else back


@kernel
def utility(taste: Taste, node: int, peer: int, mine: Int64s, token: int) -> float:
    """Return Equation 1, where ``mine`` has ``token`` at each of the node's topics."""
    shared = 0.0
    for k in range(taste.offsets[peer], taste.offsets[peer + 1]):
        topic = taste.topics[k]
        if mine[topic] == token:
            shared += taste.rates[topic]
    either = taste.weights[node] + taste.weights[peer] - shared
    return shared / either if either > 0 else 0.0


@kernel
def _place_of(table: Int32s, peer: int, first: int) -> int:
    """Return the place of a peer in a table, from ``first`` on; -1 if it is not there."""
    for k in range(first, len(table)):
        if table[k] == peer:
            return k
    return -1


@kernel
def _is_neighbour(tables: Tables, node: int, peer: int) -> bool:
    """Return whether a peer is a friend or small-world link, or has the node in its table. O(R)."""
    return (
        _place_of(tables.peers[node], peer, RING) >= 0
        or _place_of(tables.peers[peer], node, 0) >= 0
    )


@kernel
def count_inward(tables: Tables, counts: Bools) -> None:
    """Count for each node the tables that have it, those of nodes that count. O(N R²)."""
    tables.inward[:] = 0
    for node in range(len(counts)):
        for k in range(RING, tables.peers.shape[1] if counts[node] else RING):
            peer = tables.peers[node, k]
            if peer >= 0 and _place_of(tables.peers[peer], node, 0) < 0:
                tables.inward[peer] += 1


@kernel
def _replace_table(tables: Tables, node: int, chosen: Int32s) -> None:
    """Replace a node's table, and update the counts of inward tables. O(R) for each change."""
    before = tables.peers[node].copy()
    tables.peers[node] = chosen
    for k in range(len(chosen)):
        if before[k] == chosen[k]:
            continue
        peer = before[k]
        if peer >= 0:
            is_left = _place_of(chosen, peer, 0) < 0
            theirs = _place_of(tables.peers[peer], node, 0)
            if k >= RING and theirs < 0 and _place_of(chosen, peer, RING) < 0:
                tables.inward[peer] -= 1
            if is_left and theirs >= RING:
                tables.inward[node] += 1
        peer = chosen[k]
        if peer >= 0:
            is_new = _place_of(before, peer, 0) < 0
            theirs = _place_of(tables.peers[peer], node, 0)
            if k >= RING and theirs < 0 and _place_of(before, peer, RING) < 0:
                tables.inward[peer] += 1
            if is_new and theirs >= RING:
                tables.inward[node] -= 1


@kernel
def _keep_accepting(
    tables: Tables, node: int, peers: Int32s, heard: Int32s, count: int, max_in_degree: int
) -> int:
    """Remove candidates that do not accept to be friends or small-world links; count the others.

    A peer accepts if it is one, if the node is in its own table, or if not too many others have it.
    """
    kept = 0
    for k in range(count):
        if tables.inward[peers[k]] < max_in_degree or _is_neighbour(tables, node, peers[k]):
            peers[kept], heard[kept] = peers[k], heard[k]
            kept += 1
    return kept


@kernel
def select_neighbours(
    tables: Tables,
    taste: Taste,
    identifiers: UInt64s,
    node: int,
    peers: Int32s,
    heard: Int32s,
    count: int,
    max_in_degree: int,
    scratch: TableScratch,
    token: int,
) -> None:
    """Select a node's table among distinct candidates, without itself (Algorithm 4).

    Candidates with the maximum in-degree are ring neighbours only. Current friends come first among
    equals, and their utilities are known; candidates are consumed.
    O(C (R + s)) for C candidates with s topics each, and a table of R.
    """
    size = tables.peers.shape[1]
    links = tables.targets.shape[1]
    first = RING + links
    own = identifiers[node]
    chosen = np.full(size, -1, np.int32)
    rounds = np.zeros(size, np.int32)
    liked = np.zeros(size, np.float64)
    for place in range(first):
        if place == RING:
            count = _keep_accepting(tables, node, peers, heard, count, max_in_degree)
        best = -1
        least = np.uint64(0)
        for k in range(count):
            other = identifiers[peers[k]]
            if place == 0:
                gap = other - own
            elif place == 1:
                gap = own - other
            else:
                gap = ring_distance(other, tables.targets[node, place - RING])
            if best < 0 or gap < least:
                best, least = k, gap
        if best < 0:
            break
        chosen[place], rounds[place] = peers[best], heard[best]
        count -= 1
        peers[best], heard[best] = peers[count], heard[count]
    if first < size:
        if links == 0:
            count = _keep_accepting(tables, node, peers, heard, count, max_in_degree)
        for place in range(first, size):
            peer = tables.peers[node, place]
            if peer >= 0:
                scratch.present[peer] = token + place
        for k in range(taste.offsets[node], taste.offsets[node + 1]):
            scratch.mine[taste.topics[k]] = token
        end = first
        for new in range(2):
            for k in range(count):
                peer = peers[k]
                present = scratch.present[peer] - token
                if (present < 0) != (new == 1):
                    continue
                if new == 0:
                    worth = tables.utilities[node, present]
                else:
                    worth = utility(taste, node, peer, scratch.mine, token)
                    if end == size and worth <= liked[size - 1]:
                        continue
                end = min(end + 1, size)
                place = end - 1
                while place > first and liked[place - 1] < worth:
                    chosen[place], rounds[place] = chosen[place - 1], rounds[place - 1]
                    liked[place] = liked[place - 1]
                    place -= 1
                chosen[place], rounds[place], liked[place] = peer, heard[k], worth
    _replace_table(tables, node, chosen)
    tables.heard[node] = rounds
    tables.utilities[node] = liked


@kernel
def _gather(
    peers: Int32s,
    heard: Int32s,
    oldest: int,
    scratch: TableScratch,
    token: int,
    buffer: Int32s,
    rounds: Int32s,
    filled: int,
) -> int:
    """Add entries that are not too old to a buffer.

    Of two of the same peer, the fresher one remains.
    """
    for k in range(len(peers)):
        peer = peers[k]
        if peer < 0 or heard[k] < oldest:
            continue
        place = scratch.seen[peer] - token
        if place < 0:
            scratch.seen[peer] = token + filled
            buffer[filled], rounds[filled] = peer, heard[k]
            filled += 1
        elif heard[k] > rounds[place]:
            rounds[place] = heard[k]
    return filled


@kernel
def exchange_round(
    tables: Tables,
    taste: Taste,
    identifiers: UInt64s,
    views: Int32s,
    stamps: Int32s,
    alive: Bools,
    order: Int32s,
    now: int,
    threshold: int,
    ring_share: float,
    max_in_degree: int,
    sequence: UInt64s,
    scratch: TableScratch,
    token: int,
) -> int:
    """Let each node in turn exchange tables with one of its peers; return the next token.

    The partner is a random entry of the table (Algorithm 2), or with probability ``ring_share`` a
    ring neighbour. An absent one does not answer. O(N (R + c)(R + s)) for N nodes, tables of R,
    views of c, and s topics a node.
    """
    size, sampled = tables.peers.shape[1], views.shape[1]
    most = 2 * (size + sampled) + 2
    buffer, rounds = np.empty(most, np.int32), np.empty(most, np.int32)
    candidates, ages = np.empty(most, np.int32), np.empty(most, np.int32)
    oldest = now - threshold
    unit = 1 << 30
    for node in order:
        partner = -1
        if next_randbelow(sequence, unit) < ring_share * unit:
            partner = tables.peers[node, next_randbelow(sequence, RING)]
        if partner < 0:
            known = 0
            for k in range(size):
                if tables.peers[node, k] >= 0:
                    known += 1
                    if next_randbelow(sequence, known) == 0:
                        partner = tables.peers[node, k]
        if partner < 0:
            partner = views[node, 0]
        if partner < 0 or not alive[partner]:
            continue
        token += most + 1
        buffer[0], rounds[0] = node, now
        buffer[1], rounds[1] = partner, now
        scratch.seen[node] = token
        scratch.seen[partner] = token + 1
        filled = 2
        for side in range(2):
            one = node if side == 0 else partner
            filled = _gather(
                tables.peers[one], tables.heard[one], oldest, scratch, token, buffer, rounds, filled
            )
            filled = _gather(
                views[one], stamps[one], oldest, scratch, token, buffer, rounds, filled
            )
        for side in range(2):
            one = node if side == 0 else partner
            count = 0
            for k in range(filled):
                if buffer[k] != one:
                    candidates[count], ages[count] = buffer[k], rounds[k]
                    count += 1
            token += most + 1
            select_neighbours(
                tables, taste, identifiers, one, candidates, ages, count, max_in_degree, scratch,
                token,
            )  # fmt: skip
    token += most + 1
    return token


@kernel
def hear_round(tables: Tables, alive: Bools, order: Int32s, now: int, threshold: int) -> None:
    """Let each node send its profile to its table (Algorithms 6 and 7). O(N R).

    A peer that answers is fresh; one that is silent for too long is removed.
    """
    for node in order:
        for k in range(tables.peers.shape[1]):
            peer = tables.peers[node, k]
            if peer < 0:
                continue
            if alive[peer]:
                tables.heard[node, k] = now
            elif now - tables.heard[node, k] > threshold:
                tables.peers[node, k] = -1
