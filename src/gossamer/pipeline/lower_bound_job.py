"""How few links any overlay of a large table can have: the lower bound, from a table on Spark."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import read_part, subscriptions_in
from gossamer.pipeline.jobs import Job, discard_on_error
from gossamer.pipeline.numbered_table import gathered, number
from gossamer.pipeline.session import spark_session
from gossamer.progress import Progress, silent
from gossamer.quality import LowerBound, links_lower_bound

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["lower_bound"]


def lower_bound(
    subscriptions: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    node: str = "node",
    topic: str = "topic",
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
        As :func:`gossamer.pipeline.design` takes them.
    out
        A folder for the job, which goes on where it was after an interruption.
    node, topic, delimiter
        How to read tables given themselves.
    session, master, settings
        Where to run; see :func:`gossamer.pipeline.spark_session`.
    progress
        Told what is being done.

    Returns
    -------
    LowerBound
        As :func:`gossamer.links_lower_bound` finds it, without the multipliers that certify it.

    Notes
    -----
    Spark numbers nodes and topics: two shuffles of the subscriptions, and one of the nodes. The
    driver then holds the numbers, some 40 bytes a subscription, and scans all pairs that share a
    topic: a minute and a half for a million nodes with ten of ten thousand topics each.
    """
    tell = progress or silent
    tell("starting Spark", 0.0)
    folder = Folder.at(out)
    with (
        spark_session(session, master=master, settings=settings) as running,
        discard_on_error(folder),
    ):
        job = Job(
            running,
            folder,
            "bound",
            inputs=[read_part(subscriptions)],
            parameters={"node": node, "topic": topic, "delimiter": delimiter},
            progress=progress,
        )
        if not job.finished:
            frame = subscriptions_in(
                running, subscriptions, node=node, topic=topic, delimiter=delimiter
            )
            interests = gathered(number(job, frame))
            job.fact("bound", lambda: _facts(links_lower_bound(interests, progress=tell)))
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
