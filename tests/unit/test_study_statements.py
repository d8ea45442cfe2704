"""Statements of the studies, evaluated on made-up rows."""

from __future__ import annotations

from random import Random

import pytest

from gossamer.errors import StudyError
from gossamer.studies import Figure, find_study, studies

SCALES = (0.0, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1500.0)
RARE = (348, 456, 484, 608, 615, 937, 2673, 4289, 11744, 12299)
"""Seeds of rows on which statements have outcomes that others rarely give; they are tried first."""


def made_up(figure: Figure, random: Random) -> dict[str, dict[str, float]]:
    """Return rows in which columns are constant, rise, fall or scatter, on various scales."""
    seen: dict[str, dict[str, float]] = {}
    common, alike = random.choice(SCALES), random.random()
    common_shape = random.randrange(6)
    for column in figure.columns:
        labels = [row.label for row in figure.rows if row.point_of(column)]
        scale = random.choice(SCALES) if random.random() < alike else common
        shape = random.randrange(6) if random.random() < alike else common_shape
        seen[column.title] = {
            label: scale
            * (
                1.0,
                1.0 + 0.1 * place,
                1.0 - place / len(labels),
                random.random(),
                0.99 + 0.02 * random.random(),
                2.0**place,
            )[shape]
            for place, label in enumerate(labels)
        }
    return seen


@pytest.mark.parametrize("name", list(studies()))
def test_every_statement_holds_on_some_rows_and_fails_on_others(name: str) -> None:
    for figure in find_study(name).figures:
        outcomes: list[set[bool]] = [set() for _ in figure.statements]
        for seed in (*RARE, *range(20_000)):
            if all(len(both) == 2 for both in outcomes):
                break
            seen = made_up(figure, Random(seed))
            for statement, both in zip(figure.statements, outcomes, strict=True):
                if len(both) < 2:
                    try:
                        both.add(statement.evaluate(seen))
                    except ZeroDivisionError:  # a ratio to a made-up 0
                        continue
        for statement, both in zip(figure.statements, outcomes, strict=True):
            assert both == {True, False}, (figure.name, statement.text)


@pytest.mark.parametrize("name", list(studies()))
def test_every_statement_without_rows_is_an_error(name: str) -> None:
    for figure in find_study(name).figures:
        for seen in ({}, {column.title: dict[str, float]() for column in figure.columns}):
            for statement in figure.statements:
                with pytest.raises(StudyError):
                    statement.evaluate(seen)
