"""Benchmark: reading a table of subscriptions from a file."""

from __future__ import annotations

import csv
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import rss
from gossamer.model import Interests
from gossamer.tables import read_interests, write_interests

__all__ = ["table_reading"]

SIZES: dict[Effort, Size] = {
    "tiny": TINY,
    "quick": Size(20_000, 1_000, 10),
    "full": Size(200_000, 10_000, 10),
    "large": Size(200_000, 10_000, 10),
}


SHOWN = Excerpt(("CSV, text", "Parquet, text", "csv module, text"))


@benchmark("table-reading", "Reading a table", excerpt=SHOWN)
def table_reading(effort: Effort) -> Iterator[Case]:
    """From a file to interests. Python's `csv` module reads the rows into two lists first."""
    size = SIZES[effort]
    for kind in ("numbers", "text"):
        ours = f"CSV, {kind}"
        yield Case(ours, size, _reads(kind, "table.csv"), against=ours, answer=repr)
        yield Case(
            f"CSV, {kind}, gzipped", size, _reads(kind, "table.csv.gz"), against=ours,
            answer=repr, same=True,
        )  # fmt: skip
        yield Case(
            f"Parquet, {kind}", size, _reads(kind, "table.parquet"), against=ours,
            answer=repr, same=True,
        )  # fmt: skip
        yield Case(
            f"csv module, {kind}", size, _reads(kind, "table.csv", _by_csv_module), against=ours,
            answer=repr, same=True, runs=2,
        )  # fmt: skip


def _reads(
    kind: str, name: str, read: Callable[[Path], Interests] = read_interests
) -> Callable[[Size], Callable[[], Interests]]:
    def prepare(size: Size) -> Callable[[], Interests]:
        folder = tempfile.mkdtemp()
        path = Path(folder, name)
        write_interests(path, rss(size) if kind == "numbers" else _named(rss(size)))

        def timed() -> Interests:
            return read(path)

        weakref.finalize(timed, shutil.rmtree, folder)
        return timed

    return prepare


def _named(interests: Interests) -> Interests:
    """Give nodes and topics names that are text."""
    nodes = np.array([f"node-{place:07}" for place in range(interests.node_count)], dtype=object)
    topics = np.array([f"topic-{place:06}" for place in range(interests.topic_count)], dtype=object)
    return Interests.from_ids(
        interests.node_column, interests.node_topics, node_names=nodes, topic_names=topics
    )


def _by_csv_module(path: Path) -> Interests:
    nodes, topics = [], []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            nodes.append(row["node"])
            topics.append(row["topic"])
    if all(name.isdigit() for name in nodes):
        return Interests.from_pairs([int(name) for name in nodes], [int(name) for name in topics])
    return Interests.from_pairs(nodes, topics)
