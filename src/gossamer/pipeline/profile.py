"""The profile job: distributions, correlation and churn of a workload, in small tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_parquet, read_table
from gossamer.pipeline.inputs import subscriptions_in, table_in
from gossamer.pipeline.jobs import Job, discard_on_error
from gossamer.pipeline.profile_parts import (
    Results,
    interest_parts,
    publication_part,
    rate_part,
    session_part,
    write_numbers,
)
from gossamer.pipeline.session import spark_session
from gossamer.pipeline.sources.files import is_parquet
from gossamer.pipeline.stages.correlation import (
    MAX_CHOSEN,
    MAX_COMPARISONS,
    ChosenNodes,
    choose_nodes,
)
from gossamer.progress import Progress, silent
from gossamer.quality.profiles import WorkloadProfile
from gossamer.random_stream import check_seed
from gossamer.tables.schema import FOLLOWS, PUBLICATIONS, RATES, SESSIONS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

JOB = "profile"


def profile(
    tables: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    compared: int = MAX_CHOSEN,
    comparisons: int = MAX_COMPARISONS,
    node_column: str = "node",
    topic_column: str = "topic",
    delimiter: str | None = None,
    session: SparkSession | None = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> WorkloadProfile:
    """Summarise a workload: interests, their correlation, publications, sessions.

    Each table that the folder has is profiled: ``subscriptions`` or else ``follows`` (in which
    each user is a node and a topic), ``publications`` or else ``rates``, and ``sessions``.

    Parameters
    ----------
    tables
        Folder of tables, or a table of subscriptions or follows.
    out
        Folder of the small tables ``profile_…``; by default none is written.
    seed
        Seed of the choice of nodes to compare with all others.
    compared
        Maximum number of those nodes. If the workload has no more nodes, tdi(d) is that of
        :func:`gossamer.top_intersection`.
    comparisons
        Maximum number of pairs of subscribers of a topic that are visited; with very popular
        topics, fewer nodes are compared.
    node_column, topic_column, delimiter
        Columns of a table of subscriptions that is not in a folder of tables, and the field
        separator of a text table; detected by default.
    session, master, settings
        Spark session; see :func:`gossamer.pipeline.spark_session`.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    InputError
        If there is no table to profile, or a table is bad.

    Notes
    -----
    For S subscriptions of N nodes: one shuffle of S by node and one by topic, and one pass to
    compare, whose work is at most S plus ``comparisons``. Publications are shuffled once for each
    count, sessions once by node.
    """
    check_seed(seed, bits=63)
    for name, number in (("compared", compared), ("comparisons", comparisons)):
        if number < 1:
            raise ParameterError(f"{name} is {number}; expected 1 or more")
    source = Folder.at(tables)
    if not source.exists():
        raise TableError(f"{source.name}: there is no such file or folder")
    target = None if out is None else Folder.at(out)
    found = _tables(source)
    with (
        spark_session(session, master=master, settings=settings, progress=progress) as spark,
        discard_on_error(target),
    ):
        choose = partial(choose_nodes, seed=seed, most=compared, comparisons=comparisons)
        columns = {
            "node_column": node_column, "topic_column": topic_column, "delimiter": delimiter,
        }  # fmt: skip
        parts = _parts(spark, source, found, choose, columns)
        job = None
        if target is not None:
            job = Job(
                spark,
                target,
                JOB,
                inputs=list(found.values()),
                parameters={"compared": compared, "comparisons": comparisons, **columns},
                seed=seed,
                progress=progress,
            )
        results = Results(job, progress or silent)
        try:
            profiles: dict[str, Any] = {}
            for part in parts:
                profiles |= part(results)
            whole = WorkloadProfile(source.name, **profiles)
            write_numbers(whole, results.table)
        finally:
            results.release()
        if job is not None:
            job.finish()
        return whole


def _tables(source: Folder) -> dict[str, Folder]:
    """Find the tables, of alternatives the first."""
    found: dict[str, Folder] = {}
    for names in (
        (SUBSCRIPTIONS.name, FOLLOWS.name),
        (PUBLICATIONS.name, RATES.name),
        (SESSIONS.name,),
    ):
        for name in names:
            place = table_in(source, name)
            if place is not None:
                found[name] = place
                break
    if not found:
        if source.is_folder() and not any(n.endswith(".parquet") for n in source.children()):
            listed = ", ".join(source.children()[:10]) or "nothing"
            raise TableError(
                f"{source.name}: has no subscriptions, follows, publications, rates or sessions; "
                f"there is {listed}"
            )
        found[SUBSCRIPTIONS.name] = source
    return found


def _parts(
    spark: SparkSession,
    source: Folder,
    found: Mapping[str, Folder],
    choose: Callable[[DataFrame, DataFrame], ChosenNodes],
    columns: Mapping[str, Any],
) -> list[Callable[[Results], dict[str, Any]]]:
    """Read all tables, and return the function that profiles each."""
    parts: list[Callable[[Results], dict[str, Any]]] = []
    users = found.get(SUBSCRIPTIONS.name) or found.get(FOLLOWS.name)
    if users is not None:
        wanted = subscriptions_in(spark, source, **columns)
        # Once read as subscriptions, a table of follows cannot be recognised.
        follows = FOLLOWS.name in found or (
            (users.is_folder() or is_parquet(users))
            and set(FOLLOWS.column_names) <= set(read_parquet(spark, users).columns)
        )
        if follows and len({kind for _, kind in wanted.dtypes}) > 1:
            raise TableError(f"{users.name}: follower and followed are not of one type")

        def interests(results: Results) -> dict[str, Any]:
            one, other = interest_parts(
                results, wanted, what=users.name, topics_are_nodes=follows, choose=choose
            )
            return {"interests": one, "correlation": other}

        parts.append(interests)
    if PUBLICATIONS.name in found:
        place = found[PUBLICATIONS.name]
        published = read_table(spark, place, PUBLICATIONS)
        parts.append(
            lambda results: {"publications": publication_part(results, published, what=place.name)}
        )
    elif RATES.name in found:
        where = found[RATES.name]
        rates = read_table(spark, where, RATES)
        parts.append(lambda results: {"publications": rate_part(results, rates, what=where.name)})
    if SESSIONS.name in found:
        log = found[SESSIONS.name]
        sessions = read_table(spark, log, SESSIONS)
        parts.append(lambda results: {"sessions": session_part(results, sessions, what=log.name)})
    return parts
