"""The one list of studies.

A module of this package adds its study to the catalogue: one file a paper. The command
line, the ledger and the tests read this list.
"""

from __future__ import annotations

from gossamer.model.catalogue import Catalogue
from gossamer.studies.frame import Study

__all__ = ["add_study", "find_study", "studies"]

CATALOGUE: Catalogue[Study] = Catalogue("study", "gossamer.studies")


def add_study(study: Study) -> Study:
    """Put a study on the list."""
    CATALOGUE.add(study.name, study)
    return study


def studies() -> dict[str, Study]:
    """Return every study by name, in alphabetical order."""
    return CATALOGUE.all()


def find_study(name: str) -> Study:
    """Return the study of that name, or say which there are."""
    return CATALOGUE.find(name)
