"""Write the archive of classes with which the tests start Java faster; nothing if there is one.

``python -m tests.class_archive`` runs the Spark jobs of the golden digests in a session that
records the classes it loads. A text beside the archive names the Java and the Spark that it is
for; when they change, it is written again.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from gossamer.errors import GossamerError
from gossamer.pipeline import spark_session
from gossamer.pipeline.java import find_java
from tests.quick_spark import CLASS_ARCHIVE, JAVA_WITHOUT_ARCHIVE, QUICK_SPARK

__all__ = ["main"]

SECONDS_TO_WAIT = 120
SHARED_BY_JAVA = ("lib/server/classes.jsa", "lib/server/classes_nocoops.jsa")
"""Archives of Java's own classes, to which others are added."""


def main() -> None:
    """Write the archive, unless there is one for this Java and this Spark."""
    try:
        import pyspark

        home = find_java().home
    except (ImportError, GossamerError):
        return  # tests on Spark are skipped, or fail and say why
    if not any((home / name).exists() for name in SHARED_BY_JAVA):
        return
    release = home / "release"
    found = f"{home}\n{pyspark.__file__}\n{release.read_text() if release.exists() else ''}"
    described = CLASS_ARCHIVE.with_suffix(".txt")
    if CLASS_ARCHIVE.exists() and described.exists() and described.read_text() == found:
        return
    CLASS_ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
    partial = CLASS_ARCHIVE.with_name(f".{os.getpid()}.jsa")
    try:
        _record(partial)
        if partial.exists():
            described.unlink(missing_ok=True)
            os.replace(partial, CLASS_ARCHIVE)
            described.write_text(found)
            print(f"wrote {CLASS_ARCHIVE}")
    finally:
        partial.unlink(missing_ok=True)


def _record(archive: Path) -> None:
    """Run jobs in a session whose Java writes the archive when it ends, and wait for it."""
    from pyspark import SparkContext

    from tests.golden.spark import CASES

    options = f"{JAVA_WITHOUT_ARCHIVE} -Xlog:disable -XX:ArchiveClassesAtExit={archive}"
    settings = {**QUICK_SPARK, "spark.driver.extraJavaOptions": options}
    with (
        tempfile.TemporaryDirectory() as folder,
        spark_session(master="local[2]", settings=settings) as session,
    ):
        gateway: Any = SparkContext._gateway
        for place, case in enumerate(CASES.values()):
            own = Path(folder, str(place))
            (own / "tables").mkdir(parents=True)
            case(session, own)
    java: subprocess.Popen[bytes] = gateway.proc
    gateway.shutdown()
    assert java.stdin is not None
    java.stdin.close()
    java.wait(SECONDS_TO_WAIT)


if __name__ == "__main__":
    main()
