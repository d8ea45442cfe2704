"""A protocol as a design algorithm: the overlay to which it converges.

So the overlays of nodes with partial knowledge are measured beside designs with full knowledge.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gossamer.design import Algorithm
from gossamer.model import Interests, Overlay, Scenario
from gossamer.progress import Progress
from gossamer.protocols import find_protocol
from gossamer.sim.simulation import simulate


def converged_algorithm(name: str) -> Algorithm:
    """Return a protocol as an algorithm: interests in, the converged overlay out.

    Every node knows all others from the start, messages take 5 to 15 ms, and all nodes join at
    once. The simulation ends when no link has changed for 5 s, after 120 s at most.

    Raises
    ------
    ParameterError
        If there is no such protocol.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> overlay = converged_algorithm("spidercast")(interests, seed=1, kr=1)
    >>> bool(overlay.degrees.min() >= 1)
    True
    """
    found = find_protocol(name)
    return Algorithm(
        name=name,
        design=partial(_converge, name),
        summary=found.summary,
        reference=found.reference,
        options=found.options,  # to connect topics is the aim of a protocol, not a guarantee
    )


def _converge(
    name: str,
    interests: Interests,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Overlay:
    scenario = Scenario(interests, seed=seed)
    return simulate(scenario, name, progress=progress, **options).last.overlay
