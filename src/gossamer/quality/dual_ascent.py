"""Search for multipliers that make the lower bound on links high.

It approximately solves the linear program of ``lower_bound``, over a list of candidate pairs
instead of all pairs: a primal–dual hybrid gradient method with diagonal steps (Chambolle and Pock
2011), averaged and restarted. Between rounds a scan of all pairs (column generation) adds the
pairs of too high price and certifies the multipliers in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure import dual_ascent as kernels
from gossamer.kernels.measure.dual_bound import price_pairs
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests
from gossamer.model.interests import freeze
from gossamer.progress import Progress
from gossamer.quality.candidate_pairs import CandidatePairs, pair_keys

SCALE = 1 << 24
"""Denominator of certified multipliers. A scan of 2·10¹⁰ pair visits at prices of at most 2 each
stays below 2⁶⁰, so sums in 64 bits are exact."""

MAX_CANDIDATES = 1_500_000  # pairs that one scan adds; a longer list is pruned each round
MAX_SHARED = 6_000_000  # topics shared over all candidates at the start
MAX_ITERATIONS = 2_000  # in total; only small inputs reach it
FIRST_ROUND = 20  # iterations; a round after a complete one has half as many again
MAX_UNLISTED = 0.01  # share of the bound that unlisted pairs may cost in a complete round
MIN_PRICE = 0.85  # price below which a pair without link leaves the list when it is pruned
MIN_GAIN = 5e-4  # relative gain of a round below which the search stops

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Multipliers:
    """A price for each topic and each slot, in units of 1 / SCALE."""

    topics: Int64s
    slots: Int64s

    @classmethod
    def round_down(cls, topics: Floats, slots: Floats) -> Multipliers:
        """Round down to whole units."""
        return cls(
            np.floor(topics * SCALE).astype(np.int64), np.floor(slots * SCALE).astype(np.int64)
        )

    def worth(self, interests: Interests) -> int:
        """Return Σ_t y_t (n_t - 1) + Σ_{v,t} z_vt, in units of 1 / SCALE."""
        needs = np.maximum(interests.popularity - 1, 0)
        return int((self.topics * needs).sum()) + int(self.slots.sum())


@dataclass(frozen=True, slots=True)
class Start:
    """Start of the search: the best single price for all topics, 1 / overlap.

    ``histogram[k]`` is the number of pairs that share k topics.
    """

    overlap: int
    histogram: Int64s


def pair_visits(interests: Interests) -> int:
    """Return the pair visits of one scan: Σ n_t (n_t - 1) / 2."""
    popularity = interests.popularity
    return int((popularity * (popularity - 1) // 2).sum())


def certified_excess(
    interests: Interests, multipliers: Multipliers, *, threshold: int = SCALE
) -> tuple[int, NDArray[np.int32]]:
    """Return the exact excess of all pairs' prices over SCALE, and the pairs of high price.

    That is Σ over pairs of max(0, price - SCALE), and the pairs with a price above the threshold
    (at most ``MAX_CANDIDATES`` of them). Σ n_t² / 2 visits, O(nodes) memory.
    """
    found = np.empty((MAX_CANDIDATES, 2), dtype=np.int32)
    excess, count = price_pairs(
        relation_of(interests),
        0,
        interests.node_count,
        freeze(multipliers.topics),
        freeze(multipliers.slots),
        SCALE,
        threshold,
        found,
        0,
    )
    return int(excess), found[: min(int(count), MAX_CANDIDATES)].copy()


def _first_candidates(interests: Interests, start: Start) -> CandidatePairs:
    """Return the pairs of the largest overlaps, with the links that are best for a single price.

    With the single price 1 / k, the best links are all those of more than k shared topics, and of
    those with k as many as the topics need in total.
    """
    shared_from = np.cumsum((start.histogram * np.arange(len(start.histogram)))[::-1])[::-1]
    low = 1
    while low <= start.overlap and (
        shared_from[low] > MAX_SHARED or start.histogram[low:].sum() > MAX_CANDIDATES
    ):
        low += 1
    ones = Multipliers(
        np.ones(interests.topic_count, dtype=np.int64),
        np.zeros(interests.subscription_count, dtype=np.int64),
    )
    _, pairs = certified_excess(interests, ones, threshold=low - 1)
    candidates = CandidatePairs.of(interests, pairs)
    candidates.links[candidates.sizes > start.overlap] = 1.0
    tied = candidates.sizes == start.overlap
    if tied.any():
        needed = np.maximum(interests.popularity - 1, 0).sum()
        served = candidates.sizes[candidates.sizes > start.overlap].sum(dtype=np.int64)
        share = (needed - served) / (start.overlap * tied.sum())
        candidates.links[tied] = min(max(share, 0.0), 1.0)
    return candidates


@dataclass(slots=True, eq=False)
class _State:
    candidates: CandidatePairs
    topics: Floats
    slots: Floats
    weight: float = 2.0  # primal steps over dual steps; adapted between rounds

    def run(self, interests: Interests, iterations: int) -> Floats:
        """Iterate; continue from the better of the last and the mean multipliers.

        Returns the prices.
        """
        candidates = self.candidates
        arrays = (
            candidates.offsets,
            candidates.topics,
            candidates.lower_slots,
            candidates.upper_slots,
        )
        topic_uses = np.bincount(candidates.topics, minlength=len(self.topics))
        slot_uses = np.bincount(candidates.lower_slots, minlength=len(self.slots))
        slot_uses += np.bincount(candidates.upper_slots, minlength=len(self.slots))
        topic_steps = 1.0 / (self.weight * np.maximum(topic_uses, 1))
        slot_steps = 1.0 / (self.weight * np.maximum(slot_uses, 1))
        topic_served, topic_sums = np.zeros_like(self.topics), np.zeros_like(self.topics)
        slot_served, slot_sums = np.zeros_like(self.slots), np.zeros_like(self.slots)
        links_before = candidates.links.copy()
        topics_before, slots_before = self.topics.copy(), self.slots.copy()
        for _ in range(iterations):
            kernels.move_links(
                *arrays,
                self.topics,
                self.slots,
                self.weight,
                candidates.links,
                topic_served,
                slot_served,
            )
            kernels.move_multipliers(
                interests.topic_offsets,
                topic_steps,
                slot_steps,
                topic_served,
                slot_served,
                self.topics,
                self.slots,
                topic_sums,
                slot_sums,
            )
        prices = candidates.prices(self.topics, self.slots)
        mean_topics, mean_slots = topic_sums / iterations, slot_sums / iterations
        mean_prices = candidates.prices(mean_topics, mean_slots)
        needs = np.maximum(interests.popularity - 1, 0)
        if _value(needs, mean_topics, mean_slots, mean_prices) > _value(
            needs, self.topics, self.slots, prices
        ):
            self.topics, self.slots, prices = mean_topics, mean_slots, mean_prices
        moved = 3 * (candidates.sizes * (candidates.links - links_before) ** 2).sum()
        moved_dual = (topic_uses * (self.topics - topics_before) ** 2).sum()
        moved_dual += (slot_uses * (self.slots - slots_before) ** 2).sum()
        if moved > 0 and moved_dual > 0:
            # Balance the movement of both sides, as PDLP does (Applegate et al. 2021).
            self.weight = math.sqrt(self.weight * math.sqrt(moved / moved_dual))
        return prices


def _value(needs: Int64s, topics: Floats, slots: Floats, prices: Floats) -> float:
    return float(needs @ topics + slots.sum() - np.maximum(prices - 1.0, 0.0).sum())


def ascend(
    interests: Interests,
    start: Start,
    *,
    budget: int,
    iterations: int = MAX_ITERATIONS,
    progress: Progress,
) -> tuple[int, Multipliers]:
    """Search for good multipliers; return the best certified worth, in units of 1 / SCALE.

    Stops when a round gains little, after ``iterations``, or when the budget of pair visits is
    spent: a scan costs Σ n_t (n_t - 1) / 2, an iteration twice the candidates and the topics they
    share. At least one iteration is run.
    """
    visits = pair_visits(interests)
    state = _State(
        _first_candidates(interests, start),
        np.where(interests.popularity >= 2, 1.0 / start.overlap, 0.0),
        np.zeros(interests.subscription_count),
    )
    best, previous = 0, 0
    best_multipliers = Multipliers.round_down(np.zeros_like(state.topics), state.slots)
    spent, done, round_size = visits, 0, FIRST_ROUND
    while True:
        cost = 1 + 2 * (len(state.candidates) + len(state.candidates.topics))
        left = min((budget - spent - visits) // cost, iterations - done)
        size = max(min(round_size, left), 1)
        prices = state.run(interests, size)
        multipliers = Multipliers.round_down(state.topics, state.slots)
        excess, expensive = certified_excess(interests, multipliers)
        worth = multipliers.worth(interests) - excess
        if worth > best:
            best, best_multipliers = worth, multipliers
        spent += visits + cost * size
        done += size
        progress("lower bound", min(spent / budget, 1.0))
        if left <= round_size or abs(worth - previous) <= MIN_GAIN * abs(worth):
            break
        previous = worth

        candidates = state.candidates
        listed = np.isin(pair_keys(interests, expensive), candidates.keys, assume_unique=True)
        claimed = multipliers.worth(interests) - SCALE * float(np.maximum(prices - 1, 0).sum())
        complete = claimed - worth < MAX_UNLISTED * claimed
        if complete:
            round_size += round_size // 2
        if complete or len(candidates) > MAX_CANDIDATES:
            candidates = candidates.select((candidates.links > 0) | (prices > MIN_PRICE))
        if not listed.all():
            candidates = candidates.concatenate(CandidatePairs.of(interests, expensive[~listed]))
        state.candidates = candidates
    progress("lower bound", 1.0)
    return best, best_multipliers
