"""Registries of named entries: algorithms, strategies, workloads, protocols, sources, studies.

A registry imports every module of its package once, and each module adds what it defines; a new
algorithm is one new file. The options of an entry are read from the signature of its function or
class. On the command line and in Python they are written ``name:option=value:option=value``, or
``--option value``.
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

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Entries of one kind, by name.

    Parameters
    ----------
    what
        Noun for an entry in messages, such as ``algorithm``.
    package
        Package whose modules add the entries.
    """

    def __init__(self, what: str, package: str) -> None:
        self.what = what
        self.package = package
        self._entries: dict[str, Entry] = {}
        self._discovered = False

    def add(self, name: str, entry: Entry) -> None:
        """Add an entry; called by the module that defines it."""
        assert name not in self._entries, f"the {self.what} {name} is defined twice"
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
        """Return the entry of that name; the error lists the known names."""
        found = self.all()
        if name not in found:
            raise ParameterError(f"no {self.what} is named {name!r}; there are {', '.join(found)}")
        return found[name]


@dataclass(frozen=True)
class Option:
    """Option of an entry: one keyword-only parameter.

    Attributes
    ----------
    keyword, kind, default
        Name, type and default of the parameter.
    choices
        Allowed words, if it is a choice.
    meaning
        Description, from the docstring.
    low, high
        Range of a number, if it is bounded.
    """

    keyword: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    meaning: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def flag(self) -> str:
        """Name on the command line."""
        return "--" + self.keyword.replace("_", "-")

    @property
    def expected(self) -> str:
        """Description of a valid value."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return {bool: "True or False", int: "a whole number", float: "a number"}.get(
            self.kind, "a string"
        )

    def check(self, value: Any) -> None:
        """Raise if a value has another type, or is out of range."""
        if not self.accepts(value):
            raise ParameterError(f"{self.keyword} is {value!r}; expected {self.expected}")
        high = inf if self.high is None else self.high
        if self.low is not None and not self.low <= value <= high:
            allowed = f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"
            raise ParameterError(f"{self.keyword} is {value}; expected {allowed}")

    def accepts(self, value: Any) -> bool:
        """Whether a value has the type of the option."""
        if self.choices:
            return value in self.choices
        if self.kind is bool or isinstance(value, bool):
            return self.kind is bool and isinstance(value, bool)
        kinds = {int: Integral, float: Real}
        return isinstance(value, kinds.get(self.kind, self.kind))

    def parse(self, text: str) -> Any:
        """Convert text of the command line into a value."""
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
    """Options of one entry, the ``owner``."""

    owner: str
    listed: tuple[Option, ...]

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise for an unknown keyword, or a value of the wrong type."""
        known = {option.keyword: option for option in self.listed}
        for keyword, value in given.items():
            if keyword not in known:
                raise ParameterError(
                    f"{self.owner} has no option {keyword!r}; it has {', '.join(known) or 'none'}"
                )
            known[keyword].check(value)

    def with_defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every option: the given one, or the default."""
        return {option.keyword: option.default for option in self.listed} | dict(given)

    def parse(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Convert the texts of options, by name without dashes, into values by keyword."""
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


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name:option=value:option=value`` into the name and the texts of the options.

    Examples
    --------
    >>> split_spec("low-oda:rho=5")
    ('low-oda', {'rho': '5'})
    """
    name, *assignments = text.split(":")
    options: dict[str, str] = {}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        if not equals or not option.strip():
            raise ParameterError(
                f"{text!r} has {assignment!r} after a colon; expected option=value"
            )
        options[option.strip().removeprefix("--")] = value.strip()
    return name.strip(), options


def join_spec(text: str, options: Mapping[str, str]) -> str:
    """Append the texts of options to ``name:option=value``."""
    return ":".join([text, *(f"{option}={value}" for option, value in options.items())])


def options_of(
    owner: str, function: Callable[..., Any], *, exclude: Collection[str] = ()
) -> Options:
    """Return the keyword-only parameters of a function or class as options."""
    hints = get_type_hints(vars(function)["__init__"] if isinstance(function, type) else function)
    meanings = _meanings(function)
    listed = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name in exclude:
            continue
        hint = hints[parameter.name]
        choices = tuple(choice for choice in get_args(hint) if isinstance(choice, str))
        kind = str if choices else hint
        assert kind in (bool, int, float, str), f"{owner}: {parameter.name} is not an option"
        meaning = meanings.get(parameter.name, "")
        listed.append(Option(parameter.name, kind, choices, parameter.default, meaning))
    return Options(owner, tuple(listed))


def setting(default: Any, meaning: str, low: float | None = None, high: float | None = None) -> Any:
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
    """Return the description of each parameter, from the docstring, in one line."""
    found: dict[str, str] = {}
    _, _, section = (inspect.getdoc(function) or "").partition("\nParameters\n----------\n")
    names: list[str] = []
    for line in section.splitlines():
        if line.startswith("---"):  # the next section: its title is no parameter
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
