"""Lists that fill themselves: everything of a kind, found in the files of one package.

A catalogue imports every module of its package once; those add what they define. So a
new algorithm, workload or study is one new file, and whoever reads the catalogue has
it. Here too: the options that a function takes besides what all of its kind take, read
from its signature, so that the command line can offer them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Integral, Real
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from gossamer.errors import ParameterError

__all__ = [
    "Option",
    "Options",
    "Registry",
    "options_of",
    "options_of_fields",
    "setting",
    "summary_of",
]

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Everything of one kind, by name."""

    def __init__(self, what: str, package: str) -> None:
        self.what = what
        self.package = package
        self._entries: dict[str, Entry] = {}
        self._discovered = False

    def add(self, name: str, entry: Entry) -> None:
        """Put an entry on the list; done by the module that defines it."""
        assert name not in self._entries, f"two of the kind {self.what} are named {name}"
        self._entries[name] = entry

    def all(self) -> dict[str, Entry]:
        """Return every entry by name, in alphabetical order."""
        if not self._discovered:
            self._discovered = True
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
        return dict(sorted(self._entries.items()))

    def find(self, name: str) -> Entry:
        """Return the entry of that name, or say which there are."""
        found = self.all()
        if name not in found:
            raise ParameterError(f"no {self.what} is named {name!r}; there are {', '.join(found)}")
        return found[name]


@dataclass(frozen=True)
class Option:
    """An option: keyword, type, default, meaning, and the range of a number."""

    keyword: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    meaning: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def flag(self) -> str:
        """As written on the command line."""
        return "--" + self.keyword.replace("_", "-")

    @property
    def expected(self) -> str:
        """What a value should be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return {bool: "True or False", int: "a whole number", float: "a number"}.get(
            self.kind, "a text"
        )

    def check(self, value: Any) -> None:
        """Raise if a value is of another kind, or out of range."""
        if not self.takes(value):
            raise ParameterError(f"{self.keyword} is {value!r}; expected {self.expected}")
        if self.low is not None and not self.low <= value <= (
            self.high if self.high is not None else inf
        ):
            allowed = f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"
            raise ParameterError(f"{self.keyword} is {value}; expected {allowed}")

    def takes(self, value: Any) -> bool:
        """Whether a value is of the option's kind."""
        if self.choices:
            return value in self.choices
        if self.kind is bool or isinstance(value, bool):
            return self.kind is bool and isinstance(value, bool)
        kinds = {int: Integral, float: Real}
        return isinstance(value, kinds.get(self.kind, self.kind))

    def parse(self, text: str) -> Any:
        """Turn the text of the command line into a value."""
        if self.choices:
            if not text:
                raise ParameterError(f"{self.flag} needs a value, one of {', '.join(self.choices)}")
            if text not in self.choices:
                raise ParameterError(
                    f"{self.flag} is {text!r}; expected one of {', '.join(self.choices)}"
                )
            return text
        if self.kind is bool:
            if text.lower() not in ("", "yes", "no", "true", "false"):
                raise ParameterError(f"{self.flag} is {text!r}; expected yes or no, or nothing")
            return text.lower() not in ("no", "false")
        if not text:
            raise ParameterError(f"{self.flag} needs a value, as in {self.flag} 3")
        try:
            return self.kind(text)
        except ValueError:
            expected = "a whole number" if self.kind is int else "a number"
            raise ParameterError(f"{self.flag} is {text!r}; expected {expected}") from None


@dataclass(frozen=True)
class Options:
    """The options of one entry of a catalogue."""

    owner: str
    listed: tuple[Option, ...]

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise where a keyword is none of them, or its value not of its kind."""
        known = {option.keyword: option for option in self.listed}
        for keyword, value in given.items():
            if keyword not in known:
                raise ParameterError(
                    f"{self.owner} has no option {keyword!r}; it has {', '.join(known) or 'none'}"
                )
            known[keyword].check(value)

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all of them: the values given, and the defaults of the others."""
        return {option.keyword: option.default for option in self.listed} | dict(given)

    def parse(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Turn options as written on the command line, by name, into values."""
        by_keyword = {option.keyword: option for option in self.listed}
        parsed = {}
        for name, text in texts.items():
            keyword = name.replace("-", "_")
            if keyword not in by_keyword:
                flags = ", ".join(option.flag for option in self.listed) or "none"
                raise ParameterError(
                    f"{self.owner} has no option --{name}; its options are: {flags}"
                )
            parsed[keyword] = by_keyword[keyword].parse(text)
        return parsed


def options_of(owner: str, function: Callable[..., Any], *, but: Collection[str] = ()) -> Options:
    """Read a function's keyword-only parameters: numbers, yes or no, or a choice of words."""
    hints = get_type_hints(vars(function)["__init__"] if isinstance(function, type) else function)
    meanings = _meanings(function)
    listed = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name in but:
            continue
        hint = hints[parameter.name]
        choices = tuple(choice for choice in get_args(hint) if isinstance(choice, str))
        kind = str if choices else hint
        assert kind in (bool, int, float, str), f"{owner}: {parameter.name} is none of an option's"
        meaning = meanings.get(parameter.name, "")
        listed.append(Option(parameter.name, kind, choices, parameter.default, meaning))
    return Options(owner, tuple(listed))


def setting(
    default: Any, meaning: str, *, low: float | None = None, high: float | None = None
) -> Any:
    """Return a field of an options dataclass: default, one sentence, and the range of a number."""
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high})


def options_of_fields(owner: str, kind: type) -> Options:
    """Read the fields of a dataclass of options: those of the class itself, then inherited ones."""
    hints = get_type_hints(kind)
    levels = [vars(base).get("__annotations__", {}) for base in kind.__mro__]
    by_name = {one.name: one for one in fields(kind)}
    ordered = dict.fromkeys(name for level in levels for name in level if name in by_name)
    listed = []
    for name in ordered:
        choices = tuple(choice for choice in get_args(hints[name]) if isinstance(choice, str))
        about = dict(by_name[name].metadata)
        listed.append(
            Option(name, str if choices else hints[name], choices, by_name[name].default, **about)
        )
    return Options(owner, tuple(listed))


def summary_of(described: Callable[..., Any]) -> str:
    """Return the first line of the docstring of a function or class."""
    return (inspect.getdoc(described) or "").split("\n", 1)[0]


def _meanings(function: Callable[..., Any]) -> dict[str, str]:
    """Return what each parameter is, as the docstring's section on them says it, in one line."""
    found: dict[str, str] = {}
    _, _, section = (inspect.getdoc(function) or "").partition("\nParameters\n----------\n")
    names: list[str] = []
    for line in section.splitlines():
        if line.startswith("---"):  # the next section, whose title was no parameter
            for name in names:
                del found[name]
            break
        if line and not line.startswith(" "):
            names = line.split(", ")
            found |= dict.fromkeys(names, "")
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return {name: _without_markup(text) for name, text in found.items()}


def _without_markup(text: str) -> str:
    return re.sub(r"(?::\w+:)?`+~?([^`]*)`+", r"\1", text)
