"""Finding who wants what in a folder of tables, a table alone, or a text file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gossamer.errors import TableError
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import check_frame, read_table
from gossamer.pipeline.ingest import layouts_of, measure, records_frame, typed_records
from gossamer.pipeline.sources import find_source
from gossamer.pipeline.sources.files import find_files, is_parquet
from gossamer.tables.schema import FOLLOWS, LINKS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["as_subscriptions", "links_in", "read_part", "subscriptions_in", "table_in"]


def table_in(place: str | os.PathLike[str] | Folder, name: str) -> Folder | None:
    """Return where a folder of tables keeps the table of that name, None if it does not."""
    folder = place if isinstance(place, Folder) else Folder.at(place)
    for child in (folder / name, folder / f"{name}.parquet"):
        if child.exists():
            return child
    return None


def subscriptions_in(
    session: SparkSession,
    place: str | os.PathLike[str] | Folder,
    *,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
) -> DataFrame:
    """Read who wants what, as a frame ``node, topic``; repeated pairs are still in it.

    Parameters
    ----------
    session
        Where to read.
    place
        A folder of tables that has ``subscriptions`` or ``follows``; or such a table itself,
        a Parquet file or a folder of them; or a text table, CSV or TSV, plain or gzipped.
    node, topic
        The names of the two columns, of a table given itself.
    delimiter
        What separates the fields of a text table; found out if not given.

    Raises
    ------
    TableError
        If there is no such table, or a line of a text table cannot be used.
    """
    from pyspark.sql import functions as f

    folder = place if isinstance(place, Folder) else Folder.at(place)
    if not folder.exists():
        raise TableError(f"{folder.name}: there is no such file or folder")
    inside = table_in(folder, SUBSCRIPTIONS.name)
    if inside is not None:
        return read_table(session, inside, SUBSCRIPTIONS)
    inside = table_in(folder, FOLLOWS.name)
    if inside is not None:
        return as_subscriptions(read_table(session, inside, FOLLOWS))
    if folder.is_folder() and not any(name.endswith(".parquet") for name in folder.children()):
        there = ", ".join(folder.children()) or "nothing"
        raise TableError(
            f"{folder.name}: has no table of subscriptions or follows; there is {there}"
        )
    if not folder.is_folder() and not is_parquet(folder):
        return _text_subscriptions(session, folder, node, topic, delimiter)
    frame = session.read.parquet(folder.spark_pattern)
    columns = set(frame.columns)
    if set(FOLLOWS.column_names) <= columns and not {node, topic} <= columns:
        return as_subscriptions(check_frame(frame, FOLLOWS, what=folder.name))
    if {node, topic} <= columns:
        frame = frame.select(f.col(node).alias("node"), f.col(topic).alias("topic"))
    return check_frame(frame, SUBSCRIPTIONS, what=folder.name)


def _text_subscriptions(
    session: SparkSession,
    folder: Folder,
    node: str,
    topic: str,
    delimiter: str | None,
    *,
    may_be_empty: bool = False,
) -> DataFrame:
    """Read a text table as the source ``pairs`` does, but put up with no bad line."""
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


def as_subscriptions(follows: DataFrame) -> DataFrame:
    """Turn who follows whom into who wants what: a user is a topic too."""
    return follows.selectExpr("follower AS node", "followed AS topic")


def links_in(
    session: SparkSession,
    place: str | os.PathLike[str] | Folder,
    *,
    source: str = "source",
    target: str = "target",
    delimiter: str | None = None,
) -> DataFrame:
    """Read who is linked to whom, as a frame ``source, target``, from what ``place`` may be.

    A folder of tables that has ``links``; or such a table itself, a Parquet file or a folder
    of them; or a text table.
    """
    folder = place if isinstance(place, Folder) else Folder.at(place)
    if not folder.exists():
        raise TableError(f"{folder.name}: there is no such file or folder")
    inside = table_in(folder, LINKS.name)
    if inside is not None:
        return read_table(session, inside, LINKS)
    if folder.is_folder() and not any(name.endswith(".parquet") for name in folder.children()):
        there = ", ".join(folder.children()) or "nothing"
        raise TableError(f"{folder.name}: has no table of links; there is {there}")
    if folder.is_folder() or is_parquet(folder):
        return read_table(session, folder, LINKS)
    pairs = _text_subscriptions(session, folder, source, target, delimiter, may_be_empty=True)
    return pairs.selectExpr("node AS source", "topic AS target")


def read_part(place: str | os.PathLike[str]) -> Folder:
    """Return what of a folder of tables is read, so that other tables in it may change."""
    folder = Folder.at(place)
    for name in ("subscriptions", "subscriptions.parquet", "follows", "follows.parquet"):
        if folder.is_folder() and (folder / name).exists():
            return folder / name
    return folder
