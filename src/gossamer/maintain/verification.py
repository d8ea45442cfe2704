"""Whether every topic is connected among those of its subscribers that are there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.model.wording import quoted
from gossamer.quality import topic_components

__all__ = ["pieces_of_topics", "said_of_pieces"]


def pieces_of_topics(
    interests: Interests, overlay: Overlay, present: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return into how many pieces each topic's subscribers that are there fall.

    Whoever is away must have no links: each such node is a piece of its own, and not counted.

    Examples
    --------
    >>> people = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> line = Overlay.from_links(3, [(0, 1)])
    >>> pieces_of_topics(people, line, np.array([True, True, False])).tolist()
    [1]
    """
    away = ~present[interests.node_column]
    alone = np.bincount(interests.node_topics[away], minlength=interests.topic_count)
    pieces: NDArray[np.int64] = topic_components(interests, overlay) - alone
    return pieces


def said_of_pieces(interests: Interests, pieces: NDArray[np.int64]) -> str:
    """Say how many topics are in pieces, and which is the first."""
    broken = np.flatnonzero(pieces > 1)
    first = quoted(interests.topic_names[broken[0]])
    return (
        f"{len(broken):,} of {len(pieces):,} topics in pieces (first: {first}, in "
        f"{pieces[broken[0]]})"
    )
