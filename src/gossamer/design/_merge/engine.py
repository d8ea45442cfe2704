"""The machinery that greedy merge, LowODA and MinMax-ODA share: scan, link, span.

:class:`MergeDesign` holds the topic components while links are added. It scans for the pairs that
merge most components (:meth:`MergeDesign.scan`), turns those of one level into links, in an order
that is the tie-break (:meth:`MergeDesign.link`), and joins the rest when no pair merges more than
one component (:meth:`MergeDesign.span`). The algorithms decide which pairs to link when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.merge import link as linking
from gossamer.kernels.merge import scan as scanning
from gossamer.kernels.merge import span as spanning
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent

Ties = Literal["fewest-degree", "random", "lexicographic"]

MIN_PAIRS, MAX_PAIRS = 50_000, 16_000_000
"""Pairs held at once, 12 bytes each: about 200 MB at most."""

VISITS_PER_PAIR = 100
"""Pair visits of a scan that cost as much as checking a held pair.

Fewer held pairs mean more scans; more mean repeated checks of pairs that contribute little by
the time their level comes.
"""

ROWS_PER_STEP = 2_000
NO_CAP = np.iinfo(np.int32).max


@dataclass
class PairLevels:
    """Pairs by an upper bound on their contribution, complete down to a floor.

    It holds every pair of the scanned nodes that would merge ``floor`` components or more. If it
    is not ``complete``, one level alone did not fit; then ``floor`` is the highest level, of which
    only the pairs in the rows before ``through`` are held.
    """

    floor: int
    complete: bool
    through: int
    levels: dict[int, list[NDArray[np.int64]]] = field(default_factory=dict)

    def add(self, level: int, keys: NDArray[np.int64]) -> None:
        """Add pairs whose bound is this level."""
        if len(keys):
            self.levels.setdefault(level, []).append(keys)

    def highest(self) -> int:
        """Return the highest level that has pairs, 0 if there is none."""
        return max(self.levels, default=0)

    def take(self, level: int) -> NDArray[np.int64]:
        """Remove and return the pairs of a level."""
        return np.concatenate(self.levels.pop(level))


def check_ties(ties: str) -> None:
    """Raise :class:`ParameterError` unless the tie-break exists."""
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; expected one of {', '.join(get_args(Ties))}")


def isolated_components(interests: Interests) -> Components:
    """Return components without links: every subscription alone."""
    count = interests.subscription_count
    return Components(
        labels=np.arange(count, dtype=np.int32),
        ring=np.arange(count, dtype=np.int32),
        sizes=np.ones(count, dtype=np.int32),
        parts=interests.popularity.astype(np.int32),
        degrees=np.zeros(interests.node_count, dtype=np.int32),
    )


def renumber_nodes(interests: Interests, order: NDArray[np.int64]) -> Interests:
    """Return the interests with node ``order[k]`` as node k, without names."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Interests.from_ids(
        rank[interests.node_column],
        interests.node_topics,
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )


@dataclass
class Descent:
    """Linking of all pairs of one level after another, from the highest down to 2.

    Attributes
    ----------
    merging
        The state of the design.
    stop
        Upper limit of the lower end of a pair.
    cap
        Degree from which on a node takes no link.
    """

    merging: MergeDesign
    stop: int | None = None
    cap: int = NO_CAP
    candidates: PairLevels | None = None

    def link(self, level: int) -> None:
        """Link the pairs that merge ``level`` components; none that merge more may be left.

        Scans only if this level is below the floor of the last scan.
        """
        start = 0
        while self.merging.missing_merges():
            if self.candidates is None or start or level < self.candidates.floor:
                np.minimum(self.merging.ceilings, level, out=self.merging.ceilings)
                self.candidates = self.merging.scan(
                    floor=level if start else 2,
                    under=None if self.cap == NO_CAP else self.cap,
                    start=start,
                    stop=self.stop,
                )
            if level in self.candidates.levels:
                self.merging.link(self.candidates, level, cap=self.cap)
            if self.candidates.complete or level > self.candidates.floor:
                return
            start = self.candidates.through


class MergeDesign:
    """Topic components, degrees and links so far, and the steps that add links.

    Memory: 16 bytes a subscription, 20 a node, and at most ``capacity`` pairs.
    """

    def __init__(
        self,
        interests: Interests,
        *,
        ties: Ties,
        seed: int,
        progress: Progress | None = None,
        capacity: int | None = None,
    ) -> None:
        check_ties(ties)
        self.interests = interests
        self.nodes, self.popularity = interests.node_count, interests.popularity
        self.ceilings = interests.subscription_sizes.astype(np.int32)
        self.components = isolated_components(interests)
        self.relation = relation_of(interests)
        self.ties = ties
        self.progress = progress or silent
        if capacity is None:
            visits = int((self.popularity**2).sum()) // 2
            capacity = min(max(visits // VISITS_PER_PAIR, MIN_PAIRS), MAX_PAIRS)
        self.capacity = max(capacity, self.nodes)
        self.random = np.random.default_rng(seed)
        key = self.random.integers(0, 2**64, dtype=np.uint64)
        self.sequence = np.array([key, 0], dtype=np.uint64)
        self.links: list[NDArray[np.int64]] = []
        self.to_merge = self.missing_merges()

    def restore_from(self, labels: NDArray[np.int32], degrees: NDArray[np.int32]) -> None:
        """Continue from given components and degrees.

        Parameters
        ----------
        labels
            Component of each subscription, in the order of nodes: equal for two subscribers of a
            topic exactly if links connect them within the topic.
        degrees
            Degree of each node.
        """
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        counts = np.diff(starts, append=len(order))
        # The first subscription of a component represents it; a ring links all of them.
        self.components.labels[order] = np.repeat(order[starts], counts)
        following = np.roll(order, -1)
        following[starts + counts - 1] = order[starts]
        self.components.ring[order] = following
        self.components.sizes[order[starts]] = counts
        self.components.parts[:] = np.bincount(
            self.interests.node_topics[order[starts]], minlength=len(self.popularity)
        )
        self.components.degrees[:] = degrees
        self.to_merge = self.missing_merges()

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Number of links of each node so far."""
        return self.components.degrees

    def missing_merges(self) -> int:
        """Return the number of merges still missing: Σ over topics of components − 1."""
        return int(np.maximum(self.components.parts - 1, 0).sum(dtype=np.int64))

    def report(self, stage: str) -> None:
        """Report the share of the merges that is done."""
        self.progress(stage, 1 - self.missing_merges() / max(self.to_merge, 1))

    def ordered_links(self) -> NDArray[np.int64]:
        """Return the links in the order in which they were added, shape (m, 2)."""
        keys = np.concatenate([np.empty(0, dtype=np.int64), *self.links])
        return np.stack(np.divmod(keys, max(self.nodes, 1)), axis=1)

    def overlay(self) -> Overlay:
        """Return the overlay, in which every topic must be connected."""
        assert self.missing_merges() == 0, "a topic is still disconnected"
        return Overlay.from_links(self.nodes, self.ordered_links())

    def scan(
        self, *, floor: int = 2, under: int | None = None, start: int = 0, stop: int | None = None
    ) -> PairLevels:
        """Return the pairs that would merge ``floor`` components or more now.

        Only nodes of degree below ``under`` take part, if given, and only pairs whose lower end is
        in the rows from ``start`` to ``stop``. The floor rises if the pairs do not fit. The cost of
        a disconnected topic is its members times its members outside the largest component.
        """
        stop = self.nodes if stop is None else stop
        node_count, topic_count = self.nodes, len(self.popularity)
        count = len(self.components.labels)
        active = np.ones(node_count, dtype=np.bool_) if under is None else self.degrees < under
        largest = np.empty(topic_count, dtype=np.int32)
        members, loose = (_empty_members(count, topic_count), _empty_members(count, topic_count))
        scanning.list_members(active, self.relation, self.components, largest, members, loose)
        scratch = scanning.RowScratch(
            tally=np.zeros(node_count, dtype=np.int32), row=np.empty(node_count, dtype=np.int32)
        )
        collected = scanning.PairBuffer(
            keys=np.empty(self.capacity, dtype=np.int64),
            levels=np.empty(self.capacity, dtype=np.int32),
            histogram=np.zeros(int(self.ceilings.max(initial=0)) + 2, dtype=np.int64),
        )
        # Ceilings bound all pairs of a row, so a scan of some of the nodes may not lower them.
        ceilings = self.ceilings if under is None else self.ceilings.copy()
        at = np.array([start, 0, floor, 1, node_count], dtype=np.int64)
        while at[0] < stop:
            scanning.collect_pairs(
                at, min(int(at[0]) + ROWS_PER_STEP, stop), active, ceilings,
                self.relation, self.components.labels, largest, members, loose, scratch, collected,
            )  # fmt: skip
            self.report("finding pairs")
        _, found, floor, _, through = at.tolist()
        candidates = PairLevels(floor=floor, complete=through == node_count, through=through)
        keys, levels = collected.keys[:found], collected.levels[:found]
        for level in np.flatnonzero(np.bincount(levels)).tolist():
            candidates.add(level, keys[levels == level])
        return candidates

    def link(
        self, candidates: PairLevels, level: int, *, cap: int = NO_CAP, most: int = NO_CAP
    ) -> int:
        """Link the pairs of a level that still contribute as much; return the number of links.

        Pairs that contribute less move to their own level, unless it is below the floor. Pairs with
        an end of degree ``cap`` or more are dropped. At most ``most`` links are added.
        """
        keys = candidates.take(level)
        if self.ties == "lexicographic":
            keys.sort()
        else:
            self.random.shuffle(keys)
        left = np.empty(len(keys), dtype=np.int32)
        links = np.empty(min(len(keys), self.missing_merges()), dtype=np.int64)
        arrays = (keys, left, self.relation, self.components, links)
        if self.ties == "fewest-degree":
            # A node gains at most one link per pair of this level that it is in.
            degrees = min(int(self.degrees.max()) + len(keys), self.nodes) + 1
            heads = np.empty(degrees, dtype=np.int32)
            successors = np.empty(len(keys), dtype=np.int32)
            count = linking.link_by_degree(level, cap, most, *arrays, heads, successors)
        else:
            count = linking.link_in_order(level, cap, most, *arrays)
        self.links.append(links[:count].copy())
        for lower in np.flatnonzero(np.bincount(left)).tolist():
            if lower >= candidates.floor:
                candidates.add(lower, keys[left == lower])
        self.report("linking")
        return count

    def span(self) -> None:
        """Join the remaining components of every topic; no pair may contribute two or more."""
        if self.ties == "fewest-degree":
            cap = 1
            while self.missing_merges():
                cap += self.span_under(cap) == 0
            return
        links = np.empty(self.missing_merges(), dtype=np.int64)
        if self.ties == "lexicographic":
            count = spanning.span_from_first(self.relation, self.components, links)
        else:
            loose = np.empty(int(self.popularity.max(initial=0)), dtype=np.int32)
            count = spanning.span_at_random(
                self.sequence, self.relation, self.components, links, loose
            )
        self.links.append(links[:count])
        self.report("linking")

    def span_under(self, cap: int, *, most: int = NO_CAP) -> int:
        """Add all links of contribution one between nodes of degree below ``cap``."""
        links = np.empty(min(self.missing_merges(), most), dtype=np.int64)
        free = np.empty(int(self.popularity.max(initial=0)), dtype=np.int32)
        count = spanning.span_under_degree(
            cap, most, self.sequence, self.relation, self.components, links, free
        )
        self.links.append(links[:count])
        self.report("linking")
        return count


def _empty_members(count: int, topic_count: int) -> scanning.TopicMembers:
    return scanning.TopicMembers(
        offsets=np.empty(topic_count + 1, dtype=np.int64),
        nodes=np.empty(count, dtype=np.int32),
        labels=np.empty(count, dtype=np.int32),
        cursors=np.empty(topic_count, dtype=np.int64),
    )
