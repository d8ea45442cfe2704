"""Results of single runs, kept as they come, so that an interrupted study resumes.

One file a study, ``<study>.jsonl``, one line a run. A run counts again only if its
point, instance and digest (parameters and code) are those asked for; lines with
another digest are left where they are and ignored, so results of several versions
may share a file. A last line without its end was cut off by an interruption: it is
taken away and its run done again. Any other unreadable line is an error, because
then the file is not what it should be. What the numbers mean is not known here.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer.model import StudyError

__all__ = ["ResultStore", "StoredRun"]


class StoredRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of one instance of one point, and what it measured."""

    study: str
    point: str
    instance: int
    digest: str
    measurements: dict[str, float]


class ResultStore:
    """The stored runs of one study in a folder; without a folder, in memory only."""

    def __init__(self, folder: Path | None, study: str) -> None:
        self.path = None if folder is None else Path(folder) / f"{study}.jsonl"
        self._runs: dict[tuple[str, int, str], StoredRun] = {}
        if self.path is not None:
            self._load(self.path)

    def _load(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes() if path.exists() else b""
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                with path.open("r+b") as file:
                    file.truncate(whole)
        except OSError as error:
            raise StudyError(f"results cannot be kept in {path}: {error.strerror}") from error
        decoder = msgspec.json.Decoder(StoredRun)
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                self._keep(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise StudyError(
                    f"{path}, line {number}, is not a stored result ({error}); "
                    "expected one JSON object a line. Remove the line, or choose another folder"
                ) from None

    def _keep(self, run: StoredRun) -> None:
        self._runs[run.point, run.instance, run.digest] = run

    def find(self, point: str, instance: int, digest: str) -> StoredRun | None:
        """Return the stored run, if there is one with these parameters and this code."""
        return self._runs.get((point, instance, digest))

    def add(self, run: StoredRun) -> None:
        """Keep a run, in the file too before this returns."""
        self._keep(run)
        if self.path is None:
            return
        try:
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(run) + b"\n")
        except OSError as error:
            raise StudyError(f"{self.path} cannot be written: {error.strerror}") from error

    def __len__(self) -> int:
        return len(self._runs)
