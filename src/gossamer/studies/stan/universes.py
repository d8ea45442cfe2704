"""Universes of the StaN study: interests, sessions and publications.

The paper's two universes are not available. *correlated* is drawn, with as many subscriptions as
views of the paper's size need. *askubuntu* and *lastfm* are tables of the data folder: a random
sample of the users with ten topics or more, of the paper's size.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gossamer.model import Interests, Publications, Sessions
from gossamer.studies.inputs import read_trace, sample_active_users, table_path
from gossamer.tables import read_publications
from gossamer.time import SECOND
from gossamer.workloads import draw_sessions, generate_interests
from gossamer.workloads.sessions import ChurnLaw, ExponentialLifetimes

if TYPE_CHECKING:
    from gossamer.studies.schema import Parameters

SUBSCRIPTIONS = 39
SUBSCRIPTIONS_PER_GROUP = 10
"""Topics of a node in a drawn universe, and at most of one of the 20 groups on average."""
TRACE_SECONDS_PER_ROUND = 60
ONLINE_SECONDS, OFFLINE_SECONDS = 7200.0, 7200.0
"""Means of drawn sessions and of the times between them (ours)."""
MAX_POSTS = 20_000


def find_interests(parameters: Parameters, seed: int) -> Interests:
    """Return drawn interests, or those of some users in a table."""
    nodes = int(parameters["nodes"])
    if "table" not in parameters:
        subscriptions = int(parameters.get("subscriptions", SUBSCRIPTIONS))
        return generate_interests(
            "low-correlation", nodes=nodes, topics=400, subscriptions=subscriptions, seed=seed,
            buckets=20, buckets_per_node=math.ceil(subscriptions / SUBSCRIPTIONS_PER_GROUP),
        )  # fmt: skip
    return sample_active_users(parameters, seed)


def find_posts(parameters: Parameters, interests: Interests, seed: int) -> Publications:
    """Return the first posts of a table, with their topics."""
    path = table_path(parameters)
    found = read_publications(path, interests, only_subscribers=True, seed=seed).publications
    return found.thin(min(MAX_POSTS, len(found)))


def find_sessions(
    parameters: Parameters, interests: Interests, seconds: float, fill: float, seed: int
) -> Sessions:
    """Return drawn sessions or those of a table, with time that passes faster.

    Nodes that are online at the start stay online for the ``fill`` seconds in which views fill.
    """
    speed = TRACE_SECONDS_PER_ROUND * float(parameters["faster"])
    if "sessions" in parameters:
        found = read_trace(parameters, interests, speed)
    else:
        churn = ChurnLaw(ExponentialLifetimes(ONLINE_SECONDS / speed), OFFLINE_SECONDS / speed)
        found = draw_sessions(
            churn, nodes=interests.node_count, until=round(seconds * SECOND), seed=seed
        )
    wait = round(fill * SECOND)
    starts = np.where(found.starts > 0, found.starts + wait, 0)
    return Sessions.from_columns(found.nodes, starts, found.ends + wait)


def draw_growth(nodes: int, fill: float, seconds: float, seed: int) -> Sessions:
    """Return sessions of half the nodes from the start, and of a tenth more every ten rounds."""
    order = np.random.default_rng(seed).permutation(nodes)
    starts = np.zeros(nodes, dtype=np.int64)
    for step in range(5):
        low, high = nodes * (5 + step) // 10, nodes * (6 + step) // 10
        starts[order[low:high]] = round((fill + 10 * (step + 1)) * SECOND)
    end = max(round(seconds * SECOND), int(starts.max(initial=0))) + SECOND
    return Sessions.from_columns(np.arange(nodes), starts, np.full(nodes, end))
