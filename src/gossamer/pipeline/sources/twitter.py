"""The Twitter crawl of 2009: 1.47 billion lines, each a user and a follower."""

from __future__ import annotations

from gossamer.pipeline.sources.edges import edge_list
from gossamer.pipeline.sources.registry import SourceSpec, source

__all__ = ["twitter"]

EXAMPLE = "12\t13\n12\t14\n13\t12\n"


@source("twitter", layout="'user<tab>follower' a line; # % // begin comments", example=EXAMPLE)
def twitter() -> SourceSpec:
    """Follower lists, the followed user first (Kwak et al., WWW 2010: twitter_rv)."""
    return edge_list(followed_first=True)
