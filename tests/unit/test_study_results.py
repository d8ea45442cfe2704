"""Results of a study: what counts in them, their numbers in a summary and their tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gossamer.studies import Row, Runs, Verdict
from gossamer.studies.comparison import compare_figure
from gossamer.studies.schema import Point, Untested
from tests.unit.test_study_comparison import figure, measured, row, same, study_of


def test_cost_of_results_leaves_them_equal() -> None:
    one = study_of(measured(Verdict.REPRODUCED))
    assert replace(one, seconds=3.0, whole=one.study, outdated=2) == one
    assert replace(one, quick=True) != one


def test_claims_of_selected_figures_leave_out_the_rest_of_the_paper() -> None:
    one, other = (measured(Verdict.REPRODUCED, name=f"table-{number}") for number in (1, 2))
    part = study_of(one)
    study = replace(part.study, figures=(one.figure,), untested=(Untested("§V", "Fast.", "Old."),))
    whole = replace(study, figures=(one.figure, other.figure))
    everything = replace(part, study=study, whole=whole)
    assert [claim.verdict.name for claim in everything.claims] == [
        "UNTESTED",
        "REPRODUCED",
        "PENDING",
    ]
    selected = replace(everything, selected=("table-1",))
    assert [claim.verdict.name for claim in selected.claims] == ["REPRODUCED"]


def test_instances_are_the_fewest_and_the_most_behind_a_value() -> None:
    runs = {"p": same(m=1.0, k=1.0), "q": Runs([{"m": 1.0, "k": 1.0}] * 5)}
    assert study_of().instances == (0, 0)
    both = study_of(compare_figure(figure(row("one", {"": "p"}), row("two", {"": "q"})), runs))
    assert both.instances == (3, 5)


def test_summary_and_claims_distinguish_stated_and_changed_settings() -> None:
    found = compare_figure(
        figure(
            row("one", {"": "p"}, {"M": 9.0}),
            Row("two", {"": Point("q", {})}, {"M": 9.0}, setting="twice", instead_of="one"),
            row("three", {"": "p"}, {"M": 1.0}),
        ),
        {"p": same(m=1.0, k=1.0), "q": same(m=9.0, k=1.0)},
    )
    study = replace(study_of(found), seconds=1.23456)
    summary = study.summary()
    assert (summary["claims"], summary["reproduced"], summary["differing"]) == (2, 1, 1)
    assert summary["reproduced_with_changes"] == 2
    assert summary["seconds"] == pytest.approx(1.23, abs=1e-9)
    assert "reproduced_with_changes" not in study_of(measured(Verdict.REPRODUCED)).summary()
    claims = study.to_arrow("claims").to_pydict()
    assert claims["number"] == [1, 2]
    assert claims["paper"] == [9.0, 1.0]
    assert claims["ours"] == [1.0, 1.0]
    assert claims["half_width"] == [0.0, 0.0]
    assert claims["verdict"] == ["differs", "reproduced"]
    assert claims["changed"] == ["reproduced", "reproduced"]
