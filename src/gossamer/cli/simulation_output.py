"""Recording, display and files of ``gossamer simulate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gossamer.atomic_files import LINK_ENDINGS
from gossamer.cli.display import (
    add_json,
    is_json,
    show_facts,
    show_line,
    show_meanings,
    show_registry,
    show_table,
)
from gossamer.cli.dissemination_output import show_disseminations
from gossamer.cli.options import is_given, option, output_table
from gossamer.cli.output_files import check_outputs
from gossamer.results import MAX_ROWS, thinned
from gossamer.time import SECOND, parse_duration

if TYPE_CHECKING:
    from gossamer.experiments import ProtocolComparison
    from gossamer.sim import Recording, Simulation


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
        option("Picture of the overlay and its messages over time: .png, .svg, .pdf or .html."),
    ] = None
    out: Annotated[Path | None, output_table("Table of the snapshots")] = None
    overlay: Annotated[
        Path | None,
        output_table("Links at the end, as gossamer design writes them", endings=LINK_ENDINGS),
    ] = None
    views: Annotated[
        Path | None,
        output_table("Table of the neighbours on each topic at the end, for gossamer disseminate"),
    ] = None
    by_node: Annotated[
        Path | None,
        output_table(
            "Table of each node at each snapshot, with its number of links (degree, PVS) and its "
            "number of neighbours summed over its topics (view, LVS)"
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
        tables = (self.out, self.views, self.by_node)
        return check_outputs(
            tables, self.picture, inputs, links=self.overlay, parquet=self.trace, toml=scenario
        )

    def recording(self, context: typer.Context, stored: Recording | None) -> Recording:
        """Return what the simulation records; ``stored`` is that of a saved scenario."""
        from gossamer.sim import Recording

        stored = stored or Recording()
        snapshots = self.snapshots and parse_duration(self.snapshots, "--snapshots")
        events = self.events_per_topic
        return Recording(
            snapshots=snapshots or stored.snapshots,
            events_per_topic=events
            if is_given(context, "events_per_topic")
            else stored.events_per_topic,
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
            tables.write_table(self.out, result.snapshots_table())
        if self.overlay is not None:
            tables.write_links(self.overlay, result.interests_at_end, result.last.overlay)
        if self.views is not None:
            links = result.last.views.links(result.last.interests)
            tables.write_views(self.views, result.interests_at_end, links)
        if self.by_node is not None and result.by_node is not None:
            tables.write_table(self.by_node, tables.node_links_table(result.by_node, names))
        if self.trace is not None and result.trace is not None:
            tables.write_table(self.trace, tables.trace_table(result.trace, names))
        if self.picture is not None:
            from gossamer.viz.cycles import cycles_picture
            from gossamer.viz.simulation import simulation_picture

            draw = simulation_picture if result.engine == "events" else cycles_picture
            draw(result, self.picture)


def show_protocols() -> None:
    """Show the protocols of both engines, and their options."""
    from gossamer.cycles.models import MODELS
    from gossamer.protocols import protocols

    show_registry("Protocols", protocols().values(), key="protocols")
    show_registry("Protocols with --engine cycles", MODELS.values(), key="cycle_driven")
    show_meanings(protocols().values())


def show_simulation(result: Simulation) -> None:
    """Show the overlay over time, messages, publications, and the end."""
    add_json(protocol=result.protocol, engine=result.engine, seed=result.scenario.seed)
    for what, origin in result.origins.items():
        show_line(f"{what}: {origin}")
    if result.engine == "cycles":
        _show_cycles(result)
        return
    _show_snapshots(result)
    _show_messages(result)
    if result.dissemination is not None:
        show_disseminations("Publications", [result.dissemination], key="dissemination")
    seconds = result.snapshots[-1].time / SECOND
    show_facts(
        f"{result.protocol}, seed {result.scenario.seed}, at {seconds:g} s", result.summary()
    )


def show_protocol_rows(found: ProtocolComparison, out: Path | None) -> None:
    """Show a comparison of protocols, and write the table of its runs."""
    from gossamer.experiments.side_by_side import with_half_widths
    from gossamer.tables import write_table

    if out is not None:
        write_table(out, found.to_arrow())
    facts = found.summary()
    add_json(**facts)
    columns = dict.fromkeys(("protocol", *found.shown_measures))
    intervals = f"; mean of {found.seeds} seeds ± 95 % interval" * (found.seeds > 1)
    show_table(
        ", ".join(f"{facts[name]:,} {name}" for name in ("nodes", "topics", "subscriptions"))
        + intervals,
        list(columns),
        [row.summary() if is_json() else columns | with_half_widths(row.summary())
         for row in found.rows],
        key="rows",
        numbers=True,
    )  # fmt: skip
    add_json(runs=found.run_records())


def _show_snapshots(result: Simulation) -> None:
    from gossamer.sim.simulation import MIN_AGE_WITH_CHURN

    rows = [one.summary() for one in result.snapshots]
    columns = (
        "second", "nodes", "topics_connected", "components", "mean_degree", "max_degree",
        "mean_view", "half_open", "messages",
    )  # fmt: skip
    show_table("Over time", columns, _thin(rows), key="snapshots", numbers=True)
    notes = []
    if len(rows) > MAX_ROWS:
        notes.append("of successive snapshots, the one with the fewest connected topics is shown")
    if result.scenario.churn is not None:
        notes.append(f"nodes that joined less than {MIN_AGE_WITH_CHURN:g} s ago are left out")
    if notes and not is_json():
        show_line("; ".join(notes) + "\n")


def _show_messages(result: Simulation) -> None:
    from gossamer.protocols import find_protocol

    rows = result.message_rows()
    columns = (
        "kind",
        "sent",
        "sent_per_node",
        *(("bytes",) if result.messages.bytes_by_kind else ()),
    )
    show_table("Messages", columns, rows, key="messages_by_kind", numbers=True)
    entry = find_protocol(result.protocol)
    if entry.delivers and not entry.topic_connected:
        show_line(
            f"{entry.name} reaches subscribers through relay nodes: topics need not be connected\n"
        )


def _show_cycles(result: Simulation) -> None:
    from gossamer.cycles.models import find_model

    last, has_ring = result.last_cycle, find_model(result.protocol).has_ring
    if len(result.cycles) > 1 or is_json():
        columns = (
            "cycle", "nodes", "mean_degree", "max_degree", *(("ring",) if has_ring else ()),
            "hit_ratio", "overhead", "mean_hops", "max_hops",
        )  # fmt: skip
        rows = [one.summary() for one in result.cycles]
        show_table("Over cycles", columns, _thin(rows), key="cycles", numbers=True)
    show_facts(
        f"{result.protocol}, seed {result.scenario.seed}, after {last.cycle:,} cycles",
        result.summary(),
    )
    total = sum(result.seconds_by_task.values()) or 1.0
    longest = sorted(result.seconds_by_task.items(), key=lambda item: -item[1])
    show_line("time: " + ", ".join(f"{task} {100 * part / total:.0f} %" for task, part in longest))


def _thin(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return about a dozen of the rows, with the last one; all of them for JSON."""
    return rows if is_json() else thinned(rows)
