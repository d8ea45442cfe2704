"""The way of the data through the modules, for six journeys: ``script/walk design``.

A step of a journey is done twice on a tiny input: the first time imports modules and compiles
kernels, the second time is recorded with ``sys.setprofile``, in all threads. ``files`` is the
number of modules whose functions are called; ``hops`` is the number of calls into another package
than that of the call before. Modules at the top (errors, progress, registry) are in no package and
do not count. Compiled kernels and Spark's worker processes are not seen.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import groupby
from pathlib import Path
from types import FrameType

import gossamer
from tests.quick_spark import QUICK_SPARK

__all__ = ["JOURNEYS", "Recorder", "main", "record"]

SOURCE = f"{Path(gossamer.__file__).parent}/"
ON_SPARK = ("spark", "reproduce")
INPUTS = {
    "s.csv": "node,topic\nann,tea\nann,jazz\nbob,jazz\nbob,go\ncy,tea\ncy,go\ndee,go\ndee,jazz\n",
    "churn.csv": "time_s,node,event\n1,bob,leave\n2,ann,leave\n3,bob,join\n4,cy,leave\n5,cy,join\n",
}
"""Subscriptions of four nodes, and five events."""


class Recorder:
    """The sequence of modules whose functions are called, of each thread."""

    def __init__(self) -> None:
        self.calls: dict[int, list[str]] = {}

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record a call (the callback of ``sys.setprofile``)."""
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(SOURCE) and "/" in name[len(SOURCE) :]:
            self.calls.setdefault(threading.get_ident(), []).append(name.removeprefix(SOURCE))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the calls inside a ``with`` statement."""
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @property
    def files(self) -> set[str]:
        """The modules that were called."""
        return {module for called in self.calls.values() for module in called}

    @property
    def paths(self) -> list[list[tuple[str, list[str]]]]:
        """The packages in the order of the calls, with the modules called there, of each thread."""
        return [
            [
                (package, [short(module) for module, _ in groupby(modules)])
                for package, modules in groupby(called, lambda module: module.partition("/")[0])
            ]
            for called in self.calls.values()
        ]

    @property
    def hops(self) -> int:
        """Number of calls into another package than that of the call before."""
        return sum(len(path) - 1 for path in self.paths)


Step = Callable[[Path, Recorder], None]


def command(line: str) -> Step:
    """Return a step that runs a command, in which ``{}`` is the folder."""

    def run(folder: Path, recorder: Recorder) -> None:
        from typer.testing import CliRunner

        from gossamer.cli.main import app

        for name, recorded in (("first", nullcontext()), ("second", recorder.recording())):
            place = folder / name
            place.mkdir(exist_ok=True)
            for file, content in INPUTS.items():
                (place / file).write_text(content)
            with recorded:
                done = CliRunner().invoke(app, line.format(place).split())
            if done.exit_code:
                raise SystemExit(f"gossamer {line}\n{done.output}")

    return run


def publish(_folder: Path, recorder: Recorder) -> None:
    """Publish from one live node to another, until the subscriber has the event."""
    from gossamer.live import Node

    async def run() -> None:
        async with Node(topics=["tea"]) as first, Node(join=[first.address]) as second:
            events = second.subscribe("tea")
            while not (first.links and second.links):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)
            for recorded in (nullcontext(), recorder.recording()):
                with recorded:
                    await first.publish(["tea"], b"green")
                    await anext(events)

    asyncio.run(run())


JOURNEYS: dict[str, dict[str, Step]] = {
    "design": {"design": command("design {0}/s.csv --out {0}/links.csv")},
    "spark": {
        "ingest": command("ingest pairs {0}/s.csv --out {0}/tables"),
        "profile": command("profile {0}/tables --engine spark --out {0}/profile"),
        "design": command("design {0}/tables --engine spark --out {0}/tables"),
        "assess": command("assess {0}/tables {0}/tables --engine spark"),
    },
    "publish": {"publish": publish},
    "simulate": {
        "simulate": command("simulate spidercast {0}/s.csv --churn {0}/churn.csv --duration 6s")
    },
    "reproduce": {
        "reproduce": command("reproduce td-cd-oda --table I --instances 1 --engine spark --out {0}")
    },
    "maintain": {"maintain": command("maintain {0}/s.csv --events {0}/churn.csv --out {0}/out")},
}


@contextmanager
def session_of(journey: str) -> Iterator[None]:
    """Keep one Spark session open for all steps of a journey on Spark."""
    if journey not in ON_SPARK:
        yield
        return
    from gossamer.pipeline import spark_session

    with spark_session(master="local[2]", settings=QUICK_SPARK):
        yield


def record(journey: str) -> dict[str, Recorder]:
    """Make a journey, and return what was recorded of each of its steps."""
    recorders = {name: Recorder() for name in JOURNEYS[journey]}
    with tempfile.TemporaryDirectory() as folder, session_of(journey):
        for name, step in JOURNEYS[journey].items():
            step(Path(folder), recorders[name])
    return recorders


def main(words: Sequence[str]) -> int:
    """Count the modules and package hops that the data takes on a journey."""
    parser = argparse.ArgumentParser(prog="script/walk", description=main.__doc__)
    parser.add_argument("journeys", nargs="*", metavar="JOURNEY", help=", ".join(JOURNEYS))
    parser.add_argument("--verbose", action="store_true", help="print the modules in their order")
    given = parser.parse_args(words)
    if unknown := set(given.journeys) - JOURNEYS.keys():
        parser.error(f"no journey is named {unknown.pop()!r}; expected {', '.join(JOURNEYS)}")
    print(f"{'journey':20}{'files':>6}{'hops':>7}")
    for journey in given.journeys or JOURNEYS:
        for step, recorder in record(journey).items():
            name = journey if step == journey else f"{journey}: {step}"
            print(f"{name:20}{len(recorder.files):6,}{recorder.hops:7,}", flush=True)
            for path in recorder.paths if given.verbose else ():
                for package, modules in path:
                    print(f"    {package:14} {' '.join(modules)}")
    return 0


def short(module: str) -> str:
    """Return a module's name without its package."""
    return module.partition("/")[2].removesuffix(".py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
