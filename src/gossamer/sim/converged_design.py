"""A protocol as a design algorithm: the overlay that it comes to rest with.

So what nodes with partial knowledge build can stand beside what is designed with full
knowledge, measured in the same way.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gossamer.design import Algorithm
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress
from gossamer.protocols import find_protocol
from gossamer.sim.simulation import simulate

__all__ = ["resting_algorithm"]


def resting_algorithm(name: str) -> Algorithm:
    """Return a protocol as an algorithm: interests in, the overlay that it rests with out.

    Every node knows all others from the start, messages take 5 to 15 ms, and all join at
    once. The run ends when no link has changed for 5 simulated seconds, or after 120.

    Raises
    ------
    ParameterError
        If there is no such protocol.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> rested = resting_algorithm("spidercast")(interests, seed=1, kr=1)
    >>> bool(rested.degrees.min() >= 1)
    True
    """
    found = find_protocol(name)
    return Algorithm(
        name=name,
        design=partial(_rested, name),
        summary=found.summary,
        reference=found.reference,
        topic_connected=False,  # it strives for that, and cannot promise it
        diameter=None,
        options=found.options,
    )


def _rested(
    name: str,
    interests: Interests,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Overlay:
    return simulate(name, interests, options=options, seed=seed, progress=progress).last.overlay
