"""The sample job: a breadth-first sample of a follower graph, compared with the whole graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline import sample_schema as schemas
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_table
from gossamer.pipeline.inputs import subscriptions_in, table_in
from gossamer.pipeline.jobs import Job, discard_on_error, read_manifests
from gossamer.pipeline.session import spark_session
from gossamer.pipeline.stages.breadth_first import (
    MAX_TO_BROADCAST,
    Along,
    breadth_first,
    check_sampling,
    relations_within,
    too_many,
)
from gossamer.pipeline.stages.degrees import degree_counts, user_degrees
from gossamer.progress import Progress
from gossamer.quality.distributions import Histogram
from gossamer.quality.shape import FittedHistogram, ShapeCheck, shape_check
from gossamer.results import Result, Table
from gossamer.tables import TableSchema
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

JOB = "sample"
DIRECTIONS = ("followers", "followed")


@dataclass(frozen=True, repr=False)
class SampleResult(Result):
    """Result of a sample: its sizes, and its degrees compared with the whole graph.

    Attributes
    ----------
    folder
        Folder of its tables.
    full_nodes, full_relations
        Number of users and distinct relations of the whole graph.
    nodes, relations
        Number of users and distinct relations of the sample.
    levels
        Number of users by distance from the nearest seed, hops.
    followers, followed
        Comparison of the degrees in the sample with those in the whole graph.
    """

    BRIEF: ClassVar = ("users", "relations")

    folder: str
    full_nodes: int
    full_relations: int
    nodes: int
    relations: int
    levels: tuple[int, ...]
    followers: ShapeCheck
    followed: ShapeCheck

    def summary(self) -> dict[str, Any]:
        """Return the sizes by name."""
        return {
            "users": self.nodes,
            "all_users": self.full_nodes,
            "relations": self.relations,
            "all_relations": self.full_relations,
            "users_by_steps": list(self.levels),
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"levels": lambda: {"steps": list(range(len(self.levels))), "users": self.levels}}


def sample(
    tables: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    nodes: int,
    seed: int = 0,
    seeds: int = 10,
    along: Along = "followed",
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> SampleResult:
    """Take a breadth-first sample of a follower graph (Vitis §IV-E, ElastO §7.1).

    The search starts at a few random users, follows their relations level by level until
    ``nodes`` users are reached, and takes all relations between those. A search that ends early
    continues from new users. Random choices are by a hash of the seed and the name, so the sample
    does not depend on the partitions of the tables.

    Parameters
    ----------
    tables
        Folder with the table ``follows``, or ``subscriptions`` whose topics are nodes; or one
        text or Parquet file of such subscriptions.
    out
        Folder of the sample: ``follows``, ``levels`` (distance of each user from a seed), and the
        comparison of degrees, ``degree_counts``, ``degree_shapes`` and ``degree_distances``.
    nodes
        Exact number of nodes of the sample.
    seed
        Seed of the random number generator.
    seeds
        Number of users at which the search starts.
    along
        Direction of the search. ``followed``, as in Vitis ("nodes being followed by the selected
        nodes"), reaches the topics of a node, since following is subscribing; ``follower``; or
        ``both``.
    node_column, topic_column, delimiter
        Columns of the users in one file, and its field separator; detected by default.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    InputError
        If the tables are bad, or the graph has fewer users than ``nodes``. A new folder is then
        removed.

    Notes
    -----
    For N users with E relations: one shuffle of E to count degrees, one pass over E a level and
    one for the result. The names in the sample are sent to every task.
    """
    check_sampling(nodes, seed, seeds, along)
    source, target = Folder.at(tables), Folder.at(out)
    place, schema = _input_table(source)
    _check_target(target, source)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as running,
        discard_on_error(target),
    ):
        columns = {
            "node_column": node_column, "topic_column": topic_column, "delimiter": delimiter,
        }  # fmt: skip
        follows = _follows(running, place, schema, columns)
        job = Job(
            running,
            target,
            JOB,
            inputs=[place],
            parameters={"nodes": nodes, "seeds": seeds, "along": along, **columns},
            seed=seed,
            progress=progress,
        )
        whole = job.fact("whole", lambda: _whole(job, follows, place, schema))
        if nodes > whole["nodes"]:
            raise ParameterError(f"{place.name}: {too_many(nodes, whole['nodes'])}")
        levels, relations = _take(job, follows, nodes, seed, seeds, along)
        checks = _compare(job, follows, levels, relations)
        by_level = job.fact("levels", lambda: _by_level(levels))
        job.finish()
        return SampleResult(
            folder=target.name,
            full_nodes=whole["nodes"],
            full_relations=whole["relations"],
            nodes=job.rows(schemas.LEVELS.name),
            relations=job.rows(FOLLOWS.name),
            levels=tuple(by_level),
            **checks,
        )


def _input_table(source: Folder) -> tuple[Folder, TableSchema]:
    if not source.exists():
        raise TableError(f"{source.name}: there is no such folder")
    for schema in (FOLLOWS, SUBSCRIPTIONS):
        found = table_in(source, schema.name)
        if found is not None:
            return found, schema
    if not source.is_folder():
        return source, SUBSCRIPTIONS
    raise TableError(
        f"{source.name}: has no table of follows, nor of subscriptions whose topics are nodes; "
        f"there is {', '.join(source.children()) or 'nothing'}"
    )


def _check_target(target: Folder, source: Folder) -> None:
    """Reject a folder in which other tables would be replaced."""
    if target.path.rstrip("/") == source.path.rstrip("/"):
        raise ParameterError(f"{target.name}: is the input; expected another folder to write")
    if target.exists() and not target.is_folder():
        raise ParameterError(f"{target.name}: is a file; expected a folder")
    own = read_manifests(target).get(JOB) if target.exists() else None
    if own is None and table_in(target, FOLLOWS.name) is not None:
        raise ParameterError(
            f"{target.name}: has a table of follows that is not a sample, and would be replaced; "
            "expected another folder"
        )


def _follows(
    spark: SparkSession, place: Folder, schema: TableSchema, columns: Mapping[str, Any]
) -> DataFrame:
    if place.is_folder():
        frame = read_table(spark, place, schema)
    else:
        frame = subscriptions_in(spark, place, **columns)
    if schema is SUBSCRIPTIONS:
        frame = frame.selectExpr("node AS follower", "topic AS followed")
    one, other = (kind for _, kind in frame.dtypes)
    if one != other:
        raise TableError(
            f"{place.name}: {schema.column_names[0]} is {one} and {schema.column_names[1]} "
            f"{other}; to be sampled, both must be users of one kind"
        )
    return frame


def _users(job: Job, follows: DataFrame) -> DataFrame:
    return job.table(schemas.USERS, lambda: user_degrees(follows), name="work/users")


def _whole(job: Job, follows: DataFrame, place: Folder, schema: TableSchema) -> dict[str, int]:
    """Count users and relations of the whole graph, after a check of the table."""
    from pyspark.sql import functions as f

    job.progress("counting followers", 0.0)
    (row,) = (
        _users(job, follows)
        .agg(
            f.count("node").alias("nodes"),
            f.sum("followed").alias("relations"),
            f.count_if(f.col("node").isNull()).alias("nameless"),
            f.count_if((f.col("followers") > 0) & (f.col("followed") > 0)).alias("both"),
        )
        .collect()
    )
    if row["nameless"]:
        raise TableError(f"{place.name}: has rows without a name; expected two names a row")
    if not row["nodes"]:
        raise TableError(f"{place.name}: the table is empty; expected relations")
    if schema is SUBSCRIPTIONS and not row["both"]:
        raise TableError(
            f"{place.name}: no topic is a node, so no user is followed; expected a table "
            "of follows, or subscriptions whose topics are nodes"
        )
    return {"nodes": row["nodes"], "relations": row["relations"]}


def _take(
    job: Job,
    follows: DataFrame,
    nodes: int,
    seed: int,
    seeds: int,
    along: Along,
) -> tuple[DataFrame, DataFrame]:
    """Write the users of the sample, and the relations between them."""

    def keep(step: int, make: Callable[[], DataFrame]) -> tuple[DataFrame, int]:
        name = f"work/reached-{step}"
        frame = job.table(schemas.REACHED, make, name=name)
        rows = job.rows(name)
        job.progress(f"step {step}: {rows:,} of {nodes:,} users", rows / nodes)
        return frame, rows

    def search() -> DataFrame:
        users = _users(job, follows)
        reached = breadth_first(
            follows, users, nodes=nodes, seed=seed, seeds=seeds, along=along, keep=keep
        )
        return reached.select("node", "level").orderBy("node")

    few = nodes <= MAX_TO_BROADCAST
    levels = job.table(schemas.LEVELS, search)
    relations = job.table(FOLLOWS, lambda: relations_within(follows, levels, few=few))
    return levels, relations


def _compare(
    job: Job, follows: DataFrame, levels: DataFrame, relations: DataFrame
) -> dict[str, ShapeCheck]:
    """Compare the degrees of the sample with those of the whole graph, and write the tables."""
    from pyspark.sql import functions as f

    def count() -> DataFrame:
        degrees = levels.select("node").join(user_degrees(relations), "node", "left")
        inside = degrees.select(
            "node", *(f.coalesce(name, f.lit(0)).alias(name) for name in DIRECTIONS)
        )
        both = degree_counts(_users(job, follows), "full").unionByName(
            degree_counts(inside, "sample")
        )
        return both.coalesce(1).orderBy("graph", "direction", "degree")

    table = job.table(schemas.DEGREE_COUNTS, count).toArrow()
    graph, direction, degree, nodes = (
        column.to_numpy(zero_copy_only=False) for column in table.columns
    )
    job.progress("fitting power laws", 0.0)

    def histogram(of: str, kind: str) -> Histogram:
        rows = (graph == of) & (direction == kind)
        return Histogram.of(degree[rows], nodes[rows])

    checks = {
        kind: shape_check(histogram("full", kind), histogram("sample", kind)) for kind in DIRECTIONS
    }
    shapes = [
        (name, kind, *_numbers(one))
        for kind, check in checks.items()
        for name, one in (("full", check.full), ("sample", check.sample))
    ]
    _write(job, schemas.DEGREE_SHAPES, shapes)
    distances = [
        (kind, check.distance, check.rescaled_distance, check.verdict)
        for kind, check in checks.items()
    ]
    _write(job, schemas.DEGREE_DISTANCES, distances)
    return checks


def _numbers(one: FittedHistogram) -> tuple[int | float | None, ...]:
    shape, fit, plain = one.histogram, one.fit, one.plain
    return (
        shape.total,
        shape.mean,
        shape.variance,
        shape.deviation,
        shape.maximum,
        fit.exponent if fit else None,
        fit.smallest if fit else None,
        fit.tail if fit else None,
        fit.distance if fit else None,
        plain.exponent if plain else None,
    )


def _write(job: Job, schema: TableSchema, rows: list[tuple[Any, ...]]) -> None:
    job.small_table(schema, lambda: schema.table(*zip(*rows, strict=True)))


def _by_level(levels: DataFrame) -> list[int]:
    rows = levels.groupBy("level").count().collect()
    return [count for _, count in sorted(tuple(row) for row in rows)]
