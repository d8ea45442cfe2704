"""Joins and leaves: sessions as events against a slow twin, checks, and what is drawn."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InputError, ParameterError
from gossamer.model import ChurnEvents, Sessions
from gossamer.workloads import churn_rounds, machine_events
from tests.strategies import seeds

NODES = 5
Event = tuple[int, int, bool]


@st.composite
def some_sessions(draw: st.DrawFn) -> Sessions:
    """Sessions of a few nodes, among small times, so that much happens at once."""
    rows = []
    for node in range(NODES):
        cuts = sorted(draw(st.sets(st.integers(0, 8), max_size=6)))
        pairs = list(pairwise(cuts))
        rows += [(node, start, end) for start, end in pairs if draw(st.booleans())]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Sessions.from_columns(columns[:, 0], columns[:, 1], columns[:, 2])


def rows_of(events: ChurnEvents) -> list[Event]:
    return list(
        zip(events.times.tolist(), events.nodes.tolist(), events.joins.tolist(), strict=True)
    )


def there(sessions: Sessions, node: int, time: int) -> bool:
    rows = zip(
        sessions.nodes.tolist(), sessions.starts.tolist(), sessions.ends.tolist(), strict=True
    )
    return any(who == node and start <= time < end for who, start, end in rows)


def naive_events(sessions: Sessions, until: int) -> list[Event]:
    """Look at every node at every time."""
    found: list[Event] = []
    for time in range(1, until):
        for joining in (False, True):
            for node in range(NODES):
                now, before = there(sessions, node, time), there(sessions, node, time - 1)
                if now != before and now == joining:
                    found.append((time, node, joining))
    return found


@given(some_sessions(), st.none() | st.integers(0, 9))
def test_sessions_as_events(sessions: Sessions, until: int | None) -> None:
    present, events = ChurnEvents.from_sessions(sessions, NODES, until=until)
    assert present.tolist() == [there(sessions, node, 0) for node in range(NODES)]
    assert rows_of(events) == naive_events(sessions, 10 if until is None else until)
    events.check(present)


@given(some_sessions(), st.integers(0, 9))
def test_events_as_sessions(sessions: Sessions, until: int) -> None:
    present, events = ChurnEvents.from_sessions(sessions, NODES)
    found = events.sessions(present, until=until)
    for node in range(NODES):
        for time in range(10):
            expected = there(sessions, node, time) and time < until
            assert there(found, node, time) == expected


def test_sessions_of_unknown_nodes_are_rejected() -> None:
    sessions = Sessions.from_columns([4], [0], [1])
    with pytest.raises(InputError, match="names node 4; expected 0 to 3"):
        ChurnEvents.from_sessions(sessions, 4)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans()), max_size=10),
    st.lists(st.booleans(), min_size=3, max_size=4),
)
def test_first_impossible_event_is_named(rows: list[Event], present: list[bool]) -> None:
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    events = ChurnEvents.from_columns(columns[:, 0], columns[:, 1], columns[:, 2])
    assert rows_of(events) == sorted(rows, key=lambda row: row[0])
    now = list(present)
    wrong = None
    for number, (_, node, joining) in enumerate(rows_of(events), start=1):
        if node >= len(now):
            wrong = f"event {number}, .* expected a node of 0 to {len(now) - 1}"
        elif now[node] == joining:
            wrong = f"event {number}, .*node 'n{node}' {'joins' if joining else 'leaves'}, but is "
            wrong += "present" if joining else "absent"
        if wrong:
            break
        now[node] = joining
    names = [f"n{node}" for node in range(len(present))]
    if wrong is None:
        events.check(np.array(present), names)
        return
    with pytest.raises(InputError) as raised:
        events.check(np.array(present), names)
    assert re.match(wrong, str(raised.value))


def test_malformed_columns_are_rejected() -> None:
    with pytest.raises(InputError, match="1 times, 2 nodes, 1 kinds"):
        ChurnEvents.from_columns([1], [1, 2], [True])
    with pytest.raises(InputError, match="event 2 has time -1; expected 0 or more"):
        ChurnEvents.from_columns([0, -1], [1, 2], [True, True])
    with pytest.raises(InputError, match="event 1 has node -1; expected 0 or more"):
        ChurnEvents.from_columns([0], [-1], [True])


@given(st.integers(3, 12), st.integers(0, 40), st.floats(0, 1), st.floats(0, 1), seeds)
def test_rounds(nodes: int, rounds: int, share: float, join: float, seed: int) -> None:
    present, events = churn_rounds(nodes, rounds, seed=seed, present=share, join=join)
    assert present.sum() == max(2, round(share * nodes))
    assert len(events) == rounds
    assert events.times.tolist() == [1_000_000 * (number + 1) for number in range(rounds)]
    events.check(present)
    now = present.sum() + np.cumsum(np.where(events.joins, 1, -1))
    assert now.min(initial=2) >= 2
    assert now.max(initial=0) <= nodes
    again = churn_rounds(nodes, rounds, seed=seed, present=share, join=join)[1]
    assert rows_of(again) == rows_of(events)
    fewer = churn_rounds(nodes, rounds // 2, seed=seed, present=share, join=join)[1]
    assert rows_of(fewer) == rows_of(events)[: rounds // 2]


def test_rounds_are_as_likely_joins_as_leaves() -> None:
    present, events = churn_rounds(1000, 10_000, seed=1, present=0.5)
    assert abs(events.joins.mean() - 0.5) < 0.02
    assert present.sum() == 500
    assert len(set(events.nodes.tolist())) > 990


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"nodes": 2}, "2 nodes; expected 3 or more"),
        ({"rounds": -1}, "-1 rounds; expected 0"),
        ({"present": 1.5}, "present is 1.5; expected a share"),
        ({"join": -0.1}, "join is -0.1; expected a share"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_rounds_that_cannot_be(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        churn_rounds(**{"nodes": 5, "rounds": 3, **wrong})  # type: ignore[arg-type]


def test_machines() -> None:
    sessions = machine_events(2000, seed=1)
    until = 29 * 86_400_000_000
    present, events = ChurnEvents.from_sessions(sessions, 2000, until=until)
    assert present.all()
    events.check(present)
    leaves = int((~events.joins).sum())
    assert 0.6 < leaves / 2000 < 0.8
    assert events.times.max() < until
    follows = sessions.nodes[1:] == sessions.nodes[:-1]
    minutes = (sessions.starts[1:] - sessions.ends[:-1])[follows] / 60e6
    assert 20 < np.median(minutes) < 40
    alone = machine_events(1, seed=1)
    assert alone.ends.tolist() == sessions.ends[sessions.nodes == 0].tolist()


@pytest.mark.parametrize("what", ["machines", "days", "removals", "downtime"])
def test_machines_that_cannot_be(what: str) -> None:
    with pytest.raises(ParameterError, match=rf"{what}.*expected|0 machines; expected"):
        machine_events(**{what: 0})
