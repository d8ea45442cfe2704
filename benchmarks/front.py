"""The degree–diameter Pareto front on generated and on real interests.

``script/bench front`` measures links, hops and time, and writes a page with pictures; ``--data``
adds real interests, and ``--save`` names a checkpoint folder. The candidates are here, the
tables in ``front_tables`` and the text in ``front_page``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.dissemination import DATA
from benchmarks.front_page import EXCERPTS, front_document
from benchmarks.harness import Effort, Row, Size, find_benchmark
from benchmarks.harness.data_files import write_page
from benchmarks.harness.runner import BenchmarkError, run_benchmark
from gossamer.design import find_algorithm
from gossamer.errors import GossamerError, ParameterError
from gossamer.experiments.candidates import parse_candidates
from gossamer.experiments.pareto_front import Front, front
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress
from gossamer.quality import assess
from gossamer.tables import read_interests
from gossamer.workloads import generate_interests

__all__ = ["Conditions", "FrontResults", "Plan", "Real", "Varied", "main", "measure_front"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "front.md"
SEED = 1

PUBLISHED = (
    "greedy-merge", "greedy-merge:ties=lexicographic", "low-oda:rho=3", "minmax-oda",
    "td-cd-oda", "cd-oda", "cd-oda-1", "cd-oda-2", "2d-oda", "ring-per-topic",
)  # fmt: skip
PROTOCOLS = ("spidercast", "spidercast:kr=1")
CAPS = {4: 44, 5: 17, 6: 16, 8: 11, 10: 8}
"""Radii, each with a degree cap that is tried beside the default."""

FOREST_RADII = (4, 5, 6, 8)
RESILIENT = ("low-oda:rho=3:resilient", "bounded-radius:radius=5:resilient")
SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
ABOUT_CAP = (-4, -2, 0, 2, 4, 8)
"""Values around the defaults: share of joins before roots are chosen, and changes of the cap."""

OF_LOWEST = (0.8, 1.0, 1.25, 1.5, 2.0)
"""Caps of subset merge, as multiples of LowODA's maximum."""

OF_RULE = {"bounded-radius": (0.5, 0.75, 1.5), "cover-forest": (0.5, 0.6, 0.8, 1.25, 2.0, 3.0)}
"""Caps on heavy tails, as multiples of the default cap."""

TAIL_RADII = {"bounded-radius": (6,), "cover-forest": (5, 8)}
"""Radii at which caps vary on heavy tails."""

HEAVY = ("askubuntu", "facebook", "epinions")
LARGE_TABLES = ("epinions", "deezer")
RHO = (2, 3, 5)
USERS, MIN_TAGS = 10_000, 5
TABLES = {
    "askubuntu": "Ask Ubuntu",
    "facebook": "Facebook",
    "epinions": "Epinions",
    "deezer": "Deezer",
}
"""Tables in the folder of real interests, as ``gossamer ingest`` writes them."""


@dataclass(frozen=True)
class Plan:
    """Extent of a run: size and number of the generated instances, and the radius to vary."""

    effort: Effort
    size: Size
    instances: int
    varied_radius: int = 6


PLANS: dict[Effort, Plan] = {
    "tiny": Plan("tiny", Size(40, 10, 3), 1),
    "quick": Plan("quick", Size(1_000, 100, 10), 1),
    "full": Plan("full", Size(10_000, 100, 10), 3),
    "large": Plan("large", Size(10_000, 100, 10), 3),
}


@dataclass(frozen=True)
class Varied:
    """Bounded radius with one parameter at a value other than its default.

    Attributes
    ----------
    parameter, value
        Which, and its value.
    chosen
        Whether that is what the rule takes.
    """

    parameter: str
    value: float
    chosen: bool
    mean: float
    maximum: int
    diameter: int


@dataclass(frozen=True)
class Real:
    """The front of real interests.

    Attributes
    ----------
    title
        What it is called on the page.
    front
        Front with default candidates, which the picture shows.
    most, widest
        Subscriptions of the busiest node, and subscribers of the largest topic.
    tails
        With caps and ρ around the usual ones; none where tails are not heavy.
    """

    title: str
    front: Front
    most: int
    widest: int
    tails: Front | None = None


@dataclass(frozen=True)
class Conditions:
    """Load of the machine before the run, and how the run went."""

    load: float
    seconds: float
    resumed: bool = False


@dataclass(frozen=True)
class FrontResults:
    """Results of a run.

    Attributes
    ----------
    instances
        The front of each fresh instance, all with the same candidates.
    over
        By candidate that has a cap, for each instance: the cap, nodes over it, by how many.
    drawn
        The front of the first instance with the usual candidates: what the picture shows.
    capped
        By workload, LowODA, greedy merge, and subset merge with several caps.
    varied
        Bounded radius with its parameters around the rule.
    scaling
        Times and memory at several sizes.
    real
        By table, the fronts of real interests.
    """

    plan: Plan
    instances: tuple[Front, ...]
    over: Mapping[str, Sequence[tuple[int, int, int]]]
    drawn: Front
    capped: Mapping[str, Front]
    varied: Sequence[Varied]
    scaling: Sequence[Row]
    real: Mapping[str, Real] = field(default_factory=dict)
    conditions: Conditions = Conditions(0.0, 0.0)


def candidates() -> list[str]:
    """Return the candidates of every generated instance, besides protocols."""
    texts = [*PUBLISHED, "subset-merge", "subset-merge:degree-cap=8"]
    for radius, cap in CAPS.items():
        texts += [f"bounded-radius:radius={radius}"]
        texts += [f"bounded-radius:radius={radius}:degree-cap={cap}"]
    texts += [f"cover-forest:radius={radius}" for radius in FOREST_RADII]
    return texts + [found for text in RESILIENT if (found := _offered(text))]


def _offered(text: str) -> str:
    """Return the label of a candidate if the algorithm has the options, else None."""
    for value in ("yes", "true"):
        try:
            parse_candidates([f"{text}={value}"])
        except ParameterError:
            continue
        return f"{text}={value}"
    return ""


def measure_front(
    plan: Plan,
    scaling: Sequence[Row],
    *,
    data: Path | None = None,
    keep: Path | None = None,
    tell: Progress | None = None,
) -> FrontResults:
    """Run all but the timings, which are passed as ``scaling``."""
    load, begun = os.getloadavg()[0], time.perf_counter()
    resumed = keep is not None and any(keep.glob("*/rows.jsonl"))
    run = _Runner(keep, tell)
    fresh = {seed: _fresh(plan.size, seed) for seed in range(SEED, SEED + plan.instances)}
    fronts = tuple(
        run(f"rss-{seed}", interests, candidates(), protocols=PROTOCOLS, seed=seed)
        for seed, interests in fresh.items()
    )
    drawn = run(f"rss-{SEED}", fresh[SEED])
    capped = {f"RSS {plan.size}": run.capped(f"rss-{SEED}", fresh[SEED])}
    real: dict[str, Real] = {}
    for name, (title, interests) in _real(plan, data).items():
        real[name] = Real(
            title,
            # A front of this size leaves out protocols unless they are named.
            run(name, interests, protocols=PROTOCOLS[:1] if name in LARGE_TABLES else None),
            int(interests.subscription_sizes.max()),
            int(interests.popularity.max()),
            run.tails(name, interests) if name in HEAVY else None,
        )
        if name == HEAVY[0]:
            capped[title] = run.capped(name, interests)
    varied = vary_parameters(fresh[SEED], plan.varied_radius)
    seconds = time.perf_counter() - begun
    return FrontResults(
        plan=plan,
        instances=fronts,
        over=_over(fronts, list(fresh.values())),
        drawn=drawn,
        capped=capped,
        varied=varied,
        scaling=scaling,
        real=real,
        conditions=Conditions(load, seconds, resumed),
    )


class _Runner:
    """Computes fronts, with a checkpoint folder for each workload on request."""

    def __init__(self, keep: Path | None, tell: Progress | None) -> None:
        self.keep = keep
        self.tell = tell

    def __call__(
        self,
        name: str,
        interests: Interests,
        texts: Sequence[str] | None = None,
        *,
        protocols: Sequence[str] | None = None,
        seed: int = SEED,
    ) -> Front:
        def report(stage: str, done: float) -> None:
            if self.tell is not None:
                self.tell(f"{name}: {stage}", done)

        return front(
            interests,
            texts,
            protocols=protocols,
            seed=seed,
            save=None if self.keep is None else self.keep / name,
            progress=report,
        )

    def capped(self, name: str, interests: Interests) -> Front:
        """Run subset merge with caps around LowODA's maximum, beside LowODA and greedy merge."""
        beside = ["greedy-merge", "low-oda:rho=3", "subset-merge"]
        lowest = self(name, interests, beside, protocols=()).points[1].max_degree
        caps = dict.fromkeys(round(lowest * times) for times in OF_LOWEST)
        texts = [f"subset-merge:degree-cap={cap}" for cap in caps]
        return self(name, interests, beside + texts, protocols=())

    def tails(self, name: str, interests: Interests) -> Front:
        """Run the algorithms for low maxima on heavy tails, with caps and ρ around the defaults."""
        texts = [f"low-oda:rho={rho}" for rho in RHO]
        for algorithm, multiples in OF_RULE.items():
            if name in LARGE_TABLES and algorithm == "bounded-radius":  # a minute each
                continue
            found = find_algorithm(algorithm)
            assert found.caps is not None
            for radius in TAIL_RADII[algorithm]:
                texts.append(f"{algorithm}:radius={radius}")
                rule = found.caps(
                    interests, **found.options.with_defaults({"radius": radius})
                ).average
                caps = dict.fromkeys(max(round(rule * times), 2) for times in multiples)
                texts += [f"{algorithm}:radius={radius}:degree-cap={cap}" for cap in caps]
        return self(name, interests, texts, protocols=())


def _fresh(size: Size, seed: int) -> Interests:
    nodes, topics, subscriptions = size
    return generate_interests(
        "rss", nodes=nodes, topics=topics, subscriptions=subscriptions, seed=seed
    )


def _real(plan: Plan, data: Path | None) -> dict[str, tuple[str, Interests]]:
    """Read the tables that exist, Ask Ubuntu also as a sample of users."""
    found: dict[str, tuple[str, Interests]] = {}
    for name, title in TABLES.items():
        places = [] if data is None else [data / name, data / f"{name}.parquet"]
        for place in filter(Path.exists, places):
            interests = read_interests(place)
            if name == "askubuntu":
                if plan.effort == "large":
                    found["askubuntu-all"] = (f"{title}, all users", interests)
                interests = some_users(interests, USERS, MIN_TAGS)
            found[name] = (title, interests)
            break
    return found


def some_users(interests: Interests, count: int, least: int) -> Interests:
    """Draw nodes among those with a minimum number of subscriptions."""
    many = np.flatnonzero(interests.subscription_sizes >= least)
    chosen = np.random.default_rng(SEED).choice(many, min(count, len(many)), replace=False)
    kept = np.isin(interests.node_column, chosen)
    nodes, topics = interests.node_column[kept], interests.node_topics[kept]
    return Interests.from_pairs(nodes.tolist(), topics.tolist())


def _over(
    fronts: Sequence[Front], instances: Sequence[Interests]
) -> dict[str, list[tuple[int, int, int]]]:
    """Count the nodes above the cap, which is the same for all at equal interest sizes."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for candidate in parse_candidates(candidates()):
        rule = candidate.algorithm.caps
        if rule is None or "resilient" in candidate.options:  # caps are for the design alone
            continue
        given = candidate.algorithm.options.with_defaults(candidate.options)
        for made, interests in zip(fronts, instances, strict=True):
            caps = rule(interests, **given)
            assert (caps.caps == caps.average).all()
            row = next(row for row in made.comparison.rows if row.algorithm == candidate.label)
            beyond = {d: count for d, count in row.degrees.items() if d > caps.average}
            by = max(beyond, default=caps.average) - caps.average
            found.setdefault(candidate.label, []).append((caps.average, sum(beyond.values()), by))
    return found


def vary_parameters(interests: Interests, radius: int) -> list[Varied]:
    """Run bounded radius with one parameter after the other around its default."""
    module = importlib.import_module("gossamer.design.bounded_radius")
    bounded = find_algorithm("bounded-radius")
    assert bounded.caps is not None
    found: list[Varied] = []

    def add(parameter: str, value: float, rule: float, overlay: Overlay) -> None:
        got = assess(interests, overlay, lower_bound=False)
        found.append(
            Varied(
                parameter, value, value == rule, got.mean_degree, got.max_degree,
                got.max_diameter,
            )
        )  # fmt: skip

    for share in SHARES:
        with patch.object(module, "LOOSE_SHARE", share):
            overlay = bounded(interests, seed=SEED, radius=radius)
        rule = module.LOOSE_SHARE
        add("share of joins before trees are rooted", share, rule, overlay)
    for diameter in range(2, 2 * radius, 2):
        with patch.object(module, "max_loose_diameter", lambda radius, given=diameter: given):
            overlay = bounded(interests, seed=SEED, radius=radius)
        add("diameter of loose trees", diameter, module.max_loose_diameter(radius), overlay)
    cap = bounded.caps(interests, radius=radius).average
    for more in ABOUT_CAP:
        if cap + more >= 1:
            overlay = bounded(interests, seed=SEED, radius=radius, degree_cap=cap + more)
            add("degree cap", cap + more, cap, overlay)
    return found


def main(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    effort: Effort = "large" if options.large else "quick" if options.quick else "full"
    data = options.data or (Path(os.environ[DATA]) if os.environ.get(DATA) else None)
    try:
        if data is not None and not data.is_dir():
            raise ParameterError(f"--data is {data}; expected a folder of tables")
        scaling = run_benchmark(find_benchmark("shortening"), effort)
        results = measure_front(
            PLANS[effort], scaling, data=data, keep=options.save, tell=_Teller()
        )
    except (BenchmarkError, GossamerError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    out = options.out or (None if options.quick else PAGE)
    text = front_document(results, None if out is None else out.parent)
    print(text)
    if out is not None:
        for path in write_page(text, out, EXCERPTS):
            print(f"· wrote {path}", file=sys.stderr)
    return 0


class _Teller:
    """Prints each candidate once to standard error."""

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, stage: str, done: float) -> None:
        what = stage.removesuffix(": warming up")
        if what != stage and what != self.last:
            print(f"· {what}", file=sys.stderr, flush=True)
            self.last = what


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="script/bench front",
        description="Measure the degree–diameter front: bounded radius beside published "
        "algorithms and SpiderCast, on generated and on real interests.",
    )
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="one small instance, a minute")
    how_much.add_argument(
        "--large", action="store_true", help="also 100,000 nodes, and all users of Ask Ubuntu"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="also the real interests in this folder, as gossamer ingest writes them: "
        f"{', '.join(TABLES)} (without it, that of {DATA}, if set)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FOLDER",
        help="checkpoint folder of the run",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the page, pictures beside it (default: docs/results/front.md, or none with "
        "--quick)",
    )
    return parser
