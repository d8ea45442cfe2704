"""The Spark session of a job: its owner, its settings, and its errors."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from gossamer.errors import (
    EngineError,
    GossamerError,
    MissingPackageError,
    OverlayError,
    TableError,
)
from gossamer.pipeline import default_settings, parallelism, spark_faults, spark_session
from gossamer.pipeline.session import _cores

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_given_session_is_used_and_left_running(spark: SparkSession) -> None:
    with spark_session(spark, master="spark://nowhere:1") as session:
        assert session is spark
    assert spark.range(3).count() == 3


def test_active_session_is_used_and_left_running(spark: SparkSession) -> None:
    with spark_session(settings={"spark.app.name": "another"}) as session:
        assert session is spark
    assert spark.range(3).count() == 3


def test_missing_pyspark_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyspark" else real(name)
    )
    with (
        pytest.raises(MissingPackageError, match=r"pip install 'gossamer\[spark\]'"),
        spark_session(),
    ):
        pass


def test_default_settings_by_master() -> None:
    local = default_settings("local[3]")
    assert local["spark.sql.shuffle.partitions"] == "12"
    assert local["spark.driver.host"] == "127.0.0.1"
    assert local["spark.ui.enabled"] == "false"
    cluster = default_settings("spark://host:7077")
    assert "spark.driver.memory" not in cluster
    assert "spark.sql.shuffle.partitions" not in cluster
    assert local.items() > cluster.items()
    assert default_settings("local", cores=5)["spark.sql.shuffle.partitions"] == "20"


@pytest.mark.parametrize(("master", "cores"), [("local", 1), ("local[7]", 7), ("local[2,4]", 2)])
def test_cores_of_a_local_master(master: str, cores: int) -> None:
    assert _cores(master) == cores


def test_parallelism(spark: SparkSession) -> None:
    assert parallelism(spark) == 2


def test_gossamer_error_of_a_task_is_raised_again(spark: SparkSession) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            raise OverlayError("links 'a' to itself: the cause")
        yield from batches

    frame = spark.range(1).mapInArrow(fail, "id bigint")
    with pytest.raises(OverlayError, match=r"^links 'a' to itself: the cause$"), spark_faults():
        frame.collect()


def test_other_failures_of_spark_are_one_line(spark: SparkSession) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            raise ZeroDivisionError("by nothing")
        yield from batches

    frame = spark.range(1).mapInArrow(fail, "id bigint")
    with pytest.raises(EngineError, match="Spark failed: ") as caught, spark_faults():
        frame.collect()
    assert "ZeroDivisionError: by nothing" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(EngineError, match=r"Spark failed: .*nothing_there"), spark_session(spark):
        spark.sql("SELECT nothing_there").collect()


def test_errors_outside_spark_are_not_changed(spark: SparkSession) -> None:
    faults: list[Exception] = [TableError("ours"), ValueError("the caller's")]
    for fault in faults:
        with pytest.raises(type(fault)) as caught, spark_session(spark):
            raise fault
        assert caught.value is fault
        assert isinstance(caught.value, GossamerError | ValueError)
