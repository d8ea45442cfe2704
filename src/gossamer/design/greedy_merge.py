"""Greedy merge (GM): always add the link that merges the most topic components."""

from __future__ import annotations

from gossamer.design._merge.engine import Descent, MergeDesign, Ties
from gossamer.design.registry import algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress


@algorithm(
    "greedy-merge", reference="Chockler, Melamed, Tock, Vitenberg, PODC 2007", topic_connected=True
)
def greedy_merge(
    interests: Interests,
    *,
    ties: Ties = "fewest-degree",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Add, repeatedly, the link that merges the most topic components (GM).

    Parameters
    ----------
    interests
        Topics of each node.
    ties
        Rule for links that merge equally many components: the one whose busier end has the
        lowest degree, which measured best (``docs/results/ties.md``), a random one, or the first by
        node identifiers, as the published maximum degrees suggest.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected, with O(log(V·T)) times the minimum number of links.

    Notes
    -----
    Exact. The contribution of a link never rises, so one pass per level, from the highest down,
    suffices (``kernels/merge/link.py``). From level 1 on no pairs are scanned
    (``kernels/merge/span.py``). With V nodes, S subscriptions and n_t subscribers of topic t:
    scanning pairs costs Σ n_t² / 2 once, and much less when it is repeated because not all pairs
    fit in memory; linking costs the mean subscription size per pair that shares two topics or
    more. Memory O(V + S), and about 200 MB for pairs.

    If more than 16 million pairs have exactly the same contribution, ties among them are broken
    within blocks of rows.

    References
    ----------
    G. Chockler, R. Melamed, Y. Tock, R. Vitenberg: Constructing scalable overlays for
    pub-sub with many topics. PODC 2007.

    See Also
    --------
    low_oda, subset_merge

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({"a": ["x", "y"], "b": ["x", "y"], "c": ["y"]})
    >>> greedy_merge(interests).link_count
    2
    """
    return merge_greedily(MergeDesign(interests, ties=ties, seed=seed, progress=progress)).overlay()


def merge_greedily(merging: MergeDesign) -> MergeDesign:
    """Complete the overlay by greedy merge."""
    pairs = Descent(merging)
    for level in range(int(merging.ceilings.max(initial=0)), 1, -1):
        pairs.link(level)
    merging.span()
    return merging
