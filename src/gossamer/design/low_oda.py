"""LowODA and MinMax-ODA: greedy merge that minds the maximum degree."""

from __future__ import annotations

import math

import numpy as np

from gossamer.design._merge.engine import Merging, PairLevels, Ties
from gossamer.design.greedy_merge import merge_greedily
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge.components import contributions
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress

__all__ = ["low_oda", "minmax_oda"]


@algorithm(
    "low-oda",
    reference="Onus, Richa, ICDCS 2010; as used by Chen, Vitenberg, Jacobsen (ElastO)",
    topic_connected=True,
)
def low_oda(
    interests: Interests,
    *,
    rho: float = 3.0,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Greedy merge that raises the maximum degree only for links ρ times as good (LowODA).

    At each step, e1 is the link that merges most, and e2 the one that merges most among
    those that raise the overlay's maximum degree least. Takes e1 if it merges at least
    ``rho`` times as much as e2, else e2.

    Parameters
    ----------
    interests
        Who wants what.
    rho
        At least 1. ρ = 1 is greedy merge, ρ = ∞ is MinMax-ODA. The papers give no value;
        3 is ours.
    ties
        Which of the links that merge equally many: the one whose busier end has the
        fewest links, a random one, or the first by node ids, which measured best here
        (``docs/ties.md``).
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected. Mean degree at most O(ρ log(V·T)) times the least possible,
        maximum degree at most O((V / ρ) log(V·T)) times.

    Notes
    -----
    Exact. For a given maximum degree Δ the links that do not raise it are those between
    nodes of degree below Δ, and their worth only falls; so each Δ is a greedy merge among
    those nodes, cut short where a link outside is ρ times as good. Costs about one scan
    (see :func:`~gossamer.design.greedy_merge.greedy_merge`) per value of Δ, each cheaper
    than the one before. Memory as greedy merge.

    References
    ----------
    M. Onus, A. W. Richa: Parameterized maximum and average degree approximation in
    topic-based publish-subscribe overlay network design. ICDCS 2010.
    C. Chen, R. Vitenberg, H.-A. Jacobsen: ElastO, §5.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x"] for name in "abcde"})
    >>> int(low_oda(interests).degrees.max())
    2
    """
    if not rho >= 1:
        raise ParameterError(f"rho is {rho}; expected 1 or more")
    merging = Merging(interests, ties=ties, seed=seed, progress=progress)
    if rho == 1:
        return merge_greedily(merging).overlay()
    return merge_low(merging, rho).overlay()


@algorithm(
    "minmax-oda",
    reference="Onus, Richa, IEEE/ACM ToN 2011",
    topic_connected=True,
)
def minmax_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Greedy merge among the links that raise the maximum degree least (MinMax-ODA).

    Parameters
    ----------
    interests
        Who wants what.
    ties
        Which of the links that merge equally many: the one whose busier end has the
        fewest links, a random one, or the first by node ids, which measured best here
        (``docs/ties.md``).
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected, with a maximum degree at most O(log(V·T)) times the least possible.

    Notes
    -----
    LowODA with ρ = ∞, and computed as it is; see :func:`low_oda`.

    References
    ----------
    M. Onus, A. W. Richa: Minimum maximum-degree publish-subscribe overlay network design.
    IEEE/ACM Transactions on Networking 19(5), 2011.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> int(minmax_oda(interests).degrees.max())
    2
    """
    merging = Merging(interests, ties=ties, seed=seed, progress=progress)
    return merge_low(merging, math.inf).overlay()


class _Best:
    """The pairs worth most among all nodes, looked up again only when it has to be."""

    def __init__(self, merging: Merging) -> None:
        self.merging = merging
        highest = int(merging.ceilings.max(initial=0))
        self.candidates = PairLevels(
            floor=highest + 1, complete=True, through=merging.interests.node_count
        )
        self.complete_from = highest + 1

    def worth(self, least: int) -> int:
        """Return what the best pair merges, or 0 if that is below ``least`` (2 or more)."""
        while True:
            level = self.candidates.highest()
            if level >= least:
                if self._check(level):
                    return level
            elif self.complete_from <= least:
                return 0
            else:
                self._look_down_to(least)

    def link(self) -> None:
        """Add the best pair, which :meth:`worth` has found."""
        self.merging.link(self.candidates, self.candidates.highest(), most=1)

    def _check(self, level: int) -> bool:
        """Lower the bounds of a level to what is true now; tell whether any is left."""
        keys = self.candidates.take(level)
        worth = np.empty(len(keys), dtype=np.int32)
        contributions(keys, self.merging.relation, self.merging.components.labels, worth)
        for lower in np.flatnonzero(np.bincount(worth)).tolist():
            if lower >= self.candidates.floor:
                self.candidates.add(lower, keys[worth == lower])
        return level in self.candidates.levels

    def _look_down_to(self, least: int) -> None:
        self.candidates = self.merging.scan(floor=least)
        self.complete_from = self.candidates.floor + (not self.candidates.complete)


def merge_low(merging: Merging, rho: float, *, maximum: int = 0) -> Merging:
    """Run LowODA to its end, for ρ above 1.

    ``maximum`` is the degree that some node has already, and that may be reached for nothing.
    """
    best = _Best(merging)
    while merging.apart():
        if not _link_below(merging, best, maximum, rho):
            # Nothing is left to gain below the maximum: every link raises it by one.
            if best.worth(2):
                best.link()
            else:
                merging.span_under(maximum + 1, most=1)
        maximum = max(maximum, int(merging.degrees.max()))
    return merging


def _link_below(merging: Merging, best: _Best, maximum: int, rho: float) -> bool:
    """Link nodes of degree below the maximum, the best first, until a link is ρ times as good.

    Returns True if it ended with such a link, which is then added.
    """

    def outdone(level: int) -> bool:
        least = max(rho * level, 2)
        if math.isinf(least) or best.worth(math.ceil(least)) < least:
            return False
        best.link()
        return True

    while maximum > 0 and merging.apart():
        floor = 2
        if not math.isinf(rho):
            # Below a ρ-th of the best, links under the maximum would be outdone anyway.
            most = best.worth(2)
            if most == 0:
                break
            floor = max(math.ceil(most / rho), 2)
        candidates = merging.scan(under=maximum, floor=floor)
        while (level := candidates.highest()) >= candidates.floor:
            if outdone(level):
                return True
            merging.link(candidates, level, cap=maximum)
        if not candidates.complete:
            continue
        if candidates.floor == 2:
            break
        if outdone(candidates.floor - 1):
            return True
    if maximum == 0 or not merging.apart():
        return False
    if outdone(1):
        return True
    merging.span_under(maximum)
    return False
