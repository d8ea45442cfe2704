"""Recommendation of an overlay: the point of a front for a goal or a constraint, with its command.

A recommendation is a function of the points and the constraints. An overlay that leaves a topic
disconnected is never recommended.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from gossamer.design.registry import REGISTRY as ALGORITHMS
from gossamer.errors import ParameterError
from gossamer.experiments.comparison import Comparison
from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.protocols.registry import REGISTRY as PROTOCOLS
from gossamer.registry import Registry
from gossamer.results import Result

MAX_LINKS_RATIO, MAX_DEGREE_RATIO = 1.5, 4
"""A moderate price: ratio to the fewest links, and to the lowest maximum degree."""

MODERATE = (
    f"short paths at a moderate price (at most {MAX_LINKS_RATIO} × the fewest links and "
    f"{MAX_DEGREE_RATIO} × the lowest maximum)"
)
BALANCE = "a balance (the least product of mean degree, maximum degree and diameter)"
SORT_KEYS = {
    "links": ("mean_degree", "max_degree", "max_diameter", "label"),
    "maximum": ("max_degree", "mean_degree", "max_diameter", "label"),
    "paths": ("max_diameter", "mean_degree", "max_degree", "label"),
}


@dataclass(frozen=True, repr=False)
class Recommendation(Result):
    """The overlay for one goal or several.

    Attributes
    ----------
    text
        The recommendation in a sentence or two.
    point
        The recommended overlay; None if no overlay meets the constraints.
    command
        The command that makes the overlay; empty for a function that no plug-in has.
    goal, choice
        The two parts of the text: the goal, and the overlay with its measures.
    """

    BRIEF: ClassVar = ("algorithm",)

    text: str
    point: FrontPoint | None = None
    command: str = ""
    goal: str = ""
    choice: str = ""

    def summary(self) -> dict[str, Any]:
        """Return the recommendation, the overlay and the command by name."""
        label = None if self.point is None else self.point.label
        return {"text": self.text, "algorithm": label, "command": self.command or None}


def recommend(
    found: Front | Comparison,
    *,
    hops: int | None = None,
    max_degree: int | None = None,
    table: str | None = None,
) -> list[Recommendation]:
    """Recommend overlays of a front or of a comparison.

    Parameters
    ----------
    found
        Overlays to choose from.
    hops
        Maximum topic diameter.
    max_degree
        Maximum degree of a node.
    table
        File of subscriptions with its format options, as they are typed after a command
        (default: the file that was compared, or ``subscriptions.csv``).

    Returns
    -------
    list
        With ``hops`` or ``max_degree``: of the overlays that meet them, the one with the fewest
        links; if only one constraint is given, also the one with the lowest value of the other.
        Without: one for each of the fewest links; the lowest maximum; the shortest paths at a
        moderate price (at most 1.5 times the fewest links and 4 times the lowest maximum); the
        balance of all three (:func:`balanced`); the shortest paths. Goals with the same overlay
        share a recommendation. A candidate that another one dominates changes none of them.

    Raises
    ------
    ParameterError
        If ``hops`` or ``max_degree`` is below 1.
    """
    check_constraints(hops, max_degree)
    front = found if isinstance(found, Front) else Front(found)
    table = table or front.comparison.origin.table or "subscriptions.csv"
    points = [point for point in front.points if point.topic_connected]
    if not points:
        return [Recommendation("No overlay here connects every topic, so there is none to take.")]
    if hops is not None or max_degree is not None:
        return _constrained(front, points, hops, max_degree, table)
    fewest, lowest = _least(points, "links"), _least(points, "maximum")
    moderate = [
        point
        for point in points
        if point.mean_degree <= MAX_LINKS_RATIO * fewest.mean_degree
        and point.max_degree <= MAX_DEGREE_RATIO * lowest.max_degree
    ]
    goals: list[tuple[str, FrontPoint]] = [
        ("the fewest links", fewest),
        ("the lowest maximum", lowest),
    ]
    if moderate:
        goals.append((MODERATE, min(moderate, key=_by_paths_and_price)))
    goals.append((BALANCE, balanced(points)))
    goals.append(("the shortest paths at any price", _least(points, "paths")))
    return _recommendations("For", goals, front, table)


def balanced(points: Sequence[FrontPoint]) -> FrontPoint:
    """Return the point with the least product of mean degree, maximum degree and largest diameter.

    Half of one measure makes up for twice another. The product of a point does not depend on the
    others, so a further candidate is chosen itself or changes nothing.

    Parameters
    ----------
    points
        One or more points.
    """
    return min(points, key=lambda point: (round(_log_product(point), 12), *_key(point, "links")))


def _log_product(point: FrontPoint) -> float:
    """Return the logarithm of the product of the three measures; a measure of 0 counts as 0.5."""
    measured = (point.mean_degree, point.max_degree, point.max_diameter)
    return sum(math.log(max(value, 0.5)) for value in measured)


def check_constraints(hops: int | None, max_degree: int | None) -> None:
    """Reject constraints below 1."""
    constraints: dict[str, object] = {"hops": hops, "max-degree": max_degree}
    for name, value in constraints.items():
        if value is not None and not (isinstance(value, Integral) and int(value) >= 1):
            raise ParameterError(f"{name} is {value!r}; expected 1 or more")


def _constrained(
    front: Front,
    points: list[FrontPoint],
    hops: int | None,
    max_degree: int | None,
    table: str,
) -> list[Recommendation]:
    """Recommend overlays that meet a constraint on paths, on the maximum degree, or on both."""
    short = [point for point in points if hops is None or point.max_diameter <= hops]
    light = [point for point in points if max_degree is None or point.max_degree <= max_degree]
    both = [point for point in short if point in light]
    constraints = []
    if hops is not None:
        constraints.append(f"paths of up to {_count(hops, 'hop')} are fine")
    if max_degree is not None:
        constraints.append(f"no node may have more than {_count(max_degree, 'link')}")
    start = f"If {' and '.join(constraints)}:"
    if both:
        goals = [("the fewest links", _least(both, "links"))]
        if max_degree is None:
            goals.append(("the lowest maximum", _least(both, "maximum")))
        if hops is None:
            goals.append(("the shortest paths", _least(both, "paths")))
        return _recommendations(f"{start} for", goals, front, table)
    nearest = []
    if hops is not None:
        shortest = _least(light or points, "paths")
        within = f" with at most {_count(max_degree, 'link')}" if max_degree and light else ""
        nearest.append(
            f"the shortest paths{within} are of {_count(shortest.max_diameter, 'hop')} "
            f"(`{shortest.typed}`)"
        )
    if max_degree is not None:
        lowest = _least(short or points, "maximum")
        within = f" with paths of up to {_count(hops, 'hop')}" if hops and short else ""
        nearest.append(
            f"the lowest maximum{within} is {_count(lowest.max_degree, 'link')} (`{lowest.typed}`)"
        )
    return [Recommendation(f"{start} no overlay here can do that; {', and '.join(nearest)}.")]


def _recommendations(
    start: str, goals: Sequence[tuple[str, FrontPoint]], front: Front, table: str
) -> list[Recommendation]:
    """Return a recommendation for each goal in order; goals with the same overlay share one."""
    together: dict[str, tuple[FrontPoint, list[str]]] = {}
    for goal, point in goals:
        together.setdefault(point.label, (point, []))[1].append(goal)
    if len(together) == 1 and len(goals) > 2:
        return [_take(f"{start} all goals", goals[0][1], front, table)]
    return [
        _take(f"{start} {_join(found)}", point, front, table) for point, found in together.values()
    ]


def _take(goal: str, point: FrontPoint, front: Front, table: str) -> Recommendation:
    ratio = ""
    if point.ratio_to_lower_bound is not None:
        # The least possible degree is at least the bound, so this ratio is an upper bound.
        over = max(1.0, math.ceil(point.ratio_to_lower_bound * 100 - 1e-9) / 100)
        ratio = f" (at most {over:.2f} × the least possible)"
    what = "the protocol " if point.kind == "protocol" else ""
    choice = (
        f"{what}`{point.typed}`: {point.mean_degree:,.2f} links a node on average"
        f"{ratio}, {_number(point.max_degree)} at most, paths of up to "
        f"{_count(point.max_diameter, 'hop')}{_of_seeds(front.comparison.seeds)}."
    )
    seed = front.comparison.origin.seed
    words = [*point.words, *([f"--seed {seed}"] if seed else [])]
    if point.kind == "protocol":
        parts = ["gossamer simulate", point.family, table, *words, "--overlay"]
    else:
        parts = ["gossamer design", table, "--algorithm", point.family, *words, "--out"]
    command = " ".join([*parts, "links.parquet"])
    registry: Registry[Any] = PROTOCOLS if point.kind == "protocol" else ALGORITHMS
    load = registry.options_to_load(point.family)
    command = "" if load is None else " ".join([command, *map(shlex.quote, load)])
    return Recommendation(f"{goal}, take {choice}", point, command, goal, choice)


def _of_seeds(seeds: int) -> str:
    return f"; means of {seeds} seeds" if seeds > 1 else ""


def _key(point: FrontPoint, order: str) -> tuple[float | str, ...]:
    return tuple(getattr(point, name) for name in SORT_KEYS[order])


def _least(points: Sequence[FrontPoint], order: str) -> FrontPoint:
    return min(points, key=lambda point: _key(point, order))


def _by_paths_and_price(point: FrontPoint) -> tuple[float | str, ...]:
    """Sort by paths, then by the product of mean and maximum degree."""
    return point.max_diameter, point.mean_degree * point.max_degree, point.label


def _count(count: float, what: str) -> str:
    return f"{_number(count)} {what}{'s' * (count != 1)}"


def _number(count: float) -> str:
    """Return a count, which is a mean if there are several runs."""
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"


def _join(goals: Sequence[str]) -> str:
    return goals[0] if len(goals) == 1 else f"{', '.join(goals[:-1])} and {goals[-1]}"
