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
from gossamer.quality.degree_bound import DegreeBound, max_degree_lower_bound
from gossamer.registry import Registry
from gossamer.results import Result

MAX_LINKS_RATIO, MAX_DEGREE_RATIO = 1.5, 4
"""A moderate price: ratio to the fewest links, and to the lowest maximum degree."""

FEWEST, LOWEST, SHORTEST = "the fewest links", "the lowest maximum", "the shortest paths"
MODERATE, BALANCE = "short paths at a moderate price", "a balance"
MEANINGS = {
    MODERATE: f"at most {MAX_LINKS_RATIO} × the fewest links and {MAX_DEGREE_RATIO} × the lowest "
    "maximum",
    BALANCE: "the least product of mean degree, maximum degree and diameter",
}
"""What a goal is, where its name does not say it."""
SORT_KEYS = {
    "links": ("mean_degree", "max_degree", "max_diameter", "label"),
    "maximum": ("max_degree", "mean_degree", "max_diameter", "label"),
    "paths": ("max_diameter", "mean_degree", "max_degree", "label"),
}


@dataclass(frozen=True, repr=False)
class Recommendation(Result):
    """The overlay for one goal.

    Attributes
    ----------
    text
        The recommendation in a sentence or two.
    point
        The recommended overlay; None for the statement that no overlay meets the constraints.
    command
        The command that makes the overlay; empty for a function that no plug-in has.
    goal, choice
        The two parts of the text: the goal, and the overlay with its measures.
    meaning
        What the goal is, if its name does not say it.
    """

    BRIEF: ClassVar = ("algorithm",)

    text: str
    point: FrontPoint | None = None
    command: str = ""
    goal: str = ""
    choice: str = ""
    meaning: str = ""

    @property
    def line(self) -> str:
        """The recommendation in a line: goal, measures, and the command to type."""
        if self.point is None or not self.command:
            return self.text
        point = self.point
        return (
            f"{self.goal} ({point.mean_degree:,.2f} links a node, {_number(point.max_degree)} at "
            f"most, {_count(point.max_diameter, 'hop')}): {self.command}"
        )

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
        One for each goal. With ``hops`` or ``max_degree``: of the overlays that meet them, the one
        with the fewest links; if only one constraint is given, also the one with the lowest value
        of the other. If no overlay meets them, the first says so, and whether that is proven
        impossible; those that come closest follow. Without constraints: the fewest links; the
        lowest maximum; the shortest paths at a moderate price (at most 1.5 times the fewest links
        and 4 times the lowest maximum); the balance of all three (:func:`balanced`); the shortest
        paths. If all goals have the same overlay, there is one recommendation. A candidate that
        another one dominates changes none of them.

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
    goals = [(FEWEST, fewest), (LOWEST, lowest)]
    if moderate:
        goals.append((MODERATE, min(moderate, key=_by_paths_and_price)))
    goals += [(BALANCE, balanced(points)), (f"{SHORTEST} at any price", _least(points, "paths"))]
    if len({point.label for _, point in goals}) == 1:
        goals = [("all goals", fewest)]
    return [_take("For", goal, point, front, table) for goal, point in goals]


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
    if not both:
        closest = []
        if hops is not None:
            within = _within(None, max_degree if light else None)
            closest.append((SHORTEST + within, _least(light or points, "paths")))
        if max_degree is not None:
            within = _within(hops if short else None, None)
            closest.append((LOWEST + within, _least(short or points, "maximum")))
        none = Recommendation(_no_candidate(front, hops, max_degree))
        return [none, *(_take("Closest, for", *one, front, table) for one in closest)]
    goals = [(FEWEST, _least(both, "links"))]
    if max_degree is None:
        goals.append((LOWEST, _least(both, "maximum")))
    if hops is None:
        goals.append((SHORTEST, _least(both, "paths")))
    within = _within(hops, max_degree)
    return [_take("For", goal + within, point, front, table) for goal, point in goals]


def _within(hops: int | None, max_degree: int | None) -> str:
    """Return the constraints, with a space in front: `` within 12 hops and 20 links a node``."""
    limits = [_count(hops, "hop")] if hops is not None else []
    limits += [f"{_count(max_degree, 'link')} a node"] if max_degree is not None else []
    return f" within {' and '.join(limits)}" if limits else ""


def _no_candidate(front: Front, hops: int | None, max_degree: int | None) -> str:
    """Return that no candidate meets the constraints, and whether an overlay could."""
    start = f"No candidate connects every topic{_within(hops, max_degree)}."
    if max_degree is None:
        return (
            f"{start} It is possible, at the price of many links: with one between every two "
            "subscribers of a topic, all paths are of 1 hop."
        )
    bound = DegreeBound(
        math.ceil(front.comparison.lower_bound - 1e-9),
        f"no topic-connected overlay has a mean degree below {front.comparison.bound_text}",
    )
    if front.interests is not None:
        bounds = bound, max_degree_lower_bound(front.interests, hops=hops)
        bound = max(bounds, key=lambda one: one.degree)
    if bound.degree > max_degree:
        return f"{start} It is impossible: {bound.reason}."
    least = _count(bound.degree, "link")
    return f"{start} Whether another overlay can is open: the proven minimum is {least} a node."


def _take(start: str, goal: str, point: FrontPoint, front: Front, table: str) -> Recommendation:
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
    meaning = MEANINGS.get(goal, "")
    explained = f"{start} {goal} ({meaning})" if meaning else f"{start} {goal}"
    text = f"{explained}, take {choice}"
    return Recommendation(text, point, command, f"{start} {goal}", choice, meaning)


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
