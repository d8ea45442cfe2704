"""Jobs that are killed at any moment leave no partial table, and resume.

One process runs three jobs until each is at its moment, and is killed with all of them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gossamer
from gossamer import pipeline
from gossamer.model import Interests
from gossamer.pipeline import Folder, Job, read_manifests, read_table
from gossamer.tables import LINKS, SUBSCRIPTIONS
from tests.quick_spark import QUICK_SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.processes

SECONDS_TO_WAIT = 240
ROOT = str(Path(__file__).parents[2])
SETTINGS = {**QUICK_SPARK, "spark.python.daemon.module": "tests.spark_daemon"}
MOMENTS = ("in the write", "between tables", "merging")

SCRIPT = """
import json, pathlib, sys, threading, time
from gossamer import pipeline
from gossamer.pipeline import Job, spark_session
from gossamer.tables import LINKS, SUBSCRIPTIONS

folder, settings = sys.argv[1], json.loads(sys.argv[2])


def reach(moment):
    pathlib.Path(folder, moment).touch()
    time.sleep(600)


def write_slowly(batches):
    for batch in batches:
        yield batch
        if 9 in batch.column(0).to_pylist():
            reach("in the write")


def write(batches):
    yield from batches


def links():
    reach("between tables")


def run(tables, write):
    job = Job(session, folder + "/" + tables, "killed", seed=1)
    frame = session.range(0, 10, 1, 2).selectExpr("id AS node", "id AS topic")
    job.table(SUBSCRIPTIONS, lambda: frame.mapInArrow(write, "node bigint, topic bigint"))
    job.table(LINKS, links)


def report(stage, done):
    if "merging 2 topics" in stage:
        reach("merging")


with spark_session(master="local[4]", settings=settings) as session:
    for words in (("in-the-write", write_slowly), ("between-tables", write)):
        threading.Thread(target=run, args=words, daemon=True).start()
    pipeline.design(
        folder + "/s.parquet", folder + "/links.parquet", seed=2, session=session, progress=report
    )
"""


@dataclass(frozen=True)
class Killed:
    """Folder of the killed jobs, and the subscriptions of the design."""

    folder: Path
    interests: Interests


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """Run the jobs until each reaches its moment, and kill them with all that was started."""
    folder = tmp_path_factory.mktemp("killed")
    gossamer.write_interests(
        folder / "s.parquet",
        gossamer.generate_interests("rss", nodes=200, topics=30, subscriptions=6, seed=1),
    )
    python_path = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), json.dumps(SETTINGS)],
        env={**os.environ, "PYTHONPATH": python_path}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + SECONDS_TO_WAIT
        while not all((folder / moment).exists() for moment in MOMENTS):
            if process.poll() is not None or time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                pytest.fail(f"did not get there: {process.communicate()[1]}")
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return Killed(folder, gossamer.read_interests(folder / "s.parquet"))


def finish(spark: SparkSession, folder: Path) -> None:
    """Run the job again until its end, and check its tables."""
    job = Job(spark, folder, "killed", seed=1)
    frame = spark.range(10)
    nodes = job.table(SUBSCRIPTIONS, lambda: frame.selectExpr("id AS node", "id AS topic"))
    links = job.table(LINKS, lambda: frame.selectExpr("id AS source", "id + 1 AS target"))
    job.finish()
    assert sorted(tuple(row) for row in nodes.collect()) == [(k, k) for k in range(10)]
    assert sorted(tuple(row) for row in links.collect()) == [(k, k + 1) for k in range(10)]
    assert read_manifests(folder)["killed"].finished
    assert sorted(os.listdir(folder)) == ["_gossamer", "links", "subscriptions"]
    assert os.listdir(folder / "_gossamer") == ["killed.json"]


def test_job_killed_in_a_write_leaves_no_partial_table_and_resumes(
    spark: SparkSession, killed: Killed
) -> None:
    folder = killed.folder / "in-the-write"
    assert Folder.at(folder).children() == [], "a half-written table is not to be seen"
    assert read_manifests(folder)["killed"].tables == {}
    finish(spark, folder)


def test_job_killed_between_tables_resumes_after_the_first(
    spark: SparkSession, killed: Killed
) -> None:
    folder = killed.folder / "between-tables"
    assert Folder.at(folder).children() == ["subscriptions"]
    assert set(read_manifests(folder)["killed"].tables) == {"subscriptions"}
    whole = {path: path.stat().st_mtime_ns for path in (folder / "subscriptions").iterdir()}
    table = read_table(spark, folder / "subscriptions", SUBSCRIPTIONS)
    assert sorted(tuple(row) for row in table.collect()) == [(k, k) for k in range(10)]

    def never() -> None:
        raise AssertionError("made again")

    Job(spark, folder, "killed", seed=1).table(SUBSCRIPTIONS, never)  # type: ignore[arg-type]
    finish(spark, folder)
    assert {path: path.stat().st_mtime_ns for path in whole} == whole


def test_killed_design_resumes(spark: SparkSession, killed: Killed) -> None:
    folder, out = killed.folder, killed.folder / "links.parquet"
    assert not out.exists()
    steps: list[str] = []
    pipeline.design(
        folder / "s.parquet", out, seed=2, session=spark,
        progress=lambda stage, _: steps.append(stage),
    )  # fmt: skip
    assert not any(stage.startswith("writing numbered") for stage in steps)
    assert all("merging 2 topics" in stage for stage in steps if stage.startswith("merging"))
    overlay = gossamer.partitioned_merge(killed.interests, seed=2)
    assert np.array_equal(gossamer.read_links(out, killed.interests).links, overlay.links)
    assert not (folder / ".links.parquet.job").exists()
