"""Presence of the nodes of a scenario, and changes of their interests: laws are drawn, files read.

The results are sessions or events. Tables are imported on first use.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import ChurnEvents, Interests, Scenario, Sessions
from gossamer.model.interests import freeze
from gossamer.time import SECOND
from gossamer.workloads.churn import churn_rounds
from gossamer.workloads.notation import is_path, parse_churn, parse_rounds, split_crowds
from gossamer.workloads.resolution import resolve_duration
from gossamer.workloads.sessions import draw_sessions
from gossamer.workloads.superpeers import superpeer_sessions

if TYPE_CHECKING:
    from gossamer.tables import NamedSessions

Present = NDArray[np.bool_]


def with_events(scenario: Scenario) -> Scenario:
    """Return the scenario with a table of churn read: its events in place of the table.

    Topics that only the table has are added to the interests; publications and rates follow.
    Other scenarios are returned as they are.
    """
    churn = scenario.churn
    if not isinstance(churn, str | os.PathLike):
        return scenario
    text = os.fspath(churn)
    base, crowds = (text, ()) if Path(text).exists() else split_crowds(text)
    if crowds or not is_path(base):
        return scenario
    from gossamer.tables import is_churn

    if not is_churn(base):
        return scenario
    interests, present, events = _read_events(base, scenario)
    changed: dict[str, Any] = {}
    if interests is not scenario.interests:
        changed = _over_topics(scenario, interests) | {"interests": interests, "workload": None}
    return replace(scenario, churn=events, present=present, time_scale=1.0, **changed)


def resolve_events(scenario: Scenario) -> tuple[Interests, Present, ChurnEvents]:
    """Return the interests and presence at the start, and the events in order.

    Events that are given, and tables of them, keep their order. Sessions become events; those
    drawn from a law end with the duration of the scenario. Topics that only a table of churn has
    are added to the interests.

    Examples
    --------
    >>> interests = Interests.from_lists({name: ["tea"] for name in "abcd"})
    >>> _, present, events = resolve_events(Scenario(interests, churn="rounds:12"))
    >>> int(present.sum()), len(events)
    (4, 12)
    """
    scenario = with_events(scenario)
    churn, interests = scenario.churn, scenario.interests
    count = interests.node_count
    if isinstance(churn, ChurnEvents):
        return interests, _present(scenario, churn), churn
    if isinstance(churn, str | os.PathLike):
        text = os.fspath(churn)
        rounds = parse_rounds(text)
        if rounds is not None:
            return interests, *churn_rounds(count, rounds, seed=scenario.seed)
        base, crowds = (text, ()) if Path(text).exists() else split_crowds(text)
        if is_path(base) and not crowds:
            return _read_events(text, scenario)
    sessions, _ = resolve_sessions(scenario)
    if sessions is None:
        return interests, np.ones(count, dtype=np.bool_), ChurnEvents.from_columns([], [], [])
    until = None
    if not isinstance(churn, Sessions):
        until = round(resolve_duration(scenario) * SECOND)
    return interests, *ChurnEvents.from_sessions(sessions, count, until=until)


def resolve_sessions(
    scenario: Scenario, *, seconds: float | None = None, interest_changes: bool = False
) -> tuple[Sessions | None, str]:
    """Return the sessions of a scenario, and a phrase on their origin.

    Parameters
    ----------
    scenario
        Nodes, and their presence.
    seconds
        Seconds for which sessions are drawn; the duration of the scenario if not given.
    interest_changes
        Whether the caller carries out changes of interests; they are refused if not.
    """
    churn, interests = scenario.churn, scenario.interests
    length = seconds or resolve_duration(scenario)
    if churn is None:
        return None, ""
    if isinstance(churn, Sessions):
        return churn.scaled(scenario.time_scale), ""
    after = round((length + 1) * SECOND)  # nodes that stay do not leave at the end of the run
    if isinstance(churn, ChurnEvents):
        if not interest_changes:
            _refuse_changes(churn)
        churn.check(_present(scenario, churn), interests=interests)
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
            _, present, events = _read_events(base, scenario)
            _refuse_changes(events)
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
    names = [str(name) for name in interests.node_names.tolist()]  # 7 and "7" are one name
    places = {str(name): place for place, name in enumerate(named.names.tolist())}
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


def _read_events(path: str, scenario: Scenario) -> tuple[Interests, Present, ChurnEvents]:
    from gossamer.tables import read_churn_or_sessions

    interests, present, events = read_churn_or_sessions(path, scenario.interests)
    if scenario.time_scale == 1:
        return interests, present, events
    times = np.floor(events.times / scenario.time_scale).astype(np.int64)
    scaled = ChurnEvents.from_columns(times, events.nodes, events.kinds, events.topics)
    return interests, present, scaled


def _over_topics(scenario: Scenario, interests: Interests) -> dict[str, Any]:
    """Return the fields of a scenario that refer to topics, by the ids of other interests."""
    from gossamer.tables.names import find_ids

    ids = find_ids(scenario.interests.topic_names, interests.topic_names)
    fields: dict[str, Any] = {}
    if scenario.publications is not None:
        topics = ids[scenario.publications.topics]
        fields["publications"] = replace(scenario.publications, topics=freeze(topics))
    if scenario.rates is not None and not isinstance(scenario.rates, str | os.PathLike):
        rates = np.zeros(interests.topic_count)
        rates[ids] = scenario.rates
        fields["rates"] = rates
    return fields


def _refuse_changes(events: ChurnEvents) -> None:
    """Raise if interests change."""
    count = len(events.interest_changes)
    if count:
        raise ParameterError(
            f"the churn changes interests {count:,} times (subscribe, unsubscribe), which only "
            "gossamer maintain, and gossamer simulate with the event-driven engine, carry out; "
            "expected joins and leaves alone"
        )
