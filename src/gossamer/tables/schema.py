"""Schemas of all tables: their names, and the names and types of their columns.

A column of names is ``int64`` if every name is a whole number, and ``string`` otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from gossamer.version import __version__

NAME = "name"
"""Type of a column of the user's names: int64 or string."""
NUMBER = "number"
"""Type of a column of counts and of means of counts: int64 if all are whole, or double."""


@dataclass(frozen=True)
class TableSchema:
    """Schema of a table.

    Attributes
    ----------
    name
        Name of the table in the metadata of a file.
    version
        Version of the layout; it rises when a column changes its name, type or meaning.
    columns
        Name and Arrow type of each column; :data:`NAME` for the user's names, and :data:`NUMBER`.
    optional
        Names of the columns that a table may lack.
    """

    name: str
    version: int
    columns: tuple[tuple[str, Any], ...]
    optional: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, version: int, columns: str) -> TableSchema:
        """Return a schema from text such as ``node name, time int64, topics list<int32>``.

        An optional column has a question mark after its name.
        """
        pairs = [column.split() for column in columns.split(",")]
        optional = frozenset(column[:-1] for column, _ in pairs if column.endswith("?"))
        listed = tuple((column.rstrip("?"), _type(kind)) for column, kind in pairs)
        return cls(name, version, listed, optional)

    def extended(self, columns: str) -> TableSchema:
        """Return this schema with more columns, in the notation of :meth:`of`."""
        more = TableSchema.of(self.name, self.version, columns).columns if columns else ()
        return replace(self, columns=(*self.columns, *more))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that every table has, in order."""
        return tuple(name for name, _ in self.columns if name not in self.optional)

    def has_columns(self, names: Sequence[str]) -> bool:
        """Whether these names are the columns in order; optional ones may be missing."""
        return tuple(names) == tuple(
            name for name, _ in self.columns if name not in self.optional or name in names
        )

    def table(self, *columns: Any, optional: Collection[str] | None = None) -> Any:
        """Return an Arrow table of these columns, with the schema's name in its metadata.

        ``optional`` are the names of the given optional columns; by default all are given or none.
        """
        if optional is None:
            optional = self.optional if len(columns) == len(self.columns) else ()
        absent = self.optional.difference(optional)
        present = [pair for pair in self.columns if pair[0] not in absent]
        assert len(columns) == len(present), f"{self.name} has {len(present)} columns"
        arrays = [
            values if kind is NAME else pa.array(values, type=_plain_type(kind, values))
            for values, (_, kind) in zip(columns, present, strict=True)
        ]
        fields = [
            pa.field(name, array.type, nullable=array.null_count > 0)
            for (name, _), array in zip(present, arrays, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=self.metadata))

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of a Parquet file: table, version of its layout, and version of this tool."""
        return {
            "gossamer.table": self.name,
            "gossamer.schema": str(self.version),
            "gossamer.version": __version__,
        }


def _plain_type(kind: Any, values: Any) -> Any:
    """Return the Arrow type of a column with these values."""
    if kind is not NUMBER:
        return kind
    return pa.float64() if any(isinstance(value, float) for value in values) else pa.int64()


def _type(name: str) -> Any:
    if name in (NAME, NUMBER):
        return NAME if name == NAME else NUMBER
    if name == "date":
        return pa.timestamp("us", "UTC")
    if name.startswith("list<"):
        return pa.list_(_type(name[5:-1]))
    return pa.type_for_alias(name)


SUBSCRIPTIONS = TableSchema.of("subscriptions", 1, "node name, topic name")
"""Interests: one row per subscription."""

LINKS = TableSchema.of("links", 1, "source name, target name")
"""Overlay: one row per undirected link."""

VIEWS = TableSchema.of("views", 1, "topic name, source name, target name")
"""Overlay by topic: one row per undirected link that serves one topic."""

TOPICS = TableSchema.of(
    "topics",
    2,
    "topic name, subscribers int64, components int64, diameter int64, bridges int64, "
    "articulation_points int64",
)
"""Quality of an overlay for each topic: one row per topic.

The diameter is the largest over the topic's components. Bridges are links, and articulation
points subscribers, whose single failure disconnects the topic.
"""

FAILURES = TableSchema.of("failures", 1, "node name, topic name")
"""Articulation points of an overlay: a node, and a topic that its failure disconnects."""

COMPARISON = TableSchema.of(
    "comparison",
    2,
    "algorithm string, mean_degree double, max_degree number, p95_degree number, links number, "
    "topics_connected number, topics int64, max_diameter number, mean_diameter double, "
    "seconds double, ratio_to_lower_bound double, error string, problem string",
)
"""Comparison of design algorithms on the same interests: one row per algorithm.

The measures are means over runs, and null for an algorithm that failed; ``error`` is the reason,
and ``problem`` what is wrong with an overlay that was measured.
"""

RUNS = TableSchema.of("runs", 1, "algorithm string, seed int64, measure string, value double")
"""Measures of each run of a comparison: one row per algorithm, seed and measure."""

_OF_PROTOCOLS = (
    "mean_degree double, max_degree number, connected_share double, message_rate double, "
    "hit_ratio double, copies_per_delivery double, mean_delay_ms double, mean_hops double, "
    "overhead double, seconds double, error string"
)

PROTOCOLS = TableSchema.of("protocols", 1, f"protocol string, {_OF_PROTOCOLS}, problem string")
"""Comparison of protocols in the same scenario: one row per protocol.

The measures are means over runs, and null for a protocol that failed; ``error`` is the reason, and
``problem`` what is wrong with runs that were measured. Degrees and topics are those at the end. A
measure that an engine or a scenario does not have is null.
"""

PROTOCOL_RUNS = TableSchema.of("protocol_runs", 1, f"protocol string, seed int64, {_OF_PROTOCOLS}")
"""Comparison of protocols in the same scenario: one row per protocol and seed."""

FRONT = TableSchema.of(
    "front",
    2,
    "algorithm string, family string, kind string, mean_degree double, "
    "ratio_to_lower_bound double, max_degree int64, p95_degree int64, links int64, "
    "max_diameter int64, mean_diameter double, topic_connected bool, on_mean_front bool, "
    "on_max_front bool, on_front bool, seconds double",
)
"""Degree–diameter Pareto front: one row per overlay.

The fronts are those of mean degree and diameter, of maximum degree and diameter, and of all three.
"""

FOLLOWS = TableSchema.of("follows", 1, "follower name, followed name")
"""Follower graph: one row per edge. The followed user is the topic of a subscription."""

PUBLICATIONS = TableSchema.of(
    "publications", 1, "time int64, publication name, topics list<string>"
)
"""Publications, with times in microseconds: one row per publication."""

RATES = TableSchema.of("rates", 1, "topic name, publications int64, per_second double")
"""Publication rate of each topic: one row per topic."""

SESSIONS = TableSchema.of("sessions", 1, "node name, start int64, end int64")
"""Presence of nodes, in microseconds from the start: one row per session, end excluded."""

CHURN = TableSchema.of("churn", 1, "time int64, node name, event string, topic? name")
"""Joins, leaves and changes of interests: one row per event, in order of time.

Times are microseconds. ``event`` is join, leave, subscribe or unsubscribe, or away for a node that
is never present. If interests change, there is a column ``topic`` after ``event``: the topic that
the node subscribes to or unsubscribes from, and null in other rows.
"""

CHANGES = TableSchema.of(
    "changes",
    1,
    "round int64, time int64, date? date, node name, event string, topic? name, action string, "
    "source name, target name",
)
"""Changes of a maintained overlay: one row per link added or removed, in order.

``event`` is join, leave, subscribe or unsubscribe of ``node``, or without a node a rebuild, or
start (in round 0, before the first event); ``action`` is link or unlink. Times are microseconds,
with the 0 of the events; that of dates is the first of them, and then there is a column ``date``
too. If interests change, there is a column ``topic`` after ``event``, as for churn.
"""

MAINTENANCE_ROUNDS = TableSchema.of(
    "upkeep",
    1,
    "round int64, time int64, date? date, node name, event string, topic? name, nodes int64, "
    "links int64, mean_degree double, max_degree int64, added int64, removed int64, rebuilt bool",
)
"""A maintained overlay after each event: one row per round.

Degrees are those of present nodes; ``added`` and ``removed`` count links, those of a rebuild
included. Times, dates and topics are as in the table of changes.
"""

TIMINGS = TableSchema.of("timings", 1, "round int64, milliseconds double")
"""Computing time of each round, the only difference between two equal runs."""

LATENCY = TableSchema.of("latency", 1, "source int32, target int32, delay int64")
"""One-way delay between sites in microseconds: one row per ordered pair of sites."""

REJECTED = TableSchema.of("rejected", 1, "file string, line string, reason string")
"""Unusable lines of raw files, with the reason."""

DEGREES = TableSchema.of("degrees", 1, "algorithm string, degree int64, nodes int64")
"""Number of nodes by degree: one row per algorithm and degree that occurs."""

DIAMETERS = TableSchema.of("diameters", 1, "algorithm string, diameter int64, topics int64")
"""Number of topics by diameter: one row per algorithm and diameter that occurs.

Only topics with two or more subscribers count.
"""

SNAPSHOTS = TableSchema.of(
    "snapshots",
    3,
    "time int64, nodes int64, links int64, mean_degree double, max_degree int64, "
    "mean_view double, topics int64, topics_connected int64, components int64, "
    "half_open int64, under_covered? int64, messages int64, control int64",
)
"""An overlay over time, in microseconds: one row per snapshot.

Simulations know the nodes that are under-covered; a cluster of live nodes does not.
"""

ROUNDS = TableSchema.of(
    "rounds",
    1,
    "round int64, nodes int64, links_mean double, links_max int64, ring double, "
    "rendezvous double, gateways double, hit_ratio double, overhead double, "
    "overhead_with_duplicates double, overhead_mean_over_nodes double, hops double, "
    "furthest int64",
)
"""A cycle-driven simulation: one row per measured round.

``ring``, ``rendezvous`` and ``gateways`` are shares of nodes, topics and subscriptions; NaN for a
protocol without a ring.
"""

TRAFFIC = TableSchema.of(
    "traffic", 1, "node name, flood string, sent int64, bytes int64, deliveries int64"
)
"""Cost and deliveries of publications: one row per forwarding mode and node.

Copies that the node sent, their bytes, and deliveries on its topics.
"""

HOPS = TableSchema.of("hops", 1, "flood string, hops int64, deliveries int64")
"""Deliveries by the number of hops: one row per forwarding mode and number."""

NODE_LINKS = TableSchema.of("node_links", 1, "time int64, node name, degree int64, view int64")
"""Links of each node over time, in microseconds: one row per snapshot and node.

``degree`` counts links (physical view), ``view`` neighbours once for each topic that the link
serves (logical view).
"""

TRACE = TableSchema.of("trace", 1, "time int64, node name, what string, peer name, message string")
"""Trace of a simulated or live network: one row per event, in order.

``what`` is start, leave, crash, send, receive, link, unlink, deliver or a word of the protocol.
"""

SCHEMAS = {one.name: one for one in list(globals().values()) if isinstance(one, TableSchema)}
"""All schemas, by the name of their table."""
