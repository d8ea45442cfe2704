"""Profiles equal plain counts, whatever the partitions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.pipeline import profile, read_manifests
from gossamer.pipeline.stages.correlation import choose_nodes, overlaps_with_all
from gossamer.pipeline.stages.interests import node_interests, topic_popularity
from gossamer.pipeline.stages.presence import arrivals, session_lengths, whole_sessions
from gossamer.pipeline.stages.publications import co_topics, topic_publications
from gossamer.quality import top_intersection
from gossamer.quality.distributions import Histogram
from gossamer.tables.schema import FOLLOWS, PUBLICATIONS, RATES, SESSIONS, SUBSCRIPTIONS
from gossamer.time import HOUR
from tests.cli.conftest import Invoke, invoke

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["invoke"]

WANTS = sorted(
    {
        (f"n{v}", f"t{(v * step + v // 7) % (5 + v % 11)}")
        for v in range(60)
        for step in range(1, 2 + v % 5)
    }
)
PUBLISHED = [
    (1_000_000 * k * k, k, [f"t{k % 3}", f"t{k % 5}"] + (["t1", "news"] if k % 4 == 0 else []))
    for k in range(30)
] + [(900_000_000, 99, [])]
SESSION_ROWS = [(v, 3 * HOUR * v, 3 * HOUR * v + (v + 1) * HOUR // 3) for v in range(8)] + [
    (0, 10 * HOUR, 12 * HOUR),
    (0, 11 * HOUR, 15 * HOUR),  # overlaps the one before
    (0, 15 * HOUR, 16 * HOUR),  # and touches
    (1, 20 * HOUR, 20 * HOUR),  # no node is present
    (2, 0, 24 * HOUR),
]


def write(place: Path, schema: Any, rows: list[tuple[Any, ...]]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    columns = [
        pa.array([row[at] for row in rows], kind if isinstance(kind, pa.DataType) else None)
        for at, (_, kind) in enumerate(schema.columns)
    ]
    pa.parquet.write_table(schema.table(*columns), place)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    for part in range(3):
        rows = [*WANTS[part::3], *WANTS[:4]]  # some of them more than once
        write(folder / "subscriptions" / f"{part}.parquet", SUBSCRIPTIONS, list(rows))
    write(folder / "publications.parquet", PUBLICATIONS, PUBLISHED)
    write(folder / "sessions.parquet", SESSIONS, SESSION_ROWS)
    return folder


def counts(histogram: Histogram) -> dict[int, int]:
    return dict(zip(histogram.values.tolist(), histogram.counts.tolist(), strict=True))


def interests_of(pairs: list[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node, topic in pairs:
        found.setdefault(node, set()).add(topic)
    return found


def test_profile_of_all_tables_of_a_folder(
    spark: SparkSession, tables: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    found = profile(tables, out, seed=4, session=spark)
    _check_interests(found)
    _check_publications(found)
    _check_sessions(found)
    facts = {
        (row["part"], row["fact"]): row["value"]
        for row in pa.parquet.read_table(out / "profile_facts").to_pylist()
    }
    assert facts["interests", "subscriptions"] == len(WANTS)
    assert facts.keys() == {(part, name) for part, named in found.facts().items() for name in named}
    ccdf = pa.parquet.read_table(out / "profile_topics_per_node").to_pylist()
    assert ccdf[0]["share_at_least"] == 1
    names = set(read_manifests(out)["profile"].tables)
    assert all(name.startswith("profile_") for name in names)
    assert {path.name for path in out.iterdir() if path.name[0] not in "._"} == names
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    again = profile(tables, out, seed=4, session=spark)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    assert again.facts() == found.facts()
    assert again.publications is not None
    assert again.publications.pairs == found.publications.pairs  # type: ignore[union-attr]


def _check_interests(found: Any) -> None:
    wants = interests_of(WANTS)
    popularity = Counter(topic for _, topic in WANTS)
    part = found.interests
    assert (part.nodes, part.topics, part.subscriptions) == (60, len(popularity), len(WANTS))
    assert counts(part.per_node.histogram) == Counter(map(len, wants.values()))
    assert counts(part.per_topic.histogram) == Counter(popularity.values())
    assert list(part.top_topics) == sorted(popularity.items(), key=lambda it: (-it[1], it[0]))[:20]
    alike = found.correlation
    assert alike.compared == 60
    model = Interests.from_lists(wants)
    for depth, value in alike.top_intersections:
        assert value == pytest.approx(top_intersection(model, depth), rel=1e-12)
    pairs = list(combinations(wants.values(), 2))
    shared = [len(one & other) for one, other in pairs]
    jaccard = [len(one & other) / len(one | other) for one, other in pairs]
    some = sum(number > 0 for number in shared)
    assert alike.sharing_pairs == pytest.approx(some / len(pairs))
    assert alike.mean_shared == pytest.approx(np.mean(shared))
    assert alike.mean_jaccard == pytest.approx(np.mean(jaccard))
    assert alike.mean_shared_if_any == pytest.approx(sum(shared) / some)
    assert alike.mean_jaccard_if_any == pytest.approx(sum(jaccard) / some)


def _check_publications(found: Any) -> None:
    sets = [set(topics) for _, _, topics in PUBLISHED]
    busy = Counter(topic for topics in sets for topic in topics)
    together = Counter(pair for topics in sets for pair in combinations(sorted(topics), 2))
    part = found.publications
    assert (part.publications, part.seconds) == (31, 900)
    assert part.per_second == 31 / 900
    assert counts(part.per_topic.histogram) == Counter(busy.values())
    assert counts(part.per_publication.histogram) == Counter(map(len, sets))
    assert list(part.top_topics) == sorted(busy.items(), key=lambda item: (-item[1], item[0]))
    ranked = sorted(together.items(), key=lambda item: (-item[1], item[0]))
    assert list(part.pairs) == [(*pair, count) for pair, count in ranked][:50]


def _check_sessions(found: Any) -> None:
    merged = [row for row in SESSION_ROWS if row[0] != 0 and row[1] < row[2]]
    merged = [row for row in merged if row[0] != 2] + [(2, 0, 24 * HOUR)]
    merged += [(0, 0, HOUR // 3), (0, 10 * HOUR, 16 * HOUR)]
    part = found.sessions
    assert (part.sessions, part.nodes) == (len(merged), 8)
    end = max(row[2] for row in merged)
    assert part.hours == pytest.approx(end / HOUR)
    joins = sum(start > 0 for _, start, _ in merged)
    leaves = sum(stop < end for _, _, stop in merged)
    assert (part.joins, part.leaves) == (joins, leaves)
    assert part.node_hours == pytest.approx(sum(b - a for _, a, b in merged) / HOUR)
    assert part.churn_per_hour == pytest.approx((joins + leaves) / part.node_hours)
    lengths = [_four_digits(stop - start) for _, start, stop in merged]
    assert counts(part.lengths.histogram) == Counter(lengths)
    assert part.times[0] == 0
    assert part.times[-1] >= end
    for time, present in zip(part.times.tolist(), part.present.tolist(), strict=True):
        assert present == sum(start <= time < stop for _, start, stop in merged)


def _four_digits(number: int) -> int:
    return int(str(number)[:4].ljust(len(str(number)), "0"))


@pytest.mark.parametrize("partitions", [1, 5])
def test_correlation_of_some_nodes_with_all_others(spark: SparkSession, partitions: int) -> None:
    frame = spark.createDataFrame(WANTS, ["node", "topic"]).repartition(partitions)
    interests = node_interests(frame).repartition(partitions)
    popularity = topic_popularity(interests)
    chosen = choose_nodes(interests, popularity, seed=9, most=7)
    assert len(chosen.names) == 7
    wants = interests_of(WANTS)
    found = overlaps_with_all(interests, chosen, 3)
    for at, name in enumerate(chosen.names.to_pylist()):
        mine = wants[name]
        others = [one for other, one in wants.items() if other != name]
        overlaps = sorted(len(one & mine) / min(len(one), len(mine)) for one in others)
        assert found.highest[at].tolist() == overlaps[:-4:-1]
        assert found.shared[at] == sum(len(one & mine) for one in others)
        assert found.partners[at] == sum(bool(one & mine) for one in others)
    fewer = choose_nodes(interests, popularity, seed=9, most=7, comparisons=40)
    names = chosen.names.to_pylist()
    popular = Counter(topic for _, topic in WANTS)
    work = np.cumsum([sum(popular[topic] for topic in wants[name]) for name in names])
    assert fewer.names.to_pylist() == names[: max(1, int((work <= 40).sum()))]
    assert len(choose_nodes(interests, popularity, seed=9, comparisons=1).names) == 1


def test_profile_of_a_follower_graph(spark: SparkSession, tmp_path: Path) -> None:
    pairs = [(v, (v * v + k) % 17) for v in range(12) for k in range(v % 4)]
    write(tmp_path / "tables" / "follows.parquet", FOLLOWS, list(pairs))
    found = profile(tmp_path / "tables", session=spark)
    users = sorted({name for pair in pairs for name in pair})
    places = {name: at for at, name in enumerate(users)}
    model = Interests.from_ids(
        np.array([places[a] for a, _ in pairs]),
        np.array([places[b] for _, b in pairs]),
        node_names=np.array(users),
        topic_names=np.array(users),
    )
    assert found.interests is not None
    assert found.correlation is not None
    assert found.publications is None
    assert found.sessions is None
    assert found.interests.nodes == found.interests.topics == len(users)
    sizes, popularity = model.subscription_sizes.tolist(), model.popularity.tolist()
    assert counts(found.interests.per_node.histogram) == Counter(sizes)
    assert counts(found.interests.per_topic.histogram) == Counter(popularity)
    for depth, value in found.correlation.top_intersections:
        assert value == pytest.approx(top_intersection(model, depth), rel=1e-12)
    # The table alone says the same as the folder that it is in.
    alone = profile(tmp_path / "tables" / "follows.parquet", session=spark)
    assert alone.facts() == found.facts()


def test_profile_of_rates_without_publications(spark: SparkSession, tmp_path: Path) -> None:
    rows = [("tea", 60, 0.5), ("jazz", 30, 0.25), ("chess", 0, 0.0)]
    write(tmp_path / "rates.parquet", RATES, list(rows))
    found = profile(tmp_path, session=spark)
    assert list(found.facts()) == ["publications"]
    assert found.publications is not None
    assert found.publications.per_second == 0.75
    assert found.publications.top_topics == (("tea", 60), ("jazz", 30), ("chess", 0))
    assert counts(found.publications.per_topic.histogram) == {0: 1, 30: 1, 60: 1}


def test_stages_of_a_profile(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(["b", "a", "b", None],), (["a"],), (None,), ([f"x{k}" for k in range(51)],)],
        "topics array<string>",
    )
    rows = {row["topic"]: row["publications"] for row in topic_publications(frame).collect()}
    assert (rows["a"], rows["b"], rows["x7"]) == (2, 1, 1)
    assert [tuple(row) for row in co_topics(frame, 9).collect()] == [("a", "b", 1)]
    sessions = spark.createDataFrame(
        [(1, 0, 12_345), (1, 12_345, 20_000), (2, 5, 9)], "node int, start bigint, end bigint"
    )
    whole = whole_sessions(sessions)
    assert sorted(map(tuple, whole.collect())) == [(1, 0, 20_000), (2, 5, 9)]
    assert sorted(map(tuple, session_lengths(sessions).collect())) == [
        (4, 1),
        (7655, 1),
        (12_340, 1),
    ]
    moves = {row["interval"]: row for row in arrivals(whole, start=0, step=5).collect()}
    assert (moves[0]["joins"], moves[1]["joins"], moves[2]["leaves"]) == (1, 1, 1)


def test_bad_tables_cannot_be_profiled(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def refuses(says: str, place: Path, **options: Any) -> None:
        with pytest.raises((TableError, ParameterError), match=says):
            profile(place, out, session=spark, **options)
        assert not out.exists()

    refuses("there is no such file or folder", tmp_path / "nowhere")
    (tmp_path / "bare").mkdir()
    refuses("has no subscriptions, follows, .* there is nothing", tmp_path / "bare")
    for schema, rows, says in (
        (SUBSCRIPTIONS, [("a", None), ("b", "t")], "1 rows have no topic"),
        (SESSIONS, [(1, 5, 3)], "1 sessions end before they start"),
        (SESSIONS, [(1, 5, 5)], "no session has a length"),
        (RATES, [("t", 1, -0.5)], "a rate is -0.5; expected 0 or more"),
    ):
        place = tmp_path / says.replace(" ", "-")
        write(place / f"{schema.name}.parquet", schema, list(rows))
        refuses(says, place)
    empty = pa.table({"time": pa.array([], pa.int64()), "publication": pa.array([], pa.int64())})
    none = empty.append_column("topics", pa.array([], pa.list_(pa.string())))
    (tmp_path / "empty").mkdir()
    pa.parquet.write_table(none, tmp_path / "empty" / "publications.parquet")
    refuses("the table is empty", tmp_path / "empty")
    refuses("seed is -1", tmp_path / "empty", seed=-1)
    refuses("compared is 0", tmp_path / "empty", compared=0)


def test_profile_command(spark: SparkSession, tables: Path, tmp_path: Path, invoke: Invoke) -> None:
    out = tmp_path / "out"
    shown = invoke("profile", tables, "--out", out).works().out
    for words in (
        "tdi(20), %",
        "joins and leaves per hour",
        "Most frequent pairs of topics",
        "subscribers",
    ):
        assert words in shown
    for name in ("interests", "publications", "sessions"):
        path = out / f"profile_{name}.png"
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.name in shown
    invoke("profile", tmp_path / "nowhere").fails("there is no such file or folder")
