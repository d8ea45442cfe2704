"""Bounded radius in blocks on Spark: the same links as in memory, and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

import gossamer
from gossamer import pipeline
from gossamer.cli.main import app
from gossamer.errors import ParameterError
from gossamer.model import Interests
from gossamer.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Interests]:
    interests = gossamer.generate_interests(
        "rss", nodes=600, topics=30, subscriptions="1-12", seed=3
    )
    path = tmp_path / "subscriptions.parquet"
    gossamer.write_interests(path, interests)
    return path, gossamer.read_interests(path)


class StoppedError(Exception):
    """What ends a design in the middle."""


def test_design_in_blocks_equals_memory_and_resumes(
    spark: SparkSession, tmp_path: Path, table: tuple[Path, Interests]
) -> None:
    path, interests = table
    out, kept = tmp_path / "tables", tmp_path / "tables" / "_gossamer" / "work-design" / "tops"

    def run(progress: Progress) -> pipeline.DesignResult:
        return pipeline.design(
            path, out, algorithm="bounded-radius", options={"radius": 4, "block": 200}, seed=5,
            session=spark, progress=progress,
        )  # fmt: skip

    def interrupt(stage: str, _: float) -> None:
        if stage.startswith("designed 1 of 3"):
            raise StoppedError

    with pytest.raises(StoppedError):
        run(interrupt)
    before = {one.name: one.stat().st_mtime_ns for one in kept.iterdir()}
    assert before
    after: dict[str, int] = {}

    def look(stage: str, _: float) -> None:
        assert stage != "writing work/shares", "the table is not cut again"
        if stage == "joining blocks":
            after.update({one.name: one.stat().st_mtime_ns for one in kept.iterdir()})

    found = run(look)
    assert len(after) == found.blocks == 3
    assert before.items() <= after.items(), "blocks that were done are not done again"
    overlay = gossamer.partitioned_radius(interests, radius=4, block=200, seed=5)
    assert np.array_equal(gossamer.read_links(out, interests).links, overlay.links)
    assert (found.algorithm, found.links) == ("partitioned-radius", overlay.link_count)
    measured = gossamer.assess(interests, overlay, lower_bound=False)
    assert found.max_diameter == measured.max_diameter
    assert found.mean_degree_in_blocks is not None
    assert found.mean_degree_joining is not None
    within_and_between = found.mean_degree_in_blocks + found.mean_degree_joining
    assert found.mean_degree == pytest.approx(within_and_between)
    # The command runs the same job, which is finished, and prints its result.
    words = "--engine spark --algorithm bounded-radius --radius 4 --block 200 --seed 5 --out"
    shown = CliRunner().invoke(app, ["design", str(path), *words.split(), str(out)])
    rows = (line.split("  ", 1) for line in shown.stdout.splitlines() if "  " in line)
    facts = {label.strip(): value.strip() for label, value in rows}
    assert facts["blocks"] == "3"
    assert (
        int(facts["topic diameter, maximum"])
        <= int(facts["topic diameter, guaranteed maximum"])
        == 8
    )
    assert float(facts["links per node, mean, joining blocks"]) < float(
        facts["links per node, mean, within blocks"]
    )


@pytest.mark.parametrize(
    ("algorithm", "options", "says"),
    [
        ("low-oda", {}, "low-oda runs in memory; on Spark there are bounded-radius"),
        ("bounded-radius", {"radius": 65}, "radius is 65; expected 1 to 64"),
        ("bounded-radius", {"block": -5}, "block is -5; expected"),
        ("partitioned-merge", {"radius": 6}, "partitioned-merge has no option 'radius'"),
    ],
)
def test_algorithms_that_run_in_memory_only_are_rejected(
    tmp_path: Path,
    table: tuple[Path, Interests],
    algorithm: str,
    options: dict[str, int],
    says: str,
) -> None:
    with pytest.raises(ParameterError, match=says):
        pipeline.design(table[0], tmp_path / "tables", algorithm=algorithm, options=options)
    assert not (tmp_path / "tables").exists()
