"""Tables of a profile, small whatever the size of the input."""

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
"""Numbers of the profile by name; null if undefined."""

DISTRIBUTION = TableSchema(
    "profile_distribution",
    1,
    (("value", pa.int64()), ("count", pa.int64()), ("share_at_least", pa.float64())),
)
"""Distribution: number of elements by value, and the share with that value or more (CCDF)."""

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
"""Moments and power-law fits of each distribution."""

CORRELATION = TableSchema(
    "profile_correlation", 1, (("depth", pa.int64()), ("top_intersection", pa.float64()))
)
"""Mean interest overlap with the d most similar nodes (SpiderCast's tdi(d)), %, by d."""

TOP_TOPICS = TableSchema(
    "profile_top_topics",
    1,
    (("topic", pa.string()), ("count", pa.int64()), ("share", pa.float64())),
)
"""Topics with most subscribers, or most publications, and their share of all."""

CO_TOPICS = TableSchema(
    "profile_co_topics",
    1,
    (("topic", pa.string()), ("other", pa.string()), ("publications", pa.int64())),
)
"""Pairs of topics that share most publications."""

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
"""Number of present nodes at an instant, and of joins and leaves since the previous instant."""

INTERESTS_OF_NUMBERS = TableSchema(
    "interests", 1, (("node", NAME), ("topics", pa.list_(pa.int64())))
)
INTERESTS_OF_TEXT = TableSchema("interests", 1, (("node", NAME), ("topics", pa.list_(pa.string()))))
"""Topics of each node (intermediate), as numbers or text."""

POPULARITY = TableSchema("popularity", 1, (("topic", NAME), ("subscribers", pa.int64())))
"""Number of subscribers of each topic that has any (intermediate)."""

WHOLE_SESSIONS = TableSchema("whole_sessions", 1, SESSIONS.columns)
"""Sessions of which no two of a node overlap or touch (intermediate)."""
