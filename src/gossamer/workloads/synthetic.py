"""Synthetic interests in one call: a kind, numbers and a seed.

This gives the whole table on one machine. For some nodes only, build the pattern
(``find_kind(name)(topics, sizes)``) and ask it; the rows are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gossamer.definitions import blame, is_own
from gossamer.errors import InputError, ParameterError
from gossamer.model import Interests, WorkloadSpec
from gossamer.model.interests import MAX_IDS
from gossamer.workloads.pattern import checked_count
from gossamer.workloads.registry import resolve_kind
from gossamer.workloads.sizes import FixedSize, Sizes, parse_sizes


def generate_interests(
    kind: str,
    *,
    nodes: int,
    topics: int,
    subscriptions: int | str | tuple[int, int] | Sizes,
    exponent: float | None = None,
    seed: int = 0,
    **options: Any,
) -> Interests:
    """Generate interests of a named kind.

    Nodes and topics are named by integers from 0, those without a subscription included. For N
    nodes with S subscriptions among T topics: O(S log S + T) time, O(S + N + T) memory.

    Parameters
    ----------
    kind
        Name of a kind, with options or without, as in ``zipf:alpha=0.8``; see
        :func:`gossamer.workloads.kinds`.
    nodes, topics
        Numbers of nodes and topics.
    subscriptions
        Number of topics of a node: an integer, a range such as ``(10, 30)`` or ``"10-30"``, whose
        ends are included, or sizes.
    exponent
        Exponent of the power law of the number of topics in such a range (default: uniform).
    seed
        Seed of the random number generator, 0 to 2^64 - 1. The topics of a node depend on it, the
        node, and the parameters other than the number of nodes.
    **options
        Options of the kind, as in ``alpha=0.8``.

    Examples
    --------
    >>> generate_interests("rss", nodes=1000, topics=100, subscriptions=10, seed=1)
    Interests(1000 nodes, 100 topics, 10000 subscriptions)
    """
    node_count, topic_count = checked_count("nodes", nodes), checked_count("topics", topics)
    if isinstance(subscriptions, tuple):
        subscriptions = "-".join(map(str, subscriptions))
    if isinstance(subscriptions, str):
        sizes = parse_sizes(subscriptions, exponent=exponent)
    elif exponent is not None:
        raise ParameterError(
            f"subscriptions is {subscriptions!r} with an exponent, that of the number of topics of "
            "a node; expected a range such as '10-90'"
        )
    elif isinstance(subscriptions, int | np.integer):
        sizes = FixedSize(int(subscriptions))
    elif hasattr(subscriptions, "log_weights"):
        sizes = subscriptions
    else:
        raise ParameterError(
            f"subscriptions is {subscriptions!r}; expected a whole number such as 10, or a range "
            "such as (10, 30) or '10-30'"
        )
    found, chosen = resolve_kind(kind, options)
    pattern = found(topic_count, sizes, **chosen)
    if node_count * sizes.minimum > MAX_IDS:
        raise ParameterError(
            f"{node_count} nodes with {sizes.minimum} subscriptions or more each; at most "
            f"{MAX_IDS} subscriptions fit in one table"
        )
    node_column, topic_column = pattern.subscriptions_of(
        np.arange(node_count, dtype=np.int64), seed=seed
    )
    try:
        return Interests.from_ids(
            node_column, topic_column, node_names=node_count, topic_names=topic_count
        )
    except InputError as fault:
        if is_own(found.build):
            raise
        blame(found.build, f"subscriptions_of returned other ids than it may: {fault}")


def generate_workload(spec: WorkloadSpec) -> Interests:
    """Generate the interests of a description.

    Raises
    ------
    ParameterError
        If no node subscribes to a topic.

    Examples
    --------
    >>> from gossamer.model import WorkloadSpec
    >>> generate_workload(WorkloadSpec("rss", nodes=50, topics=9, subscriptions="3", seed=1))
    Interests(50 nodes, 9 topics, 150 subscriptions)
    """
    interests = generate_interests(
        spec.kind,
        nodes=spec.nodes,
        topics=spec.topics,
        subscriptions=spec.subscriptions,
        exponent=spec.exponent,
        seed=spec.seed,
        **spec.options,
    )
    if not interests.subscription_count:
        raise ParameterError(
            f"no node has a topic with {spec.nodes} nodes and {spec.subscriptions} subscriptions; "
            "expected 1 or more of both"
        )
    return interests


def interest_drawer(spec: WorkloadSpec) -> Callable[[int, int], tuple[int, ...]]:
    """Return a function that draws the topics of (node, incarnation), as of another node."""
    sizes = parse_sizes(spec.subscriptions, exponent=spec.exponent)
    found, chosen = resolve_kind(spec.kind, spec.options)
    pattern = found(spec.topics, sizes, **chosen)

    def draw(node: int, incarnation: int) -> tuple[int, ...]:
        _, topics = pattern.subscriptions_of([node + incarnation * spec.nodes], seed=spec.seed)
        return tuple(sorted(topics.tolist()))

    return draw
