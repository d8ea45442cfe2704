"""``gossamer sample``: a breadth-first sample of a follower graph, and its degrees."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gossamer.cli.display import is_json, show_facts, show_line, show_table, show_written
from gossamer.cli.options import ColumnOptions, Seed, SparkOptions, argument, expand, option
from gossamer.cli.profile import why_not_drawn
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.pipeline import SampleResult

EXAMPLES = (
    "gossamer sample tables --nodes 10000 --seed 1 --out sampled",
    "gossamer sample tables --nodes 1000 --along both --out sampled",
)
COLUMNS = (
    "degrees", "mean", "variance", "standard_deviation", "maximum", "share_of_zero", "exponent",
    "exponent_from", "exponent_from_1", "ks_distance", "ks_distance_of_rescaled",
)  # fmt: skip


class Along(StrEnum):
    """Direction of the search."""

    followed = "followed"
    follower = "follower"
    both = "both"


@expand
def sample(
    tables: Annotated[
        str,
        argument(
            "Folder with the table follows, or subscriptions whose topics are nodes; or a file of "
            "these."
        ),
    ],
    nodes: Annotated[int, option("Number of users in the sample.")],
    out: Annotated[str, option("Folder of the sample's tables.")],
    seeds: Annotated[int, option("Number of random users to start from.")] = 10,
    along: Annotated[
        Along, option("Direction of the search: from a user to those it follows, or back.")
    ] = Along.followed,
    *,
    seed: Seed = 0,
    table: ColumnOptions,
    spark: SparkOptions,
) -> None:
    """Take a sample of a follower graph: breadth first, with all relations inside it.

    Writes follows and levels. Compares the degrees with those of the whole graph in
    degree_counts, degree_shapes, degree_distances and degrees.png.
    """
    from gossamer.pipeline import sample as run_sample
    from gossamer.viz.sample import sample_picture

    with show_progress() as progress:
        found = run_sample(
            tables, out, nodes=nodes, seed=seed, seeds=seeds, along=along.value,
            progress=progress, **table.columns, **spark.session,
        )  # fmt: skip
    show_facts(
        f"Sample of {tables}, seed {seed}",
        {
            "users": found.nodes,
            "all_users": found.full_nodes,
            "relations": found.relations,
            "all_relations": found.full_relations,
            "users_by_steps": found.levels,
        },
    )
    if not is_json():
        show_line("")
    _show_degrees(found)
    for name, check in (("followers", found.followers), ("followed", found.followed)):
        show_line(f"{name}: {check.verdict}")
    path = Path(out, "degrees.png")
    why = why_not_drawn(out)
    if not why:
        sample_picture(found.followers, found.followed, path)
    show_written(out, None if why else path, remark=f" (no picture: {why})" if why else "")


def _show_degrees(found: SampleResult) -> None:
    rows = []
    for name, check in (("followers", found.followers), ("followed", found.followed)):
        for graph, one in (("whole", check.full), ("sample", check.sample)):
            shape, fit, plain = one.histogram, one.fit, one.plain
            sampled = graph == "sample"
            rows.append(
                (
                    f"{name}, {graph}", shape.mean, shape.variance, shape.deviation, shape.maximum,
                    shape.share_of_zero,
                    fit.exponent if fit else None, fit.smallest if fit else None,
                    plain.exponent if plain else None,
                    check.distance if sampled else None,
                    check.rescaled_distance if sampled else None,
                )
            )  # fmt: skip
    show_table("Degrees", COLUMNS, rows, key="degrees", numbers=True)
