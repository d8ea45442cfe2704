"""Statements: sentences of a paper about a figure, each with a check of our means."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gossamer.errors import StudyError

Seen = Mapping[str, Mapping[str, float]]
"""Means of our runs: by column title, then by row label, in the order of the rows."""


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper about a figure.

    Attributes
    ----------
    text
        Quotation, or its sense in brackets.
    holds
        Check of the means of our runs.
    reason
        Explanation for a statement that does not hold.
    """

    text: str
    holds: Callable[[Seen], bool]
    reason: str = ""

    def evaluate(self, seen: Seen) -> bool:
        """Return whether the statement holds.

        Raises
        ------
        StudyError
            If the check names a missing column, or reads a missing value or none at all.
        """
        read: list[float] = []
        columns = _Columns({title: _Values(line, read) for title, line in seen.items()})
        try:
            held = self.holds(columns)
        except (LookupError, ValueError):  # a missing row; the minimum of no values
            read.clear()
        if not read:
            raise StudyError(f"no values to evaluate this statement with: {self.text}")
        return held


class _Values(UserDict[str, float]):
    """Means of one column; records the values that a check reads."""

    def __init__(self, values: Mapping[str, float], read: list[float]) -> None:
        super().__init__(values)
        self.read = read

    def __getitem__(self, label: str) -> float:
        value = super().__getitem__(label)
        self.read.append(value)
        return value


class _Columns(UserDict[str, "_Values"]):
    """All columns of a figure; a missing column is an error."""

    def __missing__(self, title: str) -> _Values:
        raise StudyError(f"there is no column {title!r}; there are {', '.join(self)}")

    def get(self, title: str, default: object = None) -> _Values:
        return self[title]
