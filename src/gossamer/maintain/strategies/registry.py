"""The one list of strategies for keeping an overlay under churn.

A strategy is a class in a module of this package, marked with :func:`strategy`. The maintainer,
the command line, the benchmarks and the tests of all of them read this list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.registry import Options, Registry, options_of, summary_of

__all__ = ["LinkChanges", "Strategy", "StrategyEntry", "find_strategy", "strategies", "strategy"]

Pairs = NDArray[np.int32]
Kind = TypeVar("Kind", bound=Callable[..., "Strategy"])
NONE = np.empty((0, 2), dtype=np.int32)


class LinkChanges(NamedTuple):
    """Which links to add, and which of those that are there to end; pairs of ids."""

    links: Pairs
    unlinks: Pairs = NONE


class Strategy(Protocol):
    """What to do when a node has joined or left. It changes no links itself."""

    def begin(self, overlay: DynamicOverlay) -> None:
        """Take note of an overlay before anything happens to it."""
        ...

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Return what links a node that is there now, and has no links."""
        ...

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Return what mends the overlay without a node, whose links have ended."""
        ...


@dataclass(frozen=True)
class StrategyEntry:
    """A strategy on the list.

    Attributes
    ----------
    name
        As written on the command line.
    build
        ``build(*, seed, **options) -> Strategy``.
    summary, reference
        What it is, and where it was published.
    options
        Its own parameters.
    """

    name: str
    build: Callable[..., Strategy]
    summary: str
    reference: str
    options: Options

    def __call__(self, *, seed: int, **options: Any) -> Strategy:
        """Build one, after checking that it has these options."""
        self.options.check(options)
        return self.build(seed=seed, **options)


REGISTRY: Registry[StrategyEntry] = Registry("strategy", "gossamer.maintain.strategies")


def strategy(name: str, *, reference: str) -> Callable[[Kind], Kind]:
    """Mark a class as the strategy of that name."""

    def register(kind: Kind) -> Kind:
        entry = StrategyEntry(
            name=name,
            build=kind,
            summary=summary_of(kind),
            reference=reference,
            options=options_of(name, kind, exclude=("seed",)),
        )
        REGISTRY.add(name, entry)
        return kind

    return register


def strategies() -> dict[str, StrategyEntry]:
    """Return every strategy by name, in alphabetical order."""
    return REGISTRY.all()


def find_strategy(name: str) -> StrategyEntry:
    """Return the strategy of that name, or say which there are."""
    return REGISTRY.find(name)
