"""Table ``topics`` of an overlay: subscribers, components, diameter and single failures by topic.

The job ``topics`` measures it. A design writes it for the links that it made, and an assessment
of the same links and subscriptions reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_table
from gossamer.pipeline.inputs import SubscriptionsInput, links_table
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.numbered_table import NumberedTable
from gossamer.pipeline.packed_rows import rows_of
from gossamer.pipeline.stages.topic_measures import MEASURED, shapes_by_topic, shared_topics
from gossamer.progress import Progress
from gossamer.tables import TOPICS, TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

JOB = "topics"
SUBSCRIPTIONS_PER_PART = 1 << 20
SHARED = TableSchema.of("shared", 1, "part int64, topics binary, ones binary, others binary")


@dataclass(frozen=True)
class MeasuredTopics:
    """Measures of each topic, and of all links.

    Attributes
    ----------
    table
        Frame ``topics``, ordered by name.
    sharing
        Number of links by the number of topics that their ends share.
    """

    table: DataFrame
    sharing: NDArray[np.int64]


def measure_topics(
    session: SparkSession,
    subscriptions: SubscriptionsInput,
    links: Folder,
    folders: Sequence[Folder],
    numbered: NumberedTable,
    edges: DataFrame,
    *,
    progress: Progress | None = None,
) -> MeasuredTopics:
    """Write the table ``topics`` of an overlay, measured unless a folder has it.

    Parameters
    ----------
    session
        Spark session.
    subscriptions, links
        Subscriptions, and the place of the links.
    folders
        Folders that may have an up-to-date table. The last one gets it in any case.
    numbered, edges
        The subscriptions and links by id.
    progress
        Callback that receives the current step and the fraction done.
    """
    described: dict[str, Any] = {
        "inputs": [subscriptions.table, links_table(links)],
        "parameters": subscriptions.parameters,
    }
    found = Job.reuse(session, folders, JOB, **described)
    job = Job(session, folders[-1], JOB, progress=progress, **described)

    @cache
    def shared() -> DataFrame:
        parts = max(1, -(-numbered.shape.subscription_count // SUBSCRIPTIONS_PER_PART)) * 4
        stage = partial(
            shared_topics,
            edges, numbered.blocks, numbered.first_nodes, numbered.block_ids, parts=parts,
        )  # fmt: skip
        return job.table(SHARED, stage, name="work/shared")

    def measured() -> DataFrame:
        if found.finished:
            return read_table(session, found.folder / TOPICS.name, TOPICS)
        job.progress("measuring topics: components, diameters, single failures", 0.7)
        return _measure(shared(), numbered)

    table = job.table(TOPICS, measured)
    sharing = job.fact(
        "sharing", lambda: found.manifest.facts["sharing"] if found.finished else _sharing(shared())
    )
    job.finish()
    return MeasuredTopics(table, np.array(sharing, dtype=np.int64))


def _measure(shared: DataFrame, numbered: NumberedTable) -> DataFrame:
    from pyspark.sql import functions as f

    zero = f.lit(0).cast("bigint")
    linked = f.coalesce("linked", zero)
    found = numbered.topics.join(shapes_by_topic(shared), "topic_id", "left")
    found = found.withColumns({name: f.coalesce(name, zero) for name in MEASURED})
    found = found.withColumn("components", f.col("components") + f.col("subscribers") - linked)
    return found.select(*TOPICS.column_names).orderBy("topic")


def _sharing(shared: DataFrame) -> list[int]:
    """Return the number of links by the number of topics that their ends share."""
    sharing = np.zeros(1, dtype=np.int64)
    for row in rows_of(shared.where("part < 0").toArrow().to_batches()):
        part = np.frombuffer(row["topics"], dtype=np.int32)
        longer = np.zeros(max(len(sharing), len(part)), dtype=np.int64)
        longer[: len(sharing)] += sharing
        longer[: len(part)] += part
        sharing = longer
    found: list[int] = sharing.tolist()
    return found
