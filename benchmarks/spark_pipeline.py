"""The pipeline on Spark as a user runs it: whole commands, on all cores, at growing sizes.

``script/bench spark`` runs it and writes the page; tables of one's own, such as heavy-tailed
real ones, are added with ``--table``. Beside each command stands what does the same in the
memory of one process, where it can. How the page is written is in ``spark_page``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness.data_files import write_page
from benchmarks.harness.tree import watch
from benchmarks.spark_page import EXCERPTS, spark_page

__all__ = ["Step", "main", "measure"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "spark.md"
COMMAND = (sys.executable, "-m", "gossamer")
DIVIDED = (sys.executable, "-m", "benchmarks.alternatives.divided_merge")
SIZES = {
    "tiny": (300,),
    "quick": (3_000, 10_000),
    "full": (10_000, 100_000),
    "large": (10_000, 100_000, 1_000_000),
}
EDGES = {
    "tiny": (2_000,),
    "quick": (100_000,),
    "full": (100_000, 1_000_000),
    "large": (100_000, 1_000_000, 10_000_000),
}
UNDIVIDED = 100_000
"""Maximum number of nodes for bounded radius on the undivided table."""

FACT = re.compile(r"^(?P<label>\S.*?)  +(?P<value>[-\d.,e+]+( of [\d,]+)?|yes|no)$")


@dataclass(frozen=True)
class Step:
    """One command that was run.

    Attributes
    ----------
    part
        What part of the pipeline it belongs to.
    size
        On how much, in words.
    what
        The command without its paths, in a few words.
    seconds, peak_bytes
        On the wall, start of Java included; of all its processes.
    facts
        What it printed, by label.
    """

    part: str
    size: str
    what: str
    seconds: float
    peak_bytes: int
    facts: dict[str, str] = field(default_factory=dict)


def measure(effort: str, tables: dict[str, Path], folder: Path) -> Iterator[Step]:
    """Run everything at the sizes of an effort, the largest first, and on given tables."""
    for nodes in reversed(SIZES[effort]):
        topics = max(20, min(10_000, nodes // 10))
        yield from _designed_rss(nodes, topics, folder / f"design-{nodes}")
    for name, path in tables.items():
        yield from _designed(name, path, folder / f"table-{name}")
    for nodes in reversed(SIZES[effort]):
        topics = max(20, min(10_000, nodes // 10))
        yield from _generated_and_profiled(nodes, topics, folder / f"profile-{nodes}")
    for edges in reversed(EDGES[effort]):
        yield from _sampled(edges, folder / f"sample-{edges}")


def _generated_and_profiled(nodes: int, topics: int, folder: Path) -> Iterator[Step]:
    size = f"{nodes:,} nodes × {topics:,} topics × 20"
    rss = ("workload", "rss", "--nodes", nodes, "--topics", topics, "--subscriptions", 20)
    yield _run(
        "Workload and profile", size, "workload, memory", *rss, "--out", folder / "m.parquet"
    )
    yield _run(
        "Workload and profile",
        size,
        "workload, Spark",
        *rss,
        "--engine",
        "spark",
        "--out",
        folder / "t",
    )
    yield _run(
        "Workload and profile", size, "profile", "profile", folder / "t", "--out", folder / "p"
    )
    shutil.rmtree(folder)


def _sampled(edges: int, folder: Path) -> Iterator[Step]:
    users = edges // 20
    size = f"about {edges:,} relations of {users:,} users"
    graph = (
        "workload", "zipf", "--alpha", 0.7, "--nodes", users, "--topics", users,
        "--subscriptions", "5-2000", "--exponent", 2.2, "--engine", "spark",
    )  # fmt: skip
    yield _run(
        "Breadth-first sample",
        size,
        "workload (a follower graph), Spark",
        *graph,
        "--out",
        folder / "t",
    )
    few = min(10_000, users // 4)
    yield _run(
        "Breadth-first sample",
        size,
        f"sample of {few:,}",
        "sample",
        folder / "t",
        "--nodes",
        few,
        "--seed",
        1,
        "--out",
        folder / "s",
    )
    shutil.rmtree(folder)


def _designed_rss(nodes: int, topics: int, folder: Path) -> Iterator[Step]:
    path = folder / "subscriptions.parquet"
    rss = (
        "workload",
        "rss",
        "--nodes",
        nodes,
        "--topics",
        topics,
        "--subscriptions",
        10,
        "--seed",
        1,
    )
    _run("", "", "", *rss, "--out", path)
    size = f"{nodes:,} nodes × {topics:,} topics × 10"
    yield from _bounded(nodes, size, path, folder)
    yield from _designed(size, path, folder)


def _bounded(nodes: int, size: str, path: Path, folder: Path) -> Iterator[Step]:
    """Short paths: undivided where that takes minutes, by rule, and in ten blocks."""
    design = ("design", path, "--radius", 8, "--algorithm")
    if nodes <= UNDIVIDED:
        out = folder / "undivided.parquet"
        yield _run(
            "Bounded radius", size, "design, memory, undivided", *design, "bounded-radius",
            "--out", out,
        )  # fmt: skip
    for what, block in (("blocks by rule", 0), ("10 blocks", -(-nodes // 10))):
        yield _run(
            "Bounded radius", size, f"design, Spark, {what}", *design, "bounded-radius",
            "--engine", "spark", "--block", block, "--out", folder / f"blocks-{block}",
        )  # fmt: skip


def _designed(size: str, path: Path, folder: Path) -> Iterator[Step]:
    folder.mkdir(exist_ok=True)
    for algorithm in ("greedy-merge", "subset-merge"):
        out = folder / f"{algorithm}.parquet"
        yield _run(
            "Design",
            size,
            f"design, memory, {algorithm}",
            "design",
            path,
            "--algorithm",
            algorithm,
            "--out",
            out,
        )
    yield _run(
        "Design", size, "design, Spark", "design", path, "--engine", "spark", "--out", folder / "d"
    )
    yield _run("Design", size, "divide and conquer, memory, 4 blocks", path, command=DIVIDED)
    links = folder / "d" / "links"
    yield _run("Assess", size, "assess, memory", "assess", path, links, "--no-lower-bound")
    yield _run("Assess", size, "assess, Spark", "assess", path, links, "--engine", "spark")
    shutil.rmtree(folder)


def _run(
    part: str, size: str, what: str, *words: object, command: tuple[str, ...] = COMMAND
) -> Step:
    for word in words:
        if isinstance(word, Path):
            word.parent.mkdir(parents=True, exist_ok=True)
    if part:
        print(f"· {part}: {what}, {size}", file=sys.stderr, flush=True)
    found = watch([*command, *map(str, words)])
    facts = {
        line["label"]: line["value"] for line in map(FACT.match, found.printed.splitlines()) if line
    }
    if part:
        print(
            f"    {found.seconds:.1f} s, {found.peak_bytes >> 20:,} MiB",
            file=sys.stderr,
            flush=True,
        )
    return Step(part, size, what, found.seconds, found.peak_bytes, facts)


def main(arguments: list[str]) -> int:
    """Run ``script/bench spark``; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="script/bench spark",
        description="Time the commands of the pipeline on Spark, for docs/results/spark.md.",
    )
    efforts = parser.add_mutually_exclusive_group()
    efforts.add_argument("--quick", action="store_true", help="small sizes; only prints")
    efforts.add_argument(
        "--large", action="store_true", help="up to a million nodes (half an hour)"
    )
    parser.add_argument(
        "--table", action="append", default=[], metavar="NAME=PATH",
        help="also design for this table of subscriptions (Parquet); may be given again",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="write the page here")
    options = parser.parse_args(arguments)
    effort = "large" if options.large else "quick" if options.quick else "full"
    tables = {name: Path(path) for name, _, path in (one.partition("=") for one in options.table)}
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as folder:
        try:
            steps = list(measure(effort, tables, Path(folder)))
        except subprocess.CalledProcessError as fault:
            print(f"error: {fault.stderr.strip()}", file=sys.stderr)
            return 1
    text = spark_page(steps)
    out = options.out or (None if options.quick else PAGE)
    if out is None:
        print(text)
        return 0
    for path in write_page(text, out, EXCERPTS):
        print(f"· wrote {path}", file=sys.stderr)
    return 0
