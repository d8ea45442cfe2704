"""Benchmark: the cost of a join or a leave, for every strategy of maintenance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import TINY, Case, Effort, Excerpt, Row, Size, benchmark
from benchmarks.harness.page import seconds as digits
from benchmarks.maintenance_picture import draw_times
from gossamer.design.low_oda import low_oda
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.maintain.strategies.registry import strategies
from gossamer.model import Interests, Overlay
from gossamer.sim import World as Machines
from gossamer.sim.protocol_events import run_until_quiet
from gossamer.workloads import PowerLawSizes, follower_graph, generate_interests

__all__ = ["SUBJECTS", "Maintained", "World", "maintenance"]

WorkloadName = Literal["rss", "followers"]
MEASURE = "low-oda-re"
PICTURE = "pictures/churn_events.svg"
MORE = 0.1
"""Nodes that are absent at the start, as a share of those present."""


class World(NamedTuple):
    """Interests, initial presence and overlay, and the sequence of joins and leaves."""

    interests: Interests
    present: NDArray[np.bool_]
    overlay: Overlay
    nodes: list[int]
    joins: list[bool]


class Maintained(Protocol):
    """Subject of the measurement, such as a maintainer."""

    def join_id(self, node: int) -> Any:
        """Let a node join."""
        ...

    def leave_id(self, node: int) -> Any:
        """Let a node leave."""
        ...

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degrees of the present nodes."""
        ...


def _strategy(strategy: str) -> Callable[[World], Maintained]:
    def build(world: World) -> Maintained:
        return Maintainer(
            world.interests, world.overlay, strategy=strategy, present=world.present, seed=1
        )

    return build


class GlobalMaintainer(Maintainer):
    """ElastO-G."""

    def __init__(self, world: World) -> None:
        super().__init__(
            world.interests, world.overlay, strategy="elasto-g", present=world.present, seed=1
        )

    def considered(self, node: int) -> int:
        """Return the number of nodes among which a leave searches components."""
        overlay = self.dynamic_overlay
        return len(overlay.subscribers(overlay.topics_of(node)))


class LocalMaintainer(Maintainer):
    """ElastO-L; gossip between events is not timed."""

    def __init__(self, world: World) -> None:
        self.local = ElastoL(share=0.0, seed=1)
        super().__init__(
            world.interests, world.overlay, strategy=self.local, present=world.present, seed=1
        )
        for _ in range(WARM_UP if len(self.degrees) <= MAX_MACHINES else 1):
            self.local.gossip()

    def considered(self, node: int) -> int:
        """Return the number of nodes that the coordinator of the last event knew."""
        return self.local.last.known

    def gossip_once(self) -> None:
        """Exchange views at some nodes."""
        self.local.gossip(GOSSIP / max(len(self.degrees), 1))


class SpiderCastMachines:
    """SpiderCast's machines; an event is timed until no machine acts any more."""

    def __init__(self, world: World, kg: int, kr: int) -> None:
        options = {"kg": kg, "kr": kr, "heartbeat_seconds": 86_400.0}
        self.world = Machines("spidercast", world.interests, options=options, seed=1)
        for node in np.flatnonzero(~world.present).tolist():
            self.world.crash(node)
        run_until_quiet(self.world, 60.0)

    def join_id(self, node: int) -> None:
        """Let a node join, and run until quiet."""
        self.world.join(node)
        run_until_quiet(self.world, 20.0)

    def leave_id(self, node: int) -> None:
        """Let a node leave gracefully, and run until quiet."""
        self.world.leave(node)
        run_until_quiet(self.world, 20.0)

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degrees of the present nodes."""
        here = self.world.present_nodes(self.world.now)
        return self.world.overlay_of(here)[0].degrees.astype(np.int32)


WARM_UP, GOSSIP = 5, 50
"""Rounds of gossip before the first event, and number of exchanges after each event."""
SUBJECTS: dict[str, Callable[[World], Maintained]] = {
    **{name: _strategy(name) for name in strategies()},
    "elasto-g": GlobalMaintainer,
    "elasto-l": LocalMaintainer,
    "spidercast 3 1": lambda world: SpiderCastMachines(world, 3, 1),
    "spidercast 4 0": lambda world: SpiderCastMachines(world, 4, 0),
}
MAX_MACHINES = 10_000
"""Maximum number of nodes for SpiderCast, which has a machine for each node."""


class Plan(NamedTuple):
    """Sizes of each workload, number of events, and seconds after which no event starts."""

    sizes: dict[WorkloadName, tuple[Size, ...]]
    events: int
    seconds: float


RSS = (Size(1_000, 200, 23), Size(10_000, 200, 23), Size(100_000, 20_000, 23))
FOLLOWERS = (Size(1_000, 1_000, 20), Size(10_000, 10_000, 20))
PLANS: dict[Effort, Plan] = {
    "tiny": Plan({"rss": (TINY,), "followers": (TINY,)}, 10, 1.0),
    "quick": Plan({"rss": RSS[:1], "followers": FOLLOWERS[:1]}, 50, 3.0),
    "full": Plan({"rss": RSS[:2], "followers": FOLLOWERS}, 400, 12.0),
    "large": Plan({"rss": RSS[2:]}, 100, 30.0),
}


# -- events ----------------------------------------------------------------------------


@cache
def _world(workload: WorkloadName, size: Size, events: int) -> World:
    """Generate a world; the same for every subject."""
    interests = _interests(workload, size, size.nodes + max(round(MORE * size.nodes), 1))
    random = np.random.default_rng(1)
    present = np.zeros(interests.node_count, dtype=np.bool_)
    present[random.choice(interests.node_count, size.nodes, replace=False)] = True
    now, nodes, joins = present.copy(), [], []
    for _ in range(events):
        joins.append(bool(random.random() < 0.5 and not now.all()) or not now.any())
        nodes.append(int(random.choice(np.flatnonzero(now != joins[-1]))))
        now[nodes[-1]] = joins[-1]
    overlay = low_oda(_present_interests(interests, present), seed=1)
    return World(interests, present, overlay, nodes, joins)


def _interests(workload: WorkloadName, size: Size, count: int) -> Interests:
    if workload == "followers":
        return follower_graph(count, mean=size.subscriptions, seed=1)
    sizes = PowerLawSizes(10, 90, 2.0) if size != TINY else size.subscriptions
    return generate_interests("rss", nodes=count, topics=size.topics, subscriptions=sizes, seed=1)


def _present_interests(interests: Interests, present: NDArray[np.bool_]) -> Interests:
    empty = Overlay.from_links(interests.node_count, ())
    return DynamicOverlay(interests, present, empty).present_interests()


@cache
def _redesigned(
    workload: WorkloadName, size: Size, events: int, happened: int
) -> NDArray[np.int64]:
    """Return the degrees of LowODA's overlay of the nodes present after some of the events."""
    world = _world(workload, size, events)
    present = world.present.copy()
    for node, joining in zip(world.nodes[:happened], world.joins, strict=False):
        present[node] = joining
    degrees = low_oda(_present_interests(world.interests, present), seed=1).degrees
    present_degrees: NDArray[np.int64] = degrees[present]
    return present_degrees


# -- times -------------------------------------------------------------------------------


class Spent(msgspec.Struct, frozen=True):
    """Milliseconds of each join and leave, and degrees at the end: mean and maximum.

    For ElastO, also the number of nodes that each leave considered.
    """

    joins: list[float]
    leaves: list[float]
    degrees: tuple[float, int]
    redesigned: tuple[float, int]
    considered: list[int] = []

    @property
    def mean(self) -> float:
        """Mean milliseconds of an event."""
        return float(np.mean([*self.joins, *self.leaves]))


def _spent(workload: WorkloadName, name: str, plan: Plan) -> Callable[[Size], Callable[[], Spent]]:
    def prepare(size: Size) -> Callable[[], Spent]:
        world = _world(workload, size, plan.events)
        kept = SUBJECTS[name](world)

        def run() -> Spent:
            joins: list[float] = []
            leaves: list[float] = []
            considered: list[int] = []
            for node, joining in zip(world.nodes, world.joins, strict=True):
                begun = time.process_time()
                (kept.join_id if joining else kept.leave_id)(node)
                (joins if joining else leaves).append(1e3 * (time.process_time() - begun))
                if isinstance(kept, GlobalMaintainer | LocalMaintainer) and not joining:
                    considered.append(kept.considered(node))
                if sum(joins) + sum(leaves) > 1e3 * plan.seconds:
                    break
                if isinstance(kept, LocalMaintainer):
                    kept.gossip_once()
            redesigned = _redesigned(workload, size, plan.events, len(joins) + len(leaves))
            degrees = _mean_and_maximum(kept.degrees)
            return Spent(joins, leaves, degrees, _mean_and_maximum(redesigned), considered)

        return run

    return prepare


def _mean_and_maximum(degrees: NDArray[Any]) -> tuple[float, int]:
    return float(degrees.mean()), int(degrees.max(initial=0))


def _encoded(spent: Spent) -> str:
    return msgspec.json.encode(spent).decode()


# -- tables and picture --------------------------------------------------------------------


def _answers(rows: list[Row]) -> dict[tuple[Size, str, str], Spent]:
    """Return the times, by size, name and workload."""
    found: dict[tuple[Size, str, str], Spent] = {}
    for row in rows:
        name, workload = row.case.subject.split(", ")
        answer = msgspec.json.decode(row.measurement.answer or "", type=Spent)
        found[row.case.size, name, workload] = answer
    return found


def _draw(rows: list[Row], folder: Path) -> str:
    """Draw the distributions; return the picture's path."""
    panels: dict[str, dict[str, list[float]]] = {}
    for (size, name, workload), spent in _answers(rows).items():
        title = f"{workload}, {size.nodes:,} nodes"
        panels.setdefault(title, {})[name] = [*spent.joins, *spent.leaves]
    large = all(row.case.size == RSS[-1] for row in rows)
    picture = PICTURE.replace(".svg", "_large.svg") if large else PICTURE
    draw_times(panels, folder / picture)
    return picture


def _by_event(rows: list[Row]) -> list[list[str]]:
    shown = [
        [
            "size", "workload", "kept by",
            "joins", "p10 / p50 / p90 ms per join", "mean ms per join",
            "leaves", "p10 / p50 / p90 ms per leave", "mean ms per leave", f"× {MEASURE}",
            "nodes considered per leave", "degree", "LowODA's degree",
        ]
    ]  # fmt: skip
    found = _answers(rows)
    for (size, name, workload), spent in found.items():
        measure = found[size, MEASURE, workload]
        shown.append(
            [
                str(size), workload, name, *_distribution(spent.joins),
                *_distribution(spent.leaves), f"{spent.mean / measure.mean:.3g}",
                f"{np.mean(spent.considered):,.0f}" if spent.considered else "–",
                _degrees(spent.degrees), _degrees(spent.redesigned),
            ]
        )  # fmt: skip
    return shown


def _distribution(times: list[float]) -> list[str]:
    if not times:
        return ["0", "–", "–"]
    quantiles = np.percentile(times, (10, 50, 90)).tolist()
    return [
        str(len(times)), " / ".join(map(digits, quantiles)), digits(float(np.mean(times)))
    ]  # fmt: skip


def _degrees(found: tuple[float, int]) -> str:
    return f"{found[0]:.2f} / {found[1]}"


SHOWN = Excerpt(
    ("elasto-l", "elasto-g", "low-oda-inc", "low-oda-re"),
    (
        "size",
        "workload",
        "kept by",
        "mean ms per join",
        "mean ms per leave",
        "nodes considered per leave",
        "degree",
    ),
)


@benchmark(
    "maintenance", "The cost of a join or a leave", tabulate=_by_event, draw=_draw, excerpt=SHOWN
)
def maintenance(effort: Effort) -> Iterator[Case]:
    """Nodes join and leave an overlay of LowODA, one after the other.

    Times are milliseconds of processor time. `low-oda-re` designs a new overlay after each event.
    Interests are those of RSS feeds with 10 to 90 topics a node (ElastO §7.1), or a follower
    graph. Degrees are mean / maximum at the end. The time of ElastO-L is the coordinator's,
    without gossip. A leave considers the subscribers of the node's topics in ElastO-G, and the
    former neighbours, backups and their neighbours in ElastO-L.
    """
    plan = PLANS[effort]
    for workload, sizes in plan.sizes.items():
        for size in sizes:
            for name in SUBJECTS:
                if name.startswith("spidercast") and size.nodes > MAX_MACHINES:
                    continue
                yield Case(
                    f"{name}, {workload}",
                    size,
                    _spent(workload, name, plan),
                    answer=_encoded,
                    runs=1,
                    memory=False,
                )
