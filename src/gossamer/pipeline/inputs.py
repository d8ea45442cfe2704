"""Subscriptions and links, read from a folder of tables, one table, or a text file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gossamer.errors import TableError
from gossamer.pipeline.folders import Folder, Place
from gossamer.pipeline.frames import check_frame, read_parquet, read_table
from gossamer.pipeline.ingest import layouts_of, measure, records_frame, typed_records
from gossamer.pipeline.sources import find_source
from gossamer.pipeline.sources.files import find_files, is_parquet
from gossamer.tables.schema import FOLLOWS, LINKS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class SubscriptionsInput:
    """Subscriptions that a job reads.

    Attributes
    ----------
    place
        Folder of tables, table or text file, as :func:`subscriptions_in` takes it.
    node_column, topic_column, delimiter
        Columns and field separator of a table that is not in a folder of tables.
    """

    place: Folder
    node_column: str = "node"
    topic_column: str = "topic"
    delimiter: str | None = None

    @property
    def table(self) -> Folder:
        """The table that is read: other tables in its folder may change."""
        return (
            table_in(self.place, SUBSCRIPTIONS.name)
            or table_in(self.place, FOLLOWS.name)
            or self.place
        )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of a job that reads the subscriptions."""
        return {
            "node_column": self.node_column,
            "topic_column": self.topic_column,
            "delimiter": self.delimiter,
        }

    def read(self, session: SparkSession) -> DataFrame:
        """Read the frame ``node, topic``."""
        return subscriptions_in(session, self.place, **self.parameters)


def table_in(place: Place, name: str) -> Folder | None:
    """Return a table of a folder of tables by its name, None if there is none."""
    folder = Folder.at(place)
    for child in (folder / name, folder / f"{name}.parquet"):
        if child.exists():
            return child
    return None


def links_table(place: Folder) -> Folder:
    """Return the table of links in a folder of tables, or the place itself."""
    return table_in(place, LINKS.name) or place


def subscriptions_in(
    session: SparkSession,
    place: Place,
    *,
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
) -> DataFrame:
    """Read subscriptions as a frame ``node, topic``, which may repeat pairs.

    Parameters
    ----------
    session
        Spark session.
    place
        Folder of tables with ``subscriptions`` or ``follows``; or such a table, a Parquet file
        or a folder of Parquet files; or a text table, CSV or TSV, plain or gzipped.
    node_column, topic_column
        Names of the two columns, for a table that is not in a folder of tables.
    delimiter
        Field separator of a text table; detected by default.

    Raises
    ------
    TableError
        If there is no such table, or a line of a text table is bad.
    """
    from pyspark.sql import functions as f

    folder = Folder.at(place)
    for schema in (SUBSCRIPTIONS, FOLLOWS):
        inside = table_in(folder, schema.name)
        if inside is not None:
            frame = read_table(session, inside, schema)
            return as_subscriptions(frame) if schema is FOLLOWS else frame
    if _is_text(folder, "subscriptions or follows"):
        return _text_pairs(session, folder, node_column, topic_column, delimiter)
    frame = read_parquet(session, folder)
    columns, wanted = set(frame.columns), {node_column, topic_column}
    if set(FOLLOWS.column_names) <= columns and not wanted <= columns:
        return as_subscriptions(check_frame(frame, FOLLOWS, what=folder.name))
    if wanted <= columns:
        frame = frame.select(f.col(node_column).alias("node"), f.col(topic_column).alias("topic"))
    return check_frame(frame, SUBSCRIPTIONS, what=folder.name)


def as_subscriptions(follows: DataFrame) -> DataFrame:
    """Turn a follower graph into subscriptions: each user is a topic too."""
    return follows.selectExpr("follower AS node", "followed AS topic")


def links_in(session: SparkSession, place: Place, *, delimiter: str | None = None) -> DataFrame:
    """Read links as a frame ``source, target``.

    ``place`` is a folder of tables with ``links``; or such a table, a Parquet file or a folder
    of Parquet files; or a text table with the columns ``source`` and ``target``.
    """
    folder = Folder.at(place)
    inside = table_in(folder, LINKS.name)
    if inside is None and _is_text(folder, "links"):
        pairs = _text_pairs(session, folder, "source", "target", delimiter, may_be_empty=True)
        return pairs.selectExpr("node AS source", "topic AS target")
    return read_table(session, inside or folder, LINKS)


def _is_text(folder: Folder, tables: str) -> bool:
    """Whether a place is a text file; raise if it is neither that nor Parquet."""
    if not folder.exists():
        raise TableError(f"{folder.name}: there is no such file or folder")
    if not folder.is_folder():
        return not is_parquet(folder)
    children = folder.children()
    if not any(name.endswith(".parquet") for name in children):
        listed = ", ".join(children) or "nothing"
        raise TableError(f"{folder.name}: has no table of {tables}; there is {listed}")
    return False


def _text_pairs(
    session: SparkSession,
    folder: Folder,
    node: str,
    topic: str,
    delimiter: str | None,
    *,
    may_be_empty: bool = False,
) -> DataFrame:
    """Read a text table as the source ``pairs`` does, but accept no bad line."""
    options = {"node_column": node, "topic_column": topic}
    if delimiter is not None:
        options["delimiter"] = delimiter
    spec = find_source("pairs")(**options)
    records = records_frame(session, spec, layouts_of(spec, find_files([folder.name])))
    measured = measure(records, spec)
    if measured.bad:
        worst = records.where("reason IS NOT NULL").orderBy("file", "line").first()
        assert worst is not None
        raise TableError(
            f"{folder.name}: a bad line, {worst['reason']}: {worst['line'][:120]!r}"
            + (f" ({measured.bad:,} lines are bad)" if measured.bad > 1 else "")
            + ". Fix it, or set bad lines aside with: gossamer ingest pairs"
        )
    if not measured.records and not may_be_empty:
        raise TableError(
            f"{folder.name}: the table has no rows; expected at least one subscription"
        )
    return typed_records(records, spec, measured)
