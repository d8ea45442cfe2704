"""Registries of named entries: algorithms, strategies, workloads, protocols, sources, metrics.

A registry imports every module of its package once, and each module adds what it defines; a new
algorithm is one new file. Plug-ins (:mod:`gossamer.plugins`) add entries in the same way. The
options of an entry are in :mod:`gossamer.options`.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from gossamer.column_names import did_you_mean, similar_name
from gossamer.definitions import (
    blame,
    check_name,
    describe,
    is_own,
    module_of,
    name_of,
    remember_plugin,
)
from gossamer.errors import ParameterError, PluginWarning
from gossamer.options import Options, merge_options, split_spec
from gossamer.plugins import any_is_loaded, load_installed_plugins, options_to_load
from gossamer.results import aligned, html_table
from gossamer.wording import either, named, quoted

Entry = TypeVar("Entry")

USES = {
    "algorithm": ("gossamer.design.registry", "design"),
    "protocol": ("gossamer.protocols.registry", "simulate"),
}
"""For kinds that are taken for each other: module of the registry, and the use of an entry."""

LIMITS = {
    **dict.fromkeys(
        ("max_degree", "maximum_degree", "degree_limit", "max_links"), ("degree_cap", "max_degree")
    ),
    **dict.fromkeys(("hops", "max_hops", "diameter", "max_diameter"), ("radius", "hops")),
}
"""For names of limits: the option of algorithms that is meant, and that of a Pareto front."""


class Entries(dict[str, Entry]):
    """Entries by name, which print as a list of names and summaries.

    Examples
    --------
    >>> import gossamer
    >>> print(gossamer.metrics())  # doctest: +ELLIPSIS
    articulation_points   Subscribers whose failure alone disconnects a topic, ...
    """

    def __repr__(self) -> str:
        return "\n".join(aligned(self._rows(), right=False))

    def _repr_html_(self) -> str:
        return html_table(self._rows(), right=False)

    def _rows(self) -> list[tuple[str, str]]:
        return [(name, str(getattr(entry, "summary", ""))) for name, entry in self.items()]


class Registry(Generic[Entry]):
    """Entries of one kind, by name.

    Parameters
    ----------
    what
        Noun for an entry in messages, such as ``algorithm``.
    package
        Package whose modules add the entries.
    between
        Character between the words of a name.
    """

    _registries: ClassVar[list[Registry[Any]]] = []

    def __init__(self, what: str, package: str, *, between: str = "-") -> None:
        self.what = what
        self.package = package
        self._between = between
        self._entries: dict[str, Entry] = {}
        self._definitions: dict[str, Any] = {}
        self._discovered = False
        Registry._registries.append(self)

    def add(self, name: str, entry: Entry, definition: Any) -> None:
        """Add an entry; called by the module that defines it.

        An entry of a plug-in replaces one of the same name, with a :class:`PluginWarning`.

        Parameters
        ----------
        name, entry
            Name, and the entry.
        definition
            Function or class that the entry stands for.

        Raises
        ------
        PluginError
            If the name is not allowed, or that of an entry of gossamer.
        """
        check_name(name, definition, self._between)
        ours = is_own(definition)
        if not ours:
            self._discover()  # so that entries of gossamer are known
            remember_plugin(definition)
        before = self._definitions.get(name)
        if before is not None and before is not definition:
            again = _same_place(before, definition)
            if is_own(before):
                assert again or not ours, f"the {self.what} {name} is defined twice"
                if not ours:
                    blame(
                        definition,
                        f"{name} is the name of a gossamer {self.what}; expected another one, as "
                        f"in my-{name}",
                    )
            else:
                warnings.warn(
                    f"the {self.what} {name} is now {describe(definition)}, in place of "
                    f"{describe(before)}",
                    PluginWarning,
                    stacklevel=4,
                )
        self._entries[name] = entry
        self._definitions[name] = definition

    def all(self) -> Entries[Entry]:
        """Return every entry by name, in alphabetical order."""
        self._discover()
        load_installed_plugins()
        return Entries(sorted(self._entries.items()))

    def find(self, name: str) -> Entry:
        """Return the entry of that name; the error lists the known names."""
        found = self.all()
        if not isinstance(name, str) or name not in found:
            hint = self._other_kind(name) or did_you_mean(str(name), [*found])
            own = "" if any_is_loaded() else either("; add your own with --plugin FILE", "")
            raise ParameterError(
                f"no {self.what} is named {name!r}; {hint}there are "
                f"{', '.join(found) or 'none'}{own}"
            )
        return found[name]

    def _other_kind(self, name: str) -> str:
        """Return a hint for the name of a file or an entry of another kind; empty for others."""
        if Path(name).is_file():
            return f"it is a file, and the name of {_a(self.what)} is expected before it; "
        for what, (module, use) in USES.items():
            other: Registry[Any] = importlib.import_module(module).REGISTRY
            if other is not self and self.what in USES and name in other.all():
                return f"it is {_a(what)}, see {either('gossamer ', 'gossamer.')}{use}; "
        return ""

    def named(self, definition: Any) -> Entry | None:
        """Return the entry of a function or class that is registered; None for another."""
        for name, known in self._definitions.items():
            if known is definition:
                return self._entries[name]
        return None

    def options_to_load(self, name: str) -> list[str] | None:
        """Return the options with which a command knows an entry; None if no command knows it."""
        if name not in self.all():
            return None
        return options_to_load(module_of(self._definitions[name]))

    def definition(self, name: str) -> Any:
        """Return the function or class that an entry stands for."""
        self.find(name)
        return self._definitions[name]

    def is_own(self, name: str) -> bool:
        """Whether an entry is one of gossamer, and not of a plug-in."""
        return name in self._definitions and is_own(self._definitions[name])

    @classmethod
    def definition_count(cls) -> int:
        """Return the number of definitions that plug-ins have registered, of all kinds."""
        return sum(
            not is_own(one)
            for registry in cls._registries
            for one in registry._definitions.values()
        )

    def _owners_of_options(self) -> dict[str, list[str]]:
        """Return the names of the entries that have an option, for each option by keyword."""
        found: dict[str, list[str]] = {}
        for name, entry in self.all().items():
            options = getattr(entry, "options", None)
            for option in options.listed if isinstance(options, Options) else ():
                found.setdefault(option.keyword, []).append(name)
        return found

    def _discover(self) -> None:
        """Import the modules of the package, once."""
        if self._discovered:
            return
        self._discovered = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self.package}.{module.name}")

    def _remove(self, module: str) -> dict[str, tuple[Entry, Any]]:
        """Remove the entries of a module, and return them with their definitions."""
        names = [name for name, one in self._definitions.items() if module_of(one) == module]
        return {name: (self._entries.pop(name), self._definitions.pop(name)) for name in names}


@contextmanager
def replacing_module(module: str) -> Iterator[None]:
    """Let a module define its entries again within a block; restore them if it fails."""
    before = [(one, one._remove(module)) for one in Registry._registries]
    try:
        yield
    except BaseException:
        for registry, removed in before:
            registry._remove(module)
            for name, (entry, definition) in removed.items():
                registry._entries[name], registry._definitions[name] = entry, definition
        raise


def _a(noun: str) -> str:
    """Return a noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _same_place(one: Any, other: Any) -> bool:
    return (module_of(one), name_of(one)) == (module_of(other), name_of(other))


class Configurable(Protocol):
    """An entry that has options."""

    @property
    def options(self) -> Options:
        """Options of the entry."""
        ...


ConfigurableEntry = TypeVar("ConfigurableEntry", bound=Configurable)


def resolve(
    registry: Registry[ConfigurableEntry], spec: str, given: Mapping[str, Any] | None = None
) -> tuple[ConfigurableEntry, dict[str, Any]]:
    """Return the entry and the options of ``name:option=value``, with those given beside it.

    Raises
    ------
    ParameterError
        If the name or an option is unknown, or an option is given twice.
    """
    name = split_spec(spec)[0] if isinstance(spec, str) else spec
    entry = registry.find(name)
    return entry, merge_options(spec, entry.options, given or {})


def hints(owner: str, keyword: str, known: Sequence[str]) -> tuple[str, str]:
    """Return which option is meant instead of one that an entry does not have.

    Parameters
    ----------
    owner
        Name of the entry.
    keyword, known
        Name of the option, and the names of those that the entry has.

    Returns
    -------
    tuple
        A question after an option of the entry, with a space behind, and a sentence on other
        entries of its kind that have the option, with a period in front; each may be empty.
    """
    name = owner.split(" ")[0]  # as in "opt with engine events"
    registry = next((one for one in Registry._registries if name in one._entries), None)
    of_algorithms = registry is not None and registry.what == "algorithm"
    option, of_front = LIMITS.get(keyword, ("", "")) if of_algorithms else ("", "")
    owners = {} if registry is None else registry._owners_of_options()
    if option in known:
        meant, other = f"did you mean {quoted(option)}? ", ""
    elif option or keyword in owners:
        meant, other = "", option or keyword
    else:
        meant = did_you_mean(keyword, known, quoted)
        other = "" if meant else similar_name(keyword, [*owners]) or ""
    sentences = []
    if other:
        names = owners[other]
        sentences.append(
            f"{named(other)} is an option of {', '.join(names)}, as in "
            f"{names[0]}:{other.replace('_', '-')}=…"
        )
    if of_front:
        sentences.append(
            "To choose among all algorithms by this limit: "
            + either(
                f"gossamer front FILE --{of_front.replace('_', '-')} N",
                f"gossamer.recommend(gossamer.front(interests), {of_front}=N)",
            )
        )
    return meant, "".join(f". {sentence}" for sentence in sentences)
