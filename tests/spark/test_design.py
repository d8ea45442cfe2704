"""Designs and assessments on Spark equal those in memory; bad input is rejected."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gossamer
from gossamer import pipeline
from gossamer.design.distributed import merge_rounds as design_rounds
from gossamer.errors import InputError, OverlayError, TableError
from gossamer.model import Interests
from gossamer.pipeline import numbered_table as numbered_module
from gossamer.quality import Assessment
from tests import strategies

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKLOADS = [
    ("rss", {"nodes": 1500, "topics": 40, "subscriptions": "1-12"}, False),
    ("zipf", {"nodes": 200, "topics": 200, "subscriptions": "1-12", "alpha": 1.2}, True),
]


def same(one: Assessment, other: Assessment) -> bool:
    """Whether all is equal; the mean clustering up to rounding, as nodes come in other orders."""
    names = {field.name for field in fields(one)} - {"lower_bound", "clustering"}
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return equal and bool(np.isclose(one.clustering, other.clustering, rtol=1e-12))


@pytest.mark.parametrize(
    ("kind", "parameters", "small"), WORKLOADS, ids=["one part", "many parts, blocks and bulk"]
)
def test_links_and_measures_equal_those_in_memory(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    parameters: dict[str, object],
    small: bool,
) -> None:
    interests = gossamer.generate_interests(kind, seed=3, **parameters)  # type: ignore[arg-type]
    path = tmp_path / "subscriptions.parquet"
    gossamer.write_interests(path, interests)
    interests = gossamer.read_interests(path)
    if small:
        monkeypatch.setattr(design_rounds, "ENTRIES_PER_PART", 300)
        monkeypatch.setattr(design_rounds, "MAX_VISITS", 4)
        monkeypatch.setattr(design_rounds, "MAX_GROUPED_SIZE", 6)
        monkeypatch.setattr(numbered_module, "SLOTS_PER_BLOCK", 100)
    overlay = gossamer.partitioned_merge(interests, seed=5)
    found = pipeline.design(path, tmp_path / "tables", seed=5, session=spark)
    assert np.array_equal(gossamer.read_links(tmp_path / "tables", interests).links, overlay.links)
    assert (found.nodes, found.links) == (interests.node_count, overlay.link_count)
    assert found.subscriptions == interests.subscription_count
    assert found.topics == interests.topic_count
    assert found.max_degree == overlay.degrees.max()
    steps: list[str] = []
    again = pipeline.design(
        path, tmp_path / "tables", seed=5, session=spark,
        progress=lambda stage, _: steps.append(stage),
    )  # fmt: skip
    assert steps == ["starting Spark"], "a finished design is not made again"
    assert (again.links, again.max_degree) == (found.links, found.max_degree)
    assessment = pipeline.assess(path, tmp_path / "tables", session=spark)
    assert assessment.topic_connected
    assert same(assessment, gossamer.assess(interests, overlay, lower_bound=False))


def test_resilient_design_has_no_bridges_and_resumes(spark: SparkSession, tmp_path: Path) -> None:
    interests = gossamer.generate_interests("rss", nodes=150, topics=20, subscriptions=4, seed=3)
    path, out = tmp_path / "subscriptions.parquet", tmp_path / "links.csv"
    gossamer.write_interests(path, interests)
    interests = gossamer.read_interests(path)
    steps: list[str] = []

    def interrupt(stage: str, _: float) -> None:
        steps.append(stage)
        if stage == "writing links":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pipeline.design(path, out, seed=5, resilient=True, session=spark, progress=interrupt)
    assert not out.exists()
    assert "removing bridges" in steps
    steps.clear()
    found = pipeline.design(
        path, out, seed=5, resilient=True, session=spark,
        progress=lambda stage, _: steps.append(stage),
    )  # fmt: skip
    assert "removing bridges" not in steps, "what was chosen is not chosen again"
    overlay, plain = (
        gossamer.read_links(out, interests),
        gossamer.partitioned_merge(interests, seed=5),
    )
    assessment = gossamer.assess(interests, overlay, lower_bound=False)
    assert assessment.topic_connected
    assert (assessment.topic_resilience.bridges[interests.popularity > 2] == 0).all()
    assert set(map(tuple, plain.links.tolist())) <= set(map(tuple, overlay.links.tolist()))
    assert found.failures is not None
    assert found.failures["links_added"] == overlay.link_count - plain.link_count
    assert found.failures["articulation_points_after"] == assessment.articulation_points
    assert (found.links, found.max_degree) == (overlay.link_count, assessment.max_degree)


@settings(max_examples=2)
@given(st.lists(strategies.interests(max_nodes=8, max_topics=5), min_size=12, max_size=12))
def test_assessment_of_any_overlay_equals_that_in_memory(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, several: list[Interests]
) -> None:
    """Tables of any shapes, side by side in one table: a job assesses them all."""
    interests = Interests.from_lists(
        {
            f"{at}-{node}": [f"{at}-{topic}" for topic in one.topics_of(node)]
            for at, one in enumerate(several)
            for node in range(one.node_count)
        }
    )
    if not interests.subscription_count:
        return
    folder = tmp_path_factory.mktemp("assess")
    gossamer.write_interests(folder / "s.csv", interests)
    interests = gossamer.read_interests(folder / "s.csv")
    overlay = gossamer.random_overlay(interests, seed=1)
    gossamer.write_links(folder / "links.csv", interests, overlay)
    found = pipeline.assess(
        folder / "s.csv", folder / "links.csv", out=folder / "topics.csv", session=spark
    )
    assert same(found, gossamer.assess(interests, overlay, lower_bound=False))
    rows = (folder / "topics.csv").read_text().splitlines()
    assert rows[0] == "topic,subscribers,components,diameter,bridges,articulation_points"
    assert len(rows) == 1 + interests.topic_count


def test_text_table_with_repeated_rows_is_designed_to_a_file(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "s.csv").write_text(
        "who;what\nann;tea\nann;jazz\nbob;jazz\nbob;tea\ncy;tea\nann;tea\ndee;chess\nélan;jazz\n"
    )
    found = pipeline.design(
        tmp_path / "s.csv", tmp_path / "links.csv", node_column="who", topic_column="what",
        delimiter=";", session=spark,
    )  # fmt: skip
    assert (found.nodes, found.topics, found.subscriptions) == (5, 3, 7)
    lines = (tmp_path / "links.csv").read_text().splitlines()
    assert lines[0] == "source,target"
    assert lines[1:] == sorted(lines[1:])
    assert len(lines) == 1 + found.links
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("node,topic\n", "no rows"),
        ("node,topics\n1,a\n", "no column 'topic'"),
        ("", "empty"),
    ],
)
def test_bad_tables_are_rejected_and_nothing_is_written(
    spark: SparkSession, tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(TableError, match=says):
        pipeline.design(tmp_path / "s.csv", tmp_path / "links.parquet", session=spark)
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]


@pytest.mark.parametrize("missing", ["node", "topic"])
def test_names_that_are_missing_are_rejected(
    spark: SparkSession, tmp_path: Path, missing: str
) -> None:
    table = pa.table({name: ["a", None if name == missing else "b"] for name in ("node", "topic")})
    pa.parquet.write_table(table, tmp_path / "s.parquet")
    with pytest.raises(TableError, match=f"has a row whose {missing} is missing or empty"):
        pipeline.design(tmp_path / "s.parquet", tmp_path / "links.parquet", session=spark)
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]


def test_links_of_unknown_nodes_and_loops_are_rejected(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("node,topic\n1,a\n2,a\n")
    (tmp_path / "far.csv").write_text("source,target\n1,7\n")
    (tmp_path / "tables").mkdir()  # which has the numbered table after the first error
    with pytest.raises(OverlayError, match="'7', which has no subscriptions"):
        pipeline.assess(
            tmp_path / "s.csv", tmp_path / "far.csv", out=tmp_path / "tables", session=spark
        )
    (tmp_path / "loop.csv").write_text("source,target\n1,2\n2,2\n")
    with pytest.raises(OverlayError, match="with itself"):
        pipeline.assess(
            tmp_path / "s.csv", tmp_path / "loop.csv", out=tmp_path / "tables", session=spark
        )
    with pytest.raises(InputError, match="no such file"):
        pipeline.assess(tmp_path / "s.csv", tmp_path / "nothing", session=spark)
