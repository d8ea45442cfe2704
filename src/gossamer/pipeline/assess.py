"""The assessment job: overlay quality, for tables that do not fit in one process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.errors import OverlayError
from gossamer.model import Overlay
from gossamer.model.interests import freeze
from gossamer.pipeline.export import export_table, is_one_file, output_folder
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import SubscriptionsInput, links_in, links_table
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.numbered_table import NumberedTable, number_table
from gossamer.pipeline.session import spark_session
from gossamer.pipeline.topic_table import MeasuredTopics, measure_topics
from gossamer.progress import Progress
from gossamer.quality import Assessment, TopicResilience
from gossamer.tables import TOPICS, TableSchema, check_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EDGES = TableSchema.of("edges", 1, "source_id int64, target_id int64, unknown string")


def assess(
    subscriptions: str | os.PathLike[str],
    links: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Measure an overlay on Spark, as :func:`gossamer.assess` does but without the lower bound.

    The numbered table and the table ``topics`` that an earlier design or assessment of the same
    subscriptions and links left in one of the folders are read, not made again.

    Parameters
    ----------
    subscriptions
        As in :func:`gossamer.pipeline.design`.
    links
        Folder of tables with ``links``, such a table (Parquet, a file or a folder), or a text
        table.
    out
        Place of the table ``topics``: subscribers, components, diameter, bridges and
        articulation points of each topic. A file (``.parquet``, ``.csv``, ``.tsv``, either
        gzipped), or a folder of tables. By default a temporary folder, which all workers must
        reach.
    node_column, topic_column, delimiter
        Columns and field separator of tables that are not in a folder of tables.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    OverlayError
        If a link has an end without subscriptions.

    Notes
    -----
    Two shuffles of the subscriptions and two of the links number them. Then each link goes,
    packed, with the topics of its source to the block of its target, and once more for each
    topic that both have. A topic is measured in one task, with 12 bytes for each of its links.
    The driver holds 8 bytes a link for degrees and clustering, and 40 bytes a topic.
    """
    if out is not None and is_one_file(out):
        check_output(out, inputs=[subscriptions, links])
    source = SubscriptionsInput(Folder.at(subscriptions), node_column, topic_column, delimiter)
    place = Folder.at(links)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as running,
        output_folder(out) as folder,
    ):
        job = Job(
            running,
            folder,
            "assess",
            inputs=[source.table, links_table(place)],
            parameters=source.parameters,
            progress=progress,
        )
        folders = [place, source.place, folder]
        numbered = number_table(running, source, folders, progress=progress)
        given = links_in(running, links, delimiter=delimiter)
        edges = job.table(EDGES, lambda: _edges(given, numbered), name="work/edges")
        _check_edges(edges, numbered)
        topics = measure_topics(running, source, place, folders, numbered, edges, progress=progress)
        assessment = _assessment(edges, topics, numbered)
        job.finish()
        if out is not None and is_one_file(out):
            export_table(folder / TOPICS.name, out, TOPICS)
    return assessment


def _edges(links: DataFrame, numbered: NumberedTable) -> DataFrame:
    """Turn links by name into distinct links by id, the lower end first."""
    from pyspark.sql import functions as f

    # Names are compared as text, so that integers in one file meet strings in the other.
    names = numbered.nodes.select("node_id", f.col("node").cast("string").alias("name"))
    texts = links.select(
        f.col("source").cast("string").alias("source"),
        f.col("target").cast("string").alias("target"),
    )
    found = texts.join(names.toDF("source_id", "source"), "source", "left").join(
        names.toDF("target_id", "target"), "target", "left"
    )
    unknown = f.when(f.col("source_id").isNull(), f.col("source")).otherwise(
        f.when(f.col("target_id").isNull(), f.col("target"))
    )
    return found.select(
        f.least("source_id", "target_id").alias("source_id"),
        f.greatest("source_id", "target_id").alias("target_id"),
        unknown.alias("unknown"),
    ).distinct()


def _check_edges(edges: DataFrame, numbered: NumberedTable) -> None:
    """Raise if a link has an end without subscriptions, or joins a node with itself."""
    wrong = edges.where("unknown IS NOT NULL OR source_id = target_id").limit(1).collect()
    if not wrong:
        return
    if wrong[0]["unknown"] is not None:
        raise OverlayError(
            f"a link names the node {wrong[0]['unknown']!r}, which has no subscriptions"
        )
    looped = numbered.nodes.where(f"node_id = {wrong[0]['source_id']}").collect()[0]["node"]
    raise OverlayError(f"a link joins the node {looped!r} with itself")


def _assessment(edges: DataFrame, topics: MeasuredTopics, numbered: NumberedTable) -> Assessment:
    found = edges.select("source_id", "target_id").toArrow()
    ends = [found.column(name).to_numpy().astype(np.int32) for name in found.column_names]
    overlay = Overlay.from_links(numbered.node_count, np.stack(ends, axis=1))
    rows: dict[str, Any] = {
        name: column.to_numpy()
        for name, column in zip(TOPICS.column_names, topics.table.toArrow().columns, strict=True)
    }
    order = np.argsort(rows["topic"], kind="stable")
    return Assessment.of_measures(
        overlay,
        popularity=rows["subscribers"][order],
        components=freeze(rows["components"][order]),
        diameters=freeze(rows["diameter"][order]),
        resilience=TopicResilience(
            freeze(rows["bridges"][order]), freeze(rows["articulation_points"][order])
        ),
        sharing=freeze(topics.sharing),
    )
