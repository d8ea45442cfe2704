"""Ring per topic (RingPT): an overlay that ignores the overlap of interests."""

from __future__ import annotations

import numpy as np

from gossamer.design.registry import algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress


@algorithm(
    "ring-per-topic",
    reference="RingPT in Chockler et al. (SpiderCast), DEBS 2007, §3.9.2",
    topic_connected=True,
)
def ring_per_topic(
    interests: Interests, *, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Connect the subscribers of each topic in a ring, in the order of their identifiers (RingPT).

    Returns
    -------
    Overlay
        Topic-connected; the diameter of a topic is at most half its subscribers. Links that
        several rings share are merged. The seed has no effect.

    Notes
    -----
    O(S log S) time for S subscriptions, O(S) memory.

    References
    ----------
    G. Chockler, R. Melamed, Y. Tock, R. Vitenberg: SpiderCast. DEBS 2007, §3.9.2.

    See Also
    --------
    regular_per_topic

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> ring_per_topic(Interests.from_lists({name: ["x"] for name in "abcd"})).link_count
    4
    """
    members, sizes = interests.topic_nodes, interests.popularity
    following = np.arange(1, len(members) + 1)
    closing = sizes > 0
    following[interests.topic_offsets[1:][closing] - 1] = interests.topic_offsets[:-1][closing]
    links = np.stack((members, members[following % max(len(members), 1)]), axis=1)
    return Overlay.from_links(interests.node_count, links[links[:, 0] != links[:, 1]])
