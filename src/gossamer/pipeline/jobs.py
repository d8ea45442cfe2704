"""Jobs: named tables in a folder, each written whole, and a manifest of how they were made.

A job writes each table under a temporary name, moves it to its place, and then enters it in its
manifest ``_gossamer/<job>.json``; so a table that the manifest names is complete, whatever a
kill interrupts. The manifest has a fingerprint of the job's inputs and parameters. A job with
the same fingerprint resumes after the last table that was entered; one with another fingerprint
starts again. Jobs that share intermediate results, such as the numbered table, find each
other's finished jobs by fingerprint.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.pipeline.folders import Folder, Place
from gossamer.pipeline.frames import check_frame, read_table
from gossamer.progress import Progress, silent
from gossamer.tables import TableSchema
from gossamer.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MANIFESTS = "_gossamer"


class WrittenTable(msgspec.Struct, frozen=True):
    """A complete table: name and version of its schema, and number of rows."""

    schema: str
    version: int
    rows: int


class Manifest(msgspec.Struct):
    """How the tables of one job were made."""

    job: str
    fingerprint: str
    inputs: dict[str, list[list[str | int]]]
    parameters: dict[str, Any]
    seed: int | None
    versions: dict[str, str]
    tables: dict[str, WrittenTable] = {}
    facts: dict[str, Any] = {}
    finished: bool = False

    @classmethod
    def of(
        cls,
        folder: Folder,
        job: str,
        *,
        inputs: Iterable[Place] = (),
        parameters: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Manifest:
        """Describe a job in a folder; see :class:`Job`."""
        read = [Folder.at(place) for place in inputs]
        signatures = {_relative(place, folder): place.signature() for place in read}
        found = cls(job, "", signatures, dict(parameters or {}), seed, _versions())
        # Of the content alone: a newer Spark need not compute it again.
        content = [job, __version__, signatures, found.parameters, seed]
        encoded = msgspec.json.encode(content, order="deterministic")
        found.fingerprint = hashlib.sha256(encoded).hexdigest()[:32]
        return found

    def write(self, folder: Folder) -> None:
        """Write the manifest to its place in the folder."""
        encoded = msgspec.json.encode(self, order="deterministic")
        place = folder / MANIFESTS / f"{self.job}.json"
        place.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")

    def complete_in(self, folder: Folder) -> bool:
        """Whether the job is finished and all its tables are in the folder."""
        return self.finished and all(
            (folder / name).exists() for name in self.tables if not name.startswith("work/")
        )


class Job:
    """The tables of one job in a folder.

    Parameters
    ----------
    session
        Spark session.
    folder
        Folder of the tables, created if it does not exist.
    name
        Name of the job; jobs of several names may share a folder.
    inputs
        Files and folders that the job reads: when one changes, the job starts again.
    parameters, seed
        Everything else that determines the content of the tables.
    progress
        Callback that receives the current step and the fraction done.
    """

    def __init__(
        self,
        session: SparkSession,
        folder: Place,
        name: str,
        *,
        inputs: Iterable[Place] = (),
        parameters: Mapping[str, Any] | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.session = session
        self.folder = Folder.at(folder)
        self.progress = progress or silent
        asked = Manifest.of(self.folder, name, inputs=inputs, parameters=parameters, seed=seed)
        if any(child.startswith("part-") for child in self.folder.children()):
            raise ParameterError(
                f"{self.folder.name}: is a table; expected a folder to write tables to"
            )
        self.folder.make()
        (self.folder / MANIFESTS).make()
        found = _read(self.folder / MANIFESTS / f"{name}.json")
        resumed = found is not None and found.fingerprint == asked.fingerprint
        self.manifest = found if resumed and found is not None else asked
        self.work = self.folder / MANIFESTS / f"work-{name}"
        """Folder of intermediate results, removed when the job is finished."""
        if not resumed:
            self.work.remove()
            self._save()

    @classmethod
    def reuse(
        cls,
        session: SparkSession,
        folders: Iterable[Folder],
        name: str,
        *,
        progress: Progress | None = None,
        **described: Any,
    ) -> Job:
        """Return the finished job in the first of some folders, else the job in the last one.

        ``described`` are inputs, parameters and seed, as the job takes them. A job of the same
        name with another fingerprint, or with a table missing, is not reused.
        """
        *others, own = folders
        for folder in others:
            asked = Manifest.of(folder, name, **described)
            with suppress(TableError):  # another folder's manifest that cannot be read is not used
                found = _read(folder / MANIFESTS / f"{name}.json")
                if found and found.fingerprint == asked.fingerprint and found.complete_in(folder):
                    return cls(session, folder, name, progress=progress, **described)
        return cls(session, own, name, progress=progress, **described)

    @property
    def finished(self) -> bool:
        """Whether an earlier run finished the job and all its tables exist."""
        return self.manifest.complete_in(self.folder)

    def has(self, name: str) -> bool:
        """Whether a table of this job is complete."""
        return name in self.manifest.tables and self._location(name).exists()

    def table(
        self, schema: TableSchema, make: Callable[[], DataFrame], *, name: str | None = None
    ) -> DataFrame:
        """Write a table unless it is complete, and read it.

        Parameters
        ----------
        schema
            Columns of the table.
        make
            Function that returns the frame to write, called only if the table is missing.
        name
            Name in the folder, by default that of the schema. A table whose name begins with
            ``work/`` is removed when the job is finished.
        """
        called = name or schema.name

        def write(partial: Folder) -> None:
            check_frame(make(), schema, what=called).write.parquet(partial.spark_path)

        place = self._complete(called, schema, write)
        return read_table(self.session, place, schema, called=called)

    def small_table(
        self, schema: TableSchema, make: Callable[[], pa.Table], *, name: str | None = None
    ) -> pa.Table:
        """Write a table that this process holds, unless it is complete, and read it.

        Parameters
        ----------
        schema, name
            As :meth:`table` takes them.
        make
            Function that returns the Arrow table to write, called only if the table is missing.
        """

        def write(partial: Folder) -> None:
            partial.make()
            file = partial / "part-00000.parquet"
            with file.system.open_output_stream(file.path) as stream:
                pa.parquet.write_table(make(), stream, compression="zstd")

        place = self._complete(name or schema.name, schema, write)
        return pa.parquet.read_table(place.path, filesystem=place.system)

    def _complete(self, name: str, schema: TableSchema, write: Callable[[Folder], None]) -> Folder:
        """Write a table with a function that takes a folder, unless it is complete."""
        place = self._location(name)
        if not self.has(name) or self.manifest.tables[name].version != schema.version:
            self.progress(f"writing {name}", 0.0)
            partial = self._place_of_partial(name)
            partial.remove()
            write(partial)
            rows = partial.count_rows()
            partial.move_to(place)
            self.manifest.tables[name] = WrittenTable(schema.name, schema.version, rows)
            self._save()
            self.progress(f"wrote {name}: {rows:,} rows", 1.0)
        return place

    def rows(self, name: str) -> int:
        """Return the number of rows of a written table."""
        return self.manifest.tables[name].rows

    def fact(self, name: str, make: Callable[[], Any]) -> Any:
        """Return a small JSON value, computed once and stored in the manifest."""
        if name not in self.manifest.facts:
            self.manifest.facts[name] = msgspec.json.decode(msgspec.json.encode(make()))
            self._save()
        return self.manifest.facts[name]

    def finish(self) -> None:
        """Mark the job as finished, and remove its intermediate results."""
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
        self.manifest.write(self.folder)


@contextmanager
def discard_on_error(
    folder: Folder | None, *, unless: type[InputError] | None = None
) -> Iterator[None]:
    """Remove a new folder if the input proves to be bad.

    Parameters
    ----------
    folder
        Folder that a job writes to; left alone if it exists before.
    unless
        Error after which another run can use the folder's content.
    """
    new = folder is not None and not folder.exists()
    try:
        yield
    except InputError as fault:
        if folder is not None and new and not (unless and isinstance(fault, unless)):
            folder.remove()
        raise


def read_manifests(folder: Place) -> dict[str, Manifest]:
    """Return the manifests of all jobs of a folder, by name of the job."""
    place = Folder.at(folder) / MANIFESTS
    names = [name for name in place.children() if name.endswith(".json")]
    found = {name.removesuffix(".json"): _read(place / name) for name in names}
    return {name: manifest for name, manifest in found.items() if manifest is not None}


def _relative(place: Folder, folder: Folder) -> str:
    """Return the path of an input: below the job's folder relative to it, else absolute."""
    if not place.local:
        return place.name
    return place.path.removeprefix(f"{folder.path.rstrip('/')}/")


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
