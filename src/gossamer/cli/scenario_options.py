"""Options of scenarios: interests, presence of the nodes, network, and run.

The names of the options are those of the fields of :class:`gossamer.Scenario`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gossamer.cli.options import (
    TableOptions,
    WorkloadOptions,
    argument,
    check_source,
    is_given,
    option,
)
from gossamer.cli.publication_options import PublicationOptions
from gossamer.errors import ParameterError
from gossamer.time import SECOND, parse_duration

if TYPE_CHECKING:
    from gossamer.model import Scenario
    from gossamer.tables import GivenPublications

OptionalSubscriptions = Annotated[
    Path | None,
    argument("Table of subscriptions: CSV or Parquet, plain or gzipped, or a folder of tables."),
]


class Departure(StrEnum):
    """End of a session."""

    leave = "leave"
    crash = "crash"


class SimulationEngine(StrEnum):
    """Engine of a simulation."""

    events = "events"
    cycles = "cycles"


@dataclass(frozen=True)
class RunOptions:
    """Engine, duration, and knowledge of the nodes at the start."""

    PANEL: ClassVar = "Run"

    engine: Annotated[
        SimulationEngine,
        option(
            "events: deliver each message at its own time. cycles: all nodes act once per "
            "simulated second (only vitis, rvr and opt)."
        ),
    ] = SimulationEngine.events
    duration: Annotated[
        str | None,
        option(
            "Simulated time, as in 60s or 2h (default: 1000s with --churn; without it, 120s, or "
            "with --engine events until no link has changed for 5s).",
            metavar="TIME",
        ),
    ] = None
    view: Annotated[
        str,
        option(
            "Peers that each node knows: all, a share of all, a number, or those known by gossip.",
            metavar="full|5%|200|gossip",
        ),
    ] = "full"
    initial_overlay: Annotated[
        str | None,
        option("Design algorithm of the initial overlay, as in low-oda:rho=5 (only elasto)."),
    ] = None
    rebuild: Annotated[
        str | None,
        option("Time between two new designs of the overlay (only elasto).", metavar="TIME"),
    ] = None
    rates: Annotated[
        str | None,
        option(
            "Publications per second on each topic (--engine cycles): a power law in which the "
            "first topic has the highest rate, or a table topic,per_second.",
            metavar="power-law:ALPHA|FILE",
        ),
    ] = None
    warm_up: Annotated[
        str | None,
        option(
            "Time after joining before a node is expected to receive publications (default: 0s, or "
            "10s with --engine cycles).",
            metavar="TIME",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.initial_overlay is not None:
            from gossamer.design.registry import resolve_algorithm

            resolve_algorithm(self.initial_overlay)

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a scenario."""
        return {
            "duration": self.duration and parse_duration(self.duration, "--duration"),
            "view": self.view,
            "rates": self.rates,
            "warm_up": self.warm_up and parse_duration(self.warm_up, "--warm-up", zero=True),
        }

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of :func:`gossamer.simulate`."""
        return {
            "engine": self.engine.value,
            "initial_overlay": self.initial_overlay,
            "rebuild": self.rebuild and parse_duration(self.rebuild, "--rebuild"),
        }


@dataclass(frozen=True)
class PresenceOptions:
    """Presence of the nodes over time."""

    PANEL: ClassVar = "Presence of the nodes"

    churn: Annotated[
        str | None,
        option(
            "Sessions of the nodes: a distribution of their lengths in seconds (exponential:300, "
            "weibull:0.6:300 or pareto:1.5:100; append :75 for a mean absence of 75 s; default: a "
            "quarter of the mean session); superpeer, "
            "a generated peer-to-peer network with a daily rhythm; rounds:1000, one join or leave "
            "per second; a table of sessions node,start,end in microseconds, or start_s,end_s in "
            "seconds, or dates; or a table of joins and leaves from gossamer churn. Append "
            ",flash:600:1000 for a flash crowd: from second 600 on, 1000 absent nodes join within "
            "10 s and stay for 600 s. Append :WINDOW:STAY for other times.",
            metavar="LAW|FILE[,flash:AT:JOINING]",
        ),
    ] = None
    time_scale: Annotated[
        float,
        option("Factor by which the times of superpeer or of a table of sessions are divided."),
    ] = 1.0
    departure: Annotated[
        Departure, option("How a node leaves: with messages to its neighbours, or by a crash.")
    ] = Departure.leave
    new_interests: Annotated[
        bool | None,
        option(
            "Interests of a node that returns: drawn again from --workload, or the same as before "
            "it left (default: drawn again with --workload and --engine events, else the same).",
            "--new-interests/--same-interests",
        ),
    ] = None

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a scenario."""
        return {**asdict(self), "departure": self.departure.value}


def parse_probability(text: str | float) -> float:
    """Return the value of ``0.05`` or of ``5%``.

    Examples
    --------
    >>> parse_probability("5%"), parse_probability("0.05")
    (0.05, 0.05)
    """
    number = str(text).strip()
    try:
        return float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise ParameterError(f"{text!r} is no probability; expected 0.05 or 5%") from None


def probability(text: str) -> Any:
    """Declare an option that is a probability."""
    return option(text, parser=parse_probability, metavar="0.05|5%")


@dataclass(frozen=True)
class NetworkOptions:
    """Delays and faults of the network."""

    PANEL: ClassVar = "Network"

    latency: Annotated[
        str | None,
        option(
            "Delay of messages: a range, or a file with a matrix of round-trip times between sites "
            "in milliseconds, where negative or nan means not measured (default in a simulation: "
            "uniform:5-15ms).",
            metavar="uniform:5-15ms|FILE",
        ),
    ] = None
    loss: Annotated[float, probability("Probability that a message is lost.")] = 0.0
    duplicate: Annotated[float, probability("Probability that a message is delivered twice.")] = 0.0
    reorder: Annotated[
        float, probability("Probability that a message is delayed by up to a further 100 ms.")
    ] = 0.0
    compound: Annotated[
        bool,
        option(
            "Combine the messages that one event causes from a node to a peer into a compound, "
            "which is lost, duplicated or delayed as a whole (default: each message separately)."
        ),
    ] = False
    partition: Annotated[
        str | None,
        option(
            "Intervals in which a random share of the nodes cannot reach the other nodes.",
            metavar="10s-20s:0.5[,…]",
        ),
    ] = None

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a scenario."""
        return asdict(self)


def read_saved_scenario(
    path: Path | None, subscriptions: Path | None, workload: WorkloadOptions
) -> tuple[Scenario | None, dict[str, Any]]:
    """Read a saved scenario, if one is given, and the arguments of its simulation."""
    from gossamer.sim.scenario_file import read_scenario

    if path is None:
        return None, {}
    if subscriptions or workload.workload:
        raise ParameterError("--scenario has its own interests; leave out the others")
    return read_scenario(path)


def make_scenario(
    context: typer.Context,
    path: Path | None,
    table: TableOptions,
    workload: WorkloadOptions,
    seed: int,
    options: Mapping[str, str],
) -> Scenario:
    """Read or generate the interests of a scenario; ``options`` are those of the kind, as text."""
    from gossamer.model import Scenario
    from gossamer.workloads import generate_workload

    check_source(context, path, workload.workload)
    if path is not None:
        return Scenario(table.read(path), seed=seed)
    assert workload.workload is not None
    spec = workload.spec(workload.workload, seed, options)
    return Scenario(generate_workload(spec), workload=spec, seed=seed)


def build_scenario(
    context: typer.Context,
    scenario: Scenario,
    groups: tuple[RunOptions, PresenceOptions, NetworkOptions],
    published: PublicationOptions,
    *,
    engine: str,
    seed: int,
    saved: bool,
) -> tuple[Scenario, GivenPublications | None]:
    """Return a scenario with the values of all options, and the table of its publications.

    Of a ``saved`` scenario only the options that are given replace values. Publications are
    spread over the later part of the run.
    """
    from gossamer.workloads import resolve_duration

    fields: dict[str, Any] = {"seed": seed, "payload": published.payload}
    for group in groups:
        fields |= group.fields
    if groups[1].new_interests is None:
        churns = engine == "events" and groups[1].churn is not None
        fields["new_interests"] = churns and scenario.workload is not None
    if saved:
        fields = {name: value for name, value in fields.items() if is_given(context, name)}
    if not published.given:
        for name in ("payload", "warm_up"):
            if is_given(context, name) and scenario.publications is None and engine == "events":
                raise ParameterError(f"{name} is for publications; give --publish too")
        return replace(scenario, **fields), None
    scenario = replace(scenario, **fields)
    found, given = published.read(scenario.interests, scenario.seed)
    end = resolve_duration(scenario) * SECOND
    spread = found.between(round(end / 2), round(end * 9 / 10))
    return replace(scenario, publications=spread), given
