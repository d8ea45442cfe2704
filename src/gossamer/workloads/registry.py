"""The registry of kinds of synthetic interests.

A kind is a function in a module of this package, or of a plug-in, marked with :func:`workload`,
that builds a pattern from a number of topics, sizes and further options. The command line, the
docs and the tests read this registry, so a new kind is one new function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from gossamer.definitions import blame, check_decorated, check_function, is_own
from gossamer.options import Options, options_of, summary_of
from gossamer.registry import Registry, resolve
from gossamer.workloads.pattern import Pattern
from gossamer.workloads.sizes import Sizes

Builder = TypeVar("Builder", bound=Callable[..., Pattern])


@dataclass(frozen=True)
class WorkloadKind:
    """A kind of synthetic interests.

    Attributes
    ----------
    name
        Name on the command line.
    build
        Builder: ``build(topics, sizes, **options) -> Pattern``.
    summary
        First line of its docstring.
    reference
        Place of publication, in a few words.
    options
        Options, read from its signature.
    """

    name: str
    build: Callable[..., Pattern]
    summary: str
    reference: str
    options: Options

    def __call__(self, topics: int, sizes: Sizes, **options: Any) -> Pattern:
        """Build the pattern, after checking the options."""
        self.options.check(options)
        pattern = self.build(topics, sizes, **options)
        if not isinstance(pattern, Pattern):
            blame(
                self.build,
                f"returned a value of type {type(pattern).__name__}; expected a pattern: an object "
                "with topic_count, sizes and subscriptions_of(nodes, seed=…)",
            )
        if not is_own(self.build):
            self._check_columns(pattern)
        return pattern

    def _check_columns(self, pattern: Pattern) -> None:
        """Raise unless the pattern of a plug-in gives columns of nodes and of topics."""
        found = pattern.subscriptions_of(np.zeros(1, dtype=np.int64), seed=0)
        columns = [np.asarray(column) for column in found] if isinstance(found, tuple) else []
        shapes = {(column.shape, column.dtype.kind) for column in columns}
        if len(columns) != 2 or len(shapes) != 1 or columns[0].ndim != 1:
            blame(
                self.build,
                f"subscriptions_of returned {found!r:.40}; expected two columns of whole numbers, "
                "with the node and the topic of each subscription",
            )


REGISTRY: Registry[WorkloadKind] = Registry("kind of interests", "gossamer.workloads")


RESERVED = (
    "kind", "nodes", "topics", "subscriptions", "exponent", "seed", "out", "session", "master",
    "settings", "progress",
)  # fmt: skip
"""Names that no option can have: those of arguments of :func:`gossamer.generate_interests` and of
:func:`gossamer.pipeline.generate`."""


def workload(name: str, *, reference: str = "") -> Callable[[Builder], Builder]:
    """Register a function as the builder of a kind of synthetic interests.

    The function takes a number of topics and the sizes, and returns a
    :class:`~gossamer.workloads.Pattern`: ``my_kind(topics, sizes, *, spread: int = 5)``. Its other
    parameters are options, with a type and a default. A name can be registered again.

    Parameters
    ----------
    name
        Name on the command line: a to z, 0 to 9, and hyphens between words.
    reference
        Place of publication, in a few words.

    Raises
    ------
    PluginError
        If the name or the function does not fit; the error names its file and line.
    """
    check_decorated(name, "workload")

    def register(function: Builder) -> Builder:
        check_function(function, "a workload")
        options = options_of(name, function, positional=("topics", "sizes"), reserved=RESERVED)
        entry = WorkloadKind(name, function, summary_of(function), reference, options)
        REGISTRY.add(name, entry, function)
        return function

    return register


def kinds() -> dict[str, WorkloadKind]:
    """Return every kind of synthetic interests by name, in alphabetical order."""
    return REGISTRY.all()


def find_kind(name: str) -> WorkloadKind:
    """Return the kind of that name, or raise :class:`ParameterError` with those that exist."""
    return REGISTRY.find(name)


def resolve_kind(
    kind: str, options: Mapping[str, Any] | None = None
) -> tuple[WorkloadKind, dict[str, Any]]:
    """Return the kind of a name such as ``zipf:alpha=0.8``, and its options.

    ``options`` are given beside the name.
    """
    return resolve(REGISTRY, kind, options)
