"""The registry of kinds of synthetic interests.

A kind is a function in a module of this package, marked with :func:`kind`, that builds a pattern
from a number of topics, sizes and further options. The command line, the docs and the tests read
this registry, so a new kind is one new function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from gossamer.registry import Options, Registry, options_of, summary_of
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
        return self.build(topics, sizes, **options)


REGISTRY: Registry[WorkloadKind] = Registry("kind of interests", "gossamer.workloads")


def kind(name: str, *, reference: str) -> Callable[[Builder], Builder]:
    """Register a function as the builder of a kind."""

    def register(function: Builder) -> Builder:
        options = options_of(name, function)
        REGISTRY.add(name, WorkloadKind(name, function, summary_of(function), reference, options))
        return function

    return register


def kinds() -> dict[str, WorkloadKind]:
    """Return every kind of synthetic interests by name, in alphabetical order."""
    return REGISTRY.all()


def find_kind(name: str) -> WorkloadKind:
    """Return the kind of that name, or raise :class:`ParameterError` with those that exist."""
    return REGISTRY.find(name)
