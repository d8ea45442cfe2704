"""Stored runs of studies: resuming, several processes, the table, and files that cannot be read."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.errors import StudyError
from gossamer.studies import Point, ResultStore, StoredRun, reproduce
from gossamer.studies.results_table import rounded
from gossamer.studies.schema import Measurements, Parameters
from tests.unit import toy_study
from tests.unit.toy_study import SMALL, calls


def measure_square(parameters: Parameters, seed: int) -> Measurements:
    return toy_study.measure_square(parameters, seed)


TOY = replace(toy_study.TOY, run=measure_square)  # with the digest of this file


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    calls.clear()


def test_interrupted_study_resumes(tmp_path: Path) -> None:
    def interrupted(parameters: Parameters, seed: int) -> Measurements:
        if len(calls) == 5:
            raise KeyboardInterrupt
        return measure_square(parameters, seed)

    with pytest.raises(KeyboardInterrupt):
        reproduce(replace(TOY, run=interrupted), store=tmp_path)
    assert len(calls) == 5
    file = tmp_path / "toy.journal"
    # The last line was being written when the machine went down.
    file.write_bytes(file.read_bytes()[:-7])
    calls.clear()
    resumed = reproduce(TOY, store=tmp_path)
    assert len(calls) == 8 - 4
    assert resumed == reproduce(TOY)
    calls.clear()
    assert reproduce(TOY, store=tmp_path) == resumed
    assert not calls
    assert file.read_text() == ""
    assert len(ResultStore(tmp_path, "toy")) == 8
    reproduce(TOY, ["table-2"], instances=6, store=tmp_path)
    assert len(calls) == 2 * 2


def test_results_of_other_parameters_or_code_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduce(TOY, instances=1, store=tmp_path)
    eleven = Point("small", {"side": 11})
    moved = replace(
        TOY,
        figures=tuple(
            one.with_points(lambda point: eleven if point == SMALL else point)
            for one in TOY.figures
        ),
    )
    calls.clear()
    assert reproduce(moved, instances=1, store=tmp_path).cells[1].mean == 44.0
    assert len(calls) == 1
    calls.clear()
    with monkeypatch.context() as patched:
        patched.setattr("gossamer.studies.schema.source_digest", lambda path, **_: "newer")
        newer = replace(TOY)
        assert reproduce(newer, instances=2, store=tmp_path).outdated == 2
        assert len(calls) == 4
        calls.clear()
        assert reproduce(newer, instances=2, store=tmp_path).outdated == 0, "computed again once"
    assert not calls
    assert reproduce(TOY, instances=1, store=tmp_path).outdated == 2, "the newest of each is kept"


def test_two_processes_in_one_folder_store_each_run_once(tmp_path: Path) -> None:
    file = tmp_path / "toy.jsonl"

    def disturbed(parameters: Parameters, seed: int) -> Measurements:
        """Another process does the whole study while the first run of this one is under way."""
        measured = measure_square(parameters, seed)
        if len(calls) == 1:
            reproduce(TOY, store=tmp_path)
            calls.append(-1)
        return measured

    first = reproduce(replace(TOY, run=disturbed), store=tmp_path)
    assert len(calls) == 1 + 8 + 1, "what the other stored is not run"
    assert first.cells == reproduce(TOY).cells
    lines = file.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 8 + 1


def test_store_is_shared_by_processes_that_add_concurrently(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from gossamer.studies import ResultStore, StoredRun; "
        "store = ResultStore(Path(sys.argv[1]), 'toy'); "
        "point = 'p' * 3000; "
        "[(store.add(StoredRun(point, k, 'd', {'m': 1.0})), k % 40 or store.merge({point}))"
        " for k in range(150)]"
    )
    at_work = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    for process in at_work:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    store = ResultStore(tmp_path, "toy")
    assert len(store) == 150
    store.merge({"p" * 3000})
    assert len((tmp_path / "toy.jsonl").read_text().splitlines()) == 150 + 1
    assert (tmp_path / "toy.journal").read_text() == ""


def test_shortened_store_is_read_again(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, "toy")
    runs = [StoredRun("small", k, "d", {}) for k in range(3)]
    for run in runs:
        store.add(run)
    file = tmp_path / "toy.journal"
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    store.add(runs[2])
    store.add(StoredRun("small", 3, "d", {}))
    instances = [run.split(b'"instance":')[1][:1] for run in file.read_bytes().splitlines()]
    assert instances[0] == b"0"
    assert instances[-1] == b"3"


def test_store_keeps_the_newest_run_of_each_point_that_exists(tmp_path: Path) -> None:
    one, other = ResultStore(tmp_path, "toy"), ResultStore(tmp_path, "toy")
    one.add(StoredRun("small", 1, "old", {"b": 0.5, "a": 2.0}, 1.234))
    one.add(StoredRun("small", 0, "old", {"a": 1.0, "b": 1e-7}))
    other.add(StoredRun("small", 1, "new", {"a": 3.0, "b": 4.0}))
    other.add(StoredRun("gone", 0, "new", {"a": 3.0}))
    other.merge({"small", "large"})
    lines = (tmp_path / "toy.jsonl").read_text().splitlines()
    key = lines[0].split('"')[3]
    assert lines == [
        f'{{"measures":"{key}","names":["a","b"]}}',
        f'{{"point":"small","instance":0,"digest":"old","seconds":0.0,"measures":"{key}",'
        '"values":[1,1e-7]}',
        f'{{"point":"small","instance":1,"digest":"new","seconds":0.0,"measures":"{key}",'
        '"values":[3,4]}',
    ]
    found = one.find("small", 1, "new")
    assert found is not None
    assert found.measurements == {"a": 3.0, "b": 4.0}
    newest = ResultStore(tmp_path, "toy").newest("small", 1)
    assert newest is not None
    assert newest.digest == "new"


@pytest.mark.parametrize(
    ("value", "stored"),
    [(1 / 3, 0.3333333), (0.99999999, 0.99999999), (12345678.0, 12345680.0), (2.0, 2.0)],
)
def test_stored_values_have_seven_digits_and_fractions_stay_fractions(
    value: float, stored: float
) -> None:
    assert rounded(value) == stored


@pytest.mark.parametrize("line", ["not json\n", '{"point": "small"}\n', "\n", '{"a": "\xff"}\n'])
def test_unreadable_store_is_rejected(tmp_path: Path, line: str) -> None:
    reproduce(TOY, instances=1, store=tmp_path)
    for name, number in (("toy.jsonl", 4), ("toy.journal", 1)):
        file = tmp_path / name
        before = file.read_bytes()
        file.write_bytes(before + line.encode("latin-1"))
        with pytest.raises(StudyError, match=rf"{name}, line {number}, is not a stored result"):
            reproduce(TOY, instances=1, store=tmp_path)
        file.write_bytes(before)


def test_unwritable_store_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="results cannot be stored in"):
        reproduce(TOY, instances=1, store=tmp_path / "file")
    (tmp_path / "toy.journal").mkdir()
    with pytest.raises(StudyError, match="results cannot be stored in"):
        reproduce(TOY, instances=1, store=tmp_path)
