"""The degree–diameter front: which overlays no other beats, in links and in hops at once.

A front is a comparison (:mod:`gossamer.experiments.comparison`) with a judgement of its rows,
and that judgement alone lives here: it is a function of the points. What is run to get
them is in ``front_running``, what to take in ``advice``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from gossamer.design import algorithms
from gossamer.experiments.comparison import Comparison, ComparisonRow
from gossamer.tables.schema import FRONT

__all__ = ["Front", "FrontPoint", "Kind", "Which", "non_dominated"]

Kind = Literal["ours", "published", "protocol"]
"""Whose an overlay is: by an algorithm of this project, by a published one (or a common
baseline), or by a protocol, whose nodes know their own neighbours only."""

Which = Literal["mean", "max", "all"]
"""Which front: of mean degree and diameter, of maximum degree and diameter, of all three."""

SWITCH = "resilient"
"""The option that is typed without a value."""

MEASURES: Mapping[Which, tuple[str, ...]] = {
    "mean": ("mean_degree", "max_diameter"),
    "max": ("max_degree", "max_diameter"),
    "all": ("mean_degree", "max_degree", "max_diameter"),
}


@dataclass(frozen=True)
class FrontPoint:
    """One overlay, as a point.

    Attributes
    ----------
    label
        The algorithm or protocol with its options: ``low-oda:rho=5``.
    family
        Its name alone: ``low-oda``.
    kind
        ``ours``, ``published`` or ``protocol``.
    mean_degree, max_degree, p95_degree, links
        What it costs.
    max_diameter, mean_diameter
        Of the topics' subgraphs, in hops.
    ratio
        The mean degree as a multiple of the proven lower bound; none where the bound is 0, or
        where some topic is in pieces.
    connected
        Whether every topic is connected. Where not, the point is on no front.
    seconds
        How long the design took.
    on
        The fronts that it is on.
    """

    label: str
    family: str
    kind: Kind
    mean_degree: float
    max_degree: int
    p95_degree: int
    links: int
    max_diameter: int
    mean_diameter: float
    ratio: float | None
    connected: bool
    seconds: float
    on: frozenset[Which] = frozenset()

    @property
    def options(self) -> dict[str, str]:
        """Its options as they are typed, without the dashes: ``{"rho": "5"}``."""
        words = self.label.split(" ")[0].split(":")[1:]
        pairs = (word.partition("=") for word in words)
        return {
            name.strip().removeprefix("--").replace("_", "-"): value.strip()
            for name, _, value in pairs
        }

    @property
    def typed(self) -> str:
        """The name with its options, as they are typed: ``low-oda --rho 5``."""
        return " ".join([self.family, *self.words])

    @property
    def words(self) -> list[str]:
        """Its options as they are typed after a command; a switch is there or not."""
        return [
            f"--{name}" if name == SWITCH else f"--{name} {shlex.quote(value)}".rstrip()
            for name, value in self.options.items()
            if name != SWITCH or value.lower() not in ("no", "false")
        ]


@dataclass(frozen=True)
class Front:
    """Overlays for the same interests, judged by degree and diameter.

    Attributes
    ----------
    comparison
        What was measured, one row an overlay, and the lower bound beside them.
    bound_method
        How the lower bound was certified; see :class:`gossamer.quality.LowerBound`. Empty where
        there is none.
    protocols
        The labels of those rows that are a protocol's.
    left_out
        What was not run, and why.
    """

    comparison: Comparison
    bound_method: str = ""
    protocols: frozenset[str] = frozenset()
    left_out: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def points(self) -> tuple[FrontPoint, ...]:
        """Every overlay as a point, in the order of the comparison."""
        ours = {name for name, found in algorithms().items() if found.reference.startswith("ours")}
        rows = self.comparison.rows
        on: list[set[Which]] = [set() for _ in rows]
        whole = [place for place, row in enumerate(rows) if row.topic_connected]
        for which, measures in MEASURES.items():
            values = [tuple(getattr(rows[place], name) for name in measures) for place in whole]
            for kept in non_dominated(values):
                on[whole[kept]].add(which)
        return tuple(
            self._point(row, ours, frozenset(fronts)) for row, fronts in zip(rows, on, strict=True)
        )

    def _point(self, row: ComparisonRow, ours: set[str], on: frozenset[Which]) -> FrontPoint:
        family = row.algorithm.split(" ")[0].split(":")[0].strip()
        kind: Kind = "ours" if family in ours else "published"
        return FrontPoint(
            label=row.algorithm,
            family=family,
            kind="protocol" if row.algorithm in self.protocols else kind,
            mean_degree=row.mean_degree,
            max_degree=row.max_degree,
            p95_degree=row.p95_degree,
            links=row.links,
            max_diameter=row.max_diameter,
            mean_diameter=row.mean_diameter,
            ratio=row.ratio_to_lower_bound,
            connected=row.topic_connected,
            seconds=row.seconds,
            on=on,
        )

    def front(self, which: Which = "all") -> tuple[FrontPoint, ...]:
        """Return the points of a front, the shortest paths first, then the fewest links."""
        assert which in get_args(Which)
        found = [point for point in self.points if which in point.on]
        return tuple(sorted(found, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree)))

    def table(self) -> Any:
        """Return the points as an Arrow table."""
        flags: dict[str, Which] = {
            "on_mean_front": "mean",
            "on_max_front": "max",
            "on_front": "all",
        }
        return FRONT.table(
            *(
                [flags[name] in p.on if name in flags else getattr(p, name) for p in self.points]
                for name in FRONT.column_names
            )
        )


def non_dominated(points: Sequence[tuple[float, ...]]) -> list[int]:
    """Return the places of the points that no other is as good as in all, and better in one.

    Less is better. Of equal points all are returned.

    Notes
    -----
    In the order of their values a point comes after all that beat it, and whatever beats it is
    beaten by a point of the front or on it: so it is held against those alone. O(n log n + n · f)
    for n points and f on the front.

    Examples
    --------
    >>> non_dominated([(4, 50), (13, 2), (14, 2), (5, 12), (4, 50)])
    [0, 1, 3, 4]
    """
    kept: list[int] = []
    for place in sorted(range(len(points)), key=lambda at: points[at]):
        point = points[place]
        if not any(_beats(points[at], point) for at in kept):
            kept.append(place)
    return sorted(kept)


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
