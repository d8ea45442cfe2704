"""``gossamer profile``: the profile of a workload, from any of its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import is_json, show_facts, show_line, show_table, show_written
from gossamer.cli.options import EngineOptions, Seed, TableOptions, argument, expand, option
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.quality.profiles import WorkloadProfile

EXAMPLES = (
    "gossamer profile subscriptions.csv",
    "gossamer profile subscriptions.csv --seed 1 --out profiled",
    "gossamer profile tables --engine spark",
)
ROWS = 10


@expand
def profile(
    tables: Annotated[
        str,
        argument(
            "Folder with tables such as subscriptions, follows, publications or sessions; or a "
            "table of subscriptions, - for standard input."
        ),
    ],
    out: Annotated[str | None, option("Folder of the output tables and pictures.")] = None,
    compared: Annotated[int, option("Maximum number of nodes to compare with all others.")] = 2000,
    *,
    seed: Seed = 0,
    table: TableOptions,
    engine: EngineOptions,
) -> None:
    """Summarise a workload: topic popularity, interest correlation, publication rates, churn.

    Profiles all tables in the folder. With --out, writes tables named profile_… and pictures.
    Both engines give the same numbers.
    """
    from gossamer.pipeline import profile as run_on_spark
    from gossamer.pipeline import profile_in_memory
    from gossamer.viz.profile import PROFILE_TITLES, profile_pictures

    with show_progress() as progress:
        if engine.on_spark:
            table.require_columns(Path(tables))
            found = run_on_spark(
                tables, out, seed=seed, compared=compared, progress=progress,
                **table.columns, **engine.session,
            )  # fmt: skip
        else:
            found = profile_in_memory(
                tables, out, seed=seed, compared=compared, follows=table.follows,
                read=table.read, progress=progress,
            )  # fmt: skip
    for part, facts in found.facts().items():
        show_facts(PROFILE_TITLES[part], facts, key=part)
        if not is_json():
            show_line("")
    _show_top_topics(found)
    if out is not None:
        drawn = f"(no pictures: {why})" if (why := why_not_drawn(out)) else "with " + ", ".join(
            path.name for path in profile_pictures(found, out)
        )  # fmt: skip
        show_written(out, remark=f" {drawn}")


def why_not_drawn(folder: str) -> str:
    """Return why no picture can be drawn in a folder; an empty text if it can be."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return "install 'gossamer[report]'"
    return "" if Path(folder).is_dir() else "the folder is not on this machine"


def _show_top_topics(found: WorkloadProfile) -> None:
    for title, part, counted, key in (
        ("Most popular topics", found.interests, "subscribers", "top_topics"),
        ("Topics with the most publications", found.publications, "publications", "top_published"),
    ):
        if part is not None:
            rows = part.top_topics[:ROWS]
            show_table(title, ("topic", counted), rows, key=key, numbers=True)
    if found.publications is not None and found.publications.pairs:
        pairs = [
            {"topic": one, "other_topic": other, "pair": f"{one} + {other}", "publications": count}
            for one, other, count in found.publications.pairs[:ROWS]
        ]
        columns = ("pair", "publications")
        show_table("Most frequent pairs of topics", columns, pairs, key="top_pairs", numbers=True)
