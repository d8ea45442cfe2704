"""Jobs and their folders without Spark: a stand-in writes the tables, the rest is as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
import pytest

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.pipeline import Folder, Job, jobs, read_manifests
from gossamer.pipeline.jobs import discard_on_error
from gossamer.tables import SUBSCRIPTIONS, TableSchema

NEWER = TableSchema(SUBSCRIPTIONS.name, SUBSCRIPTIONS.version + 1, SUBSCRIPTIONS.columns)


class Frame:
    """A stand-in for a frame: writes Parquet files of the given numbers of rows."""

    def __init__(self, *parts: int) -> None:
        self.parts = parts
        self.write = self
        self.dtypes = [("node", "bigint"), ("topic", "bigint")]

    def select(self, *columns: str) -> Frame:
        assert columns == ("node", "topic")
        return self

    def parquet(self, place: str) -> None:
        folder = Path(place.removeprefix("file://"))
        folder.mkdir(parents=True)
        (folder / "_SUCCESS").write_text("")
        for number, rows in enumerate(self.parts):
            table = pa.table({"node": [1] * rows, "topic": [2] * rows})
            pa.parquet.write_table(table, folder / f"part-{number}.parquet")


@pytest.fixture(autouse=True)
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which tables were read, in place of Spark that reads them."""
    seen: list[str] = []

    def read_table(session: Any, place: Folder, schema: TableSchema, *, called: str) -> str:
        assert place.is_folder(), f"{place.name} is not there"
        seen.append(f"{place.name} as {called}")
        return place.name

    monkeypatch.setattr(jobs, "read_table", read_table)
    return seen


def job_at(place: Path, name: str = "one", **more: Any) -> Job:
    session: Any = None
    return Job(session, place, name, **more)


def writes(*parts: int) -> Callable[[], Any]:
    return lambda: Frame(*parts)


def never() -> Any:
    raise AssertionError("made again")


def fail_in(place: Path, fault: Exception, **more: Any) -> None:
    """Write something to a folder, and fail."""
    with discard_on_error(Folder.at(place), **more):
        Folder.at(place).make()
        (place / "half").write_text("")
        raise fault


def on_disk(place: Path) -> list[str]:
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*"))


# -- a folder of the user's ----------------------------------------------------------------


def test_existing_folder_is_left_by_a_failed_job(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letters.txt").write_text("keep me")
    with pytest.raises(TableError):
        fail_in(mine, TableError("bad input"))
    assert (mine / "letters.txt").read_text() == "keep me"


def test_new_folder_of_a_failed_job_is_removed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(TableError):
        fail_in(made, TableError("bad input"))
    assert not made.exists()
    with discard_on_error(Folder.at(made)):
        made.mkdir()
    assert made.exists(), "nothing failed"


def test_new_folder_is_left_after_other_errors(tmp_path: Path) -> None:
    for fault in (ParameterError("of use to another run"), RuntimeError("a bug")):
        made = tmp_path / type(fault).__name__
        with pytest.raises(type(fault)):
            fail_in(made, fault, unless=ParameterError)
        assert made.exists()
    other = tmp_path / "other"
    with pytest.raises(TableError):
        fail_in(other, TableError("bad"), unless=ParameterError)
    assert not other.exists()
    with pytest.raises(InputError), discard_on_error(None):
        raise InputError("no folder at all")


def test_job_in_a_folder_of_parts_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "part-0.parquet").write_text("")
    with pytest.raises(ParameterError, match="is a table; expected a folder to write tables to"):
        job_at(tmp_path)
    assert on_disk(tmp_path) == ["part-0.parquet"], "nothing was written"


# -- tables --------------------------------------------------------------------------------


def test_rows_of_parts_are_summed(tmp_path: Path, read: list[str]) -> None:
    reported: list[tuple[str, float]] = []
    job = job_at(tmp_path, progress=lambda stage, share: reported.append((stage, share)))
    place: Any = job.table(SUBSCRIPTIONS, writes(3, 0, 1200))
    assert place == f"{tmp_path}/subscriptions"
    assert job.rows("subscriptions") == 1203
    assert reported == [("writing subscriptions", 0.0), ("wrote subscriptions: 1,203 rows", 1.0)]
    assert read == [f"{tmp_path}/subscriptions as subscriptions"]
    assert on_disk(tmp_path / "_gossamer") == ["one.json"]
    assert len(on_disk(tmp_path / "subscriptions")) == 4


def test_table_of_another_schema_version_is_written_again(tmp_path: Path) -> None:
    job_at(tmp_path).table(SUBSCRIPTIONS, writes(3))
    again = job_at(tmp_path)
    again.table(SUBSCRIPTIONS, never)
    again.table(NEWER, writes(5))
    assert again.rows("subscriptions") == 5
    newer = job_at(tmp_path)
    newer.table(NEWER, never)
    assert newer.manifest.tables["subscriptions"].version == NEWER.version


def test_missing_table_is_written_again(tmp_path: Path) -> None:
    first = job_at(tmp_path)
    first.table(SUBSCRIPTIONS, writes(3))
    first.finish()
    assert job_at(tmp_path).finished
    Folder.at(tmp_path / "subscriptions").remove()
    second = job_at(tmp_path)
    assert not second.finished
    assert not second.has("subscriptions")
    second.table(SUBSCRIPTIONS, writes(4))
    assert second.has("subscriptions")
    assert second.rows("subscriptions") == 4


def test_job_with_a_missing_table_is_not_finished(tmp_path: Path) -> None:
    job = job_at(tmp_path)
    for name in ("left", "right"):
        job.table(SUBSCRIPTIONS, writes(1), name=name)
    job.finish()
    Folder.at(tmp_path / "left").remove()
    assert not job_at(tmp_path).finished


def test_manifest_is_indented_json_with_sorted_parameters(tmp_path: Path) -> None:
    job_at(tmp_path, parameters={"b": 1, "a": 2}).finish()
    text = (tmp_path / "_gossamer" / "one.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert list(json.loads(text)["parameters"]) == ["a", "b"]


def test_bad_manifest_is_an_error(tmp_path: Path) -> None:
    job_at(tmp_path)
    (tmp_path / "_gossamer" / "one.json").write_text("{")
    with pytest.raises(TableError, match=r"one\.json: is not a job's manifest .*remove it to"):
        job_at(tmp_path)
    with pytest.raises(TableError, match=r"one\.json: is not a job's manifest"):
        read_manifests(tmp_path)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([("node", "bigint")], "subscriptions: is not a table of subscriptions: 'topic' missing"),
        ([("node", "bigint"), ("topic", "double")], "the column 'topic' is double"),
    ],
)
def test_table_of_another_schema_is_not_entered(
    tmp_path: Path, found: list[tuple[str, str]], message: str
) -> None:
    frame: Any = Frame(3)
    frame.dtypes = found
    job = job_at(tmp_path)
    with pytest.raises(TableError, match=message):
        job.table(SUBSCRIPTIONS, lambda: frame)
    assert not job.has("subscriptions")
    assert not (tmp_path / "subscriptions").exists()
    assert not job_at(tmp_path).manifest.tables


def test_small_table_is_written_without_spark_and_resumed(tmp_path: Path) -> None:
    rows = SUBSCRIPTIONS.table(pa.array(["a", "b"]), pa.array([1, 2]))
    job = job_at(tmp_path)
    assert job.small_table(SUBSCRIPTIONS, lambda: rows, name="small").equals(rows)
    assert job.rows("small") == 2
    assert job_at(tmp_path).small_table(SUBSCRIPTIONS, never, name="small").equals(rows)
    assert on_disk(tmp_path) == [
        "_gossamer",
        "_gossamer/one.json",
        "small",
        "small/part-00000.parquet",
    ]
    file = pa.parquet.ParquetFile(tmp_path / "small" / "part-00000.parquet")
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"

    def fail() -> Any:
        raise TableError("bad")

    with pytest.raises(TableError, match="bad"):
        job.small_table(SUBSCRIPTIONS, fail, name="other")
    assert not (tmp_path / "other").exists()
    assert not job.has("other")


def test_partial_table_is_replaced(tmp_path: Path) -> None:
    job = job_at(tmp_path)
    Frame(9).parquet(f"{tmp_path}/_gossamer/.one-subscriptions.part")
    job.table(SUBSCRIPTIONS, writes(2))
    assert job.rows("subscriptions") == 2


def test_intermediate_tables_are_removed_at_the_end(tmp_path: Path) -> None:
    job = job_at(tmp_path)
    place: Any = job.table(SUBSCRIPTIONS, writes(2), name="work/half")
    assert place == f"{tmp_path}/_gossamer/work-one/half"
    job.table(SUBSCRIPTIONS, writes(2), name="whole")
    assert (tmp_path / "_gossamer" / "work-one" / "half" / "part-0.parquet").exists()
    again = job_at(tmp_path)
    again.table(SUBSCRIPTIONS, never, name="work/half")
    assert not again.finished
    again.finish()
    assert on_disk(tmp_path / "_gossamer") == ["one.json"]
    assert list(again.manifest.tables) == ["whole"]
    assert (tmp_path / "whole" / "part-0.parquet").exists()
    last = job_at(tmp_path)
    assert last.finished
    assert not last.has("work/half")


def test_job_that_starts_again_removes_only_its_intermediate_tables(tmp_path: Path) -> None:
    for name in ("one", "two"):
        job_at(tmp_path, name).table(SUBSCRIPTIONS, writes(2), name="work/half")
    restarted = job_at(tmp_path, parameters={"a": 2})
    assert not restarted.has("work/half")
    assert not (tmp_path / "_gossamer" / "work-one").exists()
    assert job_at(tmp_path, "two").has("work/half")
    stored = json.loads((tmp_path / "_gossamer" / "one.json").read_bytes())
    assert stored["parameters"] == {"a": 2}
    assert stored["tables"] == {}


def test_facts_are_computed_once_and_stored_at_once(tmp_path: Path) -> None:
    job = job_at(tmp_path)
    assert job.fact("ends", lambda: (1, 2)) == [1, 2], "as JSON holds it"
    assert job.fact("ends", never) == [1, 2]
    assert job_at(tmp_path).fact("ends", never) == [1, 2]


# -- starting again ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [{"seed": 1}, {"parameters": {"a": 1}}, {"parameters": {"a": 1}, "seed": 0}, {"inputs": ["."]}],
)
def test_other_arguments_start_a_job_again(tmp_path: Path, other: dict[str, Any]) -> None:
    job_at(tmp_path / "t").table(SUBSCRIPTIONS, writes(3))
    if "inputs" in other:
        (tmp_path / "raw").write_text("x")
        other = {"inputs": [tmp_path / "raw"]}
    assert not job_at(tmp_path / "t", **other).has("subscriptions")
    job_at(tmp_path / "t", **other).table(SUBSCRIPTIONS, writes(1))
    assert job_at(tmp_path / "t", **other).has("subscriptions")


def test_fingerprint_depends_on_the_version_of_gossamer_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = job_at(tmp_path).manifest
    assert len(first.fingerprint) == 32
    monkeypatch.setattr(jobs, "_versions", lambda: {"python": "9"})
    assert job_at(tmp_path).manifest.versions == first.versions, "what it was computed with"
    monkeypatch.setattr(jobs, "__version__", "0.0.0")
    assert job_at(tmp_path).manifest.fingerprint != first.fingerprint


def test_changed_file_of_equal_size_starts_a_job_again(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    (raw / "deep" / "er").mkdir(parents=True)
    for name in ("part-0", "deep/part-0", "deep/er/part-0"):
        (raw / name).write_text("first")
        os.utime(raw / name, ns=(10**18, 10**18))
    job_at(tmp_path / "t", inputs=[raw]).table(SUBSCRIPTIONS, writes(1))
    assert job_at(tmp_path / "t", inputs=[raw]).has("subscriptions")
    for name in ("part-0", "deep/part-0", "deep/er/part-0"):
        (raw / name).write_text("other")
        os.utime(raw / name, ns=(10**18 + 1000, 10**18 + 1000))
        assert not job_at(tmp_path / "t", inputs=[raw]).has("subscriptions"), name
        job_at(tmp_path / "t", inputs=[raw]).table(SUBSCRIPTIONS, writes(1))
    (raw / "deep" / "part-0").rename(raw / "deep" / "part-1")
    assert not job_at(tmp_path / "t", inputs=[raw]).has("subscriptions"), "renamed"


def test_inputs_are_named_relative_to_the_folder_by_path_or_by_uri(tmp_path: Path) -> None:
    elsewhere = pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem())
    inputs = [Folder("far://host/raw", "raw", elsewhere), tmp_path / "t" / "own", tmp_path / "raw"]
    names = list(job_at(tmp_path / "t", inputs=inputs).manifest.inputs)
    assert names == ["far://host/raw", "own", str(tmp_path / "raw")]


def test_manifests_are_read_by_the_names_of_their_jobs(tmp_path: Path) -> None:
    assert read_manifests(tmp_path) == {}
    job_at(tmp_path, "one", seed=3)
    job_at(tmp_path, "two").finish()
    (tmp_path / "_gossamer" / "notes.txt").write_text("")
    (tmp_path / "_gossamer" / "folder.json").mkdir()
    found = read_manifests(Folder.at(tmp_path))
    assert {name: (one.job, one.seed, one.finished) for name, one in found.items()} == {
        "one": ("one", 3, False),
        "two": ("two", None, True),
    }
    assert {"gossamer", "python", "pyarrow", "numpy"} <= set(found["one"].versions)


# -- reuse ---------------------------------------------------------------------------------


def reuse(*folders: Path, **described: Any) -> Job:
    session: Any = None
    return Job.reuse(session, [Folder.at(folder) for folder in folders], "one", **described)


def test_finished_job_of_another_folder_is_reused(tmp_path: Path) -> None:
    first, second, own = (tmp_path / name for name in ("first", "second", "own"))
    first.write_text("a file, not a folder")
    job_at(second, seed=1).table(SUBSCRIPTIONS, writes(2))
    assert reuse(first, second, own, seed=1).folder.path == str(own), "it is not finished"
    job_at(second, seed=1).finish()
    found = reuse(first, second, own, seed=1)
    assert found.folder.path == str(second)
    found.table(SUBSCRIPTIONS, never)
    assert reuse(second, own, seed=2).folder.path == str(own), "another fingerprint"
    Folder.at(second / "subscriptions").remove()
    assert reuse(second, own, seed=1).folder.path == str(own), "a table is missing"
    (second / "_gossamer" / "one.json").write_text("{")
    assert reuse(second, own, seed=1).folder.path == str(own), "the manifest cannot be read"


def test_job_is_reused_after_its_folder_moved_with_its_inputs(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    (before / "raw").write_text("x")
    job_at(before, inputs=[before / "raw"]).finish()
    before.rename(after)
    assert reuse(after, tmp_path / "own", inputs=[after / "raw"]).finished
    (after / "raw").write_text("y")
    os.utime(after / "raw", ns=(10**18, 10**18))
    assert not reuse(after, tmp_path / "own", inputs=[after / "raw"]).finished


# -- folders -------------------------------------------------------------------------------


def test_signature_has_path_size_and_time_of_each_file(tmp_path: Path) -> None:
    for name, content in (("b", "22"), ("a/x", "1"), ("a/y/z", "333"), ("_h", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
        os.utime(tmp_path / name, ns=(10**18, 10**18 + 7000))
    assert Folder.at(tmp_path).signature() == [
        ["_h", 0, 10**18 + 7000],
        ["a/x", 1, 10**18 + 7000],
        ["a/y/z", 3, 10**18 + 7000],
        ["b", 2, 10**18 + 7000],
    ]
    assert [row[:2] for row in Folder.at(tmp_path / "b").signature()] == [[".", 2]]
    assert Folder.at(tmp_path / "gone").signature() == []


def test_children_are_sorted_and_hidden_ones_left_out(tmp_path: Path) -> None:
    for name in ("b", "a", ".crc", "_SUCCESS"):
        (tmp_path / name).write_text("")
    assert Folder.at(tmp_path).children() == ["a", "b"]
    assert Folder.at(tmp_path / "a").children() == []
    assert Folder.at(tmp_path / "gone").children() == []


def test_files_and_folders_are_distinguished(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    file, folder, gone = (Folder.at(tmp_path / name) for name in ("file", "folder", "gone"))
    assert [one.exists() for one in (file, folder, gone)] == [True, True, False]
    assert [one.is_folder() for one in (file, folder, gone)] == [False, True, False]
    assert [one.read_bytes() for one in (file, folder, gone)] == [b"x", None, None]
    with pytest.raises(ParameterError, match="file: is a file; expected a folder"):
        file.make()
    file.remove()
    assert on_disk(tmp_path) == ["folder"]
    (folder / "a" / "b").make()
    (folder / "a" / "b").make()
    assert on_disk(tmp_path) == ["folder", "folder/a", "folder/a/b"]


def test_folder_replaces_another(tmp_path: Path) -> None:
    for name in ("new", "old/in"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / name.replace("/", "-")).write_text("")
    Folder.at(tmp_path / "new").move_to(Folder.at(tmp_path / "old"))
    assert on_disk(tmp_path) == ["old", "old/new"]
    Folder.at(tmp_path / "old").move_to(Folder.at(tmp_path / "a" / "b" / "c"))
    assert on_disk(tmp_path) == ["a", "a/b", "a/b/c", "a/b/c/new"]


def test_only_parquet_files_count_as_rows(tmp_path: Path) -> None:
    Frame(4, 5).parquet(str(tmp_path / "t"))
    (tmp_path / "t" / "notes.txt").write_text("no rows")
    assert Folder.at(tmp_path / "t").count_rows() == 9
    assert Folder.at(tmp_path / "gone").count_rows() == 0
    (tmp_path / "t" / "part-9.parquet").write_text("spoilt")
    with pytest.raises(TableError, match=r"t: cannot be used \(.*Parquet"):
        Folder.at(tmp_path / "t").count_rows()


def test_parquet_schema_is_that_of_a_file_or_of_the_first_file_of_a_folder(
    tmp_path: Path,
) -> None:
    Frame(4, 5).parquet(str(tmp_path / "t"))
    pa.parquet.write_table(pa.table({"other": [1]}), tmp_path / "t" / "part-9.parquet")
    (tmp_path / "t" / "notes.txt").write_text("no columns")
    assert Folder.at(tmp_path / "t").parquet_schema().names == ["node", "topic"]
    assert Folder.at(tmp_path / "t" / "part-9.parquet").parquet_schema().names == ["other"]
    for name in ("t/notes.txt", "gone"):
        with pytest.raises((OSError, pa.ArrowException)):
            Folder.at(tmp_path / name).parquet_schema()


def test_files_are_written_atomically(tmp_path: Path) -> None:
    place = Folder.at(tmp_path) / "a.json"
    place.write_bytes(b"long ago")
    place.write_bytes(b"new")
    assert place.read_bytes() == b"new"
    assert on_disk(tmp_path) == ["a.json"]
    with pytest.raises(TableError, match=r"none/a: cannot be used \(.*No such file"):
        (Folder.at(tmp_path) / "none" / "a").write_bytes(b"")


def test_folders_of_unknown_file_systems_and_empty_names_are_rejected() -> None:
    with pytest.raises(ParameterError, match=r"nowhere://host/t: cannot be reached \("):
        Folder.at("nowhere://host/t")
    with pytest.raises(ParameterError, match="a folder's name is empty; expected a path or a URI"):
        Folder.at("")


def test_folder_of_a_uri_is_that_of_its_path(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    folder = Folder.at(f"file://{tmp_path}/t")
    assert (folder.path, folder.local, folder.exists()) == (f"{tmp_path}/t", True, True)
    assert Folder.at(folder) is folder


def test_names_for_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Folder.at("x[1]{a}*?\\")
    assert folder.spark_path == f"file://{tmp_path}/x[1]{{a}}*?\\"
    assert folder.spark_pattern == f"file://{tmp_path}/x\\[1\\]\\{{a\\}}\\*\\?\\\\"
    assert (folder / "t").name == "x[1]{a}*?\\/t"
    assert (Folder.at("x/") / "t").name == "x/t"
