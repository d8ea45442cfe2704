"""Workloads from Spark equal those in memory, row for row, whatever the partitions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from gossamer.cli.main import app
from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.pipeline import GenerateResult, export_table, generate, read_manifests
from gossamer.pipeline.stages import synthetic as generating
from gossamer.pipeline.stages.synthetic import draw_batch, draw_subscriptions
from gossamer.tables import LINKS, SUBSCRIPTIONS, read_interests, write_interests
from gossamer.workloads import PowerLawSizes, find_kind, generate_interests, kinds, parse_sizes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS = list(kinds())
TOPICS = 600  # what the bucketed kinds need
SIZES = [parse_sizes("4"), parse_sizes("0-6"), PowerLawSizes(1, 12, 2.0)]


def rows_of(interests: Interests) -> list[list[int]]:
    return [interests.node_column.tolist(), interests.node_topics.tolist()]


@pytest.mark.parametrize("place", range(len(KINDS)), ids=KINDS)
def test_every_kind_of_workload_in_any_number_of_partitions(
    spark: SparkSession, place: int
) -> None:
    kind, sizes, parts = KINDS[place], SIZES[place % 3], (1, 2, 3, 7)[place % 4]
    expected = generate_interests(
        kind, nodes=53, topics=TOPICS, subscriptions=sizes, seed=place * 10**18
    )
    frame = draw_subscriptions(
        spark.range(0, 53, 1, parts), find_kind(kind)(TOPICS, sizes), seed=place * 10**18
    )
    assert [list(column) for column in zip(*frame.collect(), strict=True)] == rows_of(expected)


@settings(max_examples=4)
@given(
    kind=st.sampled_from(KINDS),
    sizes=st.sampled_from(SIZES),
    nodes=st.integers(1, 40),
    parts=st.integers(1, 9),
    seed=st.integers(0, 2**64 - 1),
)
def test_subscriptions_do_not_depend_on_partitions(
    spark: SparkSession, kind: str, sizes: Any, nodes: int, parts: int, seed: int
) -> None:
    expected = generate_interests(kind, nodes=nodes, topics=TOPICS, subscriptions=sizes, seed=seed)
    pattern = find_kind(kind)(TOPICS, sizes)
    frame = draw_subscriptions(spark.range(0, nodes, 1, parts), pattern, seed=seed)
    assert [tuple(row) for row in frame.collect()] == list(zip(*rows_of(expected), strict=True))


@given(
    kind=st.sampled_from(KINDS),
    sizes=st.sampled_from(SIZES),
    nodes=st.integers(1, 60),
    at_once=st.integers(1, 100),
    seed=st.integers(0, 2**64 - 1),
)
def test_batches_of_subscriptions_are_bounded(
    kind: str, sizes: Any, nodes: int, at_once: int, seed: int
) -> None:
    expected = generate_interests(kind, nodes=nodes, topics=TOPICS, subscriptions=sizes, seed=seed)
    batch = pa.RecordBatch.from_arrays([pa.array(np.arange(nodes))], names=["id"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generating, "BATCH_ROWS", at_once)
        pieces = list(draw_batch(batch, find_kind(kind)(TOPICS, sizes), seed))
    assert all(piece.num_rows <= max(at_once, sizes.maximum) for piece in pieces)
    table = pa.Table.from_batches(pieces)
    assert [column.to_pylist() for column in table.columns] == rows_of(expected)


# -- the job --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv.gz"])
def test_generated_file_equals_that_of_memory_byte_for_byte(
    spark: SparkSession, tmp_path: Path, ending: str
) -> None:
    asked: dict[str, Any] = {"nodes": 9000, "topics": 60, "subscriptions": "0-9", "seed": 5}
    interests = generate_interests("zipf", **asked, alpha=0.7)
    write_interests(tmp_path / f"m.{ending}", interests)
    out = tmp_path / f"s.{ending}"
    made = generate("zipf", out, **asked, alpha=0.7, session=spark)
    assert out.read_bytes() == (tmp_path / f"m.{ending}").read_bytes()
    sizes, popularity = interests.subscription_sizes, interests.popularity
    assert made == GenerateResult(
        str(out), 9000, 60, interests.subscription_count,
        sizes.min(), sizes.max(), popularity.min(), popularity.max(),
    )  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == sorted([f"m.{ending}", f"s.{ending}"])


def test_generation_into_a_folder_resumes(spark: SparkSession, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"nodes": 300, "topics": 500, "subscriptions": 3, "seed": 5}
    made = generate("rss", tmp_path / "t", **asked, session=spark)
    interests = generate_interests("rss", **asked)
    assert made.subscriptions == 900
    assert (made.min_topics, made.max_topics) == (3, 3)
    assert (made.min_subscribers, made.max_subscribers) == (
        interests.popularity.min(),
        interests.popularity.max(),
    )
    write_interests(tmp_path / "m.parquet", interests)
    assert read_interests(tmp_path / "t") == read_interests(tmp_path / "m.parquet")
    (manifest,) = read_manifests(tmp_path / "t").values()
    assert manifest.finished
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "t/subscriptions").iterdir()}
    assert generate("rss", tmp_path / "t", **asked, session=spark) == made
    assert {path: path.stat().st_mtime_ns for path in parts} == parts, "nothing was written again"
    generate("rss", tmp_path / "t", **asked | {"seed": 6}, session=spark)
    assert not any(path.exists() for path in parts if path.suffix == ".parquet")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"nodes": 0}, "no node has a topic"),
        ({"subscriptions": 0}, "no node has a topic"),
        ({"nodes": -1}, "nodes is -1"),
        ({"subscriptions": "x"}, "subscriptions is 'x'"),
        ({"subscriptions": 100}, "expected at most 10"),
        ({"seed": -1}, "seed is -1"),
        ({"rate": 1.0}, "rss has no option 'rate'"),
        ({"out": "gone/w.parquet"}, "there is no folder gone"),
    ],
)
def test_bad_arguments_are_rejected_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: dict[str, Any] = {
        "out": "w.parquet",
        "nodes": 5,
        "topics": 10,
        "subscriptions": 3,
    } | changed
    with pytest.raises(ParameterError, match=says):
        generate("rss", master="spark://nowhere:1", **asked)
    assert os.listdir(tmp_path) == []


def test_workload_command_prints_the_same_as_in_memory(spark: SparkSession, tmp_path: Path) -> None:
    def run(*words: str | Path) -> str:
        result = CliRunner().invoke(app, ["workload", *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.stdout

    words = ("zipf", "--alpha", "0.9", "--nodes", "80", "--topics", "90",
             "--subscriptions", "1-6", "--exponent", "1.5", "--seed", "4", "--out")  # fmt: skip
    in_memory = run(*words, tmp_path / "m.parquet")
    on_spark = run(*words, tmp_path / "s.parquet", "--engine", "spark")
    assert on_spark.replace("s.parquet", "m.parquet") == in_memory
    assert (tmp_path / "s.parquet").read_bytes() == (tmp_path / "m.parquet").read_bytes()
    in_folder = run(*words, tmp_path / "tables", "--engine", "spark")
    assert in_folder.replace("tables", "m.parquet") == in_memory
    assert read_interests(tmp_path / "tables") == read_interests(tmp_path / "m.parquet")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--master", "local[2]"), "--master applies to Spark; give --engine spark too"),
        (("--engine", "spark", "--subscriptions", "x"), "subscriptions is 'x'"),
        (("--engine", "spark", "--nope", "1"), "rss has no option --nope"),
        (("--engine", "spark", "--conf", "x=1"), "--conf is 'x=1'; expected a name"),
    ],
)
def test_workload_command_rejects_bad_options(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    out = str(tmp_path / "w.parquet")
    result = CliRunner().invoke(app, ["workload", "rss", "--out", out, *words])
    assert result.exit_code == 2
    assert says in result.stderr
    assert os.listdir(tmp_path) == []


# -- one file out of parts --------------------------------------------------------------


def test_export_of_names_and_numbers(tmp_path: Path) -> None:
    """Texts that need quotes, in a late part; parts in the order of their numbers."""
    parts = tmp_path / "links"
    parts.mkdir()
    rows = {100000: ["a", 'say "x"'], 2: ["c", "d"], 99999: ["é", "f,g"]}
    for number, (source, target) in rows.items():
        table = pa.table({"target": [target], "source": [source], "more": [1]})
        pa.parquet.write_table(table, parts / f"part-{number:05d}-x.c000.zstd.parquet")
    assert export_table(parts, tmp_path / "l.csv", LINKS) == 3
    assert (tmp_path / "l.csv").read_text() == (
        'source,target\n"c","d"\n"é","f,g"\n"a","say ""x"""\n'
    )
    assert export_table(parts, tmp_path / "l.parquet", LINKS) == 3
    found = pa.parquet.read_table(tmp_path / "l.parquet")
    whole = LINKS.table(pa.array(["c", "é", "a"]), pa.array(["d", "f,g", 'say "x"']))
    assert found.equals(whole)
    assert found.schema.equals(whole.schema, check_metadata=True)


def test_export_of_no_rows_and_of_nulls(tmp_path: Path) -> None:
    parts = tmp_path / "links"
    parts.mkdir()
    none = pa.schema([("source", pa.int64()), ("target", pa.int64())]).empty_table()
    pa.parquet.write_table(none, parts / "part-00000.parquet")
    assert export_table(parts, tmp_path / "l.parquet", LINKS) == 0
    assert pa.parquet.read_table(tmp_path / "l.parquet").num_rows == 0
    assert export_table(parts, tmp_path / "l.csv", LINKS) == 0
    assert (tmp_path / "l.csv").read_text() == "source,target\n"
    nulls = pa.table({"source": pa.array([1, None], pa.int64()), "target": [1, 2]})
    pa.parquet.write_table(nulls, parts / "part-00001.parquet")
    assert export_table(parts, tmp_path / "l.parquet", LINKS) == 2
    schema = pa.parquet.read_schema(tmp_path / "l.parquet")
    assert [schema.field(name).nullable for name in LINKS.column_names] == [True, False]


def test_export_of_another_table_is_rejected(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    out = tmp_path / "out.parquet"
    with pytest.raises(TableError, match="has no Parquet files"):
        export_table(parts, out, SUBSCRIPTIONS)
    pa.parquet.write_table(pa.table({"node": [1]}), parts / "part-0.parquet")
    with pytest.raises(TableError, match="'topic' missing; the columns are: node"):
        export_table(parts, out, SUBSCRIPTIONS)
    pa.parquet.write_table(pa.table({"node": [1], "topic": [1]}), parts / "part-0.parquet")
    pa.parquet.write_table(pa.table({"node": ["a"], "topic": [1]}), parts / "part-1.parquet")
    with pytest.raises(TableError, match=r"'node' is string, and int64 in .*part-0"):
        export_table(parts, out, SUBSCRIPTIONS)
    (parts / "part-1.parquet").write_text("nonsense")
    with pytest.raises(TableError, match=r"part-1.parquet: the Parquet data cannot be read"):
        export_table(parts, out, SUBSCRIPTIONS)
    assert sorted(os.listdir(tmp_path)) == ["parts"]


def test_exported_row_groups_equal_those_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.pipeline.export.GROUP_ROWS", 10)
    parts = tmp_path / "parts"
    parts.mkdir()
    for number, (start, end) in enumerate([(0, 3), (3, 3), (3, 27), (27, 40)]):
        rows = pa.array(range(start, end), pa.int64())
        table = pa.table({"node": rows, "topic": rows})
        pa.parquet.write_table(table, parts / f"part-{number}.parquet")
    assert export_table(parts, tmp_path / "out.parquet", SUBSCRIPTIONS) == 40
    file = pa.parquet.ParquetFile(tmp_path / "out.parquet")
    assert [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)] == [10] * 4
    assert file.read().column("node").to_pylist() == list(range(40))
