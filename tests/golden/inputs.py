"""The tables that the cases share: drawn, heavy-tailed and tiny; and what is published on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tests.golden import program

Case = Callable[[], Any]
"""Computes a value, or a dict of named parts of it."""


@cache
def rss() -> Any:
    return program.generate("rss", nodes=200, topics=40, subscriptions="1-12", seed=11)


@cache
def heavy() -> Any:
    sizes = program.sizes_of_text("2-40", exponent=1.6)
    return program.generate("zipf", nodes=150, topics=60, subscriptions=sizes, seed=12, alpha=1.2)


@cache
def tiny() -> Any:
    return program.interests_of_lists(
        {
            "ann": ["tea", "jazz", "go"], "bob": ["jazz"], "cy": ["tea", "go"], "dee": [],
            "eve": ["jazz", "go", "chess"], "fay": ["chess"], "gus": ["tea", "jazz", "go", "chess"],
            "hal": ["silence"], "ida": ["go", "chess"], "jo": ["tea"],
        }
    )  # fmt: skip


@cache
def followers() -> Any:
    sizes = program.sizes_of_mean(8, exponent=1.65, largest=100)
    return program.generate(
        "follower-graph", nodes=400, topics=400, subscriptions=sizes, seed=13, community=50
    )


@cache
def small() -> Any:
    """Interests of the simulated nodes."""
    return program.generate("rss", nodes=36, topics=10, subscriptions="1-5", seed=14)


TABLES = {"rss": rss, "heavy": heavy, "tiny": tiny}


@cache
def designed(table: str, algorithm: str = "greedy-merge") -> Any:
    return program.design_links(algorithm, TABLES[table](), seed=5)


@cache
def published(table: str) -> Any:
    return program.draw_publications(
        TABLES[table](), 60, crosspost=3, per_second=20.0, poisson=True, seed=6
    )
