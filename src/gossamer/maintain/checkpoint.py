"""Checkpoint of a maintenance run, from which an interrupted run resumes.

The folder ``_maintain`` holds ``arguments.json``, which identifies the run; the overlay at the
start; numbered parts, each with the events since the previous part and their changes; and the state
of the strategy after the last part. Each file is written atomically. The overlay after an event is
the one at the start with all changes up to that event.
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
from gossamer.maintain.events import EventRecord
from gossamer.maintain.result import FILES, with_changes
from gossamer.model import Overlay
from gossamer.tables import check_output, replacing

fcntl: Any = None
with suppress(ImportError):  # without file locks, the folder must not be shared
    import fcntl

FOLDER = "_maintain"
START = "start.npz"
ROUND_WIDTH, CHANGE_WIDTH = 6, 5


class RunCheckpoint:
    """Applied events and their changes, in memory and optionally in a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / FOLDER
        self.start: Overlay | None = None
        self.rounds: list[tuple[int, ...]] = []
        self.milliseconds: list[float] = []
        self.changes: list[tuple[int, ...]] = []
        self.state: dict[str, NDArray[Any]] = {}
        self._first = 0  # changes before the first event, which are not in a part
        self._saved = (
            0,
            0,
            0,
        )  # parts, rounds, changes: one value, so that no signal separates them

    @classmethod
    @contextmanager
    def open(cls, folder: Path | None, arguments: Mapping[str, str]) -> Iterator[RunCheckpoint]:
        """Open and lock the checkpoint of a run with these arguments, or begin one.

        Raises
        ------
        ParameterError
            If the folder cannot be created, is in use, or belongs to another run.
        """
        checkpoint = cls(folder)
        if folder is None or checkpoint.folder is None:
            yield checkpoint
            return
        _check_foreign(folder)
        with _created(folder, checkpoint.folder), _locked(checkpoint.folder, folder):
            check_output(checkpoint.folder / "arguments.json", (".json",))
            checkpoint._claim(folder, dict(arguments))
            checkpoint._read()
            yield checkpoint

    def begin(self, start: Overlay, added: NDArray[np.int32]) -> None:
        """Save the overlay at the start, and the links added before the first event."""
        self.start = start
        self._add_first(added)
        if self.folder is not None:
            arrays = {"links": start.links, "nodes": np.array(start.node_count), "added": added}
            _write(self.folder / START, arrays)

    def append(self, record: EventRecord) -> None:
        """Add an applied event and its changes: links added before links removed."""
        number, added, removed = len(self.rounds), 0, 0
        for rebuild, changes in enumerate((record.changes, record.rebuild)):
            if changes is None:
                continue
            for pairs, linked in ((changes.links, 1), (changes.unlinks, 0)):
                for one, other in pairs.tolist():
                    ends = (min(one, other), max(one, other))
                    self.changes.append((number, rebuild, linked, *ends))
            added += len(changes.links)
            removed += len(changes.unlinks)
        self.milliseconds.append(record.seconds * 1000)
        rebuilt = int(record.rebuild is not None)
        self.rounds.append((record.nodes, record.links, record.max_degree, added, removed, rebuilt))

    def save(self, state: Callable[[], Mapping[str, NDArray[Any]]]) -> None:
        """Write the events since the last part, and the state of the strategy."""
        parts, rounds, changes = self._saved
        if self.folder is None or rounds == len(self.rounds):
            return
        saved = (parts + 1, len(self.rounds), len(self.changes))
        _write(self._path("state", parts), dict(state()))
        _write(
            self._path("part", parts),
            {
                "rounds": _table(self.rounds[rounds:], ROUND_WIDTH),
                "milliseconds": np.array(self.milliseconds[rounds:], dtype=np.float64),
                "changes": _table(self.changes[max(changes, self._first) :], CHANGE_WIDTH),
            },
        )
        with suppress(OSError):
            self._path("state", parts - 1).unlink()
        self._saved = saved

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return rounds, milliseconds and changes as arrays."""
        times = np.array(self.milliseconds, dtype=np.float64)
        return _table(self.rounds, ROUND_WIDTH), times, _table(self.changes, CHANGE_WIDTH)

    def overlay(self) -> Overlay:
        """Return the overlay after all changes."""
        assert self.start is not None
        return with_changes(self.start, _table(self.changes, CHANGE_WIDTH))

    def _claim(self, folder: Path, arguments: dict[str, str]) -> None:
        assert self.folder is not None
        path = self.folder / "arguments.json"
        if not (self.folder / START).exists():  # an earlier run stopped before it began
            _check_foreign(folder)
            with replacing(path) as partial:
                partial.write_text(json.dumps(arguments, indent=2, ensure_ascii=False) + "\n")
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise self._unreadable(path, fault) from None
        if found != arguments:
            names = [name for name in arguments if found.get(name) != arguments[name]]
            raise ParameterError(
                f"{folder}: has a run with other arguments in it, which differ in "
                f"{', '.join(names) or 'their names'}; expected the same, or another folder"
            )

    def _read(self) -> None:
        assert self.folder is not None
        path, parts = self.folder / START, 0
        if not path.exists():
            return
        try:
            with np.load(path, allow_pickle=False) as arrays:
                self.start = Overlay.from_links(int(arrays["nodes"]), arrays["links"])
                self._add_first(arrays["added"])
            while (path := self._path("part", parts)).exists():
                with np.load(path, allow_pickle=False) as arrays:
                    self.rounds += map(tuple, arrays["rounds"].tolist())
                    self.milliseconds += arrays["milliseconds"].tolist()
                    self.changes += map(tuple, arrays["changes"].tolist())
                parts += 1
            if parts:
                path = self._path("state", parts - 1)
                with np.load(path, allow_pickle=False) as arrays:
                    self.state = dict(arrays)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as fault:
            raise self._unreadable(path, fault) from None
        self._saved = (parts, len(self.rounds), len(self.changes))

    def _add_first(self, added: NDArray[Any]) -> None:
        self.changes += [(-1, 0, 1, low, high) for low, high in added.tolist()]
        self._first = len(self.changes)

    def _unreadable(self, path: Path, fault: Exception) -> TableError:
        return TableError(f"{path}: cannot be read ({fault}); remove {self.folder} to start again")

    def _path(self, what: str, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"{what}-{number:06}.npz"


def _write(path: Path, arrays: dict[str, Any]) -> None:
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, **arrays)


def _check_foreign(folder: Path) -> None:
    """Raise if the folder has files of the names that a run writes, but no checkpoint."""
    if (folder / FOLDER / START).exists():
        return
    found = [name for name in FILES if (folder / name).exists()]
    if found:
        raise ParameterError(
            f"{folder}: has {found[0]} in it, which no run of this command left; expected an empty "
            "folder, or one that a run with the same arguments wrote"
        )


@contextmanager
def _created(folder: Path, inner: Path) -> Iterator[None]:
    """Create the folders; remove the new ones again if the input is rejected at the start."""
    new = [path for path in (inner, *inner.parents) if not path.exists()]
    begun = (inner / START).exists()
    try:
        try:
            inner.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise ParameterError(
                f"{folder}: cannot be made ({fault.strerror}); expected a folder to write to"
            ) from None
        yield
    except InputError:
        if not begun and not any(inner.glob("part-*.npz")):
            for name in (START, "arguments.json", *(["lock"] if inner in new else [])):
                with suppress(OSError):
                    (inner / name).unlink()
        for path in new:
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def _locked(inner: Path, folder: Path) -> Iterator[None]:
    with open(inner / "lock", "a+b") as file:
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
