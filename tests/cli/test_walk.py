"""The count of modules and package hops of script/walk."""

from __future__ import annotations

import pytest

from tests.walk import JOURNEYS, Recorder, main, record


def test_a_recorder_counts_modules_and_steps_between_packages() -> None:
    recorder = Recorder()
    recorder.calls = {1: ["a/x.py", "a/y.py", "b/z.py", "a/x.py"], 2: ["b/z.py"]}
    assert recorder.files == {"a/x.py", "a/y.py", "b/z.py"}
    assert recorder.hops == 2
    assert recorder.paths[0] == [("a", ["x", "y"]), ("b", ["z"]), ("a", ["x"])]


@pytest.mark.parametrize("journey", ["design", "maintain", "publish", "simulate"])
def test_journeys_pass_through_their_packages(journey: str) -> None:
    (recorder,) = record(journey).values()
    packages = {module.partition("/")[0] for module in recorder.files}
    assert packages >= {
        "design": {"cli", "design", "model"},
        "maintain": {"cli", "maintain"},
        "simulate": {"cli", "sim"},
    }.get(journey, {"host", "live", "protocols"})
    assert recorder.hops > 0


def test_the_table_has_a_row_for_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["design", "--verbose"]) == 0
    head, row, *path = capsys.readouterr().out.splitlines()
    assert head.split() == ["journey", "files", "hops"]
    name, files, hops = row.split()
    assert (name, len(path) - 1) == ("design", int(hops))
    assert int(files) > 10
    with pytest.raises(SystemExit):
        main(["detour"])
    assert len(JOURNEYS) == 6
