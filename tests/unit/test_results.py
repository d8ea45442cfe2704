"""Results: what they print, their HTML, and their tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pyarrow.parquet
import pytest

import gossamer
from gossamer.errors import MissingPackageError, OverlayError, ParameterError
from gossamer.measures import MEASURES
from gossamer.model.sessions import Sessions
from gossamer.quality.distributions import Histogram
from gossamer.results import Result

PEOPLE = gossamer.Interests.from_lists(
    {"ann": ["tea", "jazz"], "bob": ["jazz", "tea"], "cy": ["tea", "<b>"], "dee": ["<b>"]}
)
EVENTS = gossamer.ChurnEvents.from_columns([1, 2], [0, 0], [False, True])
POSTS = gossamer.Publications.from_lists([0, 2], [[1], [0, 2]])


@cache
def _front() -> Any:
    return gossamer.front(PEOPLE, ["greedy-merge", "cd-oda"], protocols=[])


def _overlay() -> gossamer.Overlay:
    return gossamer.greedy_merge(PEOPLE)


MAKE: dict[str, Callable[[], Result]] = {
    "Interests": lambda: PEOPLE,
    "Overlay": _overlay,
    "ChurnEvents": lambda: EVENTS,
    "Publications": lambda: POSTS,
    "Sessions": lambda: Sessions.from_columns([0], [1], [2]),
    "Scenario": lambda: gossamer.Scenario(PEOPLE, loss=0.5),
    "Assessment": lambda: gossamer.assess(PEOPLE, _overlay()),
    "LowerBound": lambda: gossamer.links_lower_bound(PEOPLE),
    "Histogram": lambda: Histogram.of([1, 1, 4]),
    "TopicGraphs": lambda: gossamer.TopicGraphs.of(PEOPLE, _overlay()),
    "Design": lambda: gossamer.design(PEOPLE),
    "Reinforcement": lambda: gossamer.reinforce(PEOPLE, _overlay()),
    "Comparison": lambda: _front().comparison,
    "ComparisonRow": lambda: _front().comparison.rows[0],
    "Front": _front,
    "FrontPoint": lambda: _front().points[0],
    "Recommendation": lambda: gossamer.recommend(_front())[0],
    "Simulation": lambda: gossamer.simulate(
        gossamer.Scenario(PEOPLE, duration=4),
        "spidercast",
        recording=gossamer.Recording(by_node=True),
    ),
    "Dissemination": lambda: gossamer.disseminate(
        gossamer.Scenario(PEOPLE, publications=POSTS), _overlay()
    ),
    "Maintenance": lambda: gossamer.maintain(gossamer.Scenario(PEOPLE, churn=EVENTS)),
    "RebuildCheck": lambda: gossamer.maintain(
        gossamer.Scenario(PEOPLE, churn=EVENTS)
    ).check_rebuild(gain=0.01),
}


@pytest.fixture(params=MAKE)
def result(request: pytest.FixtureRequest) -> Result:
    return MAKE[request.param]()


def test_every_result_prints_and_becomes_tables(result: Result) -> None:
    name = type(result).__name__
    assert repr(result).startswith(f"{name}(")
    assert len(repr(result)) < 120
    assert "\n" not in repr(result)
    assert str(result).startswith(repr(result))
    check_html(result._repr_html_())
    assert "summary" in result.table_names
    for table in result.table_names:
        found = result.to_arrow(table, interests=PEOPLE)
        assert all(column == column.lower() and " " not in column for column in found.column_names)
        assert result.to_polars(table, interests=PEOPLE).shape == found.shape
    assert list(result.to_pandas("summary").columns) == list(result.summary())
    assert polars.DataFrame(result).columns == result.to_arrow().column_names


def check_html(text: str) -> None:
    """Check that elements are closed, values escaped, and nothing is loaded."""
    open_tags: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag in {
                "details", "div", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr",
            }  # fmt: skip
            assert {name for name, _ in attrs} <= {"class", "style"}
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Checker().feed(text)
    assert not open_tags


def test_tables_equal_the_files_that_commands_write(tmp_path: Path) -> None:
    design = gossamer.design(PEOPLE, "low-oda")
    gossamer.write_links(tmp_path / "links.parquet", PEOPLE, design.overlay)
    gossamer.write_interests(tmp_path / "wants.parquet", PEOPLE)
    for found, name in (
        (design.to_arrow(), "links"),
        (design.overlay.to_arrow(interests=PEOPLE), "links"),
        (PEOPLE.to_arrow(), "wants"),
    ):
        written = pyarrow.parquet.read_table(tmp_path / f"{name}.parquet")
        assert found.equals(written, check_metadata=True)


def test_identifiers_without_names() -> None:
    assert _overlay().to_pandas().dtypes.astype(str).tolist() == ["int64", "int64"]
    assert POSTS.to_arrow().to_pylist()[1] == {"time": 1000, "publisher": 2, "topics": [0, 2]}
    named = POSTS.to_arrow(interests=PEOPLE).to_pylist()[1]
    assert named == {"time": 1000, "publisher": "cy", "topics": ["<b>", "tea"]}


def test_names_of_another_network_are_rejected() -> None:
    others = gossamer.Interests.from_lists({"a": "x", "b": "x"})
    with pytest.raises(
        OverlayError, match="nodes and the interests have 2; expected the same nodes"
    ):
        _overlay().to_pandas(interests=others)


def test_values_in_html_are_escaped() -> None:
    row = gossamer.experiments.comparison.ComparisonRow(
        "<script>", 1.0, 1, 1, 1, 1, 1, 1, 1.0, 0.1, None
    )
    assert "<script>" not in row._repr_html_()
    assert "&lt;script&gt;" in row._repr_html_()


def test_print_of_a_simulation_is_a_short_table() -> None:
    lines = str(MAKE["Simulation"]()).splitlines()
    assert lines[0].startswith("Simulation(spidercast, nodes=4, mean_degree=")
    assert len(lines) < 60
    assert lines[-1].split()[0] == "4.00"


def test_unknown_table_and_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="table is 'links2'; expected one of links, summary"):
        _overlay().to_arrow("links2")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="to_polars needs the package polars"):
        _overlay().to_polars()


def test_measures_are_named_once_and_described() -> None:
    labels = [one.label for one in MEASURES.values()]
    assert sorted(labels) == sorted(set(labels)), "one label, one measure"
    for name, one in MEASURES.items():
        assert name == one.name == name.lower()
        assert one.meaning.endswith(".")
        assert not one.of or one.of in MEASURES
    assert MEASURES["hit_ratio"].title == "Hit ratio, of expected deliveries (%)"


@pytest.mark.parametrize("name", sorted(MAKE))
def test_summaries_use_names_of_measures(name: str) -> None:
    result = MAKE[name]()
    words = {"text", "command", "churn", "loss", "duration"}
    front = {"on_front", "on_mean_front", "on_max_front", "kind"}
    assert set(result.summary()) <= {*MEASURES, *words, *front}
    assert not any(isinstance(value, np.generic) for value in result.summary().values())
