"""Greedy-omniscient: in each topic, every node selects the subscribers most similar to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.kernels.merge.quota import best_in_each_topic
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

NODES_PER_STEP = 500


def view_sizes(popularity: NDArray[np.int64], slack: int) -> NDArray[np.int32]:
    """Return the view size of each topic: ⌈ln n⌉ + slack for n subscribers, n - 1 at most."""
    logarithms = np.ceil(np.log(np.maximum(popularity, 1))).astype(np.int64)
    wanted = logarithms + min(slack, int(popularity.max(initial=0)))
    return np.minimum(wanted, np.maximum(popularity - 1, 0)).astype(np.int32)


def check_slack(slack: int) -> None:
    """Raise :class:`ParameterError` unless the number of further subscribers is valid."""
    if slack < 0:
        raise ParameterError(f"slack is {slack}; expected 0 or more")


@algorithm(
    "greedy-omniscient",
    reference="Matos et al. (StaN), supplement, appendix B",
    topic_connected=False,
    checks={"slack": check_slack},
)
def greedy_omniscient(
    interests: Interests, *, slack: int = 2, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Fill each node's view of each topic with the subscribers that share most topics with it.

    Each node sorts all others by the number of shared topics, and fills its view of each topic
    with the first ones that subscribe to it. A link that serves several topics is one link.

    Parameters
    ----------
    interests
        Topics of each node.
    slack
        Number of additional entries of a view, which holds ⌈ln n⌉ + slack of n subscribers. The
        supplement says that the size is logarithmic, without a number; 2 is the choice of Gossamer.
    seed
        Seed of the random number generator, for ties. A node breaks ties in the same way in all
        topics.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Views as links in both directions. Highly clustered, so not topic-connected in general.

    Notes
    -----
    O(Σ n_t²) time, O(V + S · log V) memory.

    References
    ----------
    M. Matos et al.: StaN: exploiting shared interests without disclosing them in
    gossip-based publish/subscribe, supplement, appendix B.

    See Also
    --------
    similarity

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({"a": ["x", "y"], "b": ["x", "y"], "c": "y"})
    >>> greedy_omniscient(interests).link_count
    3
    """
    report = progress or silent
    node_count = interests.node_count
    keys: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for last, links in _fill_views(interests, slack, seed):
        keys.append(np.unique(links))
        report("filling views", last / node_count)
    pairs = np.stack(np.divmod(np.concatenate(keys), max(node_count, 1)), axis=1)
    return Overlay.from_links(node_count, pairs)


def omniscient_views(
    interests: Interests, *, slack: int = 2, seed: int = 0
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the views as columns: topics, nodes, and the nodes in their views.

    :func:`greedy_omniscient` returns the same views as an overlay. O(S · log V) memory.
    """
    sizes = view_sizes(interests.popularity, slack)[interests.node_topics]
    nodes = np.repeat(interests.node_column, sizes)
    found = [links for _, links in _fill_views(interests, slack, seed)]
    keys = np.concatenate([np.empty(0, dtype=np.int64), *found])
    low, high = np.divmod(keys, max(interests.node_count, 1))
    others = (low + high - nodes).astype(np.int32)
    return np.repeat(interests.node_topics, sizes), nodes, others


def _fill_views(
    interests: Interests, slack: int, seed: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield, for consecutive ranges of nodes, the end of the range and the links of their views.

    Links are in order of nodes, and for each node in order of its topics.
    """
    check_slack(slack)
    node_count = interests.node_count
    sizes = view_sizes(interests.popularity, slack)
    priorities = np.random.default_rng(seed).integers(0, 2**64, size=node_count, dtype=np.uint64)
    shared = np.zeros(node_count, dtype=np.int32)
    view = np.empty(max(int(sizes.max(initial=0)), 1), dtype=np.int32)
    relation, offsets = relation_of(interests), interests.node_offsets
    wanted = offsets_of(sizes[interests.node_topics])
    for first in range(0, node_count, NODES_PER_STEP):
        last = min(first + NODES_PER_STEP, node_count)
        links = np.empty(wanted[offsets[last]] - wanted[offsets[first]], dtype=np.int64)
        count = best_in_each_topic(first, last, relation, sizes, priorities, shared, view, links)
        assert count == len(links), "a view is not full"
        yield last, links
