"""Result of a study: its figures, and the inventory of the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from gossamer.results import Result, Table, columns_of
from gossamer.studies.comparison import MIN_INSTANCES, Cell, FigureResult, Verdict, cells_table
from gossamer.studies.inventory import Claim, counts, headline, inventory
from gossamer.studies.schema import Study


@dataclass(frozen=True, repr=False)
class StudyResult(Result):
    """Results of the figures of a study that were run.

    Attributes
    ----------
    study
        The study as it was run.
    figures
        Results of the figures.
    outdated
        Number of stored results of older code, which were computed again.
    selected
        Names of the figures asked for; empty for all.
    left_out
        Names of the figures that were not run because their tables were not given.
    quick
        Whether this is a quick run.
    whole
        The study with all figures; None if that is ``study``.
    seconds
        Processor time of all runs.
    """

    BRIEF: ClassVar = ("study", "values", "claims", "reproduced", "differing")

    study: Study
    figures: tuple[FigureResult, ...]
    outdated: int = field(default=0, compare=False)
    selected: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    quick: bool = False
    whole: Study | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of all figures."""
        return tuple(cell for result in self.figures for cell in result.cells)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Claims of the paper with their verdicts; of the selected figures, if some were."""
        whole = self.study if self.whole is None else self.whole
        if self.selected:
            whole = replace(self.study, untested=())
        return inventory(whole, {one.figure.name: one for one in self.figures})

    @property
    def instances(self) -> tuple[int, int]:
        """Smallest and largest number of instances behind a value."""
        found = [cell.instances for cell in self.cells] or [0]
        return min(found), max(found)

    @property
    def agreement(self) -> str:
        """Counts of the inventory in words; of a quick run, how many statements hold."""
        if not self.quick:
            return headline(self.claims, too_few_runs=0 < self.instances[1] < MIN_INSTANCES)
        outcomes = [one.holds for result in self.figures for one in result.statements]
        return (
            f"{sum(map(bool, outcomes))} of {len(outcomes)} statements hold at the size of a quick "
            "run, on which no verdict rests"
        )

    def summary(self) -> dict[str, Any]:
        """Return the numbers of values and claims by name."""
        found, other = counts(self.claims), counts(self.claims, changed=True)
        summary: dict[str, Any] = {
            "study": self.study.name,
            "values": len(self.cells),
            "claims": len(self.claims),
            "reproduced": found[Verdict.REPRODUCED],
            "differing": found[Verdict.DIFFERS],
            "untested": found[Verdict.UNTESTED],
            "pending": found[Verdict.PENDING],
            "seconds": round(self.seconds, 2),
        }
        if any(claim.setting for claim in self.claims):
            summary["reproduced_with_changes"] = other[Verdict.REPRODUCED]
        return summary

    def _tables(self) -> Mapping[str, Table]:
        return {"cells": lambda: cells_table(self.cells), "claims": self._claims}

    def _claims(self) -> dict[str, list[Any]]:
        names = ("number", "place", "text", "paper", "ours", "half_width", "verdict", "changed")
        rows = [
            {
                "number": number,
                "place": one.place,
                "text": one.text,
                "paper": one.paper,
                "ours": None if one.ours is None else one.ours[0],
                "half_width": None if one.ours is None else one.ours[1],
                "verdict": one.verdict.value,
                "changed": one.changed.value,
            }
            for number, one in enumerate(self.claims, start=1)
        ]
        return columns_of(rows, list(names))

    @property
    def remarks(self) -> list[str]:
        """Results computed again, figures left out, and the agreement, each in a sentence."""
        lines = []
        if self.outdated:
            are, were = ("result is", "was") if self.outdated == 1 else ("results are", "were")
            lines.append(
                f"{self.outdated:,} stored {are} of another version of the code and {were} "
                "computed again"
            )
        if self.left_out:
            lines.append(f"left out, because they need --data: {', '.join(self.left_out)}")
        return [*lines, self.agreement]
