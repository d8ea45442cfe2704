"""The one list of studies.

A study is the value ``STUDY`` of a module of this package: one file a paper. The
command line, the ledger and the tests read this list.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from gossamer.model import ParameterError
from gossamer.studies.frame import Study

__all__ = ["find_study", "studies"]


@cache
def _discover() -> tuple[Study, ...]:
    package = importlib.import_module("gossamer.studies")
    found: dict[str, Study] = {}
    for module in pkgutil.iter_modules(package.__path__):
        study = getattr(importlib.import_module(f"gossamer.studies.{module.name}"), "STUDY", None)
        if isinstance(study, Study):
            assert study.name not in found, f"two studies are named {study.name}"
            found[study.name] = study
    return tuple(found.values())


def studies() -> dict[str, Study]:
    """Return every study by name, in alphabetical order."""
    return {study.name: study for study in sorted(_discover(), key=lambda study: study.name)}


def find_study(name: str) -> Study:
    """Return the study of that name, or say which there are."""
    found = studies()
    if name not in found:
        raise ParameterError(f"no study is named {name!r}; there are {', '.join(found)}")
    return found[name]
