"""A standalone cluster on this machine: a master and two workers, one of which is killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from gossamer.design.partitioned_merge import partitioned_merge
from gossamer.pipeline.java import find_java
from gossamer.tables import read_interests, read_links, write_interests
from gossamer.workloads import generate_interests
from tests.quick_spark import QUICK_JAVA, QUICK_SPARK

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.processes

SECONDS_TO_WAIT = 240
HOME = Path(pyspark.__file__).parent
SETTINGS = {
    **QUICK_SPARK,
    "spark.driver.memory": "512m",
    "spark.executor.extraJavaOptions": QUICK_JAVA,
    "spark.executor.memory": "512m",
    "spark.pyspark.python": sys.executable,
}
CONF = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value}")]


@dataclass(frozen=True)
class Cluster:
    """Address of the master, processes of the workers, and environment of clients."""

    url: str
    workers: list[subprocess.Popen[bytes]]
    environment: dict[str, str]


def wait_for(what: Callable[[], object], described: str) -> None:
    end = time.monotonic() + SECONDS_TO_WAIT
    while not what():
        assert time.monotonic() < end, f"waited too long for {described}"
        time.sleep(0.05)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started: executors are in the group of their worker."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA,
        "PYSPARK_PYTHON": sys.executable,
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *words: str) -> Path:
        log = folder / f"{name}.log"
        with log.open("wb") as output:
            started.append(
                subprocess.Popen(
                    [HOME / "bin" / "spark-class", *words, "--host", "127.0.0.1"],
                    env=environment, cwd=folder, start_new_session=True,
                    stdout=output, stderr=subprocess.STDOUT,
                )
            )  # fmt: skip
        return log

    def said(log: Path, pattern: str) -> re.Match[str] | None:
        assert started[-1].poll() is None, log.read_text()
        return re.search(pattern, log.read_text(errors="replace"))

    try:
        place, ports = "org.apache.spark.deploy", ("--port", "0", "--webui-port", "0")
        log = start("master", f"{place}.master.Master", *ports)
        address = r"Starting Spark master at (spark://\S+)"
        wait_for(lambda: said(log, address), "the master")
        found = said(log, address)
        assert found is not None
        for name in ("first", "second"):
            size = ("-c", "1", "-m", "1g", "-d", str(folder / name))
            log = start(name, f"{place}.worker.Worker", *ports, *size, found.group(1))
            wait_for(partial(said, log, "Successfully registered"), "a worker")
        yield Cluster(found.group(1), started[1:], environment)
    finally:
        for process in reversed(started):
            kill(process)


def test_commands_on_a_standalone_cluster(cluster: Cluster, tmp_path: Path) -> None:
    out = tmp_path / "w.parquet"
    done = subprocess.run(
        [sys.executable, "-m", "gossamer", "workload", "rss", "--nodes", "9000", "--topics", "50",
         "--subscriptions", "0-8", "--seed", "3", "--out", out,
         "--engine", "spark", "--master", cluster.url, *CONF, "--conf", "spark.cores.max=1"],
        env=cluster.environment, cwd=tmp_path, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = generate_interests("rss", nodes=9000, topics=50, subscriptions="0-8", seed=3)
    assert f"{expected.subscription_count:,}" in done.stdout
    assert "Exception" not in done.stderr
    write_interests(tmp_path / "m.parquet", expected)
    assert out.read_bytes() == (tmp_path / "m.parquet").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["m.parquet", "w.parquet"]


SUBMITTED = """
import pathlib, sys, threading, time, uuid
from pyspark.sql import SparkSession
from gossamer.pipeline import design, map_tasks, generate

folder = sys.argv[1]
session = SparkSession.builder.getOrCreate()
made = generate("nyse", folder + "/w.csv", nodes=60, topics=30, subscriptions=4, seed=7)


def wait(name):
    end = time.monotonic() + 240
    while not pathlib.Path(folder, name).exists() and time.monotonic() < end:
        time.sleep(0.05)


def work(item):
    pathlib.Path(folder, "started", f"{item}-{uuid.uuid4().hex}").touch()
    wait("go")
    return item * item


def run_tasks():
    found.extend(map_tasks(session, work, range(5), per_task=1))


def report(stage, done):
    if "merging 2 topics" in stage and not pathlib.Path(folder, "merging").exists():
        pathlib.Path(folder, "merging").touch()
        tasks.start()
        wait("go")


found, tasks = [], threading.Thread(target=run_tasks)
design(folder + "/w.csv", folder + "/links.csv", seed=2, progress=report)
tasks.join()
assert sorted(found) == [(item, item * item) for item in range(5)], found
assert session.range(7).count() == 7
pathlib.Path(folder, "finished").touch()
wait("end")
print("all", made.subscriptions, session.conf.get("spark.app.name"))
session.stop()  # and with it the server of Spark Connect
"""


CLIENT = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession
from gossamer.errors import TableError
from gossamer.pipeline import map_tasks, generate

folder, address = sys.argv[1:]
session = SparkSession.builder.remote(address).getOrCreate()
assert isinstance(session, ConnectSession)
options = dict(nodes=70, topics=9, subscriptions="0-5", seed=3)
made = generate("rss", folder + "/c.parquet", **options, session=session)
generate("rss", folder + "/tables", **options, session=session)


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


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def check_connect_client(cluster: Cluster, folder: Path, address: str) -> None:
    """Run jobs on a session of Spark Connect that the caller passes in."""
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, str(folder), address],
        env=cluster.environment, cwd=folder, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    expected = generate_interests("rss", nodes=70, topics=9, subscriptions="0-5", seed=3)
    assert done.stdout.split() == ["5", str(expected.subscription_count)]
    write_interests(folder / "m.parquet", expected)
    assert (folder / "c.parquet").read_bytes() == (folder / "m.parquet").read_bytes()
    assert (folder / "tables" / "subscriptions").is_dir()


def test_submitted_script_and_its_connect_client_survive_a_lost_worker(
    cluster: Cluster, tmp_path: Path
) -> None:
    """The session is the one of spark-submit, and serves a client of Spark Connect too.

    A worker and its executor die in the middle of a design and of tasks that run beside it.
    """
    pytest.importorskip("grpc")
    port = free_port()
    script, begun = tmp_path / "script.py", tmp_path / "started"
    script.write_text(SUBMITTED)
    begun.mkdir()
    submit = str(HOME / "bin" / "spark-submit")
    connect = [
        "--conf", "spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin",
        "--conf", f"spark.connect.grpc.binding.port={port}",
    ]  # fmt: skip
    words = [submit, "--name", "submitted", "--master", cluster.url, *CONF, *connect, str(script)]
    with (tmp_path / "log").open("w+") as log:
        process = subprocess.Popen(
            [*words, str(tmp_path)], env=cluster.environment, cwd=tmp_path,
            start_new_session=True, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        try:

            def reached(point: str) -> bool:
                assert process.poll() is None, (tmp_path / "log").read_text()[-4000:]
                return (tmp_path / point).exists()

            def tasks_on_both_workers() -> bool:
                assert process.poll() is None, (tmp_path / "log").read_text()[-4000:]
                return len(list(begun.iterdir())) >= 2

            wait_for(partial(reached, "merging"), "a design that merges")
            wait_for(tasks_on_both_workers, "a task on each of the workers")
            kill(cluster.workers[1])
            (tmp_path / "go").touch()
            wait_for(partial(reached, "finished"), "the end of the tasks")
            check_connect_client(cluster, tmp_path, f"sc://127.0.0.1:{port}")
            (tmp_path / "end").touch()
            output, _ = process.communicate(timeout=SECONDS_TO_WAIT)
        finally:
            kill(process)
    assert process.returncode == 0, (tmp_path / "log").read_text()[-4000:]
    assert output.decode().split() == ["all", "240", "submitted"]
    items = [path.name.split("-")[0] for path in begun.iterdir()]
    assert set(items) == {"0", "1", "2", "3", "4"}
    assert len(items) > 5, "what was lost with the worker was run again"
    expected = generate_interests("nyse", nodes=60, topics=30, subscriptions=4, seed=7)
    write_interests(tmp_path / "m.csv", expected)
    assert (tmp_path / "w.csv").read_bytes() == (tmp_path / "m.csv").read_bytes()
    read = read_interests(tmp_path / "w.csv")
    links = read_links(tmp_path / "links.csv", read).links
    assert np.array_equal(links, partitioned_merge(read, seed=2).links)
