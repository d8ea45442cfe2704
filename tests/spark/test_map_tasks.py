"""Independent tasks on Spark, and the studies that use them."""

from __future__ import annotations

import re
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gossamer.cli.main import app
from gossamer.errors import EngineError, ParameterError, StudyError, TableError
from gossamer.pipeline import map_tasks
from gossamer.pipeline.map_tasks import _task_size
from gossamer.studies import ResultStore, StoredRun, find_study, reproduce
from gossamer.studies.schema import Measurements, Parameters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STUDY = find_study("td-cd-oda")


def test_map_tasks_yields_each_result_once(spark: SparkSession) -> None:
    shift = 7

    def shifted(item: int) -> tuple[int, str]:
        return item + shift, "é"

    found = sorted(map_tasks(spark, shifted, range(40), per_task=9))
    assert found == [(place, (place + 7, "é")) for place in range(40)]
    assert list(map_tasks(spark, shifted, [])) == []


def test_tasks_grow_until_they_take_seconds(spark: SparkSession) -> None:
    def stamp(_: int) -> float:
        return time.monotonic()

    found = dict(map_tasks(spark, stamp, range(300), slots=2))
    assert sorted(found) == list(range(300))
    assert _task_size(None, 1000, 2) == 1
    assert _task_size(0.01, 10_000, 2) == 300
    assert _task_size(0.0, 10_000, 2) == 2500
    assert _task_size(0.01, 40, 2) == 10, "the end is shared"
    assert _task_size(60.0, 1000, 2) == 1


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (ZeroDivisionError("by nothing"), ZeroDivisionError, "by nothing"),
        (TableError("a bad row"), TableError, "a bad row"),
        (ParameterError("two\nlines: here"), ParameterError, "two\nlines: here"),
    ],
)
def test_error_of_a_task_is_raised(
    spark: SparkSession, fault: Exception, kind: type[Exception], says: str
) -> None:
    def fail(item: int) -> int:
        if item == 3:
            raise fault
        return item

    with pytest.raises(kind) as caught:
        list(map_tasks(spark, fail, range(6), per_task=2))
    assert str(caught.value) == says
    assert "in fail" in caught.value.__notes__[0]


def test_result_that_cannot_be_pickled_is_an_error(spark: SparkSession) -> None:
    def local_lock(_: int) -> Any:
        return threading.Lock()

    def awkward(_: int) -> None:
        class AwkwardError(Exception):
            def __init__(self, first: str, second: str) -> None:
                super().__init__(first)

        raise AwkwardError("a", "b")

    with pytest.raises(EngineError, match="the result of item 0 cannot be sent back"):
        list(map_tasks(spark, local_lock, [1]))
    with pytest.raises(EngineError, match=r"the error \(AwkwardError: a\) of item 0 cannot be"):
        list(map_tasks(spark, awkward, [1]))


def test_bad_arguments_of_map_tasks(spark: SparkSession) -> None:
    for wrong in ({"per_task": 0}, {"slots": -1}):
        with pytest.raises(ParameterError, match="expected 1 or more"):
            map_tasks(spark, str, [1], **wrong)


def test_closed_iterator_starts_no_more_tasks(spark: SparkSession, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def mark(item: int) -> int:
        import pathlib
        import time

        pathlib.Path(folder, str(item)).touch()
        if item:
            time.sleep(120)
        return item

    with closing(map_tasks(spark, mark, range(20), slots=1)) as results:
        assert next(results) == (0, 0)
    assert {path.name for path in tmp_path.iterdir()} <= {"0", "1"}
    assert spark.range(5).count() == 5, "the session is still there"
    names = [thread.name for thread in threading.enumerate()]
    assert not any(name.startswith("gossamer-fan-out") for name in names)


# -- studies --------------------------------------------------------------------------


def test_study_on_spark_equals_memory(spark: SparkSession, tmp_path: Path) -> None:
    steps: list[float] = []
    ours = reproduce(
        STUDY, ["table-1"], instances=2, store=tmp_path / "spark", engine="spark",
        session=spark, progress=lambda _, done: steps.append(done),
    )  # fmt: skip
    assert steps[0] == 0.0
    assert steps[-1] == 1.0
    assert steps == sorted(steps)
    in_memory = reproduce(
        STUDY, ["table-1"], instances=2, store=tmp_path / "memory", engine="memory"
    )
    assert ours == in_memory
    stored = [
        re.sub('"seconds":[0-9.]+', "", (tmp_path / place / "td-cd-oda.jsonl").read_text())
        for place in ("spark", "memory")
    ]
    assert stored[0] == stored[1]
    assert len(stored[0].splitlines()) == 10 + 1


def toy(run: Any) -> Any:
    """Make a study that is on no list, of two points."""
    figure = STUDY.figures[0]
    column = replace(figure.columns[0], measure="area")
    rows = tuple(replace(row, paper={}) for row in figure.rows[:2])
    shown = replace(figure, columns=(column,), rows=rows, causes=(), statements=())
    return replace(STUDY, name="toy", figures=(shown,), run=run)


def test_interrupted_study_runs_missing_points_only(spark: SparkSession, tmp_path: Path) -> None:
    marks = str(tmp_path / "marks")
    Path(marks).mkdir()

    def measure(parameters: Parameters, seed: int) -> Measurements:
        import pathlib
        import uuid

        pathlib.Path(marks, uuid.uuid4().hex).touch()
        return {"area": float(seed % 1000)}

    study = toy(measure)

    def interrupt(_: str, done: float) -> None:
        if done >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(study, instances=4, store=tmp_path, session=spark, progress=interrupt)
    stored = {one.point: one for one in ResultStore(tmp_path, "toy")}
    assert len(ResultStore(tmp_path, "toy")) == 4
    ran = len(list(Path(marks).iterdir()))
    result = reproduce(study, instances=4, store=tmp_path, session=spark)
    assert len(list(Path(marks).iterdir())) == ran + 4
    again = ResultStore(tmp_path, "toy")
    assert len(again) == 8
    assert all(
        again.find(one.point, one.instance, one.digest) is not None for one in stored.values()
    )
    assert result == reproduce(study, instances=4, engine="memory")


def test_worker_with_other_code_is_rejected(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = StoredRun(next(iter(STUDY.points)), 0, "other", {})
    monkeypatch.setattr("gossamer.pipeline.map_tasks", lambda *_: (one for one in [(0, stale)]))
    with pytest.raises(StudyError, match="another version of the code; install the same"):
        reproduce(STUDY, ["table-1"], instances=1, session=spark)


def test_reproduce_command_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    def run(*words: str | Path) -> str:
        result = CliRunner().invoke(app, ["reproduce", *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.stdout.replace("/b/", "/a/")

    words = ("td-cd-oda", "--table", "I", "--instances", "1", "--out")
    assert run(*words, tmp_path / "a", "--engine", "memory") == run(
        *words, tmp_path / "b", "--engine", "spark"
    )
