"""The benchmarks run at tiny sizes, alternatives agree with ours, and the pages are whole."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from benchmarks.alternatives.divided_merge import divided_merge
from benchmarks.front import PLANS, measure_front, some_users
from benchmarks.front_page import front_document
from benchmarks.front_real import beaten, verdict
from benchmarks.harness import TINY, Benchmark, Case, Effort, Excerpt, Row, Size, benchmarks
from benchmarks.harness.cases import Measurement
from benchmarks.harness.data_files import write_page
from benchmarks.harness.markdown import markdown_table
from benchmarks.harness.page import page, table_of
from benchmarks.harness.runner import BenchmarkError, compare, run_benchmark
from benchmarks.harness.tree import watch
from benchmarks.harness.worker import measure
from benchmarks.maintenance import Spent
from benchmarks.spark_page import spark_page
from benchmarks.spark_pipeline import Step
from benchmarks.ties import Degrees, Table, TieResults, measure_ties
from benchmarks.ties_page import judge, ties_page

from gossamer import generate_interests, is_topic_connected
from gossamer.experiments.pareto_front import FrontPoint
from gossamer.tables import write_interests


def test_divide_and_conquer_connects_every_topic() -> None:
    interests = generate_interests("rss", nodes=120, topics=20, subscriptions="1-6", seed=2)
    for blocks in (1, 3, 8):
        overlay = divided_merge(interests, blocks=blocks)
        assert is_topic_connected(interests, overlay)


def test_watch_includes_child_processes() -> None:
    code = (
        "import subprocess, sys; held = b'x' * 50_000_000; "
        "subprocess.run([sys.executable, '-c', 'import time; b = b\"x\" * 90_000_000; "
        "time.sleep(1.5)']); print('done')"
    )
    found = watch([sys.executable, "-c", code])
    assert found.printed == "done\n"
    assert found.peak_bytes > 140_000_000
    with pytest.raises(subprocess.CalledProcessError):
        watch([sys.executable, "-c", "raise SystemExit(3)"])


def test_long_tables_of_a_page_become_data_files(tmp_path: Path) -> None:
    def table(rows: int, name: str = "what") -> str:
        cells = [["1 × 1", f"x{n % 9}", f"1,{n:03}.5", "`a`, **b**"] for n in range(rows)]
        return markdown_table(["size", name, "seconds", "gives"], cells, left=2)

    text = f"# Page\n\n## Short\n\n{table(8)}\n\n## Long one\n\n{table(15)}\n\nAfter.\n"
    text += f"\n{table(13, 'other')}\n"
    page, long, other = write_page(text, tmp_path / "speed.md")
    short, _, rest = page.read_text(encoding="utf-8").partition("## Long one")
    assert short in text
    assert rest.count("| 1 × 1 | x") == 9  # each subject once, the last time it was measured
    assert "| 1 × 1 | x5 | 1,014.5 |" in rest
    assert "[All 15 rows](data/speed-long-one.csv)\n\nAfter." in rest
    assert long == tmp_path / "data" / "speed-long-one.csv"
    lines = long.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "size,what,seconds,gives"
    assert lines[1] == '1 × 1,x0,1000.5,"a, b"'
    assert len(lines) == 16
    assert other.name == "speed-long-one-2.csv"
    assert rest.endswith("[All 13 rows](data/speed-long-one-2.csv)\n")


def test_excerpt_decides_rows_and_columns_of_a_page(tmp_path: Path) -> None:
    cells = [[size, what, "1.5", "2"] for size in ("small", "large") for what in ("ours", "naive")]
    text = f"# Page\n\n## Part\n\n{markdown_table(['size', 'what', 'seconds', 'gives'], cells)}\n"
    excerpt = Excerpt(("ours",), ("size", "what", "seconds"))
    page, data = write_page(text, tmp_path / "speed.md", {"Part": excerpt})
    shown = page.read_text(encoding="utf-8")
    assert [line for line in shown.splitlines() if line.startswith("|")][2:] == [
        "| large | ours | 1.5 |"
    ]
    assert "[All 4 rows](data/speed-part.csv)" in shown
    assert len(data.read_text(encoding="utf-8").splitlines()) == 5


def test_spark_page_divides_by_first_row_of_each_size() -> None:
    steps = [
        Step("Design", "small", "in memory", 2.0, 2**20, {"links per node, mean": "4.00"}),
        Step("Design", "small", "on Spark", 5.0, 2**21, {"links per node, mean": "4.10"}),
    ]
    text = spark_page(steps)
    assert "| small | in memory | 2 |  | 1 | 4.00 |  " in text
    assert "| small | on Spark | 5 | 2.5 | 2 | 4.10 |  " in text


def test_maintenance_table_has_percentiles_and_ratio_to_redesign() -> None:
    spent = {
        "elasto-g": Spent([1.0, 2.0, 3.0], [4.0], (5.0, 9), (4.5, 8), [70, 80]),
        "low-oda-re": Spent([20.0], [], (4.5, 8), (4.5, 8)),
    }
    found = benchmarks()["maintenance"]
    rows = [
        Row(
            Case(f"{name}, rss", TINY, lambda size: lambda: None),
            Measurement(1.0, 1, None, msgspec.json.encode(times).decode()),
            None,
        )
        for name, times in spent.items()
    ]
    header, ours, redesign = table_of(found, rows)
    cells = dict(zip(header, ours, strict=True))
    assert cells["p10 / p50 / p90 ms per join"] == "1.2 / 2 / 2.8"
    assert (cells["joins"], cells["leaves"], cells["mean ms per leave"]) == ("3", "1", "4")
    assert cells["× low-oda-re"] == "0.125"
    assert (cells["degree"], cells["LowODA's degree"]) == ("5.00 / 9", "4.50 / 8")
    assert cells["nodes considered per leave"] == "75"
    assert redesign[header.index("leaves") :][:3] == ["0", "–", "–"]
    assert redesign[header.index("nodes considered per leave")] == "–"


SLOW = {"compile-time", "startup"}


def in_this_process(benchmark: Benchmark) -> list[Row]:
    """Run each case once: times do not matter here."""
    cases = [replace(case, runs=1, warm=False) for case in benchmark.cases("tiny")]
    return compare(cases, [measure(case) for case in cases])


@pytest.mark.parametrize("name", sorted(set(benchmarks()) - SLOW))
def test_every_benchmark_runs_and_alternatives_agree(name: str, tmp_path: Path) -> None:
    found = benchmarks()[name]
    rows = in_this_process(found)
    text = page({name: (found, rows)}, tmp_path)
    header, *body = table_of(found, rows)
    assert body
    assert all(len(cells) == len(header) for cells in body)
    assert f"## {found.title}" in text
    for picture in tmp_path.rglob("*.svg"):
        assert str(picture.relative_to(tmp_path)) in text


def test_worker_process_measures_time_and_memory() -> None:
    def cases(effort: Effort) -> list[Case]:
        return [case for case in benchmarks()["workloads"].cases(effort) if case.against]

    assert {case.alone for case in cases("quick")} == {True, False}
    rows = run_benchmark(benchmarks()["workloads"], "tiny")
    assert rows[0].ratio == 1
    assert all(row.measurement.seconds > 0 for row in rows)


@pytest.mark.parametrize("effort", ["quick", "full", "large"])
def test_cases_are_compared_with_cases_of_the_same_size(effort: Effort) -> None:
    for found in benchmarks().values():
        cases = list(found.cases(effort))
        keys = [(case.subject, case.size) for case in cases]
        assert len(set(keys)) == len(keys)
        assert all((case.against, case.size) in keys for case in cases if case.against)


def test_different_answer_of_alternative_fails_the_run() -> None:
    cases = [
        Case("ours", TINY, lambda size: lambda: 1),
        Case("theirs", TINY, lambda size: lambda: 2, against="ours", same=True),
    ]
    with pytest.raises(BenchmarkError, match="theirs at 30 × 8 × 3 gives 2, ours gives 1"):
        compare(cases, [Measurement(1.0, 1, None, "1"), Measurement(2.0, 1, None, "2")])


def test_size_is_printed_with_separators() -> None:
    assert str(Size(10_000, 100, 10)) == "10,000 × 100 × 10"


def test_ties_page_has_every_algorithm_with_ties() -> None:
    table = Table("tiny", 2, "rss", 40, 10, 3)
    text = ties_page(measure_ties([table], ["greedy-merge", "td-cd-oda"]))
    for name in ("greedy-merge", "td-cd-oda"):
        assert f"\n| {name} | tiny | 2 | " in text
    assert "- `greedy-merge`: " in text
    assert "makes no difference" not in text


@pytest.mark.parametrize(
    ("by_degree", "random", "first", "best"),
    [
        ((4.0, 8), (4.1, 7), (4.2, 6), "fewest-degree"),
        ((4.0, 8), (3.9, 9), (4.2, 6), "random"),
        ((4.0, 8), (4.001, 7), (4.2, 6), "random"),
        ((4.0, 8), (4.0, 8), (4.0, 8), "fewest-degree"),
    ],
)
def test_tie_verdict_orders_mean_then_maximum_then_default(
    by_degree: tuple[float, int], random: tuple[float, int], first: tuple[float, int], best: str
) -> None:
    given = {"fewest-degree": by_degree, "random": random, "lexicographic": first}
    found = {("greedy-merge", "w", ties): [Degrees(*one)] * 2 for ties, one in given.items()}
    assert judge("greedy-merge", TieResults((Table("w", 1),), found)).best == best


def test_front_page_has_every_part_and_its_pictures(tmp_path: Path) -> None:
    interests = generate_interests("zipf", nodes=40, topics=12, subscriptions="5-8", seed=1)
    for name in ("askubuntu", "deezer"):
        write_interests(tmp_path / f"{name}.parquet", interests)
    rows = in_this_process(benchmarks()["short-paths"])
    stages: list[str] = []
    results = measure_front(
        PLANS["tiny"], rows, data=tmp_path, keep=tmp_path / "kept",
        tell=lambda stage, done: stages.append(stage),
    )  # fmt: skip
    text = front_document(results, tmp_path)
    for part in ("The effect of the parameters", "Ask Ubuntu", "Heavy tails", "Where we stand"):
        assert f"# {part}" in text
    pictures = sorted(tmp_path.rglob("*.png"))
    assert [path.name for path in pictures] == [
        "front.png", "front_askubuntu.png", "front_deezer.png",
    ]  # fmt: skip
    assert all(str(path.relative_to(tmp_path)) in text for path in pictures)
    assert not results.conditions.resumed
    assert {one.parameter for one in results.varied if one.chosen} == {
        one.parameter for one in results.varied
    }
    assert stages


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ((4.0, 10, 12), "they are equal"),
        ((4.0, 9, 12), "ours beats it"),
        ((4.4, 10, 12), "it beats ours"),
        ((4.4, 10, 11), "neither beats the other"),
    ],
)
def test_verdict_on_two_points_in_three_measures(
    ours: tuple[float, int, int], expected: str
) -> None:
    assert verdict(point("x", *ours), point("x", 4.0, 10, 12)) == expected


def point(label: str, mean: float, most: int, hops: int) -> FrontPoint:
    return FrontPoint(label, mean, most, most, 1, 1, 1, hops, hops, 0.0, 1.0, kind="ours")


def test_published_point_is_beaten_by_point_no_worse_in_any_measure() -> None:
    points = [
        point("low-oda", 4.0, 10, 12),
        point("low-oda:rho=5", 4.5, 8, 12),
        point("minmax-oda", 5.0, 7, 30),
        point("greedy-merge", 3.0, 9, 9),
        point("cover-forest", 4.0, 10, 12),
        point("cover-forest:radius=5", 3.9, 10, 12),
        point("cover-forest:radius=4", 4.5, 8, 11),
        point("bounded-radius", 4.4, 8, 12),
    ]
    named = {theirs.label: ours and ours.label for theirs, ours in beaten(points)}
    assert named == {
        "low-oda": "cover-forest:radius=5",
        "low-oda:rho=5": "bounded-radius",
        "minmax-oda": None,
    }


def test_users_are_drawn_among_those_of_many_topics() -> None:
    interests = generate_interests("rss", nodes=60, topics=20, subscriptions="1-9", seed=1)
    drawn = some_users(interests, 10, 5)
    assert drawn.node_count == 10
    assert drawn.subscription_sizes.min() >= 5
