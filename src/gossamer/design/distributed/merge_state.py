"""The state of a design in rounds: the true components, degrees and links.

Tasks propose links from parts of the table and from snapshots of the labels; here proposals are
accepted or rejected. One process holds the state, at 4 bytes a subscription.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design.distributed.proposals import Block, LabelSnapshot, LinkProposals
from gossamer.kernels.merge.accept import accept_proposals, write_labels
from gossamer.kernels.merge.propose import DEAD
from gossamer.kernels.random import mix_words, stream_key
from gossamer.model.csr import offsets_of

ORDER = np.uint64(1)
"""Purpose of the random stream that orders proposals."""


@dataclass(frozen=True)
class TableShape:
    """Sizes of a table.

    Nodes are numbered by descending subscription size, topics by ascending popularity, so the
    lowest topic of a subset is its rarest, and no prefix has many long records.
    """

    sizes: NDArray[np.int64]
    popularity: NDArray[np.int64]

    @property
    def subscription_count(self) -> int:
        """Number of subscriptions, and of slots, which are numbered in the order of nodes."""
        return int(self.sizes.sum())

    def entries(self, bulk: int) -> int:
        """Return the number of entries in the records of the nodes from ``bulk`` on."""
        sizes = self.sizes[bulk:]
        return int((sizes * (sizes + 1) // 2).sum())


class MergeState:
    """The true components, degrees and links."""

    def __init__(self, shape: TableShape, seed: int) -> None:
        self.shape = shape
        self.seed = seed
        self.parents = np.arange(shape.subscription_count, dtype=np.int32)
        self.parts = shape.popularity.astype(np.int32)
        self.degrees = np.zeros(len(shape.sizes), dtype=np.int32)
        self.links: list[NDArray[np.int32]] = []
        self.continues = True
        """Whether another round at the present floor pays off."""

    @property
    def missing_merges(self) -> int:
        """Number of merges still missing: Σ over topics of components − 1."""
        return int(np.maximum(self.parts - 1, 0).sum(dtype=np.int64))

    @property
    def open_topics(self) -> int:
        """Number of disconnected topics."""
        return int((self.parts > 1).sum())

    @property
    def link_count(self) -> int:
        """Number of links so far."""
        return sum(len(links) for links in self.links)

    def labels(self) -> NDArray[np.int32]:
        """Return the component of every slot, by its lowest slot."""
        found = np.empty_like(self.parents)
        write_labels(self.parents, found)
        return found

    def accept_proposals(self, proposed: LinkProposals, floor: int) -> int:
        """Accept the proposals that still merge ``floor`` components or more; return the merges.

        Proposals of equal contribution are ordered by a hash of their ends, so the result does not
        depend on where they come from.
        """
        if not len(proposed.ends):
            return 0
        ends = proposed.ends.astype(np.uint64)
        keys = (ends[:, 0] << np.uint64(32)) | ends[:, 1]
        mix_words(keys, np.uint64(stream_key(np.uint64(self.seed), ORDER)))
        order = np.argsort(keys, kind="stable")
        counts = np.diff(proposed.offsets)
        accepted = np.zeros(len(order), dtype=np.bool_)
        offsets, take = _permute_lists(proposed.offsets, order)
        merged = accept_proposals(
            floor, offsets, proposed.topics[take], proposed.ones[take], proposed.others[take],
            self.parents, self.parts, np.empty(int(counts.max()) + 1, dtype=np.int64),
            np.empty(len(order), dtype=np.int64), accepted,
        )  # fmt: skip
        self.add(proposed.ends[order[accepted]])
        return int(merged)

    def add(self, links: NDArray[np.int32]) -> None:
        """Add links, and count them in the degrees."""
        self.links.append(links)
        self.degrees += np.bincount(links.ravel(), minlength=len(self.degrees)).astype(np.int32)


def snapshot_for(
    block: Block, labels: NDArray[np.int32], closed: NDArray[np.bool_], degrees: NDArray[np.int32]
) -> LabelSnapshot:
    """Return the labels and degrees of one block, as a task needs them."""
    mine = labels[block.first_slot : block.first_slot + len(block.topics)].copy()
    mine[closed[block.topics]] = DEAD
    return LabelSnapshot(mine, degrees[block.first_node : block.first_node + block.node_count])


def _permute_lists(
    offsets: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets of permuted lists, and the indices of their entries."""
    counts = np.diff(offsets)[order]
    moved = offsets_of(counts)
    return moved, np.repeat(offsets[order] - moved[:-1], counts) + np.arange(moved[-1])
