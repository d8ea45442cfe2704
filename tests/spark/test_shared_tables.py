"""The numbered table and the table ``topics``: written once, read by later jobs, never stale."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gossamer
from gossamer import pipeline
from gossamer.model import Interests
from gossamer.quality import Assessment
from tests.spark.test_design import same

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZES = {"topics": 30, "subscriptions": 3}


class Steps:
    """The steps that a job reports."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, step: str, _: float) -> None:
        self.seen.append(step)

    @property
    def numbered(self) -> bool:
        return any(step.startswith("numbering") for step in self.seen)

    @property
    def measured(self) -> bool:
        return any(step.startswith("measuring topics") for step in self.seen)


def write_subscriptions(tables: Path, *, seed: int) -> Interests:
    path = tables / "subscriptions.parquet"
    gossamer.write_interests(
        path, gossamer.generate_interests("rss", nodes=300, seed=seed, **SIZES)
    )
    return gossamer.read_interests(path)


@pytest.fixture(scope="module")
def designed(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, pipeline.DesignResult]:
    """A folder with subscriptions and their design, and the result of the design."""
    folder = tmp_path_factory.mktemp("designed") / "tables"
    folder.mkdir()
    write_subscriptions(folder, seed=1)
    return folder, pipeline.design(folder, folder, seed=5, session=spark)


@pytest.fixture
def tables(tmp_path: Path, designed: tuple[Path, pipeline.DesignResult]) -> Path:
    """A copy of the folder, with the times of its files."""
    return Path(shutil.copytree(designed[0], tmp_path / "tables"))


def test_assess_and_lower_bound_read_what_design_wrote(
    spark: SparkSession, tmp_path: Path, tables: Path
) -> None:
    interests = gossamer.read_interests(tables)
    for name in ("links", "topics", "numbered_nodes", "numbered_topics", "numbered_blocks"):
        assert (tables / name).is_dir(), name

    steps = Steps()
    found = pipeline.assess(
        tables, tables, out=tmp_path / "topics.csv", session=spark, progress=steps
    )
    assert (steps.numbered, steps.measured) == (False, False)
    expected = gossamer.assess(interests, gossamer.read_links(tables, interests), lower_bound=False)
    assert same(found, expected)
    assert len((tmp_path / "topics.csv").read_text().splitlines()) == 1 + interests.topic_count

    # The same links and subscriptions in another place are measured, with the same result.
    copies = tmp_path / "copies"
    for name in ("links", "subscriptions.parquet"):
        source = tables / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copies / name)
        copies.mkdir(exist_ok=True)
    again = Steps()
    measured = pipeline.assess(copies, copies, session=spark, progress=again)
    assert (again.numbered, again.measured) == (True, True)
    assert same(found, measured)
    assert found.clustering == measured.clustering, "node ids are the same too"
    assert sorted(path.name for path in copies.iterdir()) == ["links", "subscriptions.parquet"]

    bounding = Steps()
    bound = pipeline.lower_bound(tables, tmp_path / "bound", session=spark, progress=bounding)
    assert not bounding.numbered
    assert bound.links == gossamer.links_lower_bound(interests).links


def test_changed_links_and_subscriptions_are_measured_again(
    spark: SparkSession, tables: Path, designed: tuple[Path, pipeline.DesignResult]
) -> None:
    def assess_again(*, numbered: bool) -> Assessment:
        steps = Steps()
        found = pipeline.assess(tables, tables, out=tables, session=spark, progress=steps)
        assert (steps.numbered, steps.measured) == (numbered, True)
        interests = gossamer.read_interests(tables)
        overlay = gossamer.read_links(tables, interests)
        assert same(found, gossamer.assess(interests, overlay, lower_bound=False))
        return found

    interests = gossamer.read_interests(tables)
    shutil.rmtree(tables / "links")
    ring = gossamer.ring_per_topic(interests)
    gossamer.write_links(tables / "links.parquet", interests, ring)
    assert assess_again(numbered=False).links == ring.link_count != designed[1].links

    write_subscriptions(tables, seed=2)
    assess_again(numbered=True)

    steps = Steps()
    pipeline.assess(tables, tables, out=tables, session=spark, progress=steps)
    assert (steps.numbered, steps.measured) == (False, False), "the new tables are up to date"

    shutil.rmtree(tables / "numbered_blocks")
    shutil.rmtree(tables / "topics")
    assess_again(numbered=False)
