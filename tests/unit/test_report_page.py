"""Pages, charts and saved comparisons: structure, escaping, isolation, and errors."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from gossamer.errors import MissingPackageError, ParameterError, TableError
from gossamer.experiments import load_comparison, recommend
from gossamer.experiments.comparison import Comparison, ComparisonRow, compare
from gossamer.measures import shown_interval
from gossamer.model import Interests, Overlay
from gossamer.tables import COMPARISON, DEGREES, DIAMETERS, LINKS, read_table, write_table
from gossamer.viz import Section, Table, comparison_page, render_page
from gossamer.viz.axes import axis_for
from gossamer.viz.blocks import Advice
from gossamer.viz.charts import ChartPoint, dots_chart, scatter_chart
from gossamer.viz.comparison import comparison_sections
from gossamer.viz.curves import MAX_TAIL_POINTS, Curve, ccdf_chart, line_chart
from gossamer.viz.names import name_layers

NAMES = ["greedy-merge", "low-oda:rho=2", "ring-per-topic", "random"]
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'\u2028"


@pytest.fixture(scope="module")
def interests() -> Interests:
    return Interests.from_lists(
        {node: [(node * step) % 7 for step in (1, 2, 3)] for node in range(40)} | {40: [99]}
    )


@pytest.fixture(scope="module")
def comparison(interests: Interests) -> Comparison:
    return compare(interests, NAMES, seed=5)


class Page(HTMLParser):
    """The tags, the text, and the scripts of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "br", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        (self.scripts if inside == "script" else self.texts).append(data)

    def count(self, name: str) -> int:
        return sum(tag == name for tag, _ in self.tags)

    def attributes(self, *names: str) -> Iterator[str]:
        for _, found in self.tags:
            yield from (value or "" for name, value in found.items() if name in names)


# -- distributions ----------------------------------------------------------------------


def test_distributions_agree_with_the_measures(
    interests: Interests, comparison: Comparison
) -> None:
    for row in comparison.rows:
        assert sum(row.degrees.values()) == interests.node_count
        assert sum(k * n for k, n in row.degrees.items()) == 2 * row.links
        assert max(row.degrees) == row.max_degree
        assert sum(row.diameters.values()) == int((interests.popularity >= 2).sum())
        assert max(row.diameters) == row.max_diameter
        mean = np.average(list(row.diameters), weights=list(row.diameters.values()))
        assert mean == pytest.approx(row.mean_diameter)
        assert hash(row) == hash(replace(row))
    assert comparison.degrees_table().column_names == list(DEGREES.column_names)
    assert comparison.diameters_table().column_names == list(DIAMETERS.column_names)
    assert comparison.table().column_names == list(COMPARISON.column_names)
    assert comparison.origin.seed == 5
    assert comparison.origin.versions["numpy"] == np.__version__


FILES = [
    "about.json",
    "comparison.parquet",
    "degrees.parquet",
    "diameters.parquet",
    "runs.parquet",
]


# -- saved in a folder ------------------------------------------------------------------


def test_saved_comparison_is_loaded(comparison: Comparison, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "kept"
    comparison.save(folder)
    names = [
        "about.json",
        "comparison.parquet",
        "degrees.parquet",
        "diameters.parquet",
        "runs.parquet",
    ]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert load_comparison(folder) == comparison
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    comparison.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    about = json.loads((folder / "about.json").read_text())
    assert (about["seed"], about["nodes"]) == (5, comparison.nodes)


@pytest.mark.parametrize(
    "name",
    ["about.json", "comparison.parquet", "degrees.parquet", "diameters.parquet", "runs.parquet"],
)
def test_missing_or_truncated_files_are_rejected(
    comparison: Comparison, tmp_path: Path, name: str
) -> None:
    comparison.save(tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match=re.escape(name)):
        load_comparison(tmp_path)
    path.unlink()
    with pytest.raises(TableError, match=f"{re.escape(name)}: there is no such file"):
        load_comparison(tmp_path)


def test_tables_of_another_schema_are_rejected(comparison: Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path)
    path = tmp_path / "degrees.parquet"
    write_table(path, comparison.diameters_table())
    with pytest.raises(TableError, match="is the table diameters in layout 1; expected degrees"):
        load_comparison(tmp_path)
    metadata = {"gossamer.table": "degrees", "gossamer.schema": "1"}
    table = comparison.diameters_table().replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(TableError, match=r"the columns are .*diameter \(int64\).*; expected"):
        load_comparison(tmp_path)
    path.write_text("algorithm,degree,nodes\n")
    with pytest.raises(TableError, match="is not a Parquet file"):
        load_comparison(tmp_path)


def test_files_of_two_comparisons_are_rejected(comparison: Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path)
    write_table(
        tmp_path / "degrees.parquet", replace(comparison, rows=comparison.rows[:1]).degrees_table()
    )
    with pytest.raises(TableError, match="parts of two comparisons"):
        load_comparison(tmp_path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"layout": 1}, "is in layout 1; expected layout 2"),
        ({"nodes": "many"}, "does not describe a comparison"),
        ({"extra": 1}, "does not describe a comparison"),
    ],
)
def test_malformed_about_file_is_rejected(
    comparison: Comparison, tmp_path: Path, change: dict[str, object], says: str
) -> None:
    comparison.save(tmp_path)
    about = json.loads((tmp_path / "about.json").read_text())
    (tmp_path / "about.json").write_text(json.dumps({**about, **change}))
    with pytest.raises(TableError, match=says):
        load_comparison(tmp_path)


def test_unusable_folders_are_rejected(comparison: Comparison, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ParameterError, match="is a file; expected a folder to write to"):
        comparison.save(file)
    with pytest.raises(ParameterError, match="is a file; expected a folder to write to"):
        comparison.save(file / "below")
    with pytest.raises(TableError, match="is a file; expected a folder with a comparison"):
        load_comparison(file)
    with pytest.raises(TableError, match="there is no such folder"):
        load_comparison(tmp_path / "gone")


def test_links_table_is_read_back(tmp_path: Path) -> None:
    table = LINKS.table(pyarrow.array(["a"]), pyarrow.array(["b"]))
    write_table(tmp_path / "links.parquet", table)
    assert read_table(tmp_path / "links.parquet", LINKS) == table


# -- pages ------------------------------------------------------------------------------


def test_comparison_page_contents(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    comparison_page(comparison, path, title="Ours", command="gossamer compare x.csv")
    page = Page(path)
    assert page.open == []
    assert [page.count(tag) for tag in ("h1", "main", "figure", "figcaption")] == [1, 1, 5, 5]
    assert page.count("caption") == page.count("table") == 5
    text = " ".join(page.texts)
    for shown in (*NAMES, "Ours", "gossamer compare x.csv", "Reproduce", "numpy", "41 nodes"):
        assert shown in text
    charts = [found for _, found in page.tags if found.get("role") == "img"]
    assert all(found["aria-label"] for found in charts)
    buttons = [found["data-series"] for _, found in page.tags if "data-series" in found]
    assert sorted(str(name) for name in buttons) == sorted(NAMES)
    assert len(page.source) < 3_000_000
    first = path.read_bytes()
    comparison_page(comparison, path, title="Ours", command="gossamer compare x.csv")
    assert path.read_bytes() == first


def test_page_loads_nothing_from_outside(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    comparison_page(comparison, path)
    page = Page(path)
    loads = ("src", "href", "srcset", "data", "action", "poster", "background", "xlink:href")
    for target in page.attributes(*loads):
        assert target.startswith(("#", "data:")), target
    assert not {"iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.tags}
    styles = re.findall(r"<style>(.*?)</style>", page.source, re.DOTALL)
    assert not any("url(" in style or "@import" in style for style in styles)
    (policy,) = (found["content"] or "" for _, found in page.tags if "http-equiv" in found)
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    for script in page.scripts:
        if script.startswith("{"):
            assert '"url"' not in script
            assert values_of(json.loads(script))


def test_page_escapes_all_text(tmp_path: Path) -> None:
    rows = tuple(
        ComparisonRow(name, 2.0, 4, 3, 10, 3, 3, 2, 1.5, 0.1, None, {2: 5}, {2: 3})
        for name in (EVIL, "other")
    )
    table = Table(EVIL, (EVIL,), ((EVIL,), (None,), (True,), (1234567,)))
    advice = [Advice(EVIL, EVIL, EVIL, EVIL)]
    profile = [Section(EVIL, (EVIL,), advice, (EVIL,), (), (table,))]
    path = tmp_path / "page.html"
    comparison = Comparison(10, 3, 20, 1.0, rows)
    comparison_page(comparison, path, title=EVIL, command=EVIL, profile=profile)
    page = Page(path)
    assert page.open == []
    assert page.count("img") == 0
    assert "alert(1)</script>" not in page.source
    plain = Page(tmp_path / "page.html")
    assert sum(EVIL in text for text in plain.texts) > 5
    specs = [json.loads(script) for script in page.scripts if script.startswith("{")]
    assert len(specs) == 5
    assert all(values_of(spec)[0]["series"] == EVIL for spec in specs)
    headings = [text for text in page.texts if text.strip()]
    assert headings.index("Algorithms") > headings.index(EVIL)


def test_page_without_charts_is_small(tmp_path: Path) -> None:
    path = tmp_path / "page.htm"
    render_page("Plain", [Section("One", ("text",))], path)
    assert len(path.read_bytes()) < 20_000
    assert Page(path).count("script") == 1


def test_unwritable_pages_are_rejected(
    comparison: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParameterError, match=r"expected one of \.html, \.htm"):
        comparison_page(comparison, tmp_path / "page.pdf")
    with pytest.raises(ParameterError, match="there is no folder"):
        render_page("x", [], tmp_path / "gone" / "page.html")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gossamer\[report\]'"):
        comparison_page(comparison, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_page_of_a_comparison_without_links(tmp_path: Path) -> None:
    comparison = compare(Interests.from_lists({"a": ["x"], "b": ["y"]}), ["greedy-merge"])
    assert comparison.rows[0].degrees == {0: 2}
    assert comparison.rows[0].diameters == {}
    comparison_page(comparison, tmp_path / "page.html")
    comparison.save(tmp_path / "kept")
    assert load_comparison(tmp_path / "kept") == comparison


def test_page_with_an_unknown_algorithm(comparison: Comparison) -> None:
    rows = (replace(comparison.rows[0], algorithm="gone-oda:x=1"),)
    sections = comparison_sections(replace(comparison, rows=rows))
    (algorithms,) = (one for one in sections if one.title == "Algorithms")
    assert algorithms.tables[0].rows == [("gone-oda:x=1", None, None, None)]


def test_page_begins_with_the_recommendation_and_its_chart(
    comparison: Comparison, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    comparison_page(comparison, path, profile=[Section("Interests of ours")])
    page = Page(path)
    headings = re.findall(r"<h2 id[^>]*>([^<]*)</h2>", page.source)
    assert headings == [
        "Recommendation", "Results", "Distributions", "Interests of ours", "Algorithms",
        "Reproduce",
    ]  # fmt: skip
    first = page.source.partition("<h2")[2].partition("</section>")[0]
    assert first.count("<figure") == 1
    for one in recommend(comparison):
        assert escape(one.choice.replace("`", "")) in first
        assert escape(one.command) in first
        assert one.point is not None
    assert first.index("</pre>") < first.index("<figure")


def test_page_shows_faults_own_metrics_and_intervals(interests: Interests, tmp_path: Path) -> None:
    def breaks(interests: Interests, *, seed: int) -> Overlay:
        raise ValueError(EVIL)

    def lonely(interests: Interests, overlay: Overlay) -> float:
        return float((overlay.degrees == 0).sum())

    candidates: list[Any] = [breaks, "ring-per-topic", "random"]
    found = compare(interests, candidates, metrics={"lonely": lonely}, seeds=3)
    comparison_page(found, tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    text = " ".join(page.texts)
    assert found.faults["breaks"] in text
    assert "<script>alert(1)" in found.faults["breaks"]
    assert {"Lonely", "Links per node, mean"} <= {*page.texts}
    assert "means over 3 runs, with seeds 0 to 2" in text
    (row,) = (one for one in found.rows if one.algorithm == "random")
    width = row.half_widths["mean_degree"]
    assert shown_interval(row.mean_degree, width) in page.texts
    assert repr(row.mean_degree) in set(page.attributes("data-value"))
    chart = comparison_sections(found)[0].charts[0]
    point = next(one for one in values_of(chart.spec) if one["series"] == "random")
    assert "bars: 95 % confidence intervals" in chart.note
    assert row.half_widths["max_diameter"] > 0
    hops = row.half_widths["max_diameter"]
    assert point["lower"] == pytest.approx(row.mean_degree - width)
    assert point["left"] == pytest.approx(row.max_diameter - hops)


# -- charts -----------------------------------------------------------------------------


def values_of(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows that a chart draws first."""
    rows: list[dict[str, Any]] = (spec.get("data") or spec["layer"][0]["data"])["values"]
    return rows


def test_ccdf_shows_the_tail_of_a_distribution() -> None:
    chart = ccdf_chart("t", {"a": {0: 1, 2: 2, 5: 1}}, value="Degree", of="nodes")
    assert [(row["x"], row["y"]) for row in values_of(chart.spec)] == [(2, 0.75), (5, 0.25)]
    assert chart.summary == "Share of nodes with at least that value against Degree: a."


def test_ccdf_thins_a_long_tail_and_keeps_its_ends() -> None:
    chart = ccdf_chart("t", {"a": dict.fromkeys(range(1, 5000), 1)}, value="Degree", of="nodes")
    shown = [row["x"] for row in values_of(chart.spec)]
    assert len(shown) <= MAX_TAIL_POINTS + 2
    assert (shown[0], shown[-1]) == (1, 4999)
    assert shown == sorted(set(shown))


def test_line_chart_keeps_the_ends_of_a_long_curve_and_its_gaps() -> None:
    values = [None if at % 2 else at for at in range(5000)]
    shown = values_of(line_chart("t", [Curve("a", range(5000), values)], x="x", y="y").spec)
    assert [(shown[at]["x"], shown[at]["y"]) for at in (0, -1)] == [(0, 0), (4999, None)]
    assert len(shown) <= 1001


def test_axes_are_logarithmic_beyond_a_decade() -> None:
    near = [ChartPoint("a", 1, 2), ChartPoint("b", 9, 3)]
    far = [ChartPoint("a", 1, 2), ChartPoint("b", 11, 3)]
    scales = [
        [chart.spec["layer"][-1]["encoding"][channel]["scale"].get("type") for channel in "xy"]
        for chart in (
            scatter_chart("t", near, x="x", y="y"),
            scatter_chart("t", far, x="x", y="y", line=("least", 0.5)),
        )
    ]
    assert scales == [[None, None], ["log", "log"]]
    wide = axis_for([0.001, 5000])
    assert wide.options("t")["axis"]["values"] == [0.001, 0.01, 0.1, 1, 10, 100, 1000]
    assert axis_for([0, 0]).options("t")["scale"]["domain"] == [0.0, 1.0]
    assert axis_for([0, 4, 80]).place(0) == 2


def test_points_at_the_same_position_share_a_name() -> None:
    points = [ChartPoint(name, 1, 2, name) for name in "abc"] + [
        ChartPoint("d", 3, 4, "d"),
        ChartPoint("e", 1, 2),
    ]
    chart = scatter_chart("t", points, x="x", y="y")
    assert [row["name"] for row in chart.spec["data"]["values"]] == [
        "a and 2 more",
        "",
        "",
        "d",
        "",
    ]


def test_names_cover_neither_each_other_nor_a_point() -> None:
    points = [
        ChartPoint(f"name {at}", 1 + at % 3 * 0.05, 2 + at * 0.05, f"name {at}") for at in range(9)
    ]
    spec = dict(scatter_chart("t", points, x="x", y="y", line=("bound", 1.1)).spec)
    found = name_layers(spec, 460, 440)
    texts = [layer for layer in found if layer["mark"]["type"] == "text"]
    assert {layer["mark"]["text"] for layer in texts} == {point.name for point in points}
    middles = [
        (layer["encoding"]["x"]["value"], layer["encoding"]["y"]["value"]) for layer in texts
    ]
    for at, (x, y) in enumerate(middles):
        assert all(abs(x - u) > 30 or abs(y - v) > 10 for u, v in middles[:at])


def test_names_do_not_cover_the_name_of_the_bound() -> None:
    points = [ChartPoint("a", 1, 1.0, "a"), ChartPoint("b", 9, 1.02, "point near the bound")]
    spec = dict(scatter_chart("t", points, x="x", y="y", line=("lower bound 1", 1.0)).spec)
    found = [layer for layer in name_layers(spec, 460, 440) if layer["mark"]["type"] == "text"]
    (y,) = (layer["encoding"]["y"]["value"] for layer in found if "near" in layer["mark"]["text"])
    low, high = spec["layer"][-1]["encoding"]["y"]["scale"]["domain"]
    bound = 440 * (1 - (1.0 - low) / (high - low))
    assert not bound - 6 < y < bound + 22


def test_names_are_outside_large_points() -> None:
    spec = dict(scatter_chart("t", [ChartPoint("a", 1, 1, "a name")], x="x", y="y").spec)
    spec["data"] = {"values": [spec["data"]["values"][0] | {"size": 1000}]}
    (text,) = name_layers(spec, 460, 440)
    point = spec["data"]["values"][0]
    scale = spec["layer"][-1]["encoding"]
    left = 460 * point["across"] / scale["x"]["scale"]["domain"][1]
    middle = text["encoding"]["x"]["value"]
    assert abs(middle - left) > (1000 / np.pi) ** 0.5 + 10


def test_long_names_are_shortened_and_whole_in_the_tooltip() -> None:
    long = "an-algorithm-with-a-name-of-great-length:weight=2.5"
    points = [ChartPoint(long, 1, 2, long), ChartPoint("b", 3, 4, "b"), ChartPoint("c", 3, 4, "c")]
    rows = scatter_chart("t", points, x="x", y="y").spec["data"]["values"]
    assert [row["name"] for row in rows] == ["an-algorithm-with…weight=2.5", "b, c", ""]
    assert rows[0]["label"] == long
    assert "slice(datum.label" in dots_chart("t", {"m": {long: 1}}, value="v").spec["layer"][0][
        "encoding"]["y"]["axis"]["labelExpr"]  # fmt: skip


def test_dots_chart_orders_rows_by_the_first_measure() -> None:
    chart = dots_chart("t", {"mean": {"a": 3, "b": 1}, "max": {"a": 3, "b": 9}}, value="degree")
    assert chart.spec["layer"][0]["encoding"]["y"]["sort"] == ["b", "a"]
    assert chart.summary == "mean: smallest 1, largest 3; max: smallest 3, largest 9."
