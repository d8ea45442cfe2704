"""The runner of script/test: output of failures, totals, and processes that are left behind."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.run import Check, Runner, main, pytest_check, summary

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


def test_an_unknown_option_fails() -> None:
    with pytest.raises(SystemExit):
        main(["--fastest"])
