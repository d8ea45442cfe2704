"""Files of studies: point sets, definitions and data sets, seeds, and errors in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StudyError
from gossamer.model import Interests
from gossamer.studies import find_study
from gossamer.studies.elasto.universes import draw_interests as draw_elasto
from gossamer.studies.figures_file import load_study
from gossamer.studies.point_sets import RowSet, point_of
from gossamer.studies.schema import Parameters, Point, Reading, Study
from gossamer.studies.spidercast.run import draw_interests as draw_spidercast
from gossamer.studies.stan.universes import find_interests as draw_stan
from gossamer.studies.vitis.run import draw_interests as draw_vitis

SMALL = {"nodes": 200, "topics": 200}

HEAD = """
title = "On Squares"
reference = "Euclid"
universe = ["side"]
registered = []

[defaults]
side = 10

[define]
sides = [{ parameter = "side", values = [10, 20] }]
area = "of squares"

[data.drawn]
title = "drawn"

[data.real]
title = "real"
suffix = "-real"
parameters = { table = "squares" }
"""
FIGURE = """
[[figures]]
name = "table-1"
title = "Table I: area $area ($title)"
row_title = "Side"
data = ["drawn", "real"]
rows = "$sides"
series = { solid = {}, dashed = { dash = 2 } }
columns = [{ title = "area, {series}", measure = "area", reading = "10 %" }]
[figures.paper]
"10" = [100, 101]
"20" = { "area, solid" = 400 }
[[figures.statements]]
text = "Areas grow."
check = "rises"
arguments = { columns = "area, solid" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "squares"
    folder.mkdir()
    (folder / "run.py").write_text("def measure(parameters, seed):\n    return {}\n")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def load(folder: Path, text: str) -> Study:
    (folder / "figures.toml").write_text(text, encoding="utf-8")
    load_study.cache_clear()
    return load_study("squares", folder)


def test_figure_is_repeated_for_each_data_set(folder: Path) -> None:
    study = load(folder, HEAD + FIGURE)
    drawn, real = study.figures
    assert (drawn.name, drawn.title) == ("table-1", "Table I: area of squares (drawn)")
    assert (real.name, real.title) == ("table-1-real", "Table I: area of squares (real)")
    assert study.name == "squares"
    assert [column.title for column in drawn.columns] == ["area, solid", "area, dashed"]
    assert [row.paper for row in drawn.rows] == [
        {"area, solid": 100, "area, dashed": 101},
        {"area, solid": 400},
    ]
    assert {point.name for point in real.points.values()} == {
        "side 10, table squares",
        "dash 2, side 10, table squares",
        "side 20, table squares",
        "dash 2, side 20, table squares",
    }
    assert drawn.statements[0].evaluate({"area, solid": {"10": 1.0, "20": 2.0}})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "On', 'titel = "On', "(unknown field|missing required field) `titl?el?`"),
        ("[[figures]]", "[[figures]", "figures.toml: Expected"),
        ('row_title = "Side"', "row_title = 3", r"figure table-1: .*got `int` - at `\$.row_title`"),
        ('row_title = "Side"', 'rowtitle = "S"', "figure table-1: .*unknown field `rowtitle`"),
        ('"$sides"', '"$side"', r"figure table-1: \$side is not defined; defined are sides, area"),
        ('["drawn", "real"]', '["drown"]', "data: there is no data set 'drown'; there are drawn"),
        (
            'reading = "10 %"',
            'reading = "10 %", series = ["thick"]',
            "columns: there is no series 'thick'; there are",
        ),
        ('"20" = {', '"30" = {', "paper: there is no row '30'; there are 10, 20"),
        ("[100, 101]", "[100]", "paper.10: there are 1 values; expected 2"),
        ('"area, solid" = 400', '"edge" = 400', "paper.20: there is no column with a reading"),
        ('check = "rises"', 'check = "climbs"', "statements: there is no check 'climbs'"),
        ("arguments = { columns", "arguments = { column", "rises: got an unexpected keyword"),
        (', "real"]', ', "drawn"]', "figure table-1: the name is given twice"),
        ('"10 %"', '"10"', "columns: reading is '10'; expected a number or a share: 3 %"),
        ('"Table I: ', '"Area: ', "place is '' and ours is false; expected a place in the paper"),
        ('row_title = "Side"', 'row_title = "Side"\nours = true', "place is 'Table I' and ours is"),
        (
            'check = "rises"',
            'check = "rises"\ncauses = [{ text = "T.", shown_by = ["nowhere"] }]',
            "shown_by: there is no figure 'nowhere'; there are table-1, table-1-real",
        ),
    ],
)
def test_error_in_the_file_names_file_figure_and_key(
    folder: Path, old: str, new: str, message: str
) -> None:
    text = HEAD + FIGURE
    assert old in text
    with pytest.raises(StudyError, match=message) as caught:
        load(folder, text.replace(old, new, 1))
    assert "figures.toml" in str(caught.value)


ADDED = """
[[untested]]
place = "Abstract"
text = "Squares are beautiful."
reason = "Beauty is not measured."

[[figures]]
name = "diagonal"
title = "Ours: diagonal"
ours = true
instances = 7
row_title = "Side"
rows = [
  { label = "{}", parameter = "side", values = [1, 2] },
  { label = "{} mm", parameter = "side", values = [1, 2], instead_of = "{}", setting = "mm" },
]
columns = [{ title = "diagonal", measure = "diagonal", reading = 0.05 }]
[figures.paper]
"1" = [1.4]
[[figures.statements]]
text = "Ours."
check = "trend"
arguments = { direction = "up" }
[[figures.statements]]
text = "“Of the paper.”"
place = "§2"
check = "rises"
causes = [{ text = "The area shows it.", shown_by = ["table-1"] }]
"""


def test_places_precisions_settings_and_untested_sentences_are_read(folder: Path) -> None:
    study = load(folder, HEAD + FIGURE + ADDED)
    table, real, diagonal = study.figures
    assert (table.place, table.base, table.variant) == ("Table I", "table-1", "drawn")
    assert (real.place, real.base, real.variant) == ("Table I", "table-1", "real")
    assert table.columns[0].reading == Reading(0.1)
    assert (diagonal.place, diagonal.instances, diagonal.base) == ("", 7, "diagonal")
    assert diagonal.columns[0].reading == Reading(0.05, relative=False)
    assert [row.instead_of for row in diagonal.rows] == ["", "", "1", "2"]
    assert [row.setting for row in diagonal.rows] == ["", "", "mm", "mm"]
    assert diagonal.rows[2].paper == diagonal.rows[0].paper == {"diagonal": 1.4}
    assert [one.ours for one in diagonal.statements] == [True, False]
    assert diagonal.statements[1].place == "§2"
    assert diagonal.statements[1].causes[0].is_tested
    assert [one.place for one in study.untested] == ["Abstract"]
    assert study.instances is None


def test_rows_are_the_product_of_alternatives_and_values() -> None:
    rows = RowSet(
        label="{name}, {:,} nodes",
        parameter="nodes",
        values=[1000, 10_000],
        across={"a": {"kind": "x"}, "b": {"kind": "y"}},
        quick_to=2000,
    )
    heads = list(rows.heads())
    assert [head.label for head in heads] == [
        "a, 1,000 nodes",
        "a, 10,000 nodes",
        "b, 1,000 nodes",
        "b, 10,000 nodes",
    ]
    assert heads[3].parameters == {"kind": "y", "nodes": 10_000}
    assert [head.quick for head in heads] == [True, False, True, False]
    assert [head.x for head in RowSet(range=(0, 10, 5), scale=2, shift=1).heads()] == [1, 11, 21]


def test_later_parameters_of_a_point_win() -> None:
    point = point_of({"b": 1, "a": 2}, {"b": 3})
    assert point.parameters == {"a": 2, "b": 3}
    assert point.name == "a 2, b 3"


# -- universes -------------------------------------------------------------------------------


def interests_digest(interests: Interests) -> str:
    table = interests.node_column.tobytes() + interests.node_topics.tobytes()
    return hashlib.sha256(table).hexdigest()


@pytest.mark.parametrize(
    ("name", "figure", "row", "series", "smaller", "draw"),
    [
        ("spidercast", "figure-12", 0, ("SpiderCast (3,0)", "random(10)"), {}, draw_spidercast),
        ("elasto", "figure-7a", 0, ("ElastO-L", "SpiderCast(3,1)"), {}, draw_elasto),
        ("stan", "figure-12", 0, ("0%", "20%"), {"nodes": 100}, draw_stan),
        ("vitis", "figure-4a", 0, ("RVR", "Vitis, random"), SMALL, draw_vitis),
    ],
)
def test_points_of_a_figure_share_their_universe(
    name: str,
    figure: str,
    row: int,
    series: tuple[str, str],
    smaller: Parameters,
    draw: Callable[[Parameters, int], Interests],
) -> None:
    study = find_study(name)
    points = study.find_figure(figure).rows[row].points
    one, other = (Point("", {**points[key].parameters, **smaller}) for key in series)
    assert one.parameters != other.parameters

    def digest(point: Point, instance: int) -> str:
        return interests_digest(draw(point.parameters, study.seed(point, instance) >> 1))

    assert digest(one, 0) == digest(other, 0)
    assert digest(one, 0) != digest(one, 1)
    assert study.digest(one) != study.digest(other)
