"""Breadth-first samples equal a naive search over sets, whatever the partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.pipeline import Folder, read_manifests, read_table, sample
from gossamer.pipeline.sample_schema import DEGREE_COUNTS, DEGREE_DISTANCES, DEGREE_SHAPES, LEVELS
from gossamer.pipeline.stages.breadth_first import (
    Along,
    all_users,
    breadth_first,
    check_sampling,
    relations_within,
    seeded_order,
    too_many,
)
from gossamer.pipeline.stages.degrees import user_degrees
from gossamer.tables.schema import FOLLOWS, SUBSCRIPTIONS
from gossamer.workloads import sample_followers
from tests.cli.conftest import Invoke, invoke

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["invoke"]

Pairs = list[tuple[Any, Any]]


def breadth_first_sample(
    follows: DataFrame, *, nodes: int, seed: int = 0, seeds: int = 10, along: Along = "followed"
) -> DataFrame:
    """Return ``node, level`` of a breadth-first sample, from frame to frame."""
    check_sampling(nodes, seed, seeds, along)
    users = all_users(follows)
    count = users.count()
    if nodes > count:
        raise ParameterError(too_many(nodes, count))

    def keep(_: int, make: Callable[[], DataFrame]) -> tuple[DataFrame, int]:
        table = make().toArrow()
        return follows.sparkSession.createDataFrame(table), table.num_rows

    reached = breadth_first(
        follows, users, nodes=nodes, seed=seed, seeds=seeds, along=along, keep=keep
    )
    return reached.select("node", "level")


def a_graph() -> Pairs:
    """Two larger components, a pair, a triangle, a user who follows itself, and repeats."""
    pairs = [(v, (v * v + 3 * k) % 40) for v in range(40) for k in range(v % 4)]
    pairs += [(100 + v, 100 + (v + step) % 12) for v in range(12) for step in (1, 5)]
    pairs += [(200, 201), (210, 211), (211, 212), (212, 210), (220, 220)]
    return pairs + pairs[:7]


def in_order(spark: SparkSession, names: set[Any], seed: int) -> list[Any]:
    """The seeded order, with hashes from Spark itself."""
    return _in_order(spark, frozenset(names), seed)


@cache
def _in_order(spark: SparkSession, names: frozenset[Any], seed: int) -> list[Any]:
    frame = spark.createDataFrame([(name,) for name in names], ["node"])
    return [row["node"] for row in frame.orderBy(*seeded_order(seed)).collect()]


def naive_sample(
    pairs: Pairs, order: list[Any], nodes: int, seeds: int, along: str
) -> dict[Any, int]:
    """Search over sets, the same order deciding seeds and who is cut."""
    place = {name: at for at, name in enumerate(order)}
    levels: dict[Any, int] = {}
    frontier: set[Any] = set()
    level, wanted, first = 0, seeds, True
    while len(levels) < nodes:
        found = {b for a, b in pairs if a in frontier} if along != "follower" else set()
        if along != "followed":
            found |= {a for a, b in pairs if b in frontier}
        found -= levels.keys()
        level += 1
        if not found:
            level = 0
            found = set([name for name in order if name not in levels][:wanted])
            wanted, first = (wanted if first else 2 * wanted), False
        taken = sorted(found, key=place.__getitem__)[: nodes - len(levels)]
        levels |= dict.fromkeys(taken, level)
        frontier = set(taken)
    return levels


def written(folder: Path, name: str) -> list[tuple[Any, ...]]:
    table = pa.parquet.read_table(folder / name)
    return sorted(tuple(row.values()) for row in table.to_pylist())


def write_follows(folder: Path, pairs: Pairs, files: int = 1) -> Path:
    place = folder / "follows"
    place.mkdir(parents=True)
    for file in range(files):
        part = pairs[file::files]
        columns = [pa.array([pair[end] for pair in part]) for end in (0, 1)]
        pa.parquet.write_table(FOLLOWS.table(*columns), place / f"{file}.parquet")
    return folder


@pytest.mark.parametrize(
    ("along", "nodes", "seeds", "seed"),
    [("followed", 24, 6, 7), ("follower", 12, 1, 0), ("both", 16, 2, 0), ("both", 1, 10, 1)],
)
def test_breadth_first_search_equals_the_naive_one(
    spark: SparkSession, along: Along, nodes: int, seeds: int, seed: int
) -> None:
    pairs = a_graph()
    order = in_order(spark, {name for pair in pairs for name in pair}, seed)
    frame = (
        spark.createDataFrame(pairs, ["follower", "followed"]).repartition(3, "followed").cache()
    )
    found = breadth_first_sample(frame, nodes=nodes, seed=seed, seeds=seeds, along=along)
    rows = {row["node"]: row["level"] for row in found.collect()}
    assert rows == naive_sample(pairs, order, nodes, seeds, along)
    assert len(rows) == nodes


def test_sample_does_not_depend_on_partitions(spark: SparkSession) -> None:
    pairs = [(f"user {a}", f"user {b}") for a, b in a_graph()]
    order = in_order(spark, {name for pair in pairs for name in pair}, 3)
    frame = spark.createDataFrame(pairs[::-1], ["follower", "followed"]).repartition(7).cache()
    chosen = breadth_first_sample(frame, nodes=16, seed=3, seeds=4)
    expected = naive_sample(pairs, order, 16, 4, "followed")
    assert {row["node"]: row["level"] for row in chosen.collect()} == expected
    for few in (False, True):
        inside = relations_within(frame, chosen, few=few).collect()
        assert [tuple(row) for row in inside] == sorted(
            {(a, b) for a, b in pairs if a in expected and b in expected}
        )


@pytest.mark.parametrize(
    ("seed", "name_of"),
    [(0, int), (2**63 - 1, "Ünïcödé {:>40}".format)],
    ids=["numbers", "texts"],
)
def test_sample_equals_that_in_memory(
    spark: SparkSession, seed: int, name_of: Callable[[int], Any]
) -> None:
    pairs = [(name_of(a), name_of(b)) for a, b in a_graph()]
    frame = spark.createDataFrame(pairs, ["follower", "followed"]).cache()
    chosen = breadth_first_sample(frame, nodes=20, seed=seed, seeds=4)
    inside = {tuple(row) for row in relations_within(frame, chosen).collect()}
    graph = Interests.from_pairs(*(list(column) for column in zip(*pairs, strict=True)))
    found = sample_followers(graph, 20, seed=seed, starts=4)
    names = found.node_names
    assert names.tolist() == sorted(row["node"] for row in chosen.collect())
    rows = zip(names[found.node_column], names[found.node_topics], strict=True)
    assert set(rows) == inside


def test_degrees_count_distinct_relations(spark: SparkSession) -> None:
    pairs = a_graph()
    frame = spark.createDataFrame(pairs, ["follower", "followed"]).cache()
    found = {
        row["node"]: (row["followers"], row["followed"]) for row in user_degrees(frame).collect()
    }
    inward, outward = Counter(b for _, b in set(pairs)), Counter(a for a, _ in set(pairs))
    assert found == {v: (inward[v], outward[v]) for v in {*inward, *outward}}


def test_sample_job_writes_tables(spark: SparkSession, tmp_path: Path) -> None:
    pairs = a_graph()
    tables = write_follows(tmp_path / "tables", pairs, files=3)
    out = tmp_path / "out"
    steps: list[str] = []
    found = sample(
        tables, out, nodes=20, seed=5, seeds=5, session=spark, progress=lambda s, _: steps.append(s)
    )
    order = in_order(spark, {name for pair in pairs for name in pair}, 5)
    levels = naive_sample(pairs, order, 20, 5, "followed")
    inside = {(a, b) for a, b in pairs if a in levels and b in levels}
    assert written(out, "levels") == sorted(levels.items())
    assert written(out, "follows") == sorted(inside)
    full = {name for pair in pairs for name in pair}
    assert (found.nodes, found.relations) == (20, len(inside))
    assert (found.full_nodes, found.full_relations) == (len(full), len(set(pairs)))
    assert found.levels == tuple(n for _, n in sorted(Counter(levels.values()).items()))
    for kind, check, end in (("followers", found.followers, 1), ("followed", found.followed, 0)):
        for graph, users, edges, one in (
            ("full", full, set(pairs), check.full),
            ("sample", set(levels), inside, check.sample),
        ):
            degrees = Counter(pair[end] for pair in edges)
            counts = Counter(degrees[name] for name in users)
            rows = [row[2:] for row in written(out, "degree_counts") if row[:2] == (graph, kind)]
            assert rows == sorted(counts.items())
            assert one.histogram.total == len(users)
    assert any("20 of 20 users" in stage for stage in steps)
    for schema in (LEVELS, FOLLOWS, DEGREE_COUNTS, DEGREE_SHAPES, DEGREE_DISTANCES):
        assert read_table(spark, Folder.at(out) / schema.name, schema).count() > 0
    manifest = read_manifests(out)["sample"]
    assert manifest.finished
    assert not any(name.startswith("work/") for name in manifest.tables)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    again = sample(tables, out, nodes=20, seed=5, seeds=5, session=spark)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    assert again.levels == found.levels
    assert again.followers.verdict == found.followers.verdict


def test_interrupted_search_resumes(spark: SparkSession, tmp_path: Path) -> None:
    tables = write_follows(tmp_path / "tables", a_graph())

    class StoppedError(Exception):
        pass

    def stop(stage: str, _: float) -> None:
        if stage.startswith("step 2"):
            raise StoppedError

    with pytest.raises(StoppedError):
        sample(tables, tmp_path / "out", nodes=20, seeds=3, session=spark, progress=stop)
    steps: list[str] = []
    out = tmp_path / "out"
    sample(tables, out, nodes=20, seeds=3, session=spark, progress=lambda s, _: steps.append(s))
    assert "writing work/reached-2" not in steps
    assert "writing work/reached-3" in steps
    order = in_order(spark, {name for pair in a_graph() for name in pair}, 0)
    levels = naive_sample(a_graph(), order, 20, 3, "followed")
    assert written(out, "levels") == sorted(levels.items())


def test_subscriptions_to_nodes_are_relations(spark: SparkSession, tmp_path: Path) -> None:
    pairs = a_graph()
    (tmp_path / "tables").mkdir()
    columns = [pa.array([pair[end] for pair in pairs]) for end in (0, 1)]
    pa.parquet.write_table(
        SUBSCRIPTIONS.table(*columns), tmp_path / "tables" / "subscriptions.parquet"
    )
    found = sample(
        tmp_path / "tables", tmp_path / "out", nodes=53, seeds=45, along="both", session=spark
    )
    assert found.nodes == found.full_nodes == 53
    assert written(tmp_path / "out", "follows") == sorted(set(pairs))
    assert found.followers.distance == 0


def test_bad_tables_cannot_be_sampled(spark: SparkSession, tmp_path: Path) -> None:
    tables = write_follows(tmp_path / "tables", a_graph())
    out = tmp_path / "out"

    def refuses(kind: type[Exception], says: str, place: Path = tables, **options: Any) -> None:
        arguments: dict[str, Any] = {"nodes": 5, "session": spark} | options
        with pytest.raises(kind, match=says):
            sample(place, out, **arguments)
        assert not out.exists()

    refuses(ParameterError, "nodes is 0; expected 1 or more", nodes=0)
    refuses(ParameterError, "seeds is 0", seeds=0)
    refuses(ParameterError, "seed is -1", seed=-1)
    refuses(ParameterError, "along is 'sideways'; expected one of", along="sideways")
    refuses(ParameterError, r"follows: nodes is 1,000; expected 53 or fewer", nodes=1000)
    refuses(TableError, "there is no such folder", tmp_path / "nowhere")
    (tmp_path / "bare").mkdir()
    refuses(TableError, "has no table of follows.*there is nothing", tmp_path / "bare")
    empty = write_follows(tmp_path / "empty", [(1, 2)])
    pa.parquet.write_table(
        pa.table({"follower": pa.array([], pa.int64()), "followed": pa.array([], pa.int64())}),
        empty / "follows" / "0.parquet",
    )
    refuses(TableError, "the table is empty", empty)
    refuses(TableError, "rows without a name", write_follows(tmp_path / "n", [(1, 2), (None, 3)]))
    refuses(
        TableError,
        "follower is bigint and followed string",
        write_follows(tmp_path / "mixed", [(1, "a"), (2, "b")]),
    )
    (tmp_path / "tags").mkdir()
    pa.parquet.write_table(
        SUBSCRIPTIONS.table(pa.array(["ann", "bob"]), pa.array(["tea", "tea"])),
        tmp_path / "tags" / "subscriptions.parquet",
    )
    refuses(TableError, "no topic is a node", tmp_path / "tags", nodes=1)
    with pytest.raises(ParameterError, match="is the input"):
        sample(tables, tables, nodes=5, session=spark)
    other = write_follows(tmp_path / "other", [(1, 2)])
    with pytest.raises(ParameterError, match="has a table of follows that is not a sample"):
        sample(tables, other, nodes=5, session=spark)
    assert written(other, "follows") == [(1, 2)]
    frame = spark.createDataFrame([(1, 2)], ["follower", "followed"])
    with pytest.raises(ParameterError, match="nodes is 3; expected 2 or fewer"):
        breadth_first_sample(frame, nodes=3)


def test_sample_command(spark: SparkSession, tmp_path: Path, invoke: Invoke) -> None:
    tables = write_follows(tmp_path / "tables", a_graph())
    out = tmp_path / "out"
    shown = invoke("sample", tables, "--nodes", 14, "--seed", 5, "--out", out).works().out
    assert "14 of 53" in shown
    assert "followers, sample" in shown
    assert "followed: the shape is" in shown
    assert f"wrote {out}, {out / 'degrees.png'}\n" in shown
    assert (out / "degrees.png").read_bytes().startswith(b"\x89PNG")
    invoke("sample", tables, "--nodes", 54, "--out", tmp_path / "more").fails(
        "expected 53 or fewer"
    )
    assert not (tmp_path / "more").exists()
