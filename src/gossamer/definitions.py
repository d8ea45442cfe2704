"""Functions and classes that are registered: where they are defined, and whether they fit.

A mistake in one is a :class:`~gossamer.errors.PluginError` that names the function, its file and
its line.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import re
import sys
import traceback
import types
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from gossamer.errors import GossamerError, PluginError

NAMES = {
    "-": re.compile(r"[a-z0-9]+([-.][a-z0-9]+)*"),
    "_": re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*"),
}
"""Names of entries, by the character between their words."""
VARIADIC = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
PACKAGE = Path(__file__).parent
TYPED = ("<ipython", "<stdin")
"""Beginnings of the names of cells of notebooks and of typed code."""
PLUGIN_FILES: set[str] = set()
"""Files of the definitions that plug-ins have registered."""


def describe(definition: Any) -> str:
    """Return the name of a function or class, with its file and line if they are known.

    Examples
    --------
    >>> describe(len)
    'len'
    """
    name = name_of(definition)
    file, line = _file_and_line(definition)
    return name if not file else f"{name} ({place(file, line)})"


def name_of(definition: Any) -> str:
    """Return the name of a function or class; that of the function for ``functools.partial``."""
    plain = _plain(definition)
    return str(getattr(plain, "__name__", type(plain).__name__))


def is_own(definition: Any) -> bool:
    """Whether a function or class is one of gossamer."""
    return module_of(definition).partition(".")[0] == PACKAGE.name


def remember_plugin(definition: Any) -> None:
    """Remember the file of a definition as one of a plug-in."""
    PLUGIN_FILES.add(_file_and_line(definition)[0])


def is_of_plugin(definition: Any) -> bool:
    """Whether a function or class is in the file of a definition that a plug-in has registered."""
    return _file_and_line(definition)[0] in PLUGIN_FILES


def module_of(definition: Any) -> str:
    """Return the name of the module that defines a function or class."""
    return str(getattr(_plain(definition), "__module__", None) or "")


def place(file: str, line: int) -> str:
    """Return a file and line in words; a cell of a notebook has no name of its own."""
    if not Path(file).is_file():
        return f"line {line} of a notebook cell or of typed code" if line else file
    return f"{file}, line {line}" if line else file


def blame(definition: Any, says: str) -> NoReturn:
    """Raise the error of a definition that does not fit."""
    raise PluginError(f"{describe(definition)}: {says}")


def check_name(name: object, definition: Any, between: str = "-") -> str:
    """Return the name under which a definition is registered, or raise PluginError."""
    if not isinstance(name, str) or NAMES[between].fullmatch(name) is None:
        blame(
            definition,
            f"the name is {name!r}; expected a to z, 0 to 9, and {between!r} between "
            f"words, as in 'my{between}idea'",
        )
    return name


def check_decorated(name: object, kind: str, between: str = "-") -> None:
    """Raise if a decorator is used without parentheses: its first argument is a definition."""
    if callable(name):
        use = f"@gossamer.{kind}('my{between}idea')"
        blame(name, f"@gossamer.{kind} has no name; expected {use}")


def check_function(definition: Any, kind: str) -> None:
    """Raise unless a definition is a plain function, or another object that is called."""
    if isinstance(definition, type):
        blame(definition, f"is a class; expected a function for {kind}")
    if not callable(definition):
        raise PluginError(f"{definition!r} is no function; expected a function for {kind}")
    plain = _plain(definition)
    if inspect.iscoroutinefunction(plain) or inspect.isasyncgenfunction(plain):
        blame(definition, "is an async function; expected a plain one (def)")
    if inspect.isgeneratorfunction(plain):
        blame(definition, "is a generator (it has yield); expected a function that returns")


def check_class(definition: Any, kind: str, methods: Sequence[str]) -> None:
    """Raise unless a definition is a class with certain methods."""
    if not isinstance(definition, type):
        if callable(definition):
            blame(definition, f"is a function; expected a class for {kind}")
        raise PluginError(f"{definition!r} is no class; expected a class for {kind}")
    missing = [name for name in methods if not hasattr(definition, name)]
    if missing:
        blame(definition, f"has no {' and no '.join(missing)}; expected {', '.join(methods)}")


def named_parameters(
    definition: Callable[..., Any],
    *,
    positional: Sequence[str] = (),
    required: Collection[str] = (),
) -> list[inspect.Parameter]:
    """Return the parameters of a definition that are given by name.

    Parameters
    ----------
    definition
        Function or class.
    positional
        Names, for messages, of the arguments that are given by position; they come first.
    required
        Names that must be among the others.

    Raises
    ------
    PluginError
        If a parameter is missing, cannot be given by name, or stands for any number.
    """
    shape = f"{name_of(definition)}({', '.join([*positional, '*', *required, '…'])})"
    try:
        parameters = list(inspect.signature(definition).parameters.values())
    except (TypeError, ValueError):
        blame(definition, f"has no readable signature; expected {shape}")
    for one in parameters:
        if one.kind in VARIADIC:
            blame(definition, f"takes {VARIADIC[one.kind]}{one.name}; expected each option by name")
    count = len(positional)
    first = [one for one in parameters[:count] if one.kind is not one.KEYWORD_ONLY]
    if len(first) < count:
        blame(definition, f"does not take {positional[len(first)]}; expected {shape}")
    others = parameters[count:]
    for one in others:
        if one.kind is one.POSITIONAL_ONLY:
            blame(definition, f"{one.name} is positional-only; expected {shape}, without /")
    for name in required:
        if name not in {one.name for one in others}:
            blame(definition, f"takes no {name}; expected {shape}")
    return others


def type_of(definition: Any, parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter, whose annotation may be a text.

    Raises
    ------
    PluginError
        If there is none, or it cannot be evaluated.
    """
    annotation = parameter.annotation
    if annotation is parameter.empty:
        blame(
            definition,
            f"the option {parameter.name} has no type; expected bool, int, float, str or a "
            f"Literal of words, as in {parameter.name}: float = 1.0",
        )
    plain: Any = inspect.unwrap(_plain(definition))
    function = vars(plain).get("__init__") if isinstance(plain, type) else plain
    holder = types.SimpleNamespace(__annotations__={parameter.name: annotation})
    try:
        return get_type_hints(holder, globalns=_globals(function, plain))[parameter.name]
    except Exception as fault:
        blame(definition, f"the type of {parameter.name} is {annotation!r}, which fails: {fault}")


def describe_failure(fault: BaseException) -> str:
    """Return an error in one line, with the function, file and line of a plug-in that it is from.

    The text of an error that gossamer or a plug-in raises on purpose needs no place.
    """
    cause = " ".join(str(fault).split())
    if isinstance(fault, SyntaxError):
        return f"{fault.filename}, line {fault.lineno}: {fault.msg}"
    code = [(frame.f_code, line) for frame, line in traceback.walk_tb(fault.__traceback__)]
    own = [one for one in code if not _installed(one[0].co_filename)]
    said = f"{type(fault).__name__}: {cause}" if cause else type(fault).__name__
    if isinstance(fault, GossamerError):
        if isinstance(fault, PluginError) or not own or own[-1] is code[-1]:
            return cause
        said = cause
    places = own or [one for one in code if Path(one[0].co_filename).is_file()]
    if not places:
        return said
    last, line = places[-1]
    where, function = place(last.co_filename, line), last.co_qualname.split("<locals>.")[-1]
    return f"{where}: {said}" if function == "<module>" else f"{function} ({where}): {said}"


def is_from_plugin(fault: BaseException) -> bool:
    """Whether an error was raised in a function of a plug-in, or in what it called."""
    files = (frame.f_code.co_filename for frame, _ in traceback.walk_tb(fault.__traceback__))
    return any(file in PLUGIN_FILES for file in files)


def _globals(function: Any, definition: Any) -> dict[str, Any]:
    """Return the names that an annotation of a function or class may use."""
    module = sys.modules.get(module_of(definition))
    return getattr(function, "__globals__", None) or vars(module or builtins)


def _installed(file: str) -> bool:
    """Whether a file is of gossamer, of an installed package, or of Python."""
    if file in PLUGIN_FILES or file.startswith(TYPED):
        return False
    return (
        not Path(file).is_absolute()  # generated, or of a compiled library
        or Path(file).is_relative_to(PACKAGE)
        or "site-packages" in file
        or Path(file).is_relative_to(Path(functools.__file__).parent)
    )


def _plain(definition: Any) -> Any:
    while isinstance(definition, functools.partial):
        definition = definition.func
    return definition


def _file_and_line(definition: Any) -> tuple[str, int]:
    plain = inspect.unwrap(_plain(definition))
    if isinstance(plain, types.MethodType):
        plain = plain.__func__
    code = getattr(plain, "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    kind = plain if isinstance(plain, type) else type(plain)
    try:
        return inspect.getsourcefile(kind) or "", inspect.findsource(kind)[1] + 1
    except (OSError, TypeError):
        return "", 0
