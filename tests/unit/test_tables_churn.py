"""Tables of churn: written, read, and refused; and sessions in their place."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import ParameterError, TableError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.churn import KINDS
from gossamer.tables import (
    CHURN,
    SESSIONS,
    read_churn,
    read_churn_or_sessions,
    write_churn,
    write_machine_events,
    write_table,
)
from gossamer.workloads import churn_rounds

PEOPLE = Interests.from_lists({name: ["tea"] for name in ("ann", "bob", "cy", "dee")})
TEXT = "time,node,event\n20,bob,join\n10,ann,leave\n20,ann,join\n"


def named(path: Path) -> list[tuple[int, str, bool]]:
    found = read_churn(path)
    events = found.events
    names = [str(found.names[node]) for node in events.nodes]
    return list(zip(events.times.tolist(), names, events.joins.tolist(), strict=True))


def test_text_rows_are_sorted_by_time(tmp_path: Path) -> None:
    path = tmp_path / "churn.csv"
    path.write_text(TEXT)
    expected = [(10, "ann", False), (20, "bob", True), (20, "ann", True)]
    assert named(path) == expected
    (tmp_path / "x.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert named(tmp_path / "x.gz") == expected
    path.write_text("event,node,time_s\nleave,ann,0.00001\njoin,bob,2e1\n".replace("2e1", "0.5"))
    assert named(path) == [(10, "ann", False), (500_000, "bob", True)]
    _, present, events = read_churn_or_sessions(path, PEOPLE)
    assert present.tolist() == [True, False, True, True]
    assert events.nodes.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.tsv.gz"])
def test_written_churn_is_read_back(tmp_path: Path, name: str) -> None:
    people = Interests.from_lists({f"n{v}": ["tea"] for v in range(10, 30)})
    present, events = churn_rounds(20, 12, seed=4, present=0.4)
    write_churn(tmp_path / name, people.node_names, events, present)
    first = (tmp_path / name).read_bytes()
    _, back, same = read_churn_or_sessions(tmp_path / name, people)
    assert back.tolist() == present.tolist()
    assert same.nodes.tolist() == events.nodes.tolist()
    assert same.times.tolist() == events.times.tolist()
    assert same.joins.tolist() == events.joins.tolist()
    write_churn(tmp_path / name, people.node_names, events, present)
    assert (tmp_path / name).read_bytes() == first


def test_empty_churn_and_numeric_names(tmp_path: Path) -> None:
    numbers = Interests.from_ids([0, 1, 2], [0, 0, 0], node_names=3, topic_names=1)
    none = ChurnEvents.from_columns([], [], [])
    for name in ("x.parquet", "x.csv"):
        write_churn(tmp_path / name, numbers.node_names, none)
        _, present, events = read_churn_or_sessions(tmp_path / name, numbers)
        assert present.all()
        assert len(events) == 0
    (tmp_path / "y.csv").write_text("time,node,event\n5,2,leave\n")
    assert read_churn_or_sessions(tmp_path / "y.csv", numbers)[2].nodes.tolist() == [2]


def test_churn_in_folders_of_tables_and_parts(tmp_path: Path) -> None:
    parts = tmp_path / "tables" / "churn"
    parts.mkdir(parents=True)
    for number, node in enumerate(("ann", "bob")):
        table = CHURN.table([7 - number], pa.array([node]), ["leave"])
        write_table(parts / f"part-{number}.parquet", table)
    for place in (parts, tmp_path / "tables"):
        assert read_churn_or_sessions(place, PEOPLE)[2].nodes.tolist() == [1, 0]


def test_sessions_are_read_as_events(tmp_path: Path) -> None:
    path = tmp_path / "sessions.parquet"
    names = pa.array(["bob", "ann", "bob"])
    write_table(path, SESSIONS.table(names, [0, 2, 5], [3, 9, 9]))
    _, present, events = read_churn_or_sessions(path, PEOPLE)
    assert present.tolist() == [False, True, False, False]
    assert events.times.tolist() == [2, 3, 5]  # at 9 the trace ends
    assert events.joins.tolist() == [True, False, True]
    write_table(path, SESSIONS.table(pa.array(["eve"]), [0], [3]))
    with pytest.raises(TableError, match=r"sessions.parquet: the node 'eve' is not one of the 4"):
        read_churn_or_sessions(path, PEOPLE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,node\n1,ann\n", "is no table of churn or sessions; expected the columns time, node"),
        ("when,node,event\n1,ann,join\n", "is not a table of churn; expected the columns time"),
        (TEXT + "30,cy,arrive\n", "line 5: the event is 'arrive'; expected join or leave"),
        (TEXT + "soon,cy,leave\n", "line 5: the time is 'soon'; expected a number, 0 or more"),
        (TEXT + "-1,cy,leave\n", "line 5: the time is '-1'; expected"),
        (TEXT + "9,eve,leave\n", "the node 'eve' is not one of the 4 nodes"),
        (TEXT + "30,ann,join\n", "event 4, at 30 µs: node 'ann' joins, but is present"),
        (
            "time,node,event\n1,cy,leave\n2,cy,leave\n",
            "event 2, at 2 µs: node 'cy' leaves, but is absent; expected a present node",
        ),
        (TEXT + "0,cy,away\n5,cy,leave\n", "event 1, at 5 µs: node 'cy' leaves, but is absent"),
        (TEXT + "30,ann,away\n", "the event 'away' of 'ann' follows another"),
    ],
)
def test_malformed_churn_is_rejected(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "churn.csv"
    path.write_text(text)
    with pytest.raises(TableError) as raised:
        read_churn_or_sessions(path, PEOPLE)
    assert str(raised.value).startswith(str(path))
    assert says in str(raised.value)


# -- changes of interests --------------------------------------------------------------------

CHANGES = (
    "node,event,topic,time_s\nann,subscribe,jazz,2\nbob,join,,3\nbob,unsubscribe,tea,1\n"
    "cy,subscribe,jazz,4\ncy,unsubscribe,jazz,5\ndee,away,,0\n"
)


def test_changes_of_interests_are_read(tmp_path: Path) -> None:
    path = tmp_path / "churn.csv"
    path.write_text(CHANGES)
    named = read_churn(path)
    assert named.topic_names.tolist() == ["jazz", "tea"]
    interests, present, events = read_churn_or_sessions(path, PEOPLE)
    assert interests.topic_names.tolist() == ["jazz", "tea"], "no node has jazz at the start"
    assert interests.popularity.tolist() == [0, 4]
    # An absent node changes its interests before it joins.
    assert present.tolist() == [True, False, True, False]
    assert events.nodes.tolist() == [1, 0, 1, 2, 2]
    assert [KINDS[kind] for kind in events.kinds.tolist()] == [
        "unsubscribe", "subscribe", "join", "subscribe", "unsubscribe",
    ]  # fmt: skip
    assert events.topics.tolist() == [1, 0, -1, 0, 0]
    after = events.interests_after(interests)
    assert after == Interests.from_lists(
        {"ann": ["tea", "jazz"], "bob": [], "cy": ["tea"], "dee": ["tea"]}
    )
    same, *_ = named.of(PEOPLE)
    assert same == interests


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.tsv.gz"])
def test_written_changes_of_interests_are_read_back(tmp_path: Path, name: str) -> None:
    people = Interests.from_lists({f"n{v}": [f"t{v % 5}", "all"] for v in range(10, 30)})
    present, events = churn_rounds(people, 40, seed=4, present=0.4, interest_changes=0.6)
    path = tmp_path / name
    write_churn(path, people.node_names, events, present, topic_names=people.topic_names)
    first = path.read_bytes()
    interests, back, same = read_churn_or_sessions(path, people)
    assert interests is people
    assert back.tolist() == present.tolist()
    for column in ("times", "nodes", "kinds", "topics"):
        assert getattr(same, column).tolist() == getattr(events, column).tolist()
    write_churn(path, people.node_names, events, present, topic_names=people.topic_names)
    assert path.read_bytes() == first
    assert events.to_arrow(interests=people).column_names == ["time", "node", "event", "topic"]
    with pytest.raises(ParameterError, match="expected the names of the topics too"):
        write_churn(path, people.node_names, events, present)


def test_names_of_topics_are_compared_as_text(tmp_path: Path) -> None:
    numbers = Interests.from_lists({0: [10, 7], 1: [7]})
    path = tmp_path / "churn.csv"
    path.write_text("time,node,event,topic\n1,1,subscribe,10\n2,1,subscribe,9\n")
    interests, _, events = read_churn_or_sessions(path, numbers)
    assert interests.topic_names.tolist() == [7, 9, 10]
    assert events.topics.tolist() == [2, 1]
    path.write_text("time,node,event,topic\n1,1,subscribe,10\n2,1,subscribe,news\n")
    interests, _, events = read_churn_or_sessions(path, numbers)
    assert interests.topic_names.tolist() == ["10", "7", "news"]
    assert events.topics.tolist() == [0, 2]
    assert interests.topics_of(0).tolist() == [0, 1]


HEADER = "time,node,event,topic\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            HEADER + "1,ann,subscribe,tea\n",
            "line 2: event 1, at 1 µs: node 'ann' subscribes to 'te",
        ),
        (
            HEADER + "5,cy,leave,\n1,ann,unsubscribe,jazz\n",
            "line 3: event 1, at 1 µs: node 'ann' unsubscribes from 'jazz', which it does not have",
        ),
        (
            HEADER + "0,dee,away,\n9,bob,leave,\n4,ann,subscribe,go\n6,ann,subscribe,go\n",
            "line 5: event 2, at 6 µs: node 'ann' subscribes to 'go', which it has already; expect",
        ),
        (
            HEADER + "1,ann,subscribe,\n",
            "line 2: the event is 'subscribe', and the topic is missing; expected the name of a to",
        ),
        (
            HEADER + "1,ann,leave,tea\n",
            "line 2: the event is 'leave', and the topic is 'tea'; expected none",
        ),
        (
            "time,node,event\n1,ann,leave\n2,ann,unsubscribe\n",
            "line 3: the event is 'unsubscribe', and the table has no column 'topic'; expected one",
        ),
        (HEADER + "1,eve,subscribe,go\n", "the node 'eve' is not one of the 4 nodes"),
        (HEADER + "1,ann,like,go\n", "line 2: the event is 'like'; expected join or leave (or sub"),
        (HEADER + "1,ann,leave,\n2,ann,leave,\n", "line 3: event 2, at 2 µs: node 'ann' leaves, b"),
    ],
)
def test_impossible_changes_of_interests_are_rejected(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "churn.csv"
    path.write_text(text)
    with pytest.raises(TableError) as raised:
        read_churn_or_sessions(path, PEOPLE)
    assert str(raised.value).startswith(str(path))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_malformed_parquet_churn_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "churn.parquet"
    for times, nodes, says in (
        ([1, None], ["ann", "bob"], "row 2: the time is None; expected a number"),
        ([1, 2], ["ann", None], "row 2: the field 'node' is null"),
        (["x", "1"], ["ann", "bob"], "row 1: the time is 'x'"),
        ([b"x", b"1"], ["ann", "bob"], "the time is of type binary; expected a number"),
    ):
        columns = {"time": times, "node": nodes, "event": ["leave", "leave"]}
        pa.parquet.write_table(pa.table(columns), path)
        with pytest.raises(TableError) as raised:
            read_churn(path)
        assert says in str(raised.value)


def test_machine_events_are_written_as_the_raw_trace(tmp_path: Path) -> None:
    path = tmp_path / "machines.csv"
    sessions = Sessions.from_columns([0, 0, 1], [0, 7, 0], [5, 9, 9])
    write_machine_events(path, sessions, updates=1)
    rows = [line.split(",")[:3] for line in path.read_text().splitlines()]
    expected = ["0,0,0", "0,1,0", "0,0,2", "5,0,1", "7,0,0", "9,0,2"]
    assert rows == [row.split(",") for row in expected]
    write_machine_events(path, sessions, names=np.array(["a", "b"], dtype=object))
    assert path.read_text().startswith("0,a,0,")
    with pytest.raises(ParameterError, match="there are no sessions"):
        write_machine_events(path, Sessions.from_columns([], [], []))
