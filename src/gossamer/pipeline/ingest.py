"""The ingest job: raw files become tables.

Lines are parsed once, into an intermediate table of good records, and bad ones with the reason.
From it follow the type of each column of names and the number of bad records; the tables are
written only if those are few enough. The sources know the formats of files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import pyarrow as pa

from gossamer.errors import EngineError, RejectionError, TableError
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.jobs import Job, discard_on_error, read_manifests
from gossamer.pipeline.session import spark_faults, spark_session
from gossamer.pipeline.sources.files import RawFile, find_files
from gossamer.pipeline.sources.layouts import Layout, find_layouts, split_lines
from gossamer.pipeline.sources.records import as_name, is_whole_number, read_lines
from gossamer.pipeline.sources.registry import Measured, Source, SourceSpec, find_source
from gossamer.progress import Progress
from gossamer.results import Result, Table
from gossamer.tables import TableSchema
from gossamer.tables.bad_rows import max_bad_records
from gossamer.tables.schema import REJECTED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAX_BAD = "1%"
MAX_WHOLE_FILE = 1 << 30
REASONS_SHOWN, EXAMPLES_SHOWN, CHARACTERS_SHOWN = 3, 3, 120
PARSED = "work/parsed"


@dataclass(frozen=True, repr=False)
class IngestResult(Result):
    """Result of an ingestion.

    Attributes
    ----------
    source
        Name of the source.
    folder
        Folder of the tables.
    tables
        Number of rows of each table, that of rejected lines included.
    records
        Number of records: lines without comments and blank lines, or entries of files that are
        read whole.
    rejected
        Number of bad records by reason, the most frequent first.
    examples
        Some bad records by reason: the file, and the beginning of the line.
    notes
        Further facts by label, such as the number of repetitions dropped.
    """

    BRIEF: ClassVar = ("source", "records", "bad_records")

    source: str
    folder: str
    tables: dict[str, int]
    records: int
    rejected: dict[str, int]
    examples: dict[str, list[tuple[str, str]]]
    notes: dict[str, Any]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of records by name."""
        bad = sum(self.rejected.values())
        return {"source": self.source, "records": self.records, "bad_records": bad}

    def _tables(self) -> Mapping[str, Table]:
        def rows() -> dict[str, Any]:
            return {"table": list(self.tables), "rows": list(self.tables.values())}

        def bad() -> dict[str, Any]:
            return {"reason": list(self.rejected), "records": list(self.rejected.values())}

        return {"rows": rows, "bad_records": bad}


def ingest(
    source: str,
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    max_bad: int | str = MAX_BAD,
    progress: Progress | None = None,
    **options: Any,
) -> IngestResult:
    """Convert raw files to tables, on Spark.

    Reads S lines once, writes them once as text and once as tables; one shuffle removes
    repetitions. After an interruption, it resumes after the last table that was written; on
    other files, it replaces the tables.

    Parameters
    ----------
    source
        Name of the source; see :func:`gossamer.pipeline.sources.sources`.
    files
        Files, folders, patterns (``*``, ``?``, ``[…]``) or URIs; .gz and .bz2 are unpacked.
    out
        Folder of tables, created if it does not exist. Several sources may share it.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    max_bad
        Maximum number of bad records, or their maximum share, such as ``"1%"``, rounded down.
        They are written to the table ``rejected-<source>``.
    progress
        Callback that receives the current step and the fraction done.
    options
        Options of the source.

    Raises
    ------
    InputError
        If a file is bad, or too many records are. No table is written then.
    """
    ingestion = Ingestion.plan(source, files, max_bad=max_bad, **options)
    with spark_session(session, master=master, settings=settings) as spark:
        return ingestion.run(spark, out, progress=progress)


@dataclass(frozen=True)
class Ingestion:
    """An ingestion with its files found and its options checked, before Spark starts."""

    source: Source
    spec: SourceSpec
    options: Mapping[str, Any]
    layouts: Mapping[Layout | None, Sequence[RawFile]]
    max_bad: int | str

    @classmethod
    def plan(
        cls,
        source: str,
        files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        max_bad: int | str = MAX_BAD,
        **options: Any,
    ) -> Ingestion:
        """Find the files and check the options; see :func:`ingest`."""
        found = find_source(source)
        spec = found(**options)
        max_bad_records(max_bad, 0)
        named = [files] if isinstance(files, str | os.PathLike) else list(files)
        raw = find_files(named)
        _check_files(found, spec, raw)
        return cls(
            found, spec, found.options.with_defaults(options), layouts_of(spec, raw), max_bad
        )

    def run(
        self,
        session: SparkSession,
        out: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
    ) -> IngestResult:
        """Write the tables; see :func:`ingest`."""
        name, aside = self.source.name, f"{REJECTED.name}-{self.source.name}"
        with discard_on_error(Folder.at(out), unless=RejectionError):
            job = Job(
                session,
                out,
                f"ingest-{name}",
                inputs=[file.folder for group in self.layouts.values() for file in group],
                parameters={"source": name, "options": dict(self.options)},
                progress=progress,
            )
            if not job.finished:
                with _unpack_faults():
                    self._write(job, aside)
            measured = msgspec.convert(job.manifest.facts["measured"], Measured)
            rejected = msgspec.convert(job.manifest.facts["rejected"], list[_Reason])
            self._check(measured, rejected)
        tables = {table: job.rows(table) for table in (*self.source.tables, aside)}
        return IngestResult(
            source=name,
            folder=job.folder.name,
            tables=tables,
            records=measured.records,
            rejected={one.reason: one.count for one in rejected},
            examples={one.reason: one.examples for one in rejected if one.examples},
            notes=self.spec.notes(measured, tables),
        )

    def _write(self, job: Job, aside: str) -> None:
        spec = self.spec
        schema = TableSchema(f"parsed-{self.source.name}", 1, (*spec.columns, *REJECTED.columns))
        records = job.table(
            schema, lambda: records_frame(job.session, spec, self.layouts), name=PARSED
        )
        job.progress("checking the records", 0.0)
        measured = msgspec.convert(job.fact("measured", lambda: measure(records, spec)), Measured)
        rejected = job.fact("rejected", lambda: _reasons(records, measured))
        self._check(measured, msgspec.convert(rejected, list[_Reason]))
        _take_over(job, (*self.source.tables, aside))
        usable = typed_records(records.where("reason IS NULL"), spec, measured)
        written: dict[str, DataFrame] = {}
        for table, stage in spec.tables:
            written[table.name] = job.table(table, partial(stage, usable, measured, written))
        job.table(
            REJECTED,
            lambda: records.where("reason IS NOT NULL").select(*REJECTED.column_names),
            name=aside,
        )
        job.finish()

    def _check(self, measured: Measured, rejected: Sequence[_Reason]) -> None:
        """Raise if too many records are bad, before a table is written."""
        names = [file.name for group in self.layouts.values() for file in group]
        what = names[0] if len(names) == 1 else f"{len(names):,} files, the first {names[0]}"
        if not measured.records:
            raise TableError(
                f"{what}: there are no lines but comments and blank ones; expected "
                f"{self.source.layout}"
            )
        if (
            measured.bad > max_bad_records(self.max_bad, measured.records)
            or measured.bad == measured.records
        ):
            said = _too_many(what, self, measured, rejected)
            raise (TableError if measured.bad == measured.records else RejectionError)(said)
        self.spec.check(measured)


class _Reason(msgspec.Struct, frozen=True):
    """A reason, the number of bad records with it, and the file and beginning of some."""

    reason: str
    count: int
    examples: list[tuple[str, str]]


def layouts_of(
    spec: SourceSpec, files: Sequence[RawFile]
) -> dict[Layout | None, Sequence[RawFile]]:
    """Return the files by layout of their fields, if they have fields."""
    if spec.fields is None:
        return {None: files}
    return dict(find_layouts(files, spec.fields).items())


def records_frame(
    session: SparkSession, spec: SourceSpec, layouts: Mapping[Layout | None, Sequence[RawFile]]
) -> DataFrame:
    """Read and parse files: a lazy frame of the columns and ``file, line, reason``."""
    parsed = []
    for layout, files in layouts.items():
        lines = read_lines(
            session,
            files,
            comments=spec.comments,
            max_line=spec.max_line,
            whole_files=spec.whole_files,
        )
        parsed.append(spec.parse(lines if layout is None else split_lines(lines, layout)))
    return reduce(lambda one, other: one.unionByName(other), parsed)


def measure(records: DataFrame, spec: SourceSpec) -> Measured:
    """Measure records: their numbers, the names that are numbers, and measures of the source."""
    from pyspark.sql import functions as f

    good = f.col("reason").isNull()
    kinds = dict(spec.columns)
    named = [name for group in spec.names for name in group]
    whole = {
        name: f.forall(name, is_whole_number)
        if pa.types.is_list(kinds[name])
        else is_whole_number(f.col(name))
        for name in named
    }
    counted = records.agg(
        f.count("*").alias("records"),
        f.count("reason").alias("bad"),
        *(
            f.coalesce(f.bool_and(f.when(good, value)), f.lit(False)).alias(f"whole {name}")
            for name, value in whole.items()
        ),
        *(f.expr(how).alias(name) for name, how in spec.measures.items()),
    )
    found: dict[str, Any] = counted.collect()[0].asDict()
    values = {name: found[name] for name in spec.measures}
    if spec.more_measures is not None:
        values |= spec.more_measures(records.where(good)).collect()[0].asDict()
    together = {
        name: all(found[f"whole {other}"] for other in group)
        for group in spec.names
        for name in group
    }
    return Measured(found["records"], found["bad"], values, together)


def typed_records(usable: DataFrame, spec: SourceSpec, measured: Measured) -> DataFrame:
    """Return the columns of names as integers if all names are."""
    from pyspark.sql import functions as f

    kinds = dict(spec.columns)
    return usable.select(
        *(
            as_name(f.col(name), measured.whole[name]).alias(name)
            if name in measured.whole and not pa.types.is_list(kinds[name])
            else f.col(name)
            for name in kinds
        )
    )


def _reasons(records: DataFrame, measured: Measured) -> list[_Reason]:
    """Count bad records by reason, with examples of the most frequent reasons."""
    from pyspark.sql import functions as f

    if not measured.bad:
        return []
    bad = records.where("reason IS NOT NULL")
    counts = bad.groupBy("reason").count().collect()
    ordered = sorted(((row["count"], row["reason"]) for row in counts), key=lambda r: (-r[0], r[1]))
    reasons = []
    for place, (count, reason) in enumerate(ordered):
        examples = []
        if place < REASONS_SHOWN:
            rows = bad.where(f.col("reason") == reason).orderBy("file", "line")
            examples = [
                (row["file"], row["line"][:CHARACTERS_SHOWN])
                for row in rows.limit(EXAMPLES_SHOWN).collect()
            ]
        reasons.append(_Reason(reason, count, examples))
    return reasons


def _too_many(
    what: str, ingestion: Ingestion, measured: Measured, rejected: Sequence[_Reason]
) -> str:
    said = "; ".join(
        f"{one.count:,} × {one.reason}, as in {one.examples[0][1]!r}"
        for one in rejected[:REASONS_SHOWN]
    )
    if len(rejected) > REASONS_SHOWN:
        said += f"; and {len(rejected) - REASONS_SHOWN} more reasons"
    if measured.bad == measured.records:
        return (
            f"{what}: none of {measured.records:,} lines can be read as {ingestion.source.name}: "
            f"{said}. Expected {ingestion.source.layout}. See the other sources and the options "
            "with: gossamer ingest --list"
        )
    return (
        f"{what}: {measured.bad:,} of {measured.records:,} lines cannot be used, more than "
        f"--max-bad {ingestion.max_bad}: {said}. Fix them, or accept more, as in --max-bad "
        f"{measured.bad}; the parsed records are stored for that run"
    )


def _take_over(job: Job, tables: Iterable[str]) -> None:
    """Remove tables that are about to be replaced from the manifests of other jobs."""
    names = set(tables)
    for name, manifest in read_manifests(job.folder).items():
        if name == job.manifest.job or not names & manifest.tables.keys():
            continue
        for table in names & manifest.tables.keys():
            del manifest.tables[table]
        manifest.finished = False
        manifest.write(job.folder)


def _check_files(source: Source, spec: SourceSpec, files: Sequence[RawFile]) -> None:
    if spec.one_file and len(files) > 1:
        listed = ", ".join(file.name for file in files[:3])
        raise TableError(f"{source.name} reads one file; {len(files)} are named: {listed}")
    for file in files:
        if spec.whole_files and file.size > MAX_WHOLE_FILE:
            raise TableError(
                f"{file.name}: has {file.size:,} bytes; {source.name} reads a file whole, which "
                f"may have {MAX_WHOLE_FILE:,}"
            )


@contextmanager
def _unpack_faults() -> Iterator[None]:
    """Turn the error of a compressed file that Spark cannot unpack into a TableError."""
    try:
        with spark_faults():
            yield
    except EngineError as fault:
        said = str(fault)
        if not re.search(r"EOFException|ZipException|gzip|BZip2|(?i:crc)|invalid \w+ \w+", said):
            raise
        file = re.search(r"reading file (.+?\.(?:gz|bz2))\b", f"{said} {fault.__cause__}")
        raise TableError(
            f"{file.group(1) if file else 'a file'}: the packed data is truncated or corrupt "
            f"({said.rpartition(': ')[2]})"
        ) from None
