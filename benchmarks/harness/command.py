"""The command line of the benchmarks: which to run, how much of them, and what is written."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.harness.cases import Benchmark, Effort, Row, benchmarks, find_benchmark
from benchmarks.harness.data_files import write_page
from benchmarks.harness.page import TITLE, page, show_rows
from benchmarks.harness.runner import BenchmarkError, run_benchmark
from gossamer.errors import ParameterError

__all__ = ["main"]

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def main(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    if arguments[:1] == ["ties"]:
        from benchmarks.ties import main as compare_ties

        return compare_ties(arguments[1:])
    if arguments[:1] == ["spark"]:
        from benchmarks.spark_pipeline import main as run_pipeline

        return run_pipeline(arguments[1:])
    if arguments[:1] == ["front"]:
        from benchmarks.front import main as measure_front

        return measure_front(arguments[1:])
    options = _parser().parse_args(arguments)
    if options.list:
        for benchmark in benchmarks().values():
            print(f"{benchmark.name:<20} {benchmark.title}")
        return 0
    effort: Effort = "large" if options.large else "quick" if options.quick else "full"
    begun = time.perf_counter()
    try:
        chosen = [find_benchmark(name) for name in options.names] or list(benchmarks().values())
        results = {found.name: (found, _run(found, effort)) for found in chosen}
    except (BenchmarkError, ParameterError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    out = options.out
    if out is None and effort != "quick" and not options.names:
        out = RESULTS / "benchmarks.md"
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        words = ["script/bench", *options.names, *(["--large"] if options.large else [])]
        text = page(
            results, out.parent, title=options.title, note=options.note, command=" ".join(words)
        )
        excerpts = {found.title: found.excerpt for found in chosen if found.excerpt}
        for path in write_page(text, out, excerpts):
            _tell(f"wrote {path}")
    _tell(f"{time.perf_counter() - begun:.0f} seconds in all")
    return 0


def _run(benchmark: Benchmark, effort: Effort) -> list[Row]:
    rows = run_benchmark(benchmark, effort)
    show_rows(benchmark, rows)
    return rows


def _tell(text: str) -> None:
    print(f"· {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="script/bench",
        description="Time Gossamer against its naive twins and against NetworkX, SciPy and NumPy.",
        epilog="examples: script/bench · script/bench --quick · script/bench greedy-merge growth · "
        "script/bench greedy-merge --large · script/bench ties (tie-breaking) · script/bench spark "
        "(the pipeline) · script/bench front (links and hops); ties, spark and front have a --help "
        "of their own and write docs/results/ties.md, spark.md and front.md",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="names of benchmarks; see --list")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    how_much.add_argument(
        "--large", action="store_true", help="also a million nodes, many minutes and gigabytes"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the page, with long tables in data/ beside it (default for a full run of "
        "all: docs/results/benchmarks.md)",
    )
    parser.add_argument("--title", default=TITLE, help="heading of the page")
    parser.add_argument("--note", default="", help="a sentence for the page, under the machine")
    return parser
