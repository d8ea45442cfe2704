"""Option groups: options that several commands share, each declared once.

A group is a frozen dataclass whose fields are annotated as Typer options. A command takes groups
as parameters, and :func:`expand` replaces each of them by its fields on the command line::

    @expand
    def assess(subscriptions: Subscriptions, table: TableOptions, *, seed: Seed = 0) -> None: ...
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from gossamer.model import Interests

__all__ = [
    "Engine",
    "EngineOptions",
    "Links",
    "Seed",
    "Subscriptions",
    "TableOptions",
    "WorkloadOptions",
    "as_uri",
    "expand",
    "load_interests",
]


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is an option group by the options of the group.

    Options keep the order of the parameters. A group is built, and so checked, before the
    command's body runs.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if not is_dataclass(hint):
            parameters.append(
                parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint)
            )
            continue
        groups[name] = hint
        of_group = get_type_hints(hint, include_extras=True)
        for field in fields(hint):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=of_group[field.name],
                )
            )

    @wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    expanded.__dict__.pop("__wrapped__")
    vars(expanded)["__signature__"] = inspect.Signature(parameters)
    expanded.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return expanded


Subscriptions = Annotated[
    Path,
    typer.Argument(
        help="Table of subscriptions: CSV or Parquet, plain or gzipped, or a folder of tables.",
        show_default=False,
    ),
]
Links = Annotated[
    Path,
    typer.Argument(
        help="Table of links source,target: CSV, Parquet, or a folder of tables.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random number generator.")]

TABLE_PANEL = "Format of the subscriptions"
WORKLOAD_PANEL = "A generated workload instead of a file"
ENGINE_PANEL = "Engine"


@dataclass(frozen=True)
class TableOptions:
    """Format of a table of subscriptions."""

    follows: Annotated[
        bool,
        typer.Option(
            "--follows",
            help="The file is an edge list, 'a b' a line: a follows b, and so subscribes to b.",
            rich_help_panel=TABLE_PANEL,
        ),
    ] = False
    undirected: Annotated[
        bool,
        typer.Option(
            "--undirected",
            help="With --follows: both nodes of a line follow each other.",
            rich_help_panel=TABLE_PANEL,
        ),
    ] = False
    node_column: Annotated[
        str | None,
        typer.Option(
            help="Column of nodes (default: node).",
            show_default=False,
            rich_help_panel=TABLE_PANEL,
        ),
    ] = None
    topic_column: Annotated[
        str | None,
        typer.Option(
            help="Column of topics (default: topic).",
            show_default=False,
            rich_help_panel=TABLE_PANEL,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="Field separator (default: a comma; a tab for .tsv).",
            show_default=False,
            rich_help_panel=TABLE_PANEL,
        ),
    ] = None

    def __post_init__(self) -> None:
        from gossamer.errors import ParameterError

        named = (self.node_column, self.topic_column, self.delimiter)
        if self.follows and named != (None, None, None):
            raise ParameterError(
                "--follows reads an edge list, which has no columns or delimiter to name; "
                "leave out --node-column, --topic-column and --delimiter"
            )
        if self.undirected and not self.follows:
            raise ParameterError("--undirected is about edge lists; give --follows too")

    @property
    def columns(self) -> dict[str, Any]:
        """Names of the columns and the delimiter, as :func:`gossamer.read_interests` takes them."""
        return {
            "node": "node" if self.node_column is None else self.node_column,
            "topic": "topic" if self.topic_column is None else self.topic_column,
            "delimiter": self.delimiter,
        }

    def require_columns(self, *paths: Path) -> None:
        """Reject an edge list, which Spark jobs do not read, and paths that do not exist."""
        from gossamer.errors import ParameterError, TableError

        if self.follows:
            raise ParameterError(
                "--follows reads an edge list in memory; for Spark, make a table of it first: "
                "gossamer ingest snap FILE --out tables"
            )
        for path in paths:
            if "://" not in as_uri(path) and not path.exists():
                raise TableError(f"{path}: there is no such file or folder")

    def read(self, path: Path) -> Interests:
        """Read interests from a file in this format."""
        from gossamer.tables import read_follows, read_interests

        if self.follows:
            return read_follows(path, undirected=self.undirected)
        return read_interests(path, **self.columns)


@dataclass(frozen=True)
class WorkloadOptions:
    """A generated workload in place of a table of subscriptions."""

    workload: Annotated[
        str | None,
        typer.Option(
            help="Kind of workload; see: gossamer workload --list.",
            show_default=False,
            rich_help_panel=WORKLOAD_PANEL,
        ),
    ] = None
    nodes: Annotated[int, typer.Option(help="Number of nodes.", rich_help_panel=WORKLOAD_PANEL)] = (
        1000
    )
    topics: Annotated[
        int, typer.Option(help="Number of topics.", rich_help_panel=WORKLOAD_PANEL)
    ] = 100
    subscriptions_per_node: Annotated[
        str,
        typer.Option(
            "--subscriptions",
            metavar="SIZE|MIN-MAX",
            help="Topics per node: 10, or a number drawn from 10-30.",
            rich_help_panel=WORKLOAD_PANEL,
        ),
    ] = "10"
    exponent: Annotated[
        float | None,
        typer.Option(
            help="Exponent of the power law of the sizes in MIN-MAX (default: uniform).",
            show_default=False,
            rich_help_panel=WORKLOAD_PANEL,
        ),
    ] = None

    def generate(self, seed: int, options: Mapping[str, str]) -> Interests:
        """Generate the interests; ``options`` are those of the kind, as text."""
        from gossamer.errors import ParameterError
        from gossamer.workloads import find_kind, generate_interests, parse_sizes

        assert self.workload is not None
        interests = generate_interests(
            self.workload,
            nodes=self.nodes,
            topics=self.topics,
            subscriptions=parse_sizes(self.subscriptions_per_node, exponent=self.exponent),
            seed=seed,
            **find_kind(self.workload).options.parse(options),
        )
        if not interests.subscription_count:
            raise ParameterError(
                f"no node has a topic with --nodes {self.nodes} and --subscriptions "
                f"{self.subscriptions_per_node}; expected 1 or more of both"
            )
        return interests


WORKLOAD_FLAGS = {
    "nodes": "--nodes",
    "topics": "--topics",
    "subscriptions_per_node": "--subscriptions",
    "exponent": "--exponent",
}


def load_interests(
    context: typer.Context,
    path: Path | None,
    table: TableOptions,
    workload: WorkloadOptions,
    *,
    seed: int,
    options: Mapping[str, str],
) -> Interests:
    """Read interests from the file, or generate them: exactly one of the two.

    ``options`` are those of the workload's kind; with a file there may be none.
    """
    check_source(context, path, workload.workload)
    return workload.generate(seed, options) if path is None else table.read(path)


def check_source(context: typer.Context, path: Path | None, workload: str | None) -> None:
    """Reject two sources of subscriptions, none, or options of a source that is not used."""
    from gossamer.errors import ParameterError

    if path is None and workload is None:
        raise ParameterError("no subscriptions are given; expected a file, or --workload")
    if path is not None and workload is not None:
        raise ParameterError("expected either a file of subscriptions or --workload, and not both")
    for name, flag in WORKLOAD_FLAGS.items():
        source = context.get_parameter_source(name)
        if path is not None and source is not None and source.name == "COMMANDLINE":
            raise ParameterError(f"{flag} is about a --workload; {path.name} has its own")


class Engine(StrEnum):
    """Where a command computes."""

    memory = "memory"
    spark = "spark"


@dataclass(frozen=True)
class EngineOptions:
    """In-memory computation, or a Spark session and its settings."""

    engine: Annotated[
        Engine,
        typer.Option(
            help="Memory of this process, or Spark: embedded, or a cluster.",
            rich_help_panel=ENGINE_PANEL,
        ),
    ] = Engine.memory
    master: Annotated[
        str | None,
        typer.Option(
            help="Spark master: local[2], spark://host:7077, sc://host (default: local[*]).",
            show_default=False,
            rich_help_panel=ENGINE_PANEL,
        ),
    ] = None
    conf: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Spark setting, as in spark.driver.memory=8g. May be given again.",
            show_default=False,
            rich_help_panel=ENGINE_PANEL,
        ),
    ] = None

    def __post_init__(self) -> None:
        from gossamer.errors import ParameterError

        if not self.on_spark and (self.master is not None or self.conf):
            given = "--master" if self.master is not None else "--conf"
            raise ParameterError(f"{given} is about Spark; give --engine spark too")

    @property
    def on_spark(self) -> bool:
        """Whether the work is done on Spark."""
        return self.engine is Engine.spark

    @property
    def session(self) -> dict[str, Any]:
        """Master and settings of the session, as pipeline jobs take them.

        A job gets these and not a session, so that it checks all other arguments before it
        starts Java.
        """
        from gossamer.errors import ParameterError

        settings = {}
        for setting in self.conf or []:
            name, equals, value = setting.partition("=")
            if not equals or not name.startswith("spark."):
                raise ParameterError(
                    f"--conf is {setting!r}; expected a name that begins with 'spark.', '=' "
                    "and a value"
                )
            settings[name] = value
        return {"master": self.master, "settings": settings}


def as_uri(path: Path) -> str:
    """Return a path as it was typed: in a URI such as s3://…, a path has lost a slash."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?=[^/])", r"\1://", str(path))
