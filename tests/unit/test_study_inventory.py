"""Inventory of a paper: numbered claims, verdicts over data sets and settings, counts, pages."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gossamer.errors import ParameterError
from gossamer.studies import (
    Cause,
    Column,
    Figure,
    Point,
    Reading,
    ResultStore,
    Row,
    Runs,
    Statement,
    Study,
    StudyResult,
    Untested,
    Verdict,
    write_overview,
    write_report,
)
from gossamer.studies import reproduce as reproduce_with
from gossamer.studies.comparison import compare_figure
from gossamer.studies.inventory import counts, headline
from gossamer.studies.replication import instances_by_size, planned_instances, wider_points
from gossamer.studies.schema import Measurements, Parameters

YES = Statement("“It holds.”", lambda seen: min(seen["M"].values()) > 0)
NO = Statement("“It fails.”", lambda seen: min(seen["M"].values()) > 9, (Cause("Ties."),))
ABSTRACT = replace(YES, text="“It holds in the abstract.”", place="Abstract")
OURS = replace(NO, text="Ours.", ours=True)
reproduce = partial(reproduce_with, engine="memory")
"""Without processes, since a run takes no time: test_study_engine compares the engines."""
A, D, P, U = Verdict.REPRODUCED, Verdict.DIFFERS, Verdict.PENDING, Verdict.UNTESTED


def measure(parameters: Parameters, seed: int) -> Measurements:
    return {"m": float(parameters.get("value", 1.0)) + seed % 7 / 100}


def drawn(name: str, variant: str, paper: float, **parameters: float) -> Figure:
    """Return a figure of one data set with one row."""
    point = Point(f"{name} {variant}", parameters)
    return Figure(
        name, f"Figure 10: ({variant})", "Nodes", (Column("M", "m", Reading(0.1)),),
        (Row("10", {"": point}, {"M": paper}),), place="Figure 10", base="figure-10",
        variant=variant, statements=(YES, NO, ABSTRACT, OURS),
    )  # fmt: skip


STATED = Figure(
    "table-2", "Table II: sizes", "Nodes", (Column("M", "m", Reading(0.1)),),
    (
        Row("5 (as stated)", {"": Point("stated", {"value": 5})}, {"M": 1.0}),
        Row("5 (changed)", {"": Point("changed", {})}, {"M": 1.0}, "one side", "5 (as stated)"),
    ),
    place="Table II",
)  # fmt: skip
STUDY = Study(
    "s", "S", "R", (drawn("figure-10", "drawn", 1.0), drawn("figure-10-real", "real", 9.0), STATED),
    measure, instances=3, untested=(Untested("§IV-B", "“It is loved.”", "Love is not measured."),),
)  # fmt: skip


def test_claims_are_ordered_by_place_and_have_one_verdict_over_data_sets() -> None:
    claims = reproduce(STUDY).claims
    assert [(claim.place, claim.text, claim.verdict) for claim in claims] == [
        ("Abstract", "“It holds in the abstract.”", A),
        ("§IV-B", "“It is loved.”", U),
        ("Table II", "M, nodes 5", D),
        ("Figure 10", "“It holds.”", A),
        ("Figure 10", "“It fails.”", D),
        ("Figure 10", "M, nodes 10", D),
    ]
    assert claims[5].outcomes == {"drawn": A, "real": D}
    assert claims[4].causes == (Cause("Ties."),)
    assert not claims[4].is_explained
    assert claims[3].is_explained


def test_counts_are_as_stated_and_with_changed_settings() -> None:
    claims = reproduce(STUDY).claims
    assert (claims[2].verdict, claims[2].changed, claims[2].setting) == (D, A, "one side")
    assert (counts(claims)[A], counts(claims, changed=True)[A]) == (2, 3)
    assert headline(claims) == (
        "2 of 6 claims of the paper are reproduced as stated, 3 with one side; 3 differ; "
        "1 cannot be tested here"
    )


def test_claims_without_results_are_not_computed_yet() -> None:
    nothing = StudyResult(STUDY, (), whole=STUDY).claims
    assert counts(nothing) == {P: 5, U: 1}
    assert headline(nothing).endswith("; 1 cannot be tested here; 5 not computed yet")
    partly = StudyResult(STUDY, reproduce(STUDY).figures[:1], whole=STUDY).claims
    value = partly[5]
    assert (value.verdict, value.outcomes) == (A, {"drawn": A, "real": P})
    selected = reproduce(STUDY, ["table-2"])
    assert [claim.place for claim in selected.claims] == ["Table II"]


def test_pages_of_the_inventory_and_over_all_papers(tmp_path: Path) -> None:
    result = reproduce(STUDY)
    write_report(result, tmp_path / "s")
    page = (tmp_path / "s" / "s-inventory.md").read_text(encoding="utf-8")
    assert "## Abstract\n\n1. ✓ “It holds in the abstract.”\n\n## §IV-B\n" in page
    assert "2. – “It is loved.” *Love is not measured.*" in page
    assert "3. ✗ M, nodes 5: 1; ours 5.0" in page
    assert "With one side: ✓" in page
    assert "5. ✗ “It fails.” *Ties.*" in page
    assert "6. ✗ (✓ drawn; ✗ real) M, nodes 10: 1; ours 1.0" in page
    overview = write_overview([result], tmp_path).read_text(encoding="utf-8")
    assert "| [s](s/s.md) | [6](s/s-inventory.md) | 2 | 3 | 3 | 1 | 0 | 0 s |" in overview
    assert "- s: one side." in overview


# -- replication -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "count"), [(200, 10), (500, 10), (501, 5), (4000, 5), (4001, 3), (10_000, 3)]
)
def test_smaller_points_have_more_instances(nodes: int, count: int) -> None:
    assert instances_by_size(Point("p", {"nodes": nodes})) == count


def test_numbers_of_instances_are_those_of_the_figure_the_study_or_the_size() -> None:
    by_size = replace(STUDY, instances=None)
    own = replace(STUDY, figures=(replace(STATED, instances=7), *STUDY.figures[:1]))
    assert set(planned_instances(STUDY, instances=None, quick=False).values()) == {3}
    assert set(planned_instances(by_size, instances=None, quick=False).values()) == {10}
    assert set(planned_instances(STUDY, instances=None, quick=True).values()) == {1}
    assert set(planned_instances(STUDY, instances=9, quick=True).values()) == {9}
    assert planned_instances(own, instances=None, quick=False) == {
        "stated": 7, "changed": 7, "figure-10 drawn": 3,
    }  # fmt: skip


def test_a_precision_adds_instances_to_points_with_wide_intervals() -> None:
    def runs(*values: float) -> Runs:
        return Runs([{"m": value} for value in values])

    wide = {"stated": runs(4.0, 5.0, 6.0), "changed": runs(1.0, 1.0, 1.0)}
    only = replace(STUDY, figures=(STATED,))
    assert wider_points(only, wide, 0.3) == {"stated": 6}
    assert wider_points(only, wide, 0.45) == {"stated": 4}
    assert wider_points(only, wide, 0.5) == {}
    assert wider_points(only, {**wide, "changed": runs(1.0)}, 0.5) == {"changed": 2}
    assert wider_points(only, {**wide, "stated": runs(*[4.0, 6.0] * 15)}, 0.01) == {}
    result = reproduce(only, precision=0.001)
    assert max(cell.instances for cell in result.cells) > 3
    relative = [(cell.half_width or 0.0) / 5 for cell in result.cells]
    assert all(
        half <= 0.001 or cell.instances == 30
        for half, cell in zip(relative, result.cells, strict=True)
    )
    with pytest.raises(ParameterError, match="precision is 0; expected more than 0"):
        reproduce(only, precision=0)


# -- what is computed --------------------------------------------------------------------------


def test_results_of_older_code_are_shown_without_a_verdict(tmp_path: Path) -> None:
    reproduce(STUDY, store=tmp_path)
    store = ResultStore(tmp_path, "s")
    for run in list(store):
        store.add(type(run)(run.point, run.instance, "older", run.measurements))
    store.merge(STUDY.points)
    kept = reproduce(STUDY, store=tmp_path, compute="missing", instances=4)
    assert kept.outdated == 0
    assert {cell.instances for cell in kept.cells} == {4}
    assert {one.is_current for one in kept.cells} == {False}
    assert counts(kept.claims) == {P: 5, U: 1}
    again = reproduce(STUDY, store=tmp_path, instances=3)
    assert again.outdated == 12
    assert again.claims == reproduce(STUDY).claims


def test_a_report_on_stored_results_computes_nothing(tmp_path: Path) -> None:
    assert reproduce(STUDY, store=tmp_path, compute="none").cells == ()
    reproduce(STUDY, ["table-2"], store=tmp_path, instances=5)
    stored = reproduce(STUDY, store=tmp_path, compute="none")
    assert [cell.instances for cell in stored.cells] == [5, 5], "more than planned are shown"
    assert counts(stored.claims)[P] == 4
    with pytest.raises(ParameterError, match="compute is 'all'; expected needed, missing, none"):
        reproduce(STUDY, compute="all")  # type: ignore[arg-type]


def test_a_new_column_of_a_figure_is_measured(tmp_path: Path) -> None:
    reproduce(STUDY, store=tmp_path)
    wider = replace(STATED, columns=(*STATED.columns, Column("N", "n")))

    def more(parameters: Parameters, seed: int) -> Measurements:
        return {**measure(parameters, seed), "n": 2.0}

    study = replace(STUDY, figures=(*STUDY.figures[:2], wider), run=more)
    result = reproduce(study, store=tmp_path)
    assert result.outdated == 6
    assert compare_figure(wider, {}).cells == ()
    assert {cell.mean for cell in result.cells if cell.column == "N"} == {2.0}


def test_claims_with_too_few_runs_say_how_many_to_give() -> None:
    found = headline(StudyResult(STUDY, (), whole=STUDY).claims, too_few_runs=True)
    assert found.endswith("5 with too few runs for a verdict: give --instances 3 or more")
