"""The lower bound job: the minimum number of links of any overlay for a large table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import SubscriptionsInput
from gossamer.pipeline.jobs import Job, discard_on_error
from gossamer.pipeline.numbered_table import collect_interests, number_table
from gossamer.pipeline.session import spark_session
from gossamer.progress import Progress
from gossamer.quality import LowerBound, links_lower_bound

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def lower_bound(
    subscriptions: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> LowerBound:
    """Return a proven lower bound on the links of every topic-connected overlay of a table.

    Parameters
    ----------
    subscriptions
        As in :func:`gossamer.pipeline.design`.
    out
        Folder of the job, which resumes after an interruption.
    node_column, topic_column, delimiter
        Columns and field separator of a table that is not in a folder of tables.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    LowerBound
        As from :func:`gossamer.links_lower_bound`, without the multipliers that certify it.

    Notes
    -----
    Spark numbers the table: two shuffles of the subscriptions, and one of the nodes. The driver
    then holds about 40 bytes a subscription, and scans all pairs of nodes that share a topic:
    90 seconds for a million nodes with ten of ten thousand topics each.
    """
    source = SubscriptionsInput(Folder.at(subscriptions), node_column, topic_column, delimiter)
    folder = Folder.at(out)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as running,
        discard_on_error(folder),
    ):
        job = Job(
            running,
            folder,
            "bound",
            inputs=[source.table],
            parameters=source.parameters,
            progress=progress,
        )
        if not job.finished:
            folders = [source.place, folder]
            numbered = number_table(running, source, folders, progress=progress)
            interests = collect_interests(numbered)
            job.fact("bound", lambda: _facts(links_lower_bound(interests, progress=job.progress)))
            job.finish()
        none = np.zeros(0)
        return LowerBound(
            topic_multipliers=none, subscription_multipliers=none, **job.manifest.facts["bound"]
        )


def _facts(bound: LowerBound) -> dict[str, Any]:
    return {
        "links": bound.links,
        "mean_degree": bound.mean_degree,
        "method": bound.method,
        "topics_used": bound.topics_used,
    }
