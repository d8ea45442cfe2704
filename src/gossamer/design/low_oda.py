"""LowODA and MinMax-ODA: greedy merge that limits the maximum degree."""

from __future__ import annotations

import math

import numpy as np

from gossamer.design._merge.engine import MergeDesign, PairLevels, Ties
from gossamer.design.greedy_merge import merge_greedily
from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge.components import contributions
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress


def check_rho(rho: float) -> None:
    """Raise :class:`ParameterError` unless the factor is valid."""
    if not rho >= 1:
        raise ParameterError(f"rho is {rho}; expected 1 or more")


@algorithm(
    "low-oda",
    reference="Onus, Richa, ICDCS 2010; as used by Chen, Vitenberg, Jacobsen (ElastO)",
    topic_connected=True,
    checks={"rho": check_rho},
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

    At each step, e1 is the link that merges most components, and e2 the one that merges most
    among those that raise the maximum degree least. LowODA adds e1 if it merges at least ``rho``
    times as many as e2, else e2.

    Parameters
    ----------
    interests
        Topics of each node.
    rho
        Factor ρ, 1 or more. ρ = 1 is greedy merge, ρ = ∞ is MinMax-ODA. The papers give no value;
        3 is ours.
    ties
        Rule for links that merge equally many components: the one whose busier end has the
        lowest degree, a random one, or the first by node identifiers, which measured best here
        (``docs/results/ties.md``).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected. Mean degree O(ρ log(V·T)) times the minimum, maximum degree
        O((V / ρ) log(V·T)) times.

    Notes
    -----
    Exact. For a maximum degree Δ the links that do not raise it are those between nodes of
    degree below Δ, and their contribution never rises; so each Δ is a greedy merge among those
    nodes, until a link outside is ρ times as good. Costs about one scan (see
    :func:`~gossamer.design.greedy_merge.greedy_merge`) per value of Δ, each cheaper than the one
    before. Memory as greedy merge.

    References
    ----------
    M. Onus, A. W. Richa: Parameterized maximum and average degree approximation in
    topic-based publish-subscribe overlay network design. ICDCS 2010.
    C. Chen, R. Vitenberg, H.-A. Jacobsen: ElastO, §5.

    See Also
    --------
    greedy_merge, minmax_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x"] for name in "abcde"})
    >>> int(low_oda(interests).degrees.max())
    2
    """
    check_rho(rho)
    merging = MergeDesign(interests, ties=ties, seed=seed, progress=progress)
    if rho == 1:
        return merge_greedily(merging).overlay()
    return merge_low(merging, rho).overlay()


@algorithm("minmax-oda", reference="Onus, Richa, IEEE/ACM ToN 2011", topic_connected=True)
def minmax_oda(
    interests: Interests,
    *,
    ties: Ties = "lexicographic",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Greedy merge among the links that raise the maximum degree least (MinMax-ODA).

    LowODA with ρ = ∞.

    Parameters
    ----------
    interests
        Subscriptions.
    ties
        Rule for links that merge equally many components, as in :func:`low_oda`: the one whose
        busier end has the lowest degree (fewest-degree), a random one, or the first by node
        identifiers (lexicographic).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected, with a maximum degree O(log(V·T)) times the minimum.

    Notes
    -----
    Time and memory as :func:`low_oda`.

    References
    ----------
    M. Onus, A. W. Richa: Minimum maximum-degree publish-subscribe overlay network design.
    IEEE/ACM Transactions on Networking 19(5), 2011.

    See Also
    --------
    low_oda

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcde"})
    >>> int(minmax_oda(interests).degrees.max())
    2
    """
    merging = MergeDesign(interests, ties=ties, seed=seed, progress=progress)
    return merge_low(merging, math.inf).overlay()


class _Best:
    """The pairs of highest contribution among all nodes, scanned again only if necessary."""

    def __init__(self, merging: MergeDesign) -> None:
        self.merging = merging
        highest = int(merging.ceilings.max(initial=0))
        self.candidates = PairLevels(
            floor=highest + 1, complete=True, through=merging.interests.node_count
        )
        self.complete_from = highest + 1

    def worth(self, least: int) -> int:
        """Return the contribution of the best pair, or 0 if it is below ``least`` (2 or more)."""
        while True:
            level = self.candidates.highest()
            if level >= least:
                if self._check(level):
                    return level
            elif self.complete_from <= least:
                return 0
            else:
                self._scan_down_to(least)

    def link(self) -> None:
        """Add the best pair, found by :meth:`worth`."""
        self.merging.link(self.candidates, self.candidates.highest(), most=1)

    def _check(self, level: int) -> bool:
        """Lower the bounds of a level to present contributions; return whether a pair is left."""
        keys = self.candidates.take(level)
        worth = np.empty(len(keys), dtype=np.int32)
        contributions(keys, self.merging.relation, self.merging.components.labels, worth)
        for lower in np.flatnonzero(np.bincount(worth)).tolist():
            if lower >= self.candidates.floor:
                self.candidates.add(lower, keys[worth == lower])
        return level in self.candidates.levels

    def _scan_down_to(self, least: int) -> None:
        self.candidates = self.merging.scan(floor=least)
        self.complete_from = self.candidates.floor + (not self.candidates.complete)


def merge_low(merging: MergeDesign, rho: float, *, maximum: int = 0) -> MergeDesign:
    """Complete the overlay by LowODA, for ρ above 1.

    ``maximum`` is a degree that some node has already; links up to it do not raise the maximum.
    """
    best = _Best(merging)
    while merging.missing_merges():
        if not _link_below(merging, best, maximum, rho):
            # No link below the maximum contributes any more: every link raises it by one.
            if best.worth(2):
                best.link()
            else:
                merging.span_under(maximum + 1, most=1)
        maximum = max(maximum, int(merging.degrees.max()))
    return merging


def _link_below(merging: MergeDesign, best: _Best, maximum: int, rho: float) -> bool:
    """Link nodes of degree below the maximum, best pairs first, until a link is ρ times as good.

    Returns whether it ended with such a link, which is then added.
    """

    def add_better(level: int) -> bool:
        least = max(rho * level, 2)
        if math.isinf(least) or best.worth(math.ceil(least)) < least:
            return False
        best.link()
        return True

    while maximum > 0 and merging.missing_merges():
        floor = 2
        if not math.isinf(rho):
            # Links under the maximum below a ρ-th of the best would lose against it anyway.
            most = best.worth(2)
            if most == 0:
                break
            floor = max(math.ceil(most / rho), 2)
        candidates = merging.scan(under=maximum, floor=floor)
        while (level := candidates.highest()) >= candidates.floor:
            if add_better(level):
                return True
            merging.link(candidates, level, cap=maximum)
        if not candidates.complete:
            continue
        if candidates.floor == 2:
            break
        if add_better(candidates.floor - 1):
            return True
    if maximum == 0 or not merging.missing_merges():
        return False
    if add_better(1):
        return True
    merging.span_under(maximum)
    return False
