"""What StaN's experiments are run on: who wants what, who is there when, and what is published.

The paper's two universes are not available. In their place: *correlated*, drawn, with about as
many subscriptions as views of the paper's size need; and, from tables that the user has made with
``gossamer ingest`` in one folder, *askubuntu* and *lastfm*: users with ten topics or more, as many
of them at random as the paper had nodes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Interests, Publications, Sessions
from gossamer.tables import read_interests, read_publications, read_sessions
from gossamer.time import SECOND
from gossamer.workloads import draw_sessions, generate_interests
from gossamer.workloads.resolution import match_sessions
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

if TYPE_CHECKING:
    from gossamer.studies.schema import Parameters

__all__ = ["draw_growth", "find_interests", "find_posts", "find_sessions_of"]

MIN_TOPICS = 10
TRACE_SECONDS_A_ROUND = 60
THERE, AWAY = 7200.0, 7200.0
"""Seconds of drawn sessions, both means: two hours there, two away. Ours."""
POSTS = 20_000


def find_interests(parameters: Parameters, seed: int) -> Interests:
    """Return who wants what: drawn, or some of those in a table."""
    nodes = int(parameters["nodes"])
    if "table" not in parameters:
        return generate_interests(
            "low-correlation", nodes=nodes, topics=400, subscriptions=39, seed=seed % (1 << 63),
            buckets=20, buckets_per_node=4,
        )  # fmt: skip
    everybody = read_interests(Path(str(parameters["_folder"])) / str(parameters["table"]))
    active = np.flatnonzero(everybody.subscription_sizes >= MIN_TOPICS)
    if len(active) < nodes:
        raise ParameterError(
            f"{parameters['table']} has {len(active):,} users with {MIN_TOPICS} topics or more; "
            f"expected {nodes:,}"
        )
    chosen = np.sort(np.random.default_rng(seed).choice(active, nodes, replace=False))
    return _among(everybody, chosen.tolist())


def _among(everybody: Interests, chosen: list[int]) -> Interests:
    """Return the interests of some nodes, in topics that two of them want or more."""
    lists = [everybody.topics_of(node) for node in chosen]
    counts = np.bincount(np.concatenate(lists), minlength=everybody.topic_count)
    return Interests.from_lists(
        {
            everybody.node_names[node]: everybody.topic_names[topics[counts[topics] >= 2]].tolist()
            for node, topics in zip(chosen, lists, strict=True)
        }
    )


def find_posts(parameters: Parameters, interests: Interests, seed: int) -> Publications:
    """Return what was published in truth, some of it: the posts of a table, with their topics."""
    folder = Path(str(parameters["_folder"])) / str(parameters["table"])
    found = read_publications(folder, interests, seed=seed % (1 << 63)).publications
    return found.thin(min(POSTS, len(found)))


def find_sessions_of(
    parameters: Parameters, interests: Interests, seconds: float, settle: float, seed: int
) -> Sessions:
    """Return who is there when: drawn, or a table's sessions, so much faster.

    Who is there at the start is there while views fill; then a round is a minute of the trace.
    """
    faster = TRACE_SECONDS_A_ROUND * float(parameters["faster"])
    if "sessions" in parameters:
        table = str(parameters["sessions"])
        named = read_sessions(Path(str(parameters["_folder"])) / table)
        found, _ = match_sessions(table, named, interests, time_scale=faster, by_name=False)
    else:
        churn = ChurnLaw(ExponentialLifetimes(THERE / faster), AWAY / faster)
        found = draw_sessions(
            churn, nodes=interests.node_count, until=round(seconds * SECOND), seed=seed
        )
    wait = round(settle * SECOND)
    starts = np.where(found.starts > 0, found.starts + wait, 0)
    return Sessions.from_columns(found.nodes, starts, found.ends + wait)


def draw_growth(nodes: int, settle: float, seconds: float, seed: int) -> tuple[Sessions, list[int]]:
    """Return sessions of half the nodes from the start, a tenth more every ten rounds.

    Also returns in which round each tenth comes.
    """
    order = np.random.default_rng(seed).permutation(nodes)
    starts = np.zeros(nodes, dtype=np.int64)
    rounds = [10 * step for step in range(1, 6)]
    for step, when in enumerate(rounds):
        low, high = nodes * (5 + step) // 10, nodes * (6 + step) // 10
        starts[order[low:high]] = round((settle + when) * SECOND)
    end = max(round(seconds * SECOND), int(starts.max(initial=0))) + SECOND
    return Sessions.from_columns(np.arange(nodes), starts, np.full(nodes, end)), rounds
