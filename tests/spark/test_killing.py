"""A job that is killed at any moment leaves no partial table, and resumes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gossamer.pipeline import Folder, Job, read_manifests, read_table
from gossamer.tables import LINKS, SUBSCRIPTIONS
from tests.quick_spark import QUICK_SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.processes

SECONDS_TO_WAIT = 240

SCRIPT = """
import json, pathlib, sys, time
from gossamer.pipeline import Job, spark_session
from gossamer.tables import LINKS, SUBSCRIPTIONS

folder, marks, stop, settings = *sys.argv[1:4], json.loads(sys.argv[4])


def reach(point):
    pathlib.Path(marks, point).touch()
    if point == stop:
        time.sleep(600)


def rows(batches):
    for batch in batches:
        yield batch
        if 9 in batch.column(0).to_pylist():
            reach("in the write")


def links():
    reach("between tables")
    return session.range(0, 10, 1, 2).selectExpr("id AS source", "id + 1 AS target")


with spark_session(master="local[2]", settings=settings) as session:
    job = Job(session, folder, "killed", seed=1)
    frame = session.range(0, 10, 1, 2).selectExpr("id AS node", "id AS topic")
    job.table(SUBSCRIPTIONS, lambda: frame.mapInArrow(rows, "node bigint, topic bigint"))
    job.table(LINKS, links)
    job.finish()
"""


def kill_at(point: str, folder: Path, marks: Path) -> None:
    """Run the job until it reaches a point, and kill it there with all it started."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), str(marks), point, json.dumps(QUICK_SPARK)],
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + SECONDS_TO_WAIT
        while not (marks / point).exists():
            if process.poll() is not None or time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                pytest.fail(f"did not get there: {process.communicate()[1]}")
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_killed_job_leaves_no_partial_table_and_resumes(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder, marks = tmp_path / "tables", tmp_path / "marks"
    marks.mkdir()

    kill_at("in the write", folder, marks)
    assert Folder.at(folder).children() == [], "a half-written table is not to be seen"
    assert read_manifests(folder)["killed"].tables == {}

    kill_at("between tables", folder, marks)
    assert Folder.at(folder).children() == ["subscriptions"]
    assert set(read_manifests(folder)["killed"].tables) == {"subscriptions"}
    whole = {path: path.stat().st_mtime_ns for path in (folder / "subscriptions").iterdir()}
    table = read_table(spark, folder / "subscriptions", SUBSCRIPTIONS)
    assert sorted(tuple(row) for row in table.collect()) == [(k, k) for k in range(10)]

    def never() -> None:
        raise AssertionError("made again")

    job = Job(spark, folder, "killed", seed=1)
    job.table(SUBSCRIPTIONS, never)  # type: ignore[arg-type]
    frame = spark.range(10).selectExpr("id AS source", "id + 1 AS target")
    links = job.table(LINKS, lambda: frame)
    job.finish()
    assert sorted(tuple(row) for row in links.collect()) == [(k, k + 1) for k in range(10)]
    assert {path: path.stat().st_mtime_ns for path in whole} == whole
    assert read_manifests(folder)["killed"].finished
    assert sorted(os.listdir(folder)) == ["_gossamer", "links", "subscriptions"]
    assert os.listdir(folder / "_gossamer") == ["killed.json"]
