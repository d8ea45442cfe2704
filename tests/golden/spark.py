"""Spark jobs on small tables: what they compute, however their tables are partitioned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet

from tests.golden import program, spark_program
from tests.golden.inputs import followers, heavy, rss

SparkCase = Callable[[Any, Path], Any]
"""Computes a value with a session and a folder of its own."""

RAW = {
    "snap": "# who trusts whom\n0\t4\n0\t5\n4\t5\n4\tx\n5\t5\n0\t4\n10 2\n",
    "pairs": 'node,topic,weight\nann,tea,3\nann,jazz,1\nbob,"rock, hard",2\n,tea,1\nann,tea,9\n',
    "publications": "time_ms,post_id,tags\n0,1,128 61 182\n2500,2,582 61\n4000,3,61\nx,4,61\n",
    "google-machine-events": "0,5,0,H,0.5,0.2\n0,6,0,,,\n835025364,5,1,H,,\n"
    "1030926374,5,0,H,0.5,0.2\n2000000000,6,2,,0.25,0.2\n",
}  # fmt: skip
"""Raw files by the source that reads them, with some lines that cannot be used."""


def rows_of(folder: Path) -> list[tuple[Any, ...]]:
    """Return the rows of a Parquet table, sorted."""
    table = pyarrow.parquet.read_table(folder)
    columns = [column.to_pylist() for column in table.columns]
    return sorted(zip(*columns, strict=True), key=repr)


def _ingest(source: str) -> SparkCase:
    def values(session: Any, folder: Path) -> Any:
        raw = folder / "raw.txt"
        raw.write_text(RAW[source], encoding="utf-8")
        names, counts = spark_program.ingest(source, raw, folder / "out", session)
        return counts, [rows_of(folder / "out" / name) for name in names]

    return values


def _subscriptions(folder: Path, interests: Any) -> Path:
    path = folder / "subscriptions.parquet"
    program.write_interests(path, interests)
    return path


def _profile(session: Any, folder: Path) -> Any:
    for source in ("publications", "google-machine-events"):
        raw = folder / f"{source}.csv"
        raw.write_text(RAW[source], encoding="utf-8")
        spark_program.ingest(source, raw, folder / "tables", session)
    _subscriptions(folder / "tables", rss())
    return spark_program.profile(folder / "tables", session)


def _sample(session: Any, folder: Path) -> Any:
    _subscriptions(folder / "tables", followers())
    found = spark_program.sample(folder / "tables", folder / "out", session)
    return found, rows_of(folder / "out" / "follows")


def _design(name: str, options: dict[str, Any]) -> SparkCase:
    def values(session: Any, folder: Path) -> Any:
        path, out = _subscriptions(folder, heavy()), folder / "out"
        found = spark_program.design(name, options, path, out, session)
        return {
            "links": (found, rows_of(out / "links")),
            "measures": spark_program.assess(path, out, session),
        }

    return values


def _bound(session: Any, folder: Path) -> Any:
    return spark_program.bound(_subscriptions(folder, rss()), folder / "out", session)


CASES: dict[str, SparkCase] = {
    **{f"spark/ingest/{source}": _ingest(source) for source in RAW},
    "spark/profile": _profile,
    "spark/sample": _sample,
    "spark/design/partitioned-merge": _design("partitioned-merge", {}),
    "spark/design/partitioned-radius": _design("bounded-radius", {"radius": 4, "block": 40}),
    "spark/bound": _bound,
}
