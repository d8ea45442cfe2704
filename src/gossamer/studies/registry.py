"""The one list of studies.

A module of this package adds its study to the catalogue: one file a paper. The command
line, the reproduction report and the tests read this list.
"""

from __future__ import annotations

from gossamer.registry import Registry
from gossamer.studies.schema import Study

__all__ = ["add_study", "find_study", "studies"]

REGISTRY: Registry[Study] = Registry("study", "gossamer.studies")


def add_study(study: Study) -> Study:
    """Put a study on the list."""
    REGISTRY.add(study.name, study)
    return study


def studies() -> dict[str, Study]:
    """Return every study by name, in alphabetical order."""
    return REGISTRY.all()


def find_study(name: str) -> Study:
    """Return the study of that name, or say which there are."""
    return REGISTRY.find(name)
