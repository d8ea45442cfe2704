"""Tables of the page on the Pareto front, and the sentences that stated rules derive from them.

Pure functions of the measurements; nothing runs here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median_low
from typing import TYPE_CHECKING

from benchmarks.harness import Size
from benchmarks.harness.markdown import markdown_table
from benchmarks.harness.page import seconds
from gossamer.experiments.pareto_front import Front, FrontPoint

if TYPE_CHECKING:
    from benchmarks.front import FrontResults, Varied

__all__ = [
    "Averaged",
    "Reference",
    "averages",
    "beside_prototype",
    "capped_answer",
    "capped_table",
    "flatness",
    "instances_table",
    "judge",
    "measures",
    "parameters_table",
    "percent",
    "prototype_answer",
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


@dataclass(frozen=True)
class Reference:
    """Published result of an independent prototype at the same size.

    Attributes
    ----------
    name
        Algorithm and parameters.
    rivals
        Labels of the candidates that are compared with it.
    """

    name: str
    rivals: tuple[str, ...]
    mean: str
    maximum: int
    p95: int | None
    diameter: int

    @property
    def text(self) -> str:
        """Its measures in one cell."""
        p95 = "–" if self.p95 is None else str(self.p95)
        return f"{self.mean} / {self.maximum} / {p95} / {self.diameter}"


def _bounded(radius: int, cap: int) -> tuple[str, ...]:
    name = f"bounded-radius:radius={radius}"
    return (name, f"{name}:degree-cap={cap}")


REFERENCES = (
    Reference("greedy merge", ("greedy-merge:ties=lexicographic",), "4.32", 44, 8, 66),
    Reference("LowODA, ρ 3", ("low-oda:rho=3",), "4.39", 7, 5, 82),
    Reference("SpiderCast (3, 0)", ("spidercast",), "9.0", 17, None, 10),
    Reference("bounded radius, 10", _bounded(10, 8), "4.61", 8, 7, 20),
    Reference("bounded radius, 8", _bounded(8, 11), "4.79", 11, 10, 16),
    Reference("bounded radius, 6", _bounded(6, 16), "5.15", 16, 15, 12),
    Reference("bounded radius, 5", _bounded(5, 17), "5.60", 17, 16, 10),
    Reference("bounded radius, 4", _bounded(4, 44), "6.07", 44, 14, 8),
    Reference(
        "LowODA, resilient",
        ("low-oda:rho=3:resilient=yes", "low-oda:rho=3:resilient=true"),
        "5.78", 9, 7, 23,
    ),
    Reference(
        "bounded radius 5, resilient",
        ("bounded-radius:radius=5:resilient=yes", "bounded-radius:radius=5:resilient=true"),
        "7.37", 18, 16, 10,
    ),
)  # fmt: skip
REFERENCE_BOUND = "3.775"
REFERENCE_SIZE = Size(10_000, 100, 10)


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


# -- beside the prototype ----------------------------------------------------------------------


def judge(ours: Averaged, reference: Reference) -> tuple[bool, str]:
    """Return whether a reference is met or beaten, and a sentence with the differences.

    Mean degrees are averages over the instances, compared at the decimals of the reference; for the
    other measures the median instance is compared.
    """
    decimals = len(reference.mean.partition(".")[2])
    pairs = [
        ("mean", round(ours.mean, decimals), float(reference.mean)),
        ("maximum", median_low(ours.maxima), reference.maximum),
        ("p95", median_low(ours.p95s), reference.p95),
        ("diameter", median_low(ours.diameters), reference.diameter),
    ]
    known = [(name, one, other) for name, one, other in pairs if other is not None]
    above = [f"{name} {one:g} for {other:g}" for name, one, other in known if one > other]
    below = [f"{name} {one:g} for {other:g}" for name, one, other in known if one < other]
    if above:
        lower = f"; lower: {', '.join(below)}" if below else ""
        return False, f"no: {', '.join(above)}{lower}"
    return True, f"beaten: {', '.join(below)}" if below else "met"


def beside_prototype(results: FrontResults) -> str:
    """Return a table of the prototype's numbers, ours, and the verdicts."""
    found = averages(results.instances)
    rows = []
    for reference in REFERENCES:
        for label in reference.rivals:
            if label not in found:
                continue
            one = found[label]
            cells = [f"{one.mean:.2f}", *map(_span, (one.maxima, one.p95s, one.diameters))]
            verdict = judge(one, reference)[1]
            rows.append([reference.name, reference.text, f"`{label}`", " / ".join(cells), verdict])
    bounds = [front.comparison.lower_bound for front in results.instances]
    shown = f"{min(bounds):.3f}" if len(bounds) == 1 else f"{min(bounds):.3f}–{max(bounds):.3f}"
    rows.append(["lower bound", REFERENCE_BOUND, "", shown, ""])
    header = [
        "prototype", "mean / maximum / p95 / diameter", "ours", "mean / maximum / p95 / diameter",
        "met or beaten?",
    ]  # fmt: skip
    return markdown_table(header, rows, left=5)


def prototype_answer(results: FrontResults) -> str:
    """Return a sentence that counts the points of bounded radius that are met or beaten."""
    found = averages(results.instances)
    asked = [one for one in REFERENCES if one.name.startswith("bounded") and len(one.rivals) > 1]
    asked = [one for one in asked if one.rivals[0] in found and one.rivals[1] in found]
    ways = ("with the default cap", "with the cap of the prototype")
    said = []
    for place, way in enumerate(ways):
        met = sum(judge(found[one.rivals[place]], one)[0] for one in asked)
        said.append(f"{met} of {len(asked)} {way}")
    either = sum(any(judge(found[label], one)[0] for label in one.rivals) for one in asked)
    return (
        f"Of the prototype's points of bounded radius, ours meets or beats in all four measures "
        f"{' and '.join(said)}; {either} of {len(asked)} with one or the other."
    )


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
            f"{one.value:g} gives a mean {percent(one.mean / rule.mean)} and a maximum of "
            f"{one.maximum:,}"
            for one in beside
        ]
        said.append(
            f"- **The {name}**: the default is {rule.value:g} (mean {rule.mean:.3f}, maximum "
            f"{rule.maximum:,}); {'; '.join(changes)}."
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
        "disconnected" if point.ratio is None else f"{point.ratio:.3f}",
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
        f"maximum falls from {free.max_degree:,} to {best.max_degree:,} (LowODA: "
        f"{lowest.max_degree:,}), at a mean of {best.mean_degree:.3f}, "
        f"{_than(best.mean_degree / greedy.mean_degree)} greedy merge's and "
        f"{_than(best.mean_degree / lowest.mean_degree)} LowODA's."
    )


def _than(ratio: float) -> str:
    said = percent(ratio)
    return "as high as" if said == "as high" else f"{said} than"
