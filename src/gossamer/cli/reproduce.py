"""``gossamer reproduce``: the papers' figures and tables, published values and ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from gossamer.cli.display import add_json, show_line, show_table, show_written
from gossamer.cli.option_groups import argument, expand, option
from gossamer.cli.options import SparkOptions
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.studies import FigureResult, Study

EXAMPLES = (
    "gossamer reproduce td-cd-oda",
    "gossamer reproduce td-cd-oda --table I --instances 5 --out out",
    "gossamer reproduce elasto --quick --table 5 --out out",
    "gossamer reproduce --list",
)


class StudyEngine(StrEnum):
    """Where the experiments run."""

    auto = "auto"
    memory = "memory"
    spark = "spark"


@dataclass(frozen=True)
class StudyEngineOptions(SparkOptions):
    """Memory of this process, or a Spark session and its settings."""

    PANEL: ClassVar = "Engine"

    engine: Annotated[
        StudyEngine,
        option(
            "memory: one run after the other in this process. spark: many runs at once. auto: "
            "spark if it is installed and more than eight runs are missing."
        ),
    ] = StudyEngine.auto


@expand
def reproduce(
    engine: StudyEngineOptions,
    study: Annotated[str | None, argument("Paper; see: gossamer reproduce --list.")] = None,
    table: Annotated[
        list[str] | None,
        option("Table or figure: I, 1, table-1, figure-7a; may be repeated.", metavar="NAME"),
    ] = None,
    instances: Annotated[
        int | None, option("Repetitions of each parameter setting (default: the study's).", min=1)
    ] = None,
    out: Annotated[Path, option("Folder for results and the report.")] = Path("out"),
    quick: Annotated[bool, option("Run fewer nodes than the paper does.", "--quick")] = False,
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
        rows = [
            (one.name, f"{one.title}\n{one.reference}", _figures_of(one))
            for one in studies.studies().values()
        ]
        columns = ("name", "paper", "tables_and_figures")
        show_table("Studies", columns, rows, key="studies", apart=True)
        return
    if study is None:
        raise ParameterError(f"no study is named; expected one of {', '.join(studies.studies())}")
    with show_progress() as progress:
        result = studies.reproduce(
            study, table, instances=instances, store=out / "results", progress=progress,
            quick=quick, data=data, engine=engine.engine.value, **engine.session,
        )  # fmt: skip
    for figure in result.figures:
        _show(figure)
    add_json(**result.summary(), figures=[figure.record() for figure in result.figures])
    for line in result.remarks:
        show_line(line)
    show_written(*studies.write_report(result, out))


def _figures_of(study: Study) -> str:
    """List the figures of a study, and the tables of data that some of them need."""
    from gossamer.studies import needed_tables

    data = sorted({name for figure in study.figures for name in needed_tables(figure)})
    more = f"\nwith --data: {', '.join(data)}" if data else ""
    return ", ".join(figure.name for figure in study.figures) + more


def _show(result: FigureResult) -> None:
    """Print the cells of a figure, the reasons for differences, and the statements."""
    from gossamer.studies import REPORT_COLUMNS, report_remarks, report_rows

    show_table(result.figure.title, REPORT_COLUMNS, report_rows(result), numbers=True)
    for line in report_remarks(result):
        show_line(line)
