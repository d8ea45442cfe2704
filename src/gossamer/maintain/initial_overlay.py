"""The overlay that a run starts with: designed, or given, for those who are there at the start."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import OverlayError
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.maintainer import find_connecting
from gossamer.maintain.topic_components import connect_topics
from gossamer.maintain.verification import pieces_of_topics, said_of_pieces
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress

__all__ = ["Given", "check_given", "design_start", "mend_start"]


@dataclass(frozen=True)
class Given:
    """Links that were given.

    Attributes
    ----------
    overlay
        Those of nodes that are there at the start.
    left_out
        How many have an end that is away then, and so cannot be.
    broken
        The topics that are in pieces without them, to be brought together before all else.
    """

    overlay: Overlay
    left_out: int
    broken: NDArray[np.int32]


def check_given(
    interests: Interests, overlay: Overlay, present: NDArray[np.bool_], *, verify: str
) -> Given:
    """Take the links whose ends are there, and see which topics they leave in pieces.

    Raises
    ------
    OverlayError
        If the overlay is of another number of nodes; or a topic is in pieces although no link was
        left out, unless nothing is verified, where that is a warning.
    """
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes and the interests have "
            f"{interests.node_count}; expected one designed for these interests"
        )
    there = present[overlay.links].all(axis=1)
    left_out = int(np.count_nonzero(~there))
    kept = Overlay.from_links(overlay.node_count, overlay.links[there]) if left_out else overlay
    pieces = pieces_of_topics(interests, kept, present)
    broken = np.flatnonzero(pieces > 1).astype(np.int32)
    if not len(broken) or left_out:
        return Given(kept, left_out, broken)
    said = f"the links leave {said_of_pieces(interests, pieces)} at the start"
    if verify == "never":
        warnings.warn(f"{said}; they may stay so", stacklevel=3)
        return Given(kept, 0, broken[:0])
    raise OverlayError(
        f"{said}; expected every topic connected among those there: design links for them first, "
        "or verify never to go on all the same"
    )


def mend_start(
    interests: Interests, given: Given, present: NDArray[np.bool_], *, rho: float, seed: int
) -> NDArray[np.int64]:
    """Return the links, by LowODA's rule, that bring together what links left out held together.

    Pairs of ids, the lower first, in the order of choosing.
    """
    dynamic_overlay = DynamicOverlay(interests, np.array(present), given.overlay)
    links = connect_topics(dynamic_overlay, given.broken, rho=rho, seed=seed)
    return np.sort(links, axis=1).astype(np.int64)


def design_start(
    interests: Interests,
    present: NDArray[np.bool_],
    algorithm: str,
    options: Mapping[str, Any],
    *,
    seed: int,
    progress: Progress,
) -> Overlay:
    """Design an overlay for those who are there."""
    none = Overlay.from_links(interests.node_count, ())
    here, theirs = DynamicOverlay(interests, np.array(present), none).interests_here()
    links = find_connecting(algorithm)(theirs, seed=seed, progress=progress, **options).links
    overlay = Overlay.from_links(interests.node_count, here[links])
    pieces = pieces_of_topics(interests, overlay, present)
    assert (pieces <= 1).all(), "the overlay that was built is not topic-connected"
    return overlay
