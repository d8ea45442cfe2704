"""Comparison with published values: cells, verdicts, counts, and what a summary says."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gossamer.errors import StudyError
from gossamer.studies import (
    Cause,
    Cell,
    Column,
    Figure,
    Reading,
    Row,
    Runs,
    Statement,
    StudyResult,
    Verdict,
    reproduce,
)
from gossamer.studies.comparison import FigureResult, compare_figure
from gossamer.studies.schema import Measurements, Parameters, Point, Study
from gossamer.studies.statement import Seen


def says(text: str, title: str, least: float) -> Statement:
    def holds(seen: Seen) -> bool:
        return all(value >= least for value in dict(seen.get(title, {})).values())

    return Statement(text, holds)


def row(
    label: str, points: dict[str, str], paper: dict[str, float] | None = None, **more: str | bool
) -> Row:
    """Return a row whose points are given by name."""
    return Row(label, {key: Point(name, {}) for key, name in points.items()}, paper or {}, **more)  # type: ignore[arg-type]


RUNS = {
    "p": Runs([{"m": 1.0, "k": -4.0}, {"m": 2.0, "k": -5.0}, {"m": 3.0, "k": -6.0}]),
    "q": Runs([{"m": 0.0, "k": 7.0}] * 3),
}


def same(**measurements: float) -> Runs:
    """Return three instances with the same measurements."""
    return Runs([measurements] * 3)


def figure(*rows: Row, columns: tuple[Column, ...] = (), **more: object) -> Figure:
    shown = columns or (Column("M", "m", Reading(0.1)), Column("K", "k", Reading(0.1)))
    return Figure("table-1", "T", "Row", shown, rows, **more)  # type: ignore[arg-type]


def test_a_statement_is_given_the_means_of_each_column() -> None:
    both = figure(
        row("one", {"": "p"}),
        row("two", {"": "q"}),
        statements=(says("all at least 0", "M", 0.0), says("all at least 1", "M", 1.0)),
    )
    held = compare_figure(both, RUNS).statements
    assert [(one.statement.text, one.holds) for one in held] == [
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
    columns = (Column("M", "m", Reading(0.100001)),)
    (cell,) = compare_figure(figure(one, columns=columns), {"p": same(m=ours)}).cells
    assert cell.difference == pytest.approx(difference)
    assert cell.verdict is (Verdict.REPRODUCED if agrees else Verdict.DIFFERS)
    assert cell.paper == paper


@pytest.mark.parametrize(
    ("reading", "values", "verdict"),
    [
        (Reading(0.5), [3.0, 3.0, 3.0], Verdict.REPRODUCED),
        (Reading(0.49), [3.0, 3.0, 3.0], Verdict.DIFFERS),
        (Reading(0.49), [2.9, 3.0, 3.1], Verdict.REPRODUCED),
        (Reading(1.0, relative=False), [3.0, 3.0, 3.0], Verdict.REPRODUCED),
        (Reading(0.5, relative=False), [3.0, 3.0, 3.0], Verdict.DIFFERS),
        (Reading(0.5, relative=False), [1.0, 3.0, 5.0], Verdict.REPRODUCED),
        (Reading(0.5, relative=False), [0.0, 1.0, 2.0], Verdict.REPRODUCED),
        (Reading(0.5, relative=False), [1.0, 1.1, 0.9], Verdict.DIFFERS),
        (Reading(0.5), [3.0, 3.0], Verdict.PENDING),
    ],
)
def test_value_differs_if_the_interval_does_not_reach_what_it_stands_for(
    reading: Reading, values: list[float], verdict: Verdict
) -> None:
    one = row("one", {"": "p"}, {"M": 2.0})
    shown = figure(one, columns=(Column("M", "m", reading),))
    (cell,) = compare_figure(shown, {"p": Runs([{"m": value} for value in values])}).cells
    assert cell.verdict is verdict


def test_no_verdict_rests_on_older_code_or_on_missing_rows() -> None:
    statements = (says("of M", "M", 0.0), says("of K", "K", -9.0))
    columns = (Column("M", "m", Reading(9)), Column("K", "k", rows=("one",)))
    shown = figure(
        row("one", {"": "p"}, {"M": 2.0}), row("two", {"": "q"}), columns=columns,
        statements=statements,
    )  # fmt: skip
    older = {**RUNS, "p": RUNS["p"]._replace(is_current=False)}
    result = compare_figure(shown, older)
    assert [cell.verdict for cell in result.cells] == [Verdict.PENDING, O, O]
    assert [cell.is_current for cell in result.cells] == [False, False, True]
    assert [one.verdict for one in result.statements] == [Verdict.PENDING] * 2
    assert [one.holds for one in result.statements] == [True] * 2
    partly = compare_figure(shown, {"p": RUNS["p"]})
    assert len(partly.cells) == 2
    assert [one.verdict for one in partly.statements] == [Verdict.PENDING, Verdict.REPRODUCED]
    nothing = compare_figure(shown, {})
    assert [one.holds for one in nothing.statements] == [None, None]


def measured(*outcomes: Verdict, name: str = "table-1") -> FigureResult:
    """Return a figure or table with one cell of each of these verdicts."""
    paper = {Verdict.REPRODUCED: {"M": 1.0}, Verdict.DIFFERS: {"M": 9.0}, Verdict.OURS_ONLY: {}}
    rows = [row(str(place), {"": "p"}, paper[verdict]) for place, verdict in enumerate(outcomes)]
    columns = (Column("M", "m", Reading(0.1)),)
    return compare_figure(replace(figure(*rows, columns=columns), name=name), {"p": same(m=1.0)})


def study_of(*results: FigureResult) -> StudyResult:
    def run(parameters: Parameters, seed: int) -> Measurements:
        raise AssertionError

    study = Study("s", "S", "R", tuple(one.figure for one in results), run)
    return StudyResult(study, results)


A, D, O = Verdict.REPRODUCED, Verdict.DIFFERS, Verdict.OURS_ONLY  # noqa: E741


def test_counts_separate_reproduced_differing_and_own_cells() -> None:
    result = measured(A, A, A, D, D, O)
    assert [result.count(verdict) for verdict in (A, D, O)] == [3, 2, 1]
    study = study_of(result, measured(D, O, O, name="table-2"))
    assert study.agreement == "3 of 6 claims of the paper are reproduced; 3 differ"
    assert len(study.cells) == 9
    assert study_of(measured(A, O)).agreement == "1 of 1 claims of the paper are reproduced"


def test_statements_are_claims_of_the_paper_unless_they_are_ours() -> None:
    statements = (
        says("yes", "M", 0.0),
        says("yes, too", "M", 0.5),
        says("no", "M", 5.0),
        replace(says("(Ours) no", "M", 5.0), ours=True),
    )
    rows = (row("one", {"": "p"}),)
    stated = compare_figure(figure(*rows, statements=statements), RUNS)
    assert study_of(stated).agreement == "2 of 3 claims of the paper are reproduced; 1 differs"
    assert study_of(measured(O)).agreement == "0 of 0 claims of the paper are reproduced"


def test_a_cell_is_summed_up_over_its_instances() -> None:
    def cell_of(*values: float) -> Cell:
        shown = figure(row("one", {"": "p"}), columns=(Column("M", "m"),))
        (cell,) = compare_figure(shown, {"p": Runs([{"m": value} for value in values])}).cells
        return cell

    cell = cell_of(1.0, 2.0, 6.0)
    assert (cell.mean, cell.minimum, cell.maximum, cell.instances) == (3.0, 1.0, 6.0, 3)
    assert cell.half_width == pytest.approx(4.3027 * math.sqrt(7.0 / 3), rel=1e-4)
    assert (cell.paper, cell.difference) == (None, None)
    assert (cell.verdict, cell.causes) == (O, ())
    single = cell_of(5.0)
    assert (single.mean, single.half_width, single.instances) == (5.0, None, 1)


def test_columns_of_a_series_and_measures_by_row_find_their_values() -> None:
    columns = (Column("A", "m/*", series="a"), Column("B", "m/*", series="b"))
    rows = (row("1", {"a": "p", "b": "q"}), row("2", {"b": "q"}))
    result = compare_figure(
        figure(*rows, columns=columns), {"p": Runs([{"m/1": 5.0}]), "q": Runs([{"m/2": 7.0}])}
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
            figure(row("1", {"": "p"}), columns=(Column("M", "m"),)), {"p": Runs([{"n": 1.0}])}
        )


def test_a_difference_has_the_causes_that_cover_it() -> None:
    whole = figure(
        row("one", {"": "p"}, {"M": 9.0, "K": 9.0}),
        row("two", {"": "p"}, {"M": 9.0, "K": -5.0}),
        causes=(
            Cause("row and measure", rows=("one",), measures=("m",)),
            Cause("row", rows=("one",)),
            Cause("measure", measures=("m",)),
        ),
    )
    cells = compare_figure(whole, {"p": same(m=2.0, k=-5.0)}).cells
    assert [[cause.text for cause in cell.causes] for cell in cells] == [
        ["row and measure", "row", "measure"],
        ["row"],
        ["measure"],
        [],
    ]
    assert cells[3].verdict is A


@pytest.mark.parametrize(
    ("cause", "tested"),
    [
        (Cause("Ties."), False),
        (Cause("Ties.", shown_by=("ties",)), True),
        (Cause("Cause not found, tried: ties, views."), True),
    ],
)
def test_a_cause_is_tested_if_a_figure_shows_it_or_attempts_are_listed(
    cause: Cause, tested: bool
) -> None:
    assert cause.is_tested is tested
    whole = figure(row("one", {"": "p"}, {"M": 9.0}), causes=(cause,))
    (claim,) = study_of(compare_figure(whole, RUNS)).claims
    assert claim.verdict is D
    assert claim.is_explained is tested


def test_a_quick_study_leaves_out_statements_about_rows_it_does_not_run() -> None:
    def run(parameters: Parameters, seed: int) -> Measurements:
        return {"m": 1.0}

    columns = (Column("small", "m", series="s"), Column("large", "m", series="l"))
    rows = (row("1", {"s": "p"}), row("2", {"l": "q"}, quick=False))
    statements = (says("of small", "small", 0.5), says("of large", "large", 0.5))
    whole = figure(*rows, columns=columns, statements=statements)
    study = Study("s", "S", "R", (whole,), run)
    full = reproduce(study, engine="memory")
    assert full.agreement == "2 of 2 claims of the paper are reproduced"
    assert reproduce(study, quick=True, engine="memory").agreement == (
        "1 of 1 statements hold at the size of a quick run, on which no verdict rests"
    )


def test_summary_has_a_sentence_for_results_computed_again_and_figures_left_out() -> None:
    plain = study_of(measured(A))
    agreement = "1 of 1 claims of the paper are reproduced"
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
        "verdict": ["reproduced", "differs"],
    }
    assert found.record() == {
        "figure": "table-1",
        "values": 4,
        "reproduced": 0,
        "differing": 1,
        "seconds": 0.0,
        "title": "T",
        "cells": cells,
        "statements": found.to_arrow("statements").to_pylist(),
    }
    both = study_of(found, measured(A, name="table-2"))
    assert both.summary() == {
        "study": "s",
        "values": 5,
        "claims": 4,
        "reproduced": 2,
        "differing": 2,
        "untested": 0,
        "pending": 0,
        "seconds": 0.0,
    }
    assert both.to_arrow("claims").column_names[:3] == ["number", "place", "text"]
    assert both.to_arrow("cells").slice(0, 4).to_pylist() == cells
    assert both.to_arrow("cells").num_rows == 5
