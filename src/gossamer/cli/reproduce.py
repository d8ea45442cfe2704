"""``gossamer reproduce``: the papers' figures and tables, published values and ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import add_json, show_line, show_table, show_written
from gossamer.cli.option_groups import argument, expand, option
from gossamer.cli.progress import show_progress
from gossamer.cli.study_options import ReplicationOptions, StudyEngineOptions

if TYPE_CHECKING:
    from gossamer.studies import Study

ALL = "all"
EXAMPLES = (
    "gossamer reproduce td-cd-oda",
    "gossamer reproduce td-cd-oda --table I --instances 5 --out out",
    "gossamer reproduce elasto --quick --table 5 --out out",
    "gossamer reproduce all --compute none --out out",
    "gossamer reproduce --list",
)


@expand
def reproduce(
    replication: ReplicationOptions,
    engine: StudyEngineOptions,
    study: Annotated[str | None, argument("Paper, or all; see: gossamer reproduce --list.")] = None,
    table: Annotated[
        list[str] | None,
        option("Table or figure: I, 1, table-1, figure-7a; may be repeated.", metavar="NAME"),
    ] = None,
    out: Annotated[Path, option("Folder for stored results (runs) and reports.")] = Path("out"),
    quick: Annotated[bool, option("Run with fewer nodes than the paper.", "--quick")] = False,
    data: Annotated[
        Path | None,
        option(
            "Folder with the tables of real data that some figures need, each in a folder as "
            "gossamer ingest writes it; see --list.",
            metavar="FOLDER",
        ),
    ] = None,
    list_studies: Annotated[bool, option("List the studies and exit.", "--list")] = False,
) -> None:
    """Run a paper's experiments, and show published values and ours side by side.

    Results are stored one by one: after an interruption, or with more instances, only missing
    runs are computed.
    """
    from gossamer import studies
    from gossamer.errors import ParameterError

    if list_studies:
        _show_studies(out / "runs")
        return
    names = f"{', '.join(studies.studies())}, {ALL}"
    if study is None:
        raise ParameterError(f"no study is named; expected one of {names}")
    if study == ALL and table:
        raise ParameterError(f"--table is {table[0]}; expected the name of a study, not {ALL}")
    chosen = {
        **replication.chosen, **engine.session, "store": out / "runs", "quick": quick,
        "data": data, "engine": engine.engine.value,
    }  # fmt: skip
    if study == ALL:
        results = []
        with show_progress() as progress:
            for result in studies.reproduce_all(progress=progress, **chosen):
                results.append(result)
                studies.write_report(result, out / result.study.name)
        columns = list(dict.fromkeys(name for one in results for name in one.summary()))
        rows = [[one.summary().get(name) for name in columns] for one in results]
        show_table("Reproduction", columns, rows, key="studies", numbers=True)
        show_written(studies.write_overview(results, out))
        return
    with show_progress() as progress:
        result = studies.reproduce(study, table, progress=progress, **chosen)
        written = studies.write_report(result, out / result.study.name)
        shown = [
            (one.figure.title, studies.report_rows(one), studies.report_remarks(one))
            for one in result.figures
        ]
        summary, records = result.summary(), [one.record() for one in result.figures]
        notes = result.remarks
    for title, cells, remarks in shown:
        show_table(title, studies.REPORT_COLUMNS, cells, numbers=True)
        for line in remarks:
            show_line(line)
    add_json(**summary, figures=records)
    for line in notes:
        show_line(line)
    show_written(*written)


def _show_studies(stored: Path) -> None:
    """List the studies, their figures, and the processor time of their stored results."""
    from gossamer import studies

    rows = [
        (
            one.name,
            f"{one.title}\n{one.reference}",
            _figures_of(one),
            studies.stored_seconds(one, stored),
        )
        for one in studies.studies().values()
    ]
    columns = ("name", "paper", "tables_and_figures", "seconds")
    show_table("Studies", columns, rows, key="studies", apart=True)


def _figures_of(study: Study) -> str:
    """List the figures of a study, and the tables of data that some of them need."""
    from gossamer.studies import needed_tables

    data = sorted({name for figure in study.figures for name in needed_tables(figure)})
    more = f"\nwith --data: {', '.join(data)}" if data else ""
    return ", ".join(figure.name for figure in study.figures) + more
