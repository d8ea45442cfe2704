"""``gossamer ingest``: raw files become tables, on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_line, show_table, typed_options
from gossamer.cli.engine_options import Conf, Master, spark_settings
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.pipeline.ingest import Ingested

__all__ = ["EXAMPLES", "ingest"]

EXAMPLES = (
    "gossamer ingest snap follows.txt --out tables",
    "gossamer ingest pairs subscriptions.csv --node-column node --out tables",
    "gossamer ingest pairs 'subscriptions*.csv' --max-bad 0 --out tables",
    "gossamer ingest --list",
)
EXAMPLES_SHOWN = 3


def ingest(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(help="What the files are; see: gossamer ingest --list.", show_default=False),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns in quotes, or URIs; .gz and .bz2 are unpacked.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help="The folder of tables; others in it stay as they are.", show_default=False
        ),
    ] = None,
    max_bad: Annotated[
        str,
        typer.Option(metavar="N|P%", help="How many bad lines to put up with, or which share."),
    ] = "1%",
    list_sources: Annotated[
        bool, typer.Option("--list", help="List the sources and stop.")
    ] = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Turn raw files into tables: who follows whom, who wants what, when nodes are there.

    Lines that cannot be used are set aside in a table of their own, with the reason.
    A source's own options are given by name, as in --node-column user. An interrupted
    run goes on where it was when it is run again.
    """
    from gossamer.errors import ParameterError
    from gossamer.pipeline import spark_session
    from gossamer.pipeline.ingest import Ingestion
    from gossamer.pipeline.sources import find_source, sources

    if list_sources:
        show_table(
            "Sources",
            ("name", "what it is, and what its files look like", "tables", "options"),
            [
                (
                    found.name,
                    f"{found.summary}\n{found.layout}",
                    "\n".join(found.tables),
                    typed_options(found.options.listed),
                )
                for found in sources().values()
            ],
            apart=True,
        )
        return
    if source is None:
        raise ParameterError(f"no source is named; expected one of {', '.join(sources())}")
    options = find_source(source).options.parse(read_algorithm_options(context))
    if not files:
        raise ParameterError(f"no files are named; expected some, as in: {EXAMPLES[0]}")
    if out is None:
        raise ParameterError("no folder to write to; name one with --out, as in --out tables")
    settings = spark_settings(conf)
    with shown_progress() as progress:
        progress("looking at the files", 0.0)
        ingestion = Ingestion.plan(source, files, max_bad=max_bad, **options)
        progress("starting Spark", 0.0)
        with spark_session(master=master, settings=settings) as session:
            done = ingestion.run(session, out, progress=progress)
    _show(done)


def _show(done: Ingested) -> None:
    bad = sum(done.rejected.values())
    facts: dict[str, Any] = {"lines or entries": done.items, "of these bad": bad}
    facts |= {f"  {reason}": count for reason, count in done.rejected.items()}
    facts |= done.told
    facts |= {f"rows of {name}": rows for name, rows in done.tables.items()}
    show_facts(f"{done.source}, ingested", facts)
    examples = [
        (reason, file, line)
        for reason, listed in done.examples.items()
        for file, line in listed[: EXAMPLES_SHOWN if len(done.examples) == 1 else 1]
    ]
    for reason, file, line in examples[:EXAMPLES_SHOWN]:
        show_line(f"bad line in {file}: {line!r}: {reason}")
    show_line(f"wrote {', '.join(done.tables)} in {done.folder}")
