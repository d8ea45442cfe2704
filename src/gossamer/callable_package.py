"""Packages that are called like their main function, as in ``gossamer.maintain(…)``.

Importing a package binds its name in the parent, which would hide a function of the same name. So
the package itself takes the call, and hands it to that function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """A package whose call is the call of its main function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__dict__["_main_function"])(*args, **kwargs)


def call_as(package: str, function: str) -> None:
    """Make the imported ``package`` callable as its attribute ``function``."""
    module = sys.modules[package]
    module.__dict__["_main_function"] = function
    module.__dict__["__wrapped__"] = getattr(module, function)  # its signature, for help
    module.__class__ = _CallablePackage
