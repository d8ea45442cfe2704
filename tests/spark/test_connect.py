"""Jobs on a Spark Connect session of the caller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.pipeline.java import find_java
from gossamer.tables import write_interests
from gossamer.workloads import generate_interests
from tests.quick_spark import QUICK_SPARK

pytest.importorskip("grpc")
pytestmark = pytest.mark.processes

SCRIPT = """
import json, sys
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession
from gossamer.errors import TableError
from gossamer.pipeline import map_tasks, generate


settings = {**json.loads(sys.argv[2]), "spark.pyspark.python": sys.executable}
builder = SparkSession.builder.remote("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
assert isinstance(session, ConnectSession)
asked = dict(nodes=70, topics=9, subscriptions="0-5", seed=3)
made = generate("rss", sys.argv[1] + "/w.parquet", **asked, session=session)
generate("rss", sys.argv[1] + "/tables", **asked, session=session)


def work(item):
    if item == 99:
        raise TableError("ninety-nine")
    return item * item


assert sorted(map_tasks(session, work, range(9), per_task=3)) == [(k, k * k) for k in range(9)]
try:
    list(map_tasks(session, work, [99], slots=1))
except TableError as fault:
    assert str(fault) == "ninety-nine"
else:
    raise AssertionError("no error")
print(session.range(5).count(), made.subscriptions)
session.stop()
"""


def test_jobs_on_a_spark_connect_session(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), json.dumps(QUICK_SPARK)],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    expected = generate_interests("rss", nodes=70, topics=9, subscriptions="0-5", seed=3)
    assert done.stdout.split() == ["5", str(expected.subscription_count)]
    write_interests(tmp_path / "m.parquet", expected)
    assert (tmp_path / "w.parquet").read_bytes() == (tmp_path / "m.parquet").read_bytes()
    assert (tmp_path / "tables" / "subscriptions").is_dir()
