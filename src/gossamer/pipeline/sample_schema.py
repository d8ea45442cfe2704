"""Tables of a sample of a follower graph, besides ``follows``."""

from __future__ import annotations

import pyarrow as pa

from gossamer.tables import TableSchema
from gossamer.tables.schema import NAME

__all__ = ["DEGREE_COUNTS", "DEGREE_DISTANCES", "DEGREE_SHAPES", "LEVELS", "REACHED", "USERS"]

LEVELS = TableSchema("levels", 1, (("node", NAME), ("level", pa.int32())))
"""Users of the sample, and their distance from the nearest seed, hops."""

REACHED = TableSchema("reached", 1, (("node", NAME), ("level", pa.int32()), ("step", pa.int32())))
"""Users reached so far (intermediate); the step counts all searches."""

USERS = TableSchema(
    "users", 1, (("node", NAME), ("followers", pa.int64()), ("followed", pa.int64()))
)
"""Numbers of followers and followed of each user."""

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
"""Number of nodes by degree: graph is full or sample, direction followers or followed."""

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
"""Moments and power-law fits of each degree distribution (the table of Vitis Figure 9)."""

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
"""Distance between the degree distributions of the sample and the whole graph, by direction."""
