"""Recording, display and files of ``gossamer simulate``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import typer

from gossamer.cli.display import format_options, show_facts, show_line, show_meanings, show_table
from gossamer.cli.dissemination_output import show_disseminations
from gossamer.cli.options import is_given, option
from gossamer.cli.output_files import check_outputs
from gossamer.time import SECOND, parse_duration

if TYPE_CHECKING:
    from gossamer.model import Interests
    from gossamer.sim import Recording, Simulation

ROWS = 12
SAVED = ("snapshots", "events_per_topic")
"""Settings of the recording in a saved scenario."""
Row = TypeVar("Row")


@dataclass(frozen=True)
class OutputOptions:
    """Recording and output files."""

    PANEL: ClassVar = "Output"

    snapshots: Annotated[
        str | None,
        option(
            "Time between snapshots (default: 200ms at first, later 1s; with --engine cycles, one "
            "snapshot at the end).",
            metavar="TIME",
        ),
    ] = None
    events_per_topic: Annotated[
        int, option("Number of publications on each topic at each snapshot (--engine cycles).")
    ] = 1
    check_invariants: Annotated[
        bool, option("Check the state of each node after each event, for protocol developers.")
    ] = False
    picture: Annotated[
        Path | None,
        option("Picture of the overlay and its messages over time: .png, .svg or .pdf."),
    ] = None
    out: Annotated[
        Path | None, option("Table of the snapshots: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.")
    ] = None
    overlay: Annotated[
        Path | None, option("Table of the links at the end, as gossamer design writes it.")
    ] = None
    views: Annotated[
        Path | None,
        option("Table of the neighbours on each topic at the end, for gossamer disseminate."),
    ] = None
    by_node: Annotated[
        Path | None,
        option(
            "Table of each node at each snapshot: its number of links (degree, PVS), and its "
            "number of neighbours summed over its topics (view, LVS)."
        ),
    ] = None
    trace: Annotated[Path | None, option("Table of all events: .parquet.")] = None
    count_bytes: Annotated[
        bool, option("Encode every message, and count the bytes sent.", "--bytes")
    ] = False

    def check(
        self, engine: str, inputs: Sequence[str | Path | None], scenario: Path | None
    ) -> list[Path]:
        """Return the files to write; raise if one cannot be, or the engine does not have it."""
        from gossamer.errors import ParameterError

        for flag in ("overlay", "views"):
            if engine == "cycles" and getattr(self, flag) is not None:
                raise ParameterError(f"{flag} is for the event-driven engine")
        tables = (self.out, self.overlay, self.views, self.by_node)
        return check_outputs(tables, self.picture, inputs, parquet=self.trace, toml=scenario)

    def recording(self, context: typer.Context, stored: Mapping[str, Any]) -> Recording:
        """Return what the simulation records; ``stored`` are values of a saved scenario."""
        from gossamer.sim import Recording

        snapshots = self.snapshots and parse_duration(self.snapshots, "--snapshots")
        events = self.events_per_topic
        return Recording(
            snapshots=snapshots or stored.get("snapshots"),
            events_per_topic=events
            if is_given(context, "events_per_topic")
            else stored.get("events_per_topic", events),
            trace=self.trace is not None,
            by_node=self.by_node is not None,
            bytes=self.count_bytes,
            check_invariants=self.check_invariants,
        )

    def write(self, result: Simulation) -> None:
        """Write the files."""
        from gossamer import tables

        names = result.scenario.interests.node_names
        if self.out is not None:
            if result.engine == "events":
                from dataclasses import astuple

                rows: Iterable[Any] = map(astuple, result.snapshots)
                schema = tables.SNAPSHOTS
            else:
                rows, schema = (one.summary().values() for one in result.cycles), tables.ROUNDS
            tables.write_table(self.out, schema.table(*zip(*rows, strict=True)))
        if self.overlay is not None:
            tables.write_links(self.overlay, _last_interests(result), result.last.overlay)
        if self.views is not None:
            links = result.last.views.links(result.last.interests)
            tables.write_views(self.views, _last_interests(result), links)
        if self.by_node is not None and result.by_node is not None:
            tables.write_table(self.by_node, tables.node_links_table(result.by_node, names))
        if self.trace is not None and result.trace is not None:
            tables.write_table(self.trace, tables.trace_table(result.trace, names))
        if self.picture is not None:
            from gossamer.viz.cycles import cycles_picture
            from gossamer.viz.simulation import simulation_picture

            draw = simulation_picture if result.engine == "events" else cycles_picture
            draw(result, self.picture)


def _last_interests(result: Simulation) -> Interests:
    """Return the interests at the end, with the names of the scenario."""
    from dataclasses import replace

    names = result.scenario.interests
    return replace(
        result.last.interests,
        node_names=names.node_names[result.last.nodes],
        topic_names=names.topic_names,
    )


def show_protocols() -> None:
    """Show the protocols of both engines, and their options."""
    from gossamer.cycles.models import MODELS
    from gossamer.protocols import protocols

    listed: list[tuple[str, list[tuple[Any, str]]]] = [
        ("Protocols", [(one, f"{one.summary}\n{one.reference}") for one in protocols().values()]),
        ("Protocols with --engine cycles", [(one, one.summary) for one in MODELS.values()]),
    ]
    for title, rows in listed:
        show_table(
            title,
            ("name", "description", "options"),
            [(one.name, text, format_options(one.options.listed)) for one, text in rows],
            apart=True,
        )
    show_meanings(protocols().values())


def show_simulation(result: Simulation) -> None:
    """Show the overlay over time, messages, publications, and the end."""
    for what, origin in result.origins.items():
        show_line(f"{what}: {origin}")
    if result.engine == "cycles":
        _show_cycles(result)
        return
    _show_snapshots(result)
    _show_messages(result)
    last = result.snapshots[-1]
    facts: dict[str, Any] = {
        name: value for name, value in result.assessment.summary().items() if name != "topics"
    }
    facts |= {
        "topics": last.topics,
        "topics connected": last.topics_connected,
        "half-open links, known to one end": last.half_open,
        "last change of a link, second": "not converged"
        if result.converged_at is None
        else result.converged_at / SECOND,
        "messages": last.messages,
        "messages lost": result.messages.lost,
        "messages per node, mean": result.messages.per_node_mean,
        "messages per node, maximum": result.messages.per_node_max,
    }
    if result.departures:
        changes = result.joins + result.departures
        facts |= {
            "joins, including the first, and departures": changes,
            "control messages for each": last.control / changes,
            "every topic connected in every snapshot": result.connected_throughout,
        }
    facts |= {
        "events": result.events,
        "seconds": result.seconds,
        "events per second": result.events / max(result.seconds, 1e-9),
    }
    if result.dissemination is not None:
        show_disseminations("Publications", [result.dissemination])
        show_line("")
    show_facts(
        f"{result.protocol}, seed {result.scenario.seed}, at {last.time / SECOND:g} s", facts
    )


def _show_snapshots(result: Simulation) -> None:
    show_table(
        "Over time",
        ("second", "nodes", "topics connected", "components", "mean degree", "max", "mean view",
         "half-open", "messages"),
        [
            (
                f"{one.time / SECOND:g}", one.nodes,
                f"{one.topics_connected:,} of {one.topics:,}", one.components, one.mean_degree,
                one.max_degree, one.mean_view, one.half_open, one.messages,
            )
            for one in _thin(result.snapshots)
        ],
        numbers=True,
    )  # fmt: skip


def _show_messages(result: Simulation) -> None:
    from gossamer.protocols import find_protocol

    counts, sizes = result.messages.by_kind, result.messages.bytes_by_kind
    per = "per incarnation" if result.departures else "per node"
    rows = [
        (kind, count, count / max(result.joins, 1), *((sizes.get(kind, 0),) if sizes else ()))
        for kind, count in counts.items()
    ]
    header = ("kind", "sent", per, *(("bytes",) if sizes else ()))
    show_table("Messages", header, rows, numbers=True)
    entry = find_protocol(result.protocol)
    if entry.delivers and not entry.topic_connected:
        show_line(
            f"{entry.name} reaches subscribers through relay nodes: topics need not be connected\n"
        )


def _show_cycles(result: Simulation) -> None:
    from gossamer.cycles.models import find_model

    last, has_ring = result.last_cycle, find_model(result.protocol).has_ring
    if len(result.cycles) > 1:
        show_table(
            "Over cycles",
            ("cycle", "nodes", "mean links", "max", *(("ring right",) if has_ring else ()),
             "hit ratio", "overhead", "mean hops", "max"),
            [
                (one.cycle, one.nodes, one.links_mean, one.links_max,
                 *((_percent(one.ring),) if has_ring else ()), _ratio(one.hit_ratio),
                 one.traffic.overhead, None if math.isnan(one.hops) else one.hops, one.furthest)
                for one in _thin(result.cycles)
            ],
            numbers=True,
        )  # fmt: skip
    facts: dict[str, Any] = {
        "nodes": last.nodes,
        "links per node, mean": last.links_mean,
        "links per node, maximum": last.links_max,
    }
    if has_ring and last.nodes:
        facts |= {
            "nodes with the right ring neighbours": _percent(last.ring),
            "topics with one rendezvous node": _percent(last.rendezvous),
            "subscriptions of gateways": _percent(last.gateways),
        }
    facts |= {
        "hit ratio": _ratio(last.hit_ratio),
        "traffic overhead": last.traffic.overhead,
        "traffic overhead, with duplicates": last.traffic.overhead_with_duplicates,
        "traffic overhead, mean over nodes": last.traffic.mean_over_nodes,
        "hops per delivery, mean": None if math.isnan(last.hops) else last.hops,
        "hops per delivery, maximum": None if math.isnan(last.hops) else last.furthest,
    }
    if result.departures:
        facts |= {"joins": result.joins, "departures": result.departures}
    facts |= {"seconds": result.seconds, "seconds per cycle": result.seconds / last.cycle}
    show_facts(
        f"{result.protocol}, seed {result.scenario.seed}, after {last.cycle:,} cycles", facts
    )
    total = sum(result.seconds_by_task.values()) or 1.0
    longest = sorted(result.seconds_by_task.items(), key=lambda item: -item[1])
    show_line("time: " + ", ".join(f"{task} {100 * part / total:.0f} %" for task, part in longest))


def _thin(rows: Sequence[Row]) -> list[Row]:
    """Return about a dozen of the rows, with the last one."""
    step = max(1, -(-len(rows) // ROWS))
    chosen = [*rows[step - 1 :: step]]
    return chosen if chosen[-1] is rows[-1] else [*chosen, rows[-1]]


def _ratio(share: float) -> str | None:
    """Return a hit ratio as text; nothing if no delivery was expected."""
    return None if math.isnan(share) else f"{share:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
