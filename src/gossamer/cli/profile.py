"""``gossamer profile``: topic popularity, interest correlation, publications and churn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.options import Seed, SparkOptions, argument, expand, option
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.quality.profiles import WorkloadProfile

__all__ = ["EXAMPLES", "profile"]

EXAMPLES = (
    "gossamer profile tables",
    "gossamer profile tables --seed 1 --out profiled",
)

TITLES = {
    "interests": "Interests",
    "correlation": "Interest correlation",
    "publications": "Publications",
    "sessions": "Sessions",
}
ROWS = 10


@expand
def profile(
    tables: Annotated[
        str, argument("Folder with subscriptions or follows, publications or rates, sessions.")
    ],
    spark: SparkOptions,
    out: Annotated[str | None, option("Folder of the profile's tables and pictures.")] = None,
    compared: Annotated[
        int, option("Maximum number of nodes that are compared with all others.")
    ] = 2000,
    seed: Seed = 0,
) -> None:
    """Summarise a workload: topic popularity, interest correlation, publication rates, churn.

    Profiles each table that the folder has. With --out, also writes small tables profile_… and
    pictures.
    """
    from gossamer import pipeline

    with shown_progress() as progress:
        found = pipeline.profile(
            tables, out, seed=seed, compared=compared, **spark.session, progress=progress
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
        show_table(
            "Topics that most often share a publication",
            ("topics", "publications"),
            rows,
            numbers=True,
        )


def _draw(found: WorkloadProfile, out: str) -> str:
    """Draw the pictures, and return a note of their names or of the reason for none."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return " (no pictures: install gossamer[report])"
    if not Path(out).is_dir():
        return " (no pictures: the folder is not on this machine)"
    from gossamer.viz.profile import profile_pictures

    drawn = profile_pictures(found, out)
    return f" with {', '.join(path.name for path in drawn)}"
