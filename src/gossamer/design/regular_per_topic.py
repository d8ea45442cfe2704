"""Random regular graph per topic, like the overlays of gossip protocols per topic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import algorithm
from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent


def check_degree(degree: int) -> None:
    """Raise :class:`ParameterError` unless the number of links of a topic's subscriber is valid."""
    if degree < 2:
        raise ParameterError(f"degree is {degree}; expected 2 or more, to connect every topic")


@algorithm(
    "regular-per-topic",
    reference="baseline: an unshared random overlay per topic",
    topic_connected=True,
    checks={"degree": check_degree},
)
def regular_per_topic(
    interests: Interests, *, degree: int = 4, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Give each topic a random graph in which every subscriber has ``degree`` links.

    The union of degree / 2 random Hamiltonian cycles and, for an odd degree, a random matching:
    always connected, and a good expander. Links that several topics share are merged.

    Parameters
    ----------
    interests
        Topics of each node.
    degree
        Links of a subscriber within each topic, 2 or more. Fewer where two cycles of a topic
        share a link; a topic with too few subscribers is a full mesh.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected, with diameters logarithmic in the number of subscribers.

    Notes
    -----
    O(degree · S) time and memory for S subscriptions, and sorting the links.

    See Also
    --------
    ring_per_topic

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> overlay = regular_per_topic(Interests.from_lists({v: ["x"] for v in range(50)}), degree=2)
    >>> set(overlay.degrees.tolist())
    {2}
    """
    check_degree(degree)
    show = progress or silent
    random = np.random.default_rng(seed)
    pieces: list[NDArray[np.int32]] = [np.empty((0, 2), dtype=np.int32)]
    for topic in range(interests.topic_count):
        members = interests.subscribers_of(topic)
        if len(members) < 2:
            continue
        if degree >= len(members) - 1:
            first, second = np.triu_indices(len(members), 1)
            pieces.append(np.stack((members[first], members[second]), axis=1))
            continue
        for _ in range(degree // 2):
            cycle = random.permutation(members)
            pieces.append(np.stack((cycle, np.roll(cycle, 1)), axis=1))
        if degree % 2:
            pairs = random.permutation(members)[: len(members) // 2 * 2]
            pieces.append(pairs.reshape(-1, 2))
        if topic % 256 == 0:
            show("linking topics", topic / interests.topic_count)
    return Overlay.from_links(interests.node_count, np.concatenate(pieces))
