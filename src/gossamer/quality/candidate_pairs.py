"""Lists of candidate pairs of the lower bound's linear program, and their shared topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure import dual_ascent as kernels
from gossamer.kernels.measure.topic_graphs import count_shared_topics
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


def pair_keys(interests: Interests, pairs: NDArray[np.int32]) -> Int64s:
    """Return a number for each pair, equal for equal pairs."""
    return pairs[:, 0].astype(np.int64) * interests.node_count + pairs[:, 1]


@dataclass(slots=True, eq=False)
class CandidatePairs:
    """Pairs of nodes, their shared topics and slots, and the value of each link."""

    keys: Int64s
    sizes: NDArray[np.int32]
    offsets: Int64s
    topics: NDArray[np.int32]
    lower_slots: NDArray[np.int32]
    upper_slots: NDArray[np.int32]
    links: Floats

    @classmethod
    def of(cls, interests: Interests, pairs: NDArray[np.int32]) -> CandidatePairs:
        """Look up the shared topics of pairs; links are 0. O(Σ of both nodes' subscriptions)."""
        relation = relation_of(interests)
        sizes = count_shared_topics(relation, freeze(pairs))
        offsets = freeze(offsets_of(sizes))
        topics, lower, upper = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
        kernels.fill_shared_slots(relation, freeze(pairs), offsets, topics, lower, upper)
        keys = pair_keys(interests, pairs)
        return cls(keys, sizes, offsets, topics, lower, upper, np.zeros(len(pairs)))

    def __len__(self) -> int:
        return len(self.keys)

    def select(self, keep: NDArray[np.bool_]) -> CandidatePairs:
        """Return the marked pairs."""
        shared = np.repeat(keep, self.sizes)
        sizes = self.sizes[keep]
        return CandidatePairs(
            self.keys[keep],
            sizes,
            freeze(offsets_of(sizes)),
            self.topics[shared],
            self.lower_slots[shared],
            self.upper_slots[shared],
            self.links[keep],
        )

    def concatenate(self, other: CandidatePairs) -> CandidatePairs:
        """Return these pairs and the others."""
        sizes = np.concatenate((self.sizes, other.sizes))
        return CandidatePairs(
            np.concatenate((self.keys, other.keys)),
            sizes,
            freeze(offsets_of(sizes)),
            np.concatenate((self.topics, other.topics)),
            np.concatenate((self.lower_slots, other.lower_slots)),
            np.concatenate((self.upper_slots, other.upper_slots)),
            np.concatenate((self.links, other.links)),
        )

    def prices(self, topics: Floats, slots: Floats) -> Floats:
        """Return the price of each pair: the multipliers of all that a link would serve."""
        prices = np.empty(len(self.keys))
        kernels.pair_prices(
            self.offsets, self.topics, self.lower_slots, self.upper_slots, topics, slots, prices
        )
        return prices
