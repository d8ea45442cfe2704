"""Undirected edge lists, as the SNAP collection publishes them."""

from __future__ import annotations

from gossamer.pipeline.sources.edges import edge_list
from gossamer.pipeline.sources.registry import SourceSpec, source

__all__ = ["snap_undirected"]

EXAMPLE = "0 1\n0 2\n1 2\n2 3\n"


@source(
    "snap-undirected", layout="'a b' a line, white space; # % // begin comments", example=EXAMPLE
)
def snap_undirected() -> SourceSpec:
    """Undirected edge list: both follow each other (SNAP: ego-Facebook, com-Orkut)."""
    return edge_list(both_ways=True)
