"""``gossamer sample``: a breadth-first sample of a follower graph, and how like it is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.engine_options import Conf, Master, spark_settings
from gossamer.cli.input_options import Seed
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.pipeline import Sampled

__all__ = ["EXAMPLES", "sample"]

EXAMPLES = (
    "gossamer sample tables --nodes 10000 --seed 1 --out sampled",
    "gossamer sample tables --nodes 1000 --along both --out sampled",
)


class Along(StrEnum):
    """Which way the search goes."""

    followed = "followed"
    follower = "follower"
    both = "both"


def sample(
    tables: Annotated[
        str,
        typer.Argument(
            help="A folder with the table follows, or subscriptions whose topics are nodes.",
            show_default=False,
        ),
    ],
    nodes: Annotated[int, typer.Option(help="How many users to take.", show_default=False)],
    out: Annotated[
        str, typer.Option(help="The folder for the sample's tables.", show_default=False)
    ],
    seeds: Annotated[int, typer.Option(help="From how many random users to start.")] = 10,
    along: Annotated[
        Along,
        typer.Option(help="To whom the search goes on: a user comes with those it follows."),
    ] = Along.followed,
    seed: Seed = 0,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Take a sample of a follower graph: breadth first, with all relations inside it.

    Writes follows, levels, and a check that followers and followed are distributed as in
    the whole graph: degree_counts, degree_shapes, degree_distances and degrees.png.
    """
    from gossamer.pipeline import sample as take

    with shown_progress() as progress:
        found = take(
            tables,
            out,
            nodes=nodes,
            seed=seed,
            seeds=seeds,
            along=along.value,
            master=master,
            settings=spark_settings(conf),
            progress=progress,
        )
    show_facts(
        f"Sample of {tables}, seed {seed}",
        {
            "users": f"{found.nodes:,} of {found.full_nodes:,}",
            "relations": f"{found.relations:,} of {found.full_relations:,}",
            "users by steps from a seed": ", ".join(f"{count:,}" for count in found.levels),
        },
    )
    show_line("")
    _show_degrees(found)
    for name, check in (("followers", found.followers), ("followed", found.followed)):
        show_line(f"{name}: {check.verdict}")
    picture = _draw(found, out)
    show_line(f"wrote {out}{picture}")


def _show_degrees(found: Sampled) -> None:
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


def _draw(found: Sampled, out: str) -> str:
    """Draw the degrees where that can be done, and say where or why not."""
    from importlib.util import find_spec

    if find_spec("vl_convert") is None:
        return " (no picture: install gossamer[report])"
    if not Path(out).is_dir():
        return " (no picture: the folder is not on this machine)"
    from gossamer.viz.sample import sample_picture

    path = Path(out, "degrees.png")
    sample_picture(found.followers, found.followed, path)
    return f" and {path}"
