"""Spark session of a job: the caller's, or one that is started for the job.

A session of the caller, or an active one, is used and never stopped. Otherwise a session is
started: embedded in this process by default, on a cluster if ``master`` names one
(``spark://…``, ``yarn``, ``k8s://…``), on Spark Connect for ``sc://…``, and on the master of
``spark-submit`` in a submitted script. Pyspark is imported in the functions that use it.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from gossamer import errors
from gossamer.errors import EngineError, GossamerError, ParameterError
from gossamer.extras import require
from gossamer.pipeline.java import cache_folder, find_java
from gossamer.plugins import loaded_modules
from gossamer.progress import Progress, silent

if TYPE_CHECKING:
    from types import ModuleType

    from pyspark.sql import SparkSession

GIBIBYTE = 1 << 30
MASTERS = r"local(\[[\w*,.-]+\])?$|local-cluster\[|spark://.|sc://.|yarn|k8s://.|mesos://."
MAX_FAULT_CHARACTERS = 600


@contextmanager
def spark_session(
    session: SparkSession | None = None,
    *,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Iterator[SparkSession]:
    """Provide a Spark session, and stop it at the end if it was started here.

    Parameters
    ----------
    session
        Session of the caller, which is left running.
    master
        Spark master: ``local[2]``, ``spark://host:7077``, ``sc://host`` and so on. By default
        the active session, else the master of ``spark-submit`` or ``SPARK_REMOTE``, else
        ``local[*]``.
    settings
        Spark settings that replace the defaults of the same name.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    MissingPackageError
        If PySpark is not installed.
    EngineError
        If Spark does not start.
    """
    (progress or silent)("starting Spark", 0.0)
    if session is not None:
        send_plugins()
        with spark_faults():
            yield session
        return
    require("pyspark", purpose="Spark")
    from pyspark.sql import SparkSession

    send_plugins()
    active = SparkSession.getActiveSession()
    if active is not None:
        with spark_faults():
            yield active
        return
    with spark_faults():
        started = _start(master, dict(settings or {}))
    try:
        with spark_faults():
            yield started
    finally:
        with suppress(Exception):  # Java may have stopped
            started.stop()


def default_settings(master: str, *, cores: int | None = None) -> dict[str, str]:
    """Return the default Spark settings for a master.

    For all: Arrow between Java and Python, UTC, no console bars. For an embedded session also:
    no web page, loopback addresses, few shuffle partitions, and a sixth of the machine's memory
    for Java, since the kernels need the rest.
    """
    everywhere = {
        "spark.app.name": "gossamer",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.ui.showConsoleProgress": "false",
    }
    if not master.startswith("local"):
        return everywhere
    count = cores or _cores(master)
    memory = max(1, min(8, _memory_bytes() // 6 // GIBIBYTE))
    return everywhere | {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": f"{memory}g",
        "spark.driver.maxResultSize": f"{memory}g",
        "spark.sql.shuffle.partitions": str(4 * count),
        "spark.pyspark.python": sys.executable,
    }


def send_plugins() -> None:
    """Let Spark send the functions of plug-in files to its tasks, which cannot import the files.

    A plug-in that is an installed package must be installed on the machines of the tasks too.
    """
    from pyspark import cloudpickle

    register = cast("Callable[[ModuleType], None]", cloudpickle.register_pickle_by_value)
    for module in loaded_modules():
        register(module)


def parallelism(session: SparkSession) -> int:
    """Return the number of tasks that Spark runs in parallel."""
    from pyspark.sql import functions as f

    frame = session.range(10_000).select(f.spark_partition_id().alias("place"))
    return int(frame.agg(f.max("place")).collect()[0][0]) + 1


@contextmanager
def spark_faults() -> Iterator[None]:
    """Turn errors of Spark into errors of gossamer.

    An error of gossamer that was raised in a task is raised again; any other failure of Spark
    becomes an :class:`EngineError` with the line of the cause.
    """
    try:
        yield
    except GossamerError:
        raise
    except Exception as fault:
        if not _is_sparks(fault):
            raise
        text = str(fault)
        if "cancellation of all jobs" in text:  # pyspark was interrupted
            raise KeyboardInterrupt from None
        ours = re.findall(r"gossamer\.errors\.(\w+): (.*)", text)
        if ours:
            kind, message = ours[-1]
            raise getattr(errors, kind)(message) from None
        raise EngineError(f"Spark failed: {_gist(text)}") from fault


def _is_sparks(fault: Exception) -> bool:
    return any(
        kind.__module__.split(".")[0] in ("pyspark", "py4j", "grpc") for kind in type(fault).__mro__
    )


def _gist(text: str) -> str:
    """Return the line of a long trace that names the cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r"(Caused by: )?[\w.]+(Error|Exception)\b", line)]
    chosen = causes[-1] if causes else (lines[0] if lines else "no reason was given")
    return chosen[:MAX_FAULT_CHARACTERS]


def _start(master: str | None, settings: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    if master is not None and not re.match(MASTERS, master):
        raise ParameterError(
            f"the master is {master!r}; expected local[2], spark://host:7077, sc://host, yarn or "
            "k8s://…"
        )
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    remote = os.environ.get("SPARK_REMOTE") if master is None else None
    if master is not None and master.startswith("sc://"):
        remote = master
    builder: Any = SparkSession.builder
    if remote is not None:
        require("grpc", "grpc_status", purpose="Spark Connect")
        return _build(builder.remote(remote), settings)
    if submitted:  # spark-submit has started Java and knows the master
        started = default_settings("submitted") | settings
        return _build(builder, started)
    place = master or settings.get("spark.master") or os.environ.get("SPARK_MASTER") or "local[*]"
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    settings = default_settings(place) | settings
    if "spark.pyspark.python" in settings:
        os.environ["PYSPARK_PYTHON"] = settings["spark.pyspark.python"]
    with _quiet_java():
        return _build(builder.master(place), settings)


@contextmanager
def _quiet_java() -> Iterator[None]:
    """Redirect the standard error of the Java that is started inside to a log file.

    Java inherits standard error at its start, so ours is redirected until then. The file is
    removed when this process exits normally.
    """
    folder = cache_folder() / "logs"
    path = folder / f"spark-{os.getpid()}.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:  # no place for the log: Java writes to standard error
        yield
        return
    sys.stderr.flush()
    saved = os.dup(2)
    os.dup2(log, 2)
    try:
        yield
    except BaseException:
        os.dup2(saved, 2)
        raise
    else:
        os.dup2(saved, 2)
        atexit.register(path.unlink, missing_ok=True)
    finally:
        os.close(saved)
        os.close(log)


def _build(builder: Any, settings: Mapping[str, str]) -> SparkSession:
    for name, value in settings.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    return session


def _cores(master: str) -> int:
    """Return the number of cores of ``local[2]`` or ``local[*]``."""
    found = re.match(r"local\[(\d+)", master)
    if found:
        return int(found.group(1))
    if master == "local":
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _memory_bytes() -> int:
    """Return the memory of this machine, or of its container if that is less, bytes."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                total = min(total, int(file.read()))
        except (OSError, ValueError):
            continue
    return total
