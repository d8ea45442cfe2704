"""Tables of the page on the Pareto front, and the sentences that stated rules derive from them.

Pure functions of the measurements; nothing runs here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.harness.markdown import markdown_table
from benchmarks.harness.page import seconds
from gossamer.experiments.pareto_front import Front, FrontPoint

if TYPE_CHECKING:
    from benchmarks.front import FrontResults, Varied

__all__ = [
    "Averaged",
    "averages",
    "capped_answer",
    "capped_table",
    "flatness",
    "instances_table",
    "measures",
    "parameters_table",
    "percent",
]

CLOSE = 1.01
"""Largest ratio of two mean degrees that count as equal."""


@dataclass(frozen=True)
class Averaged:
    """One candidate on several instances.

    Attributes
    ----------
    mean, ratio, seconds
        Averages over the instances; no ratio if a topic was disconnected.
    maxima, p95s, diameters
        Maximum degree, 95th percentile and largest diameter of each instance.
    disconnected
        Number of disconnected topics, over all instances.
    """

    label: str
    mean: float
    ratio: float | None
    seconds: float
    maxima: tuple[int, ...]
    p95s: tuple[int, ...]
    diameters: tuple[int, ...]
    disconnected: int = 0


def averages(fronts: Sequence[Front]) -> dict[str, Averaged]:
    """Return each candidate's results over all instances."""
    found: dict[str, Averaged] = {}
    for rows in zip(*(front.comparison.rows for front in fronts), strict=True):
        ratios = [row.ratio_to_lower_bound for row in rows]
        found[rows[0].algorithm] = Averaged(
            rows[0].algorithm,
            fmean(row.mean_degree for row in rows),
            None if None in ratios else fmean(ratio for ratio in ratios if ratio is not None),
            fmean(row.seconds for row in rows),
            tuple(row.max_degree for row in rows),
            tuple(row.p95_degree for row in rows),
            tuple(row.max_diameter for row in rows),
            sum(row.topics - row.topics_connected for row in rows),
        )
    return found


def instances_table(results: FrontResults) -> str:
    """Return a table of all candidates on the generated instances, shortest paths first."""
    found = sorted(
        averages(results.instances).values(), key=lambda one: (max(one.diameters), one.mean)
    )
    rows = []
    for one in found:
        over = results.over.get(one.label)
        caps = "" if over is None else _span([cap for cap, _, _ in over])
        beyond = ""
        if over is not None:
            nodes = [count for _, count, _ in over]
            by = max(most for _, _, most in over)
            beyond = f"{_span(nodes)}, by {by}" if any(nodes) else "none"
        rows.append(
            [
                f"`{one.label}`",
                _span(one.diameters),
                f"{one.mean:.3f}",
                f"disconnected: {one.disconnected}" if one.ratio is None else f"{one.ratio:.3f}",
                _span(one.maxima),
                _span(one.p95s),
                caps,
                beyond,
                seconds(one.seconds),
            ]
        )
    header = [
        "algorithm", "largest topic diameter", "mean degree", "÷ lower bound", "maximum", "p95",
        "cap", "nodes over it", "seconds",
    ]  # fmt: skip
    return markdown_table(header, rows)


def _span(values: Sequence[int]) -> str:
    least, most = min(values), max(values)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


# -- one parameter after the other -------------------------------------------------------------


def parameters_table(varied: Sequence[Varied]) -> str:
    """Return a table of the results of each value."""
    rows = []
    for one in varied:
        cells = [f"{one.value:g}", f"{one.mean:.3f}", f"{one.maximum:,}", str(one.diameter)]
        rows.append([one.parameter, "yes" if one.chosen else "", *cells])
    header = ["parameter", "default", "value", "mean degree", "maximum", "diameter"]
    return markdown_table(header, rows, left=2)


def flatness(varied: Sequence[Varied]) -> list[str]:
    """Return, for each parameter, the effect of a step to either side of its default."""
    said = []
    for name in dict.fromkeys(one.parameter for one in varied):
        mine = [one for one in varied if one.parameter == name]
        at = next((place for place, one in enumerate(mine) if one.chosen), None)
        if at is None:
            continue
        rule = mine[at]
        beside = [mine[place] for place in (at - 1, at + 1) if 0 <= place < len(mine)]
        changes = [
            f"{one.value:g} gives a mean {percent(one.mean / rule.mean)} (maximum {one.maximum:,})"
            for one in beside
        ]
        said.append(
            f"- **The {name}**, {rule.value:g} (mean {rule.mean:.3f}, maximum {rule.maximum:,}): "
            f"{'; '.join(changes)}."
        )
    return said


def percent(ratio: float) -> str:
    """Return how much higher or lower a quantity is, in words."""
    change = 100 * (ratio - 1)
    if abs(change) < 0.05:
        return "as high"
    return f"{abs(change):.1f} % {'higher' if change > 0 else 'lower'}"


# -- points one by one ------------------------------------------------------------------------

MEASURED = ["mean degree", "÷ lower bound", "maximum", "p95", "diameter", "seconds"]


def measures(point: FrontPoint) -> list[str]:
    """Return the cells of a point."""
    return [
        f"{point.mean_degree:.3f}",
        "disconnected"
        if point.ratio_to_lower_bound is None
        else f"{point.ratio_to_lower_bound:.3f}",
        f"{point.max_degree:,}",
        f"{point.p95_degree:,}",
        f"{point.max_diameter:,}",
        seconds(point.seconds),
    ]


# -- a cap for subset merge --------------------------------------------------------------------


def capped_table(capped: dict[str, Front]) -> str:
    """Return a table of subset merge with several caps beside greedy merge and LowODA."""
    rows = [
        [name, f"`{point.label}`", *measures(point)]
        for name, front in capped.items()
        for point in front.points
    ]
    return markdown_table(["workload", "algorithm", *MEASURED], rows, left=2)


def capped_answer(name: str, front: Front) -> str:
    """Return whether a cap gives the maximum of LowODA at the mean of greedy merge, in words."""
    greedy, lowest, *others = front.points
    tried = [point for point in others if "degree-cap" in point.options]
    best = min(tried, key=lambda point: (point.max_degree, point.mean_degree))
    yes = best.max_degree <= lowest.max_degree and best.mean_degree <= CLOSE * greedy.mean_degree
    free = next(point for point in others if not point.options)
    return (
        f"{name}: {'yes' if yes else 'not quite'}. With a cap of {best.options['degree-cap']} the "
        f"maximum is {best.max_degree:,} instead of {free.max_degree:,} (LowODA: "
        f"{lowest.max_degree:,}), and the mean "
        f"{_than(best.mean_degree / greedy.mean_degree)} greedy merge's."
    )


def _than(ratio: float) -> str:
    said = percent(ratio)
    return "as high as" if said == "as high" else f"{said} than"
