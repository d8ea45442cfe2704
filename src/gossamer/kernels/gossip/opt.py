"""OPT, the overlay per topic by interest coverage that Vitis is compared with: cycle-driven.

As in SpiderCast (Chockler et al., DEBS 2007), each node needs ``cover`` neighbours on each of its
topics, and links to those that serve the most uncovered topics. A link has the consent of both
ends, and a node has at most ``bound`` links. Candidates are neighbours of a neighbour, and samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_randbelow


class Coverage(NamedTuple):
    """The links of all nodes, and the number of neighbours of each on each of its topics.

    ``peers[p]`` are the links of p, in the first ``degrees[p]`` entries of the row; ``covered`` and
    ``others``, the number of other subscribers of the topic, have an entry per subscription.
    """

    offsets: Int64s
    topics: Int32s
    peers: Int32s
    degrees: Int32s
    covered: Int32s
    others: Int32s


@kernel
def _mark(coverage: Coverage, node: int, mine: Int64s, token: int) -> None:
    """Mark the topics of a node with their places."""
    for k in range(coverage.offsets[node], coverage.offsets[node + 1]):
        mine[coverage.topics[k]] = token + k


@kernel
def _worth(coverage: Coverage, peer: int, mine: Int64s, token: int, below: int) -> int:
    """Count the marked topics that a peer shares and that fewer than ``below`` neighbours serve."""
    found = 0
    for k in range(coverage.offsets[peer], coverage.offsets[peer + 1]):
        place = mine[coverage.topics[k]] - token
        if place >= 0 and coverage.covered[place] < below:
            found += 1
    return found


@kernel
def _count(coverage: Coverage, node: int, peer: int, mine: Int64s, token: int, step: int) -> None:
    """Count a link on the topics that both ends share, at both ends."""
    _mark(coverage, node, mine, token)
    for k in range(coverage.offsets[peer], coverage.offsets[peer + 1]):
        place = mine[coverage.topics[k]] - token
        if place >= 0:
            coverage.covered[k] += step
            coverage.covered[place] += step


@kernel
def _strike(coverage: Coverage, node: int, peer: int) -> None:
    """Remove a peer from a node's row."""
    last = coverage.degrees[node] - 1
    for k in range(last + 1):
        if coverage.peers[node, k] == peer:
            coverage.peers[node, k] = coverage.peers[node, last]
            coverage.degrees[node] = last
            return


@kernel
def _least_useful(
    coverage: Coverage, node: int, mine: Int64s, token: int, cover: int
) -> tuple[int, int]:
    """Return the least useful link of a node, and the number of topics that need it."""
    _mark(coverage, node, mine, token)
    worst, least = -1, 1 << 30
    for k in range(coverage.degrees[node]):
        worth = _worth(coverage, coverage.peers[node, k], mine, token, cover + 1)
        if worth < least:
            worst, least = coverage.peers[node, k], worth
    return worst, least


@kernel
def _unlink(coverage: Coverage, node: int, peer: int, mine: Int64s, token: int) -> None:
    _count(coverage, node, peer, mine, token, -1)
    _strike(coverage, node, peer)
    _strike(coverage, peer, node)


@kernel
def _is_uncovered(coverage: Coverage, node: int, cover: int) -> bool:
    """Return whether a topic of the node is not covered although it has further subscribers."""
    for k in range(coverage.offsets[node], coverage.offsets[node + 1]):
        if coverage.covered[k] < cover and coverage.covered[k] < coverage.others[k]:
            return True
    return False


@kernel
def _link_candidates(
    coverage: Coverage,
    node: int,
    candidates: Int32s,
    worths: Int32s,
    count: int,
    cover: int,
    bound: int,
    mine: Int64s,
    token: int,
    step: int,
) -> int:
    """Link a node to the candidates of highest gain, while there is one.

    A gain is computed again before it counts, since new links lower it.
    """
    token += step
    _mark(coverage, node, mine, token)
    for k in range(count):
        worths[k] = _worth(coverage, candidates[k], mine, token, cover)
    changes = 0
    checked = np.zeros(count, np.int32)
    while True:
        best = -1
        for k in range(count):
            if worths[k] > 0 and (best < 0 or worths[k] > worths[best]):
                best = k
        if best < 0:
            return token
        peer, gain = candidates[best], worths[best]
        if checked[best] < changes:
            token += step
            _mark(coverage, node, mine, token)
            worths[best] = _worth(coverage, peer, mine, token, cover)
            checked[best] = changes
            continue
        worths[best] = 0
        worst, other = -1, -1
        if coverage.degrees[node] >= bound:
            token += step
            worst, least = _least_useful(coverage, node, mine, token, cover)
            if gain <= least:
                return token  # no other candidate offers more
        if coverage.degrees[peer] >= bound:
            token += step
            _mark(coverage, peer, mine, token)
            theirs = _worth(coverage, node, mine, token, cover)
            token += step
            other, least = _least_useful(coverage, peer, mine, token, cover)
            if theirs <= least:
                continue
        if worst >= 0:
            token += step
            _unlink(coverage, node, worst, mine, token)
        if other >= 0 and coverage.degrees[peer] >= bound:
            token += step
            _unlink(coverage, peer, other, mine, token)
        token += step
        _count(coverage, node, peer, mine, token, 1)
        coverage.peers[node, coverage.degrees[node]] = peer
        coverage.degrees[node] += 1
        coverage.peers[peer, coverage.degrees[peer]] = node
        coverage.degrees[peer] += 1
        changes += 1


@kernel
def _drop_redundant(
    coverage: Coverage, node: int, cover: int, mine: Int64s, token: int, step: int
) -> int:
    """Remove links that neither end needs on any topic."""
    k = 0
    while k < coverage.degrees[node]:
        peer = coverage.peers[node, k]
        token += step
        _mark(coverage, node, mine, token)
        needed = _worth(coverage, peer, mine, token, cover + 1)
        if needed == 0:
            token += step
            _mark(coverage, peer, mine, token)
            needed = _worth(coverage, node, mine, token, cover + 1)
        if needed == 0:
            token += step
            _unlink(coverage, node, peer, mine, token)
        else:
            k += 1
    return token


@kernel
def cover_round(
    coverage: Coverage,
    views: Int32s,
    alive: Bools,
    order: Int32s,
    cover: int,
    bound: int,
    sequence: UInt64s,
    seen: Int64s,
    mine: Int64s,
    token: int,
) -> int:
    """Let each node in turn consider a neighbour's links and samples; return the next token.

    ``seen`` and ``mine`` are scratch, by node and by topic. O(C s) a new link, for C candidates of
    s topics.
    """
    step = len(coverage.topics) + 1
    most = coverage.peers.shape[1] + views.shape[1] + 1
    candidates, worths = np.empty(most, np.int32), np.empty(most, np.int32)
    for node in order:
        if not _is_uncovered(coverage, node, cover):
            token = _drop_redundant(coverage, node, cover, mine, token, step)
            continue
        token += step
        seen[node] = token
        for k in range(coverage.degrees[node]):
            seen[coverage.peers[node, k]] = token
        count = 0
        partner = -1
        if coverage.degrees[node] > 0:
            partner = coverage.peers[node, next_randbelow(sequence, coverage.degrees[node])]
        if partner >= 0 and alive[partner]:
            for k in range(coverage.degrees[partner]):
                peer = coverage.peers[partner, k]
                if seen[peer] != token and alive[peer]:
                    seen[peer] = token
                    candidates[count] = peer
                    count += 1
        for k in range(views.shape[1]):
            peer = views[node, k]
            if peer >= 0 and seen[peer] != token and alive[peer]:
                seen[peer] = token
                candidates[count] = peer
                count += 1
        token = _link_candidates(
            coverage, node, candidates, worths, count, cover, bound, mine, token, step
        )
        token = _drop_redundant(coverage, node, cover, mine, token, step)
    return token + step


@kernel
def forget_gone(coverage: Coverage, gone: Int32s, mine: Int64s, token: int) -> int:
    """Remove all links of departed nodes; return the next token."""
    step = len(coverage.topics) + 1
    for node in gone:
        while coverage.degrees[node] > 0:
            token += step
            _unlink(coverage, node, coverage.peers[node, 0], mine, token)
    return token + step
