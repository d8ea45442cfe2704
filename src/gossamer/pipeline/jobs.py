"""A job: named tables in a folder, written whole, and a manifest that says how.

A job writes its tables one after the other. Each is written under another name, put in its
place, and then entered in the job's manifest, ``_gossamer/<job>.json``; so whatever a kill
interrupts, a table that the manifest names is whole. Run again with the same inputs and
parameters, a job goes on after the last table that it entered. What is in the tables is
the business of the stages.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_table
from gossamer.progress import Progress, silent
from gossamer.tables import TableSchema
from gossamer.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Job", "Manifest", "WrittenTable", "discard_on_error", "read_manifests"]

MANIFESTS = "_gossamer"


class WrittenTable(msgspec.Struct, frozen=True):
    """A table that is whole: its schema's name and version, and its rows."""

    schema: str
    version: int
    rows: int


class Manifest(msgspec.Struct):
    """How the tables of one job came to be."""

    job: str
    fingerprint: str
    inputs: dict[str, list[list[str | int]]]
    parameters: dict[str, Any]
    seed: int | None
    versions: dict[str, str]
    tables: dict[str, WrittenTable] = {}
    facts: dict[str, Any] = {}
    finished: bool = False


class Job:
    """The tables of one job in a folder.

    Parameters
    ----------
    session
        Where it runs.
    folder
        Where its tables go; created if it is not there.
    name
        What the job is called; jobs of several names may share a folder.
    inputs
        The files and folders that it reads: when one of them changes, the job starts again.
    parameters, seed
        Everything else that decides what the tables hold.
    progress
        Told what is being done.
    """

    def __init__(
        self,
        session: SparkSession,
        folder: str | os.PathLike[str] | Folder,
        name: str,
        *,
        inputs: Iterable[str | os.PathLike[str] | Folder] = (),
        parameters: Mapping[str, Any] | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.session = session
        self.folder = folder if isinstance(folder, Folder) else Folder.at(folder)
        self.progress = progress or silent
        read = [one if isinstance(one, Folder) else Folder.at(one) for one in inputs]
        signatures = {one.name: one.signature() for one in read}
        asked = Manifest(
            job=name,
            fingerprint="",
            inputs=signatures,
            parameters=dict(parameters or {}),
            seed=seed,
            versions=_versions(),
        )
        # What it was computed from, not with: a newer Spark need not compute it again.
        content = [name, __version__, signatures, asked.parameters, seed]
        encoded = msgspec.json.encode(content, order="deterministic")
        asked.fingerprint = hashlib.sha256(encoded).hexdigest()[:32]
        if any(child.startswith("part-") for child in self.folder.children()):
            raise ParameterError(
                f"{self.folder.name}: is a table; expected a folder to write tables to"
            )
        self.folder.make()
        (self.folder / MANIFESTS).make()
        self._place = self.folder / MANIFESTS / f"{name}.json"
        found = _read(self._place)
        resumed = found is not None and found.fingerprint == asked.fingerprint
        self.manifest = found if resumed and found is not None else asked
        self.work = self.folder / MANIFESTS / f"work-{name}"
        """What is needed only on the way; gone when the job is finished."""
        if not resumed:
            self.work.remove()
            self._save()

    @property
    def finished(self) -> bool:
        """Whether it was finished by an earlier run, and its tables are still there."""
        return self.manifest.finished and all(
            (self.folder / name).exists() for name in self.manifest.tables if "/" not in name
        )

    def has(self, name: str) -> bool:
        """Whether a table of this job is whole already."""
        return name in self.manifest.tables and self._location(name).exists()

    def table(
        self, schema: TableSchema, make: Callable[[], DataFrame], *, name: str | None = None
    ) -> DataFrame:
        """Write a table unless it is there, and give it as it was written.

        Parameters
        ----------
        schema
            What its columns must be.
        make
            Gives the frame to write; not called if the table is there already.
        name
            Its name in the folder, the schema's if not given. A name that begins with
            ``work/`` is removed again when the job is finished.
        """
        called = name or schema.name
        place = self._location(called)
        whole = self.has(called)
        if not whole or self.manifest.tables[called].version != schema.version:
            self.progress(f"writing {called}", 0.0)
            partial = self._place_of_partial(called)
            partial.remove()
            make().write.parquet(partial.spark_path)
            read_table(self.session, partial, schema, called=called)
            rows = partial.count_rows()
            partial.move_to(place)
            self.manifest.tables[called] = WrittenTable(schema.name, schema.version, rows)
            self._save()
            self.progress(f"wrote {called}: {rows:,} rows", 1.0)
        return read_table(self.session, place, schema, called=called)

    def rows(self, name: str) -> int:
        """Return how many rows a written table has."""
        return self.manifest.tables[name].rows

    def fact(self, name: str, make: Callable[[], Any]) -> Any:
        """Return a small result (anything JSON can hold), computed once and kept."""
        if name not in self.manifest.facts:
            self.manifest.facts[name] = msgspec.json.decode(msgspec.json.encode(make()))
            self._save()
        return self.manifest.facts[name]

    def finish(self) -> None:
        """Say that all is written, and remove what was needed only on the way."""
        self.manifest.tables = {
            name: table
            for name, table in self.manifest.tables.items()
            if not name.startswith("work/")
        }
        self.manifest.finished = True
        self._save()
        self.work.remove()

    def _location(self, name: str) -> Folder:
        if name.startswith("work/"):
            return self.work / name.removeprefix("work/")
        return self.folder / name

    def _place_of_partial(self, name: str) -> Folder:
        return self.folder / MANIFESTS / f".{self.manifest.job}-{name.replace('/', '-')}.part"

    def _save(self) -> None:
        encoded = msgspec.json.encode(self.manifest, order="deterministic")
        self._place.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")


@contextmanager
def discard_on_error(
    folder: Folder | None, *, unless: type[InputError] | None = None
) -> Iterator[None]:
    """Remove a folder that was not there before, if what was given proves to be unusable.

    Parameters
    ----------
    folder
        What a job writes to.
    unless
        The one error after which what is there is of use to another run.
    """
    new = folder is not None and not folder.exists()
    try:
        yield
    except InputError as fault:
        if folder is not None and new and not (unless and isinstance(fault, unless)):
            folder.remove()
        raise


def read_manifests(folder: str | os.PathLike[str] | Folder) -> dict[str, Manifest]:
    """Return the manifests of all jobs that wrote to a folder, by the job's name."""
    place = (folder if isinstance(folder, Folder) else Folder.at(folder)) / MANIFESTS
    names = [name for name in place.children() if name.endswith(".json")]
    found = {name.removesuffix(".json"): _read(place / name) for name in names}
    return {name: manifest for name, manifest in found.items() if manifest is not None}


def _read(place: Folder) -> Manifest | None:
    content = place.read_bytes()
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise TableError(
            f"{place.name}: is not a job's manifest ({fault}); remove it to start the job again"
        ) from None


def _versions() -> dict[str, str]:
    found = {"gossamer": __version__, "python": platform.python_version()}
    for package in ("pyspark", "pyarrow", "numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pragma: no cover
            continue
    return found
