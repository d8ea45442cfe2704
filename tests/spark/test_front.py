"""The front of a partitioned design on Spark has the points of the one in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gossamer
from gossamer import pipeline
from gossamer.experiments import partitioned_front as partitioned_front_module
from gossamer.experiments.pareto_front import Front
from tests.cli.conftest import Invoke, invoke  # noqa: F401

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INTERESTS = gossamer.generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)


def points(front: Front) -> list[Any]:
    alike: dict[str, Any] = {"ratio_to_lower_bound": None, "degrees": {}, "diameters": {}}
    return [replace(p, seconds=0.0, runs=(), on=frozenset(), **alike) for p in front.points]


def test_front_of_a_partitioned_table_equals_memory(
    spark: SparkSession,
    invoke: Invoke,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, work = tmp_path / "subscriptions.parquet", tmp_path / "work"
    gossamer.write_interests(path, INTERESTS)
    monkeypatch.setattr(partitioned_front_module, "MAX_IN_MEMORY", 100)
    chosen = ["bounded-radius:radius=4", "partitioned-merge"]
    words = ("front", path, "--engine", "spark", "--algorithms", ",".join(chosen))
    invoke(*words).fails("give a folder for the work")
    assert not work.exists()
    shown = invoke(*words, "--save", work).works().out
    assert "60 nodes, 8 topics, 180 subscriptions" in shown
    assert f"gossamer design {path} --engine spark --algorithm" in shown
    monkeypatch.setattr(partitioned_front_module, "_run", None)  # nothing runs again
    monkeypatch.setattr(pipeline, "lower_bound", None)
    found = partitioned_front_module.partitioned_front(
        str(path), work, partitioned_front_module.partitioned_candidates(chosen), session=spark,
        node_column="node", topic_column="topic", delimiter=None,
    )  # fmt: skip
    memory = gossamer.front(gossamer.read_interests(path), ["partitioned-merge"], protocols=[])
    bounded, merged = points(found)
    assert [merged] == points(memory)
    assert found.bound_method == memory.bound_method
    assert found.comparison.lower_bound == memory.comparison.lower_bound
    assert bounded.topic_connected
    ratios = [point.ratio_to_lower_bound for point in (*found.points[1:], *memory.points)]
    assert ratios[0] == pytest.approx(ratios[1])
    assert bounded.max_diameter <= 8
