"""Finding who wants what in a folder of tables, a table alone, or a text file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gossamer.model import TableError
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import check_frame, read_table
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["as_subscriptions", "subscriptions_in", "table_in"]


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
) -> DataFrame:
    """Read who wants what, as a frame ``node, topic``; repeated pairs are still in it.

    Parameters
    ----------
    session
        Where to read.
    place
        A folder of tables that has ``subscriptions`` or ``follows``; or such a table itself,
        a Parquet file or a folder of them.
    node, topic
        The names of the two columns, of a table given itself.
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
    frame = session.read.parquet(folder.spark_path)
    columns = set(frame.columns)
    if set(FOLLOWS.column_names) <= columns and not {node, topic} <= columns:
        return as_subscriptions(check_frame(frame, FOLLOWS, what=folder.name))
    if {node, topic} <= columns:
        frame = frame.select(f.col(node).alias("node"), f.col(topic).alias("topic"))
    return check_frame(frame, SUBSCRIPTIONS, what=folder.name)


def as_subscriptions(follows: DataFrame) -> DataFrame:
    """Turn who follows whom into who wants what: a user is a topic too."""
    return follows.selectExpr("follower AS node", "followed AS topic")
