"""Bounded radius in blocks that are designed alone and then joined, for tables on many machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import (
    TREE_CHECKS,
    DegreeCaps,
    check_cap,
    check_radius,
    degree_caps,
)
from gossamer.design._trees.tree_tops import Share, Tops, grow_share, join_tops
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.partitioned_merge import number_table
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.random import mix_words, stream_key
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

SUBSCRIPTIONS_PER_BLOCK = 2_500_000
"""Maximum subscriptions of a task, at about two hundred bytes each."""

PAIRS_PER_BLOCK = 1_000_000_000
"""Σ n_t² / 2 in a block: about a minute of a task."""

TREES_AT_ROOT = 16
"""Trees of other blocks that one member may take near the root."""

DIVISION = np.uint64(11)
"""Purpose of the random stream that assigns nodes to blocks."""


def check_block(block: int) -> None:
    """Raise :class:`ParameterError` unless the size of blocks is valid."""
    if block < 0:
        raise ParameterError(f"block is {block}; expected 1 or more nodes, or 0: by rule")


@dataclass(frozen=True)
class Division:
    """Division of a table into blocks, and the parameters of their designs.

    Attributes
    ----------
    blocks
        Number of blocks.
    radius
        Radius promised for the whole.
    inner
        Radius within blocks, less than ``radius`` unless there is only one block; 0 for no links.
    levels
        Maximum distance of the members of a top from the centre of the tree.
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
        """Choose the number of blocks, and the radius that they leave for joining them.

        The number is the smallest possible, since pairs across blocks are not considered: that of
        the subscriptions (2.5 million a block) and of pairs within topics (10⁹ a block), or of the
        block size given. The radius of blocks is k less than that of the whole, for the smallest k
        with which members less than k hops from the root can take all other blocks, 16 each: 1 up
        to 17 blocks, 2 up to 257; but at most a third of the radius, since degrees in blocks soar
        as their radius decreases.
        """
        check_radius(radius)
        check_cap(degree_cap)
        check_block(block)
        nodes = int((shape.sizes > 0).sum())
        pairs = float((shape.popularity.astype(np.float64) ** 2).sum()) / 2
        by_memory = -(-shape.subscription_count // SUBSCRIPTIONS_PER_BLOCK)
        by_time = int(np.ceil(np.sqrt(pairs / PAIRS_PER_BLOCK)))
        blocks = max(-(-nodes // block) if block else max(by_memory, by_time), 1)
        kept = min(blocks - 1, 1)
        while TREES_AT_ROOT**kept < blocks - 1 and kept < radius // 3:
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
        """Yield the share of each block in consecutive nodes; nodes without topics are left out."""
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
    """The executor of the tasks of a design in blocks: one process, or Spark."""

    def caps(self, division: Division) -> DegreeCaps:
        """Return the maximum degree of each node of the table."""
        ...

    def grow(self, division: Division) -> Iterable[tuple[int, Tops]]:
        """Apply :meth:`Division.grow` to every block that has nodes, in any order."""
        ...


class LocalBlockTasks:
    """Executor of the tasks in this process, one after the other."""

    def __init__(self, interests: Interests) -> None:
        self._interests = interests

    def caps(self, division: Division) -> DegreeCaps:
        """Return the caps, from the whole table."""
        return degree_caps(self._interests, radius=division.radius, degree_cap=division.degree_cap)

    def grow(self, division: Division) -> Iterator[tuple[int, Tops]]:
        """Design the blocks in order."""
        table = self._interests
        for block, share in division.shares(0, table.node_offsets, table.node_topics):
            yield block, division.grow(block, share)


@dataclass(frozen=True)
class JoinedBlocks:
    """The result of a design in blocks.

    Attributes
    ----------
    division
        Division of the table.
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
) -> JoinedBlocks:
    """Design all blocks, and join their trees by their tops."""
    report = progress or silent
    found: dict[int, Tops] = {}
    report(f"designing {division.blocks:,} blocks", 0.0)
    for block, tops in runner.grow(division):
        found[block] = tops
        done = len(found) / division.blocks
        report(f"designed {len(found):,} of {division.blocks:,} blocks", min(done, 1.0))
    in_order = [found[block] for block in sorted(found)]
    inside = np.concatenate([np.empty((0, 2), dtype=np.int32), *(tops.ends for tops in in_order)])
    between = np.empty((0, 2), dtype=np.int32)
    if division.blocks > 1 and in_order:
        report("joining blocks", 0.0)
        between = join_tops(
            in_order,
            runner.caps(division).caps,
            radius=division.radius,
            seed=division.seed,
            progress=progress,
        )
    return JoinedBlocks(division, inside, between)


def caps_of_table(
    interests: Interests, *, radius: int, degree_cap: int = 0, block: int = 0
) -> DegreeCaps:
    """Return the caps that joining respects: those of bounded radius on the whole table."""
    _, ranked, order = number_table(interests)
    found = degree_caps(ranked, radius=radius, degree_cap=degree_cap)
    caps = np.empty_like(found.caps)
    caps[order] = found.caps
    return DegreeCaps(found.average, caps)


@algorithm(
    "partitioned-radius",
    reference="ours: bounded radius in blocks, joined near their roots",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=caps_of_table,
    checks=TREE_CHECKS | {"block": check_block},
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

    Nodes are assigned to blocks at random. Each block is designed alone by ``bounded-radius``, with
    a slightly smaller radius. The trees of a topic, one per block, are then joined by links between
    members near their centres, those first that join most topics.

    Parameters
    ----------
    interests
        Topics of each node.
    radius
        Maximum distance to the root of a topic, 1 to 64; the diameter is at most twice as much.
    degree_cap
        Maximum degree of a node of average interests, as for ``bounded-radius``; 0 for a rule,
        which blocks apply to their own nodes.
    block
        Nodes of a block; 0 for a rule: as many as have 2.5 million subscriptions and 10⁹ pairs with
        a shared topic, so that small tables are one block.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; the diameter of every topic is at most 2 · radius. Equal to the result of
        ``gossamer design --engine spark --algorithm bounded-radius``.

    Notes
    -----
    Write R for the radius. With B blocks, each is designed with radius r = R - k, where k is the
    smallest number with 16^k ≥ B - 1, but at most a third of R and at least 1; so trees of blocks
    attach less than k hops from the root of a topic. (With R = 1 blocks have no links, and joining
    does all.) Joining sees only the *top* of each tree: the members within two hops, or k, of its
    centre, with their links in the tree and their exact reaches.

    **Guarantee.** The tree of a topic in a block has a root with radius r, so its centre has reach
    at most r ≤ R - 1. The largest tree of a topic becomes the rooted one; its root is a member of
    its top with reach at most R, such as its centre. Joining is the rooted stage of
    ``bounded-radius``, under the same conditions: depth(u) + 1 + reach(v) ≤ R, or reach(u) + 1 +
    reach(v) ≤ Δ, the largest even number below R. Depths and reaches of top members are exact,
    those of hidden ones are not needed: a top is connected, so the path between two of its members
    stays in it, and every attached member, hidden or not, has depth R at most. So no two members
    are farther apart than R + R. Joining ends with one tree a topic: every loose tree has a top
    member of reach at most R - 1, which can attach to the root, if caps allow it, and caps rise
    until they do. That member is the centre at first; and when a link (u, v) joins two loose trees,
    u has reach max(reach(u), 1 + reach(v)) ≤ Δ - 1 ≤ R - 1 afterwards, unless reach(u) = 0 and
    reach(v) = Δ - 1; then v has reach Δ - 1, since Δ ≥ 2 where any link fits. ∎

    Pairs across blocks are considered near the centres only. That costs links where topics are
    rare, as a node has fewer partners in a block than in the table; so blocks are large.

    A task holds one block, at about 200 bytes a subscription; it costs what ``bounded-radius``
    does, a sweep Σ n_t² / 2 over the topics' shares in the block, so all tasks together cost O(Σ
    n_t² / B) a sweep. The process that joins holds the tops, about 90 bytes a member (5 to 15 per
    cent of all subscriptions) and 8 a link.

    See Also
    --------
    bounded_radius

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcdefgh"})
    >>> overlay = partitioned_radius(interests, radius=3, block=4)
    >>> overlay.link_count
    7
    """
    shape, ranked, node_order = number_table(interests)
    division = Division.of(shape, radius=radius, degree_cap=degree_cap, block=block, seed=seed)
    found = design_in_blocks(LocalBlockTasks(ranked), division, progress=progress)
    return Overlay.from_links(interests.node_count, node_order[found.links])
