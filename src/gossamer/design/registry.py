"""The one list of design algorithms.

An algorithm is a function in a module of this package, marked with
:func:`algorithm`. The command line, ``compare``, the table in the docs and the
conformance tests all read this list, so a new algorithm is one new file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from gossamer.model import Interests, Overlay
from gossamer.model.catalogue import Catalogue, Options, options_of, summary_of
from gossamer.model.progress import Progress

__all__ = ["Algorithm", "algorithm", "algorithms", "find_algorithm"]

Design = TypeVar("Design", bound=Callable[..., Overlay])


@dataclass(frozen=True)
class Algorithm:
    """A design algorithm and what it promises.

    Attributes
    ----------
    name
        As written on the command line.
    design
        ``design(interests, *, seed=0, progress=None, **options) -> Overlay``.
    summary
        The first line of its docstring.
    reference
        Where it was published, in a few words.
    topic_connected
        Whether every overlay it returns is topic-connected.
    diameter
        The largest topic diameter it allows, if it promises one.
    options
        Its own parameters, read from its signature.
    """

    name: str
    design: Callable[..., Overlay]
    summary: str
    reference: str
    topic_connected: bool
    diameter: int | None
    options: Options

    def __call__(
        self,
        interests: Interests,
        *,
        seed: int = 0,
        progress: Progress | None = None,
        **options: Any,
    ) -> Overlay:
        """Run it, after checking that it has these options."""
        self.options.check(options)
        return self.design(interests, seed=seed, progress=progress, **options)


CATALOGUE: Catalogue[Algorithm] = Catalogue("algorithm", "gossamer.design")


def algorithm(
    name: str, *, reference: str, topic_connected: bool, diameter: int | None = None
) -> Callable[[Design], Design]:
    """Mark a function as the design algorithm of that name."""

    def register(function: Design) -> Design:
        entry = Algorithm(
            name=name,
            design=function,
            summary=summary_of(function),
            reference=reference,
            topic_connected=topic_connected,
            diameter=diameter,
            options=options_of(name, function, but=("seed", "progress")),
        )
        CATALOGUE.add(name, entry)
        return function

    return register


def algorithms() -> dict[str, Algorithm]:
    """Return every design algorithm by name, in alphabetical order."""
    return CATALOGUE.all()


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or say which there are."""
    return CATALOGUE.find(name)
