"""Schemas of all tables: their names, and the names and types of their columns.

A column of names is ``int64`` if every name is a whole number, and ``string`` otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from gossamer.version import __version__

__all__ = [
    "CHANGES",
    "CHURN",
    "COMPARISON",
    "DEGREES",
    "DIAMETERS",
    "FRONT",
    "HOPS",
    "LINKS",
    "MAINTENANCE_ROUNDS",
    "NAME",
    "ROUNDS",
    "SNAPSHOTS",
    "SUBSCRIPTIONS",
    "TIMINGS",
    "TOPICS",
    "TRACE",
    "TRAFFIC",
    "VIEWS",
    "TableSchema",
]

NAME = "name"
"""Type of a column of the user's names: int64 or string."""


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
        Name and Arrow type of each column; :data:`NAME` for the user's names.
    """

    name: str
    version: int
    columns: tuple[tuple[str, Any], ...]

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(name for name, _ in self.columns)

    def table(self, *columns: Any) -> Any:
        """Return an Arrow table of these columns, with the schema's name in its metadata."""
        assert len(columns) == len(self.columns), f"{self.name} has {len(self.columns)} columns"
        arrays = [
            values if kind is NAME else pa.array(values, type=kind)
            for values, (_, kind) in zip(columns, self.columns, strict=True)
        ]
        fields = [
            pa.field(name, array.type, nullable=array.null_count > 0)
            for (name, _), array in zip(self.columns, arrays, strict=True)
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


SUBSCRIPTIONS = TableSchema("subscriptions", 1, (("node", NAME), ("topic", NAME)))
"""Interests: one row per subscription."""

LINKS = TableSchema("links", 1, (("source", NAME), ("target", NAME)))
"""Overlay: one row per undirected link."""

VIEWS = TableSchema("views", 1, (("topic", NAME), ("source", NAME), ("target", NAME)))
"""Overlay by topic: one row per undirected link that serves one topic."""

TOPICS = TableSchema(
    "topics",
    2,
    (
        ("topic", NAME),
        ("subscribers", pa.int64()),
        ("components", pa.int64()),
        ("diameter", pa.int64()),
        ("bridges", pa.int64()),
        ("articulation_points", pa.int64()),
    ),
)
"""Quality of an overlay for each topic: one row per topic.

The diameter is the largest over the topic's components. Bridges are links, and articulation
points subscribers, whose single failure disconnects the topic.
"""

COMPARISON = TableSchema(
    "comparison",
    1,
    (
        ("algorithm", pa.string()),
        ("mean_degree", pa.float64()),
        ("max_degree", pa.int64()),
        ("p95_degree", pa.int64()),
        ("links", pa.int64()),
        ("topics_connected", pa.int64()),
        ("topics", pa.int64()),
        ("max_diameter", pa.int64()),
        ("mean_diameter", pa.float64()),
        ("seconds", pa.float64()),
        ("ratio_to_lower_bound", pa.float64()),
    ),
)
"""Comparison of design algorithms on the same interests: one row per algorithm."""

FRONT = TableSchema(
    "front",
    1,
    (
        ("label", pa.string()),
        ("family", pa.string()),
        ("kind", pa.string()),
        ("mean_degree", pa.float64()),
        ("ratio", pa.float64()),
        ("max_degree", pa.int64()),
        ("p95_degree", pa.int64()),
        ("links", pa.int64()),
        ("max_diameter", pa.int64()),
        ("mean_diameter", pa.float64()),
        ("connected", pa.bool_()),
        ("on_mean_front", pa.bool_()),
        ("on_max_front", pa.bool_()),
        ("on_front", pa.bool_()),
        ("seconds", pa.float64()),
    ),
)
"""Degree–diameter Pareto front: one row per overlay.

``ratio`` is the mean degree divided by the proven lower bound; the fronts are those of mean degree
and diameter, of maximum degree and diameter, and of all three.
"""

FOLLOWS = TableSchema("follows", 1, (("follower", NAME), ("followed", NAME)))
"""Follower graph: one row per edge. The followed user is the topic of a subscription."""

PUBLICATIONS = TableSchema(
    "publications",
    1,
    (("time", pa.int64()), ("publication", NAME), ("topics", pa.list_(pa.string()))),
)
"""Publications, with times in microseconds: one row per publication."""

RATES = TableSchema(
    "rates", 1, (("topic", NAME), ("publications", pa.int64()), ("per_second", pa.float64()))
)
"""Publication rate of each topic: one row per topic."""

SESSIONS = TableSchema("sessions", 1, (("node", NAME), ("start", pa.int64()), ("end", pa.int64())))
"""Presence of nodes, in microseconds from the start: one row per session, end excluded."""

CHURN = TableSchema("churn", 1, (("time", pa.int64()), ("node", NAME), ("event", pa.string())))
"""Joins and leaves, with times in microseconds: one row per event, in order.

``event`` is join or leave, or away for a node that is never present.
"""

CHANGES = TableSchema(
    "changes",
    1,
    (
        ("round", pa.int64()),
        ("time", pa.int64()),
        ("node", NAME),
        ("event", pa.string()),
        ("action", pa.string()),
        ("a", NAME),
        ("b", NAME),
    ),
)
"""Changes of a maintained overlay: one row per link added or removed, in order.

``event`` is the join or leave of ``node``, or without a node a rebuild, or start (in round 0,
before the first event); ``action`` is link or unlink.
"""

MAINTENANCE_ROUNDS = TableSchema(
    "upkeep",
    1,
    (
        ("round", pa.int64()),
        ("time", pa.int64()),
        ("node", NAME),
        ("event", pa.string()),
        ("nodes", pa.int64()),
        ("links", pa.int64()),
        ("mean_degree", pa.float64()),
        ("max_degree", pa.int64()),
        ("added", pa.int64()),
        ("removed", pa.int64()),
        ("rebuilt", pa.bool_()),
    ),
)
"""A maintained overlay after each event: one row per round.

Degrees are those of present nodes; ``added`` and ``removed`` count links, those of a rebuild
included.
"""

TIMINGS = TableSchema("timings", 1, (("round", pa.int64()), ("milliseconds", pa.float64())))
"""Computing time of each round, the only difference between two equal runs."""

LATENCY = TableSchema(
    "latency", 1, (("source", pa.int32()), ("target", pa.int32()), ("delay", pa.int64()))
)
"""One-way delay between sites in microseconds: one row per ordered pair of sites."""

REJECTED = TableSchema(
    "rejected", 1, (("file", pa.string()), ("line", pa.string()), ("reason", pa.string()))
)
"""Unusable lines of raw files, with the reason."""

DEGREES = TableSchema(
    "degrees",
    1,
    (("algorithm", pa.string()), ("degree", pa.int64()), ("nodes", pa.int64())),
)
"""Number of nodes by degree: one row per algorithm and degree that occurs."""

DIAMETERS = TableSchema(
    "diameters",
    1,
    (("algorithm", pa.string()), ("diameter", pa.int64()), ("topics", pa.int64())),
)
"""Number of topics by diameter: one row per algorithm and diameter that occurs.

Only topics with two or more subscribers count.
"""

SNAPSHOTS = TableSchema(
    "snapshots",
    2,
    (
        ("time", pa.int64()),
        ("nodes", pa.int64()),
        ("links", pa.int64()),
        ("mean_degree", pa.float64()),
        ("max_degree", pa.int64()),
        ("mean_view", pa.float64()),
        ("topics", pa.int64()),
        ("topics_connected", pa.int64()),
        ("components", pa.int64()),
        ("half_open", pa.int64()),
        ("messages", pa.int64()),
        ("control", pa.int64()),
    ),
)
"""An overlay over time, in microseconds: one row per snapshot."""

ROUNDS = TableSchema(
    "rounds",
    1,
    (
        ("round", pa.int64()),
        ("nodes", pa.int64()),
        ("links_mean", pa.float64()),
        ("links_max", pa.int64()),
        ("ring", pa.float64()),
        ("rendezvous", pa.float64()),
        ("gateways", pa.float64()),
        ("hit_ratio", pa.float64()),
        ("overhead", pa.float64()),
        ("overhead_with_duplicates", pa.float64()),
        ("overhead_mean_over_nodes", pa.float64()),
        ("hops", pa.float64()),
        ("furthest", pa.int64()),
    ),
)
"""A cycle-driven simulation: one row per measured round.

``ring``, ``rendezvous`` and ``gateways`` are shares of nodes, topics and subscriptions.
"""

TRAFFIC = TableSchema(
    "traffic",
    1,
    (
        ("node", NAME),
        ("flood", pa.string()),
        ("sent", pa.int64()),
        ("bytes", pa.int64()),
        ("deliveries", pa.int64()),
    ),
)
"""Cost and deliveries of publications: one row per forwarding mode and node.

Copies that the node sent, their bytes, and deliveries on its topics.
"""

HOPS = TableSchema(
    "hops",
    1,
    (("flood", pa.string()), ("hops", pa.int64()), ("deliveries", pa.int64())),
)
"""Deliveries by the number of hops: one row per forwarding mode and number."""

NODE_LINKS = TableSchema(
    "node_links",
    1,
    (("time", pa.int64()), ("node", NAME), ("degree", pa.int64()), ("view", pa.int64())),
)
"""Links of each node over time, in microseconds: one row per snapshot and node.

``degree`` counts links (physical view), ``view`` neighbours once for each topic that the link
serves (logical view).
"""

TRACE = TableSchema(
    "trace",
    1,
    (
        ("time", pa.int64()),
        ("node", NAME),
        ("what", pa.string()),
        ("peer", NAME),
        ("message", pa.string()),
    ),
)
"""Trace of a simulated or live network: one row per event, in order.

``what`` is start, leave, crash, send, receive, link, unlink, deliver or a word of the protocol.
"""
