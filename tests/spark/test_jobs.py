"""Jobs: tables are complete or absent, resumed, and checked when read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import EngineError, ParameterError, TableError
from gossamer.pipeline import Folder, Job, check_frame, read_manifests, read_table, spark_session
from gossamer.pipeline.frames import read_parquet, spark_type
from gossamer.pipeline.inputs import subscriptions_in
from gossamer.tables import SUBSCRIPTIONS
from gossamer.tables.schema import FOLLOWS, RATES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PAIRS = [(1, 7), (2, 7), (2, 8)]


def pairs(session: SparkSession, rows: list[tuple[int, int]] = PAIRS) -> DataFrame:
    return session.createDataFrame(rows, "node bigint, topic bigint").coalesce(1)


def listed(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def never() -> Any:
    raise AssertionError("made again")


def test_table_is_written_and_entered_in_the_manifest(spark: SparkSession, tmp_path: Path) -> None:
    steps: list[str] = []
    job = Job(spark, tmp_path / "t", "one", progress=lambda stage, _: steps.append(stage))
    assert not job.has("subscriptions")
    assert listed(job.table(SUBSCRIPTIONS, lambda: pairs(spark))) == PAIRS
    assert job.fact("sum", lambda: {"of": 3}) == {"of": 3}
    unfinished = job.finished
    job.finish()
    assert (unfinished, job.finished) == (False, True)
    assert job.rows("subscriptions") == 3
    assert steps == ["writing subscriptions", "wrote subscriptions: 3 rows"]
    (manifest,) = read_manifests(tmp_path / "t").values()
    assert manifest.tables["subscriptions"].schema == "subscriptions"
    assert manifest.facts == {"sum": {"of": 3}}
    assert {"gossamer", "pyspark", "python"} <= set(manifest.versions)
    assert sorted(os.listdir(tmp_path / "t")) == ["_gossamer", "subscriptions"]
    assert os.listdir(tmp_path / "t" / "_gossamer") == ["one.json"]


def test_interrupted_job_resumes(spark: SparkSession, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"parameters": {"a": 1}, "seed": 2**64 - 1}
    first = Job(spark, tmp_path, "one", **arguments)
    first.table(SUBSCRIPTIONS, lambda: pairs(spark), name="work/half")
    first.table(SUBSCRIPTIONS, lambda: pairs(spark))
    first.fact("count", lambda: 3)
    again = Job(spark, tmp_path, "one", **arguments)
    assert again.has("work/half")
    assert listed(again.table(SUBSCRIPTIONS, never)) == PAIRS
    assert listed(again.table(SUBSCRIPTIONS, never, name="work/half")) == PAIRS
    assert again.fact("count", never) == 3
    again.finish()
    assert not again.has("work/half"), "what was needed on the way is removed"
    assert os.listdir(tmp_path / "_gossamer") == ["one.json"]
    assert (tmp_path / "subscriptions").is_dir()
    assert Job(spark, tmp_path, "one", **arguments).finished
    other = Job(spark, tmp_path, "two", **arguments)
    assert not other.has("subscriptions"), "another job's"
    assert set(read_manifests(tmp_path)) == {"one", "two"}


def test_other_inputs_or_parameters_start_a_job_again(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "raw.txt"
    source.write_text("first")

    def run(rows: list[tuple[int, int]], **arguments: Any) -> Job:
        job = Job(spark, tmp_path / "t", "one", inputs=[source], **arguments)
        job.table(SUBSCRIPTIONS, lambda: pairs(spark, rows))
        return job

    run([(1, 1)])
    assert run([(2, 2)]).rows("subscriptions") == 1
    assert listed(read_table(spark, tmp_path / "t/subscriptions", SUBSCRIPTIONS)) == [(1, 1)]
    source.write_text("second, longer")
    run([(3, 3)])
    assert listed(read_table(spark, tmp_path / "t/subscriptions", SUBSCRIPTIONS)) == [(3, 3)]
    run([(4, 4)], seed=1)
    assert listed(read_table(spark, tmp_path / "t/subscriptions", SUBSCRIPTIONS)) == [(4, 4)]
    run([(5, 5)], seed=1, parameters={"a": 0.5})
    assert listed(read_table(spark, tmp_path / "t/subscriptions", SUBSCRIPTIONS)) == [(5, 5)]


def test_failed_write_leaves_no_table(spark: SparkSession, tmp_path: Path) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            if 9 in batch.column(0).to_pylist():
                raise TableError("the ninth row is bad")

    job = Job(spark, tmp_path, "one")
    frame = spark.range(0, 10, 1, 2).selectExpr("id AS node", "id AS topic")
    kind = "node bigint, topic bigint"
    with pytest.raises(TableError, match="the ninth row is bad"), spark_session(spark):
        job.table(SUBSCRIPTIONS, lambda: frame.mapInArrow(fail, kind))
    assert os.listdir(tmp_path) == ["_gossamer"]
    assert Folder.at(tmp_path).children() == []
    with pytest.raises(TableError, match="subscriptions: is not a table of subscriptions: 'topic'"):
        job.table(SUBSCRIPTIONS, lambda: spark.range(3).selectExpr("id AS node"))
    assert os.listdir(tmp_path) == ["_gossamer"]
    assert listed(job.table(SUBSCRIPTIONS, lambda: pairs(spark))) == PAIRS


def test_bad_manifest_and_file_for_a_folder_are_errors(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="file: is a file; expected a folder"):
        Job(spark, tmp_path / "file", "one")
    (tmp_path / "_gossamer").mkdir()
    (tmp_path / "_gossamer" / "one.json").write_text("{")
    with pytest.raises(TableError, match=r"one\.json: is not a job's manifest .*remove it to"):
        Job(spark, tmp_path, "one")


@pytest.mark.parametrize("name", ["with space", "50% é", "glob [a] {b} *?"])
def test_folders_with_special_characters(spark: SparkSession, tmp_path: Path, name: str) -> None:
    job = Job(spark, tmp_path / name, "one")
    assert listed(job.table(SUBSCRIPTIONS, lambda: pairs(spark))) == PAIRS
    assert listed(subscriptions_in(spark, tmp_path / name)) == PAIRS


# -- reading --------------------------------------------------------------------------


def test_reading_another_table_is_an_error_with_its_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"node": [1], "other": ["x"]}), path)
    with pytest.raises(TableError) as caught:
        read_table(spark, path, SUBSCRIPTIONS)
    assert str(caught.value) == (
        f"{path}: is not a table of subscriptions: 'topic' missing; "
        "the columns are: node bigint, other string"
    )
    with pytest.raises(TableError, match="'follower', 'followed' missing"):
        read_table(spark, path, FOLLOWS)
    pa.parquet.write_table(pa.table({"node": [1.5], "topic": ["x"]}), path)
    with pytest.raises(TableError, match="'node' is double; expected bigint or string"):
        read_table(spark, path, SUBSCRIPTIONS)
    with pytest.raises(TableError, match="there is no such file or folder"):
        read_table(spark, tmp_path / "gone", SUBSCRIPTIONS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="has no Parquet files; expected the table subscriptions"):
        read_table(spark, tmp_path / "empty", SUBSCRIPTIONS)
    path.write_text("not Parquet")
    with pytest.raises(EngineError, match="Spark failed"), spark_session(spark):
        read_table(spark, path, SUBSCRIPTIONS)


def test_columns_of_a_parquet_file_are_those_that_spark_finds(
    spark: SparkSession, tmp_path: Path
) -> None:
    columns: dict[str, Any] = {
        "a `quoted` name": pa.array([1], pa.int8()),
        "texts": pa.array([["x"]]),
        "lists": pa.array([[[1]]], pa.list_(pa.list_(pa.int32()))),
        "flag": [True],
        "half": pa.array([0.5], pa.float32()),
        "bytes": [b"x"],
    }
    path = tmp_path / "t [1].parquet"
    for more in ({}, {"time": pa.array([0], pa.timestamp("us"))}):
        pa.parquet.write_table(pa.table(columns | more), path)
        found = read_parquet(spark, Folder.at(path))
        assert found.schema == spark.read.parquet(Folder.at(path).spark_pattern).schema
    assert found.count() == 1


def test_columns_are_in_the_order_of_the_schema(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1.5D AS per_second, 'x' AS more, 2L AS publications, 'a' AS topic")
    assert check_frame(frame, RATES, what="rates").columns == list(RATES.column_names)
    with pytest.raises(TableError, match="'publications' is int; expected bigint"):
        check_frame(spark.sql("SELECT 'a' topic, 2 publications, 1D per_second"), RATES, what="r")


def test_spark_names_of_types() -> None:
    assert spark_type(pa.list_(pa.list_(pa.string()))) == "array<array<string>>"
    assert spark_type(pa.int32()) == "int"


# -- folders --------------------------------------------------------------------------


def test_folders_by_path_and_uri(tmp_path: Path) -> None:
    by_path, by_uri = Folder.at(tmp_path / "f"), Folder.at(f"file://{tmp_path}/f")
    assert by_path.path == by_uri.path
    assert by_uri.local
    by_uri.make()
    (by_path / "a").write_bytes(b"1")
    assert (by_uri / "a").read_bytes() == b"1"
    assert (by_uri / "b").read_bytes() is None
    (by_path / "_x").write_bytes(b"")
    assert by_uri.children() == ["a"]
    assert [row[:2] for row in by_path.signature()] == [["_x", 0], ["a", 1]]
    (by_path / "a").move_to(by_path / "c")
    assert by_path.children() == ["c"]
    by_path.remove()
    by_path.remove()
    assert not by_uri.exists()
    with pytest.raises(ParameterError, match="a folder's name is empty"):
        Folder.at("")
    with pytest.raises(ParameterError, match="nowhere://x: cannot be reached"):
        Folder.at("nowhere://x")
