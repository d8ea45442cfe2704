"""Measures of overlays, lower bounds, profiles of interests in memory, and disseminations."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden import program
from tests.golden.inputs import TABLES, Case, designed, followers, published

CASES: dict[str, Case] = {}


def _assess(table: str, algorithm: str, *, bounded: bool = False) -> Case:
    def values() -> Any:
        overlay = designed(table, algorithm)
        found = program.assessment_values(TABLES[table](), overlay, bounded=bounded)
        return found, program.clustering_values(overlay)

    return values


def _bound(table: str) -> Case:
    def values() -> Any:
        interests = TABLES[table]()
        return {
            "links": program.bound_values(interests)[:4],
            # Few steps: what processors round differently has not grown by then.
            "multipliers": program.bound_values(interests, iterations=200),
            "one scan": program.bound_values(interests, iterations=0),
        }

    return values


def _profile(table: str) -> Case:
    def values() -> Any:
        interests = followers() if table == "followers" else TABLES[table]()
        return (
            program.profile_values(interests),
            [program.top_intersection(interests, depth) for depth in (1, 5, 20)],
        )

    return values


def _followers() -> Any:
    sample = program.sample_followers(followers(), 120, seed=2)
    return (
        program.follower_values(followers()), program.follower_values(sample),
        program.shape_values(followers(), sample),
    )  # fmt: skip


for _table in TABLES:
    for _algorithm in ("greedy-merge", "bounded-radius", "random"):
        CASES[f"quality/{_table}/{_algorithm}"] = _assess(_table, _algorithm)
    CASES[f"quality/{_table}/bound"] = _bound(_table)
    CASES[f"quality/{_table}/profile"] = _profile(_table)
CASES["quality/tiny/with bound"] = _assess("tiny", "greedy-merge", bounded=True)
CASES["quality/followers/profile"] = _profile("followers")
CASES["quality/followers/degrees"] = _followers


# -- dissemination -------------------------------------------------------------------------


def _disseminate(table: str, flood: str, **world: Any) -> Case:
    return lambda: program.disseminate(
        TABLES[table](), designed(table), published(table), flood=flood, payload=100, **world
    )


def _churning(table: str, flood: str) -> Any:
    interests = TABLES[table]()
    sessions = program.draw_sessions("exponential:5:2", interests, until=40.0, seed=9)
    return program.disseminate(
        interests, designed(table), published(table), flood=flood, churn=sessions,
        latency="uniform:5-50ms", seed=2,
    )  # fmt: skip


def _sizes(flood: str) -> Any:
    return program.sizes_of_messages(published("rss"), flood=flood, payload=70)


for _flood in ("crosspost", "simple"):
    for _table in TABLES:
        CASES[f"dissemination/{_table}/{_flood}"] = _disseminate(_table, _flood)
    CASES[f"dissemination/tiny/{_flood}/loss"] = _disseminate("tiny", _flood, loss=0.2, seed=3)
    CASES[f"dissemination/rss/{_flood}/delay"] = _disseminate(
        "rss", _flood, latency="uniform:5-50ms", repair=False, seed=3
    )
    CASES[f"dissemination/tiny/{_flood}/churn"] = partial(_churning, "tiny", _flood)
    CASES[f"dissemination/sizes/{_flood}"] = partial(_sizes, _flood)
