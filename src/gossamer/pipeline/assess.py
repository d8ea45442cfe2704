"""How good an overlay is, for tables that one process should not hold: the assessment job."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from gossamer.errors import OverlayError
from gossamer.model import Overlay
from gossamer.model.interests import frozen
from gossamer.pipeline.export import export_table, is_one_file, parts_folder
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import links_in, subscriptions_in
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.numbered_table import NumberedTable, number
from gossamer.pipeline.packed_rows import rows_of
from gossamer.pipeline.session import spark_session
from gossamer.pipeline.stages.topic_measures import MEASURED, shapes_by_topic, shared_topics
from gossamer.progress import Progress, silent
from gossamer.quality import Assessment, TopicResilience
from gossamer.tables import TOPICS, TableSchema, check_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["assess", "measured_topics"]

LINKS_A_PART = 1 << 20
SHARED = TableSchema(
    "shared",
    1,
    (
        ("part", pa.int64()),
        ("topics", pa.binary()),
        ("ones", pa.binary()),
        ("others", pa.binary()),
    ),
)
EDGES = TableSchema(
    "edges",
    1,
    (("source_id", pa.int64()), ("target_id", pa.int64()), ("unknown", pa.string())),
)


def assess(
    subscriptions: str | os.PathLike[str],
    links: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Measure an overlay on Spark: what :func:`gossamer.assess` measures, but for the bound.

    Parameters
    ----------
    subscriptions
        As :func:`gossamer.pipeline.design` takes them.
    links
        A folder of tables with ``links``, such a table itself (Parquet, a file or a folder),
        or a text table.
    out
        Where the table ``topics`` is written: subscribers, components, diameter, bridges and
        articulation points of each. A file (``.parquet``, ``.csv``, ``.tsv``, either gzipped),
        or a folder of tables. Without it, work goes to a temporary folder, which all workers
        must reach.
    node, topic, delimiter
        How to read tables given themselves.
    session, master, settings
        Where to run; see :func:`gossamer.pipeline.spark_session`.
    progress
        Told what is being done.

    Raises
    ------
    OverlayError
        If a link has an end that has no subscriptions.

    Notes
    -----
    Two shuffles of the subscriptions and two of the links to number them; then each link goes,
    packed, with its source's topics to the block of its target, and once more for every topic
    that both have. A topic is measured in one task, 12 bytes for each of its links. The driver
    holds the links (8 bytes each) for degrees and clustering, and 40 bytes a topic.
    """
    if out is not None and is_one_file(out):
        check_output(out, inputs=[subscriptions, links])
    tell = progress or silent
    tell("starting Spark", 0.0)
    with (
        spark_session(session, master=master, settings=settings) as running,
        _work_folder(out) as folder,
    ):
        inputs = [Folder.at(subscriptions), Folder.at(links)]
        job = Job(
            running,
            folder,
            "assess",
            inputs=[place for place in inputs if not _within(place, folder)],
            parameters={"node": node, "topic": topic, "delimiter": delimiter},
            progress=progress,
        )
        frame = subscriptions_in(
            running, subscriptions, node=node, topic=topic, delimiter=delimiter
        )
        numbered = number(job, frame)
        given = links_in(running, links, delimiter=delimiter)
        edges = job.table(EDGES, lambda: _edges(given, numbered), name="work/edges")
        _check_edges(edges, numbered)
        shared = job.table(SHARED, lambda: _shared(edges, numbered), name="work/shared")
        tell("topic components, diameters and bridges", 0.7)
        topics = job.table(TOPICS, lambda: _topics(shared, numbered))
        assessment = _assessment(edges, shared, topics, numbered)
        job.finish()
        if out is not None and is_one_file(out):
            export_table(folder / TOPICS.name, out, TOPICS)
    return assessment


def measured_topics(links: DataFrame, numbered: NumberedTable) -> DataFrame:
    """Measure every topic of two subscribers or more: ``topic_id, subscribers, components, …``."""
    return _measured(_shared(links, numbered), numbered)


def _shared(links: DataFrame, numbered: NumberedTable) -> DataFrame:
    parts = max(1, -(-numbered.shape.subscription_count // LINKS_A_PART)) * 4
    return shared_topics(
        links, numbered.blocks, numbered.first_nodes, numbered.block_ids, parts=parts
    )


def _measured(shared: DataFrame, numbered: NumberedTable) -> DataFrame:
    from pyspark.sql import functions as f

    zero = f.lit(0).cast("bigint")
    linked = f.coalesce("linked", zero)
    found = numbered.topics.join(shapes_by_topic(shared), "topic_id", "left")
    found = found.withColumns({name: f.coalesce(name, zero) for name in MEASURED})
    return found.withColumn("components", f.col("components") + f.col("subscribers") - linked)


def _topics(shared: DataFrame, numbered: NumberedTable) -> DataFrame:
    return _measured(shared, numbered).select(*TOPICS.column_names).orderBy("topic")


def _edges(links: DataFrame, numbered: NumberedTable) -> DataFrame:
    """Turn links by name into links by number, each once, the lower end first."""
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
    """Raise where a link has an end without subscriptions, or two ends that are one."""
    wrong = edges.where("unknown IS NOT NULL OR source_id = target_id").limit(1).collect()
    if not wrong:
        return
    if wrong[0]["unknown"] is not None:
        raise OverlayError(
            f"a link names the node {wrong[0]['unknown']!r}, which has no subscriptions"
        )
    looped = numbered.nodes.where(f"node_id = {wrong[0]['source_id']}").collect()[0]["node"]
    raise OverlayError(f"a link joins the node {looped!r} with itself")


def _assessment(
    edges: DataFrame, shared: DataFrame, topics: DataFrame, numbered: NumberedTable
) -> Assessment:
    found = edges.select("source_id", "target_id").toArrow()
    ends = ("source_id", "target_id")
    columns = [found.column(name).to_numpy().astype(np.int32) for name in ends]
    overlay = Overlay.from_links(numbered.node_count, np.stack(columns, axis=1))
    sharing = np.zeros(1, dtype=np.int64)
    for row in rows_of(shared.where("part < 0").toArrow().to_batches()):
        part = np.frombuffer(row["topics"], dtype=np.int32)
        longer = np.zeros(max(len(sharing), len(part)), dtype=np.int64)
        longer[: len(sharing)] += sharing
        longer[: len(part)] += part
        sharing = longer
    rows: dict[str, Any] = {
        name: column.to_numpy()
        for name, column in zip(TOPICS.column_names, topics.toArrow().columns, strict=True)
    }
    order = np.argsort(rows["topic"], kind="stable")
    return Assessment.of_measures(
        overlay,
        popularity=rows["subscribers"][order],
        components=frozen(rows["components"][order]),
        diameters=frozen(rows["diameter"][order]),
        resilience=TopicResilience(
            frozen(rows["bridges"][order]), frozen(rows["articulation_points"][order])
        ),
        sharing=frozen(sharing),
    )


def _within(place: Folder, folder: Folder) -> bool:
    return f"{place.path}/".startswith(f"{folder.path}/")


@contextmanager
def _work_folder(out: str | os.PathLike[str] | None) -> Iterator[Folder]:
    if out is None:
        with tempfile.TemporaryDirectory(prefix="gossamer-") as folder:
            yield Folder.at(folder)
    elif is_one_file(out):
        with parts_folder(out) as parts:
            yield parts
    else:
        yield Folder.at(out)
