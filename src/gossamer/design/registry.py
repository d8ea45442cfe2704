"""The one list of design algorithms.

An algorithm is a function in a module of this package, marked with
:func:`algorithm`. The command line, ``compare``, the table in the docs and the
conformance tests all read this list, so a new algorithm is one new file.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from gossamer.model import Interests, Overlay, ParameterError
from gossamer.model.progress import Progress

__all__ = ["Algorithm", "Option", "algorithm", "algorithms", "find_algorithm"]

Design = TypeVar("Design", bound=Callable[..., Overlay])

_registered: dict[str, Algorithm] = {}


@dataclass(frozen=True)
class Option:
    """A parameter of an algorithm's own: its keyword, type and default."""

    keyword: str
    kind: type
    choices: tuple[str, ...]
    default: Any

    @property
    def flag(self) -> str:
        """As written on the command line."""
        return "--" + self.keyword.replace("_", "-")

    def parse(self, text: str) -> Any:
        """Turn the text of the command line into a value."""
        if self.choices:
            if text not in self.choices:
                raise ParameterError(
                    f"{self.flag} is {text!r}; expected one of {', '.join(self.choices)}"
                )
            return text
        try:
            return self.kind(text)
        except ValueError:
            expected = {int: "a whole number", float: "a number"}.get(self.kind, self.kind.__name__)
            raise ParameterError(f"{self.flag} is {text!r}; expected {expected}") from None


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
    options: tuple[Option, ...]

    def __call__(
        self,
        interests: Interests,
        *,
        seed: int = 0,
        progress: Progress | None = None,
        **options: Any,
    ) -> Overlay:
        """Run it, after checking that it has these options."""
        known = {option.keyword for option in self.options}
        for keyword in options:
            if keyword not in known:
                raise ParameterError(
                    f"{self.name} has no option {keyword!r}; "
                    f"it has {', '.join(sorted(known)) or 'none'}"
                )
        return self.design(interests, seed=seed, progress=progress, **options)

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


def algorithm(
    name: str, *, reference: str, topic_connected: bool, diameter: int | None = None
) -> Callable[[Design], Design]:
    """Mark a function as the design algorithm of that name."""

    def register(function: Design) -> Design:
        assert name not in _registered, f"two algorithms are named {name}"
        summary = (inspect.getdoc(function) or "").split("\n", 1)[0]
        _registered[name] = Algorithm(
            name=name,
            design=function,
            summary=summary,
            reference=reference,
            topic_connected=topic_connected,
            diameter=diameter,
            options=_options(function),
        )
        return function

    return register


def _options(function: Callable[..., Overlay]) -> tuple[Option, ...]:
    hints = get_type_hints(function)
    options = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name in ("seed", "progress"):
            continue
        hint = hints[parameter.name]
        choices = tuple(choice for choice in get_args(hint) if isinstance(choice, str))
        members = [member for member in get_args(hint) if isinstance(member, type)]
        kind = hint if isinstance(hint, type) else str if choices else members[0]
        options.append(Option(parameter.name, kind, choices, parameter.default))
    return tuple(options)


@cache
def _discover() -> None:
    package = importlib.import_module("gossamer.design")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"gossamer.design.{module.name}")


def algorithms() -> dict[str, Algorithm]:
    """Return every design algorithm by name, in alphabetical order."""
    _discover()
    return dict(sorted(_registered.items()))


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or say which there are."""
    found = algorithms()
    if name not in found:
        raise ParameterError(f"no algorithm is named {name!r}; there are {', '.join(found)}")
    return found[name]
