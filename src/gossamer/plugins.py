"""Plug-ins: Python files and modules outside the package that register entries of their own.

A plug-in is a file or module whose functions and classes are decorated with
``gossamer.algorithm``, ``gossamer.protocol``, ``gossamer.workload``, ``gossamer.source`` or
``gossamer.strategy``. ``--plugin FILE`` loads one for a command. An installed package names its
plug-ins in the entry-point group ``gossamer.plugins``; they are loaded with the first registry.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from pathlib import Path
from types import ModuleType

from gossamer.definitions import describe_failure
from gossamer.errors import PluginError, PluginWarning

GROUP = "gossamer.plugins"

_loaded: dict[str, Path] = {}
"""File of each plug-in that was loaded from a file, by module name."""

_named: dict[str, None] = {}
"""Names of the plug-ins that were loaded by name, in order."""

_installed_found = False


def load_plugin(plugin: str | os.PathLike[str]) -> ModuleType:
    """Load a plug-in, which registers what it defines.

    Parameters
    ----------
    plugin
        Python file, or the name of a module that can be imported.

    Returns
    -------
    ModuleType
        The module. A file is a module of the name of the file, with _ for dots, and is run again at
        each call.

    Raises
    ------
    PluginError
        If there is no such file or module, or it fails; with its file and line.
    """
    text = os.fspath(plugin)
    if text.endswith(".py") or text.startswith(".") or os.sep in text or Path(text).is_file():
        return _load_file(Path(text))
    try:
        module = importlib.import_module(text)
    except ModuleNotFoundError as fault:
        if fault.name is None or not f"{text}.".startswith(f"{fault.name}."):
            raise PluginError(f"plug-in {text}: {describe_failure(fault)}") from None
        raise PluginError(
            f"no module is named {text!r}; expected an installed module or a file, as in "
            f"{text.replace('.', '/')}.py"
        ) from None
    except (Exception, SystemExit) as fault:
        raise PluginError(f"plug-in {text}: {describe_failure(fault)}") from None
    _named[text] = None
    return module


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        found = "is a folder" if path.is_dir() else "there is no such file"
        raise PluginError(f"{path}: {found}; expected a Python file of a plug-in")
    if path.suffix != ".py":
        raise PluginError(f"{path}: is no Python file; expected a name that ends in .py")
    path = path.resolve()
    name = path.stem.replace(".", "_")
    if name in sys.modules and name not in _loaded:
        used = getattr(sys.modules[name], "__file__", None)
        if used is None or Path(used).resolve() != path:
            raise PluginError(
                f"{path}: a module named {name!r} is in use already; give the file another name"
            )
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # a plug-in may import files beside it
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a name that ends in .py has a loader"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    from gossamer.registry import Registry, replacing_module  # which loads installed plug-ins

    before, known = sys.modules.get(name), Registry.definition_count()
    sys.modules[name] = module
    try:
        with replacing_module(name):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as fault:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        raise PluginError(describe_failure(fault)) from None
    if name not in _loaded and Registry.definition_count() == known:
        warnings.warn(
            f"{path}: registers nothing; expected a definition under @gossamer.algorithm('my-idea')"
            ", or another decorator",
            PluginWarning,
            stacklevel=3,
        )
    _loaded[name] = path
    return module


def load_installed_plugins() -> None:
    """Load the plug-ins of installed packages, once; one that fails is left out with a warning."""
    global _installed_found
    if _installed_found:
        return
    _installed_found = True
    import importlib.metadata

    for entry in importlib.metadata.entry_points(group=GROUP):
        try:
            entry.load()
        except (Exception, SystemExit) as fault:
            package = "" if entry.dist is None else f" of the package {entry.dist.name}"
            warnings.warn(
                f"the plug-in {entry.name!r}{package} is left out: {describe_failure(fault)}",
                PluginWarning,
                stacklevel=2,
            )


def options_to_load(module: str) -> list[str] | None:
    """Return the options with which a command loads a module of definitions; None if none does."""
    if module == "__main__":
        return None
    if module in _loaded:
        return ["--plugin", str(_loaded[module])]
    named = [name for name in _named if f"{module}.".startswith(f"{name}.")]
    return ["--plugin", named[0]] if named else []  # of gossamer, or of an installed package


def any_is_loaded() -> bool:
    """Whether a plug-in was loaded from a file or by name."""
    return bool(_loaded or _named)


def loaded_modules() -> list[ModuleType]:
    """Return the modules of plug-in files, and those of other files in their folders.

    Another process cannot import them, so their functions are sent to it whole.
    """
    folders = {str(path.parent) for path in _loaded.values()}
    return [
        module
        for module in list(sys.modules.values())
        if os.path.dirname(getattr(module, "__file__", None) or "") in folders
        and module.__name__ != "__main__"
    ]
