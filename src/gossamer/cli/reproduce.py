"""``gossamer reproduce``: the papers' tables and figures, and ours beside them."""

from __future__ import annotations

import re
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_line, show_table
from gossamer.cli.engine_options import ENGINE_PANEL, Conf, Master, spark_settings
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.studies import FigureResult, Study, StudyResult

__all__ = ["EXAMPLES", "reproduce"]

EXAMPLES = (
    "gossamer reproduce td-cd-oda",
    "gossamer reproduce td-cd-oda --table I --instances 5 --out out",
    "gossamer reproduce elasto --quick --table 5 --out out",
    "gossamer reproduce --list",
)


class StudyEngine(StrEnum):
    """What runs the experiments."""

    auto = "auto"
    memory = "memory"
    spark = "spark"


ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


def reproduce(
    study: Annotated[
        str | None,
        typer.Argument(help="Which paper; see: gossamer reproduce --list.", show_default=False),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this table or figure: I, 1, table-1, figure-7a. May be given again.",
            show_default=False,
        ),
    ] = None,
    instances: Annotated[
        int | None,
        typer.Option(
            min=1, help="Instances of each point (default: the study's).", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for results and the reproduction report.")
    ] = Path("out"),
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A first look: leave out the paper's larger sizes."),
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Tables of real data that some figures are run on, each in a folder as gossamer "
            "ingest writes it; see --list.",
            show_default=False,
        ),
    ] = None,
    list_studies: Annotated[
        bool, typer.Option("--list", help="List the studies and stop.")
    ] = False,
    engine: Annotated[
        StudyEngine,
        typer.Option(
            help="One run after the other in this process, or many at once on Spark; auto is "
            "Spark where it is installed and more than eight runs are missing.",
            rich_help_panel=ENGINE_PANEL,
        ),
    ] = StudyEngine.auto,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Run a paper's experiments, and show its values and ours side by side.

    Every result is kept in the folder as soon as it is there: run again after an
    interruption, or with more instances, and only what is missing is computed.
    """
    from gossamer import studies
    from gossamer.errors import ParameterError
    from gossamer.tables import replacing

    if list_studies:
        show_table(
            "Studies",
            ("name", "paper", "tables and figures"),
            [
                (
                    found.name,
                    f"{found.title}\n{found.reference}",
                    _listed(found),
                )
                for found in studies.studies().values()
            ],
            apart=True,
        )
        return
    if study is None:
        raise ParameterError(f"no study is named; expected one of {', '.join(studies.studies())}")
    chosen = studies.find_study(study)
    names = [figure_name(chosen, text) for text in table] if table else None
    if engine is StudyEngine.memory and (master is not None or conf):
        given = "--master" if master is not None else "--conf"
        raise ParameterError(f"{given} is about Spark; leave out --engine memory")
    if data is not None and not data.is_dir():
        raise ParameterError(f"--data is {data}; expected a folder of tables")
    settings = spark_settings(conf)
    make_folder(out)
    with shown_progress() as progress, ExitStack() as stack:
        session = None
        if engine is StudyEngine.spark or master is not None or conf:
            from gossamer.pipeline import spark_session

            session = stack.enter_context(spark_session(master=master, settings=settings))
        result = studies.reproduce(
            chosen,
            names,
            instances=instances,
            store=out / "results",
            progress=progress,
            quick=quick,
            data=data,
            engine=engine.value,
            session=session,
        )
    for shown in result.figures:
        show_figure(shown)
    pictures = _draw(result, out)
    report = out / ("-".join([chosen.name, *(names or [])]) + ".md")
    with replacing(report) as partial:
        page = studies.report_page([result], pictures=bool(pictures))
        partial.write_text(page, encoding="utf-8")
    if result.outdated:
        are = "result is" if result.outdated == 1 else "results are"
        were = "was" if result.outdated == 1 else "were"
        show_line(
            f"{result.outdated:,} stored {are} of another version of the code and {were} "
            "computed again"
        )
    if result.left_out:
        show_line(f"left out for want of --data: {', '.join(result.left_out)}")
    show_line(result.agreement)
    show_line(f"wrote {', '.join(map(str, [report, *pictures]))}")


def _listed(study: Study) -> str:
    """List the tables and figures of a study, and the tables of data that some are run on."""
    from gossamer.studies import needs_tables

    data = sorted({name for one in study.figures for name in needs_tables(study, one)})
    more = f"\nwith --data: {', '.join(data)}" if data else ""
    return ", ".join(figure.name for figure in study.figures) + more


def _draw(result: StudyResult, out: Path) -> list[Path]:
    """Draw those that are figures, where that can be done."""
    from importlib.util import find_spec

    drawn = [shown for shown in result.figures if shown.figure.plot is not None]
    if find_spec("vl_convert") is None or not drawn:
        return []
    from gossamer.studies.figure_picture import study_picture

    places = []
    for shown in drawn:
        place = out / f"{result.study.name}-{shown.figure.name}.png"
        study_picture(shown, place)
        places.append(place)
    return places


def show_figure(result: FigureResult) -> None:
    """Print a table of the paper with ours beside it, and each reason for a difference once."""
    from gossamer import studies

    reasons: dict[str, int] = {}
    rows = []
    for cell, texts in zip(result.cells, studies.report_rows(result), strict=True):
        verdict = "agrees" if cell.verdict is studies.Verdict.AGREES else ""
        if cell.verdict is studies.Verdict.DIFFERS:
            number = reasons.setdefault(cell.reason or "unexplained", len(reasons) + 1)
            verdict = f"differs ({number})"
        rows.append((*texts[:-1], verdict))
    show_table(result.figure.title, studies.REPORT_COLUMNS, rows, numbers=True)
    for reason, number in reasons.items():
        show_line(f"({number}) {reason}\n")
    for statement, held in result.statements:
        why = f" {statement.reason}" if not held and statement.reason else ""
        show_line(f"{'holds' if held else 'does not hold'}: {statement.text}{why}")
    if result.statements:
        show_line("")


def figure_name(study: Study, text: str) -> str:
    """Turn I, 1 or table-1 into the name of a table of the study."""
    lowered = text.strip().lower()
    if lowered in {figure.name for figure in study.figures}:
        return lowered
    bare = re.sub(r"^(table|figure|fig\.?)[\s-]*", "", lowered).replace("(", "").replace(")", "")
    named = {figure.name for figure in study.figures}
    if f"figure-{bare}" in named:
        return f"figure-{bare}"
    table = f"table-{ROMAN.get(bare, bare)}"
    return study.find_figure(table if table in named else lowered).name


def make_folder(folder: Path) -> None:
    """Create the folder that results go to, or say why it cannot be."""
    from gossamer.errors import ParameterError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ParameterError(f"{folder}: is a file; expected a folder to write to") from None
    except OSError as fault:
        raise ParameterError(f"{folder}: cannot be created ({fault.strerror})") from None
