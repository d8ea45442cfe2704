"""Statements: sentences of a paper about a figure, each with a check of our values."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gossamer.errors import StudyError

NOT_FOUND = "cause not found, tried:"
"""First words of a cause that no experiment has confirmed."""


class InstanceMean(float):
    """Mean over instances, with the value of each instance.

    Attributes
    ----------
    runs
        Value of each instance, in their order.
    decides
        Whether a verdict may rest on it: at least three instances, all of the present code.
    """

    runs: tuple[float, ...]
    decides: bool

    def __new__(cls, mean: float, runs: Sequence[float] = (), decides: bool = True) -> InstanceMean:
        """Make an observation; a single instance has the mean as its value."""
        made = super().__new__(cls, mean)
        made.runs = tuple(runs) or (float(mean),)
        made.decides = decides
        return made


Seen = Mapping[str, Mapping[str, float]]
"""Our values: by column title, then by row label, in the order of the rows. Those of a reproduction
are :class:`InstanceMean`."""


def runs_of(value: float) -> tuple[float, ...]:
    """Return the values of the instances behind a mean."""
    return value.runs if isinstance(value, InstanceMean) else (value,)


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cause of a difference in some rows and measures; in all, where none are listed.

    Attributes
    ----------
    text
        The cause, or :data:`NOT_FOUND` and the hypotheses that were tested.
    shown_by
        Names of the figures of the study that show it.
    rows, measures
        Labels and measurements of the cells; not for statements.
    """

    text: str
    shown_by: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    def covers(self, row: str, measure: str) -> bool:
        """Whether the cause applies to this cell."""
        return (not self.rows or row in self.rows) and (
            not self.measures or measure in self.measures
        )

    @property
    def is_tested(self) -> bool:
        """Whether a figure shows the cause, or the text lists what was tried."""
        return bool(self.shown_by) or self.text.strip().lower().startswith(NOT_FOUND)


class Evaluation(NamedTuple):
    """Whether a statement holds, and whether its values allow a verdict."""

    holds: bool
    decides: bool


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper about a figure.

    Attributes
    ----------
    text
        Quotation, or its sense in brackets.
    holds
        Check of our values.
    causes
        Causes, for a statement that does not hold.
    place
        Place in the paper, if not the figure's: ``Abstract``, ``§IV-B``.
    ours
        Whether the sentence is ours, and not the paper's.
    """

    text: str
    holds: Callable[[Seen], bool]
    causes: tuple[Cause, ...] = ()
    place: str = ""
    ours: bool = False

    def evaluate(self, seen: Seen) -> bool:
        """Return whether the statement holds."""
        return self.outcome(seen).holds

    def outcome(self, seen: Seen, incomplete: Collection[str] = ()) -> Evaluation:
        """Return whether the statement holds, and whether a verdict may rest on the values.

        Parameters
        ----------
        seen
            Our values.
        incomplete
            Titles of the columns that lack the values of some rows.

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
        whole = columns.used.isdisjoint(incomplete)
        decides = all(one.decides for one in read if isinstance(one, InstanceMean))
        return Evaluation(held, whole and decides)


class _Values(UserDict[str, float]):
    """Values of one column; records those that a check reads."""

    def __init__(self, values: Mapping[str, float], read: list[float]) -> None:
        super().__init__(values)
        self.read = read

    def __getitem__(self, label: str) -> float:
        value = super().__getitem__(label)
        self.read.append(value)
        return value


class _Columns(UserDict[str, "_Values"]):
    """All columns of a figure; a missing column is an error. Records those that are used."""

    def __init__(self, columns: Mapping[str, _Values]) -> None:
        self.used: set[str] = set()
        super().__init__(columns)

    def __getitem__(self, title: str) -> _Values:
        self.used.add(title)
        return super().__getitem__(title)

    def __missing__(self, title: str) -> _Values:
        raise StudyError(f"there is no column {title!r}; there are {', '.join(self)}")

    def get(self, title: str, default: object = None) -> _Values:
        return self[title]
