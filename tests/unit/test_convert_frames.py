"""Interests and overlays from data frames and tables of other libraries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gossamer
from gossamer.column_names import similar_name
from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.model import Interests, Overlay

PAIRS = {"node": ["ann", "ann", "bob"], "topic": ["tea", "jazz", "jazz"]}
LISTS = {"node": ["ann", "bob"], "topic": [["tea", "jazz"], ["jazz"]]}
EXPECTED = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"]})


class ForeignTable:
    """A table of a library that gossamer does not know."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Callable[[dict[str, Any]], Interests]] = {
    "pandas": lambda columns: Interests.from_pandas(pd.DataFrame(columns)),
    "polars": lambda columns: Interests.from_polars(pl.DataFrame(columns)),
    "arrow": lambda columns: Interests.from_arrow(pa.table(columns)),
    "reader": lambda columns: Interests.from_arrow(pa.table(columns).to_reader()),
    "batch": lambda columns: Interests.from_arrow(pa.RecordBatch.from_pydict(columns)),
    "capsule": lambda columns: Interests.from_arrow(ForeignTable(columns)),
    "duckdb": lambda columns: Interests.from_duckdb(duckdb.from_arrow(pa.table(columns))),
}


@pytest.mark.parametrize("columns", [PAIRS, LISTS], ids=["pairs", "lists"])
@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_interests(library: str, columns: dict[str, Any]) -> None:
    assert FRAMES[library](columns) == EXPECTED


def test_column_names_and_other_columns() -> None:
    columns = {"user": PAIRS["node"], "page": PAIRS["topic"], "payload": [object()] * 3}
    assert (
        Interests.from_pandas(pd.DataFrame(columns), node_column="user", topic_column="page")
        == EXPECTED
    )


def test_named_index_of_pandas_is_a_column() -> None:
    assert Interests.from_pandas(pd.DataFrame(PAIRS).set_index("node")) == EXPECTED


def test_series_are_columns_of_pairs() -> None:
    series: tuple[Callable[[Any], Any], ...] = (pd.Series, pl.Series, pa.array)
    for make in series:
        nodes, topics = (make(PAIRS[name]) for name in ("node", "topic"))
        assert Interests.from_pairs(nodes, topics) == EXPECTED


def test_integers_categories_and_duplicates() -> None:
    frame = pd.DataFrame({"node": [9, 10, 9], "topic": pd.Categorical(["b", "a", "b"])})
    frame["topic"] = frame["topic"].cat.add_categories(["unused"])
    interests = Interests.from_pandas(frame)
    assert interests.node_names.tolist() == [9, 10]
    assert interests.topic_names.tolist() == ["a", "b"]
    assert interests.duplicates == 1
    kinds = pl.DataFrame(PAIRS, schema={"node": pl.Categorical, "topic": pl.Enum(["jazz", "tea"])})
    assert Interests.from_polars(kinds) == EXPECTED


def test_empty_list_is_a_node_without_topics() -> None:
    interests = Interests.from_polars(pl.DataFrame({"node": ["a", "b"], "topic": [["x"], []]}))
    assert (interests.node_count, interests.subscription_count) == (2, 1)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"Node": ["a"], "topic": ["b"]}, "no column 'node'; did you mean 'Node'? the columns are"),
        ({"user": ["a"], "topic": ["b"]}, "no column 'node'; the columns are: 'user', 'topic'."),
        ({"node": ["a", None], "topic": ["b", "c"]}, "row 2 of the column 'node' is null"),
        ({"node": [1.0, None], "topic": ["b", "c"]}, "row 2 of the column 'node' is null"),
        ({"node": [1.5], "topic": ["b"]}, "'node' is of type double; expected names that are"),
        ({"node": [True], "topic": ["b"]}, "'node' is of type bool"),
        ({"node": [""], "topic": ["b"]}, "row 1 of the column 'node' is an empty name"),
        ({"node": [[1]], "topic": ["b"]}, "'node' is of type list"),
        ({"node": [1, 2], "topic": [["x"], None]}, "row 2 of the column 'topic' is null"),
        ({"node": [1, 2], "topic": [["x"], ["y", None]]}, "row 2 of the column 'topic' is null"),
        ({"node": [1, 2], "topic": [["x"], ["y", ""]]}, "row 2 of the column 'topic' is an empty"),
    ],
)
def test_unusable_columns_are_rejected(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        Interests.from_arrow(pa.table(columns))


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ([1], "frame is a list; expected a data frame"),
        (pl.DataFrame(PAIRS).lazy(), "LazyFrame of polars, which is not computed yet"),
        (pd.DataFrame({"node": [1, "a"], "topic": ["x", "y"]}), "all integers or all strings"),
        (pd.DataFrame([["a", "b", "c"]], columns=["node", "topic", "node"]), "2 columns are named"),
    ],
    ids=["list", "lazy", "mixed", "twice"],
)
def test_unusable_frames_are_rejected(frame: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Interests.from_arrow(frame)


@pytest.mark.parametrize(
    ("frame", "constructor"),
    [
        (pd.DataFrame(PAIRS), "from_pandas"),
        (pl.DataFrame(PAIRS), "from_polars"),
        (pa.table(PAIRS), "from_arrow"),
        (None, "from_duckdb"),
    ],
    ids=["pandas", "polars", "arrow", "duckdb"],
)
def test_frame_in_the_wrong_place_names_its_constructor(frame: Any, constructor: str) -> None:
    if constructor == "from_duckdb":
        frame = duckdb.from_arrow(pa.table(PAIRS))
    overlay = Overlay.from_links(2, [(0, 1)])
    uses: list[Callable[[], object]] = [
        lambda: Interests.from_lists(frame),
        lambda: Interests(frame),  # type: ignore[call-arg]
        lambda: Interests.from_pairs(frame),
        lambda: Interests.from_pairs(frame, PAIRS["topic"]),
        lambda: gossamer.design(frame),
        lambda: gossamer.compare(frame, ["greedy-merge"]),
        lambda: gossamer.front(frame, ["greedy-merge"]),
        lambda: gossamer.assess(frame, overlay),
        lambda: gossamer.Scenario(frame),
    ]
    for use in uses:
        with pytest.raises(ParameterError, match=rf"Interests\.{constructor}\(frame"):
            use()


def test_other_values_in_place_of_interests() -> None:
    with pytest.raises(ParameterError, match=r"a str; expected Interests, as gossamer\.read_int"):
        gossamer.design("subscriptions.csv")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"a dict; expected Interests, as of .*from_lists"):
        gossamer.design({"ann": ["tea"]})  # type: ignore[arg-type]


def test_names_that_are_no_columns_name_the_way_in() -> None:
    pairs = [("ann", "tea"), ("bob", "tea")]
    with pytest.raises(ParameterError, match=r"list of pairs; .* Interests.from_pairs\(\*zip"):
        Interests.from_pairs(pairs)
    assert Interests.from_pairs(*zip(*pairs, strict=True)).subscription_count == 2
    for given in ({"ann": ["tea"]}, "subscriptions.csv"):
        with pytest.raises(ParameterError, match=r"Interests.from_lists\(mapping\)"):
            Interests(given)  # type: ignore[arg-type,call-arg]


def test_similar_names() -> None:
    assert similar_name("node", ["topic", "NODE"]) == "NODE"
    assert similar_name("topic", ["node", "topics"]) == "topics"
    assert similar_name("node", ["x", "y"]) is None


def test_links_from_frames() -> None:
    links = {"source": ["bob", "ann"], "target": ["ann", "bob"]}
    expected = Overlay.from_links(2, [(0, 1)])
    assert Overlay.from_pandas(pd.DataFrame(links), EXPECTED) == expected
    assert Overlay.from_polars(pl.DataFrame(links), ["ann", "bob"]) == expected
    renamed = pa.table(links).rename_columns(["a", "b"])
    assert Overlay.from_arrow(renamed, EXPECTED, source="a", target="b") == expected
    numbers = pa.table({"source": ["7"], "target": ["8"]})
    assert Overlay.from_arrow(numbers, [7, 8]) == expected
    with pytest.raises(OverlayError, match="'cy' is not one of the 2 nodes"):
        Overlay.from_arrow(pa.table({"source": ["ann"], "target": ["cy"]}), EXPECTED)
    with pytest.raises(OverlayError, match="two nodes have the same name"):
        Overlay.from_arrow(numbers, [7, 7])


class Stream:
    """Object with nothing but Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return pa.table(PAIRS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("frame", [Stream(), pl.DataFrame(PAIRS).lazy()], ids=["stream", "lazy"])
@pytest.mark.parametrize("build", [Interests.from_lists, Interests.from_pairs])
def test_streams_and_lazy_frames_in_the_wrong_place_are_named(frame: Any, build: Any) -> None:
    with pytest.raises(ParameterError, match=r"make interests with Interests\.from_"):
        build(frame)


def test_stream_without_other_methods_is_read() -> None:
    assert Interests.from_arrow(Stream()) == Interests.from_arrow(pa.table(PAIRS))


@pytest.mark.parametrize("kind", ["float64", "object", "bool", "datetime64[ns]"])
def test_empty_columns_of_any_type_are_read(kind: str) -> None:
    frame = pd.DataFrame({name: pd.Series([], dtype=kind) for name in ("node", "topic")})
    assert Interests.from_pandas(frame).node_count == 0


def test_columns_named_by_numbers_are_read() -> None:
    frame = pd.DataFrame([["ann", "tea"], ["bob", "tea"]])
    assert Interests.from_pandas(frame, node_column=0, topic_column=1).node_count == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({"ann": "tea"}, "the topics of 'ann' are 'tea'; expected a list of topics"),
        ({"ann": None}, "the topics of 'ann' are None; expected a list of topics"),
        ([["ann", "tea"]], "topics_by_node is a list; expected a mapping"),
    ],
)
def test_lists_that_are_none_are_rejected(lists: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Interests.from_lists(lists)
