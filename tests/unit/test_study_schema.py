"""The parts of a study: cells, quick rows, causes, names of figures, seeds and digests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gossamer.errors import ParameterError
from gossamer.studies import Cause, Column, Figure, Point, Reading, Row, Study
from gossamer.studies.schema import ROMAN, Measurements, Parameters, Plot


def run(parameters: Parameters, seed: int) -> Measurements:
    return {"m": float(seed)}


LEFT, RIGHT = Point("left", {"side": 1, "rule": "x"}), Point("right", {"side": 2, "rule": "x"})
COLUMNS = (Column("L", "m", series="l"), Column("R", "m", series="r", rows=("both",)))
ROWS = (
    Row("both", {"l": LEFT, "r": RIGHT}, {"L": 1.0}),
    Row("long", {"l": RIGHT, "r": RIGHT}, quick=False),
)
FIGURE = Figure("figure-7a", "T", "Row", COLUMNS, ROWS)
TABLE = replace(FIGURE, name="table-4", rows=ROWS[1:])
STUDY = Study("s", "S", "R", (FIGURE, TABLE), run, universe=("side",))


def test_a_cell_has_the_point_of_its_series_unless_its_column_lacks_the_row() -> None:
    assert [[row.point_of(column) for column in COLUMNS] for row in ROWS] == [
        [LEFT, RIGHT],
        [RIGHT, None],
    ]
    assert Row("bare", {}).point_of(COLUMNS[0]) is None
    assert FIGURE.points == {"left": LEFT, "right": RIGHT}
    assert TABLE.points == {"right": RIGHT}
    assert STUDY.points == FIGURE.points
    assert STUDY.find_point("right") == RIGHT
    with pytest.raises(ParameterError, match="s has no point 'top'; it has left, right"):
        STUDY.find_point("top")


def test_measures_by_row_may_be_missing_from_a_run() -> None:
    by_row = Column("B", "part/*", series="l")
    study = replace(STUDY, figures=(replace(FIGURE, columns=(*COLUMNS, by_row)),))
    assert study.measures == {
        "left": {"m": False, "part/both": True},
        "right": {"m": False, "part/long": True},
    }


def test_a_reading_is_around_a_value_by_a_share_of_it_or_by_an_amount() -> None:
    assert Reading(0.5).around(-4.0) == (-6.0, -2.0)
    assert Reading(0.5, relative=False).around(-4.0) == (-4.5, -3.5)


def test_a_quick_figure_has_the_quick_rows() -> None:
    assert FIGURE.quick() == replace(FIGURE, rows=ROWS[:1])
    assert TABLE.quick() is None


def test_points_are_changed_with_or_without_the_published_values() -> None:
    changed = FIGURE.with_points(lambda point: Point(f"new-{point.name}", {}))
    assert list(changed.points) == ["new-left", "new-right"]
    assert [row.paper for row in changed.rows] == [{"L": 1.0}, {}]
    bare = FIGURE.with_points(lambda point: point, paper=False)
    assert [row.paper for row in bare.rows] == [{}, {}]
    assert bare.points == FIGURE.points


@pytest.mark.parametrize(
    ("rows", "measures", "covered"),
    [
        ((), (), ["am", "ak", "bm", "bk"]),
        (("a",), (), ["am", "ak"]),
        ((), ("m",), ["am", "bm"]),
        (("a",), ("m",), ["am"]),
    ],
)
def test_a_cause_covers_the_rows_and_measures_that_it_lists(
    rows: tuple[str, ...], measures: tuple[str, ...], covered: list[str]
) -> None:
    cause = Cause("why", rows=rows, measures=measures)
    explained = replace(FIGURE, causes=(cause,))
    found = [row + key for row in "ab" for key in "mk" if explained.causes_of(row, key)]
    assert found == covered
    assert {explained.causes_of(*cell) for cell in covered} == {(cause,)}


def test_a_published_value_stands_for_an_interval() -> None:
    assert Reading(0.25).around(-8.0) == (-10.0, -6.0)
    assert Reading(0.25, relative=False).around(-8.0) == (-8.25, -7.75)


@pytest.mark.parametrize("name", ["figure-7a", "Figure 7(a)", "fig. 7a", " 7(a) ", "7a"])
def test_figures_are_found_by_the_names_in_a_paper(name: str) -> None:
    assert STUDY.find_figure(name) == FIGURE


def test_tables_are_found_by_roman_numbers() -> None:
    for name in ("IV", "Table IV", "table-4", "4"):
        assert STUDY.find_figure(name) == TABLE
    assert list(ROMAN) == ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
    assert list(ROMAN.values()) == list(range(1, 11))
    with pytest.raises(ParameterError, match="s has no 'table v'; it has figure-7a, table-4"):
        STUDY.find_figure("Table V")


def test_seeds_of_63_bits_depend_on_study_universe_and_instance() -> None:
    other_rule = Point("other", {"side": 1, "rule": "y"})
    seeds = [STUDY.seed(LEFT, instance) for instance in range(20)]
    assert seeds == [STUDY.seed(other_rule, instance) for instance in range(20)]
    apart = [STUDY.seed(RIGHT, 0), replace(STUDY, name="t").seed(LEFT, 0)]
    assert len({*seeds, *apart}) == 22
    assert max(seeds).bit_length() == 63


def test_digests_depend_on_parameters_but_not_on_folders() -> None:
    digest = STUDY.digest(LEFT)
    assert len(digest) == 16
    assert STUDY.digest(Point("x", {"_folder": "/tmp", **LEFT.parameters})) == digest
    assert STUDY.digest(RIGHT) != digest


def test_defaults_of_studies_rows_and_plots() -> None:
    assert (STUDY.instances, STUDY.short_title) == (None, "s")
    assert replace(STUDY, short_title="System").short_title == "System"
    assert (Row("r", {}).instead_of, Row("r", {}).quick) == ("", True)
    assert Plot("x", "y") == Plot("x", "y", log_x=False, columns=0, close=False)
