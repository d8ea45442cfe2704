"""A broker overlay from a table that one process should not hold: the design job.

The table is numbered, designed on Spark (in rounds, ``partitioned-merge``, or in blocks,
``partitioned-radius``; the same links as in memory), written with the user's own names, and
verified: every topic's subscribers are connected over the links as they were written, and no
further apart than was promised. Asked to, it also adds the links that take every bridge away,
chosen by one process from the numbered table.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.design import Algorithm, find_algorithm
from gossamer.design.distributed.merge_rounds import merge_in_rounds
from gossamer.design.partitioned_radius import Division, check_options, design_in_blocks
from gossamer.design.resilience import make_resilient
from gossamer.errors import GossamerError, ParameterError
from gossamer.model import Overlay
from gossamer.pipeline.assess import measured_topics
from gossamer.pipeline.block_tasks import SparkBlocks
from gossamer.pipeline.export import export_table, is_one_file
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import read_part, subscriptions_in
from gossamer.pipeline.jobs import Job, discard_on_error
from gossamer.pipeline.merge_tasks import SparkTasks
from gossamer.pipeline.numbered_table import NumberedTable, gathered, number
from gossamer.pipeline.session import spark_session
from gossamer.progress import Progress, silent
from gossamer.quality.resilience import failures_before_and_after
from gossamer.tables import LINKS, TableSchema, check_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DesignResult", "design", "find_on_spark", "parse_spark_options"]

NUMBERED_LINKS = TableSchema(
    "numbered_links", 1, (("source_id", pa.int32()), ("target_id", pa.int32()))
)
ON_SPARK = {
    "partitioned-merge": "partitioned-merge",
    "bounded-radius": "partitioned-radius",
    "partitioned-radius": "partitioned-radius",
}
"""What runs on Spark when an algorithm is asked for."""

PHASES = ("numbering", "merging", "reinforcing", "naming", "verifying")


@dataclass(frozen=True)
class DesignResult:
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
    algorithm
        By what it was designed.
    max_topic_diameter, promised_diameter
        The largest there is, and what the algorithm promised, if anything.
    blocks
        How many blocks were designed alone and then joined; None in rounds.
    mean_degree_in_blocks, mean_degree_joining
        What the links within blocks, and those that join them, add to the mean degree.
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
    algorithm: str
    max_topic_diameter: int
    promised_diameter: int | None = None
    blocks: int | None = None
    mean_degree_in_blocks: float | None = None
    mean_degree_joining: float | None = None
    failures: Mapping[str, int] | None = None

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the design by label."""
        partitions = {
            "topic diameter, at most": self.promised_diameter,
            "blocks": self.blocks,
            "mean degree, within blocks": self.mean_degree_in_blocks,
            "mean degree, joining them": self.mean_degree_joining,
        }
        return {
            "nodes": self.nodes,
            "topics": self.topics,
            "subscriptions": self.subscriptions,
            "links": self.links,
            "mean degree": self.mean_degree,
            "maximum degree": self.max_degree,
            "topic-connected": True,
            **(self.failures or {}),
            "topic diameter": self.max_topic_diameter,
            **{label: value for label, value in partitions.items() if value is not None},
            "seconds": self.seconds,
            **{
                f"seconds, {phase}": seconds
                for phase, seconds in self.phases.items()
                if self.failures is not None or phase != "reinforcing"
            },
        }


@dataclass(frozen=True)
class Made:
    """Numbered links, shape (m, 2), and what else is told of them."""

    links: NDArray[np.int32]
    facts: dict[str, Any]


def find_on_spark(name: str, options: Mapping[str, Any] | None = None) -> Algorithm:
    """Return the algorithm that runs on Spark when this one is asked for.

    Raises
    ------
    ParameterError
        If there is no such algorithm, it works in memory only, or it has no such option.
    """
    find_algorithm(name)
    if name not in ON_SPARK:
        raise ParameterError(
            f"{name} works in memory; on Spark there is {' and '.join(sorted(ON_SPARK))}"
        )
    found = find_algorithm(ON_SPARK[name])
    found.options.check(options or {})
    if found.name == "partitioned-radius":
        check_options(**found.options.with_defaults(options or {}))
    return found


def parse_spark_options(name: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Parse the options of an algorithm that runs on Spark, and check them."""
    options = find_on_spark(name).options.parse(texts)
    find_on_spark(name, options)
    return options


def design(
    subscriptions: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    algorithm: str = "partitioned-merge",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    resilient: bool = False,
    node: str = "node",
    topic: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> DesignResult:
    """Design a topic-connected overlay on Spark, by ``partitioned-merge`` or ``bounded-radius``.

    The links are those of :func:`gossamer.partitioned_merge`, or
    :func:`gossamer.partitioned_radius`, on
    the same table and seed, however many tasks they are found in. Interrupted and run again
    with the same arguments, it goes on after the last round that was settled, or with the
    blocks that are missing.

    Parameters
    ----------
    subscriptions
        A folder of tables with ``subscriptions`` or ``follows``, such a table itself
        (Parquet, a file or a folder), or a text table.
    out
        A file (``.parquet``, ``.csv``, ``.tsv``, either gzipped), or a folder of tables,
        where ``links`` is written in parts.
    algorithm
        ``partitioned-merge``: few links. ``bounded-radius``: few links and short paths, for tables
        that one process should not hold by ``partitioned-radius``, whose name will do as well.
    options
        The algorithm's own: radius, degree_cap and block of ``partitioned-radius``.
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
    link, for a resilient overlay some 80 a subscription; a task some hundred MB.
    See :func:`gossamer.partitioned_merge` for the rest. In blocks one more shuffle moves S
    numbers, packed, and the driver holds 8 bytes a link, 12 a node and 90 for each subscription
    near a centre, 5 to 15 per cent of them; a task holds one block.

    Raises
    ------
    ParameterError
        If the algorithm does not run on Spark, or has no such option.
    """
    start = time.perf_counter()
    chosen = find_on_spark(algorithm, options)
    own = dict(chosen.options.with_defaults(options or {}))
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
            inputs=[read_part(subscriptions)],
            parameters={
                "node": node,
                "topic": topic,
                "delimiter": delimiter,
                "algorithm": chosen.name,
                **own,
                **({"resilient": True} if resilient else {}),
            },
            seed=seed,
            progress=progress,
        )
        if not job.finished:
            frame = subscriptions_in(
                running, subscriptions, node=node, topic=topic, delimiter=delimiter
            )
            _run(job, frame, chosen, own, resilient)
        if is_one_file(out):
            tell(f"writing {os.fspath(out)}", 0.95)
            export_table(folder / LINKS.name, out, LINKS)
        facts = job.manifest.facts["designed"]
    return DesignResult(out=os.fspath(out), seconds=time.perf_counter() - start, **facts)


def _run(
    job: Job, frame: DataFrame, chosen: Algorithm, own: Mapping[str, Any], resilient: bool
) -> None:
    clock = [time.perf_counter()]
    numbered = number(job, frame)
    clock.append(time.perf_counter())
    made = (_in_blocks if chosen.name == "partitioned-radius" else _in_rounds)(job, numbered, **own)
    overlay = Overlay.from_links(numbered.node_count, made.links)
    clock.append(time.perf_counter())
    failures = None
    if resilient:
        overlay, failures = _reinforced(job, numbered, overlay)
    clock.append(time.perf_counter())
    links = _numbered_links(job.session, overlay, job.work / "links.parquet")
    job.table(LINKS, lambda: _named(links, numbered))
    clock.append(time.perf_counter())
    job.progress("verifying", 0.9)
    promised = chosen.promised_diameter(**own)
    diameter = _verified(links, numbered, promised, resilient)
    clock.append(time.perf_counter())
    degrees = overlay.degrees
    job.fact(
        "designed",
        lambda: {
            "algorithm": chosen.name,
            "nodes": numbered.node_count,
            "topics": numbered.topic_count,
            "subscriptions": numbered.subscription_count,
            "links": overlay.link_count,
            "mean_degree": float(degrees.mean()),
            "max_degree": int(degrees.max(initial=0)),
            "max_topic_diameter": diameter,
            "promised_diameter": promised,
            "phases": dict(zip(PHASES, np.diff(clock).tolist(), strict=True)),
            "failures": failures,
            **made.facts,
        },
    )
    job.finish()


def _in_rounds(job: Job, numbered: NumberedTable) -> Made:
    state = merge_in_rounds(
        numbered.shape,
        SparkTasks(job.session, numbered, job.work / "rounds"),
        seed=job.manifest.seed or 0,
        progress=job.progress,
    )
    return Made(np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links]), {})


def _in_blocks(job: Job, numbered: NumberedTable, **own: int) -> Made:
    division = Division.of(numbered.shape, seed=job.manifest.seed or 0, **own)
    found = design_in_blocks(SparkBlocks(job, numbered), division, progress=job.progress)
    facts = {
        "blocks": division.blocks,
        "mean_degree_in_blocks": 2 * len(found.inside) / numbered.node_count,
        "mean_degree_joining": 2 * len(found.between) / numbered.node_count,
    }
    return Made(found.links, facts)


def _verified(
    links: DataFrame, numbered: NumberedTable, promised: int | None, resilient: bool
) -> int:
    """Return the largest topic diameter, after making sure of what was promised."""
    from pyspark.sql import functions as f

    row = (
        measured_topics(links, numbered)
        .agg(
            f.count_if(f.expr("components > 1")).alias("in_parts"),
            f.count_if(f.expr("bridges > 0 AND subscribers > 2")).alias("bridged"),
            f.max("diameter").alias("diameter"),
        )
        .collect()[0]
    )
    wrong = ""
    if row["in_parts"]:
        wrong = f"left {row['in_parts']:,} topics in parts although it promises not to"
    elif resilient and row["bridged"]:
        wrong = f"left {row['bridged']:,} topics with a bridge although it promises not to"
    elif promised is not None and row["diameter"] > promised:
        wrong = (
            f"left a topic with a diameter of {row['diameter']} although it promises {promised} "
            "at most"
        )
    if wrong:
        raise GossamerError(f"the design {wrong}; that is a bug in gossamer")
    return int(row["diameter"] or 0)


def _reinforced(
    job: Job, numbered: NumberedTable, overlay: Overlay
) -> tuple[Overlay, Mapping[str, int]]:
    """Take all bridges away, on the whole numbered table; done once, and kept for a resumed job."""
    place = job.work / "reinforced.npy"
    kept = place.read_bytes()
    if kept is not None and "failures" in job.manifest.facts:
        links = np.load(io.BytesIO(kept), allow_pickle=False)
        return Overlay.from_links(numbered.node_count, links), job.manifest.facts["failures"]
    interests = gathered(numbered)
    found = make_resilient(interests, overlay, seed=job.manifest.seed or 0, progress=job.progress)
    written = io.BytesIO()
    np.save(written, found.links)
    place.write_bytes(written.getvalue())
    return found, job.fact("failures", lambda: failures_before_and_after(interests, overlay, found))


def _numbered_links(session: SparkSession, overlay: Overlay, place: Folder) -> DataFrame:
    """Hand the links to Spark, as a file beside the job's other work."""
    table = NUMBERED_LINKS.table(overlay.links[:, 0], overlay.links[:, 1])
    with place.system.open_output_stream(place.path) as stream:
        pa.parquet.write_table(table, stream, row_group_size=1 << 18, compression="zstd")
    return session.read.parquet(place.spark_pattern)


def _named(links: DataFrame, numbered: NumberedTable) -> DataFrame:
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


@contextmanager
def _job_folder(out: str | os.PathLike[str]) -> Iterator[Folder]:
    """Give the folder of the job: ``out`` itself, or one beside a file that goes when it is done.

    After an interruption it stays, so that the job can be resumed.
    """
    if not is_one_file(out):
        tables = Folder.at(out)
        with discard_on_error(tables):
            yield tables
        return
    target = Path(os.path.realpath(out))
    folder = Folder.at(target.with_name(f".{target.name}.job"))
    with discard_on_error(folder):
        yield folder
    folder.remove()
