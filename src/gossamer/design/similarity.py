"""Overlays by similarity alone or at random, with which SpiderCast is compared."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge import quota as choosing
from gossamer.kernels.merge.scan import RowScratch
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent

MIN_SAMPLE = 32
"""Pairs of a node sampled in one pass, or twice its quota if that is more."""


def check_links(links: int, what: str = "links") -> None:
    """Raise :class:`ParameterError` unless a number of links is valid."""
    if links < 0:
        raise ParameterError(f"{what} is {links}; expected 0 or more links a node")


@algorithm(
    "similarity",
    reference="similarity(x, y) in Chockler et al. (SpiderCast), DEBS 2007, §3.9.1",
    topic_connected=False,
    checks={what: partial(check_links, what=what) for what in ("similar", "random")},
)
def similarity(
    interests: Interests,
    *,
    similar: int = 10,
    random: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Link each node to the nodes that share most topics with it, and to random ones.

    With full knowledge, and with a quota at both ends as in SpiderCast's code: pairs are linked in
    descending order of shared topics, ties at random, while both ends have fewer than ``similar``
    such links. A pair that shares no topic is never linked as similar.

    Parameters
    ----------
    interests
        Topics of each node.
    similar
        Links of a node by similarity, the x of similarity(x, y).
    random
        Additional random links of a node, the y.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Mean degree close to x + y; not topic-connected in general.

    Notes
    -----
    O(Σ n_t²) time for each number of shared topics at which links are added, decreasing as
    nodes reach their quota; O(V · x + S) memory.

    References
    ----------
    G. Chockler, R. Melamed, Y. Tock, R. Vitenberg: SpiderCast. DEBS 2007, §3.9.1.

    See Also
    --------
    random_overlay, greedy_omniscient

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({"a": [1, 2], "b": [1, 2], "c": [2, 3], "d": [3]})
    >>> similarity(interests, similar=1).links.tolist()
    [[0, 1], [2, 3]]
    """
    check_links(similar, "similar")
    check_links(random, "random")
    generator = np.random.default_rng(seed)
    node_count = interests.node_count
    quota = min(similar, node_count)
    linked = _similar_links(interests, quota, generator, progress or silent)
    links = np.concatenate((linked, _random_links(node_count, random, linked, generator)))
    return Overlay.from_links(node_count, np.stack(np.divmod(links, max(node_count, 1)), axis=1))


def _similar_links(
    interests: Interests, quota: int, random: np.random.Generator, progress: Progress
) -> NDArray[np.int64]:
    """Link the pairs of most shared topics first, at most ``quota`` links a node.

    Level by level; each pass takes a sample of every node's pairs, all of them where they
    are few, and goes through them in random order.
    """
    relation = relation_of(interests)
    node_count = interests.node_count
    sample = min(max(2 * quota, MIN_SAMPLE), max(node_count, 1))
    ceilings = interests.subscription_sizes.astype(np.int32)
    degrees, tally, row = np.zeros((3, node_count), dtype=np.int32)
    offsets = np.empty(interests.topic_count + 1, dtype=np.int64)
    nodes = np.empty(interests.subscription_count, dtype=np.int32)
    sequence = np.array([random.integers(0, 2**64, dtype=np.uint64), 0], dtype=np.uint64)
    linked = np.empty(0, dtype=np.int64)
    level = int(ceilings.max(initial=0))
    while quota and level:
        choosing.list_unfilled(quota, relation, degrees, offsets, nodes)
        waiting = (degrees < quota) & (ceilings >= level)
        keys = np.empty(int(waiting.sum()) * sample, dtype=np.int64)
        count = choosing.sample_ties(
            level, sample, quota, sequence, relation, offsets, nodes,
            ceilings, degrees, RowScratch(tally, row), keys,
        )  # fmt: skip
        keys = np.setdiff1d(keys[:count], linked, assume_unique=True)
        random.shuffle(keys)
        new = choosing.match_in_order(quota, keys, node_count, degrees)
        linked = np.concatenate((linked, keys[:new]))
        progress("linking", float(degrees.mean()) / quota)
        level = int(ceilings[degrees < quota].max(initial=0))
    return linked


@algorithm(
    "random",
    reference="random(y) in Chockler et al. (SpiderCast), DEBS 2007, §3.9.1",
    topic_connected=False,
    checks={"links": check_links},
)
def random_overlay(
    interests: Interests, *, links: int = 10, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Give each node links to random others, independent of interests.

    Parameters
    ----------
    interests
        Topics of each node; only the number of nodes matters.
    links
        Links of a node, the y of random(y).
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        A random graph in which nearly every node has ``links`` neighbours; not
        topic-connected in general.

    Notes
    -----
    O(V · y log(V · y)) time, O(V · y) memory.

    References
    ----------
    G. Chockler, R. Melamed, Y. Tock, R. Vitenberg: SpiderCast. DEBS 2007, §3.9.1.

    See Also
    --------
    similarity

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> overlay = random_overlay(Interests.from_lists({v: ["x"] for v in range(100)}), links=3)
    >>> int(overlay.degrees.max())
    3
    """
    check_links(links)
    node_count = interests.node_count
    none = np.empty(0, dtype=np.int64)
    keys = _random_links(node_count, links, none, np.random.default_rng(seed))
    return Overlay.from_links(node_count, np.stack(np.divmod(keys, max(node_count, 1)), axis=1))


def _random_links(
    node_count: int, quota: int, taken: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.int64]:
    """Pair random ends until nearly every node has ``quota`` links, none of them already ``taken``.

    Each round shuffles the free ends and pairs neighbours in that order; loops and repeated
    pairs stay free for the next round. Stops after ten rounds without a new link.
    """
    free = np.repeat(np.arange(node_count, dtype=np.int64), min(quota, max(node_count - 1, 0)))
    linked = np.empty(0, dtype=np.int64)
    idle = 0
    while len(free) > 1 and idle < 10:
        random.shuffle(free)
        first, second = free[: len(free) // 2], free[len(free) // 2 : len(free) // 2 * 2]
        keys = np.minimum(first, second) * node_count + np.maximum(first, second)
        fresh = (first != second) & ~np.isin(keys, linked) & ~np.isin(keys, taken)
        once = np.zeros(len(keys), dtype=np.bool_)
        once[np.unique(keys, return_index=True)[1]] = True
        keep = fresh & once
        linked = np.concatenate((linked, keys[keep]))
        idle = 0 if keep.any() else idle + 1
        free = np.concatenate((first[~keep], second[~keep], free[len(free) // 2 * 2 :]))
    return linked
