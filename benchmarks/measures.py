"""Benchmark: what it costs to know how good an overlay is, exact diameters included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.reference import quality as naive_quality

from benchmarks.alternatives import library_measures as libraries
from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import rss
from gossamer import quality
from gossamer.design import find_algorithm
from gossamer.model import Interests, Overlay

__all__ = ["measures"]

Measure = Callable[[Interests, Overlay], Any]
NAIVE, SMALL, BIG = Size(100, 20, 5), Size(1_000, 100, 10), Size(10_000, 1_000, 20)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (NAIVE, SMALL),
    "full": (NAIVE, SMALL, BIG),
    "large": (NAIVE, SMALL, BIG),
}


SHOWN = Excerpt(
    (
        "components by NetworkX",
        "components by SciPy",
        "diameters by SciPy",
        "clustering by NetworkX",
        "assess greedy-merge",
    )
)


@benchmark("measures", "Assessing an overlay", excerpt=SHOWN)
def measures(effort: Effort) -> Iterator[Case]:
    """Metrics of an overlay of greedy merge; other libraries must agree.

    *assess* is the whole assessment without the lower bound.
    """
    for size in SIZES[effort]:
        yield from _components(size)
        yield from _diameters(size)
        yield from _clustering(size)
        for name in ("greedy-merge", "td-cd-oda", "ring-per-topic"):
            yield Case(
                f"assess {name}",
                size,
                _measured(lambda i, o: quality.assess(i, o, lower_bound=False), name),
                answer=lambda found: f"largest topic diameter {found.max_diameter}",
            )


def _components(size: Size) -> Iterator[Case]:
    rivals: dict[str, Measure] = {
        "components by NetworkX": libraries.networkx_components,
        "components by SciPy": libraries.scipy_components,
    }
    yield from _beside("components", size, quality.topic_components, rivals, _components_found)


def _diameters(size: Size) -> Iterator[Case]:
    rivals: dict[str, Measure] = {"diameters by SciPy": libraries.scipy_diameters}
    if size != BIG:
        rivals["diameters by NetworkX"] = libraries.networkx_diameters
    if size in (TINY, NAIVE):
        rivals["diameters by the naive twin"] = _naive_diameters
    yield from _beside("diameters", size, _exact_diameters, rivals, _diameters_found)


def _clustering(size: Size) -> Iterator[Case]:
    yield from _beside(
        "clustering",
        size,
        lambda interests, overlay: quality.mean_clustering(overlay),
        {
            "clustering by NetworkX": lambda interests, overlay: libraries.networkx_clustering(
                overlay
            )
        },
        lambda found: f"{found:.5f}",
    )


def _beside(
    subject: str,
    size: Size,
    ours: Measure,
    rivals: dict[str, Measure],
    answer: Callable[[Any], str],
) -> Iterator[Case]:
    yield Case(subject, size, _measured(ours), against=subject, answer=answer)
    for name, rival in rivals.items():
        yield Case(name, size, _measured(rival), against=subject, answer=answer, same=True, runs=2)


def _measured(
    measure: Measure, algorithm: str = "greedy-merge"
) -> Callable[[Size], Callable[[], Any]]:
    def prepare(size: Size) -> Callable[[], Any]:
        interests = rss(size)
        overlay = find_algorithm(algorithm)(interests, seed=1)
        return lambda: measure(interests, overlay)

    return prepare


def _exact_diameters(interests: Interests, overlay: Overlay) -> Any:
    graphs = quality.TopicGraphs.of(interests, overlay)
    return quality.shapes_of_topics(graphs).diameters


def _naive_diameters(interests: Interests, overlay: Overlay) -> list[int]:
    return [diameter for _, diameter in naive_quality.topic_shapes(interests, overlay)]


def _components_found(found: Any) -> str:
    return f"{sum(map(int, found)):,} in all"


def _diameters_found(found: Any) -> str:
    values = [int(value) for value in found]
    return f"mean {sum(values) / len(values):.3f}, largest {max(values)}"
