"""The registry of design algorithms.

An algorithm is a function in a module of this package, marked with :func:`algorithm`. The command
line, ``compare``, the table in the docs and the conformance tests read this registry, so a new
algorithm is one new file.
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

Design = TypeVar("Design", bound=Callable[..., Overlay])

RESILIENT = Option(
    "resilient", bool, (), False, "add links until no single link failure disconnects a topic"
)
"""Option that every algorithm takes beside its own."""


@dataclass(frozen=True)
class Algorithm:
    """A design algorithm and its guarantees.

    Attributes
    ----------
    name
        Name on the command line.
    design
        Function: ``design(interests, *, seed=0, progress=None, **options) -> Overlay``.
    summary
        First line of its docstring.
    reference
        Place of publication, in a few words.
    topic_connected
        Whether every overlay it returns is topic-connected.
    diameter
        Promised maximum topic diameter: a number, or a factor and the name of an option, or None.
    options
        Options, read from its signature.
    caps
        ``caps(interests, **options)``, the maximum degree of each node, if the algorithm aims at
        one.
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
        """Return the guaranteed maximum topic diameter with these options, or None."""
        if not isinstance(self.diameter, tuple):
            return self.diameter
        times, keyword = self.diameter
        return times * int(self.options.with_defaults(options)[keyword])

    @property
    def guarantee(self) -> str:
        """The guarantee in words."""
        if not self.topic_connected:
            return "no guarantee"
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
        """Run the algorithm, after checking the options.

        ``resilient``: add links until no single link failure disconnects a topic; see
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
        """Options of the algorithm, and those that every algorithm takes."""
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
    """Register a function as the design algorithm of that name."""

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
    """Return the algorithm of that name, or raise :class:`ParameterError` with those that exist."""
    return REGISTRY.find(name)
