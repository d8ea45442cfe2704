"""The ingest job: limits, resumption, shared folders; and equality with the readers in memory."""

from __future__ import annotations

import gzip
import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gossamer
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.pipeline import Job, ingest, read_manifests, subscriptions_in
from tests.cli.conftest import Invoke, Outcome

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


MODULE = importlib.import_module("gossamer.pipeline.ingest")


@pytest.fixture
def invoke() -> Invoke:
    from typer.testing import CliRunner

    from gossamer.cli.main import app

    return lambda *words: Outcome(CliRunner().invoke(app, [str(word) for word in words]))


def pairs_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def pairs_in_memory(interests: Interests) -> list[tuple[Any, ...]]:
    """Every subscription by its names, sorted."""
    return sorted(
        (node, topic)
        for place, node in enumerate(interests.node_names.tolist())
        for topic in interests.topic_names[interests.topics_of(place)].tolist()
    )


AWKWARD = 'node,topic\n007,"a, b"\n007,7\n8,"say ""x"""\n8,é\n 8, #y\n8,é\n\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", AWKWARD),
        ("t.tsv", "topic\tother\tnode\n1\tx\t5\n2\tx\t-5\n1\tx\t5\n"),
        ("crlf.csv", "node,topic\r\na,1\r\nb,2\r\n"),
    ],
)
def test_ingested_pairs_equal_those_read_in_memory(
    spark: SparkSession, tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(content.encode()))
    memory = pairs_in_memory(gossamer.read_interests(path))
    ingest("pairs", path, tmp_path / "out", session=spark, max_bad=0)
    assert pairs_of(subscriptions_in(spark, tmp_path / "out")) == memory
    direct = subscriptions_in(spark, path)
    assert direct.dtypes == subscriptions_in(spark, tmp_path / "out").dtypes
    assert pairs_of(direct.distinct()) == memory


@pytest.mark.parametrize(
    ("source", "undirected", "content"),
    [
        ("snap", False, "# c\n1 2\n2\t1\n3  1\n1 2\n"),
        ("snap-undirected", True, "a 1\n1 007\n"),
    ],
)
def test_ingested_follows_equal_those_read_in_memory(
    spark: SparkSession, tmp_path: Path, source: str, undirected: bool, content: str
) -> None:
    path = tmp_path / "follows.txt"
    path.write_text(content)
    ingest(source, path, tmp_path / "out", session=spark)
    memory = gossamer.read_follows(path, undirected=undirected)
    assert pairs_of(subscriptions_in(spark, tmp_path / "out")) == pairs_in_memory(memory)


def test_several_files_become_one_table(spark: SparkSession, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "a.csv").write_text("node,topic\nann,tea\n")
    (raw / "b [1].csv.gz").write_bytes(gzip.compress(b"topic;node\ntea;ann\njazz;bob\n"))
    (raw / "c.csv").touch()
    ways: list[Any] = [raw, f"{raw}/*.csv*", [raw / "a.csv", raw.as_uri() + "/b*"]]
    for asked in ways:
        done = ingest("pairs", asked, tmp_path / "out", session=spark)
        found = pairs_of(subscriptions_in(spark, tmp_path / "out"))
        assert found == [("ann", "tea"), ("bob", "jazz")]
        assert done.records == 3


def test_bad_lines_are_rejected_up_to_a_maximum(spark: SparkSession, tmp_path: Path) -> None:
    path, out = tmp_path / "follows.txt", tmp_path / "out"
    good = "".join(f"{node} {node + 1}\n" for node in range(97))
    path.write_text(good + "1\n2\n3 4 5\n")
    with pytest.raises(TableError) as fault:
        ingest("snap", path, out, session=spark)
    said = str(fault.value)
    assert "3 of 100 lines cannot be used, more than --max-bad 1%" in said
    assert "3 × is not two users, 'a b', as in '1'" in said
    assert "--max-bad 3" in said
    assert not (out / "follows").exists()
    done = ingest("snap", path, out, session=spark, max_bad="3%")
    assert done.rejected == {"is not two users, 'a b'": 3}
    assert [line for _, line in done.examples["is not two users, 'a b'"]] == ["1", "2", "3 4 5"]
    aside = spark.read.parquet(str(out / "rejected-snap"))
    assert sorted(row["line"] for row in aside.collect()) == ["1", "2", "3 4 5"]
    assert all(row["file"].endswith("/follows.txt") for row in aside.collect())
    with pytest.raises(TableError, match="more than --max-bad 2"):
        ingest("snap", path, out, session=spark, max_bad=2)


def test_files_without_good_lines_are_rejected(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "follows.txt"
    path.write_text("# only\n\n% comments\n")
    with pytest.raises(TableError, match="no lines but comments and blank ones; expected 'from"):
        ingest("snap", path, tmp_path / "out", session=spark)
    path.write_text("a,b\nc,d\n")
    with pytest.raises(TableError, match="none of 2 lines can be read as snap: 2 × is not two"):
        ingest("snap", path, tmp_path / "out", session=spark, max_bad="100%")
    path.write_text("node,topic\n")
    with pytest.raises(TableError, match="there are no lines but"):
        ingest("pairs", path, tmp_path / "out", session=spark)
    assert not (tmp_path / "out").exists()


def test_truncated_gzip_is_rejected(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "follows.txt.gz"
    path.write_bytes(gzip.compress("".join(f"{n} {n * n}\n" for n in range(5000)).encode())[:-900])
    with pytest.raises(TableError, match="truncated or corrupt"):
        ingest("snap", path, tmp_path / "out", session=spark)
    assert not (tmp_path / "out").exists()


def test_finished_ingestion_is_not_repeated(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "follows.txt", tmp_path / "out"
    path.write_text("1 2\n2 2\nx\n3 1\n")
    first = ingest("snap", path, out, session=spark, max_bad=1)
    monkeypatch.setattr(MODULE, "records_frame", None)
    assert ingest("snap", path, out, session=spark, max_bad=1) == first
    assert first.notes == {"loops, dropped": 1, "repeated relations, dropped": 0}


class Killed(BaseException):
    """As a kill would end it."""


def test_killed_ingestion_resumes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "pairs.csv", tmp_path / "out"
    path.write_text("node,topic\n1,2\n3,4\n")
    write = Job.table

    def kill_at(name: str) -> Callable[..., Any]:
        def table(self: Job, schema: Any, make: Any, *, name: str | None = None) -> Any:
            if (name or schema.name) == killed:
                raise Killed
            return write(self, schema, make, name=name)

        killed = name
        return table

    for place in ("subscriptions", "rejected-pairs"):
        monkeypatch.setattr(Job, "table", kill_at(place))
        with pytest.raises(Killed):
            ingest("pairs", path, out, session=spark)
        assert not read_manifests(out)["ingest-pairs"].finished
        monkeypatch.setattr(MODULE, "records_frame", None)  # parsed once only
    monkeypatch.setattr(Job, "table", write)
    done = ingest("pairs", path, out, session=spark)
    assert done.tables == {"subscriptions": 2, "rejected-pairs": 0}
    manifest = read_manifests(out)["ingest-pairs"]
    assert manifest.finished
    assert set(manifest.tables) == {"subscriptions", "rejected-pairs"}
    assert not (out / "_gossamer" / "work-ingest-pairs").exists()


def test_sources_share_a_folder_and_replace_their_own_tables(
    spark: SparkSession, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for name, content in {
        "a.txt": "1 2\n", "b.txt": "5 6\n6 5\n", "s.csv": "node,start_s,end_s\n1,0,5\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(content)
    ingest("snap", tmp_path / "a.txt", out, session=spark)
    ingest("sessions", tmp_path / "s.csv", out, session=spark)
    assert {"follows", "sessions", "rejected-snap"} <= {path.name for path in out.iterdir()}
    ingest("snap", tmp_path / "b.txt", out, session=spark)
    assert pairs_of(subscriptions_in(spark, out)) == [(5, 6), (6, 5)]
    ingest("twitter", tmp_path / "a.txt", out, session=spark)
    assert pairs_of(subscriptions_in(spark, out)) == [(2, 1)]
    assert not read_manifests(out)["ingest-snap"].finished  # its table is another's now
    assert read_manifests(out)["ingest-sessions"].finished
    ingest("snap", tmp_path / "b.txt", out, session=spark)
    assert pairs_of(subscriptions_in(spark, out)) == [(5, 6), (6, 5)]


def test_ingestion_does_not_depend_on_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """Splits of a few bytes, and one of all: the same rows.

    The split lines are parsed to several files, which are read whole.
    """
    path = tmp_path / "pairs.csv"
    path.write_text("node,topic\n" + "".join(f"n{n % 7},t{n % 5}\n" for n in range(60)))
    found = []
    for size in ("64b", "128m"):
        parsed = tmp_path / size / "_gossamer" / "work-ingest-pairs" / "parsed"
        files: list[int] = []

        def read_whole(stage: str, _: float, parsed: Path = parsed, files: Any = files) -> None:
            if stage.startswith("wrote work/parsed"):
                files.append(len(list(parsed.glob("*.parquet"))))
                spark.conf.unset("spark.sql.files.maxPartitionBytes")

        spark.conf.set("spark.sql.files.maxPartitionBytes", size)
        try:
            done = ingest("pairs", path, tmp_path / size, session=spark, progress=read_whole)
        finally:
            spark.conf.unset("spark.sql.files.maxPartitionBytes")
        assert (files[0] > 3) == (size == "64b")
        found.append(pairs_of(subscriptions_in(spark, tmp_path / size)))
        assert (done.records, done.notes) == (60, {"repeated subscriptions, dropped": 25})
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("node,topic\nann,\n", "a bad line, the topic is empty: 'ann,'"),
        ("node,topic\nann\nb\n", "has another number of fields than expected: 'ann' (2 lines"),
        ("node,page\nann,x\n", "there is no column 'topic'; the columns are: 'node', 'page'"),
        ("node,topic\n", "the table has no rows; expected at least one subscription"),
    ],
)
def test_bad_text_table_is_rejected_without_ingestion(
    spark: SparkSession, tmp_path: Path, content: str, says: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(TableError) as fault:
        subscriptions_in(spark, path)
    assert says in str(fault.value)


def test_text_table_is_read_without_ingestion(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("u|p\nann|x\n")
    frame = subscriptions_in(spark, path, node_column="u", topic_column="p", delimiter="|")
    assert pairs_of(frame) == [("ann", "x")]


def test_ingest_command(spark: SparkSession, tmp_path: Path, invoke: Invoke) -> None:
    path = tmp_path / "t.csv"
    path.write_text("user,page\n" + "".join(f"{n},{n % 3}\n" for n in range(150)) + "5,2\n7,\n")
    shown = invoke(
        "ingest", "pairs", f"{tmp_path}/*.csv", "--node-column", "user", "--topic-column=page",
        "--out", tmp_path / "out",
    ).works()  # fmt: skip
    assert re.search(r"repeated subscriptions, dropped +1\n", shown.out)
    assert "  the topic is empty" in shown.out
    assert "'7,': the topic is empty" in shown.out
    out = tmp_path / "out"
    assert f"wrote {out / 'subscriptions'}, {out / 'rejected-pairs'}\n" in shown.out
    invoke("ingest", "pairs", path, "--out", tmp_path / "out").fails(
        "no column 'node' and no column 'topic'"
    )


def test_ingest_command_rejects_bad_input(tmp_path: Path, invoke: Invoke) -> None:
    invoke("ingest").fails("no source is named; expected one of availability")
    invoke("ingest", "tarot", "x").fails("no source is named 'tarot'")
    invoke("ingest", "snap", "--rho", "3").fails("snap has no option --rho; its options are: none")
    invoke("ingest", "snap").fails("no files are named")
    invoke("ingest", "snap", "x").fails("no folder to write to")
    invoke("ingest", "snap", tmp_path / "x", "--out", "o").fails("there is no such file or folder")
    invoke("ingest", "snap", "x", "--out", "o", "--max-bad", "few").fails("--max-bad is 'few'")


def test_ingest_command_lists_sources(invoke: Invoke) -> None:
    listed = invoke("ingest", "--list").works().out
    for word in ("snap-undirected", "google-machine-events", "--node-column node", "rates"):
        assert word in listed
