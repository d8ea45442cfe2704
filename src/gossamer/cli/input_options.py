"""The options that say what to read, the same for every command that reads.

Their names and help stand here once; reading itself is done by the tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gossamer.model import Interests

__all__ = [
    "Delimiter",
    "Follows",
    "NodeColumn",
    "Seed",
    "Subscriptions",
    "TopicColumn",
    "Undirected",
    "WorkloadExponent",
    "WorkloadKind",
    "WorkloadNodes",
    "WorkloadSizes",
    "WorkloadTopics",
    "as_place",
    "check_source",
    "check_there",
    "load_interests",
]

INPUT_PANEL = "How to read the subscriptions"

Subscriptions = Annotated[
    Path,
    typer.Argument(
        help="Who wants what: CSV or Parquet, plain or gzipped, or a folder of tables.",
        show_default=False,
    ),
]
Follows = Annotated[
    bool,
    typer.Option(
        "--follows",
        help="The file is an edge list, 'a b' a line: a follows b, and so subscribes to b.",
        rich_help_panel=INPUT_PANEL,
    ),
]
Undirected = Annotated[
    bool,
    typer.Option(
        "--undirected",
        help="With --follows: a line says that both follow each other.",
        rich_help_panel=INPUT_PANEL,
    ),
]
NodeColumn = Annotated[
    str | None,
    typer.Option(
        help="The column of nodes (default: node).",
        show_default=False,
        rich_help_panel=INPUT_PANEL,
    ),
]
TopicColumn = Annotated[
    str | None,
    typer.Option(
        help="The column of topics (default: topic).",
        show_default=False,
        rich_help_panel=INPUT_PANEL,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        help="What separates fields (default: a comma; a tab for .tsv).",
        show_default=False,
        rich_help_panel=INPUT_PANEL,
    ),
]
WORKLOAD_PANEL = "A generated workload instead of a file"

WorkloadKind = Annotated[
    str | None,
    typer.Option(
        "--workload",
        help="The kind; see: gossamer workload --list.",
        show_default=False,
        rich_help_panel=WORKLOAD_PANEL,
    ),
]
WorkloadNodes = Annotated[
    int, typer.Option("--nodes", help="How many nodes.", rich_help_panel=WORKLOAD_PANEL)
]
WorkloadTopics = Annotated[
    int, typer.Option("--topics", help="How many topics.", rich_help_panel=WORKLOAD_PANEL)
]
WorkloadSizes = Annotated[
    str,
    typer.Option(
        "--subscriptions",
        metavar="SIZE|MIN-MAX",
        help="How many topics a node has: 10, or any number in 10-30.",
        rich_help_panel=WORKLOAD_PANEL,
    ),
]
WorkloadExponent = Annotated[
    float | None,
    typer.Option(
        "--exponent",
        help="Sizes in MIN-MAX follow a power law with this exponent.",
        show_default=False,
        rich_help_panel=WORKLOAD_PANEL,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Settles every random choice.")]


def check_there(*paths: Path) -> None:
    """Say now, rather than when Spark has started, that a file is not there."""
    from gossamer.errors import TableError

    for path in paths:
        if "://" not in as_place(path) and not path.exists():
            raise TableError(f"{path}: there is no such file or folder")


def as_place(path: Path) -> str:
    """Return a path as it was typed: in a URI such as s3://…, a path has lost a slash."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?=[^/])", r"\1://", str(path))


WORKLOAD_OPTIONS = {
    "nodes": "--nodes",
    "topics": "--topics",
    "subscriptions_per_node": "--subscriptions",
    "exponent": "--exponent",
}


def check_source(context: typer.Context, path: Path | None, workload: str | None) -> None:
    """Refuse two sources of subscriptions or none, and options of the one with the other."""
    from gossamer.errors import ParameterError

    if path is None and workload is None:
        raise ParameterError("who wants what? expected a file of subscriptions, or --workload")
    if path is not None and workload is not None:
        raise ParameterError("expected either a file of subscriptions or --workload, and not both")
    for name, flag in WORKLOAD_OPTIONS.items():
        source = context.get_parameter_source(name)
        if path is not None and source is not None and source.name == "COMMANDLINE":
            raise ParameterError(f"{flag} is about a --workload; {path.name} has its own")


def load_interests(
    path: Path,
    *,
    follows: bool,
    undirected: bool,
    node_column: str | None,
    topic_column: str | None,
    delimiter: str | None,
) -> Interests:
    """Read who wants what, as the options say."""
    from gossamer.errors import ParameterError
    from gossamer.tables import read_follows, read_interests

    if follows:
        if (node_column, topic_column, delimiter) != (None, None, None):
            raise ParameterError(
                "--follows reads an edge list, which has no columns or delimiter to name; "
                "leave out --node-column, --topic-column and --delimiter"
            )
        return read_follows(path, undirected=undirected)
    if undirected:
        raise ParameterError("--undirected is about edge lists; give --follows too")
    return read_interests(
        path,
        node="node" if node_column is None else node_column,
        topic="topic" if topic_column is None else topic_column,
        delimiter=delimiter,
    )
