"""The profile in memory and the profile on Spark have the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.pipeline import profile, profile_in_memory
from gossamer.tables.schema import FOLLOWS, PUBLICATIONS, SESSIONS, SUBSCRIPTIONS
from tests.spark.test_profile import PUBLISHED, SESSION_ROWS, WANTS, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = ("é", "名前", "node with a name of more than thirty-two bytes ", "a", "")


def test_both_engines_give_the_same_profile(spark: SparkSession, tmp_path: Path) -> None:
    """With fewer nodes compared than there are, so both choose the same ones."""
    texts = [(NAMES[int(node[1:]) % 5] + node, topic) for node, topic in WANTS]
    write(tmp_path / "texts" / "subscriptions" / "0.parquet", SUBSCRIPTIONS, [*texts, *texts[:9]])
    write(tmp_path / "texts" / "publications.parquet", PUBLICATIONS, [*PUBLISHED, (5, 100, ["t1"])])
    write(tmp_path / "texts" / "sessions.parquet", SESSIONS, SESSION_ROWS)
    follows = [(v, (v * step + 3) % 41) for v in range(30) for step in (1, 5, 7)]
    write(
        tmp_path / "numbers" / "follows.parquet",
        FOLLOWS,
        [one for one in follows if one[0] - one[1]],
    )
    for folder, limits in (
        ("texts", {"compared": 7}), ("numbers", {"compared": 9}), ("numbers", {"comparisons": 60}),
    ):  # fmt: skip
        place = tmp_path / folder
        spark_found = profile(place, seed=3, session=spark, **limits)  # type: ignore[arg-type]
        assert values_of(profile_in_memory(place, seed=3, **limits)) == values_of(spark_found)  # type: ignore[arg-type]


def values_of(value: Any) -> Any:
    """Return the values of a profile, in plain collections."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__dataclass_fields__"):
        return {name: values_of(getattr(value, name)) for name in value.__dataclass_fields__}
    return value
