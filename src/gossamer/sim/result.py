"""What a simulation records, and its result: one type for both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gossamer.errors import ParameterError
from gossamer.host.trace import TraceRow
from gossamer.model import Interests, Overlay, Scenario
from gossamer.quality import Assessment, Dissemination, assess
from gossamer.results import Result, Table, columns_of
from gossamer.sim.snapshot import MessageCounts, NodeLinks, Observation, Snapshot
from gossamer.tables import (
    ROUNDS,
    SNAPSHOTS,
    node_links_table,
    trace_table,
)
from gossamer.time import SECOND

if TYPE_CHECKING:
    from gossamer.cycles.events import CycleMeasures

Engine = Literal["events", "cycles"]
"""Event-driven: message by message; or cycle-driven: all nodes advance by one cycle at a time."""


@dataclass(frozen=True)
class Recording:
    """What a simulation records, besides its result.

    Attributes
    ----------
    snapshots
        Seconds between snapshots. If not given, 0.2 at first, later 1 (event-driven), or one
        snapshot at the end (cycle-driven).
    min_age
        Seconds after joining before a snapshot counts a node: if not given, 2 with churn
        (SpiderCast §3.8), else 0 (event-driven).
    trace
        Whether to record every event (event-driven).
    by_node
        Whether to record the links of each node at each snapshot (event-driven).
    bytes
        Whether to encode every message and count bytes (event-driven).
    events_per_topic
        Number of events published on each topic for each snapshot (cycle-driven).
    check_invariants
        Whether each machine checks its invariants after each event (event-driven).
    """

    snapshots: float | None = None
    min_age: float | None = None
    trace: bool = False
    by_node: bool = False
    bytes: bool = False
    events_per_topic: int = 1
    check_invariants: bool = False

    def __post_init__(self) -> None:
        if self.snapshots is not None and not 0.001 <= self.snapshots <= 1e6:
            raise ParameterError(
                f"snapshots is {self.snapshots} seconds; expected 0.001 to 1000000"
            )
        if self.min_age is not None and not 0 <= self.min_age <= 1e9:
            raise ParameterError(f"min_age is {self.min_age} seconds; expected 0 to 10^9")
        if self.events_per_topic < 1:
            raise ParameterError(f"events_per_topic is {self.events_per_topic}; expected 1 or more")


DELIVERED = (
    "published", "deliveries_missing", "hit_ratio", "mean_hops", "duplicates_per_receipt",
)  # fmt: skip
"""Measures of publications that a summary has too."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Result):
    """Result of a simulation.

    Attributes
    ----------
    scenario, protocol, options, engine
        What was simulated; ``options`` with their defaults in the cycle-driven engine.
    joins, departures
        Number of incarnations that began, and that ended.
    interest_changes
        Number of changes of interests, those of absent nodes included (event-driven).
    seconds
        Computing time.
    origins
        Phrases on the origin of the sessions and rates.
    snapshots
        The overlay over time, ending with the last state (event-driven).
    observation
        The overlay at the end (event-driven).
    converged_at
        Time of the last link change in microseconds, rounded up to a snapshot (0 if there was
        none); None if links changed in the last seconds (event-driven).
    messages
        Numbers of messages (event-driven).
    events
        Number of processed events (event-driven).
    node_seconds
        Seconds for which nodes were present, summed over all nodes (event-driven).
    trace, by_node, dissemination
        Trace, links of each node at each snapshot, and measures of the publications, if
        requested (event-driven).
    cycles
        Measures of the overlay and of the events published in a cycle, ending with the last
        cycle (cycle-driven).
    seconds_by_task
        Computing time of each kind of work (cycle-driven).
    """

    BRIEF: ClassVar = ("protocol", "nodes", "mean_degree", "topics_connected", "hit_ratio")
    PRINTED: ClassVar = (
        "links", "mean_degree", "max_degree", "topics_connected", "max_diameter", "under_covered",
        "converged_second", "connected_throughout", "snapshots_connected", "hit_ratio",
        "mean_hops", "messages", "overhead", "seconds",
    )  # fmt: skip
    SHOWN: ClassVar = (
        "second", "cycle", "nodes", "topics_connected", "components", "mean_degree", "max_degree",
        "half_open", "messages", "hit_ratio", "overhead", "mean_hops",
    )  # fmt: skip
    THINNED: ClassVar = True

    scenario: Scenario
    protocol: str
    options: Mapping[str, Any]
    engine: Engine
    joins: int
    departures: int
    seconds: float
    snapshots: tuple[Snapshot, ...] = ()
    observation: Observation | None = None
    converged_at: int | None = None
    messages: MessageCounts = field(default_factory=MessageCounts)
    events: int = 0
    trace: tuple[TraceRow, ...] | None = None
    by_node: tuple[NodeLinks, ...] | None = None
    dissemination: Dissemination | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    cycles: tuple[CycleMeasures, ...] = ()
    seconds_by_task: Mapping[str, float] = field(default_factory=dict)
    interest_changes: int = 0
    node_seconds: float = 0.0

    @property
    def last(self) -> Observation:
        """The overlay at the end (event-driven)."""
        if self.observation is None:
            raise ParameterError("the cycle-driven engine records no overlay; see last_cycle")
        return self.observation

    @property
    def overlay(self) -> Overlay:
        """Links at the end (event-driven); :attr:`interests_at_end` has the names of the nodes."""
        return self.last.overlay

    @property
    def last_cycle(self) -> CycleMeasures:
        """Measures of the last cycle (cycle-driven)."""
        if not self.cycles:
            raise ParameterError("the event-driven engine records no cycles; see last")
        return self.cycles[-1]

    @cached_property
    def assessment(self) -> Assessment:
        """Quality of the overlay at the end (event-driven)."""
        return assess(self.last.interests, self.last.overlay)

    def summary(self) -> dict[str, Any]:
        """Return the measures of the end by name, and those of the run."""
        if self.engine == "cycles":
            return self._summary_of_cycles()
        last = self.last.snapshot
        facts: dict[str, Any] = {
            "protocol": self.protocol,
            **self.assessment.summary(),
            "topics": last.topics,
            "topics_connected": last.topics_connected,
            "half_open": last.half_open,
            "under_covered": last.under_covered,
            "converged_second": None if self.converged_at is None else self.converged_at / SECOND,
            "messages": last.messages,
            "compounds": self.messages.compounds,
            "messages_lost": self.messages.lost,
            "mean_messages": self.messages.per_node_mean,
            "max_messages": self.messages.per_node_max,
            "message_rate": last.messages / self.node_seconds if self.node_seconds else None,
        }
        if self.departures:
            facts |= {
                "joins": self.joins,
                "departures": self.departures,
                "control_per_change": last.control / (self.joins + self.departures),
                "connected_throughout": self.connected_throughout,
                "snapshots_connected": sum(one.topic_connected for one in self.snapshots),
                "snapshot_count": len(self.snapshots),
            }
        if self.interest_changes:
            facts["interest_changes"] = self.interest_changes
        if self.dissemination is not None:
            deliveries = self.dissemination.summary()
            facts |= {name: deliveries[name] for name in DELIVERED}
        return facts | {
            "events": self.events,
            "seconds": self.seconds,
            "events_per_second": self.events / max(self.seconds, 1e-9),
        }

    def _summary_of_cycles(self) -> dict[str, Any]:
        last = self.last_cycle
        facts: dict[str, Any] = {"protocol": self.protocol, **last.summary()}
        if self.departures:
            facts |= {"joins": self.joins, "departures": self.departures}
        return facts | {"seconds": self.seconds, "seconds_per_cycle": self.seconds / last.cycle}

    def _tables(self) -> Mapping[str, Table]:
        if self.engine == "cycles":
            return {"rounds": self.snapshots_table}
        names = self.scenario.interests.node_names
        by_node, trace, links = self.by_node, self.trace, self.last.overlay._tables()["links"]
        return {
            "snapshots": self.snapshots_table,
            "messages": lambda: columns_of(self.message_rows(), ("kind", "sent", "sent_per_node")),
            "links": links,
            **({} if by_node is None else {"node_links": lambda: node_links_table(by_node, names)}),
            **({} if trace is None else {"trace": lambda: trace_table(trace, names)}),
        }

    def _interests(self) -> Interests | None:
        return None if self.engine == "cycles" else self.interests_at_end

    @property
    def interests_at_end(self) -> Interests:
        """Interests at the end, with the names of the scenario (event-driven)."""
        names = self.scenario.interests
        return replace(
            self.last.interests,
            node_names=names.node_names[self.last.nodes],
            topic_names=names.topic_names,
        )

    def snapshots_table(self) -> Any:
        """Return the table of snapshots (event-driven), or of rounds (cycle-driven)."""
        if self.engine == "events":
            return SNAPSHOTS.table(*zip(*map(astuple, self.snapshots), strict=True))
        return ROUNDS.table(*zip(*(one.row().values() for one in self.cycles), strict=True))

    def _shown_rows(self) -> Sequence[Mapping[str, Any]]:
        return [one.summary() for one in (self.snapshots or self.cycles)]

    def message_rows(self) -> list[dict[str, Any]]:
        """Return the number of messages of each kind, and their bytes if they were counted."""
        counts, sizes = self.messages.by_kind, self.messages.bytes_by_kind
        return [
            {
                "kind": kind,
                "sent": count,
                "sent_per_node": count / max(self.joins, 1),
                **({"bytes": sizes.get(kind, 0)} if sizes else {}),
            }
            for kind, count in counts.items()
        ]

    @property
    def connected_throughout(self) -> bool:
        """Whether every topic was connected in every snapshot (event-driven)."""
        return all(snapshot.topic_connected for snapshot in self.snapshots)
