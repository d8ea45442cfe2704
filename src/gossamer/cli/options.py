"""Options that several commands share, each declared once: its name, help and checks.

How a command uses them is in ``option_groups``, whose functions are here too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gossamer.cli.option_groups import argument, expand, is_given, option, output_table
from gossamer.column_names import Layout

if TYPE_CHECKING:
    from gossamer.model import Interests, Overlay, WorkloadSpec
    from gossamer.progress import Progress
    from gossamer.workloads import Sizes

__all__ = [
    "Engine",
    "EngineOptions",
    "Links",
    "ListNames",
    "PictureOptions",
    "Seed",
    "SizeOptions",
    "SparkOptions",
    "Subscriptions",
    "TableOptions",
    "WorkloadOptions",
    "argument",
    "as_uri",
    "check_source",
    "expand",
    "is_given",
    "load_interests",
    "option",
    "output_table",
]


Subscriptions = Annotated[
    Path,
    argument(
        "Table of subscriptions: CSV, Parquet or JSON, plain or compressed, or a folder; - for "
        "standard input."
    ),
]
Links = Annotated[Path, argument("Links source,target: CSV or Parquet, a folder of tables, or -.")]
Seed = Annotated[int, option("Seed of the random number generator.", min=0)]
ListNames = Annotated[
    bool, option("Print the available names and their options, and exit.", "--list")
]


@dataclass(frozen=True)
class ColumnOptions:
    """Columns of a table of subscriptions, and their separator."""

    PANEL: ClassVar = "Format of the subscriptions"

    node_column: Annotated[str | None, option("Name of the column of nodes (default: node).")] = (
        None
    )
    topic_column: Annotated[
        str | None, option("Name of the column of topics (default: topic).")
    ] = None
    delimiter: Annotated[
        str | None,
        option(
            "Field separator: a character, or comma, tab, semicolon, pipe, space or blanks "
            "(default: detected in the first line)."
        ),
    ] = None

    @property
    def columns(self) -> dict[str, Any]:
        """Names of the columns and the delimiter, as Spark jobs take them."""
        return {
            "node_column": "node" if self.node_column is None else self.node_column,
            "topic_column": "topic" if self.topic_column is None else self.topic_column,
            "delimiter": self.delimiter,
        }


@dataclass(frozen=True)
class TableOptions(ColumnOptions):
    """Format of a table of subscriptions."""

    layout: Annotated[
        Layout | None,
        option(
            "pairs: one node and one topic per line. lists: one node and its topics per line, or "
            "JSON. counts: the number of topics of node 1, 2, … and then these topics (default: "
            "pairs, or lists for JSON)."
        ),
    ] = None
    follows: Annotated[
        bool,
        option("Topics are nodes: a line 'a b' says that a follows b, so a subscribes to topic b."),
    ] = False
    undirected: Annotated[
        bool, option("With --follows: the two nodes on a line follow each other.")
    ] = False
    no_header: Annotated[
        bool,
        option(
            "The first line is data, and columns are named by their numbers: by default, "
            "--node-column is 1 and --topic-column is 2."
        ),
    ] = False
    first_node: Annotated[
        int | None, option("With --layout counts: number of the first node (default: 1).")
    ] = None
    max_bad: Annotated[
        str | None,
        option(
            "Maximum number, or share, of bad rows, which are skipped and counted (default: the "
            "first is an error).",
            metavar="N|P%",
        ),
    ] = None

    def __post_init__(self) -> None:
        from gossamer.errors import ParameterError

        if self.undirected and not self.follows:
            raise ParameterError("--undirected applies to follows; give --follows too")
        if self.first_node is not None and self.layout != "counts":
            raise ParameterError("--first-node applies to counts; give --layout counts too")

    def require_columns(self, *paths: Path) -> None:
        """Reject formats that Spark jobs do not read, and paths that do not exist."""
        from gossamer.atomic_files import is_standard
        from gossamer.errors import ParameterError, TableError

        for given, flag, source in (
            (self.follows, "--follows", "snap"),
            (self.layout not in (None, "pairs"), "--layout", "lists"),
            (self.no_header, "--no-header", "pairs"),
            (self.max_bad is not None, "--max-bad", "pairs"),
        ):
            if given:
                raise ParameterError(
                    f"{flag} is read in memory; for Spark, make a table of it first: "
                    f"gossamer ingest {source} FILE --out tables"
                )
        if any(is_standard(path) for path in paths):
            raise ParameterError(
                "- is standard input, which Spark does not read; save it to a file first"
            )
        for path in paths:
            if "://" not in as_uri(path) and not path.exists():
                raise TableError(f"{path}: there is no such file or folder")

    def read(self, path: Path) -> Interests:
        """Read interests from a file in this format."""
        from gossamer.tables import read_follows, read_interests

        first = 1 if self.first_node is None else self.first_node
        common: dict[str, Any] = {
            "node_column": self.node_column, "topic_column": self.topic_column,
            "delimiter": self.delimiter, "first_node": first,
            "max_bad": 0 if self.max_bad is None else self.max_bad,
        }  # fmt: skip
        if not self.follows:
            return read_interests(path, layout=self.layout, header=not self.no_header, **common)
        return read_follows(
            path, layout=self.layout, header=False if self.no_header else None,
            undirected=self.undirected, **common,
        )  # fmt: skip


@dataclass(frozen=True)
class SizeOptions:
    """Size of a generated workload."""

    nodes: Annotated[int, option("Number of nodes.")] = 1000
    topics: Annotated[int, option("Number of topics.")] = 100
    subscriptions_per_node: Annotated[
        str,
        option(
            "Number of topics per node: 10, or drawn between 10 and 30 with 10-30.",
            "--subscriptions",
            metavar="SIZE|MIN-MAX",
        ),
    ] = "10"
    exponent: Annotated[
        float | None,
        option(
            "Exponent of the power law of the number of topics in MIN-MAX (default: uniform "
            "distribution)."
        ),
    ] = None

    @property
    def sizes(self) -> Sizes:
        """Distribution of the number of topics per node."""
        from gossamer.workloads import parse_sizes

        return parse_sizes(self.subscriptions_per_node, exponent=self.exponent)

    def spec(self, kind: str, seed: int, options: Mapping[str, str]) -> WorkloadSpec:
        """Return the description of a workload of a kind, whose options are given as text."""
        from gossamer.model import WorkloadSpec
        from gossamer.options import split_spec
        from gossamer.workloads import find_kind

        name, texts = split_spec(kind, options)
        found = find_kind(name)
        return WorkloadSpec(
            kind=name,
            nodes=self.nodes,
            topics=self.topics,
            subscriptions=self.subscriptions_per_node,
            exponent=self.exponent,
            seed=seed,
            options=found.options.parse(texts),
        )

    def generate(self, kind: str, seed: int, options: Mapping[str, str]) -> Interests:
        """Generate interests of a kind, whose options are given as text."""
        from gossamer.workloads import generate_workload

        return generate_workload(self.spec(kind, seed, options))


@dataclass(frozen=True)
class WorkloadOptions(SizeOptions):
    """A generated workload in place of a table of subscriptions."""

    PANEL: ClassVar = "A generated workload instead of a file"

    workload: Annotated[
        str | None,
        option("Kind of workload, as in rss or zipf:alpha=0.8; see: gossamer workload --list."),
    ] = None


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
    if path is not None:
        return table.read(path)
    assert workload.workload is not None
    return workload.generate(workload.workload, seed, options)


def check_source(context: typer.Context, path: Path | None, workload: str | None) -> None:
    """Reject two sources of subscriptions, none, or options of a source that is not used."""
    from gossamer.errors import ParameterError

    if path is None and workload is None:
        raise ParameterError("no subscriptions are given; expected a file, or --workload")
    if path is not None and workload is not None:
        raise ParameterError("expected either a file of subscriptions or --workload, and not both")
    for name, flag in WORKLOAD_FLAGS.items():
        if path is not None and is_given(context, name):
            raise ParameterError(f"{flag} applies to --workload, and not to the file {path.name}")


class Engine(StrEnum):
    """The engine that runs a command: this process, or Spark."""

    memory = "memory"
    spark = "spark"


@dataclass(frozen=True)
class SparkOptions:
    """Spark session of a command that runs on Spark only."""

    PANEL: ClassVar = "Spark"

    master: Annotated[
        str | None,
        option("Spark master: local[2], spark://host:7077, sc://host (default: local[*])."),
    ] = None
    conf: Annotated[
        list[str] | None,
        option(
            "Spark setting, as in spark.driver.memory=8g; may be repeated.", metavar="NAME=VALUE"
        ),
    ] = None

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


@dataclass(frozen=True)
class EngineOptions(SparkOptions):
    """In-memory computation, or a Spark session and its settings."""

    PANEL: ClassVar = "Engine"

    engine: Annotated[
        Engine, option("memory: in this process. spark: on Spark, in this process or on a cluster.")
    ] = Engine.memory

    def __post_init__(self) -> None:
        from gossamer.errors import ParameterError

        if not self.on_spark and (self.master is not None or self.conf):
            given = "--master" if self.master is not None else "--conf"
            raise ParameterError(f"{given} applies to Spark; give --engine spark too")

    @property
    def on_spark(self) -> bool:
        """Whether the work is done on Spark."""
        return self.engine is Engine.spark


@dataclass(frozen=True)
class PictureOptions:
    """Drawing of the overlay."""

    PANEL: ClassVar = "Drawing of the overlay"

    picture: Annotated[
        Path | None,
        option("Drawing of nodes and links: .svg, .png, .pdf or .html (in memory only)."),
    ] = None
    topic: Annotated[
        str | None, option("With --picture: draw this topic alone, as a tree around its centre.")
    ] = None

    def check(self, engine: EngineOptions, *others: Path | None) -> None:
        """Reject, before long work, a picture that cannot be drawn, or an input or output."""
        from gossamer.errors import ParameterError
        from gossamer.viz.output import check_picture

        if self.picture is None:
            if self.topic is not None:
                raise ParameterError("--topic is the topic of a drawing; give --picture too")
        elif engine.on_spark:
            raise ParameterError("--picture draws in memory; leave out --engine spark")
        else:
            check_picture(self.picture, inputs=others)

    def topic_of(self, interests: Interests) -> str | int | None:
        """Return the name of the topic, as the interests have it."""
        if self.topic is None:
            return None
        numbers = interests.topic_names.dtype != object
        digits = self.topic.lstrip("-").isdecimal()
        topic = int(self.topic) if numbers and digits else self.topic
        interests.topic_id(topic)
        return topic

    def draw(self, interests: Interests, overlay: Overlay, progress: Progress) -> None:
        """Draw the overlay, if a picture is asked for."""
        from gossamer.viz.overlay import overlay_picture

        if self.picture is not None:
            progress("drawing", 1.0)
            overlay_picture(interests, overlay, self.picture, topic=self.topic_of(interests))


def as_uri(path: Path) -> str:
    """Return a path as it was typed: in a URI such as s3://…, a path has lost a slash."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?=[^/])", r"\1://", str(path))
