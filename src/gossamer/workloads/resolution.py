"""Resolution of the duration, delays and publication rates of a scenario; files are read.

Tables are imported on first use.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import Latency, Scenario
from gossamer.model.scenario import Rule
from gossamer.random_stream import stream_of
from gossamer.time import SECOND
from gossamer.workloads.notation import is_path, parse_delay, parse_power_law
from gossamer.workloads.rates import power_law_rates

MAX_SECONDS, MAX_SECONDS_WITH_CHURN = 120.0, 1000.0
"""Durations of scenarios that give none."""
PUBLICATION_SECONDS = 10.0
"""Seconds that the last publication has to arrive."""
DEFAULT_DELAY = "uniform:5-15ms"
"""Ours: SpiderCast assumes uniform delays, and gives none."""


def resolve_duration(scenario: Scenario) -> float:
    """Return the simulated seconds.

    If not given: 120, or 1000 with churn, and at least 10 after the last publication.
    """
    if scenario.duration is not None:
        return scenario.duration
    seconds = MAX_SECONDS if scenario.churn is None else MAX_SECONDS_WITH_CHURN
    if scenario.publications is None:
        return seconds
    last = int(scenario.publications.times.max(initial=0)) / SECOND
    return max(seconds, last + PUBLICATION_SECONDS)


def resolve_latency(scenario: Scenario) -> tuple[int, int] | Latency | Rule:
    """Return a range of delays in microseconds, delays between sites, or a rule.

    Nodes are assigned to the sites of a file at random.
    """
    latency = DEFAULT_DELAY if scenario.latency is None else scenario.latency
    if not isinstance(latency, str | os.PathLike):
        return latency
    text = os.fspath(latency)
    delay = parse_delay(text)
    if delay is not None:
        return delay
    if not is_path(text):
        raise ParameterError(
            f"latency is {text!r}; expected a range as in uniform:5-15ms, or a file of round-trip "
            "times in milliseconds, one row per site"
        )
    from gossamer.tables import read_latency

    matrix, random = read_latency(text), stream_of(scenario.seed, "sites")
    sites = [random.randbelow(len(matrix)) for _ in range(scenario.interests.node_count)]
    return Latency.from_matrix(matrix, sites)


def resolve_rates(scenario: Scenario) -> tuple[NDArray[np.float64] | None, str]:
    """Return the publication rate of each topic, and a phrase on their origin."""
    rates = scenario.rates
    if rates is None or not isinstance(rates, str | os.PathLike):
        return None if rates is None else np.asarray(rates, dtype=np.float64), ""
    text = os.fspath(rates)
    exponent = parse_power_law(text)
    if exponent is not None:
        return power_law_rates(scenario.interests.topic_count, exponent), text
    if not text.strip() or not (is_path(text) or Path(text).suffix):
        raise ParameterError(f"rates is {text!r}; expected power-law:1.2, or a table of rates")
    from gossamer.tables import read_rates

    found, unknown = read_rates(text, scenario.interests)
    silent = int((found == 0).sum())
    origin = f"of {len(found) - silent:,} topics; {silent:,} others have no publications"
    if unknown:
        some = ", ".join(unknown[:3]) + (", …" if len(unknown) > 3 else "")
        origin += f"; {len(unknown):,} in the table have no subscribers ({some})"
    return found, origin
