"""``gossamer ingest``: convert raw files to tables, on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import (
    add_json,
    is_json,
    show_facts,
    show_line,
    show_registry,
    show_written,
)
from gossamer.cli.options import ListNames, SparkOptions, argument, expand, option
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.pipeline.ingest import IngestResult

EXAMPLES = (
    "gossamer ingest snap follows.txt --out tables",
    "gossamer ingest pairs subscriptions.csv --node-column node --out tables",
    "gossamer ingest pairs 'subscriptions*.csv' --max-bad 0 --out tables",
    "gossamer ingest --list",
)
EXAMPLES_SHOWN = 3


@expand
def ingest(
    context: typer.Context,
    spark: SparkOptions,
    source: Annotated[
        str | None, argument("Format of the files; see: gossamer ingest --list.")
    ] = None,
    files: Annotated[
        list[str] | None,
        argument("Files, folders, patterns in quotes, or URIs; .gz and .bz2 are decompressed."),
    ] = None,
    out: Annotated[
        str | None, option("Folder of tables; other tables in it stay as they are.")
    ] = None,
    max_bad: Annotated[
        str, option("Maximum number, or share, of bad lines.", metavar="N|P%")
    ] = "1%",
    list_sources: ListNames = False,
) -> None:
    """Convert raw files to tables: follower graphs, subscriptions, publications, sessions.

    Bad lines are written to a table of their own, with the reason. Options of a source are
    given by name, as in --node-column user. An interrupted run resumes when the same command
    is given again.
    """
    from gossamer.errors import ParameterError
    from gossamer.pipeline import spark_session
    from gossamer.pipeline.ingest import Ingestion
    from gossamer.pipeline.sources import find_source, sources

    if list_sources:
        show_registry(
            "Sources", sources().values(), key="sources", reference="layout",
            column="tables", value=lambda source: "\n".join(source.tables),
        )  # fmt: skip
        return
    if source is None:
        raise ParameterError(f"no source is named; expected one of {', '.join(sources())}")
    options = find_source(source).options.parse(read_algorithm_options(context))
    if not files:
        raise ParameterError(f"no files are named; expected one or more, as in: {EXAMPLES[0]}")
    if out is None:
        raise ParameterError("no folder to write to; name one with --out, as in --out tables")
    session = spark.session
    with show_progress() as progress:
        progress("listing the files", 0.0)
        ingestion = Ingestion.plan(source, files, max_bad=max_bad, **options)
        with spark_session(**session, progress=progress) as running:
            done = ingestion.run(running, out, progress=progress)
    _show(done)


def _show(done: IngestResult) -> None:
    bad = sum(done.rejected.values())
    facts: dict[str, Any] = {"records": done.records, "bad_records": bad}
    if is_json():
        rejected = [{"reason": reason, "records": count} for reason, count in done.rejected.items()]
        add_json(**facts, rejected=rejected, rows=done.tables)
        show_facts("", done.notes, key="notes")
    else:
        facts |= {f"  {reason}": count for reason, count in done.rejected.items()}
        facts |= done.notes
        facts |= {f"rows of {name}": rows for name, rows in done.tables.items()}
        show_facts(f"{done.source} records", facts)
    examples = [
        (reason, file, line)
        for reason, listed in done.examples.items()
        for file, line in listed[: EXAMPLES_SHOWN if len(done.examples) == 1 else 1]
    ]
    for reason, file, line in examples[:EXAMPLES_SHOWN]:
        show_line(f"bad line in {file}: {line!r}: {reason}")
    show_written(*(f"{done.folder}/{name}" for name in done.tables))
