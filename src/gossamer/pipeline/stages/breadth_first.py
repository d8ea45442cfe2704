"""Breadth-first samples of a follower graph (Vitis §IV-E, ElastO §7.1).

The search starts at a few random users, follows their relations level by level until n users are
reached, and takes all relations between those. Random choices are by a hash of the seed and the
user's name, so the result does not depend on the partitions. Only the reached users are gathered,
never the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from gossamer.errors import ParameterError
from gossamer.random_stream import check_seed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Along = Literal["followed", "follower", "both"]
ALONG: tuple[Along, ...] = ("followed", "follower", "both")
Keep = Callable[[int, "Callable[[], DataFrame]"], "tuple[DataFrame, int]"]
"""Function from a step and the stage of its frame to the stored frame and its rows."""

MAX_TO_BROADCAST = 1_000_000


def seeded_order(seed: int, column: str = "node") -> list[Column]:
    """Return the keys of a random order that depends on the seed and the names only.

    The key is xxhash64 of the seed (as bigint) and the name (as string), then the name.
    """
    from pyspark.sql import functions as f

    name = f.col(column)
    return [f.xxhash64(f.lit(seed).cast("bigint"), name.cast("string")), name]


def seeds_among(
    users: DataFrame, count: int, *, seed: int, without: DataFrame | None = None, few: bool = True
) -> DataFrame:
    """Return ``node``: the first users in the seeded order, except those in ``without``."""
    found = users.select("node")
    if without is not None:
        found = found.join(_small(without.select("node"), few), "node", "left_anti")
    return found.orderBy(*seeded_order(seed)).limit(count)


def next_level(
    follows: DataFrame,
    reached: DataFrame,
    step: int,
    *,
    most: int,
    seed: int,
    along: Along = "followed",
    few: bool = True,
) -> DataFrame:
    """Return ``node``: new users one relation from those reached at ``step``.

    Of more than ``most`` users, the first in the seeded order. One pass over the relations, and
    a shuffle of the users found.

    Parameters
    ----------
    follows
        Frame ``follower, followed``.
    reached
        Frame ``node, step`` of the users so far.
    few
        Whether the users so far are few enough to be sent to every task.
    """
    from pyspark.sql import functions as f

    frontier = reached.where(f.col("step") == step)
    ways = {"followed": [("follower", "followed")], "follower": [("followed", "follower")]}
    found: DataFrame | None = None
    for source, target in ways.get(along, ways["followed"] + ways["follower"]):
        inside = _small(frontier.selectExpr(f"node AS {source}"), few)
        met = follows.join(inside, source, "left_semi").select(f.col(target).alias("node"))
        found = met if found is None else found.unionByName(met)
    assert found is not None
    fresh = found.join(_small(reached.select("node"), few), "node", "left_anti").distinct()
    return fresh.orderBy(*seeded_order(seed)).limit(most)


def breadth_first(
    follows: DataFrame,
    users: DataFrame,
    *,
    nodes: int,
    seed: int = 0,
    seeds: int = 10,
    along: Along = "followed",
    keep: Keep,
) -> DataFrame:
    """Search breadth-first until ``nodes`` users are reached, and store each step.

    A step is a level of the search, or new seeds if a level found no new user: as many as at
    first, and then twice as many each time, so that a graph of many small components takes few
    steps. The last step is cut to the missing number.

    Parameters
    ----------
    follows, users
        Frame ``follower, followed``, and frame ``node`` of its users: ``nodes`` or more.
    keep
        Function that stores the frame of each step.

    Returns
    -------
    DataFrame
        Frame ``node, level, step``; the level is the number of hops from the nearest seed.

    Notes
    -----
    One pass over the relations a level; the stored frames have ``nodes`` rows at most.
    """
    from pyspark.sql import functions as f

    def row(frame: DataFrame, level: int, step: int) -> DataFrame:
        columns = [f.lit(level).cast("int").alias("level"), f.lit(step).cast("int").alias("step")]
        return frame.select("node", *columns)

    wanted = min(seeds, nodes)
    level, step = 0, 0
    reached, count = keep(0, lambda: row(seeds_among(users, wanted, seed=seed), 0, 0))
    assert count == wanted, "there are fewer users than nodes"
    while count < nodes:
        before, last, few = count, step, count <= MAX_TO_BROADCAST
        level, step = level + 1, step + 1

        def search(
            so_far: DataFrame = reached,
            last: int = last,
            level: int = level,
            most: int = nodes - count,
            few: bool = few,
        ) -> DataFrame:
            found = next_level(follows, so_far, last, most=most, seed=seed, along=along, few=few)
            return so_far.unionByName(row(found, level, last + 1))

        reached, count = keep(step, search)
        if count > before:
            continue
        level, step = 0, step + 1

        def seed_again(
            so_far: DataFrame = reached,
            step: int = step,
            wanted: int = min(wanted, nodes - count),
            few: bool = few,
        ) -> DataFrame:
            found = seeds_among(users, wanted, seed=seed, without=so_far, few=few)
            return so_far.unionByName(row(found, 0, step))

        reached, count = keep(step, seed_again)
        assert count > before, "there are fewer users than nodes"
        wanted *= 2
    return reached


def all_users(follows: DataFrame) -> DataFrame:
    """Return ``node``: all users who follow or are followed."""
    return (
        follows.selectExpr("follower AS node")
        .unionByName(follows.selectExpr("followed AS node"))
        .distinct()
    )


def relations_within(follows: DataFrame, chosen: DataFrame, *, few: bool = True) -> DataFrame:
    """Return the relations between chosen nodes, each once, sorted: ``follower, followed``."""
    within = follows
    for end in ("follower", "followed"):
        inside = _small(chosen.selectExpr(f"node AS {end}"), few)
        within = within.join(inside, end, "left_semi")
    return within.select("follower", "followed").distinct().orderBy("follower", "followed")


def check_sampling(nodes: int, seed: int, seeds: int, along: str) -> None:
    """Check the parameters of a sample."""
    if nodes < 1:
        raise ParameterError(f"nodes is {nodes}; expected 1 or more")
    if seeds < 1:
        raise ParameterError(f"seeds is {seeds}; expected 1 or more users to start from")
    check_seed(seed, bits=63)
    if along not in ALONG:
        raise ParameterError(f"along is {along!r}; expected one of {', '.join(ALONG)}")


def too_many(nodes: int, users: int) -> str:
    """Return the message for more nodes than the graph has users."""
    return f"nodes is {nodes:,}; expected {users:,} or fewer, as many as the graph has users"


def _small(frame: DataFrame, few: bool) -> DataFrame:
    from pyspark.sql import functions as f

    return f.broadcast(frame) if few else frame
