"""The network of a scenario: delays and fault rules, in the order in which they apply."""

from __future__ import annotations

from gossamer.model import Latency, Scenario
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
from gossamer.workloads.notation import parse_partitions
from gossamer.workloads.resolution import resolve_latency


def network_rules(scenario: Scenario) -> list[Rule]:
    """Return the delay of a scenario, then loss, duplication, reordering, partitions and faults."""
    latency = resolve_latency(scenario)
    if isinstance(latency, tuple):
        rules: list[Rule] = [Delay(*latency)]
    else:
        rules = [SiteDelay(latency) if isinstance(latency, Latency) else latency]
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
