"""Each source on Spark: tables of good lines, and reasons of bad ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import TableError
from gossamer.pipeline import ingest
from gossamer.pipeline.frames import read_table
from gossamer.pipeline.ingest import Ingestion, measure, records_frame, typed_records
from gossamer.pipeline.sources import find_source, sources
from gossamer.tables import write_machine_events
from gossamer.tables.schema import REJECTED
from gossamer.workloads import machine_events
from tests.unit.test_tables_times import DATES, NO_DATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = list[tuple[Any, ...]]


class Parsed:
    """What a source makes of a text, without writing anything."""

    def __init__(self, session: SparkSession, path: Path, source: str, **options: Any) -> None:
        plan = Ingestion.plan(source, path, **options)
        records = records_frame(session, plan.spec, plan.layouts)
        self.measured = measure(records, plan.spec)
        usable = typed_records(records.where("reason IS NULL"), plan.spec, self.measured)
        schema, stage = plan.spec.tables[0]
        table = stage(usable, self.measured, {}).select(*schema.column_names)
        self.types = [kind for _, kind in table.dtypes]
        self.rows: Rows = sorted(tuple(row) for row in table.collect())
        bad = records.where("reason IS NOT NULL").select("line", "reason", "file")
        self.bad = {row["line"]: row["reason"] for row in bad.collect()}
        self.notes = plan.spec.notes(self.measured, {schema.name: len(self.rows)})


@pytest.mark.parametrize("name", sources())
def test_each_source_reads_its_example(spark: SparkSession, tmp_path: Path, name: str) -> None:
    source = find_source(name)
    path = tmp_path / "example.csv"
    path.write_text(source.example)
    done = ingest(name, path, tmp_path / "out", session=spark, max_bad=0)
    assert list(done.tables) == [*source.tables, f"rejected-{name}"]
    assert all(rows for table, rows in done.tables.items() if table != f"rejected-{name}")
    for schema, _ in source().tables:
        read_table(spark, tmp_path / "out" / schema.name, schema)  # checks the columns
        table = pa.parquet.read_table(tmp_path / "out" / schema.name)
        assert table.num_rows == done.tables[schema.name]
        assert not any(column.null_count for column in table.columns)
    read_table(spark, tmp_path / "out" / f"rejected-{name}", REJECTED)
    assert pa.parquet.read_table(tmp_path / "out" / f"rejected-{name}").num_rows == 0
    assert done.rejected == {}


def test_edge_lists(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_bytes(
        b"# from to\n% x\n  // y z w\n\n \t\n1 2\n1\t2 \r\n 10   3\n3 3\n4\n5 6 7\n8 \xff\n9 \0\n"
        + b"x" * ((1 << 20) + 1)
        + b"\n"
    )
    read = Parsed(spark, path, "snap")
    assert read.rows == [(1, 2), (10, 3)]
    assert read.types == ["bigint", "bigint"]
    assert read.bad == {
        "4": "is not two users, 'a b'",
        "5 6 7": "is not two users, 'a b'",
        "8 \ufffd": "is not UTF-8 text",
        "9 ␀": "has a NUL byte in it",
        "x" * 500: "is longer than 1 MiB",
    }
    assert read.notes == {"loops, dropped": 1, "repeated relations, dropped": 1}
    assert (read.measured.records, read.measured.bad) == (9, 5)


def test_undirected_and_followed_first_edge_lists(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("007 2\n2 007\n2 b\n")
    both = Parsed(spark, path, "snap-undirected")
    assert both.rows == [("007", "2"), ("2", "007"), ("2", "b"), ("b", "2")]
    assert both.notes["repeated relations, dropped"] == 2
    assert Parsed(spark, path, "twitter").rows == [("007", "2"), ("2", "007"), ("b", "2")]


def test_columns_of_numbers_and_of_text(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tnode\ttopic\nx\t9223372036854775807\t9223372036854775808\nx\t-5\t0\n")
    read = Parsed(spark, path, "pairs")
    assert read.types == ["bigint", "string"]
    assert read.rows == [(-5, "0"), (2**63 - 1, str(2**63))]
    path.write_text("a\tnode\ttopic\nx\t-0\t+5\n")
    assert Parsed(spark, path, "pairs").types == ["string", "string"]


def test_pairs_with_bad_lines_and_options(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(
        '#user;page;n\n1;"a;""b""";3\n1;c;4\n1;c;5\n#user;page;n\n2;c\n;c;1\n3;;1\n'
        '4;"c;1\n5;"c"d;1\n 6;c;1;1\n\n'
    )
    read = Parsed(spark, path, "pairs", node_column="user", topic_column="page", delimiter=";")
    assert read.rows == [(1, 'a;"b"'), (1, "c")]
    assert read.bad == {
        "2;c": "has another number of fields than expected",
        " 6;c;1;1": "has another number of fields than expected",
        ";c;1": "the node is empty",
        "3;;1": "the topic is empty",
        '4;"c;1': "a quote is opened or closed on the line, not both: a field may not span lines",
        '5;"c"d;1': "has text between a closing quote and the delimiter",
    }
    assert read.notes == {"repeated subscriptions, dropped": 1}


def test_lists_of_topics(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text('\n{"7": [1, "2", 1],\n "8": [2], "9": []}\n')
    read = Parsed(spark, path, "lists")
    assert read.rows == [(7, 1), (7, 2), (8, 2)]
    assert read.bad == {'"9": []': "has an empty list of topics"}
    assert read.notes == {"repeated subscriptions, dropped": 1}
    path.write_bytes(b'{"user": "x", "genres": ["Pop"]}\n\n{"user": 1}\n{"\xff": 1}\n')
    read = Parsed(spark, path, "lists", layout="lines", topic_column="genres")
    assert read.rows == [("x", "Pop")]
    assert list(read.bad.values()) == ["has no list of topics", "is not UTF-8 text"]


def test_lists_that_are_not_an_object_are_rejected(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text('{"7": [1]}\n{"8": [1]}\n')
    with pytest.raises(TableError, match=r"lists.json, line 2: the object has ended; an object"):
        ingest("lists", path, tmp_path / "out", session=spark)
    path.write_bytes(b'{"7": ["\xff"]}')
    with pytest.raises(TableError, match=r"lists.json: is not UTF-8 text; convert it from"):
        ingest("lists", path, tmp_path / "out", session=spark)
    assert not (tmp_path / "out" / "subscriptions").exists()


def test_publications_and_rates(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(
        "when,id,topics\n0.5,p1,a|b| a |\n2.5,p2,b\n2.5,p2,b\n1e0,p3,c|\nsoon,p4,b\n3,,b\n3,p5,| \n"
    )
    columns: dict[str, Any] = {
        "time_column": "when", "publication_column": "id", "topics_column": "topics",
    }  # fmt: skip
    done = ingest(
        "publications", path, tmp_path / "out", session=spark, max_bad=3,
        time_unit="s", topic_separator="bar", **columns,
    )  # fmt: skip
    assert done.rejected == {
        "has no topic": 1,
        "the publication's name is empty": 1,
        "the time is neither a number nor a date, or beyond 64 bits of microseconds": 1,
    }
    posts = spark.read.parquet(str(tmp_path / "out" / "publications")).collect()
    assert sorted(map(tuple, posts)) == [
        (500_000, "p1", ["a", "b"]),
        (1_000_000, "p3", ["c"]),
        (2_500_000, "p2", ["b"]),
    ]
    rates = spark.read.parquet(str(tmp_path / "out" / "rates")).collect()
    assert sorted(map(tuple, rates)) == [("a", 1, 0.5), ("b", 2, 1.0), ("c", 1, 0.5)]
    assert done.notes["repeated publications, dropped"] == 1
    path.write_text("time_ms,post_id,tags\n5,1,a\n5,2,b\n")
    with pytest.raises(TableError, match="all publications have the same time"):
        ingest("publications", path, tmp_path / "out", session=spark)


def test_machine_events(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "part-00000-of-00001.csv"
    path.write_text(
        "0,1,0,p,0.5,0.2\n0,2,0,,,\n5,2,1,,,\n3,2,0,,,\n7,2,1,,,\n7,2,0,,,\n8,1,2,p,,\n9,3,1,,,\n"
        "9,4,0,,,\n9223372036854775807,1,1,,,\n"
        "-1,1,0,,,\n1,,0,,,\n1,1,3,,,\n1,1,0\n"
    )
    read = Parsed(spark, path, "google-machine-events")
    # Machine 2 is added again at 3, leaves at 5; its remove at 7 finds it gone, its add does not.
    assert read.rows == [(1, 0, 9), (2, 0, 5), (2, 7, 9)]
    assert read.bad == {
        "-1,1,0,,,": "the time is not a whole number of microseconds, 0 or more",
        "1,,0,,,": "the machine is empty",
        "1,1,3,,,": "the event is none of 0 (add), 1 (remove), 2 (update)",
        "1,1,0": "has another number of fields than expected",
    }
    assert list(read.notes.values()) == [1, 1, 2, 2, 9e-6]


def test_written_machine_events_are_read_back(spark: SparkSession, tmp_path: Path) -> None:
    sessions = machine_events(30, seed=3, removals=2.0)
    path = tmp_path / "machines.csv"
    write_machine_events(path, sessions, updates=5)
    read = Parsed(spark, path, "google-machine-events")
    columns = (sessions.nodes, sessions.starts, sessions.ends)
    assert read.rows == sorted(zip(*(column.tolist() for column in columns), strict=True))
    assert read.bad == {}
    assert list(read.notes.values())[:3] == [6, 0, 0]


def test_availability(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "overnet.txt"
    path.write_text("# trace\n10 2 0 5.5 5.5 9\n10 1 8 12\n11 0\n12 1 -3 4\n13 2 1 2\n")
    read = Parsed(spark, path, "availability")
    million = 1_000_000
    assert read.rows == [(10, 0, 5_500_000), (10, 5_500_000, 12 * million)]
    assert read.notes == {
        "overlapping sessions, joined": 1,
        "nodes without a session, left out": 1,
    }
    assert len(read.bad) == 2
    first = Parsed(spark, path, "availability", origin="first")
    assert (12, 0, 7 * million) in first.rows


def test_session_tables(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "sessions.csv"
    path.write_text(
        "end,node,begin\n20,a,10\n30,a,20\n25,a,22\n40,a,28\n50,b,1e1\n50,b,10\n5,c,-5\n5,d,5\n"
        "x,e,5\n5,f,\n5,,1\n"
    )
    columns = {"start_column": "begin", "end_column": "end"}
    read = Parsed(spark, path, "sessions", time_unit="ms", **columns)
    assert read.rows == [("a", 10_000, 20_000), ("a", 20_000, 40_000), ("b", 10_000, 50_000)]
    assert read.notes == {"overlapping sessions, joined": 3}
    assert {line[-4:]: reason.split(" (")[0] for line, reason in read.bad.items()} == {
        "c,-5": "a session starts before 0",
        ",d,5": "a session does not end after its start",
        ",e,5": "the end is neither a number nor a date, or beyond 64 bits of microseconds",
        "5,f,": "the start is neither a number nor a date, or beyond 64 bits of microseconds",
        "5,,1": "the node is empty",
    }
    first = Parsed(spark, path, "sessions", time_unit="us", origin="first", **columns)
    assert ("c", 0, 10) in first.rows


def test_dates_are_read_as_in_memory(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "sessions.csv"
    texts = [*DATES, *NO_DATES]
    rows = (f'n{place:02},"{text}",2030-01-01' for place, text in enumerate(texts))
    path.write_text("\n".join(("node,start_s,end_s", *rows, "")))
    read = Parsed(spark, path, "sessions")
    number = 1_970_000_000  # 1970 is a number of seconds
    assert [start for _, start, _ in read.rows] == [*DATES.values(), number]
    assert len(read.bad) == len(NO_DATES) - 1


def test_latency_with_gaps(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rtt.txt"
    path.write_text("0 2 -1 4\n2 0 nan 8\n10 nan nan 12\n4 8 12 0\n")
    filled = Parsed(spark, path, "latency")
    delays = {(source, target): delay for source, target, delay in filled.rows}
    assert len(filled.rows) == len(delays) == 16
    assert filled.types == ["int", "int", "bigint"]
    assert delays[0, 1] == 1000
    assert delays[0, 2] == delays[2, 0] == 5000  # the other direction's
    assert delays[2, 2] == 0
    assert delays[1, 2] == delays[2, 1] == 4000  # the median
    assert filled.notes == {"sites": 4, "pairs without a number, filled in": 4}
    left = Parsed(spark, path, "latency", missing="leave-out", measured_as="one-way")
    assert len(left.rows) == 12
    assert (0, 1, 2000) in left.rows
    with pytest.raises(TableError, match="4 of 16 pairs of sites have no delay"):
        ingest("latency", path, tmp_path / "out", session=spark, missing="refuse")


def test_latency_with_a_bad_row(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rtt.txt"
    path.write_text("0 2\n2 x\n")
    read = Parsed(spark, path, "latency")
    assert read.rows == [(0, 0, 0), (0, 1, 1000), (1, 0, 1000), (1, 1, 0)]
    assert read.bad == {"2 x": "has something that is not a number"}
