"""``gossamer reinforce``: links added so that no single link failure disconnects a topic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gossamer.atomic_files import LINK_ENDINGS, title_of
from gossamer.cli.display import show_facts, show_line, show_written
from gossamer.cli.options import (
    Links,
    Seed,
    Subscriptions,
    TableOptions,
    expand,
    option,
    output_table,
)
from gossamer.cli.progress import show_progress

EXAMPLES = (
    "gossamer reinforce subscriptions.csv links.parquet --out better.parquet",
    "gossamer reinforce subscriptions.csv links.csv --lower-bound --out better.csv",
)


@expand
def reinforce(
    subscriptions: Subscriptions,
    links: Links,
    out: Annotated[Path, output_table("File of all links", endings=LINK_ENDINGS)],
    table: TableOptions,
    lower_bound: Annotated[
        bool, option("Prove a lower bound on the number of added links.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Add links to an overlay, so that no single link failure disconnects a topic.

    All given links stay. A disconnected topic stays disconnected: gossamer design --start connects
    it. Each component of three subscribers or more becomes two-edge-connected. The only link of a
    component of two stays a bridge.
    """
    from gossamer import tables
    from gossamer.design.verified_design import reinforce as reinforce_overlay

    tables.check_output(out, LINK_ENDINGS, inputs=[subscriptions, links])
    with show_progress() as progress:
        progress(f"reading {title_of(subscriptions)}", 0.0)
        interests = table.read(subscriptions)
        given = tables.read_links(links, interests)
        reinforced = reinforce_overlay(
            interests, given, seed=seed, lower_bound=lower_bound, progress=progress
        )
        tables.write_links(out, interests, reinforced.overlay)
    show_facts(f"{title_of(links)} on {title_of(subscriptions)}", reinforced.summary())
    if reinforced.disconnected:
        show_line(
            f"{reinforced.disconnected:,} topics were disconnected and still are: components of "
            "two keep their bridge. Connect the topics first: gossamer design SUBSCRIPTIONS "
            "--start LINKS --out connected.csv"
        )
    show_written(out)
