"""Greedy merge (GM): always the link that joins the most topic components."""

from __future__ import annotations

from gossamer.design._merge.engine import Descent, Merging, Ties
from gossamer.design.registry import algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress

__all__ = ["greedy_merge"]


@algorithm(
    "greedy-merge",
    reference="Chockler, Melamed, Tock, Vitenberg, PODC 2007",
    topic_connected=True,
)
def greedy_merge(
    interests: Interests,
    *,
    ties: Ties = "fewest-degree",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Add, again and again, the link that merges the most topic components (GM).

    Parameters
    ----------
    interests
        Who wants what.
    ties
        Which of the links that merge equally many: the one whose busier end has the
        fewest links, which measured best (``docs/ties.md``), a random one, or the first by
        node ids (as the published maximum degrees suggest was done there).
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected, with at most O(log(V·T)) times as many links as are needed.

    Notes
    -----
    Exact. What a link would merge only ever falls, so one pass a level, from the highest
    down, is enough (see ``kernels/linking.py``), and from level 1 on no pairs need be
    looked for (``kernels/spanning.py``). With V nodes, S subscriptions and n_t subscribers
    of topic t: finding pairs costs Σ n_t² / 2 once, and much less when it has to be done
    again because not all pairs fit; linking costs the mean subscription size a pair that
    shares two topics or more. Memory O(V + S), and some 200 MB for pairs.

    Where more than 16 million pairs are worth exactly the same, ties among them are
    broken within blocks of rows.

    References
    ----------
    G. Chockler, R. Melamed, Y. Tock, R. Vitenberg: Constructing scalable overlays for
    pub-sub with many topics. PODC 2007.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({"a": ["x", "y"], "b": ["x", "y"], "c": ["y"]})
    >>> greedy_merge(interests).link_count
    2
    """
    return merge_greedily(Merging(interests, ties=ties, seed=seed, progress=progress)).overlay()


def merge_greedily(merging: Merging) -> Merging:
    """Run greedy merge to its end."""
    pairs = Descent(merging)
    for level in range(int(merging.ceilings.max(initial=0)), 1, -1):
        pairs.link(level)
    merging.span()
    return merging
