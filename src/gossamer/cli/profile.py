"""``gossamer profile``: what a workload is like, from whatever tables there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.engine_options import Conf, Master, spark_settings
from gossamer.cli.input_options import Seed
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.quality.profiles import WorkloadProfile

__all__ = ["EXAMPLES", "profile"]

EXAMPLES = (
    "gossamer profile tables",
    "gossamer profile tables --seed 1 --out profiled",
)

TITLES = {
    "interests": "Who wants what",
    "correlation": "How alike the interests are",
    "publications": "What is published",
    "sessions": "Who is there when",
}
ROWS = 10


def profile(
    tables: Annotated[
        str,
        typer.Argument(
            help="A folder with subscriptions or follows, publications or rates, sessions.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(help="The folder for tables and pictures.", show_default=False),
    ] = None,
    compared: Annotated[
        int, typer.Option(help="How many nodes to compare with all others, at most.")
    ] = 2000,
    seed: Seed = 0,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Tell what a workload is like: popularity, correlation, publications, churn.

    Whatever tables are there are profiled. With --out, writes small tables profile_… and
    pictures.
    """
    from gossamer.pipeline import profile as gather

    with shown_progress() as progress:
        found = gather(
            tables,
            out,
            seed=seed,
            compared=compared,
            master=master,
            settings=spark_settings(conf),
            progress=progress,
        )
    for part, facts in found.facts().items():
        show_facts(TITLES[part], facts)
        show_line("")
    _show_tops(found)
    if out is not None:
        show_line(f"wrote {out}{_draw(found, out)}")


def _show_tops(found: WorkloadProfile) -> None:
    for title, part, counted in (
        ("Most popular topics", found.interests, "subscribers"),
        ("Busiest topics", found.publications, "publications"),
    ):
        if part is not None:
            show_table(title, ("topic", counted), part.top_topics[:ROWS], numbers=True)
    if found.publications is not None and found.publications.pairs:
        rows = [
            (f"{one} + {other}", count) for one, other, count in found.publications.pairs[:ROWS]
        ]
        show_table("Topics most often together", ("topics", "publications"), rows, numbers=True)


def _draw(found: WorkloadProfile, out: str) -> str:
    """Draw the pictures where that can be done, and say how many or why not."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return " (no pictures: install gossamer[report])"
    if not Path(out).is_dir():
        return " (no pictures: the folder is not on this machine)"
    from gossamer.viz.profile import profile_pictures

    drawn = profile_pictures(found, out)
    return f" with {', '.join(path.name for path in drawn)}"
