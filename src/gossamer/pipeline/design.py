"""A broker overlay from a table that one process should not hold: the design job.

The table is numbered, designed in rounds on Spark (``parted-merge``, the same links as in
memory), written with the user's own names, and verified: every topic's subscribers are
connected over the links as they were written. Asked to, it also adds the links that take every
bridge away, chosen by one process from the numbered table.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.design.resilience import make_resilient
from gossamer.design.rounds import merge_in_rounds
from gossamer.design.settlement import Settlement
from gossamer.model import GossamerError, Interests, Overlay
from gossamer.model.progress import Progress, silent
from gossamer.pipeline.assess import measured_topics
from gossamer.pipeline.delivery import deliver, is_one_file
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import subscriptions_in
from gossamer.pipeline.jobs import Job, nothing_left
from gossamer.pipeline.numbered import Numbered, block_rows, number
from gossamer.pipeline.rounds import SparkTasks
from gossamer.pipeline.session import spark_session
from gossamer.quality.resilience import failures_before_and_after
from gossamer.tables import LINKS, TableSchema, check_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Designed", "design"]

NUMBERED_LINKS = TableSchema(
    "numbered_links", 1, (("source_id", pa.int32()), ("target_id", pa.int32()))
)
PHASES = ("numbering", "merging", "reinforcing", "naming", "verifying")


@dataclass(frozen=True)
class Designed:
    """An overlay that was designed and verified.

    Attributes
    ----------
    out
        The file, or the folder with the table ``links``.
    nodes, topics, subscriptions
        What it was designed for; repeated subscriptions once.
    links, mean_degree, max_degree
        What it has.
    seconds
        How long this run took, of a job that was resumed only the rest.
    phases
        The seconds of its parts: numbering, merging, reinforcing, naming, verifying.
    failures
        Of a resilient one, links added and single failures that split a topic, in words.
    """

    out: str
    nodes: int
    topics: int
    subscriptions: int
    links: int
    mean_degree: float
    max_degree: int
    seconds: float
    phases: Mapping[str, float]
    failures: Mapping[str, int] | None = None


def design(
    subscriptions: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    seed: int = 0,
    resilient: bool = False,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Designed:
    """Design a topic-connected overlay on Spark, by the algorithm ``parted-merge``.

    The links are those of :func:`gossamer.parted_merge` on the same table and seed,
    however many tasks they are found in. Interrupted and run again with the same arguments,
    it goes on after the last round that was settled.

    Parameters
    ----------
    subscriptions
        A folder of tables with ``subscriptions`` or ``follows``, such a table itself
        (Parquet, a file or a folder), or a text table.
    out
        A file (``.parquet``, ``.csv``, ``.tsv``, either gzipped), or a folder of tables,
        where ``links`` is written in parts.
    seed
        Settles random choices.
    resilient
        Whether to add links until no single failed link splits a topic, by
        :func:`gossamer.make_resilient` in this process; nodes have other numbers here, so they
        are as many as in memory, or nearly, but not the same.
    node, topic, delimiter
        How to read a table given itself.
    session, master, settings
        Where to run; see :func:`gossamer.pipeline.spark_session`.
    progress
        Told what is being done: links so far, topics still in parts.

    Notes
    -----
    For S subscriptions of s a node: two shuffles of S rows to number them, then a round moves
    O(S · s) numbers, packed. The driver holds 12 bytes a subscription, 12 a node and 8 a
    link, for a resilient overlay some 80 a subscription; a task some hundred MB. See
    :func:`gossamer.parted_merge` for the rest.
    """
    start = time.perf_counter()
    if is_one_file(out):
        check_output(out, inputs=[subscriptions])
    tell = progress or silent
    tell("starting Spark", 0.0)
    with (
        spark_session(session, master=master, settings=settings) as running,
        _job_folder(out) as folder,
    ):
        job = Job(
            running,
            folder,
            "design",
            inputs=[_input_of(subscriptions)],
            parameters={
                "node": node,
                "topic": topic,
                "delimiter": delimiter,
                **({"resilient": True} if resilient else {}),
            },
            seed=seed,
            progress=progress,
        )
        if not job.finished:
            _run(job, subscriptions, resilient, node=node, topic=topic, delimiter=delimiter)
        if is_one_file(out):
            tell(f"writing {os.fspath(out)}", 0.95)
            deliver(folder / LINKS.name, out, LINKS)
        facts = job.manifest.facts["designed"]
    return Designed(out=os.fspath(out), seconds=time.perf_counter() - start, **facts)


def _run(
    job: Job,
    subscriptions: str | os.PathLike[str],
    resilient: bool,
    *,
    node: str,
    topic: str,
    delimiter: str | None,
) -> None:
    frame = subscriptions_in(
        job.session, subscriptions, node=node, topic=topic, delimiter=delimiter
    )
    clock = [time.perf_counter()]
    numbered = number(job, frame)
    clock.append(time.perf_counter())
    state = merge_in_rounds(
        numbered.shape,
        SparkTasks(job.session, numbered, job.work / "rounds"),
        seed=job.manifest.seed or 0,
        progress=job.progress,
    )
    clock.append(time.perf_counter())
    overlay = Overlay.from_links(numbered.node_count, _links_of(state))
    failures = None
    if resilient:
        overlay, failures = _reinforced(job, numbered, overlay)
    clock.append(time.perf_counter())
    links = _numbered_links(job.session, overlay, job.work / "links.parquet")
    job.table(LINKS, lambda: _named(links, numbered))
    clock.append(time.perf_counter())
    job.progress("verifying", 0.9)
    _verify(measured_topics(links, numbered), resilient)
    clock.append(time.perf_counter())
    degrees = overlay.degrees
    job.fact(
        "designed",
        lambda: {
            "nodes": numbered.node_count,
            "topics": numbered.topic_count,
            "subscriptions": numbered.subscription_count,
            "links": overlay.link_count,
            "mean_degree": float(degrees.mean()),
            "max_degree": int(degrees.max(initial=0)),
            "phases": dict(zip(PHASES, np.diff(clock).tolist(), strict=True)),
            "failures": failures,
        },
    )
    job.finish()


def _verify(measured: DataFrame, resilient: bool) -> None:
    """Raise where a topic is in parts, or where a resilient one has a bridge."""
    from pyspark.sql import functions as f

    wrong = ["components > 1", "bridges > 0 AND subscribers > 2"]
    counts = measured.agg(*(f.count_if(f.expr(condition)) for condition in wrong)).collect()[0]
    for count, promised, said in zip(
        counts, (True, resilient), ("in parts", "with a bridge"), strict=True
    ):
        if count and promised:
            raise GossamerError(
                f"the design left {count:,} topics {said} although it promises not to; that is a "
                "bug in gossamer"
            )


def _links_of(state: Settlement) -> NDArray[np.int32]:
    return np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links])


def _reinforced(
    job: Job, numbered: Numbered, overlay: Overlay
) -> tuple[Overlay, Mapping[str, int]]:
    """Take all bridges away, on the whole numbered table; done once, and kept for a resumed job."""
    place = job.work / "reinforced.npy"
    kept = place.read_bytes()
    if kept is not None and "failures" in job.manifest.facts:
        links = np.load(io.BytesIO(kept), allow_pickle=False)
        return Overlay.from_links(numbered.node_count, links), job.manifest.facts["failures"]
    interests = _gathered(numbered)
    found = make_resilient(interests, overlay, seed=job.manifest.seed or 0, progress=job.progress)
    written = io.BytesIO()
    np.save(written, found.links)
    place.write_bytes(written.getvalue())
    return found, job.fact("failures", lambda: failures_before_and_after(interests, overlay, found))


def _gathered(numbered: Numbered) -> Interests:
    """Bring the numbered table together in this process."""
    blocks = [block for _, block in block_rows(numbered.blocks.toArrow().to_batches())]
    none = np.empty(0, dtype=np.int32)
    nodes = [
        np.repeat(
            np.arange(block.first_node, block.first_node + block.node_count, dtype=np.int32),
            np.diff(block.offsets),
        )
        for block in blocks
    ]
    return Interests.from_ids(
        np.concatenate([none, *nodes]),
        np.concatenate([none, *(block.topics for block in blocks)]),
        node_names=numbered.node_count,
        topic_names=len(numbered.shape.popularity),
    )


def _numbered_links(session: SparkSession, overlay: Overlay, place: Folder) -> DataFrame:
    """Hand the links to Spark, as a file beside the job's other work."""
    found = overlay.links
    table = NUMBERED_LINKS.table(found[:, 0], found[:, 1])
    with place.system.open_output_stream(place.path) as stream:
        pa.parquet.write_table(table, stream, row_group_size=1 << 18, compression="zstd")
    return session.read.parquet(place.spark_pattern)


def _named(links: DataFrame, numbered: Numbered) -> DataFrame:
    """Give links the names of their ends, the lower one first, in their order."""
    from pyspark.sql import functions as f

    names = numbered.nodes.select("node_id", "node")
    one = names.withColumnRenamed("node_id", "source_id").withColumnRenamed("node", "one")
    other = names.withColumnRenamed("node_id", "target_id").withColumnRenamed("node", "other")
    named = links.join(one, "source_id").join(other, "target_id")
    ends = named.select(
        f.least("one", "other").alias("source"), f.greatest("one", "other").alias("target")
    )
    return ends.orderBy("source", "target")


def _input_of(place: str | os.PathLike[str]) -> Folder:
    """Return what of a folder of tables is read, so that other tables in it may change."""
    folder = Folder.at(place)
    for name in ("subscriptions", "subscriptions.parquet", "follows", "follows.parquet"):
        if folder.is_folder() and (folder / name).exists():
            return folder / name
    return folder


@contextmanager
def _job_folder(out: str | os.PathLike[str]) -> Iterator[Folder]:
    """Give the folder of the job: ``out`` itself, or one beside a file that goes when it is done.

    After an interruption it stays, so that the job can be resumed.
    """
    if not is_one_file(out):
        tables = Folder.at(out)
        with nothing_left(tables):
            yield tables
        return
    target = Path(os.path.realpath(out))
    folder = Folder.at(target.with_name(f".{target.name}.job"))
    with nothing_left(folder):
        yield folder
    folder.remove()
