"""The job that samples a follower graph, and checks that the sample is like the whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline import sample_schema as schemas
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_table
from gossamer.pipeline.inputs import table_in
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
from gossamer.progress import Progress, silent
from gossamer.quality.distributions import Histogram
from gossamer.quality.shape import FittedHistogram, ShapeCheck, shape_check
from gossamer.tables import TableSchema
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SampleResult", "sample"]

JOB = "sample"
DIRECTIONS = ("followers", "followed")


@dataclass(frozen=True)
class SampleResult:
    """A sample that was taken, and how like the whole it is.

    Attributes
    ----------
    folder
        Where the tables are.
    full_nodes, full_relations
        What the whole graph has.
    nodes, relations
        What the sample has.
    levels
        How many nodes are how many steps from their seed, from 0 on.
    followers, followed
        In-degrees and out-degrees, in the whole and in the sample.
    """

    folder: str
    full_nodes: int
    full_relations: int
    nodes: int
    relations: int
    levels: tuple[int, ...]
    followers: ShapeCheck
    followed: ShapeCheck


def sample(
    tables: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    nodes: int,
    seed: int = 0,
    seeds: int = 10,
    along: Along = "followed",
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> SampleResult:
    """Take a breadth-first sample of a follower graph (Vitis §IV-E, ElastO §7.1).

    A few random users, then whom they follow, level by level, until ``nodes`` are reached;
    then all relations among those. Random choices go by a hash of the seed and the name, so
    the sample is the same however the tables are partitioned. Where the search ends before
    it reached so many, it goes on from new users.

    Parameters
    ----------
    tables
        A folder with the table ``follows``, or ``subscriptions`` whose topics are nodes.
    out
        The folder to write to: ``follows``, ``levels`` (who is how many steps from a seed),
        and the check of the degrees, ``degree_counts``, ``degree_shapes`` and
        ``degree_distances``.
    nodes
        How many nodes the sample has, exactly.
    seed
        Settles every random choice.
    seeds
        From how many users the search starts.
    along
        ``followed``, as in Vitis ("nodes being followed by the selected nodes"), and the
        default: following is subscribing, so a node comes with the topics that it wants;
        ``follower``; or ``both``.
    session, master, settings
        Where it runs, as for :func:`gossamer.pipeline.spark_session`.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        If the tables cannot be used, or there are fewer users than nodes asked for. The
        folder is then as it was.

    Notes
    -----
    For N users with E relations: one shuffle of E to count degrees, one pass over E a level
    and one for the result. What is sent to every task is the sample's names.
    """
    check_sampling(nodes, seed, seeds, along)
    source = Folder.at(tables)
    target = Folder.at(out)
    place, schema = _input_table(source)
    _check_target(target, source)
    tell = progress or silent
    with (
        spark_session(session, master=master, settings=settings) as spark,
        discard_on_error(target),
    ):
        follows = _follows(spark, place, schema)
        job = Job(
            spark,
            target,
            JOB,
            inputs=[place],
            parameters={"nodes": nodes, "seeds": seeds, "along": along},
            seed=seed,
            progress=tell,
        )
        whole = job.fact("whole", lambda: _whole(job, follows, place, schema))
        if nodes > whole["nodes"]:
            raise ParameterError(f"{place.name}: {too_many(nodes, whole['nodes'])}")
        levels, relations = _take(job, follows, nodes, seed, seeds, along, tell)
        checks = _check(job, follows, levels, relations)
        counted = job.fact("levels", lambda: _by_level(levels))
        job.finish()
        return SampleResult(
            folder=target.name,
            full_nodes=whole["nodes"],
            full_relations=whole["relations"],
            nodes=job.rows(schemas.LEVELS.name),
            relations=job.rows(FOLLOWS.name),
            levels=tuple(counted),
            followers=checks["followers"],
            followed=checks["followed"],
        )


def _input_table(source: Folder) -> tuple[Folder, TableSchema]:
    if not source.exists():
        raise TableError(f"{source.name}: there is no such folder")
    for schema in (FOLLOWS, SUBSCRIPTIONS):
        found = table_in(source, schema.name)
        if found is not None:
            return found, schema
    there = ", ".join(source.children()) if source.is_folder() else "a file"
    raise TableError(
        f"{source.name}: has no table of follows, nor of subscriptions whose topics are nodes; "
        f"there is {there or 'nothing'}"
    )


def _check_target(target: Folder, source: Folder) -> None:
    """Refuse to write where tables of others would be lost."""
    if target.path.rstrip("/") == source.path.rstrip("/"):
        raise ParameterError(f"{target.name}: is what is read; expected another folder to write")
    if target.exists() and not target.is_folder():
        raise ParameterError(f"{target.name}: is a file; expected a folder")
    own = read_manifests(target).get(JOB) if target.exists() else None
    if own is None and table_in(target, FOLLOWS.name) is not None:
        raise ParameterError(
            f"{target.name}: has a table of follows that is no sample, and would be replaced; "
            "expected another folder"
        )


def _follows(spark: SparkSession, place: Folder, schema: TableSchema) -> DataFrame:
    frame = read_table(spark, place, schema)
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
    """Count the whole graph's users and relations, and refuse what is no such graph."""
    from pyspark.sql import functions as f

    job.progress("counting everybody's followers", 0.0)
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
        raise TableError(f"{place.name}: the table is empty; expected who follows whom")
    if schema is SUBSCRIPTIONS and not row["both"]:
        raise TableError(
            f"{place.name}: no topic is a node, so there is nobody to follow; expected a table "
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
    tell: Progress,
) -> tuple[DataFrame, DataFrame]:
    """Write who is in the sample, and the relations among them."""

    def keep(step: int, make: Callable[[], DataFrame]) -> tuple[DataFrame, int]:
        name = f"work/reached-{step}"
        frame = job.table(schemas.REACHED, make, name=name)
        rows = job.rows(name)
        tell(f"step {step}: {rows:,} of {nodes:,} users", rows / nodes)
        return frame, rows

    def searched() -> DataFrame:
        everybody = _users(job, follows)
        reached = breadth_first(
            follows, everybody, nodes=nodes, seed=seed, seeds=seeds, along=along, keep=keep
        )
        return reached.select("node", "level").orderBy("node")

    few = nodes <= MAX_TO_BROADCAST
    levels = job.table(schemas.LEVELS, searched)
    relations = job.table(FOLLOWS, lambda: relations_within(follows, levels, few=few))
    return levels, relations


def _check(
    job: Job, follows: DataFrame, levels: DataFrame, relations: DataFrame
) -> dict[str, ShapeCheck]:
    """Compare the sample's degrees with the whole graph's, and write what was found."""
    from pyspark.sql import functions as f

    def counted() -> DataFrame:
        degrees = levels.select("node").join(user_degrees(relations), "node", "left")
        inside = degrees.select(
            "node", *(f.coalesce(name, f.lit(0)).alias(name) for name in DIRECTIONS)
        )
        both = degree_counts(_users(job, follows), "full").unionByName(
            degree_counts(inside, "sample")
        )
        return both.coalesce(1).orderBy("graph", "direction", "degree")

    table = job.table(schemas.DEGREE_COUNTS, counted).toArrow()
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
    job.table(schemas.DEGREE_SHAPES, lambda: _frame(job, schemas.DEGREE_SHAPES, shapes))
    distances = [
        (kind, check.distance, check.rescaled_distance, check.verdict)
        for kind, check in checks.items()
    ]
    job.table(schemas.DEGREE_DISTANCES, lambda: _frame(job, schemas.DEGREE_DISTANCES, distances))
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


def _frame(job: Job, schema: TableSchema, rows: list[tuple[Any, ...]]) -> DataFrame:
    table = schema.table(*zip(*rows, strict=True))
    return job.session.createDataFrame(table).coalesce(1)


def _by_level(levels: DataFrame) -> list[int]:
    rows = levels.groupBy("level").count().orderBy("level").collect()
    return [row["count"] for row in rows]
