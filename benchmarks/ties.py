"""Which tie-break is best, by algorithm: degrees over several workloads and seeds.

This measures links, not time. ``script/bench ties`` runs it and writes the page; tables of
one's own can be added with ``--file``. What is counted and how the best is chosen is here;
how it is written is in ``ties_page``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.data_files import write_page
from benchmarks.ties_page import EXCERPTS, ties_page
from gossamer.design import Algorithm, algorithms, find_algorithm
from gossamer.errors import GossamerError
from gossamer.model import Interests
from gossamer.tables import read_interests
from gossamer.workloads import PowerLawSizes, Sizes, generate_interests

__all__ = ["Degrees", "Table", "TieResults", "main", "measure_ties", "tie_breaks"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "ties.md"
FILE_SEEDS = 3


@dataclass(frozen=True)
class Table:
    """Interests that ties are broken on: generated from a seed, or read from a file.

    Attributes
    ----------
    label
        What it is called on the page.
    seeds
        How many instances there are. A file is one instance, designed from as many seeds.
    """

    label: str
    seeds: int
    kind: str = ""
    nodes: int = 0
    topics: int = 0
    subscriptions: int | Sizes = 0
    parameters: dict[str, Any] = field(default_factory=dict)
    path: str = ""
    columns: tuple[str, str] = ("node", "topic")

    def interests(self, seed: int) -> Interests:
        """Make the instance of that seed, or read the file."""
        if self.path:
            return read_interests(
                self.path, node_column=self.columns[0], topic_column=self.columns[1]
            )
        return generate_interests(
            self.kind,
            nodes=self.nodes,
            topics=self.topics,
            subscriptions=self.subscriptions,
            seed=seed,
            **self.parameters,
        )


ELASTO_SIZES = PowerLawSizes(10, 90, 2.0)
TABLES = (
    Table("RSS 1,000 × 100 × 10", 20, "rss", 1_000, 100, 10),
    Table("RSS 10,000 × 100 × 10", 3, "rss", 10_000, 100, 10),
    Table("uniform 200 × 100 × 10", 20, "uniform", 200, 100, 10),
    Table("uniform 2,000 × 200 × 10–90", 10, "uniform", 2_000, 200, ELASTO_SIZES),
    Table("Zipf(2) 2,000 × 200 × 10–90", 10, "zipf", 2_000, 200, ELASTO_SIZES, {"alpha": 2.0}),
    Table("heavy tails 5,000 × 1,000 × 1–300", 5, "zipf", 5_000, 1_000, PowerLawSizes(1, 300, 1.8)),
)
"""Those of the papers (RSS; ElastO's sizes follow a power law of exponent 2), and heavy tails:
Zipf(1) popularity with sizes from a power law of exponent 1.8."""

QUICK = (Table("RSS 200 × 50 × 5", 2, "rss", 200, 50, 5),)


@dataclass(frozen=True)
class Degrees:
    """Mean and maximum degree of one overlay."""

    mean: float
    maximum: int


@dataclass(frozen=True)
class TieResults:
    """What was found: by algorithm, table and tie-break, the degrees of every instance."""

    tables: tuple[Table, ...]
    found: dict[tuple[str, str, str], list[Degrees]]


def tie_breaks(algorithm: Algorithm) -> tuple[tuple[str, ...], str] | None:
    """Return the tie-breaks that an algorithm offers, and its default; None if it has none."""
    for option in algorithm.options.listed:
        if option.keyword == "ties":
            return option.choices, str(option.default)
    return None


def measure_ties(
    tables: Iterable[Table], names: Iterable[str] | None = None, processes: int = 1
) -> TieResults:
    """Design every instance by every algorithm that breaks ties, with every tie-break."""
    tables = tuple(tables)
    names = [name for name, a in algorithms().items() if tie_breaks(a)] if names is None else names
    work = [
        (name, table, seed) for table in tables for seed in range(table.seeds) for name in names
    ]
    found: dict[tuple[str, str, str], list[Degrees]] = {}
    with ProcessPoolExecutor(processes) as pool:
        for (name, table, _), by_ties in zip(work, pool.map(_degrees, work), strict=True):
            for ties, degrees in by_ties.items():
                found.setdefault((name, table.label, ties), []).append(degrees)
    return TieResults(tables, found)


def _degrees(work: tuple[str, Table, int]) -> dict[str, Degrees]:
    name, table, seed = work
    algorithm, interests = find_algorithm(name), table.interests(seed)
    offered = tie_breaks(algorithm)
    assert offered is not None, f"{name} breaks no ties"
    found = {}
    for ties in offered[0]:
        degrees = algorithm(interests, seed=seed, ties=ties).degrees
        found[ties] = Degrees(float(np.mean(degrees)), int(degrees.max(initial=0)))
    print(f"· {name} on {table.label}, seed {seed}", file=sys.stderr, flush=True)
    return found


def main(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="script/bench ties",
        description="Compare the tie-breaks of every algorithm that has the option, and write "
        "which is best.",
    )
    parser.add_argument("--quick", action="store_true", help="one small workload, seconds")
    parser.add_argument(
        "--file", action="append", default=[], metavar="PATH", help="also this table; repeatable"
    )
    parser.add_argument("--node-column", default="node", help="its column of nodes")
    parser.add_argument("--topic-column", default="topic", help="its column of topics")
    parser.add_argument(
        "--algorithm", action="append", metavar="NAME", help="only this; repeatable"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the page (default: docs/results/ties.md; none with --quick)",
    )
    options = parser.parse_args(arguments)
    columns = (options.node_column, options.topic_column)
    files = tuple(
        Table(Path(path).name.partition(".")[0], FILE_SEEDS, path=path, columns=columns)
        for path in options.file
    )
    try:
        results = measure_ties(
            (*(QUICK if options.quick else TABLES), *files),
            options.algorithm,
            os.cpu_count() or 1,
        )
    except GossamerError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    text = ties_page(results)
    print(text)
    out = options.out or (None if options.quick or options.algorithm else PAGE)
    if out is not None:
        for path in write_page(text, out, EXCERPTS):
            print(f"· wrote {path}", file=sys.stderr)
    return 0
