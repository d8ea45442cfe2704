"""The tables that a sample of a follower graph is made of, besides ``follows`` itself."""

from __future__ import annotations

import pyarrow as pa

from gossamer.tables import TableSchema
from gossamer.tables.schema import NAME

__all__ = ["DEGREE_COUNTS", "DEGREE_DISTANCES", "DEGREE_SHAPES", "LEVELS", "REACHED", "USERS"]

LEVELS = TableSchema("levels", 1, (("node", NAME), ("level", pa.int32())))
"""Who is in the sample, and how many steps from the nearest seed: one row a node."""

REACHED = TableSchema("reached", 1, (("node", NAME), ("level", pa.int32()), ("step", pa.int32())))
"""Who was reached so far, on the way to a sample; the step counts searches together."""

USERS = TableSchema(
    "users", 1, (("node", NAME), ("followers", pa.int64()), ("followed", pa.int64()))
)
"""Everybody who follows or is followed, and how many: one row a user."""

DEGREE_COUNTS = TableSchema(
    "degree_counts",
    1,
    (
        ("graph", pa.string()),
        ("direction", pa.string()),
        ("degree", pa.int64()),
        ("nodes", pa.int64()),
    ),
)
"""How many nodes have each degree: graph is full or sample, direction followers or followed."""

DEGREE_SHAPES = TableSchema(
    "degree_shapes",
    1,
    (
        ("graph", pa.string()),
        ("direction", pa.string()),
        ("nodes", pa.int64()),
        ("mean", pa.float64()),
        ("variance", pa.float64()),
        ("deviation", pa.float64()),
        ("maximum", pa.int64()),
        ("exponent", pa.float64()),
        ("tail_from", pa.int64()),
        ("tail_nodes", pa.int64()),
        ("fit_distance", pa.float64()),
        ("plain_exponent", pa.float64()),
    ),
)
"""Each distribution of degrees in a few numbers (the table of Vitis Figure 9, and the fits)."""

DEGREE_DISTANCES = TableSchema(
    "degree_distances",
    1,
    (
        ("direction", pa.string()),
        ("distance", pa.float64()),
        ("rescaled_distance", pa.float64()),
        ("verdict", pa.string()),
    ),
)
"""How far the sample's degrees are from the whole graph's: one row a direction."""
