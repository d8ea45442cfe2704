"""``gossamer sample``: a breadth-first sample of a follower graph, and its likeness to it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.options import Seed, SparkOptions, argument, expand, option
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.pipeline import SampleResult

__all__ = ["EXAMPLES", "sample"]

EXAMPLES = (
    "gossamer sample tables --nodes 10000 --seed 1 --out sampled",
    "gossamer sample tables --nodes 1000 --along both --out sampled",
)


class Along(StrEnum):
    """Direction of the search along the relations."""

    followed = "followed"
    follower = "follower"
    both = "both"


@expand
def sample(
    tables: Annotated[
        str, argument("Folder with the table follows, or subscriptions whose topics are nodes.")
    ],
    nodes: Annotated[int, option("Number of users in the sample.")],
    out: Annotated[str, option("Folder of the sample's tables.")],
    spark: SparkOptions,
    seeds: Annotated[int, option("Number of random users that the search starts from.")] = 10,
    along: Annotated[
        Along, option("Direction of the search: from a user to the users it follows, or back.")
    ] = Along.followed,
    seed: Seed = 0,
) -> None:
    """Sample a follower graph: breadth first, with all relations between the sampled users.

    Writes follows and levels. Compares the degree distributions of followers and followed with
    the whole graph: degree_counts, degree_shapes, degree_distances and degrees.png.
    """
    from gossamer import pipeline

    with shown_progress() as progress:
        found = pipeline.sample(
            tables, out, nodes=nodes, seed=seed, seeds=seeds, along=along.value,
            **spark.session, progress=progress,
        )  # fmt: skip
    show_facts(
        f"Sample of {tables}, seed {seed}",
        {
            "users": f"{found.nodes:,} of {found.full_nodes:,}",
            "relations": f"{found.relations:,} of {found.full_relations:,}",
            "users by distance from a seed, hops": ", ".join(
                f"{count:,}" for count in found.levels
            ),
        },
    )
    show_line("")
    _show_degrees(found)
    for name, check in (("followers", found.followers), ("followed", found.followed)):
        show_line(f"{name}: {check.verdict}")
    picture = _draw(found, out)
    show_line(f"wrote {out}{picture}")


def _show_degrees(found: SampleResult) -> None:
    rows = []
    for name, check in (("followers", found.followers), ("followed", found.followed)):
        for graph, one in (("whole", check.full), ("sample", check.sample)):
            shape, fit, plain = one.histogram, one.fit, one.plain
            rows.append(
                (
                    f"{name}, {graph}",
                    shape.mean,
                    shape.variance,
                    shape.deviation,
                    shape.maximum,
                    f"{shape.share_of_zero:.0%}",
                    fit.exponent if fit else None,
                    fit.smallest if fit else None,
                    plain.exponent if plain else None,
                    check.distance if graph == "sample" else None,
                    check.rescaled_distance if graph == "sample" else None,
                )
            )
    columns = (
        "", "mean", "variance", "std. dev.", "max", "none", "exponent", "from",
        "from 1", "KS", "KS ÷ mean",
    )  # fmt: skip
    show_table("Degrees", columns, rows, numbers=True)


def _draw(found: SampleResult, out: str) -> str:
    """Draw the degrees, and return a note of the file or of the reason for none."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return " (no picture: install gossamer[report])"
    if not Path(out).is_dir():
        return " (no picture: the folder is not on this machine)"
    from gossamer.viz.sample import sample_picture

    path = Path(out, "degrees.png")
    sample_picture(found.followers, found.followed, path)
    return f" and {path}"
