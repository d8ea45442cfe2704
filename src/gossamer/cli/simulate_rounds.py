"""``gossamer simulate --engine rounds``: all nodes at once, by kernels over arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.display import show_facts, show_line, show_table, typed_options
from gossamer.cli.durations import parse_duration
from gossamer.cli.progress import shown_progress
from gossamer.cli.publication_options import PUBLISHING_PANEL

if TYPE_CHECKING:
    from gossamer.cycles import RoundSimulation
    from gossamer.model import Interests
    from gossamer.registry import Options

__all__ = [
    "EventsEach",
    "Grace",
    "How",
    "HowOption",
    "Rates",
    "Rounds",
    "check_engine_of",
    "check_how",
    "list_models",
    "model_options",
    "simulate_in_rounds",
    "suggest_rounds",
]

ROUNDS_PANEL = "In rounds, all nodes at once (--engine rounds)"
ROWS = 12
DEFAULT_ROUNDS = 120
DEFAULT_GRACE = 10
MANY_NODES = 2_000
"""Above so many, machines take much longer than rounds."""


class How(StrEnum):
    """What a simulation is made of."""

    machines = "machines"
    rounds = "rounds"


HowOption = Annotated[
    How,
    typer.Option(
        "--engine",
        help="A machine and a host for each node, message by message, or all nodes at once, round "
        "by round; --list says which protocols can run in rounds.",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        help="How many, a second each (default: 120; with --churn as long as --until).",
        show_default=False,
        rich_help_panel=ROUNDS_PANEL,
    ),
]
Rates = Annotated[
    str | None,
    typer.Option(
        metavar="power-law:ALPHA|FILE",
        help="How often each topic is published on: by a power law, the first topic most, or a "
        "table: topic,per_second.",
        show_default=False,
        rich_help_panel=ROUNDS_PANEL,
    ),
]
Grace = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="With --churn: a node is expected to get what is published from so long after it "
        "came (default: 10s in rounds, with machines 0s).",
        show_default=False,
        rich_help_panel=PUBLISHING_PANEL,
    ),
]
EventsEach = Annotated[
    int,
    typer.Option(
        "--events",
        help="Events on each topic whenever something is measured.",
        rich_help_panel=ROUNDS_PANEL,
    ),
]

OF_MACHINES = {
    "view": "--view",
    "latency": "--latency",
    "loss": "--loss",
    "creator": "--creator",
    "rebuild": "--rebuild",
    "publish": "--publish",
    "publications": "--publications",
    "payload": "--payload",
    "overlay": "--overlay",
    "views": "--views",
    "by_node": "--by-node",
    "trace": "--trace",
    "count_bytes": "--bytes",
}
OF_ROUNDS = {"rounds": "--rounds", "rates": "--rates", "events": "--events"}


def check_how(context: typer.Context, how: How, *, departure: str, rejoin: str | None) -> None:
    """Refuse options of the one engine with the other."""
    from gossamer.errors import ParameterError

    def typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    if how is How.machines:
        for name, flag in OF_ROUNDS.items():
            if typed(name):
                raise ParameterError(f"{flag} is about rounds; give --engine rounds too")
        if typed("grace") and not (typed("publish") or typed("publications")):
            raise ParameterError("--grace is about what is published; give --publish too")
        return
    for name, flag in OF_MACHINES.items():
        if typed(name):
            raise ParameterError(
                f"{flag} is about machines that send messages; leave it out with --engine rounds"
            )
    if typed("departure") and departure == "leave":
        raise ParameterError("--departure is 'leave'; in rounds, nodes go without a word: crash")
    if rejoin == "fresh":
        raise ParameterError(
            "--rejoin is 'fresh'; in rounds, nodes come back with the same topics: same"
        )
    if typed("grace") and not typed("churn"):
        raise ParameterError("--grace is about nodes that come and go; give --churn too")
    if typed("rounds") and typed("until"):
        raise ParameterError("--rounds and --until say the same: a round is a second; give one")


def simulate_in_rounds(
    protocol: str,
    options: Mapping[str, Any],
    read: Callable[[], Interests],
    *,
    rounds: int | None,
    until: str | None,
    every: str | None,
    rates: str | None,
    churn: str | None,
    speed_up: float,
    by_name: bool,
    grace: str | None,
    events: int,
    seed: int,
    picture: Path | None,
    out: Path | None,
) -> None:
    """Run a simulation in rounds, as the command's options say, and show what came of it."""
    from gossamer.cycles import simulate_rounds
    from gossamer.sim.setting import find_sessions
    from gossamer.sim.simulation import MAX_WITH_CHURN

    count = rounds
    if count is None:
        count = DEFAULT_ROUNDS if churn is None else round(MAX_WITH_CHURN)
    if until is not None:
        count = _whole_seconds(until, "--until")
    between = None if every is None else _whole_seconds(every, "--snapshots")
    waited = DEFAULT_GRACE if grace is None else _whole_seconds(grace, "--grace", least=0)
    with shown_progress() as progress:
        progress("reading", 0.0)
        interests = read()
        by_topic, told = (None, "") if rates is None else _find_rates(rates, interests)
        sessions, how = None, ""
        if churn is not None:
            sessions, how = find_sessions(
                churn, interests, until=count, seed=seed, faster=speed_up, by_name=by_name
            )
        done = simulate_rounds(
            protocol,
            interests,
            options=options,
            rates=by_topic,
            sessions=sessions,
            rounds=count,
            every=between,
            events=events,
            grace=waited,
            seed=seed,
            progress=progress,
        )
        progress("writing", 1.0)
        _write(done, picture, out)
    if told:
        show_line(f"rates: {told}")
    if how:
        show_line(f"sessions: {how}; nodes count from {waited} s after they came")
    _show(done)


def list_models() -> None:
    """Say which protocols can run in rounds, with which options."""
    from gossamer.cycles.models import MODELS

    show_table(
        "Protocols that can run in rounds: --engine rounds",
        ("name", "what it does", "options"),
        [(one.name, one.summary, typed_options(one.options.listed)) for one in MODELS.values()],
        apart=True,
    )


def model_options(protocol: str) -> Options:
    """Return the options of a protocol that can run in rounds."""
    from gossamer.cycles.models import find_model

    return find_model(protocol).options


def check_engine_of(own: Mapping[str, str], protocol: str, how: How) -> None:
    """Say so where an option is one of the protocol with the other engine."""
    from gossamer.cycles.models import MODELS
    from gossamer.errors import ParameterError
    from gossamer.protocols import protocols

    other = How.machines if how is How.rounds else How.rounds
    entries: dict[How, Mapping[str, Any]] = {How.machines: protocols(), How.rounds: MODELS}
    if any(protocol not in entry for entry in entries.values()):
        return
    flags = {
        one: {option.flag for option in entry[protocol].options.listed}
        for one, entry in entries.items()
    }
    for name in own:
        if f"--{name}" in flags[other] - flags[how]:
            raise ParameterError(
                f"--{name} is an option of {protocol} with --engine {other.value}, not "
                f"--engine {how.value}"
            )


def suggest_rounds(protocol: str, nodes: int) -> None:
    """Say that rounds are faster, where machines of this protocol will take long."""
    from gossamer.cycles.models import MODELS

    if protocol in MODELS and nodes > MANY_NODES:
        typer.echo(f"{nodes:,} nodes: --engine rounds simulates {protocol} faster", err=True)


def _whole_seconds(text: str, option: str, *, least: int = 1) -> int:
    from gossamer.errors import ParameterError

    if least == 0 and text.strip().lower() in ("0", "0s"):
        return 0
    seconds = parse_duration(text, option)
    if seconds != round(seconds):
        raise ParameterError(f"{option} is {text!r}; expected whole seconds, since a round is one")
    return round(seconds)


def _find_rates(text: str, interests: Interests) -> tuple[Any, str]:
    """Return rates by a law or of a table, and a word on them."""
    from gossamer.errors import ParameterError
    from gossamer.tables import read_rates
    from gossamer.workloads import power_law_rates

    law, colon, alpha = text.partition(":")
    if law == "power-law" and colon:
        try:
            exponent = float(alpha)
        except ValueError:
            raise ParameterError(
                f"--rates is {text!r}; expected a number, as in power-law:1.2"
            ) from None
        return power_law_rates(interests.topic_count, exponent), text
    path = Path(text)
    if not text.strip() or not (path.exists() or "/" in text or path.suffix):
        raise ParameterError(f"--rates is {text!r}; expected power-law:1.2, or a table of rates")
    rates, unknown = read_rates(path, interests)
    quiet = int((rates == 0).sum())
    told = f"of {len(rates) - quiet:,} topics; nothing is published on {quiet:,} others"
    if unknown:
        some = ", ".join(unknown[:3]) + (", …" if len(unknown) > 3 else "")
        told += f"; {len(unknown):,} in the table are wanted by nobody ({some})"
    return rates, told


def _write(done: RoundSimulation, picture: Path | None, out: Path | None) -> None:
    from gossamer.tables import ROUNDS, write_table

    if out is not None:
        rows = [one.summary().values() for one in done.measured]
        write_table(out, ROUNDS.table(*zip(*rows, strict=True)))
    if picture is not None:
        from gossamer.viz.cycles import rounds_picture

        rounds_picture(done, picture)


def _show(done: RoundSimulation) -> None:
    from gossamer.cycles.models import find_model

    ringed = find_model(done.protocol).ringed
    if len(done.measured) > 1:
        step = max(1, -(-len(done.measured) // ROWS))
        chosen = [*done.measured[step - 1 :: step]]
        if chosen[-1] is not done.last:
            chosen.append(done.last)
        show_table(
            "Over rounds",
            ("round", "nodes", "mean links", "max", *(("ring right",) if ringed else ()),
             "hit ratio", "overhead", "mean hops", "most"),
            [
                (one.now, one.nodes, one.links_mean, one.links_max,
                 *((_percent(one.ring),) if ringed else ()), _ratio(one.hit_ratio),
                 one.traffic.overhead, None if math.isnan(one.hops) else one.hops, one.furthest)
                for one in chosen
            ],
            numbers=True,
        )  # fmt: skip
    last = done.last
    facts: dict[str, Any] = {
        "nodes": last.nodes,
        "links of a node, mean": last.links_mean,
        "links of a node, most": last.links_max,
    }
    if ringed and last.nodes:
        facts |= {
            "ring right, of nodes": _percent(last.ring),
            "one rendezvous node, of topics": _percent(last.rendezvous),
            "gateways, of subscriptions": _percent(last.gateways),
        }
    facts |= {
        "hit ratio": _ratio(last.hit_ratio),
        "traffic overhead": last.traffic.overhead,
        "traffic overhead, every notification counted": last.traffic.overhead_with_duplicates,
        "traffic overhead, mean over nodes": last.traffic.mean_over_nodes,
        "hops of a delivery, mean": None if math.isnan(last.hops) else last.hops,
        "hops of a delivery, most": None if math.isnan(last.hops) else last.furthest,
    }
    if done.departures:
        facts |= {"joins": done.joins, "departures": done.departures}
    facts["seconds"] = done.seconds
    facts["seconds a round"] = done.seconds / done.rounds
    show_facts(f"{done.protocol}, seed {done.seed}, after {done.rounds:,} rounds", facts)
    total = sum(done.spent.values()) or 1.0
    longest = sorted(done.spent.items(), key=lambda item: -item[1])
    show_line("time: " + ", ".join(f"{work} {100 * part / total:.0f} %" for work, part in longest))


def _ratio(share: float) -> str | None:
    """Return a hit ratio as it is shown: nothing where nothing was expected."""
    return None if math.isnan(share) else f"{share:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
