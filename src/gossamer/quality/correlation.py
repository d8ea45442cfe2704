"""Interest overlap between similar nodes: SpiderCast's tdi(d)."""

from __future__ import annotations

import numpy as np

from gossamer.errors import ParameterError
from gossamer.kernels.measure.overlap import sum_top_intersections
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

# Pair visits between two reports of progress.
STRIDE = 50_000_000


def top_intersection(
    interests: Interests, depth: int, *, progress: Progress | None = None
) -> float:
    """Return tdi(depth), in per cent (SpiderCast §3.4).

    The intersection of two nodes is "100 · |n ∩ m| / min(|n|, |m|)" over their topics; tdi_n(d) is
    its average over "the d nodes that have the highest intersection value with respect to n", and
    tdi(d) the average of that over all nodes. With fewer than d other nodes, the average is over
    them. A node without topics has intersection 0 with all nodes.

    Takes O(Σ n_t²) time for n_t subscribers of topic t, and O(nodes) memory.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea"]})
    >>> top_intersection(interests, 1)
    100.0
    """
    if depth < 1:
        raise ParameterError(f"depth is {depth}; expected 1 or more")
    progress = progress or silent
    node_count = interests.node_count
    depth = min(depth, node_count - 1)
    if depth < 1:
        return 0.0
    visits = offsets_of(interests.popularity[interests.node_topics])
    work = visits[interests.node_offsets[1:]]
    relation, total, first = relation_of(interests), 0.0, 0
    while first < node_count:
        done = int(work[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(work, done + STRIDE)))
        total += sum_top_intersections(relation, first, last, depth)
        first = last
        progress("overlaps", int(work[last - 1]) / max(int(work[-1]), 1))
    return 100 * total / (depth * node_count)
