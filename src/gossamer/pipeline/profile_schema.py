"""The tables of a profile: small ones, whatever the size of what was profiled."""

from __future__ import annotations

import pyarrow as pa

from gossamer.tables import TableSchema
from gossamer.tables.schema import NAME, SESSIONS

__all__ = [
    "CORRELATION",
    "CO_TOPICS",
    "DISTRIBUTION",
    "FACTS",
    "FITS",
    "INTERESTS_OF_NUMBERS",
    "INTERESTS_OF_TEXT",
    "POPULARITY",
    "PRESENCE",
    "TOP_TOPICS",
    "WHOLE_SESSIONS",
]

FACTS = TableSchema(
    "profile_facts",
    1,
    (("part", pa.string()), ("fact", pa.string()), ("value", pa.float64())),
)
"""Every number of the profile by its name: one row a number; nothing where it has none."""

DISTRIBUTION = TableSchema(
    "profile_distribution",
    1,
    (("value", pa.int64()), ("count", pa.int64()), ("share_at_least", pa.float64())),
)
"""A distribution as counts and as CCDF: how many things have a value, and the share of things
with that value or more. Each is a table of its own name."""

FITS = TableSchema(
    "profile_fits",
    1,
    (
        ("distribution", pa.string()),
        ("things", pa.int64()),
        ("mean", pa.float64()),
        ("deviation", pa.float64()),
        ("median", pa.int64()),
        ("p95", pa.int64()),
        ("maximum", pa.int64()),
        ("exponent", pa.float64()),
        ("tail_from", pa.int64()),
        ("tail", pa.int64()),
        ("fit_distance", pa.float64()),
        ("plain_exponent", pa.float64()),
        ("rank_exponent", pa.float64()),
    ),
)
"""Each distribution in a few numbers, with the power laws fitted to it."""

CORRELATION = TableSchema(
    "profile_correlation", 1, (("depth", pa.int64()), ("top_intersection", pa.float64()))
)
"""SpiderCast's tdi(d) in per cent, for some d."""

TOP_TOPICS = TableSchema(
    "profile_top_topics",
    1,
    (("topic", pa.string()), ("count", pa.int64()), ("share", pa.float64())),
)
"""The topics with the most subscribers, or the most publications, and their share of all."""

CO_TOPICS = TableSchema(
    "profile_co_topics",
    1,
    (("topic", pa.string()), ("other", pa.string()), ("publications", pa.int64())),
)
"""The pairs of topics that most publications have in common."""

PRESENCE = TableSchema(
    "profile_presence",
    1,
    (
        ("time", pa.int64()),
        ("present", pa.int64()),
        ("joins", pa.int64()),
        ("leaves", pa.int64()),
    ),
)
"""How many nodes are there at an instant, in microseconds, and how many came and went since
the instant before."""

INTERESTS_OF_NUMBERS = TableSchema(
    "interests", 1, (("node", NAME), ("topics", pa.list_(pa.int64())))
)
INTERESTS_OF_TEXT = TableSchema("interests", 1, (("node", NAME), ("topics", pa.list_(pa.string()))))
"""Each node with its topics, on the way to a profile; topics are numbers or text."""

POPULARITY = TableSchema("popularity", 1, (("topic", NAME), ("subscribers", pa.int64())))
"""Each topic that is wanted with the number of its subscribers, on the way to a profile."""

WHOLE_SESSIONS = TableSchema("whole_sessions", 1, SESSIONS.columns)
"""Sessions of which no two of a node overlap or touch, on the way to a profile."""
