"""Store of single runs, so that an interrupted study resumes.

A study has one file, ``<study>.jsonl``, with one line for each run. A stored run is valid for its
point, instance and digest (of parameters and code). Lines with another digest stay and are
ignored, so results of several versions may share a file. A last line without its end comes from
an interruption: it is removed, and the run repeated. Any other unreadable line is an error. Several
processes may share the file: each reads and writes it under a lock, and sees the lines of others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from gossamer.errors import StudyError

fcntl: Any = None
with suppress(ImportError):  # no locks on this system: one process at a time
    import fcntl


class StoredRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Measurements of one instance of one point."""

    study: str
    point: str
    instance: int
    digest: str
    measurements: dict[str, float]


class ResultStore:
    """Stored runs of one study in a folder; in memory only without a folder."""

    def __init__(self, folder: Path | None, study: str) -> None:
        self.path = None if folder is None else Path(folder) / f"{study}.jsonl"
        self._runs: dict[tuple[str, int, str], StoredRun] = {}
        self._instances: set[tuple[str, int]] = set()
        self._read_bytes = 0
        self._read_lines = 0
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise StudyError(
                f"results cannot be stored in {self.path}: {fault.strerror}"
            ) from fault
        with self._locked(self.path) as file:
            self._catch_up(self.path, file)

    def find(self, point: str, instance: int, digest: str) -> StoredRun | None:
        """Return the stored run with this digest, also if another process has added it."""
        found = self._runs.get((point, instance, digest))
        if found is None and self.path is not None and self._has_grown(self.path):
            with self._locked(self.path) as file:
                self._catch_up(self.path, file)
            found = self._runs.get((point, instance, digest))
        return found

    def has_another(self, point: str, instance: int) -> bool:
        """Whether a run of this instance is stored, with any digest."""
        return (point, instance) in self._instances

    def add(self, run: StoredRun) -> None:
        """Store a run, on disk before this returns; no run is stored twice."""
        if self.path is not None:
            with self._locked(self.path) as file:
                self._catch_up(self.path, file)
                if (run.point, run.instance, run.digest) not in self._runs:
                    line = msgspec.json.encode(run) + b"\n"
                    file.write(line)
                    file.flush()
                    self._read_bytes += len(line)
                    self._read_lines += 1
        self._remember(run)

    def __len__(self) -> int:
        return len(self._runs)

    def _remember(self, run: StoredRun) -> None:
        self._runs[run.point, run.instance, run.digest] = run
        self._instances.add((run.point, run.instance))

    def _has_grown(self, path: Path) -> bool:
        try:
            return os.stat(path).st_size != self._read_bytes
        except OSError:
            return False

    @contextmanager
    def _locked(self, path: Path) -> Iterator[IO[bytes]]:
        """Open the file at its end, under an exclusive lock."""
        try:
            with path.open("a+b") as file:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX)
                yield file
        except OSError as fault:
            raise StudyError(f"results cannot be stored in {path}: {fault.strerror}") from fault

    def _catch_up(self, path: Path, file: IO[bytes]) -> None:
        """Read the lines added since the last call; remove a last line without its end."""
        if file.seek(0, os.SEEK_END) < self._read_bytes:  # shortened by another process
            self._read_bytes = self._read_lines = 0
        file.seek(self._read_bytes)
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(self._read_bytes + whole)
        decoder = msgspec.json.Decoder(StoredRun)
        for number, line in enumerate(content[:whole].splitlines(), start=self._read_lines + 1):
            try:
                self._remember(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as fault:
                raise StudyError(
                    f"{path}, line {number}, is not a stored result ({fault}); "
                    "expected one JSON object a line. Remove the line, or choose another folder"
                ) from None
        self._read_bytes += whole
        self._read_lines += content.count(b"\n", 0, whole)
        file.seek(0, os.SEEK_END)
