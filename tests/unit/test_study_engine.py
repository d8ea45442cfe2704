"""Engines of studies: this process, several processes, Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.errors import EngineError, ParameterError
from gossamer.studies import ResultStore, reproduce
from gossamer.studies.processes import map_in_processes
from tests.unit.toy_study import TOY, fail_at


def test_auto_engine_starts_processes_for_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[bool] = []

    def no_spark(*_: object, **__: object) -> None:
        raise EngineError("there is no Java")

    def in_turn(
        function: Callable[[object], object], tasks: list[object], workers: int
    ) -> Iterator[object]:
        started.append(True)
        yield from map(function, tasks)

    monkeypatch.setattr("gossamer.pipeline.spark_session", no_spark)
    monkeypatch.setattr("gossamer.studies.engine.map_in_processes", in_turn)
    monkeypatch.setattr("gossamer.studies.engine._cores", lambda: 2)
    assert reproduce(TOY, instances=4) == reproduce(TOY, instances=4, engine="memory")
    assert not started
    assert reproduce(TOY, instances=5) == reproduce(TOY, instances=5, engine="memory")
    assert started
    with pytest.raises(EngineError, match="there is no Java"):
        reproduce(TOY, engine="spark")
    with pytest.raises(EngineError, match="there is no Java"):
        reproduce(TOY, instances=1, master="local[1]")


def test_processes_give_the_same_results(tmp_path: Path) -> None:
    result = reproduce(TOY, instances=3, engine="processes", store=tmp_path)
    assert result == reproduce(TOY, instances=3, engine="memory")
    assert len(ResultStore(tmp_path, "toy")) == 6
    assert sorted(map_in_processes(fail_at, [0, 1, 2], workers=2)) == [0, 2, 4]


@pytest.mark.parametrize(("task", "fault"), [(3, ParameterError), (-1, EngineError)])
def test_fault_in_a_process_is_raised(task: int, fault: type[Exception]) -> None:
    with pytest.raises(fault, match=r"three|a worker process ended"):
        list(map_in_processes(fail_at, [task], workers=1))
