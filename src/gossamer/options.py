"""Options of registered entries: algorithms, strategies, workloads, protocols and sources.

The options of an entry are read from the signature of its function or class, or from the fields of
a dataclass. On the command line and in Python they are written ``name:option=value:option=value``,
or ``--option value``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Integral, Real
from typing import Any, get_args, get_type_hints

from gossamer.definitions import blame, named_parameters, type_of
from gossamer.errors import ParameterError, UnknownOptionError
from gossamer.wording import named, quoted, typed


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
    verify
        Function that raises :class:`ParameterError` for a value of the type that is not allowed.
    """

    keyword: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    meaning: str = ""
    low: float | None = None
    high: float | None = None
    verify: Callable[[Any], None] | None = None

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
        if self.verify is not None:
            self.verify(value)

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
            if text not in self.choices:
                given = f"is {text!r}; expected" if text else "needs a value,"
                raise ParameterError(f"{named(self.keyword)} {given} {self.expected}")
            return text
        if self.kind is bool:
            if text.lower() not in ("", "yes", "no", "true", "false"):
                raise ParameterError(
                    f"{named(self.keyword)} is {text!r}; expected yes or no, or nothing"
                )
            return text.lower() not in ("no", "false")
        if not text:
            raise ParameterError(
                f"{named(self.keyword)} needs a value, as in {typed(**{self.keyword: 3})}"
            )
        try:
            return self.kind(text)
        except ValueError:
            expected = "a whole number" if self.kind is int else "a number"
            raise ParameterError(
                f"{named(self.keyword)} is {text!r}; expected {expected}"
            ) from None


@dataclass(frozen=True)
class Options:
    """Options of one entry, the ``owner``."""

    owner: str
    listed: tuple[Option, ...]

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise for an unknown keyword, or a value of the wrong type."""
        known = {option.keyword: option for option in self.listed}
        for keyword, value in given.items():
            self._check_known(keyword)
            known[keyword].check(value)

    def _check_known(self, keyword: str) -> None:
        """Raise for an option that there is not, with those that there are, as they are typed."""
        from gossamer.registry import hints

        known = [option.keyword for option in self.listed]
        if keyword not in known:
            meant, elsewhere = hints(self.owner, keyword, known)
            raise UnknownOptionError(
                f"{self.owner} has no option {quoted(keyword)}; {meant}its options are: "
                f"{', '.join(map(named, known)) or 'none'}{elsewhere}",
                keyword,
                known,
            )

    def with_defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every option: the given one, or the default."""
        return {option.keyword: option.default for option in self.listed} | dict(given)

    def parse(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Convert the texts of options, by name without dashes, into values by keyword."""
        by_keyword = {option.keyword: option for option in self.listed}
        parsed = {}
        for name, text in texts.items():
            keyword = name.replace("-", "_")
            self._check_known(keyword)
            parsed[keyword] = by_keyword[keyword].parse(text)
        self.check(parsed)
        return parsed


def split_spec(text: str, beside: Mapping[str, str] | None = None) -> tuple[str, dict[str, str]]:
    """Split ``name:option=value:option=value`` into the name and the texts of the options.

    Parameters
    ----------
    text
        Name with options.
    beside
        Further options as text, which are added.

    Examples
    --------
    >>> split_spec("low-oda:rho=5", {"ties": "random"})
    ('low-oda', {'rho': '5', 'ties': 'random'})
    """
    if not isinstance(text, str):
        raise ParameterError(f"a name is {text!r}; expected text, as in 'name:option=value'")
    name, *assignments = text.split(":")
    options: dict[str, str] = {}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        if not equals or not option.strip():
            raise ParameterError(
                f"{text!r} has {assignment!r} after a colon; expected option=value"
            )
        known = option.strip().removeprefix("--").replace("_", "-")
        if known in options:
            raise ParameterError(f"{text!r} has {known} twice; expected each option once")
        options[known] = value.strip()
    for option, value in (beside or {}).items():
        if option in options:
            raise ParameterError(f"{option} is given twice: in {text!r}, and beside it")
        options[option] = value
    return name.strip(), options


def join_spec(text: str, options: Mapping[str, str]) -> str:
    """Append the texts of options to ``name:option=value``."""
    return ":".join([text, *(f"{option}={value}" for option, value in options.items())])


def merge_options(spec: str, options: Options, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a spec names and those given beside it, by keyword.

    Examples
    --------
    >>> merge_options("low-oda:rho=5", Options("low-oda", (Option("rho", float, (), 3.0),)), {})
    {'rho': 5.0}
    """
    named = options.parse(split_spec(spec)[1])
    for keyword in given:
        if keyword in named:
            raise ParameterError(f"{keyword} is given twice: in {spec!r}, and beside it")
    options.check(given)
    return {**named, **given}


def options_of(
    owner: str,
    definition: Callable[..., Any],
    *,
    positional: Sequence[str] = (),
    required: Collection[str] = (),
    exclude: Collection[str] = (),
    reserved: Collection[str] = (),
    checks: Mapping[str, Callable[[Any], None]] | None = None,
) -> Options:
    """Return the parameters of a function or class that are given by name, as options.

    Parameters
    ----------
    owner
        Name of the entry.
    definition
        Function or class.
    positional
        Names of the arguments that are given by position.
    required
        Parameters that the definition must have.
    exclude
        Parameters that are no options, if the definition has them.
    reserved
        Names that an option cannot have, because callers take them.
    checks
        Functions that raise for a value that is not allowed, by the names of options.

    Raises
    ------
    PluginError
        If a parameter is missing, or an option has no type or default, another type than a
        truth value, a number or text, or a reserved name.
    """
    if checks is not None and not _are_functions(checks):
        blame(definition, f"checks is {checks!r:.60}; expected functions by the names of options")
    meanings = _meanings(definition)
    listed = []
    for parameter in named_parameters(definition, positional=positional, required=required):
        name, default = parameter.name, parameter.default
        if name in exclude or name in required:
            continue
        if name in reserved:
            blame(definition, f"an option is named {name}; expected another name than {name}")
        hint = type_of(definition, parameter)
        choices = tuple(choice for choice in get_args(hint) if isinstance(choice, str))
        kind = str if choices else hint
        if kind not in (bool, int, float, str):
            shown = getattr(hint, "__name__", None) or str(hint)
            blame(
                definition,
                f"the option {name} is of type {shown}; expected bool, int, float, str or a "
                "Literal of words",
            )
        if default is parameter.empty:
            blame(definition, f"the option {name} has no default; expected {name}=…")
        verify = (checks or {}).get(name)
        option = Option(name, kind, choices, default, meanings.get(name, ""), verify=verify)
        if not option.accepts(default):
            blame(definition, f"the default of {name} is {default!r}; expected {option.expected}")
        listed.append(option)
    for name in (checks or {}).keys() - {one.keyword for one in listed}:
        blame(definition, f"checks has {name}, and there is no option {name}")
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


def _are_functions(by_name: object) -> bool:
    return isinstance(by_name, Mapping) and all(map(callable, by_name.values()))


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
