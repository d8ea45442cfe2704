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

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.maintain.result import FILES
from gossamer.model import Overlay
from gossamer.tables import check_output, replacing

fcntl: Any = None
with suppress(ImportError):  # where files cannot be locked, one process at a time
    import fcntl

__all__ = ["Record"]

PLACE = "_maintain"
START = "start.npz"
ROUND, CHANGE = 6, 5
NO_LINKS = np.empty((0, 2), dtype=np.int64)


class Record:
    """The rounds done so far and their changes; in a folder too, if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / PLACE
        self.start: Overlay | None = None
        self.first: list[tuple[int, ...]] = []
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
        _check_foreign(folder)
        with _made(folder, record.folder), _locked(record.folder, folder):
            check_output(record.folder / "arguments.json", (".json",))
            record._claim(folder, dict(arguments))
            record._read()
            yield record

    def begin(self, start: Overlay, added: NDArray[np.int64] = NO_LINKS) -> None:
        """Keep the overlay that all begins with, and the links added before the first event."""
        self.start, self.first = start, _first(added)
        if self.folder is not None:
            kept = {"links": start.links, "nodes": np.array(start.node_count), "added": added}
            _write(self.folder / START, kept)

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
        return _table(self.rounds, ROUND), times, _table(self.first + self.changes, CHANGE)

    def _claim(self, folder: Path, arguments: dict[str, str]) -> None:
        assert self.folder is not None
        place = self.folder / "arguments.json"
        if not (self.folder / START).exists():  # whoever was here has done nothing
            _check_foreign(folder)
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
        path, parts = self.folder / START, 0
        if not path.exists():
            return
        try:
            with np.load(path, allow_pickle=False) as kept:
                self.start = Overlay.from_links(int(kept["nodes"]), kept["links"])
                self.first = _first(kept["added"])
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


def _check_foreign(folder: Path) -> None:
    """Raise where files that a run would write are there, and no run has begun."""
    if (folder / PLACE / START).exists():
        return
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise ParameterError(
            f"{folder}: has {there[0]} in it, which no run of this command left; expected an empty "
            "folder, or one that a run with the same arguments wrote"
        )


@contextmanager
def _made(folder: Path, place: Path) -> Iterator[None]:
    """Make folders; if what was given turns out to be wrong before anything is done, unmake them.

    Those that were there before stay.
    """
    new = [path for path in (place, *place.parents) if not path.exists()]
    begun = (place / START).exists()
    try:
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ParameterError(
                f"{folder}: cannot be made ({fault.strerror}); expected a folder to write to"
            ) from None
        yield
    except InputError:
        if not begun and not any(place.glob("part-*.npz")):
            for name in (START, "arguments.json", *(["lock"] if place in new else [])):
                with suppress(OSError):
                    (place / name).unlink()
        for path in new:
            with suppress(OSError):
                path.rmdir()
        raise


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


def _first(added: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Return links added before the first event as changes of a round before the first."""
    return [(-1, 0, 1, low, high) for low, high in added.tolist()]
