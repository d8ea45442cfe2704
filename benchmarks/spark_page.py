"""The page of the pipeline's benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.harness import Excerpt
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.markdown import markdown_table
from benchmarks.harness.page import seconds

if TYPE_CHECKING:
    from benchmarks.spark_pipeline import Step

__all__ = ["EXCERPTS", "spark_page"]

INTRODUCTION = """# How the pipeline on Spark scales

Measured by `script/bench spark`: {machine}; for Spark both cores are used.

Each row is a whole command in wall-clock time, with the start of Python and Java (some 6 seconds
for Spark). *Peak* is the largest memory of all its processes, with the Java heap. *Ratio* divides
the time by that of the first row of the same size.
"""

PARTS = {
    "Workload and profile": (
        "Both engines give the same rows.",
        ("subscriptions",),
    ),
    "Breadth-first sample": (
        "A generated follower graph with heavy tails.",
        (),
    ),
    "Design": (
        "All are verified as topic-connected. Divide and conquer "
        "(`benchmarks/alternatives/divided_merge.py`) puts similar nodes into 4 blocks, runs "
        "greedy merge in each, and connects the blocks by nodes that cover each topic of a block "
        "three times.",
        (
            "links per node, mean",
            "links per node, maximum",
            "seconds, numbering",
            "seconds, merging",
            "seconds, naming",
            "seconds, verifying",
        ),
    ),
    "Bounded radius": (
        "Every topic diameter is at most 16, verified. The cost of the division is the mean degree "
        "relative to that of the undivided table; most of it arises within blocks, where a node "
        "has fewer partners.",
        (
            "links per node, mean",
            "links per node, maximum",
            "blocks",
            "links per node, mean, within blocks",
            "links per node, mean, joining blocks",
            "seconds, merging",
        ),
    ),
    "Assess": (
        "Components and exact diameters of every topic, degrees, clustering.",
        ("topics connected, of all", "topic diameter, maximum"),
    ),
}

EXCERPTS = {
    "Workload and profile": Excerpt(()),
    "Breadth-first sample": Excerpt(()),
    "Design": Excerpt(
        columns=(
            "size",
            "command",
            "seconds",
            "ratio",
            "peak MiB",
            "links per node, mean",
            "links per node, maximum",
        )
    ),
}
"""What the page shows of long tables."""


def spark_page(steps: Sequence[Step]) -> str:
    """Return the page of all steps, part by part."""
    parts = [INTRODUCTION.format(machine=describe_machine())]
    for part, (about, shown) in PARTS.items():
        ran = [step for step in steps if step.part == part]
        sizes = list(dict.fromkeys(step.size for step in ran))
        mine = [step for size in reversed(sizes) for step in ran if step.size == size]
        if not mine:
            continue
        parts.append(f"## {part}\n\n{about}\n")
        firsts = {step.size: step for step in reversed(mine)}
        rows = [
            [
                step.size,
                step.what,
                seconds(step.seconds),
                ""
                if step is firsts[step.size]
                else f"{step.seconds / firsts[step.size].seconds:.2g}",
                f"{step.peak_bytes / 2**20:,.0f}",
                *(step.facts.get(label, "") for label in shown),
            ]
            for step in mine
        ]
        header = ["size", "command", "seconds", "ratio", "peak MiB", *shown]
        parts.append(markdown_table(header, rows, left=2) + "\n")
    return "\n".join(parts)
