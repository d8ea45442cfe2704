"""The one list of kinds of synthetic interests.

A kind is a function in a module of this package, marked with :func:`kind`, that
builds a pattern from a number of topics, sizes and options of its own. The
command line, the docs and the tests read this list, so a new kind is one new
function. Nothing is drawn here.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_type_hints

from gossamer.model import ParameterError
from gossamer.workloads.pattern import Pattern
from gossamer.workloads.sizes import Sizes

__all__ = ["Kind", "Option", "find_kind", "kind", "kinds"]

Builder = TypeVar("Builder", bound=Callable[..., Pattern])

_registered: dict[str, Kind] = {}


@dataclass(frozen=True)
class Option:
    """A parameter of a kind's own: its keyword, type and default."""

    keyword: str
    kind: type
    default: Any

    @property
    def flag(self) -> str:
        """As written on the command line."""
        return "--" + self.keyword.replace("_", "-")

    def parse(self, text: str) -> Any:
        """Turn the text of the command line into a value."""
        try:
            return self.kind(text)
        except ValueError:
            expected = "a whole number" if self.kind is int else "a number"
            raise ParameterError(f"{self.flag} is {text!r}; expected {expected}") from None


@dataclass(frozen=True)
class Kind:
    """A kind of synthetic interests.

    Attributes
    ----------
    name
        As written on the command line.
    build
        ``build(topics, sizes, **options) -> Pattern``.
    summary
        The first line of its docstring.
    reference
        Where it was described, in a few words.
    options
        Its own parameters, read from its signature.
    """

    name: str
    build: Callable[..., Pattern]
    summary: str
    reference: str
    options: tuple[Option, ...]

    def __call__(self, topics: int, sizes: Sizes, **options: Any) -> Pattern:
        """Build the pattern, after checking that the kind has these options."""
        known = [option.keyword for option in self.options]
        for keyword in options:
            if keyword not in known:
                raise ParameterError(
                    f"{self.name} has no option {keyword!r}; it has {', '.join(known) or 'none'}"
                )
        return self.build(topics, sizes, **options)

    def parse_options(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Turn options as written on the command line, by keyword, into values."""
        by_keyword = {option.keyword: option for option in self.options}
        parsed = {}
        for name, text in texts.items():
            keyword = name.replace("-", "_")
            if keyword not in by_keyword:
                flags = ", ".join(option.flag for option in self.options) or "none"
                raise ParameterError(
                    f"{self.name} has no option --{name}; its options are: {flags}"
                )
            parsed[keyword] = by_keyword[keyword].parse(text)
        return parsed


def kind(name: str, *, reference: str) -> Callable[[Builder], Builder]:
    """Mark a function as the builder of the kind of that name."""

    def register(function: Builder) -> Builder:
        assert name not in _registered, f"two kinds of interests are named {name}"
        hints = get_type_hints(function)
        _registered[name] = Kind(
            name=name,
            build=function,
            summary=(inspect.getdoc(function) or "").split("\n", 1)[0],
            reference=reference,
            options=tuple(
                Option(parameter.name, hints[parameter.name], parameter.default)
                for parameter in inspect.signature(function).parameters.values()
                if parameter.kind is parameter.KEYWORD_ONLY
            ),
        )
        return function

    return register


@cache
def _discover() -> None:
    package = importlib.import_module("gossamer.workloads")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"gossamer.workloads.{module.name}")


def kinds() -> dict[str, Kind]:
    """Return every kind of synthetic interests by name, in alphabetical order."""
    _discover()
    return dict(sorted(_registered.items()))


def find_kind(name: str) -> Kind:
    """Return the kind of that name, or say which there are."""
    found = kinds()
    if name not in found:
        raise ParameterError(
            f"no kind of interests is named {name!r}; there are {', '.join(found)}"
        )
    return found[name]
