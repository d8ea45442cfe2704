"""The machinery that greedy merge, LowODA and MinMax-ODA share: find, link, span.

:class:`Merging` holds the topic components while links are added. It finds the pairs
that would merge most (:meth:`Merging.scan`), turns those of one level into links in an
order that is the tie-break (:meth:`Merging.link`), and joins what is left when no pair
merges more than one topic (:meth:`Merging.span`). Which pairs to take when is the
business of the algorithms.
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

__all__ = ["NO_CAP", "Descent", "Merging", "PairLevels", "Ties", "check_ties"]

Ties = Literal["fewest-degree", "random", "lexicographic"]

MIN_ROOM, MAX_ROOM = 50_000, 16_000_000
"""Pairs kept at once, 12 bytes each: some 200 MB at most."""

VISITS_A_PAIR = 100
"""Looking at a kept pair costs about as much as visiting this many in a scan.

Fewer kept pairs mean more scans; more mean looking again and again at pairs that are
worth little by the time their level comes.
"""

ROWS_A_STEP = 2_000
NO_CAP = np.iinfo(np.int32).max


@dataclass
class PairLevels:
    """Pairs by an upper bound on what they would merge, complete down to a floor.

    Every pair of the scanned nodes that would merge ``floor`` topics or more is here.
    Unless that is ``complete``: where one level alone did not fit, it is the highest there
    is, and only its pairs in the rows before ``through`` are here.
    """

    floor: int
    complete: bool
    through: int
    levels: dict[int, list[NDArray[np.int64]]] = field(default_factory=dict)

    def add(self, level: int, keys: NDArray[np.int64]) -> None:
        """Keep pairs whose bound is this level."""
        if len(keys):
            self.levels.setdefault(level, []).append(keys)

    def highest(self) -> int:
        """Return the highest level that has pairs, 0 where none has."""
        return max(self.levels, default=0)

    def take(self, level: int) -> NDArray[np.int64]:
        """Remove and return the pairs of a level."""
        return np.concatenate(self.levels.pop(level))


def check_ties(ties: str) -> None:
    """Raise where it is none of the tie-breaks."""
    if ties not in get_args(Ties):
        raise ParameterError(f"ties is {ties!r}; expected one of {', '.join(get_args(Ties))}")


@dataclass
class Descent:
    """Linking all pairs of one level after another, from the highest down to 2.

    Attributes
    ----------
    merging
        What is being built.
    stop
        Only pairs whose lower end is below this node, if given.
    cap
        Only pairs of nodes with fewer links than this, if given.
    """

    merging: Merging
    stop: int | None = None
    cap: int = NO_CAP
    candidates: PairLevels | None = None

    def link(self, level: int) -> None:
        """Link the pairs that merge ``level`` topics; none that merge more may be left.

        Looks for pairs only if this level was not within the last scan's floor.
        """
        start = 0
        while self.merging.apart():
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


class Merging:
    """Topic components, degrees and links so far, and the ways to go on.

    Memory: 16 bytes a subscription, 20 a node, and at most ``room`` pairs.
    """

    def __init__(
        self,
        interests: Interests,
        *,
        ties: Ties,
        seed: int,
        progress: Progress | None = None,
        room: int | None = None,
    ) -> None:
        check_ties(ties)
        self.interests = interests
        self.ties = ties
        self.progress = progress or silent
        if room is None:
            visits = int((interests.popularity**2).sum()) // 2
            room = min(max(visits // VISITS_A_PAIR, MIN_ROOM), MAX_ROOM)
        self.room = max(room, interests.node_count)
        self.random = np.random.default_rng(seed)
        key = self.random.integers(0, 2**64, dtype=np.uint64)
        self.sequence = np.array([key, 0], dtype=np.uint64)
        count = interests.subscription_count
        self.relation = relation_of(interests)
        self.components = Components(
            labels=np.arange(count, dtype=np.int32),
            ring=np.arange(count, dtype=np.int32),
            sizes=np.ones(count, dtype=np.int32),
            parts=interests.popularity.astype(np.int32),
            degrees=np.zeros(interests.node_count, dtype=np.int32),
        )
        self.ceilings = interests.subscription_sizes.astype(np.int32)
        self.links: list[NDArray[np.int64]] = []
        self.to_merge = self.apart()

    def start_from(self, labels: NDArray[np.int32], degrees: NDArray[np.int32]) -> None:
        """Take up where another left off.

        Parameters
        ----------
        labels
            For each subscription, in the nodes' order, what names its component: the same
            for two subscribers of a topic exactly if links join them within the topic.
        degrees
            Each node's links so far.
        """
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        counts = np.diff(starts, append=len(order))
        # Each component's first subscription stands for it; the ring goes through all of them.
        self.components.labels[order] = np.repeat(order[starts], counts)
        following = np.roll(order, -1)
        following[starts + counts - 1] = order[starts]
        self.components.ring[order] = following
        self.components.sizes[order[starts]] = counts
        self.components.parts[:] = np.bincount(
            self.interests.node_topics[order[starts]], minlength=self.interests.topic_count
        )
        self.components.degrees[:] = degrees
        self.to_merge = self.apart()

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Number of links of each node so far."""
        return self.components.degrees

    def apart(self) -> int:
        """Return how many merges are still missing: Σ over topics of components − 1."""
        return int(np.maximum(self.components.parts - 1, 0).sum(dtype=np.int64))

    def report(self, stage: str) -> None:
        """Tell how far it is: the share of the merges that is done."""
        self.progress(stage, 1 - self.apart() / max(self.to_merge, 1))

    def ordered_links(self) -> NDArray[np.int64]:
        """Return the links in the order in which they were added, shape (m, 2)."""
        keys = np.concatenate([np.empty(0, dtype=np.int64), *self.links])
        return np.stack(np.divmod(keys, max(self.interests.node_count, 1)), axis=1)

    def overlay(self) -> Overlay:
        """Return what has been built."""
        assert self.apart() == 0, "a topic is still in parts"
        return Overlay.from_links(self.interests.node_count, self.ordered_links())

    # -- finding pairs ------------------------------------------------------------

    def scan(
        self, *, floor: int = 2, under: int | None = None, start: int = 0, stop: int | None = None
    ) -> PairLevels:
        """Find the pairs that would now merge ``floor`` topics or more.

        Only nodes with fewer than ``under`` links take part, if given, and only pairs whose
        lower end is in the rows from ``start`` to ``stop``. The floor rises if the pairs do
        not fit. Costs, per topic in parts, its members times its members outside the
        largest component.
        """
        stop = self.interests.node_count if stop is None else stop
        interests = self.interests
        node_count, topic_count = interests.node_count, interests.topic_count
        count = interests.subscription_count
        active = np.ones(node_count, dtype=np.bool_) if under is None else self.degrees < under
        largest = np.empty(topic_count, dtype=np.int32)
        members, loose = (
            _room_for_members(count, topic_count),
            _room_for_members(count, topic_count),
        )
        scanning.list_members(active, self.relation, self.components, largest, members, loose)
        scratch = scanning.RowScratch(
            tally=np.zeros(node_count, dtype=np.int32), row=np.empty(node_count, dtype=np.int32)
        )
        collected = scanning.PairBuffer(
            keys=np.empty(self.room, dtype=np.int64),
            levels=np.empty(self.room, dtype=np.int32),
            histogram=np.zeros(int(self.ceilings.max(initial=0)) + 2, dtype=np.int64),
        )
        # Ceilings bound all pairs of a row: a scan of some of the nodes may not lower them.
        ceilings = self.ceilings if under is None else self.ceilings.copy()
        at = np.array([start, 0, floor, 1, node_count], dtype=np.int64)
        while at[0] < stop:
            scanning.collect_pairs(
                at, min(int(at[0]) + ROWS_A_STEP, stop), active, ceilings,
                self.relation, self.components.labels, largest, members, loose, scratch, collected,
            )  # fmt: skip
            self.report("finding pairs")
        _, found, floor, _, through = at.tolist()
        candidates = PairLevels(floor=floor, complete=through == node_count, through=through)
        keys, levels = collected.keys[:found], collected.levels[:found]
        for level in np.flatnonzero(np.bincount(levels)).tolist():
            candidates.add(level, keys[levels == level])
        return candidates

    # -- adding links -------------------------------------------------------------

    def link(
        self, candidates: PairLevels, level: int, *, cap: int = NO_CAP, most: int = NO_CAP
    ) -> int:
        """Turn the pairs of a level that are still worth it into links; return how many.

        Those worth less wait at their own level, where that is within the candidates'
        floor. Pairs with an end of degree ``cap`` or more are dropped. With ``most``, stops
        after that many links.
        """
        keys = candidates.take(level)
        if self.ties == "lexicographic":
            keys.sort()
        else:
            self.random.shuffle(keys)
        left = np.empty(len(keys), dtype=np.int32)
        links = np.empty(min(len(keys), self.apart()), dtype=np.int64)
        arrays = (keys, left, self.relation, self.components, links)
        if self.ties == "fewest-degree":
            # A node gains at most one link per pair of this level that it is in.
            degrees = min(int(self.degrees.max()) + len(keys), self.interests.node_count) + 1
            heads = np.empty(degrees, dtype=np.int32)
            nexts = np.empty(len(keys), dtype=np.int32)
            count = linking.link_by_degree(level, cap, most, *arrays, heads, nexts)
        else:
            count = linking.link_in_order(level, cap, most, *arrays)
        self.links.append(links[:count].copy())
        for lower in np.flatnonzero(np.bincount(left)).tolist():
            if lower >= candidates.floor:
                candidates.add(lower, keys[left == lower])
        self.report("linking")
        return count

    def span(self) -> None:
        """Join what is left of every topic; no pair may be worth two or more any more."""
        if self.ties == "fewest-degree":
            cap = 1
            while self.apart():
                cap += self.span_under(cap) == 0
            return
        links = np.empty(self.apart(), dtype=np.int64)
        if self.ties == "lexicographic":
            count = spanning.span_from_first(self.relation, self.components, links)
        else:
            loose = np.empty(int(self.interests.popularity.max(initial=0)), dtype=np.int32)
            count = spanning.span_at_random(
                self.sequence, self.relation, self.components, links, loose
            )
        self.links.append(links[:count])
        self.report("linking")

    def span_under(self, cap: int, *, most: int = NO_CAP) -> int:
        """Add all links of worth one between nodes with fewer than ``cap`` links."""
        links = np.empty(min(self.apart(), most), dtype=np.int64)
        free = np.empty(int(self.interests.popularity.max(initial=0)), dtype=np.int32)
        count = spanning.span_under_degree(
            cap, most, self.sequence, self.relation, self.components, links, free
        )
        self.links.append(links[:count])
        self.report("linking")
        return count


def _room_for_members(count: int, topic_count: int) -> scanning.TopicMembers:
    return scanning.TopicMembers(
        offsets=np.empty(topic_count + 1, dtype=np.int64),
        nodes=np.empty(count, dtype=np.int32),
        labels=np.empty(count, dtype=np.int32),
        cursors=np.empty(topic_count, dtype=np.int64),
    )
