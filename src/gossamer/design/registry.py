"""The registry of design algorithms.

An algorithm is a function in a module of this package, or of a plug-in, marked with
:func:`algorithm`. The command line, ``compare``, the table in the docs and the conformance tests
read this registry, so a new algorithm is one new file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.definitions import blame, check_decorated, check_function, name_of
from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.options import Option, Options, merge_options, options_of, split_spec, summary_of
from gossamer.progress import Progress
from gossamer.random_stream import check_seed
from gossamer.registry import Registry

if TYPE_CHECKING:
    from gossamer.design._trees.degree_caps import DegreeCaps

DesignFunction = TypeVar("DesignFunction", bound=Callable[..., Overlay])

RESILIENT = Option(
    "resilient", bool, (), False, "add links until no single link failure disconnects a topic"
)
"""Option that every algorithm takes beside its own."""

RESERVED = ("algorithm", "interests", "options", "resilient", "start")
"""Names that no option can have: those of arguments of :func:`gossamer.design`."""


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
    options
        Options, read from its signature.
    reference
        Place of publication, in a few words.
    topic_connected
        Whether every overlay it returns is topic-connected.
    diameter
        Promised maximum topic diameter: a number, or a factor and the name of an option, or None.
    caps
        ``caps(interests, **options)``, the maximum degree of each node, if the algorithm aims at
        one.
    """

    name: str
    design: Callable[..., Overlay]
    summary: str
    options: Options
    reference: str = ""
    topic_connected: bool = False
    diameter: int | tuple[int, str] | None = None
    caps: Callable[..., DegreeCaps] | None = None

    def __post_init__(self) -> None:
        diameter = self.diameter
        times, keyword = diameter if isinstance(diameter, tuple) else (diameter, "")
        if times is not None and (not isinstance(times, int) or isinstance(times, bool)):
            blame(self.design, f"diameter is {diameter!r}; expected a number, or (2, 'radius')")
        if times is not None and times < 1:
            blame(self.design, f"diameter is {diameter!r}; expected 1 hop or more")
        if not isinstance(self.topic_connected, bool):
            blame(
                self.design,
                f"topic_connected is {self.topic_connected!r}; expected True or False",
            )
        if self.caps is not None and not callable(self.caps):
            blame(
                self.design, f"caps is {self.caps!r}; expected a function of interests and options"
            )
        if keyword and keyword not in {one.keyword for one in self.options.listed}:
            blame(self.design, f"diameter is {diameter!r}, and there is no option {keyword}")

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
        check_seed(seed)
        self.all_options.check({"resilient": resilient, **options})
        if "progress" in inspect.signature(self.design).parameters:
            options["progress"] = progress
        overlay = self.design(interests, seed=seed, **options)
        self._check_returned(overlay, interests)
        if not resilient:
            return overlay
        from gossamer.design.resilience import make_resilient

        return make_resilient(interests, overlay, seed=seed, progress=progress)

    def _check_returned(self, overlay: object, interests: Interests) -> None:
        """Raise unless the function has returned an overlay of these nodes."""
        if not isinstance(overlay, Overlay):
            kind = type(overlay).__name__
            blame(
                self.design,
                f"returned {'nothing' if overlay is None else f'a value of type {kind}'}; expected "
                "an overlay, as in gossamer.Overlay.from_links(interests.node_count, pairs)",
            )
        if overlay.node_count != interests.node_count:
            blame(
                self.design,
                f"returned an overlay of {overlay.node_count} nodes; expected "
                f"{interests.node_count}, as the interests have",
            )

    @property
    def all_options(self) -> Options:
        """Options of the algorithm, and those that every algorithm takes."""
        return Options(self.options.owner, (*self.options.listed, RESILIENT))


REGISTRY: Registry[Algorithm] = Registry("algorithm", "gossamer.design")


def algorithm(
    name: str,
    *,
    reference: str = "",
    topic_connected: bool = False,
    diameter: int | tuple[int, str] | None = None,
    caps: Callable[..., DegreeCaps] | None = None,
    checks: Mapping[str, Callable[[Any], None]] | None = None,
) -> Callable[[DesignFunction], DesignFunction]:
    """Register a function as the design algorithm of that name.

    The function takes interests and a seed and returns an overlay:
    ``my_idea(interests, *, seed=0, rho: float = 3.0) -> Overlay``. It may also take ``progress``.
    Every other parameter is an option, with a type and a default: a truth value, a number, text,
    or a ``Literal`` of words. The option is then known to ``gossamer.design(interests, "my-idea",
    rho=5)``, to ``my-idea:rho=5`` and to ``--rho 5``.

    A function registered later under the same name takes the place of the former one, with a
    warning. Names of gossamer's own algorithms are taken.

    Parameters
    ----------
    name
        Name on the command line: a to z, 0 to 9, and hyphens between words.
    reference
        Place of publication, in a few words.
    topic_connected
        Whether every overlay it returns is topic-connected.
    diameter
        Promised maximum topic diameter: a number, or a factor and the name of an option, as in
        ``(2, "radius")``. What is promised is verified.
    caps
        Function ``caps(interests, **options)``: the maximum degree of each node, if the algorithm
        aims at one.
    checks
        Functions by the names of options, each of which raises ``ParameterError`` for a value that
        is not allowed. They run before interests are read.

    Raises
    ------
    PluginError
        If the name or the function does not fit; the error names its file and line.

    Examples
    --------
    >>> import gossamer
    >>> @gossamer.algorithm("one-star", topic_connected=True)
    ... def one_star(interests, *, seed=0):
    ...     return gossamer.Overlay.from_links(
    ...         interests.node_count, [(0, node) for node in range(1, interests.node_count)]
    ...     )
    >>> wants = gossamer.Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> gossamer.design(wants, "one-star").overlay.link_count
    1
    """
    check_decorated(name, "algorithm")

    def register(function: DesignFunction) -> DesignFunction:
        entry = _entry(
            name,
            function,
            reference=reference,
            topic_connected=topic_connected,
            diameter=diameter,
            caps=caps,
            checks=checks,
        )
        REGISTRY.add(name, entry, function)
        return function

    return register


def _entry(
    name: str,
    function: Callable[..., Overlay],
    checks: Mapping[str, Callable[[Any], None]] | None = None,
    **promises: Any,
) -> Algorithm:
    check_function(function, "a design algorithm")
    options = options_of(
        name,
        function,
        positional=("interests",),
        required=("seed",),
        exclude=("progress",),
        reserved=RESERVED,
        checks=checks or {},
    )
    return Algorithm(name, function, summary_of(function), options, **promises)


def algorithms() -> dict[str, Algorithm]:
    """Return every design algorithm by name, in alphabetical order."""
    return REGISTRY.all()


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or raise :class:`ParameterError` with those that exist."""
    return REGISTRY.find(name)


def resolve_algorithm(
    algorithm: str | Algorithm | Callable[..., Overlay], options: Mapping[str, Any] | None = None
) -> tuple[Algorithm, dict[str, Any]]:
    """Return an algorithm and its options, ``resilient`` included.

    Parameters
    ----------
    algorithm
        Name with options, as in ``low-oda:rho=5``; or a function, registered or not, that takes
        interests and a seed.
    options
        Options given beside the name.

    Raises
    ------
    ParameterError
        If the name or an option is unknown, or an option is given twice.
    PluginError
        If the function does not fit.
    """
    given = options or {}
    if isinstance(algorithm, str):
        found = find_algorithm(split_spec(algorithm)[0])
        return found, merge_options(algorithm, found.all_options, given)
    if isinstance(algorithm, Algorithm):
        algorithm.all_options.check(given)
        return algorithm, dict(given)
    if not callable(algorithm):
        raise ParameterError(
            f"the algorithm is {algorithm!r}; expected a name such as 'low-oda', or a function"
        )
    known = REGISTRY.named(algorithm) or _entry(name_of(algorithm), algorithm)
    known.all_options.check(given)
    return known, dict(given)
