"""Spark settings for tiny tables, used by every session of the tests.

Half the work of a short Java process is to load classes. ``python -m tests.class_archive`` writes
those that Spark loads to an archive in the user's cache, which Java maps into memory. Without it,
or with one of another Java, processes start slowly and the tests are the same.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gossamer.pipeline.java import cache_folder

__all__ = ["CLASS_ARCHIVE", "JAVA_WITHOUT_ARCHIVE", "QUICK_JAVA", "QUICK_SPARK"]


def _class_archive() -> Path:
    try:
        spark = version("pyspark")
    except PackageNotFoundError:
        spark = "none"
    return cache_folder() / "tests" / f"pyspark-{spark}.jsa"


CLASS_ARCHIVE = _class_archive()
"""Archive of the classes that Spark loads (class data sharing of Java)."""

JAVA_WITHOUT_ARCHIVE = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -XX:NewRatio=1 "
    "-XX:MetaspaceSize=256m -XX:-UsePerfData -XX:CompileThresholdScaling=0.05 "
    "-Djdk.lang.Process.launchMechanism=VFORK"
)
"""Java options for processes that live for minutes: no optimising compiler, but room for the code
of the other; a simple collector, which seldom runs, and not because classes were loaded. Hadoop
starts ``chmod`` for each file that it writes, at once and not by way of a helper of Java. Code is
compiled after a twentieth of the usual calls, since most is called seldom."""

QUICK_JAVA = JAVA_WITHOUT_ARCHIVE
"""The same with the class archive, if there is one. Java ignores one that it cannot use."""

if CLASS_ARCHIVE.exists() and " " not in str(CLASS_ARCHIVE):
    QUICK_JAVA += f" -Xshare:auto -Xlog:disable -XX:SharedArchiveFile={CLASS_ARCHIVE}"

QUICK_SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": QUICK_JAVA,
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.lightweightPlanChangeValidation": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.buffer.pageSize": "256k",
    "spark.broadcast.compress": "false",
    "spark.broadcast.checksum": "false",
    "spark.shuffle.compress": "false",
    "spark.shuffle.checksum.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.liveUpdate.period": "-1",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
"""Spark settings without code generation and planning at run time, which exceed tiny queries,
and with buffers that fit them: a page of 16 MB for each task fills the memory with zeros. Without
what users of Spark alone read as well: the place in the code of each expression, pages that are
kept up to date, and a file of checksums beside each file."""
