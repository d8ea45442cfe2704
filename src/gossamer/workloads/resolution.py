"""Resolution of a scenario: laws are drawn, and files are read.

The results are sessions, events, delays and publication rates. Tables are imported on first use.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import ChurnEvents, Interests, Latency, Scenario, Sessions
from gossamer.model.scenario import Rule
from gossamer.random_stream import stream_of
from gossamer.time import SECOND
from gossamer.workloads.churn import churn_rounds
from gossamer.workloads.notation import (
    is_path,
    parse_churn,
    parse_delay,
    parse_power_law,
    parse_rounds,
    split_crowds,
)
from gossamer.workloads.rates import power_law_rates
from gossamer.workloads.sessions import draw_sessions
from gossamer.workloads.superpeers import superpeer_sessions

if TYPE_CHECKING:
    from gossamer.tables import NamedSessions

MAX_SECONDS, MAX_SECONDS_WITH_CHURN = 120.0, 1000.0
"""Durations of scenarios that give none."""
PUBLICATION_SECONDS = 10.0
"""Seconds that the last publication has to arrive."""
DEFAULT_DELAY = "uniform:5-15ms"
"""Ours: SpiderCast assumes uniform delays, and gives none."""
Present = NDArray[np.bool_]


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


def resolve_sessions(
    scenario: Scenario, *, seconds: float | None = None
) -> tuple[Sessions | None, str]:
    """Return the sessions of a scenario, and a phrase on their origin.

    Parameters
    ----------
    scenario
        Nodes, and their presence.
    seconds
        Seconds for which sessions are drawn; the duration of the scenario if not given.
    """
    churn, interests = scenario.churn, scenario.interests
    length = seconds or resolve_duration(scenario)
    if churn is None:
        return None, ""
    if isinstance(churn, Sessions):
        return churn.scaled(scenario.time_scale), ""
    after = round((length + 1) * SECOND)  # nodes that stay do not leave at the end of the run
    if isinstance(churn, ChurnEvents):
        return churn.sessions(_present(scenario, churn), until=after), "joins and leaves"
    text, scale = os.fspath(churn), scenario.time_scale
    base, crowds = (text, ()) if Path(text).exists() else split_crowds(text)
    for crowd in crowds:
        if crowd.at >= length:
            raise ParameterError(
                f"churn is {text!r}: the flash crowd is at {crowd.at:g} s, and the run ends at "
                f"{length:g} s; expected an earlier one, or a longer run"
            )
    found: Sessions
    if is_path(base):
        from gossamer.tables import is_churn, read_sessions

        if is_churn(base):
            present, events = _read_events(base, scenario)
            found, origin = events.sessions(present, until=after), "joins and leaves"
        else:
            found, origin = match_sessions(
                base, read_sessions(base), interests, time_scale=scale,
                by_name=scenario.workload is None,
            )  # fmt: skip
    elif base.strip().lower() == "superpeer":
        found = superpeer_sessions(
            interests.node_count, seconds=length * scale, seed=scenario.seed, time_scale=scale
        )
        origin = "superpeers, drawn for each node"
    elif (rounds := parse_rounds(base)) is not None:
        present, events = churn_rounds(interests.node_count, rounds, seed=scenario.seed)
        found, origin = events.sessions(present, until=after), "one join or leave per round"
    else:
        found = draw_sessions(
            parse_churn(base), nodes=interests.node_count, until=round(length * SECOND),
            seed=scenario.seed,
        )  # fmt: skip
        origin = "drawn for each node"
    for crowd in crowds:
        found = crowd.added_to(found, nodes=interests.node_count, seed=scenario.seed)
    return found, origin


def resolve_events(scenario: Scenario) -> tuple[Present, ChurnEvents]:
    """Return the presence of each node at the start, and the joins and leaves in order.

    Events that are given, and tables of them, keep their order. Sessions become events; those
    drawn from a law end with the duration of the scenario.

    Examples
    --------
    >>> interests = Interests.from_lists({name: ["tea"] for name in "abcd"})
    >>> present, events = resolve_events(Scenario(interests, churn="rounds:12"))
    >>> int(present.sum()), len(events)
    (4, 12)
    """
    churn, count = scenario.churn, scenario.interests.node_count
    if isinstance(churn, ChurnEvents):
        return _present(scenario, churn), churn
    if isinstance(churn, str | os.PathLike):
        text = os.fspath(churn)
        rounds = parse_rounds(text)
        if rounds is not None:
            return churn_rounds(count, rounds, seed=scenario.seed)
        base, crowds = (text, ()) if Path(text).exists() else split_crowds(text)
        if is_path(base) and not crowds:
            return _read_events(text, scenario)
    sessions, _ = resolve_sessions(scenario)
    if sessions is None:
        return np.ones(count, dtype=np.bool_), ChurnEvents.from_columns([], [], [])
    until = None
    if not isinstance(churn, Sessions):
        until = round(resolve_duration(scenario) * SECOND)
    return ChurnEvents.from_sessions(sessions, count, until=until)


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


def match_sessions(
    path: str | os.PathLike[str],
    named: NamedSessions,
    interests: Interests,
    *,
    time_scale: float = 1.0,
    by_name: bool = True,
) -> tuple[Sessions, str]:
    """Assign the sessions of a table to nodes, and return a phrase on how.

    Parameters
    ----------
    path
        Table of the sessions, in error messages.
    named
        Sessions by name.
    interests
        Nodes to assign them to.
    time_scale
        Factor by which times are compressed.
    by_name
        Whether to match names; in order if not, or if no name is known.

    Raises
    ------
    ParameterError
        If only some of the nodes have sessions, or there are too few.
    """
    names = interests.node_names.tolist()
    places = {name: place for place, name in enumerate(named.names.tolist())}
    if by_name and any(name in places for name in names):
        missing = [name for name in names if name not in places]
        if missing:
            listed = ", ".join(repr(name) for name in missing[:3])
            raise ParameterError(
                f"{path}: {len(missing):,} of {len(names):,} nodes have no sessions, such as "
                f"{listed}; expected sessions of each node, or of none of these names"
            )
        return named.of([places[name] for name in names], time_scale=time_scale), "by name"
    if len(places) < len(names):
        raise ParameterError(
            f"{path}: has sessions of {len(places):,} nodes, and there are {len(names):,} nodes; "
            "expected sessions of each"
        )
    in_order = named.of(list(range(len(names))), time_scale=time_scale)
    return in_order, "in order, since names differ"


def _present(scenario: Scenario, events: ChurnEvents) -> Present:
    if scenario.present is not None:
        return scenario.present
    return events.present_at_first(scenario.interests.node_count)


def _read_events(path: str, scenario: Scenario) -> tuple[Present, ChurnEvents]:
    from gossamer.tables import read_churn_or_sessions

    present, events = read_churn_or_sessions(path, scenario.interests)
    if scenario.time_scale == 1:
        return present, events
    times = np.floor(events.times / scenario.time_scale).astype(np.int64)
    return present, ChurnEvents.from_columns(times, events.nodes, events.joins)
