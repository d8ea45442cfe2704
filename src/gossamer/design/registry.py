"""The one list of design algorithms.

An algorithm is a function in a module of this package, marked with
:func:`algorithm`. The command line, ``compare``, the table in the docs and the
conformance tests all read this list, so a new algorithm is one new file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.model import Interests, Overlay
from gossamer.progress import Progress
from gossamer.registry import Option, Options, Registry, options_of, summary_of

if TYPE_CHECKING:
    from gossamer.design._trees.degree_caps import DegreeCaps

__all__ = ["Algorithm", "algorithm", "algorithms", "find_algorithm"]

Design = TypeVar("Design", bound=Callable[..., Overlay])

RESILIENT = Option(
    "resilient", bool, (), False, "add links until no single failed link splits a topic"
)
"""What every algorithm takes besides options of its own: what follows the design."""


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
        The largest topic diameter it allows, if it promises one: a number, or so many times
        the value of one of its options.
    options
        Its own parameters, read from its signature.
    caps
        ``caps(interests, **options)`` tells how many links each node should have at most, if
        it aims at that.
    """

    name: str
    design: Callable[..., Overlay]
    summary: str
    reference: str
    topic_connected: bool
    diameter: int | tuple[int, str] | None
    options: Options
    caps: Callable[..., DegreeCaps] | None = None

    def promised_diameter(self, **options: Any) -> int | None:
        """Return the largest topic diameter it allows with these options, if it promises one."""
        if not isinstance(self.diameter, tuple):
            return self.diameter
        times, keyword = self.diameter
        return times * int(self.options.with_defaults(options)[keyword])

    @property
    def promise(self) -> str:
        """What it promises, in words."""
        if not self.topic_connected:
            return "no promise"
        if self.diameter is None:
            return "topic-connected"
        if isinstance(self.diameter, tuple):
            times, keyword = self.diameter
            return f"topic-connected, diameter ≤ {times} × {keyword}"
        return f"topic-connected, diameter ≤ {self.diameter}"

    def __call__(
        self,
        interests: Interests,
        *,
        seed: int = 0,
        progress: Progress | None = None,
        resilient: bool = False,
        **options: Any,
    ) -> Overlay:
        """Run it, after checking that it has these options.

        ``resilient``: then add links until no single failed link splits a topic; see
        :func:`gossamer.make_resilient`.
        """
        self.all_options.check({"resilient": resilient, **options})
        overlay = self.design(interests, seed=seed, progress=progress, **options)
        if not resilient:
            return overlay
        from gossamer.design.resilience import make_resilient

        return make_resilient(interests, overlay, seed=seed, progress=progress)

    @property
    def all_options(self) -> Options:
        """Its own options, and what every algorithm takes."""
        return Options(self.options.owner, (*self.options.listed, RESILIENT))


REGISTRY: Registry[Algorithm] = Registry("algorithm", "gossamer.design")


def algorithm(
    name: str,
    *,
    reference: str,
    topic_connected: bool,
    diameter: int | tuple[int, str] | None = None,
    caps: Callable[..., DegreeCaps] | None = None,
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
            caps=caps,
            options=options_of(name, function, exclude=("seed", "progress")),
        )
        REGISTRY.add(name, entry)
        return function

    return register


def algorithms() -> dict[str, Algorithm]:
    """Return every design algorithm by name, in alphabetical order."""
    return REGISTRY.all()


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or say which there are."""
    return REGISTRY.find(name)
