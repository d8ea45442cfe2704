"""``gossamer profile``: the profile of a workload, from any of its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.options import Seed, SparkOptions, argument, expand, option
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.quality.profiles import WorkloadProfile

EXAMPLES = (
    "gossamer profile tables",
    "gossamer profile tables --seed 1 --out profiled",
)
ROWS = 10


@expand
def profile(
    tables: Annotated[
        str,
        argument("Folder with tables such as subscriptions, follows, publications or sessions."),
    ],
    out: Annotated[str | None, option("Folder of the output tables and pictures.")] = None,
    compared: Annotated[int, option("Maximum number of nodes to compare with all others.")] = 2000,
    *,
    seed: Seed = 0,
    spark: SparkOptions,
) -> None:
    """Summarise a workload: topic popularity, interest correlation, publication rates, churn.

    Profiles all tables in the folder. With --out, writes tables named profile_… and pictures.
    """
    from gossamer.pipeline import profile as run_profile
    from gossamer.viz.profile import PROFILE_TITLES, profile_pictures

    with show_progress() as progress:
        found = run_profile(
            tables, out, seed=seed, compared=compared, progress=progress, **spark.session
        )
    for part, facts in found.facts().items():
        show_facts(PROFILE_TITLES[part], facts)
        show_line("")
    _show_top_topics(found)
    if out is not None:
        drawn = f"(no pictures: {why})" if (why := why_not_drawn(out)) else "with " + ", ".join(
            path.name for path in profile_pictures(found, out)
        )  # fmt: skip
        show_line(f"wrote {out} {drawn}")


def why_not_drawn(folder: str) -> str:
    """Return why no picture can be drawn in a folder; an empty text if it can be."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return "install 'gossamer[report]'"
    return "" if Path(folder).is_dir() else "the folder is not on this machine"


def _show_top_topics(found: WorkloadProfile) -> None:
    for title, part, counted in (
        ("Most popular topics", found.interests, "subscribers"),
        ("Topics with the most publications", found.publications, "publications"),
    ):
        if part is not None:
            show_table(title, ("topic", counted), part.top_topics[:ROWS], numbers=True)
    if found.publications is not None and found.publications.pairs:
        pairs = found.publications.pairs[:ROWS]
        rows = [(f"{one} + {other}", count) for one, other, count in pairs]
        show_table("Most frequent pairs of topics", ("topics", "publications"), rows, numbers=True)
