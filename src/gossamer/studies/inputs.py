"""Inputs of runs: tables of the data folder, and options of protocols."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Interests, Sessions
from gossamer.tables import read_interests, read_sessions
from gossamer.workloads.presence import match_sessions

if TYPE_CHECKING:
    from gossamer.studies.schema import Parameters

MIN_TOPICS = 10


def table_path(parameters: Parameters, key: str = "table") -> Path:
    """Return the place of a table in the data folder."""
    return Path(str(parameters["_folder"])) / str(parameters[key])


def read_graph(parameters: Parameters) -> Interests:
    """Return the interests in the parameter ``table``."""
    return read_interests(table_path(parameters))


def read_trace(parameters: Parameters, interests: Interests, speed: float) -> Sessions:
    """Return the sessions in the parameter ``sessions``, with time that passes faster."""
    named = read_sessions(table_path(parameters, "sessions"))
    name = str(parameters["sessions"])
    return match_sessions(name, named, interests, time_scale=speed, by_name=False)[0]


def given_options(parameters: Parameters, names: Iterable[str]) -> dict[str, Any]:
    """Return the parameters that are options of a protocol or strategy."""
    return {name: parameters[name] for name in names if name in parameters}


def sample_active_users(parameters: Parameters, seed: int) -> Interests:
    """Return the interests of random users of a table with ten topics or more.

    Topics with a single subscriber among them are left out.
    """
    users, nodes = read_graph(parameters), int(parameters["nodes"])
    active = np.flatnonzero(users.subscription_sizes >= MIN_TOPICS)
    if len(active) < nodes:
        raise ParameterError(
            f"{parameters['table']} has {len(active):,} users with {MIN_TOPICS} topics or more; "
            f"expected {nodes:,}"
        )
    chosen = np.sort(np.random.default_rng(seed).choice(active, nodes, replace=False)).tolist()
    lists = [users.topics_of(node) for node in chosen]
    counts = np.bincount(np.concatenate(lists), minlength=users.topic_count)
    return Interests.from_lists(
        {
            users.node_names[node]: users.topic_names[topics[counts[topics] >= 2]].tolist()
            for node, topics in zip(chosen, lists, strict=True)
        }
    )
