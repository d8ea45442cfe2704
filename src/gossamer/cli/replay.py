"""``gossamer replay``: repeat the run of a live node from its journal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import add_json, is_json, show_facts, show_line, show_table
from gossamer.cli.options import argument, expand, option

if TYPE_CHECKING:
    from gossamer.host import Replay
    from gossamer.host.journal import JournalEntry

EXAMPLES = (
    "gossamer replay a.journal",
    "gossamer replay a.journal --events 20",
)


@expand
def replay(
    journal: Annotated[Path, argument("Journal that gossamer node --journal wrote.")],
    *,
    events: Annotated[int, option("Number of events to show, from the first on.", min=0)] = 0,
) -> None:
    """Replay the journal of a live node, and compare the effects with the recorded ones.

    The journal holds the events that the node received, such as messages, and the effects that
    the protocol returned. Replay gives the same events to a new instance of the protocol with the
    same options and seed. The effects are equal unless the program has changed. Otherwise the
    first difference is shown, and the exit code is 1.
    """
    from gossamer.errors import TableError
    from gossamer.host import replay as replay_journal
    from gossamer.maintain.repair import repair_links

    try:
        content = journal.read_bytes()
    except OSError as fault:
        raise TableError(f"{journal}: {fault.strerror or fault}") from None
    try:
        result = replay_journal(content, repair_rule=repair_links)
    except TableError as fault:
        raise TableError(f"{journal}: {fault}") from None
    _show(result, events)
    if not result.equal:
        raise typer.Exit(1)


def _row(result: Replay, entry: JournalEntry) -> tuple[float, str, str, int]:
    seconds = (entry.time - result.entries[0].time) / 1_000_000
    return round(seconds, 6), entry.kind, entry.detail, len(entry.effects or ())


def _show(result: Replay, events: int) -> None:
    if events:
        rows = [_row(result, entry) for entry in result.entries[:events]]
        show_table("Events", ("second", "event", "detail", "effects"), rows, key="first_events")
    header = result.header
    show_facts(
        "Replay",
        {
            "protocol": header.protocol,
            "node": header.node,
            "seed": header.seed,
            "events": len(result.entries),
            "effects": sum(len(entry.effects or ()) for entry in result.entries),
            "equal": result.equal,
        },
    )
    if result.difference is not None:
        place, entry = result.difference.place, result.difference.entry
        found = {
            "event": place + 1,
            "recorded": str(entry.effects),
            "replayed": str(result.difference.effects),
        }
        add_json(difference=found)
        if not is_json():
            show_line(f"event {place + 1} differs: {entry.kind} {entry.detail}".rstrip())
            show_line(f"recorded: {found['recorded']}")
            show_line(f"replayed: {found['replayed']}")
