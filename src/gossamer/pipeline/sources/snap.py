"""Directed edge lists, as the SNAP collection publishes them."""

from __future__ import annotations

from gossamer.pipeline.sources.edges import edge_list
from gossamer.pipeline.sources.registry import SourceSpec, source

__all__ = ["snap"]

EXAMPLE = """\
# Directed graph: who trusts whom
# FromNodeId\tToNodeId
0\t4
0\t5
4\t5
"""


@source("snap", layout="'from to' a line, white space; # % // begin comments", example=EXAMPLE)
def snap() -> SourceSpec:
    """Directed edge list: from follows to (SNAP: soc-Epinions1, wiki-Vote, soc-LiveJournal1)."""
    return edge_list()
