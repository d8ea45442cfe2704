"""Every check, in the order that ends soonest on two cores: ``script/test``.

Format and lint come first. Then three lanes run at once: types and the tests on Spark, in one
process with one session; the golden digests, whose cases compile the kernels for the groups after
them; live nodes, which mostly wait. A lane that has ended takes from the other groups, so that both
cores have work until the end. Wrong types end the run. The end shows the time of each group, the
slowest tests and the totals.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["Check", "Outcome", "main"]

ROOT = Path(__file__).parents[1]
LIVE = ("tests/conformance/test_protocols.py", "tests/live")
PLAIN = {"NUMBA_DISABLE_JIT": "1", "GOSSAMER_HYPOTHESIS": "plain"}
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps compiled modules, and pytest rewritten ones: a dozen processes import each."""
WITHOUT_KERNELS = (
    "tables", "trees", "dissemination", "elasto_policy", "front", "neighbour_table", "notification",
    "spidercast_tasks", "stan_policy", "stan_views", "vitis_policy",
)  # fmt: skip
"""Property tests of other things than kernels: numba makes no difference to them."""
SECONDS_TO_STOP = 20
SLOWEST = 10


@dataclass(frozen=True)
class Check:
    """A command: its name in the summary, its words, settings, and lower priority on the cores."""

    name: str
    words: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    nice: int = 0
    is_pytest: bool = False


@dataclass(frozen=True)
class Outcome:
    """Result of a check: exit code, seconds, and of pytest the numbers and times of its tests."""

    check: Check
    code: int
    seconds: float
    processor_seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    tests: tuple[tuple[float, str], ...] = ()


def tool(name: str, *words: str) -> Check:
    """Return a check by a module of the environment."""
    return Check(name, (sys.executable, "-m", *words))


def pytest_check(
    name: str,
    *words: str,
    workers: int = 0,
    nice: int = 0,
    environment: dict[str, str] | None = None,
) -> Check:
    """Return a check by pytest, in one process unless it has workers.

    Each worker imports and collects all tests of the check, so they pay only for tests that wait.
    """
    how = ("-n", str(workers)) if workers else ("-p", "no:xdist")
    words = (sys.executable, "-m", "pytest", *how, *words)
    return Check(name, words, environment or {}, nice, is_pytest=True)


FORMAT = tool("format", "ruff", "format", "--check", "--quiet", ".")
LINT = tool("lint", "ruff", "check", "--quiet", ".")
TYPES = tool("types", "mypy")
GOLDEN = pytest_check("golden digests", "tests/golden")
LIVE_NODES = pytest_check("live nodes", *LIVE, workers=3)
CLASS_ARCHIVE = tool("class archive", "tests.class_archive")
SPARK = pytest_check("tests on Spark", "-m", "spark or processes", "tests/spark")
# in one process, since a second session costs more than it saves

DOCUMENTATION = pytest_check("documentation", "tests/docs", nice=5)
# in one process, which builds the site once and runs a command of several pages once
SIMULATIONS = pytest_check("simulations", "tests/simulation", nice=5)
COMMANDS = pytest_check("commands", "tests/cli", "tests/browser", "tests/installation", nice=5)
UNITS = pytest_check(
    "units and examples", "--doctest-modules", "tests/unit", "tests/architecture", "src", nice=5
)
PROPERTIES = pytest_check(
    "properties", "tests/property", "tests/conformance/test_algorithms.py", nice=5
)
IN_PYTHON = pytest_check(
    "kernels in plain Python", "-m", "not compiled", "tests/property",
    *(f"--ignore=tests/property/test_{name}.py" for name in WITHOUT_KERNELS),
    environment=PLAIN, nice=5,
)  # fmt: skip
OTHERS = (DOCUMENTATION, COMMANDS, SIMULATIONS, UNITS, PROPERTIES, IN_PYTHON)
"""Groups that a lane takes when it has ended: those that also wait for processes first, then the
longest first, so that both cores have work until the end."""

FAST = (
    pytest_check("unit tests", "tests/unit", "tests/architecture/test_layers.py"),
    pytest_check("golden digests of tiny inputs", "-k", "tiny", "tests/golden"),
)


class Runner:
    """Runs checks, prints their output, and collects their outcomes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: list[Outcome] = []
        self._running: list[subprocess.Popen[bytes]] = []
        self._stopped = False

    def run(self, check: Check) -> Outcome:
        """Run a check; its output is shown if it fails.

        Checks are process groups of one session, since Linux shares the cores equally among
        sessions, whatever the priorities of their processes.
        """
        place = self.folder / check.name.replace(" ", "-")
        words = list(check.words)
        if check.is_pytest:
            words += [f"--junitxml={place}.xml"]
        if check.nice and os.name == "posix":
            words = ["nice", "-n", str(check.nice), *words]
        started = time.monotonic()
        with place.with_suffix(".log").open("w+b") as log:
            process = subprocess.Popen(
                words, cwd=ROOT, env={**os.environ, **COMPILED, **check.environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, process_group=0,
            )  # fmt: skip
            self._running.append(process)
            code, processor_seconds = wait(process)
            kill(process)  # what it left behind
            self._running.remove(process)
            seconds = time.monotonic() - started
            report = place.with_suffix(".xml")
            outcome = read_outcome(check, code, seconds, processor_seconds, report)
            if code:
                log.seek(0)
                print(f"\n✗ {check.name}\n{log.read().decode(errors='replace')}", flush=True)
        print(f"· {check.name}: {described(outcome)}", flush=True)
        self.outcomes.append(outcome)
        return outcome

    def run_all(self, lanes: Sequence[Iterable[Check]]) -> None:
        """Run lanes of checks at once; those of a lane one after the other."""
        with ThreadPoolExecutor(len(lanes)) as pool:
            done: list[Future[None]] = [pool.submit(self._run_lane, lane) for lane in lanes]
            try:
                for one in done:
                    one.result()
            except BaseException:
                self.stop()
                raise

    def _run_lane(self, lane: Iterable[Check]) -> None:
        for check in lane:
            if not self._stopped:
                outcome = self.run(check)
                if check.name == TYPES.name and outcome.code:
                    self.stop()

    def stop(self) -> None:
        """Interrupt what is running, so that tests end their processes, and kill what remains."""
        self._stopped = True
        for process in self._running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        end = time.monotonic() + SECONDS_TO_STOP
        while any(one.poll() is None for one in self._running) and time.monotonic() < end:
            time.sleep(0.1)
        for process in self._running:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the processes in the group of a process."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def wait(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Wait for a process; return its exit code, and processor seconds with those of its children.

    Processes that it did not wait for are not counted: Java after Spark, and killed nodes.
    """
    if not hasattr(os, "wait4"):
        return process.wait(), 0.0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def read_outcome(
    check: Check, code: int, seconds: float, processor_seconds: float, report: Path
) -> Outcome:
    """Return the outcome of a check, with what pytest reported about each test."""
    if not check.is_pytest or not report.exists():
        return Outcome(check, code, seconds, processor_seconds)
    passed, failed, skipped = 0, 0, 0
    times: list[tuple[float, str]] = []
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        failed += bool(kinds & {"failure", "error"})
        skipped += "skipped" in kinds
        passed += not kinds & {"failure", "error", "skipped"}
        times.append((float(case.get("time", 0)), f"{case.get('classname')}::{case.get('name')}"))
    numbers = (passed, failed, skipped)
    return Outcome(check, code, seconds, processor_seconds, *numbers, tuple(times))


def described(outcome: Outcome) -> str:
    """Return the seconds of a check and what became of it, in a few words."""
    took = f"{outcome.seconds:.0f} s"
    if outcome.tests:
        return f"{took}, {outcome.passed} passed, {outcome.failed} failed"
    return took if outcome.code == 0 else f"{took}, failed with exit code {outcome.code}"


def summary(outcomes: Sequence[Outcome], seconds: float) -> Iterator[str]:
    """Yield the lines at the end: groups, slowest tests, totals."""
    yield "\nSeconds of each group, and those of processor time:"
    for one in sorted(outcomes, key=lambda one: -one.seconds):
        yield f"{one.seconds:8.1f} {one.processor_seconds:8.1f}  {one.check.name}"
    slowest = sorted((test for one in outcomes for test in one.tests), reverse=True)[:SLOWEST]
    if slowest:
        yield "Slowest tests:"
        yield from (f"{took:8.1f}  {name}" for took, name in slowest)
    for one in outcomes:
        if one.code:
            yield f"✗ {one.check.name} failed"
    passed, failed, skipped = (
        sum(getattr(one, what) for one in outcomes) for what in ("passed", "failed", "skipped")
    )
    yield f"{passed} passed, {failed} failed, {skipped} skipped in {seconds:.0f} s"


def all_checks(runner: Runner) -> None:
    """Run every check; tests only if format and lint are right."""
    runner.run_all([[FORMAT, LINT]])
    if any(one.code for one in runner.outcomes):
        return
    others = iter(OTHERS)
    firsts = ((TYPES, CLASS_ARCHIVE, SPARK), (GOLDEN,), (LIVE_NODES,))
    runner.run_all([chain(first, others) for first in firsts])


def fast_checks(runner: Runner) -> None:
    """Run what a developer needs to know within a minute."""
    runner.run_all([[FORMAT, LINT, TYPES], FAST])


def terminate(number: int, _frame: object) -> None:
    """End as an interruption does, so that processes are stopped."""
    raise SystemExit(128 + number)


def main(words: Sequence[str]) -> int:
    """Run every check: format, lint, types, tests, examples."""
    parser = argparse.ArgumentParser(prog="script/test", description=main.__doc__)
    parser.add_argument(
        "--fast", action="store_true",
        help="format, lint, types, unit tests and golden digests of tiny inputs (a minute)",
    )  # fmt: skip
    given = parser.parse_args(words)
    checks: Callable[[Runner], None] = fast_checks if given.fast else all_checks
    started = time.monotonic()
    signal.signal(signal.SIGTERM, terminate)
    with tempfile.TemporaryDirectory(prefix="script-test-") as folder:
        runner = Runner(Path(folder))
        checks(runner)
    print("\n".join(summary(runner.outcomes, time.monotonic() - started)))
    return int(any(one.code for one in runner.outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
