"""The initial overlay: given links, or a design for the nodes present at the start."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import resolve_algorithm
from gossamer.errors import OverlayError, ParameterError
from gossamer.maintain.components import count_components, describe_disconnected
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.model import Interests, Overlay
from gossamer.model.overlay import check_fit
from gossamer.progress import Progress

Verify = Literal["every", "end", "never"]
"""Time of checking that every topic is connected: after every event, at start and end, or never."""


class ConnectingDesign:
    """A design algorithm that guarantees connected topics, with its options.

    Parameters
    ----------
    text
        Name and options of the algorithm, as in ``low-oda:rho=5``.

    Raises
    ------
    ParameterError
        If the algorithm or an option is unknown, or it does not promise connected topics.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.algorithm, self.options = resolve_algorithm(text)
        if not self.algorithm.topic_connected:
            raise ParameterError(
                f"{self.algorithm.name} does not promise that topics are connected; expected an "
                "algorithm that does, to rebuild by"
            )

    def links(
        self, overlay: DynamicOverlay, *, seed: int, progress: Progress | None = None
    ) -> NDArray[np.int32]:
        """Return the links of a design for the present nodes, as pairs of ids."""
        # Absent nodes are left out: some algorithms link nodes without subscriptions too.
        ids, interests = overlay.present_subset()
        designed = self.algorithm(interests, seed=seed, progress=progress, **self.options)
        return ids[designed.links]


@dataclass(frozen=True)
class InitialLinks:
    """Given links, restricted to the nodes that are present at the start.

    Attributes
    ----------
    overlay
        Links between present nodes.
    left_out
        Number of given links with an absent node.
    disconnected
        Ids of the topics that are disconnected without the links left out; they are repaired before
        the first event.
    """

    overlay: Overlay
    left_out: int
    disconnected: NDArray[np.int64]


def select_links(
    interests: Interests, overlay: Overlay, present: NDArray[np.bool_], *, verify: Verify
) -> InitialLinks:
    """Return the links between present nodes, and the topics that they leave disconnected.

    Raises
    ------
    OverlayError
        If the overlay has another number of nodes, or a topic is disconnected although no link
        was left out; with ``verify`` never, that is a warning.
    """
    check_fit(interests, overlay)
    kept = present[overlay.links].all(axis=1)
    left_out = int(np.count_nonzero(~kept))
    if left_out:
        overlay = Overlay.from_links(overlay.node_count, overlay.links[kept])
    components = count_components(interests, overlay, present)
    disconnected = np.flatnonzero(components > 1)
    if not len(disconnected) or left_out:
        return InitialLinks(overlay, left_out, disconnected)
    text = f"the links leave {describe_disconnected(interests, components)} at the start"
    if verify == "never":
        warnings.warn(f"{text}; they may stay so", stacklevel=3)
        return InitialLinks(overlay, 0, disconnected[:0])
    raise OverlayError(
        f"{text}; expected every topic connected among its present subscribers: add links "
        "first, by gossamer design SUBSCRIPTIONS --start LINKS --out CONNECTED, or in Python by "
        "gossamer.design(interests, start=overlay)"
    )
