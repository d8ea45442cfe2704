"""The tables: what each is called, and the names and types of its columns.

Only names and types live here; reading and writing are elsewhere. A column of
names is ``int64`` when every name is a whole number and ``string`` otherwise.
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
"""The type of a column of the user's own names: int64 or string."""


@dataclass(frozen=True)
class TableSchema:
    """A table: its name, the version of its layout, and its columns in order.

    Attributes
    ----------
    name
        What the table is called in a file's metadata.
    version
        Raised by one whenever a column changes its name, type or meaning.
    columns
        Each column's name and Arrow type; :data:`NAME` for the user's own names.
    """

    name: str
    version: int
    columns: tuple[tuple[str, Any], ...]

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(name for name, _ in self.columns)

    def table(self, *columns: Any) -> Any:
        """Make an Arrow table of these columns, with the schema's name in its metadata."""
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
        """What a Parquet file says of itself: table, version of its layout, and the tool's."""
        return {
            "gossamer.table": self.name,
            "gossamer.schema": str(self.version),
            "gossamer.version": __version__,
        }


SUBSCRIPTIONS = TableSchema("subscriptions", 1, (("node", NAME), ("topic", NAME)))
"""Who wants what: one row a subscription."""

LINKS = TableSchema("links", 1, (("source", NAME), ("target", NAME)))
"""Who is linked to whom: one row an undirected link."""

VIEWS = TableSchema("views", 1, (("topic", NAME), ("source", NAME), ("target", NAME)))
"""Who are neighbours on which topic: one row an undirected link that serves one topic."""

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
"""How well each topic is served by an overlay: one row a topic.

The diameter is the largest over the topic's components. Bridges are links, and articulation
points subscribers, whose failure alone splits the topic.
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
"""Design algorithms side by side on the same interests: one row an algorithm."""

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
"""The degree–diameter front: one row an overlay.

``ratio`` is the mean degree over the proven lower bound; the fronts are of mean degree and
diameter, of maximum degree and diameter, and of all three.
"""

FOLLOWS = TableSchema("follows", 1, (("follower", NAME), ("followed", NAME)))
"""Who follows whom: one row a relation. To follow a user is to subscribe to a topic."""

PUBLICATIONS = TableSchema(
    "publications",
    1,
    (("time", pa.int64()), ("publication", NAME), ("topics", pa.list_(pa.string()))),
)
"""What was published when, in microseconds, and on which topics: one row a publication."""

RATES = TableSchema(
    "rates", 1, (("topic", NAME), ("publications", pa.int64()), ("per_second", pa.float64()))
)
"""How often something is published on each topic."""

SESSIONS = TableSchema("sessions", 1, (("node", NAME), ("start", pa.int64()), ("end", pa.int64())))
"""When each node is there, in microseconds from the start: one row a session, end excluded."""

CHURN = TableSchema("churn", 1, (("time", pa.int64()), ("node", NAME), ("event", pa.string())))
"""Who joins and who leaves when, in microseconds: one row an event, in the order it happens.

``event`` is join or leave, or away for a node that is never there.
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
"""What must be done to keep an overlay in order: one row a link or unlink, in that order.

``event`` is join or leave of ``node``, or rebuild, or start (in round 0, before the first event),
which are nobody's; ``action`` link or unlink.
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
"""An overlay that is kept in order: one row a round, as it is after that round's event.

Degrees are of the nodes that are there; ``added`` and ``removed`` count links, those of a rebuild
too.
"""

TIMINGS = TableSchema("timings", 1, (("round", pa.int64()), ("milliseconds", pa.float64())))
"""How long each round took: the only thing that differs between two equal runs."""

LATENCY = TableSchema(
    "latency", 1, (("source", pa.int32()), ("target", pa.int32()), ("delay", pa.int64()))
)
"""One-way delay between sites in microseconds: one row an ordered pair of sites."""

REJECTED = TableSchema(
    "rejected", 1, (("file", pa.string()), ("line", pa.string()), ("reason", pa.string()))
)
"""Lines of raw files that could not be used, and why."""

DEGREES = TableSchema(
    "degrees",
    1,
    (("algorithm", pa.string()), ("degree", pa.int64()), ("nodes", pa.int64())),
)
"""How many nodes have each degree: one row an algorithm and degree, with nodes above 0."""

DIAMETERS = TableSchema(
    "diameters",
    1,
    (("algorithm", pa.string()), ("diameter", pa.int64()), ("topics", pa.int64())),
)
"""How many topics have each diameter: one row an algorithm and diameter, with topics above 0.

Topics of two subscribers or more are counted.
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
"""What an overlay was like over time: one row a snapshot, times in microseconds."""

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
"""A simulation in rounds: one row a round in which something was measured.

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
"""What publications cost each node and brought it: one row a flood and node.

Copies that it sent, their bytes, and how often something on one of its topics was delivered.
"""

HOPS = TableSchema(
    "hops",
    1,
    (("flood", pa.string()), ("hops", pa.int64()), ("deliveries", pa.int64())),
)
"""Over how many links publications came: one row a flood and number of hops."""

NODE_LINKS = TableSchema(
    "node_links",
    1,
    (("time", pa.int64()), ("node", NAME), ("degree", pa.int64()), ("view", pa.int64())),
)
"""Each node's links over time, in microseconds: one row a snapshot and node.

``degree`` counts links (a physical view), ``view`` neighbours once for each topic that the link
serves (a logical view).
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
"""What happened in a world, simulated or real: one row an event, in the order it happened.

``what`` is start, leave, crash, send, receive, link, unlink, deliver or a protocol's own word.
"""
