"""Inventory of a paper: each sentence and each published value, numbered, with its verdict.

A figure that is repeated for several data sets has one claim for all of them: it is reproduced if
every computed one reproduces it. Where a row replaces another because a stated setting cannot be
right, a claim has a verdict as stated, and one with the changed setting.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gossamer.studies.comparison import (
    MIN_INSTANCES,
    Cell,
    FigureResult,
    StatementResult,
    Verdict,
)
from gossamer.studies.schema import ROMAN, Figure, Row, Study
from gossamer.studies.statement import Cause

_ORDER = ("Abstract", "§", "Algorithm", "Table", "Figure", "Appendix")


@dataclass(frozen=True)
class Claim:
    """A sentence or a published value of a paper.

    Attributes
    ----------
    place
        Section, figure or table of the paper.
    text
        The sentence, or the name of the value.
    verdict, changed
        Verdict with the settings as stated, and with those that were changed.
    setting
        The changed setting; empty if none was.
    outcomes
        Verdict on each data set by its title; one without a title for a single data set.
    paper, ours
        Published value, and ours with its half width; None for a sentence.
    causes
        Causes of a difference.
    reason
        Why the claim cannot be tested.
    """

    place: str
    text: str
    verdict: Verdict
    changed: Verdict
    setting: str = ""
    outcomes: Mapping[str, Verdict] = field(default_factory=dict)
    paper: float | None = None
    ours: tuple[float, float | None] | None = None
    causes: tuple[Cause, ...] = ()
    reason: str = ""

    @property
    def is_explained(self) -> bool:
        """Whether the claim is reproduced, or a tested cause or a list of attempts is given."""
        differs = Verdict.DIFFERS in (self.verdict, self.changed)
        return not differs or any(cause.is_tested for cause in self.causes)


def inventory(study: Study, results: Mapping[str, FigureResult]) -> tuple[Claim, ...]:
    """Return the claims of a paper, ordered by their places.

    Parameters
    ----------
    study
        Study with all figures.
    results
        Results of the figures that were run, by name.
    """
    sentences: dict[tuple[str, str, str], list[tuple[Figure, StatementResult | None]]] = {}
    values: dict[tuple[str, int, str], list[tuple[Figure, Row]]] = {}
    for figure in study.figures:
        base, result = figure.base or figure.name, results.get(figure.name)
        found = {} if result is None else {one.statement: one for one in result.statements}
        for statement in figure.statements:
            if not statement.ours:
                key = (base, statement.place or figure.place, statement.text)
                sentences.setdefault(key, []).append((figure, found.get(statement)))
        for number, row in enumerate(figure.rows):
            if not row.instead_of:
                for title in row.paper:
                    values.setdefault((base, number, title), []).append((figure, row))
    claims = [Claim(one.place, one.text, Verdict.UNTESTED, Verdict.UNTESTED, reason=one.reason)
              for one in study.untested]  # fmt: skip
    claims += [_sentence(place, text, found) for (_, place, text), found in sentences.items()]
    claims += [_value(title, found, results) for (_, _, title), found in values.items()]
    return tuple(sorted(claims, key=lambda claim: _place_key(claim.place)))


def counts(claims: Iterable[Claim], *, changed: bool = False) -> Counter[Verdict]:
    """Return the number of claims of each verdict, as stated or with changed settings."""
    return Counter(claim.changed if changed else claim.verdict for claim in claims)


def headline(claims: Sequence[Claim], *, too_few_runs: bool = False) -> str:
    """Return the counts of an inventory in words.

    ``too_few_runs`` says why claims have no verdict: fewer instances than one needs.
    """
    pending = "not computed yet"
    if too_few_runs:
        pending = f"with too few runs for a verdict: give --instances {MIN_INSTANCES} or more"
    found, other = counts(claims), counts(claims, changed=True)
    text = f"{found[Verdict.REPRODUCED]} of {len(claims)} claims of the paper are reproduced"
    settings = list(dict.fromkeys(claim.setting for claim in claims if claim.setting))
    if settings:
        text += f" as stated, {other[Verdict.REPRODUCED]} with {'; '.join(settings)}"
    rest = [
        f"{found[verdict]} {words}"
        for verdict, words in (
            (Verdict.DIFFERS, "differ" if found[Verdict.DIFFERS] != 1 else "differs"),
            (Verdict.UNTESTED, "cannot be tested here"),
            (Verdict.PENDING, pending),
        )
        if found[verdict]
    ]
    return "; ".join([text, *rest])


def _sentence(
    place: str, text: str, found: Sequence[tuple[Figure, StatementResult | None]]
) -> Claim:
    outcomes = {
        figure.variant if len(found) > 1 else "": Verdict.PENDING if one is None else one.verdict
        for figure, one in found
    }
    verdict = _combine(outcomes.values())
    causes = [
        cause
        for _, one in found
        if one is not None and one.verdict is Verdict.DIFFERS
        for cause in one.statement.causes
    ]
    return Claim(
        place, text, verdict, verdict, outcomes=outcomes, causes=tuple(dict.fromkeys(causes))
    )


def _value(
    title: str, found: Sequence[tuple[Figure, Row]], results: Mapping[str, FigureResult]
) -> Claim:
    """Return the claim of a published value, in all data sets."""
    stated: dict[str, Verdict] = {}
    other: list[Verdict] = []
    cells: list[Cell] = []
    settings: list[str] = []
    for figure, row in found:
        variant = figure.variant if len(found) > 1 else ""
        computed = results[figure.name].cells if figure.name in results else ()
        shown = {cell.row: cell for cell in computed if cell.column == title}
        replacing = [one for one in figure.rows if one.instead_of == row.label]
        settings += [one.setting for one in replacing]
        stated[variant] = shown[row.label].verdict if row.label in shown else Verdict.PENDING
        cells += [shown[one.label] for one in (row, *replacing) if one.label in shown]
        other += [
            shown[one.label].verdict if one.label in shown else Verdict.PENDING
            for one in replacing or [row]
        ]
    figure, row = found[0]
    label = row.label.partition(" (")[0] if settings else row.label
    ours = (cells[0].mean, cells[0].half_width) if cells else None
    return Claim(
        figure.place, f"{title}, {figure.row_title.lower()} {label}", _combine(stated.values()),
        _combine(other), "; ".join(dict.fromkeys(settings)), stated, row.paper[title], ours,
        tuple(dict.fromkeys(cause for cell in cells for cause in cell.causes)),
    )  # fmt: skip


def _combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on all data sets: that on the computed ones, which all must reproduce."""
    computed = set(verdicts) - {Verdict.PENDING}
    if not computed:
        return Verdict.PENDING
    return Verdict.DIFFERS if Verdict.DIFFERS in computed else Verdict.REPRODUCED


def _place_key(place: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Order places by kind, then by their numbers, arabic or roman."""
    kind = next((k for k, word in enumerate(_ORDER) if place.startswith(word)), len(_ORDER))
    parts = re.findall(r"\d+|[^\W\d]+", place)
    return kind, [
        (0, int(part), "") if part.isdigit()
        else (0, ROMAN[part.lower()], "") if part.isupper() and part.lower() in ROMAN
        else (1, 0, part)
        for part in parts
    ]  # fmt: skip
