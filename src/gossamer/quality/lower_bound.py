"""A proven lower bound on the number of links of any topic-connected overlay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.measure.dual_bound import scan_overlaps
from gossamer.kernels.measure.topic_graphs import component_joins
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze
from gossamer.progress import Progress, silent
from gossamer.quality.dual_ascent import MAX_ITERATIONS, SCALE, Start, ascend, pair_visits
from gossamer.results import Result

SCAN_LIMIT = 20_000_000_000
"""Maximum pair visits of one scan; if all topics need more, the largest are left out."""

ASCENT_BUDGET = 2_000_000_000
"""Maximum pair visits of the search for multipliers, beside four scans of all pairs: five to ten
seconds on one core if scans are short. Scans longer than half of this exclude the search."""

SCAN_STRIDE = 200_000_000  # pair visits between two reports of progress


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class LowerBound(Result):
    """Minimum of any topic-connected overlay for some interests.

    Attributes
    ----------
    links
        Lower bound on the number of links.
    mean_degree
        Lower bound on the mean degree: 2 · links / nodes.
    method
        The bound of :func:`links_lower_bound` that is largest: ``multipliers``,
        ``one multiplier``, ``node needs`` or ``spanning forest``.
    topic_multipliers, subscription_multipliers
        The y and z that certify it, z by slot; all zero if the method has none.
    topics_used
        Number of topics that entered the bound.
    """

    BRIEF: ClassVar = ("lower_bound", "bound_method")

    links: int
    mean_degree: float
    method: str
    topic_multipliers: NDArray[np.float64]
    subscription_multipliers: NDArray[np.float64]
    topics_used: int

    def summary(self) -> dict[str, Any]:
        """Return the bounds by name."""
        return {
            "lower_bound": self.mean_degree,
            "lower_bound_links": self.links,
            "bound_method": self.method,
            "topics_used": self.topics_used,
        }


def links_lower_bound(
    interests: Interests, *, iterations: int | None = None, progress: Progress | None = None
) -> LowerBound:
    """Return a proven lower bound on the links of every topic-connected overlay.

    Parameters
    ----------
    interests
        Topics of each node. Only topics with two or more subscribers need links.
    iterations
        Maximum steps of the search for multipliers; 0 for the bounds of one scan. By default 2,000,
        fewer if the budget does not allow them or they gain little.
    progress
        Callback that receives the current step and the fraction done.

    Notes
    -----
    Write n_t for the subscribers of topic t, T(v) for the topics of v with n_t ≥ 2, and E for the
    links of any topic-connected overlay. The largest of these bounds is returned:

    **Multipliers.** For any y_t ≥ 0 and z_vt ≥ 0,

        |E| ≥ Σ_t y_t (n_t - 1) + Σ_{v,t} z_vt - Σ_{pairs uv} max(0, p_uv - 1),
        p_uv = Σ_{t ∈ T(u) ∩ T(v)} (y_t + z_ut + z_vt).

    Proof, by weak duality. A connected topic has at least n_t - 1 links among its subscribers, and
    each of them at least one of these. So the first two sums are at most
    Σ_t y_t |E_t| + Σ_{v,t} z_vt deg_t(v), where E_t are the links between subscribers of t and
    deg_t(v) the number of those at v. A link uv counts in it once in y_t, z_ut and z_vt for each
    shared topic, p_uv in total. So the sum is Σ_{uv ∈ E} p_uv ≤ Σ_{uv ∈ E} (1 + max(0, p_uv - 1)) ≤
    |E| + Σ_{all pairs} max(0, p_uv - 1). ∎

    The multipliers are integer multiples of 2⁻²⁴ and the right-hand side is evaluated over all
    pairs in integers, without rounding error; as |E| is an integer, the bound is rounded up.

    **One multiplier.** The same with z = 0 and one y for all topics. With h_k the number of pairs
    that share k topics it is y Σ_t (n_t - 1) - Σ_k h_k max(0, k y - 1), concave in y with corners
    at y = 1/k: its maximum is at one of them, and is exact in fractions.

    **Node needs.** A link at v serves at most the largest overlap of v with any other node, so v
    has at least |T(v)| / (that overlap) links, rounded up; a link has two ends.

    **Spanning forest.** Nodes that are connected by a chain of shared topics are connected in E, so
    |E| is at least the number of nodes less the number of components of such chains. On
    heavy-tailed interests, where hubs overlap with all nodes, this is often the best bound. A
    multiplier for it beside y and z would gain nothing: the sum would be a mean of the two bounds.

    **Subsets of topics.** An overlay that connects all topics connects any subset of them, so a
    bound for a subset of the topics holds for all. (This is wrong for a subset of the nodes: they
    may be connected through others.) If one scan of all pairs would take more than 2·10¹⁰ visits,
    topics are added from the smallest up as long as they fit, and the search for multipliers is
    skipped.

    Cost: the scan takes Σ n_t (n_t - 1) / 2 pair visits, the search four times as many and 2·10⁹
    more at most (it is skipped if a scan takes more than 10⁹); O(nodes + subscriptions) memory, and
    for the search a few hundred megabytes at most. No randomness: on one machine the same interests
    give the same bound (on another the search may round differently, and find other multipliers as
    good).

    References
    ----------
    The relaxation is this project's own; its dual is solved by the primal-dual method of Chambolle
    and Pock (2011) with column generation.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea"]})
    >>> links_lower_bound(interests).links
    2
    """
    if iterations is not None and iterations < 0:
        raise ParameterError(f"iterations is {iterations}; expected 0 or more")
    progress = progress or silent
    used = _affordable_topics(interests)
    everything = bool(used.all())
    kept = interests if everything else _restrict(interests, used)
    histogram, largest = _overlaps(kept, progress)

    topics = np.zeros(interests.topic_count)
    slots = np.zeros(interests.subscription_count)
    popularity = interests.popularity
    candidates = [
        (_spanning_forest(interests), "spanning forest", topics, slots),
        (_node_needs(kept, largest), "node needs", topics, slots),
    ]
    if histogram.any():
        overlap, links = _one_multiplier(kept, histogram)
        single = np.where(used & (popularity >= 2), 1.0 / overlap, 0.0)
        candidates.append((links, "one multiplier", single, slots))
        visits = pair_visits(kept)
        if everything and 2 * visits <= ASCENT_BUDGET and iterations != 0:
            worth, multipliers = ascend(
                kept,
                Start(overlap, histogram),
                budget=ASCENT_BUDGET + 4 * visits,
                iterations=MAX_ITERATIONS if iterations is None else iterations,
                progress=progress,
            )
            links = -(-worth // SCALE)
            found = (multipliers.topics / SCALE, multipliers.slots / SCALE)
            candidates.append((links, "multipliers", *found))
    links, method, topics, slots = max(candidates, key=lambda candidate: candidate[0])
    return LowerBound(
        links=links,
        mean_degree=2 * links / max(interests.node_count, 1),
        method=method,
        topic_multipliers=freeze(topics),
        subscription_multipliers=freeze(slots),
        topics_used=int((used & (popularity >= 2)).sum()),
    )


def _spanning_forest(interests: Interests) -> int:
    """Return the size of a spanning forest of the nodes, linked if they share a topic."""
    return int(
        component_joins(interests.node_count, interests.topic_offsets, interests.topic_nodes)
    )


def _affordable_topics(interests: Interests) -> NDArray[np.bool_]:
    """Mark the topics, from the smallest up, whose pairs can all be visited."""
    popularity = interests.popularity
    ascending = np.argsort(popularity, kind="stable")
    visits = np.cumsum((popularity * (popularity - 1) // 2)[ascending])
    used = np.zeros(interests.topic_count, dtype=np.bool_)
    used[ascending[visits <= SCAN_LIMIT]] = True
    return used


def _restrict(interests: Interests, used: NDArray[np.bool_]) -> Interests:
    """Return the interests without the subscriptions to other topics."""
    keep = used[interests.node_topics]
    return Interests.from_ids(
        interests.node_column[keep],
        interests.node_topics[keep],
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )


def _overlaps(
    interests: Interests, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the number of pairs by shared topics, and the largest overlap of each node."""
    node_count = interests.node_count
    histogram = np.zeros(int(interests.subscription_sizes.max(initial=0)) + 1, dtype=np.int64)
    largest = np.zeros(node_count, dtype=np.int32)
    # Later subscribers of the topics, added up node by node.
    ends = interests.topic_offsets[interests.node_topics + 1]
    visits = offsets_of(ends - interests.slots - 1)[interests.node_offsets]
    first = 0
    while first < node_count:
        last = min(int(np.searchsorted(visits, visits[first] + SCAN_STRIDE)), node_count)
        scan_overlaps(relation_of(interests), first, last, histogram, largest)
        first = last
        progress("overlaps", float(visits[last] / max(visits[-1], 1)))
    histogram[0] = 0
    return histogram, largest


def _node_needs(interests: Interests, largest: NDArray[np.int32]) -> int:
    """Return half the sum of all nodes' needs: topics over the largest overlap, both rounded up."""
    asking = interests.popularity[interests.node_topics] >= 2
    needs = np.bincount(interests.node_column[asking], minlength=interests.node_count)
    degrees = -(-needs // np.maximum(largest, 1))
    return -(-int(degrees.sum()) // 2)


def _one_multiplier(interests: Interests, histogram: NDArray[np.int64]) -> tuple[int, int]:
    """Return k and the links of the best single multiplier, 1 / k."""
    needed = int(np.maximum(interests.popularity - 1, 0).sum())
    counts = [int(count) for count in histogram]
    best = (1, 0)
    beyond = over = 0  # pairs that share more than k topics, and by how many they exceed k
    for overlap in range(len(counts) - 1, 0, -1):
        links = -((over - needed) // overlap)
        if links > best[1]:
            best = (overlap, links)
        beyond += counts[overlap]
        over += beyond
    return best
