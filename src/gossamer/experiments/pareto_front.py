"""The degree–diameter Pareto front: overlays that no other dominates in links and hops.

A front is a comparison (:mod:`gossamer.experiments.comparison`), and a function of its rows.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

from gossamer import quality
from gossamer.definitions import is_own
from gossamer.design import algorithms
from gossamer.experiments.candidates import choose_candidates
from gossamer.experiments.checkpoint import Checkpoint, digest_of
from gossamer.experiments.comparison import Comparison, ComparisonRow, Origin
from gossamer.experiments.measurement import Trial, measure_candidates
from gossamer.model import Interests, Overlay
from gossamer.model.interests import check_interests
from gossamer.progress import Progress, silent
from gossamer.random_stream import check_seed
from gossamer.results import Result, Table
from gossamer.tables.schema import FRONT

Kind = Literal["ours", "published", "plugin", "protocol"]
"""An algorithm of this project, a published one or a common baseline, a function of a plug-in or
of the caller, or a protocol, whose nodes know their own neighbours only."""

Which = Literal["mean", "max", "all"]
"""Front of mean degree and diameter, of maximum degree and diameter, or of all three."""

FRONT_TITLE = "The degree–diameter front"

SWITCH = "resilient"
"""The option that is typed without a value."""

MEASURES: Mapping[Which, tuple[str, ...]] = {
    "mean": ("mean_degree", "max_diameter"),
    "max": ("max_degree", "max_diameter"),
    "all": ("mean_degree", "max_degree", "max_diameter"),
}


FLAGS: Mapping[str, Which] = {"on_mean_front": "mean", "on_max_front": "max", "on_front": "all"}
"""Front of each column of the table."""


@dataclass(frozen=True, repr=False)
class FrontPoint(ComparisonRow):
    """A row of a comparison as a point.

    Attributes
    ----------
    kind
        ``ours``, ``published``, ``plugin`` or ``protocol``.
    on
        Fronts that the point is on; none if some topic is disconnected.
    """

    kind: Kind = "published"
    on: frozenset[Which] = frozenset()

    @property
    def label(self) -> str:
        """The algorithm or protocol with its options: ``low-oda:rho=5``."""
        return self.algorithm

    @property
    def family(self) -> str:
        """The name without options: ``low-oda``."""
        return self.algorithm.split(" ")[0].split(":")[0].strip()

    def summary(self) -> dict[str, Any]:
        """Return the measures and the fronts by name."""
        flags = {name: which in self.on for name, which in FLAGS.items()}
        return {**super().summary(), "kind": self.kind, **flags}

    @property
    def options(self) -> dict[str, str]:
        """The options as they are typed, without the dashes: ``{"rho": "5"}``."""
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
        """The options as they are typed after a command."""
        return [
            f"--{name}" if name == SWITCH else f"--{name} {shlex.quote(value)}".rstrip()
            for name, value in self.options.items()
            if name != SWITCH or value.lower() not in ("no", "false")
        ]


@dataclass(frozen=True, repr=False)
class Front(Result):
    """Overlays for the same interests, and the fronts that they are on.

    Attributes
    ----------
    comparison
        Measures, one row an overlay, and the lower bound.
    bound_method
        Method that certified the lower bound; see :class:`gossamer.quality.LowerBound`. Empty if
        there is no bound.
    protocols
        Labels of the rows of protocols.
    left_out
        Reason for each candidate that was left out, or that failed.
    failed
        Labels of the candidates that failed.
    partitioned
        Whether the designs are partitioned, on Spark.
    interests
        The interests, if they are in memory.
    """

    BRIEF: ClassVar = ("overlays", "overlays_on_front", "nodes", "topics")
    SHOWN: ClassVar = (
        "algorithm", "on_front", "mean_degree", "max_degree", "links", "max_diameter",
        "mean_diameter", "seconds", "ratio_to_lower_bound",
    )  # fmt: skip

    comparison: Comparison
    bound_method: str = ""
    protocols: frozenset[str] = frozenset()
    left_out: Mapping[str, str] = field(default_factory=dict, hash=False)
    failed: frozenset[str] = frozenset()
    partitioned: bool = False
    interests: Interests | None = field(default=None, compare=False)

    @cached_property
    def points(self) -> tuple[FrontPoint, ...]:
        """Every overlay that was measured as a point, in the order of the comparison."""
        known = {name: found for name, found in algorithms().items() if is_own(found.design)}
        points = [FrontPoint(**vars(row)) for row in self.comparison.measured]
        connected = [place for place, point in enumerate(points) if point.topic_connected]
        on: list[set[Which]] = [set() for _ in points]
        for which, measures in MEASURES.items():
            values = [tuple(getattr(points[place], name) for name in measures)
                      for place in connected]  # fmt: skip
            for place in non_dominated(values):
                on[connected[place]].add(which)

        def kind(point: FrontPoint) -> Kind:
            if point.label in self.protocols:
                return "protocol"
            if point.family not in known:
                return "plugin"
            return "ours" if known[point.family].reference.startswith("ours") else "published"

        return tuple(
            FrontPoint(**{**vars(point), "kind": kind(point), "on": frozenset(fronts)})
            for point, fronts in zip(points, on, strict=True)
        )

    @property
    def faults(self) -> Mapping[str, str]:
        """What went wrong, by label: failures and broken promises."""
        failed = {label: self.left_out[label] for label in sorted(self.failed)}
        return {**failed, **self.comparison.faults}

    def front(self, which: Which = "all") -> tuple[FrontPoint, ...]:
        """Return the points of a front, the shortest paths first, then the fewest links."""
        assert which in get_args(Which)
        found = [point for point in self.points if which in point.on]
        return tuple(sorted(found, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree)))

    def summary(self) -> dict[str, Any]:
        """Return the size of the interests, the lower bound and the seed, by name."""
        return {
            "overlays": len(self.points),
            "overlays_on_front": len(self.front()),
            **{name: value for name, value in self.comparison.summary().items()
               if name != "algorithms"},
            "bound_method": self.bound_method,
        }  # fmt: skip

    def _tables(self) -> Mapping[str, Table]:
        return {"front": self.table}

    def table(self) -> Any:
        """Return the points as an Arrow table."""
        return FRONT.table(
            *(
                [FLAGS[name] in p.on if name in FLAGS else getattr(p, name) for p in self.points]
                for name in FRONT.column_names
            )
        )


def front(
    interests: Interests,
    algorithms: Sequence[str | Callable[..., Overlay]] | None = None,
    *,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
    seed: int = 0,
    save: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    session: Any = None,
) -> Front:
    """Run algorithms that trade links for hops on the same interests, and find the front.

    Parameters
    ----------
    interests
        Subscriptions.
    algorithms
        Names with options, as in ``low-oda:rho=5``, and functions, as :func:`gossamer.compare`
        takes them. One that fails is left out. By default every algorithm that guarantees topic
        connectivity, ``bounded-radius`` at radii from 2 to 16 and ``low-oda`` with ρ from
        1.5 to 10; the result lists those that are left out because they would take too long.
    radii, rho
        Other values for these two, added to ``algorithms``.
    protocols
        Protocols, as in ``spidercast:kr=1``, each with the overlay that it converges to in
        simulated time when every node knows all others. By default SpiderCast with and without
        a random link, up to 20,000 nodes.
    seed
        Seed of the random number generator.
    save
        Checkpoint folder. A second call with the same interests, seed and folder runs only the
        missing candidates.
    progress
        Called with the stage and the share of the work that is done.
    session
        ``SparkSession`` that runs each candidate as a task.

    Raises
    ------
    ParameterError
        If there is no such algorithm, protocol or option, or the folder cannot be written to.
    PluginError
        If a function does not fit; the error names its file and line.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> found = front(interests, ["greedy-merge", "cd-oda"], protocols=[])
    >>> [point.label for point in found.front("mean")]
    ['cd-oda', 'greedy-merge']
    """
    check_interests(interests)
    check_seed(seed)
    progress = progress or silent
    chosen = choose_candidates(interests, algorithms, radii=radii, rho=rho, protocols=protocols)
    checkpoint = Checkpoint(save, "" if save is None else digest_of(interests, seed))
    if checkpoint.bound is None:
        checkpoint.add_bound(quality.links_lower_bound(interests, progress=progress))
    assert checkpoint.bound is not None
    missing = [one for one in chosen.candidates if one.label not in checkpoint.rows]
    left_out = dict(chosen.left_out)
    trial = Trial(interests, checkpoint.bound, (seed,))
    for _, row in measure_candidates(missing, trial, progress=progress, session=session):
        if row.failed:
            left_out[row.algorithm] = row.error
        else:
            checkpoint.add(row)
    named = [one.label for one in chosen.candidates if not one.protocol]
    simulated = [one.label for one in chosen.candidates if one.protocol]
    call = f"gossamer.front(interests, {named}, protocols={simulated}, seed={seed})"
    return Front(
        Comparison(
            nodes=interests.node_count,
            topics=interests.topic_count,
            subscriptions=interests.subscription_count,
            lower_bound=checkpoint.bound.mean_degree,
            rows=tuple(
                checkpoint.rows[one.label]
                for one in chosen.candidates
                if one.label in checkpoint.rows
            ),
            origin=Origin.now(FRONT_TITLE, call, seed),
        ),
        bound_method=checkpoint.bound.method,
        protocols=frozenset(simulated),
        left_out=left_out,
        failed=frozenset(left_out) - frozenset(chosen.left_out),
        interests=interests,
    )


def non_dominated(points: Sequence[tuple[float, ...]]) -> list[int]:
    """Return the positions of the points that no other point dominates.

    A point dominates another if it is at most as large in all measures, and smaller in one. Of
    equal points all are returned.

    Notes
    -----
    In the order of their values, a point comes after all that dominate it, and each dominated
    point is dominated by a point of the front: so it is compared with those alone. O(n log n +
    n · f) for n points and f on the front.

    Examples
    --------
    >>> non_dominated([(4, 50), (13, 2), (14, 2), (5, 12), (4, 50)])
    [0, 1, 3, 4]
    """
    front: list[int] = []
    for place in sorted(range(len(points)), key=lambda at: points[at]):
        point = points[place]
        if not any(_dominates(points[at], point) for at in front):
            front.append(place)
    return sorted(front)


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
