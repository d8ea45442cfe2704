"""What a run has done so far, kept in a folder so that an interrupted one goes on.

In ``_maintain`` there are ``arguments.json`` (what the run is of), the overlay that it started
with, and numbered parts: the rounds that were done since the part before, with their changes.
Beside the last part is what the strategy remembered then. Each file is whole or not there. The
overlay at any time is the first one with all changes done to it, so nothing else is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from gossamer.maintenance.result import FILES
from gossamer.model import Overlay, ParameterError, TableError
from gossamer.tables import check_output, replacing

fcntl: Any = None
with suppress(ImportError):  # where files cannot be locked, one process at a time
    import fcntl

__all__ = ["Record"]

PLACE = "_maintain"
ROUND, CHANGE = 6, 5


class Record:
    """The rounds done so far and their changes; in a folder too, if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / PLACE
        self.start: Overlay | None = None
        self.rounds: list[tuple[int, ...]] = []
        self.milliseconds: list[float] = []
        self.changes: list[tuple[int, ...]] = []
        self.state: dict[str, NDArray[Any]] = {}
        self._kept = (0, 0, 0)  # parts, rounds and changes: one value, which no signal divides

    @classmethod
    @contextmanager
    def opened(cls, folder: Path | None, arguments: Mapping[str, str]) -> Iterator[Record]:
        """Open what an earlier run with the same arguments left, while no other process has it.

        Raises
        ------
        ParameterError
            If the folder cannot be made, is in use, or is of a run with other arguments.
        """
        record = cls(folder)
        if folder is None or record.folder is None:
            yield record
            return
        try:
            record.folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ParameterError(
                f"{folder}: cannot be made ({fault.strerror}); expected a folder to write to"
            ) from None
        check_output(record.folder / "arguments.json", (".json",))
        with _locked(record.folder, folder):
            record._claim(folder, dict(arguments))
            record._read()
            yield record

    def begin(self, start: Overlay) -> None:
        """Keep the overlay that all begins with."""
        self.start = start
        if self.folder is not None:
            kept = {"links": start.links, "nodes": np.array(start.node_count)}
            _write(self.folder / "start.npz", kept)

    def save(self, state: Callable[[], Mapping[str, NDArray[Any]]]) -> None:
        """Write what was done since the last time, and what the strategy remembers now.

        To be called between two rounds.
        """
        parts, rounds, changes = self._kept
        if self.folder is None or rounds == len(self.rounds):
            return
        done, last = len(self.rounds), len(self.changes)
        _write(self._place("state", parts), dict(state()))
        _write(
            self._place("part", parts),
            {
                "rounds": _table(self.rounds[rounds:], ROUND),
                "milliseconds": np.array(self.milliseconds[rounds:], dtype=np.float64),
                "changes": _table(self.changes[changes:], CHANGE),
            },
        )
        with suppress(OSError):
            self._place("state", parts - 1).unlink()
        self._kept = (parts + 1, done, last)

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return rounds, milliseconds and changes as arrays."""
        times = np.array(self.milliseconds, dtype=np.float64)
        return _table(self.rounds, ROUND), times, _table(self.changes, CHANGE)

    def _claim(self, folder: Path, arguments: dict[str, str]) -> None:
        assert self.folder is not None
        place = self.folder / "arguments.json"
        if not place.exists():
            there = [name for name in FILES if (folder / name).exists()]
            if there:
                raise ParameterError(
                    f"{folder}: has {there[0]} in it, which no run of this command left; expected "
                    "an empty folder, or one that a run with the same arguments wrote"
                )
            with replacing(place) as partial:
                partial.write_text(json.dumps(arguments, indent=2, ensure_ascii=False) + "\n")
            return
        try:
            found = json.loads(place.read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise TableError(
                f"{place}: cannot be read ({fault}); remove {self.folder} to start again"
            ) from None
        if found != arguments:
            names = [name for name in arguments if found.get(name) != arguments[name]]
            raise ParameterError(
                f"{folder}: has a run with other arguments in it, which differ in "
                f"{', '.join(names) or 'what they are'}; expected the same, or another folder"
            )

    def _read(self) -> None:
        assert self.folder is not None
        path, parts = self.folder / "start.npz", 0
        if not path.exists():
            return
        try:
            with np.load(path, allow_pickle=False) as kept:
                self.start = Overlay.from_links(int(kept["nodes"]), kept["links"])
            while (path := self._place("part", parts)).exists():
                with np.load(path, allow_pickle=False) as kept:
                    self.rounds += map(tuple, kept["rounds"].tolist())
                    self.milliseconds += kept["milliseconds"].tolist()
                    self.changes += map(tuple, kept["changes"].tolist())
                parts += 1
            if parts:
                path = self._place("state", parts - 1)
                with np.load(path, allow_pickle=False) as kept:
                    self.state = dict(kept)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as fault:
            raise TableError(
                f"{path}: cannot be read ({fault}); remove {self.folder} to start again"
            ) from None
        self._kept = (parts, len(self.rounds), len(self.changes))

    def _place(self, what: str, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"{what}-{number:06}.npz"


def _write(path: Path, arrays: dict[str, Any]) -> None:
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, **arrays)


@contextmanager
def _locked(place: Path, folder: Path) -> Iterator[None]:
    with open(place / "lock", "a+b") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ParameterError(
                    f"{folder}: another run is writing to it; expected a folder of its own"
                ) from None
        yield


def _table(rows: list[tuple[int, ...]], width: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, width)
