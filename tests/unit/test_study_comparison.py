"""Comparison with published values: cells, verdicts, counts, and what a summary says."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gossamer.errors import StudyError
from gossamer.studies import Column, Figure, Row, StudyResult, Verdict, reproduce
from gossamer.studies.comparison import FigureResult, compare_figure
from gossamer.studies.schema import Explanation, Measurements, Parameters, Point, Study
from gossamer.studies.statement import Seen, Statement


def says(text: str, title: str, least: float) -> Statement:
    def holds(seen: Seen) -> bool:
        return all(value >= least for value in dict(seen.get(title, {})).values())

    return Statement(text, holds)


def row(
    label: str, points: dict[str, str], paper: dict[str, float] | None = None, **more: bool
) -> Row:
    """Return a row whose points are given by name."""
    return Row(label, {key: Point(name, {}) for key, name in points.items()}, paper or {}, **more)


RUNS: dict[str, list[Measurements]] = {
    "p": [{"m": 1.0, "k": -4.0}, {"m": 3.0, "k": -6.0}],
    "q": [{"m": 0.0, "k": 7.0}],
}


def figure(*rows: Row, columns: tuple[Column, ...] = (), **more: object) -> Figure:
    shown = columns or (Column("M", "m", 0.1), Column("K", "k", 0.1))
    return Figure("table-1", "T", "Row", shown, rows, **more)  # type: ignore[arg-type]


def test_a_statement_is_given_the_means_of_each_column() -> None:
    both = figure(
        row("one", {"": "p"}),
        row("two", {"": "q"}),
        statements=(says("all at least 0", "M", 0.0), says("all at least 1", "M", 1.0)),
    )
    held = compare_figure(both, RUNS).statements
    assert [(statement.text, so) for statement, so in held] == [
        ("all at least 0", True),
        ("all at least 1", False),
    ]
    means: list[Seen] = []

    def keep(seen: Seen) -> bool:
        means.append({title: dict(line) for title, line in seen.items()})
        return True

    compare_figure(figure(row("one", {"": "p"}), statements=(Statement("", keep),)), RUNS)
    assert means == [{"M": {"one": 2.0}, "K": {"one": -5.0}}]


def test_a_statement_about_a_missing_column_or_without_values_is_an_error() -> None:
    with pytest.raises(StudyError, match=r"there is no column 'N'; there are M, K"):
        compare_figure(figure(row("one", {"": "p"}), statements=(says("s", "N", 0.0),)), RUNS)
    with pytest.raises(StudyError, match="no values to evaluate this statement with: s"):
        compare_figure(figure(statements=(says("s", "M", 0.0),)), RUNS)
    bare = compare_figure(figure(statements=(says("s", "M", 0.0),)), RUNS, quick=True)
    assert bare.statements == (), "a first look leaves out what it has no rows for"


@pytest.mark.parametrize(
    ("ours", "paper", "difference", "agrees"),
    [
        (11.0, 10.0, 0.1, True),
        (9.0, 10.0, -0.1, True),
        (11.5, 10.0, 0.15, False),
        (8.5, 10.0, -0.15, False),
        (-9.0, -10.0, 0.1, True),
        (-12.0, -10.0, -0.2, False),
        (10.0, -10.0, 2.0, False),
        (0.0, 0.0, 0.0, True),
        (2.0, 0.0, math.inf, False),
        (-2.0, 0.0, -math.inf, False),
        (0.0, 5.0, -1.0, False),
    ],
)
def test_difference_is_relative_to_the_paper_with_sign(
    ours: float, paper: float, difference: float, agrees: bool
) -> None:
    one = row("one", {"": "p"}, {"M": paper})
    (cell,) = compare_figure(
        figure(one, columns=(Column("M", "m", 0.100001),)), {"p": [{"m": ours}]}
    ).cells
    assert cell.difference == pytest.approx(difference)
    assert cell.verdict is (Verdict.AGREES if agrees else Verdict.DIFFERS)
    assert cell.paper == paper
    assert cell.tolerance == 0.100001


def test_a_difference_equal_to_the_tolerance_agrees() -> None:
    one = row("one", {"": "p"}, {"M": 2.0})
    (cell,) = compare_figure(
        figure(one, columns=(Column("M", "m", 0.5),)), {"p": [{"m": 3.0}]}
    ).cells
    assert cell.verdict is Verdict.AGREES


def measured(*outcomes: Verdict, counted: bool = True) -> FigureResult:
    """Return a figure or table with one cell of each of these verdicts."""
    paper = {Verdict.AGREES: {"M": 1.0}, Verdict.DIFFERS: {"M": 9.0}, Verdict.OURS_ONLY: {}}
    rows = [
        row(str(place), {"": "p"}, paper[verdict], counted=counted)
        for place, verdict in enumerate(outcomes)
    ]
    columns = (Column("M", "m", 0.1),)
    return compare_figure(figure(*rows, columns=columns), {"p": [{"m": 1.0}]})


def study_of(*results: FigureResult) -> StudyResult:
    def run(parameters: Parameters, seed: int) -> Measurements:
        raise AssertionError

    study = Study("s", "S", "R", (), run)
    return StudyResult(study, 1, results)


A, D, O = Verdict.AGREES, Verdict.DIFFERS, Verdict.OURS_ONLY  # noqa: E741


def test_agreement_counts_agreeing_differing_and_own_cells_apart() -> None:
    result = measured(A, A, A, D, D, O)
    assert [result.count(verdict) for verdict in (A, D, O)] == [3, 2, 1]
    study = study_of(result, measured(D, O, O))
    assert [study.count(verdict) for verdict in (A, D, O)] == [3, 3, 3]
    assert study.agreement == "3 of 6 published values agree within tolerance"
    assert len(study.cells) == 9
    assert study_of(measured(A, O)).agreement == "1 of 1 published value agrees within tolerance"


def test_rows_that_are_not_counted_enter_no_count() -> None:
    again = measured(A, D, D, counted=False)
    assert [cell.counted for cell in again.cells] == [False] * 3
    assert [again.count(verdict) for verdict in (A, D, O)] == [0, 0, 0]
    assert study_of(measured(A, D), again).agreement == (
        "1 of 2 published values agree within tolerance"
    )


def test_agreement_says_how_many_statements_hold() -> None:
    statements = (says("yes", "M", 0.0), says("yes", "M", 0.5), says("no", "M", 5.0))
    stated = compare_figure(figure(row("one", {"": "p"}), statements=statements), RUNS)
    assert study_of(stated).agreement == "2 of 3 statements hold"
    assert study_of(measured(A), stated).agreement == (
        "1 of 1 published value agrees within tolerance; 2 of 3 statements hold"
    )
    assert study_of(measured(O)).agreement == "0 of 0 published values agree within tolerance"


def test_a_cell_is_summed_up_over_its_instances() -> None:
    (cell,) = compare_figure(
        figure(row("one", {"": "p"}), columns=(Column("M", "m"),)),
        {"p": [{"m": 1.0}, {"m": 2.0}, {"m": 6.0}]},
    ).cells
    assert (cell.mean, cell.minimum, cell.maximum, cell.instances) == (3.0, 1.0, 6.0, 3)
    assert cell.spread == pytest.approx(math.sqrt(7.0))
    assert (cell.paper, cell.tolerance, cell.difference) == (None, None, None)
    assert (cell.verdict, cell.reason) == (O, "")
    (single,) = compare_figure(
        figure(row("one", {"": "p"}), columns=(Column("M", "m"),)), {"p": [{"m": 5.0}]}
    ).cells
    assert (single.mean, single.spread, single.instances) == (5.0, 0.0, 1)
    (pair,) = compare_figure(
        figure(row("one", {"": "p"}), columns=(Column("M", "m"),)), {"p": [{"m": 1.0}, {"m": 3.0}]}
    ).cells
    assert pair.spread == pytest.approx(math.sqrt(2.0))


def test_columns_of_a_series_and_measures_by_row_find_their_values() -> None:
    columns = (Column("A", "m/*", series="a"), Column("B", "m/*", series="b"))
    rows = (row("1", {"a": "p", "b": "q"}), row("2", {"b": "q"}))
    result = compare_figure(
        figure(*rows, columns=columns), {"p": [{"m/1": 5.0}], "q": [{"m/2": 7.0}]}
    )
    assert [(cell.row, cell.column, cell.mean) for cell in result.cells] == [
        ("1", "A", 5.0),
        ("1", "B", 0.0),
        ("2", "B", 7.0),
    ]
    assert [cell.column for cell in result.row("1")] == ["A", "B"]
    assert [cell.column for cell in result.row("2")] == ["B"]
    with pytest.raises(KeyError):
        compare_figure(
            figure(row("1", {"": "p"}), columns=(Column("M", "m"),)), {"p": [{"n": 1.0}]}
        )


def test_the_reason_of_a_difference_is_the_first_explanation_that_covers_it() -> None:
    whole = figure(
        row("one", {"": "p"}, {"M": 9.0, "K": 9.0}),
        row("two", {"": "p"}, {"M": 9.0, "K": -5.0}),
        explanations=(
            Explanation("row and measure", rows=("one",), measures=("m",)),
            Explanation("row", rows=("one",)),
            Explanation("measure", measures=("m",)),
        ),
    )
    cells = compare_figure(whole, RUNS).cells
    assert [cell.reason for cell in cells] == ["row and measure", "row", "measure", ""]
    assert cells[3].verdict is A
    (bare,) = compare_figure(
        figure(row("one", {"": "p"}, {"M": 9.0}), columns=(Column("M", "m", 0.1),)), RUNS
    ).cells
    assert (bare.verdict, bare.reason) == (D, "")


def test_a_quick_study_leaves_out_statements_about_rows_it_does_not_run() -> None:
    def run(parameters: Parameters, seed: int) -> Measurements:
        return {"m": 1.0}

    columns = (Column("small", "m", series="s"), Column("large", "m", series="l"))
    rows = (row("1", {"s": "p"}), row("2", {"l": "q"}, quick=False))
    statements = (says("of small", "small", 0.5), says("of large", "large", 0.5))
    whole = figure(*rows, columns=columns, statements=statements)
    study = Study("s", "S", "R", (whole,), run)
    assert reproduce(study).agreement == "2 of 2 statements hold"
    assert reproduce(study, quick=True).agreement == "1 of 1 statements hold"


def test_summary_has_a_sentence_for_results_computed_again_and_figures_left_out() -> None:
    plain = study_of(measured(A))
    agreement = "1 of 1 published value agrees within tolerance"
    assert plain.remarks == [agreement]
    again = "of another version of the code and"
    assert replace(plain, outdated=1).remarks == [
        f"1 stored result is {again} was computed again",
        agreement,
    ]
    assert replace(plain, outdated=2000, left_out=("figure-1", "figure-2")).remarks == [
        f"2,000 stored results are {again} were computed again",
        "left out, because they need --data: figure-1, figure-2",
        agreement,
    ]


def test_results_computed_again_leave_results_equal() -> None:
    figures = (measured(A),)
    one = study_of(*figures)
    assert replace(one, outdated=3) == one
    assert replace(one, instances=2) != one
    assert study_of().outdated == 0
    assert study_of().quick is False


def test_results_have_tables_of_cells_and_statements() -> None:
    rows = (row("one", {"": "p"}, {"M": 9.0}), row("two", {"": "q"}))
    statements = (says("at least 0", "M", 0.0), says("at least 1", "M", 1.0))
    found = compare_figure(figure(*rows, statements=statements), RUNS)
    cells = found.to_arrow("cells").to_pylist()
    assert [(cell["row"], cell["column"], cell["mean"]) for cell in cells] == [
        ("one", "M", 2.0),
        ("one", "K", -5.0),
        ("two", "M", 0.0),
        ("two", "K", 7.0),
    ]
    assert cells[0]["paper"] == 9.0
    assert cells[0]["verdict"] == "differs"
    assert found.to_arrow("statements").to_pydict() == {
        "text": ["at least 0", "at least 1"],
        "holds": [True, False],
    }
    assert found.record() == {
        "figure": "table-1",
        "values": 4,
        "agreeing": 0,
        "differing": 1,
        "title": "T",
        "cells": cells,
        "statements": found.to_arrow("statements").to_pylist(),
    }
    both = study_of(found, measured(A))
    assert both.summary() == {
        "study": "s",
        "instances": 1,
        "values": 5,
        "agreeing": 1,
        "differing": 1,
    }
    assert both.to_arrow("cells").slice(0, 4).to_pylist() == cells
    assert both.to_arrow("cells").num_rows == 5
