"""The design job: an overlay for a table of subscriptions that does not fit in one process.

The job numbers the table, designs the overlay on Spark (``partitioned-merge`` in rounds,
``partitioned-radius`` in blocks, with the same links as in memory), writes the links by name,
measures each topic, and checks what the algorithm promises. For a resilient design, the driver
adds the links that remove every bridge, from the numbered table. The numbered table and the
table ``topics`` stay in the folder for later jobs.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.design import Algorithm, find_algorithm
from gossamer.design.distributed.merge_rounds import merge_in_rounds
from gossamer.design.partitioned_radius import Division, design_in_blocks
from gossamer.design.resilience import make_resilient
from gossamer.design.verified_design import check_promises
from gossamer.errors import ParameterError
from gossamer.model import Overlay
from gossamer.options import merge_options, split_spec
from gossamer.pipeline.block_tasks import SparkBlocks
from gossamer.pipeline.export import export_table, is_one_file, output_folder
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_parquet
from gossamer.pipeline.inputs import SubscriptionsInput
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.merge_tasks import SparkTasks
from gossamer.pipeline.numbered_table import NumberedTable, collect_interests, number_table
from gossamer.pipeline.session import spark_session
from gossamer.pipeline.topic_table import measure_topics
from gossamer.progress import Progress
from gossamer.quality.resilience import failures_before_and_after
from gossamer.results import Result
from gossamer.tables import LINKS, TableSchema, check_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EDGES = TableSchema.of("edges", 1, "source_id int32, target_id int32")
ON_SPARK = {
    "partitioned-merge": "partitioned-merge",
    "bounded-radius": "partitioned-radius",
    "partitioned-radius": "partitioned-radius",
}
"""Name of the algorithm on Spark, by the name of the requested algorithm."""

PHASES = ("numbering", "merging", "reinforcing", "naming", "verifying")


@dataclass(frozen=True, repr=False)
class DesignResult(Result):
    """A designed overlay, and its verified properties.

    Attributes
    ----------
    out
        File, or folder with the table ``links``.
    nodes, topics, subscriptions
        Sizes of the table; repeated subscriptions count once.
    links, mean_degree, max_degree
        Number of links, and degrees.
    seconds
        Duration of this run; of a resumed job, only the rest.
    phases
        Seconds by phase: numbering, merging, reinforcing, naming, verifying.
    algorithm
        Name of the algorithm.
    max_diameter, promised_diameter
        Largest topic diameter, and the largest that the algorithm allows, if it promises one.
    blocks
        Number of blocks that were designed separately and then joined; None for a design in rounds.
    mean_degree_in_blocks, mean_degree_joining
        Shares of the mean degree of links within blocks, and of links that join them.
    failures
        For resilient designs: links added, and the single failures that would disconnect a
        topic, by name.
    """

    BRIEF: ClassVar = ("algorithm", "nodes", "links", "mean_degree", "max_degree")

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
    max_diameter: int
    promised_diameter: int | None = None
    blocks: int | None = None
    mean_degree_in_blocks: float | None = None
    mean_degree_joining: float | None = None
    failures: Mapping[str, int] | None = None

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the design by name."""
        partitions = {
            name: getattr(self, name)
            for name in ("promised_diameter", "blocks", "mean_degree_in_blocks",
                         "mean_degree_joining")
        }  # fmt: skip
        return {
            "algorithm": self.algorithm,
            "nodes": self.nodes,
            "topics": self.topics,
            "subscriptions": self.subscriptions,
            "links": self.links,
            "mean_degree": self.mean_degree,
            "max_degree": self.max_degree,
            "topic_connected": True,
            **(self.failures or {}),
            "max_diameter": self.max_diameter,
            **{name: value for name, value in partitions.items() if value is not None},
            "seconds": self.seconds,
            **{
                f"seconds_{phase}": seconds
                for phase, seconds in self.phases.items()
                if self.failures is not None or phase != "reinforcing"
            },
        }


def resolve_on_spark(
    algorithm: str, options: Mapping[str, Any] | None = None
) -> tuple[Algorithm, dict[str, Any]]:
    """Return the algorithm that runs on Spark under a name, and its options, with defaults.

    The name may have options, as in ``bounded-radius:radius=4``; ``options`` are given beside it.

    Raises
    ------
    ParameterError
        If there is no such algorithm, it runs in memory only, or it has no such option.
    """
    name = split_spec(algorithm)[0]
    find_algorithm(name)
    if name not in ON_SPARK:
        raise ParameterError(
            f"{name} runs in memory; on Spark there are {', '.join(sorted(ON_SPARK))}"
        )
    found = find_algorithm(ON_SPARK[name])
    given = merge_options(algorithm, found.all_options, options or {})
    return found, found.all_options.with_defaults(given)


def parse_spark_options(algorithm: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Parse the options of an algorithm that runs on Spark, and check them."""
    found, _ = resolve_on_spark(algorithm)
    return resolve_on_spark(algorithm, found.all_options.parse(texts))[1]


def design(
    subscriptions: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    algorithm: str = "partitioned-merge",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    resilient: bool = False,
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> DesignResult:
    """Design a topic-connected overlay on Spark, by ``partitioned-merge`` or ``bounded-radius``.

    The links are those of :func:`gossamer.partitioned_merge` or
    :func:`gossamer.partitioned_radius` for the same table and seed, whatever the number of
    tasks. An interrupted job that is run again with the same arguments resumes after the last
    complete round, or with the missing blocks.

    Parameters
    ----------
    subscriptions
        Folder of tables with ``subscriptions`` or ``follows``, such a table (Parquet, a file or
        a folder), or a text table.
    out
        File of the links (``.parquet``, ``.csv``, ``.tsv``, either gzipped), or a folder of
        tables, which gets the tables ``links`` and ``topics`` in parts.
    algorithm
        ``partitioned-merge`` for few links; ``bounded-radius`` (``partitioned-radius`` is the
        same here) for few links and short paths; also with options, as in
        ``bounded-radius:radius=4``.
    options
        Options of the algorithm: radius, degree_cap and block of ``partitioned-radius``.
    seed
        Seed of the random number generator.
    resilient
        Whether to add links until no single link failure disconnects a topic, by
        :func:`gossamer.make_resilient` on the driver. Node ids differ from those in memory, so
        the added links differ too, but their number is nearly the same.
    node_column, topic_column, delimiter
        Columns and field separator of a table that is not in a folder of tables.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    ParameterError
        If the algorithm does not run on Spark, or has no such option.
    GossamerError
        If the overlay breaks the algorithm's promise: a bug in the algorithm.

    Notes
    -----
    For S subscriptions, s for each node: two shuffles of S rows number the table, and each
    round moves O(S · s) packed numbers. The driver holds 12 bytes a subscription, 12 a node and
    8 a link, for a resilient overlay about 80 a subscription; a task holds some hundred MB. See
    :func:`gossamer.partitioned_merge` for the rest. A design in blocks moves S packed numbers
    in one more shuffle; the driver holds 8 bytes a link, 12 a node and 90 for each subscription
    near a centre (5 to 15 per cent of them), and a task holds one block.
    """
    start = time.perf_counter()
    given = {**(options or {}), "resilient": True} if resilient else options
    chosen, completed = resolve_on_spark(algorithm, given)
    resilient = completed.pop("resilient")
    if is_one_file(out):
        check_output(out, inputs=[subscriptions])
    source = SubscriptionsInput(Folder.at(subscriptions), node_column, topic_column, delimiter)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as running,
        output_folder(out, resumable=True) as folder,
    ):
        job = Job(
            running,
            folder,
            "design",
            inputs=[source.table],
            parameters={
                **source.parameters,
                "algorithm": chosen.name,
                **completed,
                **({"resilient": True} if resilient else {}),
            },
            seed=seed,
            progress=progress,
        )
        if not job.finished:
            _run(job, source, chosen, completed, resilient)
        if is_one_file(out):
            job.progress(f"writing {os.fspath(out)}", 0.95)
            export_table(folder / LINKS.name, out, LINKS)
        facts = job.manifest.facts["designed"]
    return DesignResult(out=os.fspath(out), seconds=time.perf_counter() - start, **facts)


def _run(
    job: Job,
    source: SubscriptionsInput,
    chosen: Algorithm,
    options: Mapping[str, Any],
    resilient: bool,
) -> None:
    clock = [time.perf_counter()]
    folders = [source.place, job.folder]
    numbered = number_table(job.session, source, folders, progress=job.progress)
    clock.append(time.perf_counter())
    in_blocks = chosen.name == "partitioned-radius"
    links, facts = (_in_blocks if in_blocks else _in_rounds)(job, numbered, **options)
    overlay = Overlay.from_links(numbered.node_count, links)
    clock.append(time.perf_counter())
    failures = None
    if resilient:
        overlay, failures = _reinforce(job, numbered, overlay)
    clock.append(time.perf_counter())
    edges = _edges(job.session, overlay, job.work / "links.parquet")
    job.table(LINKS, lambda: _name(edges, numbered))
    clock.append(time.perf_counter())
    job.progress("verifying", 0.9)
    topics = measure_topics(
        job.session, source, job.folder, [job.folder], numbered, edges, progress=job.progress
    )
    diameter = _verify(topics.table, chosen, options, resilient)
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
            "max_diameter": diameter,
            "promised_diameter": chosen.promised_diameter(**options),
            "phases": dict(zip(PHASES, np.diff(clock).tolist(), strict=True)),
            "failures": failures,
            **facts,
        },
    )
    job.finish()


Links = NDArray[np.int32]
"""Links by node id, shape (m, 2)."""


def _in_rounds(job: Job, numbered: NumberedTable) -> tuple[Links, dict[str, Any]]:
    """Design in rounds; return the links, and further facts of the result."""
    state = merge_in_rounds(
        numbered.shape,
        SparkTasks(job.session, numbered, job.work / "rounds"),
        seed=job.manifest.seed or 0,
        progress=job.progress,
    )
    return np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links]), {}


def _in_blocks(job: Job, numbered: NumberedTable, **options: int) -> tuple[Links, dict[str, Any]]:
    """Design in blocks; return the links, and further facts of the result."""
    division = Division.of(numbered.shape, seed=job.manifest.seed or 0, **options)
    found = design_in_blocks(SparkBlocks(job, numbered), division, progress=job.progress)
    return found.links, {
        "blocks": division.blocks,
        "mean_degree_in_blocks": 2 * len(found.inside) / numbered.node_count,
        "mean_degree_joining": 2 * len(found.between) / numbered.node_count,
    }


def _verify(
    topics: DataFrame, chosen: Algorithm, options: Mapping[str, Any], resilient: bool
) -> int:
    """Check what the algorithm promises, and return the largest topic diameter."""
    from pyspark.sql import functions as f

    row = topics.agg(
        f.count_if(f.expr("components > 1")).alias("disconnected"),
        f.count_if(f.expr("bridges > 0 AND subscribers > 2")).alias("bridged"),
        f.coalesce(f.max("diameter"), f.lit(0)).alias("diameter"),
    ).collect()[0]
    check_promises(chosen, options, resilient=resilient, **row.asDict())
    return int(row["diameter"])


def _reinforce(
    job: Job, numbered: NumberedTable, overlay: Overlay
) -> tuple[Overlay, Mapping[str, int]]:
    """Add the links that remove all bridges, computed once and stored for a resumed job."""
    place = job.work / "reinforced.npy"
    stored = place.read_bytes()
    if stored is not None and "failures" in job.manifest.facts:
        links = np.load(io.BytesIO(stored), allow_pickle=False)
        return Overlay.from_links(numbered.node_count, links), job.manifest.facts["failures"]
    interests = collect_interests(numbered)
    found = make_resilient(interests, overlay, seed=job.manifest.seed or 0, progress=job.progress)
    written = io.BytesIO()
    np.save(written, found.links)
    place.write_bytes(written.getvalue())
    return found, job.fact("failures", lambda: failures_before_and_after(interests, overlay, found))


def _edges(session: SparkSession, overlay: Overlay, place: Folder) -> DataFrame:
    """Write links by node id to a file, and read it on Spark."""
    table = EDGES.table(overlay.links[:, 0], overlay.links[:, 1])
    with place.system.open_output_stream(place.path) as stream:
        pa.parquet.write_table(table, stream, row_group_size=1 << 18, compression="zstd")
    return read_parquet(session, place)


def _name(links: DataFrame, numbered: NumberedTable) -> DataFrame:
    """Return links by name, the lower end first, in order."""
    from pyspark.sql import functions as f

    names = numbered.nodes.select("node_id", "node")
    one = names.withColumnRenamed("node_id", "source_id").withColumnRenamed("node", "one")
    other = names.withColumnRenamed("node_id", "target_id").withColumnRenamed("node", "other")
    named = links.join(one, "source_id").join(other, "target_id")
    ends = named.select(
        f.least("one", "other").alias("source"), f.greatest("one", "other").alias("target")
    )
    return ends.orderBy("source", "target")
