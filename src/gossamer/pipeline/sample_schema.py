"""Tables of a sample of a follower graph, besides ``follows``."""

from __future__ import annotations

from gossamer.tables import TableSchema

LEVELS = TableSchema.of("levels", 1, "node name, level int32")
"""Users of the sample, and their distance from the nearest seed, hops."""

REACHED = TableSchema.of("reached", 1, "node name, level int32, step int32")
"""Users reached so far (intermediate); the step counts all searches."""

USERS = TableSchema.of("users", 1, "node name, followers int64, followed int64")
"""Numbers of followers and followed of each user."""

DEGREE_COUNTS = TableSchema.of(
    "degree_counts", 1, "graph string, direction string, degree int64, nodes int64"
)
"""Number of nodes by degree: graph is full or sample, direction followers or followed."""

DEGREE_SHAPES = TableSchema.of(
    "degree_shapes",
    1,
    "graph string, direction string, nodes int64, mean double, variance double, "
    "deviation double, maximum int64, exponent double, tail_from int64, tail_nodes int64, "
    "fit_distance double, plain_exponent double",
)
"""Moments and power-law fits of each degree distribution (the table of Vitis Figure 9)."""

DEGREE_DISTANCES = TableSchema.of(
    "degree_distances",
    1,
    "direction string, distance double, rescaled_distance double, verdict string",
)
"""Distance between the degree distributions of the sample and the whole graph, by direction."""
