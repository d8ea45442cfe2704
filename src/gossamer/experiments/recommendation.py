"""What to take, in words: the answer that a front gives to a wish, and the command to type.

A function of the front's points and the wish, and of nothing else. An overlay that leaves
a topic in pieces is never advised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

from gossamer.errors import ParameterError
from gossamer.experiments.pareto_front import Front, FrontPoint, non_dominated

__all__ = ["Recommendation", "balanced", "check_constraints", "recommend"]

MORE_LINKS, MORE_AT_MOST = 1.5, 4
"""What a moderate price is: at most so many times the fewest links, and so many times the
lowest maximum degree."""

MODERATE = (
    f"short paths at a moderate price (at most {MORE_LINKS} × the fewest links and "
    f"{MORE_AT_MOST} × the lowest maximum)"
)
BALANCE = "a balance (nearest to the least of all three, on logarithmic scales)"


@dataclass(frozen=True)
class Recommendation:
    """An answer to one wish or several.

    Attributes
    ----------
    text
        The answer, in a sentence or two.
    point
        The overlay to take; none where the wish cannot be met.
    command
        What to type to have it.
    """

    text: str
    point: FrontPoint | None = None
    command: str = ""


def recommend(
    front: Front,
    *,
    hops: int | None = None,
    max_degree: int | None = None,
    table: str = "subscriptions.csv",
) -> list[Recommendation]:
    """Say which overlay to take.

    Parameters
    ----------
    front
        What there is to choose from.
    hops
        Paths between a topic's subscribers may have so many hops, and no more.
    max_degree
        No node may have more links than this.
    table
        The file of subscriptions, and how to read it, as they are typed after a command.

    Returns
    -------
    list
        With ``hops`` or ``max_degree``, of the overlays that keep to them, the one with the
        fewest links; and where only one of them is given, the one with the best of the other.
        Without, one for each of these wishes: the fewest links; the
        lowest maximum; the shortest paths at a moderate price (at most 1.5 times the fewest links
        and 4 times the lowest maximum); the balance of all three (:func:`balanced`); the shortest
        paths. Wishes with the same answer are in one sentence.

    Raises
    ------
    ParameterError
        If ``hops`` or ``max_degree`` is below 1.
    """
    check_constraints(hops, max_degree)
    points = [point for point in front.points if point.connected]
    if not points:
        return [Recommendation("No overlay here connects every topic, so there is none to take.")]
    if hops is not None or max_degree is not None:
        return _asked(front, points, hops, max_degree, table)
    fewest = min(points, key=_by_links)
    lowest = min(points, key=_by_maximum)
    moderate = [
        point
        for point in points
        if point.mean_degree <= MORE_LINKS * fewest.mean_degree
        and point.max_degree <= MORE_AT_MOST * lowest.max_degree
    ]
    wishes: list[tuple[str, FrontPoint]] = [("the fewest links", fewest)]
    wishes.append(("the lowest maximum", lowest))
    if moderate:
        wishes.append((MODERATE, min(moderate, key=_by_paths_and_both)))
    wishes.append((BALANCE, balanced(points)))
    wishes.append(("the shortest paths at any price", min(points, key=_by_paths)))
    return _answers("For", wishes, front, table)


def balanced(points: Sequence[FrontPoint]) -> FrontPoint:
    """Return the point nearest to the corner with the least of all three measures.

    Mean degree, maximum degree and largest diameter are taken as logarithms, and each is scaled
    so that the points of the front reach from 0 to 1; the distance is Euclid's.

    Parameters
    ----------
    points
        One or more; those that another beats do not count.
    """
    measured = [(p.mean_degree, float(p.max_degree), float(p.max_diameter)) for p in points]
    kept = non_dominated(measured)
    logs = [[math.log(max(value, 0.5)) for value in measured[place]] for place in kept]
    least = [min(column) for column in zip(*logs, strict=True)]
    spans = [max(column) - min(column) for column in zip(*logs, strict=True)]

    def distance(at: int) -> tuple[float | str, ...]:
        away = [
            (value - low) / span if span else 0.0
            for value, low, span in zip(logs[at], least, spans, strict=True)
        ]
        return round(math.hypot(*away), 12), *_by_links(points[kept[at]])

    return points[kept[min(range(len(kept)), key=distance)]]


def check_constraints(hops: int | None, max_degree: int | None) -> None:
    """Refuse wishes that mean nothing."""
    wishes: dict[str, object] = {"hops": hops, "max-degree": max_degree}
    for name, value in wishes.items():
        if value is not None and not (isinstance(value, Integral) and int(value) >= 1):
            raise ParameterError(f"{name} is {value!r}; expected 1 or more")


def _asked(
    front: Front,
    points: Sequence[FrontPoint],
    hops: int | None,
    max_degree: int | None,
    table: str,
) -> list[Recommendation]:
    """Answer a wish for paths, a maximum, or both."""
    far = [point for point in points if hops is None or point.max_diameter <= hops]
    few = [point for point in points if max_degree is None or point.max_degree <= max_degree]
    both = [point for point in far if point in few]
    wish = " and ".join(
        [
            *([f"paths of up to {_count(hops, 'hop')} are fine"] if hops is not None else []),
            *(
                [f"nobody may have more than {_count(max_degree, 'link')}"]
                if max_degree is not None
                else []
            ),
        ]
    )
    if both:
        wishes = [("the fewest links", min(both, key=_by_links))]
        if max_degree is None:
            wishes.append(("the lowest maximum", min(both, key=_by_maximum)))
        if hops is None:
            wishes.append(("the shortest paths", min(both, key=_by_paths)))
        return _answers(f"If {wish}: for", wishes, front, table)
    nearest = []
    if hops is not None:
        short = min(few or points, key=_by_paths)
        within = f" with at most {_count(max_degree, 'link')}" if max_degree and few else ""
        nearest.append(
            f"the shortest paths{within} are of {_count(short.max_diameter, 'hop')} "
            f"(`{short.typed}`)"
        )
    if max_degree is not None:
        low = min(far or points, key=_by_maximum)
        within = f" with paths of up to {_count(hops, 'hop')}" if hops and far else ""
        nearest.append(
            f"the lowest maximum{within} is {_count(low.max_degree, 'link')} (`{low.typed}`)"
        )
    return [Recommendation(f"If {wish}: no overlay here can do that; {', and '.join(nearest)}.")]


def _answers(
    start: str, wishes: Sequence[tuple[str, FrontPoint]], front: Front, table: str
) -> list[Recommendation]:
    """Answer wishes in their order, those with the same answer in one sentence."""
    together: dict[str, tuple[FrontPoint, list[str]]] = {}
    for wish, point in wishes:
        together.setdefault(point.label, (point, []))[1].append(wish)
    return [
        _take(f"{start} {_listed(found)}", point, front, table)
        for point, found in together.values()
    ]


def _take(wish: str, point: FrontPoint, front: Front, table: str) -> Recommendation:
    ratio = ""
    if point.ratio is not None:
        # The least possible is at least the bound, so this is at most what it says.
        over = max(1.0, math.ceil(point.ratio * 100 - 1e-9) / 100)
        ratio = f" (at most {over:.2f} × the least possible)"
    what = "the protocol " if point.kind == "protocol" else ""
    text = (
        f"{wish}, take {what}`{point.typed}`: {point.mean_degree:,.2f} links a node on average"
        f"{ratio}, {point.max_degree:,} at most, paths of up to "
        f"{_count(point.max_diameter, 'hop')}."
    )
    seed = front.comparison.origin.seed
    words = [f"--seed {seed}"] if seed else []
    if point.kind == "protocol":
        parts = ["gossamer simulate", point.family, table, *point.words, *words, "--overlay"]
    else:
        parts = [
            "gossamer design",
            table,
            "--algorithm",
            point.family,
            *point.words,
            *words,
            "--out",
        ]
    return Recommendation(text, point, " ".join([*parts, "links.parquet"]))


def _by_links(point: FrontPoint) -> tuple[float | str, ...]:
    return point.mean_degree, point.max_degree, point.max_diameter, point.label


def _by_maximum(point: FrontPoint) -> tuple[float | str, ...]:
    return point.max_degree, point.mean_degree, point.max_diameter, point.label


def _by_paths(point: FrontPoint) -> tuple[float | str, ...]:
    return point.max_diameter, point.mean_degree, point.max_degree, point.label


def _by_paths_and_both(point: FrontPoint) -> tuple[float | str, ...]:
    """Of the shortest paths those with the least mean and maximum, one beside the other."""
    return point.max_diameter, point.mean_degree * point.max_degree, point.label


def _count(count: int | None, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _listed(wishes: Sequence[str]) -> str:
    return wishes[0] if len(wishes) == 1 else f"{', '.join(wishes[:-1])} and {wishes[-1]}"
