"""What ``gossamer simulate`` prints and writes when it is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.publication_options import show_disseminations
from gossamer.time import SECOND

if TYPE_CHECKING:
    from gossamer.model import Interests
    from gossamer.sim import Simulation

__all__ = ["show_simulation", "write_simulation"]

ROWS = 12


def show_simulation(result: Simulation, how: str) -> None:
    """Show the overlay over time, messages, what was published, and the end."""
    from gossamer.protocols import find_protocol

    last = result.snapshots[-1]
    if how:
        show_line(f"sessions: {how}; nodes that joined in the last 2 s are not counted")
    step = max(1, -(-len(result.snapshots) // ROWS))
    chosen = [*result.snapshots[step - 1 :: step]]
    if chosen[-1] is not last:
        chosen.append(last)
    show_table(
        "Over time",
        ("second", "nodes", "topics connected", "components", "mean degree", "max", "mean view",
         "half-open", "messages"),
        [
            (
                f"{one.time / SECOND:g}",
                one.nodes,
                f"{one.topics_connected:,} of {one.topics:,}",
                one.components,
                one.mean_degree,
                one.max_degree,
                one.mean_view,
                one.half_open,
                one.messages,
            )
            for one in chosen
        ],
        numbers=True,
    )  # fmt: skip
    counts = result.messages
    total = sum(counts.by_kind.values())
    encoded = bool(counts.bytes_by_kind)
    show_table(
        "Messages",
        ("kind", "sent", "a life" if result.departures else "a node",
         *(("bytes",) if encoded else ())),
        [
            (kind, count, count / max(result.joins, 1),
             *((counts.bytes_by_kind.get(kind, 0),) if encoded else ()))
            for kind, count in counts.by_kind.items()
        ],
        numbers=True,
    )  # fmt: skip
    entry = find_protocol(result.protocol)
    if entry.delivers and not entry.topic_connected:
        show_line(
            f"{entry.name} reaches subscribers through others that relay: topics need not be "
            "connected by themselves\n"
        )
    facts: dict[str, Any] = {
        name: value for name, value in result.assessment.summary().items() if name != "topics"
    }
    facts |= {
        "topics": last.topics,
        "topics connected": last.topics_connected,
        "links that one end alone knows of": last.half_open,
        "last change of a link, second": "not settled"
        if result.settled_at is None
        else result.settled_at / SECOND,
        "messages": total,
        "messages lost": counts.lost,
        "messages a node, mean": counts.per_node_mean,
        "messages a node, most": counts.per_node_max,
    }
    if result.departures:
        changes = result.joins + result.departures
        facts |= {
            "joins, the first too, and departures": changes,
            "messages without upkeep, for each": last.control / changes,
            "every topic connected in every snapshot": result.connected_throughout,
        }
    facts |= {
        "events": result.events,
        "seconds": result.seconds,
        "events a second": result.events / max(result.seconds, 1e-9),
    }
    if result.dissemination is not None:
        show_disseminations("What was published", [result.dissemination])
        show_line("")
    show_facts(f"{result.protocol}, seed {result.seed}, at {last.time / SECOND:g} s", facts)


def write_simulation(
    result: Simulation,
    interests: Interests,
    *,
    picture: Path | None,
    out: Path | None,
    overlay: Path | None,
    views: Path | None,
    by_node: Path | None,
    trace: Path | None,
) -> None:
    """Write what was asked for."""
    from dataclasses import astuple

    from gossamer.tables import SNAPSHOTS, write_links, write_table, write_views

    if out is not None:
        columns = zip(*(astuple(one) for one in result.snapshots), strict=True)
        write_table(out, SNAPSHOTS.table(*columns))
    if overlay is not None:
        write_links(overlay, _renamed(result, interests), result.last.overlay)
    if views is not None:
        last = result.last
        write_views(views, _renamed(result, interests), last.views.links(last.interests))
    if by_node is not None:
        from gossamer.tables import node_links_table

        assert result.by_node is not None
        write_table(by_node, node_links_table(result.by_node, interests.node_names))
    if trace is not None:
        from gossamer.tables import trace_table

        assert result.trace is not None
        write_table(trace, trace_table(result.trace, interests.node_names))
    if picture is not None:
        from gossamer.viz.simulation import simulation_picture

        simulation_picture(result, picture)


def _renamed(result: Simulation, interests: Interests) -> Interests:
    """Return the last interests under the user's own names of the nodes."""
    from dataclasses import replace

    last = result.last
    return replace(
        last.interests,
        node_names=interests.node_names[last.nodes],
        topic_names=interests.topic_names,
    )
