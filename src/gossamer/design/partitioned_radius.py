"""Bounded radius in blocks that are designed alone and joined: made for many machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import DegreeCaps, check_cap, check_radius, degree_caps
from gossamer.design._trees.tree_tops import Share, Tops, grow_share, join_tops
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.partitioned_merge import numbered
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.random import mix_words, stream_key
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

__all__ = [
    "BlockTasks",
    "Division",
    "Joined",
    "check_options",
    "design_in_blocks",
    "partitioned_radius",
]

SUBSCRIPTIONS_A_BLOCK = 2_500_000
"""What a task holds, at some two hundred bytes each."""

PAIRS_A_BLOCK = 1_000_000_000
"""Σ n_t² / 2 in a block: a minute or so of a task."""

ROOM_AT_ROOT = 16
"""Blocks' trees that one member may take near the root, besides what it has."""

DIVISION = np.uint64(11)
"""The purpose of the random words that put nodes in blocks."""


def check_options(*, radius: int, degree_cap: int, block: int) -> None:
    """Raise where an option is none."""
    check_radius(radius)
    check_cap(degree_cap)
    if block < 0:
        raise ParameterError(f"block is {block}; expected 1 or more nodes, or 0: by rule")


@dataclass(frozen=True)
class Division:
    """How a table is cut into blocks, and what each is designed with.

    Attributes
    ----------
    blocks
        How many there are.
    radius
        What is promised for the whole.
    inner
        The radius within blocks; with 0 nobody is linked there. Less than ``radius``, unless
        there is but one.
    levels
        Members so many hops from the centre of a tree, and nearer, are its top.
    degree_cap, seed
        As given.
    """

    blocks: int
    radius: int
    inner: int
    levels: int
    degree_cap: int
    seed: int

    @classmethod
    def of(
        cls, shape: TableShape, *, radius: int, degree_cap: int, block: int, seed: int
    ) -> Division:
        """Choose the blocks, and the radius that they leave for joining them.

        As few blocks as can be, since pairs across blocks are not looked at: as many as the
        subscriptions ask for (2.5 million a block) and the pairs within topics (10⁹ a block), or
        as the size that is given does. Their radius is k less than the whole's, with the
        least k for which members less than k hops from the root can take all other blocks, 16
        each: 1 up to 17 blocks, 2 up to 257; but at most a third of the radius, since blocks'
        degrees soar when theirs gets small.
        """
        check_options(radius=radius, degree_cap=degree_cap, block=block)
        nodes = int((shape.sizes > 0).sum())
        pairs = float((shape.popularity.astype(np.float64) ** 2).sum()) / 2
        by_memory = -(-shape.subscription_count // SUBSCRIPTIONS_A_BLOCK)
        by_time = int(np.ceil(np.sqrt(pairs / PAIRS_A_BLOCK)))
        blocks = max(-(-nodes // block) if block else max(by_memory, by_time), 1)
        kept = min(blocks - 1, 1)
        while ROOM_AT_ROOT**kept < blocks - 1 and kept < radius // 3:
            kept += 1
        return cls(blocks, radius, radius - kept, max(kept, 2), degree_cap, seed)

    def block_of(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the block of each node: a hash of its number under the seed."""
        words = nodes.astype(np.uint64)
        mix_words(words, np.uint64(stream_key(np.uint64(self.seed), DIVISION)))
        return (words % np.uint64(self.blocks)).astype(np.int64)

    def shares(
        self, first_node: int, offsets: NDArray[np.int64], topics: NDArray[np.int32]
    ) -> Iterator[tuple[int, Share]]:
        """Cut consecutive nodes and their topics by block; nodes without topics are left out."""
        sizes = np.diff(offsets)
        blocks = self.block_of(np.arange(first_node, first_node + len(sizes)))
        slot_blocks = np.repeat(blocks, sizes)
        for block in np.unique(slot_blocks).tolist():
            nodes = np.flatnonzero((blocks == block) & (sizes > 0))
            starts = offsets_of(sizes[nodes])
            chosen = topics[slot_blocks == block]
            yield block, Share((first_node + nodes).astype(np.int32), starts, chosen)

    def grow(self, block: int, share: Share) -> Tops:
        """Design a block alone."""
        return grow_share(
            share,
            radius=self.inner,
            degree_cap=self.degree_cap,
            levels=self.levels,
            seed=self.seed + block,
        )


class BlockTasks(Protocol):
    """Where blocks are designed: in this process, or on many."""

    def caps(self, division: Division) -> DegreeCaps:
        """Tell how many links each node of the table should have at most."""
        ...

    def grow(self, division: Division) -> Iterable[tuple[int, Tops]]:
        """Apply :meth:`Division.grow` to every block that has nodes, in any order."""
        ...


class LocalBlockTasks:
    """The blocks of a design, one after the other in this process."""

    def __init__(self, interests: Interests) -> None:
        self._interests = interests

    def caps(self, division: Division) -> DegreeCaps:
        """Look at the whole table."""
        return degree_caps(self._interests, radius=division.radius, degree_cap=division.degree_cap)

    def grow(self, division: Division) -> Iterator[tuple[int, Tops]]:
        """Design them in order."""
        table = self._interests
        for block, share in division.shares(0, table.node_offsets, table.node_topics):
            yield block, division.grow(block, share)


@dataclass(frozen=True)
class Joined:
    """What came out.

    Attributes
    ----------
    division
        How the table was cut.
    inside, between
        Links within blocks, and those that join them, shape (m, 2) each.
    """

    division: Division
    inside: NDArray[np.int32]
    between: NDArray[np.int32]

    @property
    def links(self) -> NDArray[np.int32]:
        """All links."""
        return np.concatenate((self.inside, self.between))


def design_in_blocks(
    runner: BlockTasks, division: Division, *, progress: Progress | None = None
) -> Joined:
    """Design all blocks, and join their trees by their tops."""
    tell = progress or silent
    found: dict[int, Tops] = {}
    tell(f"designing {division.blocks:,} blocks", 0.0)
    for block, tops in runner.grow(division):
        found[block] = tops
        done = len(found) / division.blocks
        tell(f"designed {len(found):,} of {division.blocks:,} blocks", min(done, 1.0))
    in_order = [found[block] for block in sorted(found)]
    inside = np.concatenate([np.empty((0, 2), dtype=np.int32), *(tops.ends for tops in in_order)])
    between = np.empty((0, 2), dtype=np.int32)
    if division.blocks > 1 and in_order:
        tell("joining blocks", 0.0)
        between = join_tops(
            in_order,
            runner.caps(division).caps,
            radius=division.radius,
            seed=division.seed,
            progress=progress,
        )
    return Joined(division, inside, between)


def caps_of_whole(
    interests: Interests, *, radius: int, degree_cap: int = 0, block: int = 0
) -> DegreeCaps:
    """Return the caps that joining respects: those of bounded radius on the whole table."""
    _, ranked, order = numbered(interests)
    found = degree_caps(ranked, radius=radius, degree_cap=degree_cap)
    caps = np.empty_like(found.caps)
    caps[order] = found.caps
    return DegreeCaps(found.average, caps)


@algorithm(
    "partitioned-radius",
    reference="ours: bounded radius in blocks, joined near their roots",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=caps_of_whole,
)
def partitioned_radius(
    interests: Interests,
    *,
    radius: int = 6,
    degree_cap: int = 0,
    block: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Design blocks by bounded radius and join them, as Spark does for large tables (ours).

    Nodes are put in blocks at random. Each block is designed alone by ``bounded-radius``, with
    a radius that is a little smaller. A topic's trees, one from each block, are then joined by
    links between members near their centres, again those first that join most topics.

    Parameters
    ----------
    interests
        Who wants what.
    radius
        From 1 to 64: no two subscribers of a topic are further apart than twice this.
    degree_cap
        Links that a node of average interests should have at most, as for ``bounded-radius``;
        0: by rule, blocks by their own.
    block
        Nodes a block. 0, if none is given: by rule, as many as have 2.5 million subscriptions
        and 10⁹ pairs with a topic in common, so that small tables are one block.
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected; every topic has a diameter of at most 2 · radius. The same as
        ``gossamer design --engine spark --algorithm bounded-radius`` gives.

    Notes
    -----
    Write R for the radius. With B blocks, each is designed with radius r = R - k, k being
    the least with 16^k ≥ B - 1, but at most a third of R and at least 1; so trees of blocks find
    their place less than k hops from a topic's root. (With R = 1 blocks have no links, and joining
    does all.) Of each tree only the *top* is told: the members within two hops, or k, of its
    centre, with their links in the tree and their exact reaches.

    **Guarantee.** Each block's tree of a topic has a root with nobody further than r, so its
    centre reaches at most r ≤ R - 1. The largest tree of a topic becomes its rooted one; its root
    is a told member of reach at most R, and its centre is one. Joining is the
    rooted stage of ``bounded-radius``, and a link joins there under the same conditions:
    depth(u) + 1 + reach(v) ≤ R, or reach(u) + 1 + reach(v) ≤ Δ, the largest even number below
    R. Depths and reaches of told members are exact, those of hidden ones are not needed: a top is
    connected, so the path between two told members has only told ones on it, and whoever is hung,
    hidden or not, comes to hang no deeper than R. So no two members are further apart than R + R.
    And it ends with one tree a topic: every loose tree has a told member of reach at most R - 1,
    which can hang from the root, if caps allow it, and they rise until they do. It is its centre
    at first; and when a link (u, v) joins two loose trees, u reaches
    max(reach(u), 1 + reach(v)) ≤ Δ - 1 ≤ R - 1 afterwards, unless reach(u) = 0 and
    reach(v) = Δ - 1; then v reaches Δ - 1, since Δ ≥ 2 where anything fits. ∎

    Pairs across blocks are looked at near the centres alone. That costs links where topics are
    rare, as a node has fewer partners in a block than in the table; so blocks are large.

    A task holds one block, at some 200 bytes a subscription; it costs what ``bounded-radius``
    does, a sweep Σ n_t² / 2 over the block's share of topics, so all tasks together cost
    O(Σ n_t² / B) a sweep. The one place that joins holds the tops, some 90 bytes a told
    member (5 to 15 per cent of all subscriptions) and 8 a link.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcdefgh"})
    >>> overlay = partitioned_radius(interests, radius=3, block=4)
    >>> overlay.link_count
    7
    """
    shape, ranked, node_order = numbered(interests)
    division = Division.of(shape, radius=radius, degree_cap=degree_cap, block=block, seed=seed)
    found = design_in_blocks(LocalBlockTasks(ranked), division, progress=progress)
    return Overlay.from_links(interests.node_count, node_order[found.links])
