"""Store of single runs, so that a report grows over time and an interrupted one resumes.

A study has two files in a folder. Each run is appended to ``<study>.journal`` as soon as it is
computed. An incomplete last line comes from an interruption: it is removed, and the run repeated.
At the end the journal is merged into the table ``<study>.jsonl``
(:mod:`gossamer.studies.results_table`), which has the newest run of each point and instance. A
stored run is valid for its digest of parameters and code. Several processes may share the files:
each reads and writes them under a lock, and sees the runs of others.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from gossamer.errors import StudyError
from gossamer.studies.results_table import StoredRun, read_table, write_table
from gossamer.studies.schema import Study

fcntl: Any = None
with suppress(ImportError):  # no locks on this system: one process at a time
    import fcntl


class ResultStore:
    """Stored runs of one study, in a folder or, without one, in memory only."""

    def __init__(self, folder: Path | None, study: str) -> None:
        self.table = None if folder is None else Path(folder) / f"{study}.jsonl"
        self._journal = None if self.table is None else self.table.with_suffix(".journal")
        self._runs: dict[tuple[str, int, str], StoredRun] = {}
        self._newest: dict[tuple[str, int], StoredRun] = {}
        self._read_bytes = 0
        self._read_lines = 0
        self._table_state: tuple[int, int, int] | None = None
        if self._journal is None:
            return
        try:
            self._journal.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise StudyError(
                f"results cannot be stored in {self.table}: {fault.strerror}"
            ) from fault
        with self._locked(self._journal) as file:
            self._catch_up(self._journal, file)

    def find(self, point: str, instance: int, digest: str) -> StoredRun | None:
        """Return the stored run with this digest, even if another process has added it."""
        found = self._runs.get((point, instance, digest))
        if found is None and self._journal is not None and self._has_changed(self._journal):
            with self._locked(self._journal) as file:
                self._catch_up(self._journal, file)
            found = self._runs.get((point, instance, digest))
        return found

    def newest(self, point: str, instance: int) -> StoredRun | None:
        """Return the newest stored run of this instance, with any digest."""
        return self._newest.get((point, instance))

    def add(self, run: StoredRun) -> None:
        """Store a run, which is in the journal when this returns; no run is stored twice."""
        if self._journal is not None:
            with self._locked(self._journal) as file:
                self._catch_up(self._journal, file)
                if (run.point, run.instance, run.digest) not in self._runs:
                    line = msgspec.json.encode(run) + b"\n"
                    file.write(line)
                    file.flush()
                    self._read_bytes += len(line)
                    self._read_lines += 1
        self._remember(run)

    def merge(self, points: Collection[str]) -> None:
        """Merge the journal into the table, without the runs of points that do not exist."""
        if self._journal is None or self.table is None:
            return
        with self._locked(self._journal) as file:
            self._catch_up(self._journal, file)
            write_table(self.table, [one for one in self._newest.values() if one.point in points])
            file.truncate(0)
            self._read_bytes = self._read_lines = 0
            self._table_state = self._state()

    def __iter__(self) -> Iterator[StoredRun]:
        return iter(self._newest.values())

    def __len__(self) -> int:
        return len(self._runs)

    def _remember(self, run: StoredRun) -> None:
        self._runs[run.point, run.instance, run.digest] = run
        self._newest[run.point, run.instance] = run

    def _has_changed(self, journal: Path) -> bool:
        try:
            return os.stat(journal).st_size != self._read_bytes or self._has_new_table()
        except OSError:
            return False

    def _has_new_table(self) -> bool:
        return self._state() != self._table_state

    def _state(self) -> tuple[int, int, int] | None:
        """Return inode, time and size of the table, which change when it is written."""
        assert self.table is not None
        try:
            found = os.stat(self.table)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @contextmanager
    def _locked(self, path: Path) -> Iterator[IO[bytes]]:
        """Open the journal at its end, under an exclusive lock."""
        try:
            with path.open("a+b") as file:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX)
                yield file
        except OSError as fault:
            raise StudyError(
                f"results cannot be stored in {self.table}: {fault.strerror}"
            ) from fault

    def _catch_up(self, path: Path, file: IO[bytes]) -> None:
        """Read the runs added since the last call; remove a last line without its end."""
        if self._has_new_table():  # the journal was merged into it
            assert self.table is not None
            for run in read_table(self.table):
                self._remember(run)
            self._table_state = self._state()
            self._read_bytes = self._read_lines = 0
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


def stored_seconds(study: Study, folder: Path) -> float | None:
    """Return the processor time of the stored runs of a study; None if there are none."""
    if not (folder / f"{study.name}.jsonl").is_file():
        return None
    return round(sum(run.seconds for run in ResultStore(folder, study.name)), 1)
