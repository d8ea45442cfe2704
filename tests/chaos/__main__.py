"""Fault test of live services: ``script/chaos``.

Starts processes that publish to each other over proxies; kills, pauses, ends and cuts off some of
them; starts them again; and prints for each fault how many deliveries were expected, lost,
duplicated or out of order, and how long the last late one took. It fails if anything was lost or
duplicated.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tests.chaos.proxy import Proxies
from tests.chaos.records import Incarnation
from tests.chaos.verdict import Counts, Verdict, judge
from tests.chaos.worker import Job

FAULTS = ("none", "kill", "pause", "end", "cut")
PORT = 7400
FIRST_HOST = 2
"""Services have the addresses 127.0.1.2, 127.0.1.3, …, and their proxies 127.0.0.2, …."""
LEAD = 0.5
"""Seconds before a fault whose publications count as its own: they may still be on their way."""
SECONDS_TO_START = 90.0
SECONDS_TO_RETURN = 2.0
SECONDS_TO_SETTLE = 5.0
SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_TO_DRAIN = 60.0
SECONDS_TO_END = 30.0


@dataclass
class Plan:
    """Numbers of a test; see the options of the command."""

    services: int = 20
    topics: int = 10
    subscriptions: int = 4
    rate: float = 200.0
    faults: tuple[str, ...] = FAULTS
    pause: float = 10.0
    cut: float = 10.0
    slow: int = 1
    non_subscribers: float = 0.0
    protocol: str = "spidercast"
    seed: int = 1


@dataclass
class Period:
    """A fault and what follows it, up to the next one."""

    fault: str
    hit: tuple[int, ...]
    start: float
    over: float
    """Time at which the fault itself is over: from when on recovery counts."""


@dataclass
class Controller:
    """Starts the services and gives them faults."""

    plan: Plan
    folder: Path
    periods: list[Period] = field(default_factory=list)
    incarnations: list[Incarnation] = field(default_factory=list)

    def __post_init__(self) -> None:
        plan = self.plan
        self.draw = random.Random(plan.seed)
        order = self.draw.sample(range(plan.topics), plan.topics)
        self.topics = {
            service: [
                order[(service * plan.subscriptions + place) % plan.topics]
                for place in range(min(plan.subscriptions, plan.topics))
            ]
            for service in range(plan.services)
        }
        self.slow = frozenset(range(plan.services - plan.slow, plan.services))
        self.proxies = Proxies(lambda address: int(address.split(".")[-1]) - FIRST_HOST)
        self.mortal = self.draw.sample(range(plan.services - plan.slow), max(1, plan.services // 3))
        """Services that are killed or ended; the others run to the end of the test."""
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._present: dict[int, Incarnation] = {}

    def address(self, service: int, *, proxy: bool) -> str:
        """Return the host of a service, or of its proxy."""
        return f"127.0.{0 if proxy else 1}.{service + FIRST_HOST}"

    def record_of(self, one: Incarnation) -> Path:
        """Return the file of a record."""
        return self.folder / f"service-{one.service}-{one.number}.txt"

    def start(self, service: int) -> None:
        """Start a service, or start it again."""
        number = sum(one.service == service for one in self.incarnations)
        one = Incarnation(service, number)
        self.incarnations.append(one)
        self._present[service] = one
        others = [other for other in range(self.plan.services) if other != service]
        joined = [0, *self.draw.sample(others, min(2, len(others)))] if service else others[:2]
        mine = self.topics[service]
        foreign = sorted(set(range(self.plan.topics)) - set(mine))
        more = round(self.plan.non_subscribers * len(mine))
        job = Job(
            service, number,
            listen=f"{self.address(service, proxy=False)}:{PORT}",
            advertise=f"{self.address(service, proxy=True)}:{PORT}",
            join=[f"{self.address(other, proxy=True)}:{PORT}" for other in joined],
            source=self.address(service, proxy=True),
            topics=mine,
            publishes=[*mine, *self.draw.sample(foreign, min(more, len(foreign)))],
            rate=self.plan.rate / self.plan.services,
            record=str(self.record_of(one)),
            go=str(self.folder / "go"),
            protocol=self.plan.protocol,
            slow=service in self.slow,
        )  # fmt: skip
        with (self.folder / f"service-{service}-{number}.log").open("wb") as log:
            self._processes[service] = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.worker", msgspec.json.encode(job).decode()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

    async def run(self, report: Callable[[str], None]) -> None:
        """Start the services, let every fault happen, and end them."""
        for service in range(self.plan.services):
            target = (self.address(service, proxy=False), PORT)
            await self.proxies.serve(service, self.address(service, proxy=True), PORT, target)
        try:
            for service in range(self.plan.services):
                self.start(service)
            report(f"{self.plan.services} services start")
            await self._ready(SECONDS_TO_START)
            (self.folder / "go").touch()
            for fault in self.plan.faults:
                await self._let(fault, report)
            await self._end(report)
        finally:
            for process in self._processes.values():
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
            await self.proxies.close()
        for one in self.incarnations:
            path = self.record_of(one)
            if path.exists():
                with path.open() as lines:
                    one.read(lines)

    async def _let(self, fault: str, report: Callable[[str], None]) -> None:
        """Let a fault happen to some of the services, and wait until it is over."""
        happen: dict[str, Callable[[Collection[int]], Awaitable[None]]] = {
            "none": self._nothing, "kill": self._kill, "pause": self._pause,
            "end": self._end_some, "cut": self._cut,
        }  # fmt: skip
        count = {"none": 0, "pause": self.plan.services // 3, "cut": self.plan.services // 2}
        hit = sorted(
            self.draw.sample(sorted(set(self._present) - self.slow), count[fault])
            if fault in count
            else self.mortal
        )
        report(f"{fault}: services {', '.join(map(str, hit)) or 'none'}")
        start = time.monotonic()
        await happen[fault](hit)
        over = start if fault in ("kill", "end", "none") else time.monotonic()
        self.periods.append(Period(fault, tuple(hit), start, over))
        await self._ready(SECONDS_TO_START)
        await asyncio.sleep(SECONDS_TO_SETTLE)

    async def _nothing(self, hit: Collection[int]) -> None:
        await asyncio.sleep(SECONDS_TO_SETTLE)

    async def _kill(self, hit: Collection[int]) -> None:
        for service in hit:
            self._note_end(service, killed=True)
            self._processes[service].kill()
        await self._return(hit)

    async def _end_some(self, hit: Collection[int]) -> None:
        for service in hit:
            self._note_end(service)
            self._processes[service].terminate()
        await self._return(hit)

    async def _return(self, hit: Collection[int]) -> None:
        """Start services again that have ended."""
        await asyncio.sleep(SECONDS_TO_RETURN)
        for service in hit:
            await self._exited(service)
            self.start(service)

    async def _pause(self, hit: Collection[int]) -> None:
        for service in hit:
            self._processes[service].send_signal(signal.SIGSTOP)
        await asyncio.sleep(self.plan.pause)
        for service in hit:
            self._processes[service].send_signal(signal.SIGCONT)

    async def _cut(self, hit: Collection[int]) -> None:
        self.proxies.cut(hit)
        await asyncio.sleep(self.plan.cut)
        self.proxies.heal()

    def _note_end(self, service: int, *, killed: bool = False) -> None:
        one = self._present.pop(service)
        one.ended, one.killed = time.monotonic(), killed

    async def _ready(self, seconds: float) -> None:
        """Wait until each service that runs has found the subscribers of its topics."""
        end = time.monotonic() + seconds
        for service, one in self._present.items():
            path = self.record_of(one)
            while not path.exists() or "ready" not in path.read_text():
                code = self._processes[service].poll()
                if code is not None or time.monotonic() > end:
                    log = (self.folder / f"service-{service}-{one.number}.log").read_text()
                    why = "is not ready in time" if code is None else f"exited with code {code}"
                    raise SystemExit(f"service {service} {why}\n{log}")
                await asyncio.sleep(0.05)

    async def _exited(self, service: int) -> None:
        end = time.monotonic() + SECONDS_TO_END
        while self._processes[service].poll() is None:
            if time.monotonic() > end:
                raise SystemExit(f"service {service} has not ended in time")
            await asyncio.sleep(0.02)

    async def _end(self, report: Callable[[str], None]) -> None:
        """Let the services stop publishing, wait until nothing arrives any more, and end them."""
        report("services stop publishing")
        for service in self._present:
            self._processes[service].send_signal(signal.SIGINT)
        end, sizes, idle = time.monotonic() + SECONDS_TO_DRAIN, -1, 0
        while idle < 3 and time.monotonic() < end:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            size = sum(self.record_of(one).stat().st_size for one in self._present.values())
            idle = idle + 1 if size == sizes else 0
            sizes = size
        for service in self._present:
            self._processes[service].terminate()
        for service in self._present:
            await self._exited(service)


COLUMNS = (
    "fault", "services", "expected", "lost", "last_words", "dropped", "duplicated", "out_of_order",
    "to_returned", "p50_ms", "p99_ms", "max_ms", "recovered_s",
)  # fmt: skip


def row_of(period: Period, counts: Counts) -> tuple[object, ...]:
    """Return the row of a fault under :data:`COLUMNS`."""
    recovered = max(0.0, counts.recovered - period.over)
    return (
        period.fault, len(period.hit), counts.expected, counts.lost - counts.last_words,
        counts.last_words, counts.dropped, counts.duplicated, counts.out_of_order,
        counts.to_returned, *(f"{1000 * counts.percentile(share):.1f}" for share in (0.5, 0.99, 1)),
        f"{recovered:.1f}",
    )  # fmt: skip


def write_pairs(path: Path, verdict: Verdict) -> None:
    """Write the counts of each pair of publisher and subscriber."""
    names = (
        "expected",
        "lost",
        "last_words",
        "dropped",
        "duplicated",
        "out_of_order",
        "to_returned",
    )
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("publisher", "subscriber", *names))
        for pair, counts in sorted(verdict.pairs.items()):
            table.writerow((*pair, *(getattr(counts, name) for name in names)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    plan = Plan()
    found = argparse.ArgumentParser(prog="script/chaos", description=__doc__)
    for name, meaning in {
        "services": "number of processes",
        "topics": "number of topics",
        "subscriptions": "topics that each service subscribes to",
        "rate": "publications per second, of all services",
        "pause": "seconds for which services are stopped (SIGSTOP)",
        "cut": "seconds for which half of the services are cut off from the others",
        "slow": "number of services that read slowly, and drop what they cannot read",
        "non_subscribers": "topics that a service only publishes on, per subscription",
        "protocol": "protocol of the nodes",
        "seed": "seed of topics and faults",
    }.items():
        default = getattr(plan, name)
        option = f"--{name.replace('_', '-')}"
        found.add_argument(
            option, type=type(default), default=default, help=f"{meaning} (default: {default})"
        )
    found.add_argument(
        "--faults", type=lambda text: tuple(text.split(",")), default=plan.faults,
        help=f"faults, one after the other (default: {','.join(FAULTS)})",
    )  # fmt: skip
    found.add_argument("--out", type=Path, help="folder for records, logs and pairs.csv")
    return found


def main(words: Sequence[str]) -> int:
    """Run the test, and print its table."""
    given = vars(parser().parse_args(words))
    out: Path | None = given.pop("out")
    unknown = set(given["faults"]) - set(FAULTS)
    if unknown:
        raise SystemExit(f"--faults has {min(unknown)}; expected some of {', '.join(FAULTS)}")
    plan = Plan(**given)
    if not 2 <= plan.services <= 250:
        raise SystemExit(f"--services is {plan.services}; expected 2 to 250")
    if plan.services * min(plan.subscriptions, plan.topics) < 2 * plan.topics:
        raise SystemExit(f"--topics is {plan.topics}; expected two subscribers of each or more")
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        controller = Controller(plan, Path(folder) if out is None else out)
        with suppress(KeyboardInterrupt):
            asyncio.run(controller.run(lambda line: print(f"· {line}", file=sys.stderr)))
        starts = [period.start - LEAD for period in controller.periods]
        verdict = judge(controller.incarnations, controller.topics, starts, controller.slow)
        if out is not None:
            write_pairs(out / "pairs.csv", verdict)
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- |" + " ---: |" * (len(COLUMNS) - 1))
    for period, counts in zip(controller.periods, verdict.periods, strict=True):
        print("| " + " | ".join(map(str, row_of(period, counts))) + " |")
    lost = sum(one.lost - one.last_words for one in verdict.periods)
    return int(lost > 0 or any(one.duplicated for one in verdict.periods))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
