"""Benchmark: making synthetic interests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from tests.reference import workloads as naive_workloads

from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import rss
from gossamer.workloads import Zipf, topic_probabilities

__all__ = ["workloads"]

NAIVE, CHOICE = Size(200, 1_000, 10), Size(1_000, 10_000, 10)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (NAIVE, CHOICE, Size(100_000, 10_000, 10)),
    "full": (NAIVE, CHOICE, Size(1_000_000, 10_000, 10)),
    "large": (NAIVE, CHOICE, Size(1_000_000, 10_000, 10)),
}


@benchmark("workloads", "Generating a workload", excerpt=Excerpt(()))
def workloads(effort: Effort) -> Iterator[Case]:
    """Generate interests. NumPy's `choice` draws by the same law, one node at a time."""
    for size in SIZES[effort]:
        yield Case("workload", size, _ours, against="workload", answer=_rows)
        if size in (TINY, NAIVE):
            yield Case(
                "naive twin", size, _naive, against="workload", answer=_rows, same=True, runs=1
            )
        if size in (TINY, CHOICE):
            yield Case("NumPy's choice", size, _choice, against="workload", answer=_rows, runs=2)


def _rows(count: int) -> str:
    return f"{count:,} rows"


def _ours(size: Size) -> Callable[[], int]:
    return lambda: rss(size).subscription_count


def _naive(size: Size) -> Callable[[], int]:
    log_weights = Zipf(0.5).log_weights(size.topics)
    return lambda: sum(
        len(naive_workloads.topics_of(1, node, size.subscriptions, log_weights))
        for node in range(size.nodes)
    )


def _choice(size: Size) -> Callable[[], int]:
    random = np.random.default_rng(1)
    chances = topic_probabilities(Zipf(0.5), size.topics)
    return lambda: sum(
        len(random.choice(size.topics, size.subscriptions, replace=False, p=chances))
        for _ in range(size.nodes)
    )
