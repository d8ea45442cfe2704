"""The network of a scenario: delays and fault rules, in the order in which they apply."""

from __future__ import annotations

import os

from gossamer.model import Latency, ParameterError, Scenario
from gossamer.random_stream import stream_of
from gossamer.sim.rules import (
    Delay,
    Duplication,
    Loss,
    Reordering,
    Rule,
    Separation,
    SiteDelay,
)
from gossamer.tables import read_latency
from gossamer.workloads.notation import is_path, parse_delay, parse_partitions

__all__ = ["DEFAULT_DELAY", "network_rules", "resolve_latency"]

DEFAULT_DELAY = Delay(5_000, 15_000)
"""Ours: SpiderCast assumes uniform delays, and gives none."""


def network_rules(scenario: Scenario) -> list[Rule]:
    """Return the delay of a scenario, then loss, duplication, reordering, partitions and faults."""
    rules = [resolve_latency(scenario)]
    if scenario.loss:
        rules.append(Loss(scenario.loss))
    if scenario.duplicate:
        rules.append(Duplication(scenario.duplicate))
    if scenario.reorder:
        rules.append(Reordering(scenario.reorder))
    count = scenario.interests.node_count
    for number, one in enumerate(parse_partitions(scenario.partition or "")):
        random = stream_of(scenario.seed, "partition", number)
        side = frozenset(random.sample(range(count), round(one.share * count)))
        rules.append(Separation(side.__contains__, one.start, one.end))
    return [*rules, *scenario.faults]


def resolve_latency(scenario: Scenario) -> Rule:
    """Return the delay rule of a scenario; a file of delays gets nodes at random sites."""
    latency = scenario.latency
    if latency is None:
        return DEFAULT_DELAY
    if isinstance(latency, Latency):
        return SiteDelay(latency)
    if not isinstance(latency, str | os.PathLike):
        return latency
    text = os.fspath(latency)
    delay = parse_delay(text)
    if delay is not None:
        return Delay(*delay)
    if not is_path(text):
        raise ParameterError(
            f"latency is {text!r}; expected a range as in uniform:5-15ms, or a file of round-trip "
            "times in milliseconds, one row per site"
        )
    matrix, random = read_latency(text), stream_of(scenario.seed, "sites")
    sites = [random.randbelow(len(matrix)) for _ in range(scenario.interests.node_count)]
    return SiteDelay(Latency.from_matrix(matrix, sites))
