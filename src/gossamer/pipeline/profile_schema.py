"""Tables of a profile, small whatever the size of the input."""

from __future__ import annotations

from gossamer.tables import TableSchema
from gossamer.tables.schema import SESSIONS

FACTS = TableSchema.of("profile_facts", 1, "part string, fact string, value double")
"""Numbers of the profile by name; null if undefined."""

DISTRIBUTION = TableSchema.of(
    "profile_distribution", 1, "value int64, count int64, share_at_least double"
)
"""Distribution: number of elements by value, and the share with that value or more (CCDF)."""

FITS = TableSchema.of(
    "profile_fits",
    1,
    "distribution string, things int64, mean double, deviation double, median int64, "
    "p95 int64, maximum int64, exponent double, tail_from int64, tail int64, "
    "fit_distance double, plain_exponent double, rank_exponent double",
)
"""Moments and power-law fits of each distribution."""

CORRELATION = TableSchema.of("profile_correlation", 1, "depth int64, top_intersection double")
"""Mean interest overlap with the d most similar nodes (SpiderCast's tdi(d)), %, by d."""

TOP_TOPICS = TableSchema.of("profile_top_topics", 1, "topic string, count int64, share double")
"""Topics with most subscribers, or most publications, and their share of all."""

CO_TOPICS = TableSchema.of("profile_co_topics", 1, "topic string, other string, publications int64")
"""Pairs of topics that share most publications."""

PRESENCE = TableSchema.of(
    "profile_presence", 1, "time int64, present int64, joins int64, leaves int64"
)
"""Number of present nodes at an instant, and of joins and leaves since the previous instant."""

INTERESTS_OF_NUMBERS = TableSchema.of("interests", 1, "node name, topics list<int64>")
INTERESTS_OF_TEXT = TableSchema.of("interests", 1, "node name, topics list<string>")
"""Topics of each node (intermediate), as numbers or text."""

POPULARITY = TableSchema.of("popularity", 1, "topic name, subscribers int64")
"""Number of subscribers of each topic that has any (intermediate)."""

WHOLE_SESSIONS = TableSchema("whole_sessions", 1, SESSIONS.columns)
"""Sessions of which no two of a node overlap or touch (intermediate)."""
