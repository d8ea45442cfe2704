"""The generate job: synthetic subscriptions on Spark, the same rows as in memory.

The kinds of workloads are in :mod:`gossamer.workloads`; here they are divided into tasks.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gossamer.errors import ParameterError
from gossamer.pipeline.export import export_table, is_one_file, output_folder
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.session import parallelism, spark_session
from gossamer.pipeline.stages.synthetic import draw_subscriptions
from gossamer.progress import Progress
from gossamer.results import Result
from gossamer.tables import SUBSCRIPTIONS, check_output
from gossamer.workloads import FixedSize, Pattern, Sizes, parse_sizes, resolve_kind
from gossamer.workloads.pattern import checked_count

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from gossamer.model import Interests

ROWS_PER_PART = 1 << 21
MIN_ROWS_PER_PART = 1 << 14
NODES_PER_BLOCK = 1 << 10


@dataclass(frozen=True, repr=False)
class GenerateResult(Result):
    """Generated subscriptions: where they are, and their spread over nodes and topics.

    Attributes
    ----------
    out
        File or folder.
    nodes, topics, subscriptions
        Counts, with nodes without topics and topics without subscribers.
    min_topics, max_topics
        Smallest and largest number of topics per node.
    min_subscribers, max_subscribers
        Smallest and largest number of subscribers per topic.
    """

    BRIEF: ClassVar = ("nodes", "topics", "subscriptions")

    out: str
    nodes: int
    topics: int
    subscriptions: int
    min_topics: int
    max_topics: int
    min_subscribers: int
    max_subscribers: int

    @classmethod
    def of(cls, out: str, interests: Interests) -> GenerateResult:
        """Describe interests that were written from memory."""
        sizes, popularity = interests.subscription_sizes, interests.popularity
        return cls(
            out,
            interests.node_count,
            interests.topic_count,
            interests.subscription_count,
            int(sizes.min()),
            int(sizes.max()),
            int(popularity.min()),
            int(popularity.max()),
        )

    def summary(self) -> dict[str, int | float]:
        """Return the numbers by name."""
        return {
            "nodes": self.nodes,
            "topics": self.topics,
            "subscriptions": self.subscriptions,
            "min_topics": self.min_topics,
            "mean_topics": self.subscriptions / self.nodes,
            "max_topics": self.max_topics,
            "min_subscribers": self.min_subscribers,
            "mean_subscribers": self.subscriptions / self.topics,
            "max_subscribers": self.max_subscribers,
        }


def generate(
    kind: str,
    out: str | os.PathLike[str],
    *,
    nodes: int,
    topics: int,
    subscriptions: int | str | Sizes,
    seed: int = 0,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> GenerateResult:
    """Generate interests of a named kind on Spark, and write them as ``node, topic`` rows.

    The rows and their order are those of :func:`gossamer.generate_interests` with the same
    arguments, whatever the number of tasks. O(S log S + T) work for S subscriptions to T topics,
    divided among the tasks; a task holds some hundred thousand rows at a time.

    Parameters
    ----------
    kind, nodes, topics, subscriptions, seed, options
        As in :func:`gossamer.generate_interests`.
    out
        File (``.parquet``, ``.csv``, ``.tsv``, either gzipped) in a folder that Spark's workers
        reach too; or the path or URI of a folder, which gets the table ``subscriptions`` in
        parts. An interrupted job on a folder resumes.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    ParameterError
        If an argument is out of range, or no node would have a topic.
    EngineError
        If Spark does not start, or fails.
    """
    node_count, topic_count = checked_count("nodes", nodes), checked_count("topics", topics)
    if isinstance(subscriptions, str):
        sizes = parse_sizes(subscriptions)
    else:
        sizes = FixedSize(subscriptions) if isinstance(subscriptions, int) else subscriptions
    found, chosen = resolve_kind(kind, options)
    pattern = found(topic_count, sizes, **chosen)
    if not _any_subscription(pattern, node_count, seed):
        raise ParameterError(
            f"no node has a topic with {node_count} nodes and {sizes} subscriptions; "
            "expected 1 or more of both"
        )
    if is_one_file(out):
        check_output(out)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as running,
        output_folder(out) as folder,
    ):
        job = Job(
            running,
            folder,
            "generate",
            parameters={"kind": found.name, "nodes": node_count, "pattern": repr(pattern)},
            seed=seed,
            progress=progress,
        )
        table = job.table(SUBSCRIPTIONS, lambda: _draw(running, pattern, node_count, seed))
        spread = job.fact("spread", lambda: _spread(table, pattern, node_count))
        job.finish()
        if is_one_file(out):
            job.progress(f"writing {os.fspath(out)}", 0.9)
            export_table(folder / SUBSCRIPTIONS.name, out, SUBSCRIPTIONS)
    return GenerateResult(
        os.fspath(out), node_count, topic_count, job.rows(SUBSCRIPTIONS.name), *spread
    )


def _any_subscription(pattern: Pattern, node_count: int, seed: int) -> bool:
    """Whether some node has a topic; draws few nodes unless nearly all have none."""
    pattern.subscriptions_of([], seed=seed)  # check the seed
    if pattern.sizes.minimum or not pattern.sizes.maximum:
        return node_count * pattern.sizes.maximum > 0
    blocks = (
        np.arange(start, min(start + NODES_PER_BLOCK, node_count))
        for start in range(0, node_count, NODES_PER_BLOCK)
    )
    return any(len(pattern.subscriptions_of(block, seed=seed)[0]) for block in blocks)


def _draw(session: SparkSession, pattern: Pattern, node_count: int, seed: int) -> DataFrame:
    rows = node_count * pattern.sizes.maximum
    parts = max(
        math.ceil(rows / ROWS_PER_PART),
        min(parallelism(session), math.ceil(rows / MIN_ROWS_PER_PART)),
    )
    frame = session.range(0, node_count, 1, min(parts, node_count))
    return draw_subscriptions(frame, pattern, seed=seed)


def _spread(table: DataFrame, pattern: Pattern, node_count: int) -> list[int]:
    """Return minimum and maximum of topics per node, and of subscribers per topic."""
    sizes = pattern.sizes
    of_nodes = (
        [sizes.minimum, sizes.maximum]
        if sizes.minimum == sizes.maximum
        else _extremes(table, "node", node_count)
    )
    return [*of_nodes, *_extremes(table, "topic", pattern.topic_count)]


def _extremes(table: DataFrame, column: str, names: int) -> list[int]:
    from pyspark.sql import functions as f

    counted = table.groupBy(column).count()
    found, least, largest = counted.agg(f.count("*"), f.min("count"), f.max("count")).collect()[0]
    return [least if found == names else 0, largest]
