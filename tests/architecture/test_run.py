"""The runner of script/test: output of failures, totals, and processes that are left behind."""

from __future__ import annotations

import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from tests.run import (
    GOLDEN,
    IN_PYTHON,
    LIVE_NODES,
    OTHERS,
    SPARK,
    Check,
    Runner,
    main,
    pytest_check,
    summary,
)

TESTS = Path(__file__).parents[1]

PASSES_AND_FAILS = """
import pytest

def test_passes(): pass
def test_fails(): assert "seven" == "eight"
@pytest.mark.skip
def test_is_skipped(): pass
"""


def python(name: str, code: str) -> Check:
    return Check(name, (sys.executable, "-c", code))


def test_output_of_failing_check_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = Runner(tmp_path)
    runner.run_all([[python("good", "print('fine')")], [python("bad", "exit('trouble')")]])
    shown = capfd.readouterr().out
    assert "trouble" in shown
    assert "fine" not in shown
    assert {one.check.name: one.code for one in runner.outcomes} == {"good": 0, "bad": 1}
    assert "✗ bad failed" in list(summary(runner.outcomes, 1.0))


def test_totals_and_slowest_tests_are_those_of_pytest(tmp_path: Path) -> None:
    path = tmp_path / "test_some.py"
    path.write_text(PASSES_AND_FAILS)
    runner = Runner(tmp_path / "reports")
    runner.folder.mkdir()
    outcome = runner.run(pytest_check("some", str(path), "--rootdir", str(tmp_path)))
    assert (outcome.passed, outcome.failed, outcome.skipped, outcome.code) == (1, 1, 1, 1)
    *lines, last = summary([outcome], 2.0)
    assert last == "1 passed, 1 failed, 1 skipped in 2 s"
    assert any("test_some::test_fails" in line for line in lines)


def test_processes_left_behind_are_killed(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid))\n"
    )
    Runner(tmp_path).run(python("parent", code))
    child = Path("/proc", (tmp_path / "child").read_text(), "stat")
    end = time.monotonic() + 10
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def test_every_file_of_tests_is_in_one_group() -> None:
    groups = [GOLDEN, LIVE_NODES, SPARK, *(one for one in OTHERS if one is not IN_PYTHON)]
    paths = [TESTS.parent / word for one in groups for word in one.words if "tests/" in word]
    for file in TESTS.rglob("test_*.py"):
        assert sum(file.is_relative_to(path) for path in paths) == 1, file


def test_lanes_share_the_checks_that_follow(tmp_path: Path) -> None:
    others = iter([python(f"other {number}", "") for number in range(5)])
    runner = Runner(tmp_path)
    runner.run_all([chain([python(name, "")], others) for name in ("first", "second")])
    expected = {"first", "second", *(f"other {number}" for number in range(5))}
    assert {one.check.name for one in runner.outcomes} == expected
    assert len(runner.outcomes) == len(expected)


def test_an_unknown_option_fails() -> None:
    with pytest.raises(SystemExit):
        main(["--fastest"])
