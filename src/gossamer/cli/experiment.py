"""Options and helpers that the commands ``compare`` and ``front`` share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.common_options import show_note
from gossamer.cli.display import add_json, is_json, show_line, show_table, show_written
from gossamer.cli.options import EngineOptions, TableOptions, argument, as_uri, option, output_table
from gossamer.cli.typed_command import typed_command
from gossamer.errors import ParameterError, UnknownOptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from gossamer.experiments.comparison import Comparison, ComparisonRow
    from gossamer.experiments.recommendation import Recommendation
    from gossamer.progress import Progress

OptionalSubscriptions = Annotated[
    Path | None, argument("Table of subscriptions: CSV or Parquet, plain or gzipped.")
]


COLUMNS = (
    "mean_degree", "max_degree", "p95_degree", "links", "topics_connected", "max_diameter",
    "mean_diameter", "seconds", "ratio_to_lower_bound",
)  # fmt: skip
"""Columns of the table of a comparison, after the algorithm."""


@dataclass(frozen=True)
class ConstraintOptions:
    """Constraints on the recommended overlay."""

    PANEL: ClassVar = "Constraints"

    hops: Annotated[int | None, option("Maximum topic diameter, in hops.")] = None
    max_degree: Annotated[int | None, option("Maximum number of links of a node.")] = None

    def __post_init__(self) -> None:
        from gossamer.experiments.recommendation import check_constraints

        check_constraints(self.hops, self.max_degree)


@dataclass(frozen=True)
class CandidateOptions:
    """Algorithms and protocols of a Pareto front."""

    PANEL: ClassVar = "Candidates"

    algorithms: Annotated[
        str | None,
        option(
            "Algorithms, separated by commas, with options as in low-oda:rho=5 (default: all that "
            "guarantee topic connectivity, some at several values of a parameter)."
        ),
    ] = None
    radii: Annotated[
        str | None,
        option(
            "Radii of bounded-radius and cover-forest, separated by commas (default: "
            "2,3,4,5,6,8,10,12,16 and 2,3,4,6,8)."
        ),
    ] = None
    rho: Annotated[
        str | None, option("Values of ρ of low-oda, separated by commas (default: 1.5,2,3,5,10).")
    ] = None
    protocols: Annotated[
        str | None,
        option("Protocols to simulate (default: spidercast,spidercast:kr=1 up to 20,000 nodes)."),
    ] = None
    no_protocols: Annotated[bool, option("Simulate no protocol.")] = False

    def parse(self) -> dict[str, Any]:
        """Return the arguments of :func:`gossamer.front`, checked."""
        from gossamer.experiments.candidates import check_values

        if self.no_protocols and self.protocols is not None:
            raise ParameterError("expected either --protocols or --no-protocols, and not both")
        parsed: dict[str, Any] = {
            "algorithms": split_list(self.algorithms),
            "radii": _numbers("--radii", self.radii, int),
            "rho": _numbers("--rho", self.rho, float),
            "protocols": [] if self.no_protocols else split_list(self.protocols),
        }
        check_values(**parsed)
        return parsed


@dataclass(frozen=True)
class MeasureOptions:
    """Number of runs, and metrics beside those of every comparison."""

    PANEL: ClassVar = "Measures"

    metrics: Annotated[
        str | None,
        option(
            "More metrics, separated by commas: median_degree, p99_degree, bridges, bridged_share, "
            "articulation_points, clustering, mean_topics_per_link, links_without_topic, or those "
            "of a plug-in."
        ),
    ] = None
    seeds: Annotated[
        int,
        option(
            "Runs of each algorithm, with seeds --seed, --seed + 1 and so on; with several, means "
            "and 95 % confidence intervals are shown.",
            min=1,
        ),
    ] = 1

    def __post_init__(self) -> None:
        from gossamer.quality.registry import resolve_metrics

        resolve_metrics(split_list(self.metrics))

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of :func:`gossamer.compare`."""
        return {"metrics": split_list(self.metrics), "seeds": self.seeds}


@dataclass(frozen=True)
class ResultOptions:
    """Output files of an experiment, and its folder."""

    picture: Annotated[
        Path | None, option("Picture of the results: .png, .svg, .pdf or .html.")
    ] = None
    out: Annotated[Path | None, output_table("Table of the results")] = None
    report: Annotated[
        Path | None, option("HTML page with tables and charts, .html; it needs no network.")
    ] = None
    save: Annotated[
        Path | None,
        option(
            "Folder of the results for gossamer report. gossamer front stores each result there at "
            "once, and resumes when the same command is given again."
        ),
    ] = None

    def check(self, source: Path | None) -> None:
        """Reject files that cannot be written, before long work."""
        from gossamer.experiments.comparison_folder import check_folder
        from gossamer.tables import check_output
        from gossamer.viz.output import PAGE_ENDINGS, check_picture

        if self.picture is not None:
            check_picture(self.picture, inputs=[source])
        if self.out is not None:
            check_output(self.out, inputs=[source])
        if self.report is not None:
            check_picture(self.report, inputs=[source], endings=PAGE_ENDINGS)
        if self.save is not None:
            check_folder(self.save)
            if self.save in (self.picture, self.out, self.report):
                raise ParameterError(
                    f"--save is {self.save}, which is a file to write too; expected a folder"
                )

    def write(
        self,
        progress: Progress,
        *,
        table: Callable[[], Any],
        picture: Callable[[Path], None],
        save: Callable[[Path], None],
        page: Callable[[Path], None],
    ) -> None:
        """Write the results that were asked for."""
        from gossamer.tables import write_table

        if self.out is not None:
            write_table(self.out, table())
        if self.picture is not None:
            progress("drawing", 1.0)
            picture(self.picture)
        if self.save is not None:
            save(self.save)
        if self.report is not None:
            progress("writing the page", 1.0)
            page(self.report)

    def show(self) -> None:
        """Print the names of the files that were written."""
        show_written(self.out, self.picture, self.save, self.report)


def split_list(text: str | None) -> list[str] | None:
    """Split a list at its commas."""
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _numbers(flag: str, text: str | None, kind: type[Any]) -> list[Any] | None:
    try:
        found = None if text is None else [kind(word) for word in text.split(",")]
    except ValueError:
        found = []
    if found == []:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{flag} is {text!r}; expected {what} separated by commas")
    return found


@contextmanager
def open_session(engine: EngineOptions, progress: Progress) -> Iterator[SparkSession | None]:
    """Start the Spark session of a command, if it computes on Spark."""
    if not engine.on_spark:
        yield None
        return
    from gossamer.pipeline import spark_session

    progress("starting Spark", 0.0)
    with spark_session(**engine.session) as session:
        yield session


@contextmanager
def resume_notice(save: Path | None) -> Iterator[None]:
    """Print, on an interruption, the folder from which the same command resumes."""
    try:
        yield
    except KeyboardInterrupt:
        if save is not None and save.exists():
            show_note(f"the results so far are in {save}; the same command resumes")
        raise


def show_rows(
    name: str,
    found: Comparison,
    rows: Sequence[ComparisonRow],
    marks: Mapping[str, str] | None = None,
    bound_method: str | None = None,
) -> None:
    """Print rows of a comparison as a table, with a mark beside each algorithm, and the bound."""
    from gossamer.experiments.side_by_side import with_half_widths

    add_json(
        nodes=found.nodes, topics=found.topics, subscriptions=found.subscriptions,
        lower_bound=found.lower_bound, seed=found.origin.seed, seeds=found.seeds,
    )  # fmt: skip
    metrics = dict.fromkeys(found.metrics)
    intervals = f"; mean of {found.seeds} seeds ± 95 % interval" * (found.seeds > 1)
    show_table(
        f"{name}: {found.nodes:,} nodes, {found.topics:,} topics, "
        f"{found.subscriptions:,} subscriptions{intervals}",
        ["algorithm", *(["front"] if marks else []), *COLUMNS, *metrics],
        [
            row.summary()
            if is_json()
            else {
                **metrics,
                **with_half_widths(row.summary()),
                **({"front": marks[row.algorithm]} if marks else {}),
            }
            for row in rows
        ],
        key="rows",
        numbers=True,
    )
    if bound_method != "":
        by = f" ({bound_method})" if bound_method else ""
        show_line(f"no topic-connected overlay has a mean degree below {found.bound_text}{by}")


def with_origin(
    found: Comparison,
    context: typer.Context,
    title: str,
    source: Path | None,
    table: TableOptions,
    *,
    more: str = "",
) -> Comparison:
    """Return a comparison with its title, its command, and the table as it is typed."""
    typed = ("FILE" if source is None else typed_table(source, table)) + more
    command = typed_command(context)
    return replace(found, origin=replace(found.origin, title=title, command=command, table=typed))


def show_faults(faults: Mapping[str, str]) -> None:
    """Print what went wrong with each algorithm, and exit with code 1 if anything did."""
    for label, why in faults.items():
        typer.echo(f"error: {label}: {why}", err=True)
    if faults:
        raise typer.Exit(1)


def show_recommendations(advice: Sequence[Recommendation]) -> None:
    """Print recommendations, a line for each goal, with the command to type."""
    add_json(recommendations=[one.summary() for one in advice])
    if not is_json():
        for text in ("", *(one.line for one in advice), ""):
            show_line(text)


def options_of_workload(
    context: typer.Context,
    source: Path | None,
    instead: str = "an algorithm's own go with its name, as in --algorithms low-oda:rho=5",
) -> dict[str, str]:
    """Return the undeclared options: those of a generated workload. A table has none."""
    options = read_algorithm_options(context)
    if source is not None and options:
        name = next(iter(options))
        raise UnknownOptionError(f"{context.info_name} has no option --{name}; {instead}", name)
    return options


def typed_table(path: Path, table: TableOptions) -> str:
    """Return a file with its format options, as they are typed after a command."""
    words = [as_uri(path)]
    for field in fields(table):
        value = getattr(table, field.name)
        flag = f"--{field.name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, str(value)]
    return shlex.join(words)
