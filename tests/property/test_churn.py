"""Joins and leaves: sessions as events against a slow twin, checks, and what is drawn."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InputError, ParameterError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.churn import JOIN, LEAVE, NO_TOPIC, SUBSCRIBE, UNSUBSCRIBE
from gossamer.workloads import churn_rounds, generate_interests, machine_events
from tests.strategies import dense_interests, interests, seeds

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


# -- changes of interests --------------------------------------------------------------------

TOPICS = 3
Row = tuple[int, int, int, int]
"""Time, node, kind and topic of an event."""


@st.composite
def some_rows(draw: st.DrawFn) -> list[Row]:
    kinds = st.integers(LEAVE, SUBSCRIBE)
    rows = st.tuples(st.integers(0, 6), st.integers(0, 3), kinds, st.integers(0, TOPICS))
    return [
        (time, node, kind, topic if kind >= UNSUBSCRIBE else NO_TOPIC)
        for time, node, kind, topic in draw(st.lists(rows, max_size=12))
    ]


def events_of(rows: list[Row]) -> ChurnEvents:
    return ChurnEvents.from_columns(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


@given(some_rows(), interests(max_nodes=4, max_topics=TOPICS), st.data())
def test_first_impossible_change_is_named(
    rows: list[Row], found: Interests, data: st.DataObject
) -> None:
    """A twin of sets goes through the events one by one."""
    count = found.node_count
    present = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool)
    events = events_of(rows)
    in_order = sorted(rows, key=lambda row: row[0])
    online = set(np.flatnonzero(present).tolist())
    pairs = set(zip(found.node_column.tolist(), found.node_topics.tolist(), strict=True))
    wrong = None
    for number, (time, node, kind, topic) in enumerate(in_order):
        if node >= count:
            wrong = f"expected a node of 0 to {count - 1}"
        elif kind <= JOIN:
            if (node in online) == (kind == JOIN):
                wrong = "but is present" if kind == JOIN else "but is absent"
            online ^= {node}
        elif topic >= found.topic_count:
            wrong = f"expected a topic of 0 to {found.topic_count - 1}"
        else:
            if ((node, topic) in pairs) == (kind == SUBSCRIBE):
                wrong = "which it has already" if kind == SUBSCRIBE else "which it does not have"
            pairs ^= {(node, topic)}
        if wrong:
            with pytest.raises(InputError, match=wrong) as raised:
                events.check(present, interests=found)
            assert str(raised.value).startswith(f"event {number + 1}, at {time} µs: node ")
            return
    events.check(present, interests=found)
    after = events.interests_after(found)
    changed = zip(after.node_column.tolist(), after.node_topics.tolist(), strict=True)
    assert set(changed) == pairs
    assert set(np.flatnonzero(events.present_after(present, len(events)))) == online
    half = len(rows) // 2
    later = ChurnEvents.from_columns(
        events.times[half:], events.nodes[half:], events.kinds[half:], events.topics[half:]
    )
    middle = events.interests_after(found, half)
    later.check(events.present_after(present, half), interests=middle)
    assert later.interests_after(middle) == after
    assert rows_of(events.interest_changes) == rows_of(
        events_of([row for row in in_order if row[2] >= UNSUBSCRIBE])
    )


@given(some_sessions(), st.integers(1, 9))
def test_changes_of_interests_do_not_affect_presence(sessions: Sessions, until: int) -> None:
    present, events = ChurnEvents.from_sessions(sessions, NODES)
    changes = ChurnEvents.from_columns([0, 2, 9], [0, 1, 0], ["subscribe"] * 3, [0, 0, 1])
    mixed = ChurnEvents.from_columns(
        *(np.concatenate((getattr(changes, name), getattr(events, name)))
          for name in ("times", "nodes", "kinds", "topics"))
    )  # fmt: skip
    mixed.check(present)
    assert mixed.present_at_first(NODES).tolist() == events.present_at_first(NODES).tolist()
    found, expected = (one.sessions(present, until=until) for one in (mixed, events))
    assert found.starts.tolist() == expected.starts.tolist()
    assert found.ends.tolist() == expected.ends.tolist()
    assert mixed.summary()["subscribes"] == 3
    assert "subscribes" not in events.summary()


def test_kinds_are_words_truth_values_or_codes() -> None:
    words = ChurnEvents.from_columns(
        [1, 2, 3], [0, 0, 0], ["leave", "subscribe", "join"], [-1, 0, -1]
    )
    codes = ChurnEvents.from_columns([1, 2, 3], [0, 0, 0], [LEAVE, SUBSCRIBE, JOIN], [-1, 0, -1])
    assert words.kinds.tolist() == codes.kinds.tolist()
    assert words.leaves.tolist() == [True, False, False]
    with pytest.raises(InputError, match="event 2 is 'arrive'; expected one of leave, join, unsub"):
        ChurnEvents.from_columns([1, 2], [0, 0], ["leave", "arrive"])
    with pytest.raises(InputError, match="event 1 is 4; expected one of leave"):
        ChurnEvents.from_columns([1], [0], [4])
    with pytest.raises(InputError, match="event 1, subscribe, has topic -1; expected a topic"):
        ChurnEvents.from_columns([1], [0], ["subscribe"])
    with pytest.raises(InputError, match="event 1, join, has topic 3; expected no topic"):
        ChurnEvents.from_columns([1], [0], ["join"], [3])


@given(dense_interests(), st.integers(0, 60), st.floats(0, 1), st.floats(0, 1), seeds)
def test_rounds_with_changes_of_interests(
    found: Interests, rounds: int, share: float, changes: float, seed: int
) -> None:
    arguments = {"seed": seed, "present": share, "interest_changes": changes}
    present, events = churn_rounds(found, rounds, **arguments)  # type: ignore[arg-type]
    assert len(events) == rounds
    assert events.times.tolist() == [1_000_000 * (number + 1) for number in range(rounds)]
    events.check(present, interests=found)
    for number, (node, kind) in enumerate(
        zip(events.nodes.tolist(), events.kinds.tolist(), strict=True)
    ):
        if kind >= UNSUBSCRIBE:
            assert events.present_after(present, number)[node], "an absent node is not drawn"
    before = (found.subscription_sizes > 0).sum()
    assert (events.interests_after(found).subscription_sizes > 0).sum() >= before
    again = churn_rounds(found, rounds, **arguments)[1]  # type: ignore[arg-type]
    assert again.topics.tolist() == events.topics.tolist()
    fewer = churn_rounds(found, rounds // 2, **arguments)[1]  # type: ignore[arg-type]
    assert fewer.topics.tolist() == events.topics.tolist()[: rounds // 2]
    plain = churn_rounds(found, rounds, seed=seed, present=share)
    assert rows_of(plain[1]) == rows_of(
        churn_rounds(found.node_count, rounds, seed=seed, present=share)[1]
    )


def test_drawn_changes_preserve_popularity_and_sizes() -> None:
    found = generate_interests("rss", nodes=400, topics=40, subscriptions=6, seed=1)
    _, events = churn_rounds(found, 20_000, seed=2, interest_changes=0.8)
    share = len(events.interest_changes) / 20_000
    assert abs(share - 0.8) < 0.02
    changed = events.interest_changes
    assert abs((changed.kinds == SUBSCRIBE).mean() - 0.5) < 0.02
    after = events.interests_after(found)
    assert abs(after.subscription_sizes - found.subscription_sizes).max() <= 1
    ours = after.popularity / after.subscription_count
    theirs = found.popularity / found.subscription_count
    assert abs(ours - theirs).max() < 0.02
    assert np.corrcoef(after.popularity, found.popularity)[0, 1] > 0.95
    # Nearly every subscription has changed.
    kept = found.are_subscribed(after.node_column, after.node_topics).mean()
    assert kept < 0.5


def test_changes_that_cannot_be_drawn() -> None:
    with pytest.raises(ParameterError, match="need the interests of the nodes, and not their num"):
        churn_rounds(5, 3, interest_changes=0.5)
    with pytest.raises(ParameterError, match="interest_changes is 2; expected a share, 0 to 1"):
        churn_rounds(5, 3, interest_changes=2)
    alike = Interests.from_lists({node: ["tea"] for node in range(5)})
    with pytest.raises(ParameterError, match="interests of 1 topics cannot change; expected 2"):
        churn_rounds(alike, 3, interest_changes=0.5)
