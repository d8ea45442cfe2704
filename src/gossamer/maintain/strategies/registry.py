"""Registry of the strategies that maintain an overlay under churn.

A strategy is a class in a module of this package, or of a plug-in, marked with :func:`strategy`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gossamer.definitions import check_class, check_decorated
from gossamer.errors import ParameterError
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.options import Options, options_of, summary_of
from gossamer.registry import Registry, resolve

StrategyClass = TypeVar("StrategyClass", bound=Callable[..., "Strategy"])


class Strategy(Protocol):
    """Choice of the links that repair an overlay after a join or a leave.

    A strategy changes no links itself. One with a memory has methods ``state`` and ``restore``, as
    of :class:`~gossamer.maintain.maintainer.Maintainer`, or cannot be resumed; and a method
    ``renumber(places, count)`` if it refers to ids, which change when an unknown node joins. One
    for nodes that change their interests has the methods of :class:`TopicStrategy` too.
    """

    def begin(self, overlay: DynamicOverlay) -> None:
        """Prepare for the events of an overlay."""
        ...

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Return the changes that connect a node that has joined and has no links."""
        ...

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Return the changes that repair the overlay after a node and its links are gone."""
        ...


@runtime_checkable
class TopicStrategy(Protocol):
    """Choice of the links that repair an overlay after a present node has changed its interests."""

    def subscribed(self, overlay: DynamicOverlay, node: int, topic: int) -> LinkChanges:
        """Return the changes that connect a node on a new topic."""
        ...

    def unsubscribed(
        self, overlay: DynamicOverlay, node: int, topic: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Return the changes that repair a topic from which a node has unsubscribed.

        ``neighbours`` are its former neighbours on the topic, ascending. Its links that serve no
        other topic are gone.
        """
        ...


@dataclass(frozen=True)
class StrategyEntry:
    """A registered strategy.

    Attributes
    ----------
    name
        Name on the command line.
    build
        ``build(*, seed, **options) -> Strategy``.
    summary, reference
        Description, and publication.
    options
        Options of the strategy.
    resumable
        Whether an interrupted run can resume.
    """

    name: str
    build: Callable[..., Strategy]
    summary: str
    reference: str
    options: Options
    resumable: bool

    def __call__(self, *, seed: int, **options: Any) -> Strategy:
        """Build a strategy, after checking its options."""
        self.options.check(options)
        return self.build(seed=seed, **options)


REGISTRY: Registry[StrategyEntry] = Registry("strategy", "gossamer.maintain.strategies")


METHODS = ("begin", "joined", "left")
RESERVED = (
    "interests", "overlay", "strategy", "present", "check", "progress", "options", "scenario",
    "algorithm", "rebuild_every", "verify", "out",
)  # fmt: skip
"""Names that no option can have: those of arguments of :class:`gossamer.Maintainer` and of
:func:`gossamer.maintain`."""


def strategy(
    name: str, *, reference: str = "", resumable: bool | None = None
) -> Callable[[StrategyClass], StrategyClass]:
    """Register a class as the maintenance strategy of that name.

    The class has the methods of :class:`Strategy`: ``begin``, ``joined`` and ``left``; and those of
    :class:`TopicStrategy`, if it handles changes of interests. Its constructor takes ``seed``, and
    options with a type and a default: ``__init__(self, *, seed: int, rho: float = 3.0)``. A name
    can be registered again.

    Parameters
    ----------
    name
        Name on the command line: a to z, 0 to 9, and hyphens between words.
    reference
        Place of publication, in a few words.
    resumable
        Whether an interrupted run can resume (default: if there are methods ``state`` and
        ``restore``).

    Raises
    ------
    PluginError
        If the name or the class does not fit; the error names its file and line.
    """
    check_decorated(name, "strategy")

    def register(kind: StrategyClass) -> StrategyClass:
        check_class(kind, "a strategy", METHODS)
        options = options_of(name, kind, required=("seed",), reserved=RESERVED)
        resumes = _has_methods(kind, "state", "restore") if resumable is None else resumable
        entry = StrategyEntry(name, kind, summary_of(kind), reference, options, resumes)
        REGISTRY.add(name, entry, kind)
        return kind

    return register


def strategies() -> dict[str, StrategyEntry]:
    """Return every strategy by name, in alphabetical order.

    Examples
    --------
    >>> list(strategies())
    ['elasto-g', 'elasto-l', 'low-oda-inc', 'low-oda-re']
    """
    return REGISTRY.all()


def find_strategy(name: str) -> StrategyEntry:
    """Return the strategy of that name; the error lists the known names."""
    return REGISTRY.find(name)


@dataclass(frozen=True)
class StrategyFactory:
    """A strategy with its options, of which new instances can be built.

    Attributes
    ----------
    name
        Name of the strategy, or of the class of an object.
    build
        Function that returns a new instance, or the object itself.
    key
        Text that identifies the strategy and its options.
    resumable
        Whether an interrupted run can resume.
    custom
        Whether the strategy is an object of the caller.
    ours
        Whether it is a strategy of gossamer.
    """

    name: str
    build: Callable[[], Strategy]
    key: str
    resumable: bool
    custom: bool
    ours: bool


def resolve_strategy(
    strategy: str | Strategy, given: Mapping[str, Any] | None = None, *, seed: int
) -> StrategyFactory:
    """Return the factory of ``name:option=value``, or of an object with a strategy's methods.

    ``given`` are options beside the name.

    Raises
    ------
    ParameterError
        If the strategy or an option is unknown, or the object lacks a method.
    """
    if isinstance(strategy, str):
        entry, options = resolve(REGISTRY, strategy, given)
        key = json.dumps([entry.name, dict(sorted(options.items()))])
        return StrategyFactory(
            entry.name, lambda: entry(seed=seed, **options), key, entry.resumable,
            custom=False, ours=REGISTRY.is_own(entry.name),
        )  # fmt: skip
    kind = type(strategy)
    if isinstance(strategy, type) or not _has_methods(strategy, *METHODS):
        raise ParameterError(
            f"strategy is {strategy!r}; expected the name of a strategy, or an object that has "
            "the methods begin, joined and left"
        )
    if given:
        raise ParameterError(
            f"the strategy is an object, and has no options; got {', '.join(given)}"
        )
    plain = {
        name: value
        for name, value in sorted(getattr(strategy, "__dict__", {}).items())
        if isinstance(value, str | int | float)
    }
    key = json.dumps([f"{kind.__module__}.{kind.__qualname__}", plain])
    resumable = _has_methods(strategy, "state", "restore")
    return StrategyFactory(kind.__name__, lambda: strategy, key, resumable, True, False)


def require_topics(strategy: Strategy, changes: int) -> TopicStrategy:
    """Return a strategy that handles changes of interests, or raise if it does not.

    ``changes`` is their number.
    """
    if isinstance(strategy, TopicStrategy):
        return strategy
    raise ParameterError(
        f"the strategy {type(strategy).__name__} has no methods subscribed and unsubscribed, and "
        f"interests change {changes:,} times; expected both methods, or joins and leaves alone"
    )


def _has_methods(value: object, *names: str) -> bool:
    return all(callable(getattr(value, name, None)) for name in names)
