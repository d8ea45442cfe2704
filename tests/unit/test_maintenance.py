"""Maintenance runs: the files they write, resuming after a kill, and rejected input."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

import gossamer
from gossamer.errors import GossamerError, OverlayError, ParameterError, TableError
from gossamer.maintain import Maintenance
from gossamer.maintain import run as run_module
from gossamer.maintain.checkpoint import RunCheckpoint
from gossamer.maintain.components import count_components
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import EventRecord, LinkChanges
from gossamer.maintain.strategies.registry import strategies
from gossamer.model import ChurnEvents, Interests, Overlay, Scenario
from gossamer.model.churn import KINDS, SUBSCRIBE
from gossamer.quality import is_topic_connected, shared_topics
from gossamer.tables import (
    CHANGES,
    MAINTENANCE_ROUNDS,
    TIMINGS,
    read_interests,
    read_links,
    read_table,
)
from gossamer.workloads import churn_rounds, generate_interests

SAME = ("start.parquet", "links.parquet", "changes.parquet", "rounds.parquet")
PEOPLE = Interests.from_lists({name: ["tea", "jazz"] for name in ("ann", "bob", "cy", "dee")})
RING = Overlay.from_links(4, [(0, 1), (1, 2), (2, 3), (0, 3)])


def some_interests(seed: int = 0) -> Interests:
    return generate_interests("rss", nodes=40, topics=12, subscriptions=4, seed=seed)


def maintain(
    interests: Interests,
    overlay: Overlay | None = None,
    events: Any = "rounds:1000",
    *,
    present: NDArray[np.bool_] | None = None,
    seed: int = 0,
    **arguments: Any,
) -> Maintenance:
    """Run the scenario of these interests and events."""
    scenario = Scenario(interests, churn=events, present=present, seed=seed)
    return run_module.maintain(scenario, overlay=overlay, **arguments)


class KilledError(BaseException):
    """Stands for a kill: nothing catches it."""


def killed_after(
    rounds: int,
    monkeypatch: pytest.MonkeyPatch,
    interests: Interests,
    out: Path,
    **arguments: Any,
) -> None:
    """Start a run, and stop it within an event."""
    append = RunCheckpoint.append

    def stop(self: RunCheckpoint, record: EventRecord) -> None:
        if len(self.rounds) == rounds:
            raise KilledError
        append(self, record)

    with monkeypatch.context() as patch:
        patch.setattr(RunCheckpoint, "append", stop)
        patch.setattr(run_module, "SAVE_SECONDS", 0.0)
        with pytest.raises(KilledError):
            maintain(interests, out=out, **arguments)


@pytest.mark.parametrize("strategy", strategies())
def test_every_strategy_keeps_topics_connected(tmp_path: Path, strategy: str) -> None:
    interests = some_interests()
    present, events = churn_rounds(40, 60, seed=3, present=0.7)
    done = maintain(
        interests, None, events, present=present, strategy=strategy, verify="every", out=tmp_path
    )
    assert done.nodes[-1] == done.present.sum()
    assert done.links[-1] == done.overlay.link_count
    assert done.max_degree[-1] == done.overlay.degrees.max()
    assert (count_components(interests, done.overlay, done.present) <= 1).all()
    assert read_links(tmp_path / "links.parquet", interests) == done.overlay
    summary = done.summary()
    assert summary["links_after"] - summary["links_before"] == (
        summary["links_added"] - summary["links_removed"]
    )
    assert "60 events" in repr(done)


def test_changes_lead_from_the_start_to_the_end(tmp_path: Path) -> None:
    interests = some_interests()
    done = maintain(interests, None, "rounds:30", rebuild_every=10, seed=2, out=tmp_path)
    links = {tuple(pair) for pair in interests.node_names[done.start.links].tolist()}
    rows = read_table(tmp_path / "changes.parquet", CHANGES).to_pylist()
    rounds = read_table(tmp_path / "rounds.parquet", MAINTENANCE_ROUNDS).to_pylist()
    assert [row["round"] for row in rounds] == list(range(1, 31))
    assert [row["rebuilt"] for row in rounds] == [k % 10 == 0 for k in range(1, 31)]
    for one in rounds:
        mine = [row for row in rows if row["round"] == one["round"]]
        for row in mine:
            assert row["time"] == one["time"]
            if row["event"] == "rebuild":
                assert row["node"] is None
                assert one["rebuilt"]
            else:
                assert (row["node"], row["event"]) == (one["node"], one["event"])
            pair = (row["source"], row["target"])
            assert (pair in links) == (row["action"] == "unlink")
            (links.add if row["action"] == "link" else links.remove)(pair)
        assert one["added"] == sum(row["action"] == "link" for row in mine)
        assert one["removed"] == sum(row["action"] == "unlink" for row in mine)
        assert one["links"] == len(links)
        assert one["mean_degree"] == 2 * len(links) / one["nodes"]
    assert links == {tuple(pair) for pair in interests.node_names[done.overlay.links].tolist()}
    timings = read_table(tmp_path / "timings.parquet", TIMINGS)
    assert timings.num_rows == 30


@pytest.mark.parametrize("strategy", strategies())
@pytest.mark.parametrize("stops", [(0,), (1,), (17, 18, 33)])
def test_killed_run_resumes_to_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, stops: tuple[int, ...]
) -> None:
    interests = some_interests(1)
    arguments: dict[str, Any] = {
        "events": "rounds:40",
        "strategy": strategy,
        "seed": 5,
        "rebuild_every": 15,
    }
    maintain(interests, out=tmp_path / "whole", **arguments)
    out = tmp_path / "parts"
    for stop in stops:
        killed_after(stop, monkeypatch, interests, out, **arguments)
        assert not (out / "links.parquet").exists()
    done = maintain(interests, out=out, **arguments)
    assert done.resumed == (stops[-1] if strategies()[strategy].resumable else 0)
    for name in SAME:
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    again = maintain(interests, out=out, **arguments)
    assert again.resumed == 40
    for name in (*SAME, "timings.parquet"):
        assert (out / name).exists()
    assert again.milliseconds.tolist() == done.milliseconds.tolist()


# -- changes of interests --------------------------------------------------------------------


def changing(seed: int = 3) -> tuple[Interests, dict[str, Any]]:
    """Interests, and arguments of a run in which half of the events change them."""
    interests = some_interests(1)
    present, events = churn_rounds(interests, 60, seed=seed, present=0.8, interest_changes=0.5)
    return interests, {"events": events, "present": present}


@pytest.mark.parametrize("strategy", strategies())
def test_every_strategy_keeps_topics_connected_as_interests_change(
    tmp_path: Path, strategy: str
) -> None:
    interests, arguments = changing()
    done = maintain(interests, strategy=strategy, verify="every", out=tmp_path, **arguments)
    summary = done.summary()
    assert summary["subscribes"] > 5
    assert summary["unsubscribes"] > 5
    # The files describe the overlay at the end by themselves.
    now = read_interests(tmp_path)
    present = interests.node_names[done.present].tolist()
    wanted = done.events.interests_after(interests)
    assert now == Interests.from_lists(
        {
            name: wanted.topic_names[topics].tolist()
            for name in present
            if len(topics := wanted.topics_of(wanted.node_id(name)))
        }
    )
    links = read_links(tmp_path / "links.parquet", now)
    assert is_topic_connected(now, links)
    assert links.link_count == done.overlay.link_count
    assert (shared_topics(now, links) > 0).all(), "a link serves no topic"


def test_tables_have_the_topics_of_changes(tmp_path: Path) -> None:
    interests, arguments = changing()
    events = arguments["events"]
    done = maintain(interests, out=tmp_path, rebuild_every=25, **arguments)
    rounds = pyarrow.parquet.read_table(tmp_path / "rounds.parquet").to_pylist()
    assert list(rounds[0])[:5] == ["round", "time", "node", "event", "topic"]
    for number, row in enumerate(rounds):
        topic = int(events.topics[number])
        assert row["event"] == KINDS[events.kinds[number]]
        assert row["topic"] == (None if topic < 0 else interests.topic_names[topic])
    changes = pyarrow.parquet.read_table(tmp_path / "changes.parquet").to_pylist()
    links = {tuple(pair) for pair in interests.node_names[done.start.links].tolist()}
    for row in changes:
        (links.add if row["action"] == "link" else links.remove)((row["source"], row["target"]))
        if row["event"] == "rebuild":
            assert (row["node"], row["topic"]) == (None, None)
        else:
            of_event = rounds[row["round"] - 1]
            for name in ("time", "node", "event", "topic"):
                assert row[name] == of_event[name]
    assert {"rebuild", "subscribe", "unsubscribe", "join", "leave"} <= {
        row["event"] for row in changes
    }
    assert links == {tuple(pair) for pair in interests.node_names[done.overlay.links].tolist()}
    for name in ("rounds", "changes"):
        written = pyarrow.parquet.read_table(tmp_path / f"{name}.parquet")
        assert done.to_arrow(name).equals(written)


@pytest.mark.parametrize("strategy", strategies())
@pytest.mark.parametrize("stops", [(1,), (17, 18, 33)])
def test_killed_run_with_changes_resumes_to_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, stops: tuple[int, ...]
) -> None:
    interests, arguments = changing()
    arguments |= {"strategy": strategy, "seed": 5, "verify": "every"}
    maintain(interests, out=tmp_path / "whole", **arguments)
    out = tmp_path / "parts"
    for stop in stops:
        killed_after(stop, monkeypatch, interests, out, **arguments)
    done = maintain(interests, out=out, **arguments)
    assert done.resumed == (stops[-1] if strategies()[strategy].resumable else 0)
    for name in (*SAME, "subscriptions.parquet"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_run_of_other_changes_is_another_run(tmp_path: Path) -> None:
    interests, arguments = changing()
    maintain(interests, out=tmp_path, **arguments)
    events = arguments["events"]
    row = int(np.argmax(events.kinds == SUBSCRIBE))
    missing = np.setdiff1d(np.arange(interests.topic_count), events.topics[events.nodes[row]])
    topics = events.topics.copy()
    topics[row] = next(
        topic
        for topic in missing.tolist()
        if topic not in interests.topics_of(int(events.nodes[row])) and topic != topics[row]
    )
    other = ChurnEvents.from_columns(events.times, events.nodes, events.kinds, topics)
    only = ChurnEvents.from_columns(
        *(getattr(other, name)[: row + 1] for name in ("times", "nodes", "kinds", "topics"))
    )
    with pytest.raises(ParameterError, match="differ in the events"):
        maintain(interests, out=tmp_path, present=arguments["present"], events=only)


def test_impossible_changes_are_rejected(tmp_path: Path) -> None:
    def change(node: int, kind: str, topic: int) -> ChurnEvents:
        return ChurnEvents.from_columns([1], [node], [kind], [topic])

    for events, wrong in (
        (change(0, "subscribe", 1), "node 'ann' subscribes to 'tea', which it has already"),
        (change(0, "subscribe", 2), "expected a topic of 0 to 1"),
        (change(9, "subscribe", 1), "expected a node of 0 to 3"),
    ):
        with pytest.raises(GossamerError, match=wrong):
            maintain(PEOPLE, RING, events, out=tmp_path / "a")
    with pytest.raises(ParameterError, match="LinkAll has no methods subscribed and unsubscribed"):
        maintain(PEOPLE, RING, change(0, "unsubscribe", 1), strategy=LinkAll(), out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    (tmp_path / "subscriptions.parquet").write_text("my table")
    with pytest.raises(ParameterError, match=r"has subscriptions\.parquet in it, which no run"):
        maintain(PEOPLE, RING, change(0, "unsubscribe", 1), out=tmp_path)


def test_wrong_repair_of_a_topic_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.maintain.strategies.elasto_g import ElastoG

    monkeypatch.setattr(ElastoG, "unsubscribed", lambda *_: LinkChanges())
    star = Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)])
    events = ChurnEvents.from_columns([1], [0], ["unsubscribe"], [1])
    for verify in ("every", "end"):
        with pytest.raises(GossamerError, match="after 1 of 1 events elasto-g leaves 1 of 2 topic"):
            maintain(PEOPLE, star, events, verify=verify)


SCRIPT = """
import sys, gossamer
from gossamer.maintain import run

run.SAVE_SECONDS = 0.01
interests = gossamer.generate_interests("rss", nodes=40, topics=12, subscriptions=4, seed=0)
present, events = gossamer.churn_rounds(
    interests, 3000, seed=1, interest_changes=float(sys.argv[2])
)
scenario = gossamer.Scenario(interests, churn=events, present=present, seed=1)
gossamer.maintain(scenario, out=sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this platform")
@pytest.mark.parametrize("interest_changes", [0.0, 0.5])
def test_killed_process_resumes_to_the_same_files(tmp_path: Path, interest_changes: float) -> None:
    out = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(out), str(interest_changes)])
    part = out / "_maintain" / "part-000002.npz"
    while not part.exists() and process.poll() is None:
        time.sleep(0.005)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    interests = some_interests()
    present, events = churn_rounds(interests, 3000, seed=1, interest_changes=interest_changes)
    arguments: dict[str, Any] = {"events": events, "present": present, "seed": 1}
    done = maintain(interests, out=out, **arguments)
    assert done.resumed > 0
    maintain(interests, out=tmp_path / "whole", **arguments)
    for name in SAME:
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_folder_of_another_run_is_rejected(tmp_path: Path) -> None:
    maintain(PEOPLE, RING, "rounds:5", out=tmp_path, seed=1)
    with pytest.raises(ParameterError, match="with other arguments in it, which differ in the ev"):
        maintain(PEOPLE, RING, "rounds:6", out=tmp_path, seed=1)
    with pytest.raises(ParameterError, match="differ in the strategy; expected the same, or ano"):
        maintain(PEOPLE, RING, "rounds:5", strategy="low-oda-re", out=tmp_path, seed=1)
    _, events = churn_rounds(4, 5, seed=1)
    with pytest.raises(ParameterError, match="differ in the links, the seed"):
        maintain(PEOPLE, None, events, out=tmp_path, seed=2)
    maintain(PEOPLE, RING, "rounds:5", out=tmp_path, seed=1, verify="every")  # the same run


def test_unusable_folders_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "links.parquet").write_text("another program's")
    with pytest.raises(ParameterError, match=r"has links.parquet in it, which no run"):
        maintain(PEOPLE, RING, "rounds:5", out=tmp_path)
    assert (tmp_path / "links.parquet").read_text() == "another program's"
    with pytest.raises(ParameterError, match="cannot be made"):
        maintain(PEOPLE, RING, "rounds:5", out=tmp_path / "links.parquet" / "out")
    out = tmp_path / "out"
    maintain(PEOPLE, RING, "rounds:5", out=out)
    (out / "_maintain" / "part-000000.npz").write_bytes(b"nonsense")
    with pytest.raises(TableError, match=r"part-000000.npz: cannot be read .* to start again"):
        maintain(PEOPLE, RING, "rounds:5", out=out)
    (out / "_maintain" / "arguments.json").write_text("{")
    with pytest.raises(TableError, match=r"arguments.json: cannot be read"):
        maintain(PEOPLE, RING, "rounds:5", out=out)


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "elasto-g:rho=0"},
        {"strategy": "elasto-g:coverage=-1"},
        {"strategy": "elasto-l:concurrent=0"},
        {"strategy": "elasto-l:share=2"},
        {"seed": -1, "events": ChurnEvents.from_columns([], [], [])},
        {"rebuild_every": 100, "algorithm": "low-oda:rho=0"},
        {"algorithm": "low-oda"},
        {"algorithm": "low-oda:rho=5"},
        {"strategy": type("Broken", (), {"begin": None})()},
    ],
)
def test_rejected_run_leaves_no_folder(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        maintain(PEOPLE, RING, **{"events": "rounds:5", **wrong}, out=tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()


def test_folder_of_a_rejected_run_is_removed(tmp_path: Path) -> None:
    class Picky(LinkAll):
        def begin(self, overlay: DynamicOverlay) -> None:
            raise ParameterError("picky rejects every overlay")

    (tmp_path / "a").mkdir()
    for out in (tmp_path / "a", tmp_path / "b" / "c"):
        with pytest.raises(ParameterError, match="picky rejects"):
            maintain(PEOPLE, RING, "rounds:5", strategy=Picky(), out=out)
    assert list(tmp_path.rglob("*")) == [tmp_path / "a"]
    (tmp_path / "_maintain").mkdir()  # as left by a run that was killed before it began
    (tmp_path / "_maintain" / "arguments.json").write_text("{}")
    maintain(PEOPLE, RING, "rounds:5", out=tmp_path)


def test_links_of_absent_nodes_are_left_out(tmp_path: Path) -> None:
    star = Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)])
    late = ChurnEvents.from_columns([5, 6], [0, 1], [True, False])
    done = maintain(PEOPLE, star, late, verify="every", out=tmp_path)
    assert done.left_out == 3
    assert done.start.link_count == 0
    assert done.first.links.tolist() == [[1, 2], [1, 3]]
    summary = done.summary()
    assert summary["links_left_out"] == 3
    assert summary["links_added_at_start"] == summary["links_before"] == 2
    rows = read_table(tmp_path / "changes.parquet", CHANGES).to_pylist()
    links = read_links(tmp_path / "start.parquet", PEOPLE)
    there = {tuple(pair) for pair in PEOPLE.node_names[links.links].tolist()}
    for row in rows:
        (there.add if row["action"] == "link" else there.remove)((row["source"], row["target"]))
    assert there == {tuple(pair) for pair in PEOPLE.node_names[done.overlay.links].tolist()}
    first = [row for row in rows if row["round"] == 0]
    assert [(r["time"], r["node"], r["event"], r["action"]) for r in first] == [
        (0, None, "start", "link"), (0, None, "start", "link"),
    ]  # fmt: skip
    none = maintain(PEOPLE, star, ChurnEvents.from_columns([], [], []), present=~done.present)
    assert none.left_out == 3  # and no event at all
    ring = maintain(PEOPLE, RING, ChurnEvents.from_columns([1], [1], [True]))
    assert ring.left_out == 2
    assert "links_added_at_start" in ring.summary()
    assert ring.start == ring.first  # a line is left, which is connected


def test_killed_run_keeps_the_links_added_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interests = some_interests()
    overlay = gossamer.low_oda(interests)
    present, events = churn_rounds(40, 30, seed=3, present=0.5)
    arguments: dict[str, Any] = {
        "overlay": overlay,
        "events": events,
        "present": present,
        "verify": "every",
    }
    whole = maintain(interests, out=tmp_path / "whole", **arguments)
    assert whole.first.link_count > whole.start.link_count
    for stop in (0, 11):
        killed_after(stop, monkeypatch, interests, tmp_path / "parts", **arguments)
    done = maintain(interests, out=tmp_path / "parts", **arguments)
    assert done.resumed == 11
    for name in SAME:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


class LinkAll:
    """A strategy of the caller: a joining node is linked to every present node."""

    def begin(self, overlay: DynamicOverlay) -> None:
        self.begun = True

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        others = [other for other in np.flatnonzero(overlay.present).tolist() if other != node]
        return LinkChanges(np.array([sorted((node, other)) for other in others], dtype=np.int32))

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        return LinkChanges(np.empty((0, 2), dtype=np.int32))


class LinkAndCount(LinkAll):
    """A strategy whose memory is the number of joins."""

    count = 0

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        self.count += 1
        return super().joined(overlay, node)

    def state(self) -> dict[str, NDArray[np.int64]]:
        return {"count": np.array(self.count)}

    def restore(self, state: Mapping[str, NDArray[np.int64]]) -> None:
        self.count = int(state["count"])


def test_strategy_object_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = Overlay.from_links(4, [(a, b) for a in range(4) for b in range(a)])
    arguments: dict[str, Any] = {"overlay": mesh, "events": "rounds:12"}
    for kind, resumed in ((LinkAll, 0), (LinkAndCount, 7)):
        out = tmp_path / kind.__name__
        killed_after(7, monkeypatch, PEOPLE, out, strategy=kind(), **arguments)
        strategy = kind()
        done = maintain(PEOPLE, strategy=strategy, out=out, **arguments)
        assert done.resumed == resumed
        assert done.strategy == kind.__name__
        assert getattr(strategy, "count", 0) in (0, done.events.joins.sum())
        with pytest.raises(ParameterError, match="differ in the strategy"):
            maintain(PEOPLE, out=out, **arguments)
    with pytest.raises(ParameterError, match="expected the name of a strategy, or an object that"):
        maintain(PEOPLE, mesh, "rounds:5", strategy=LinkAll)
    star = Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)])
    leaving = ChurnEvents.from_columns([1], [0], [False])
    with pytest.raises(GossamerError, match=r"LinkAll leaves .* expected a strategy that keeps"):
        maintain(PEOPLE, star, leaving, strategy=LinkAll())


def test_killed_elasto_l_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.maintain.strategies.elasto_l import ElastoL

    interests = some_interests()
    done = maintain(interests, events="rounds:40", strategy=ElastoL(seed=1), verify="every")
    assert done.strategy == "ElastoL"
    arguments: dict[str, Any] = {"events": "rounds:40", "strategy": "elasto-l", "verify": "every"}
    whole = maintain(interests, out=tmp_path / "whole", **arguments)
    killed_after(20, monkeypatch, interests, tmp_path / "parts", **arguments)
    again = maintain(interests, out=tmp_path / "parts", **arguments)
    assert (whole.resumed, again.resumed) == (0, 0)
    for name in SAME:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_start_is_designed_by_the_algorithm(tmp_path: Path) -> None:
    interests = some_interests()
    done = maintain(
        interests, events="rounds:3", algorithm="low-oda:rho=1", out=tmp_path,
    )  # fmt: skip
    assert done.start == gossamer.low_oda(interests, rho=1.0)
    assert read_links(tmp_path / "start.parquet", interests) == done.start
    with pytest.raises(ParameterError, match="random does not promise"):
        maintain(interests, events="rounds:3", algorithm="random")
    assert "rebuilds" not in done.summary()


def test_folder_in_use_is_rejected(tmp_path: Path) -> None:
    with (
        RunCheckpoint.open(tmp_path, {"a": "b"}),
        pytest.raises(ParameterError, match="another run is writing to it"),
        RunCheckpoint.open(tmp_path, {"a": "b"}),
    ):
        pass


def test_impossible_runs_are_rejected() -> None:
    def leaving(*nodes: int) -> ChurnEvents:
        return ChurnEvents.from_columns(np.arange(len(nodes)), nodes, np.zeros(len(nodes), bool))

    with pytest.raises(GossamerError, match="node 'bob' leaves, but is"):
        maintain(PEOPLE, RING, leaving(1, 1))
    with pytest.raises(GossamerError, match="expected a node of 0 to 3"):
        maintain(PEOPLE, RING, leaving(7))
    with pytest.raises(OverlayError, match="the overlay has 5 nodes and the interests have 4"):
        maintain(PEOPLE, Overlay.from_links(5, []), leaving())
    with pytest.raises(ParameterError, match="present has 2 values"):
        maintain(PEOPLE, RING, leaving(), present=np.ones(2, dtype=np.bool_))
    with pytest.raises(ParameterError, match="no strategy is named 'magic'; there are elasto-g"):
        maintain(PEOPLE, RING, leaving(), strategy="magic")
    with pytest.raises(ParameterError, match="elasto-g has no option 'speed'"):
        maintain(PEOPLE, RING, leaving(), strategy="elasto-g:speed=1")
    with pytest.raises(ParameterError, match="rebuild_every is 0"):
        maintain(PEOPLE, RING, leaving(), rebuild_every=0)
    with pytest.raises(ParameterError, match="random does not promise"):
        maintain(PEOPLE, RING, leaving(), rebuild_every=1, algorithm="random")
    with pytest.raises(ParameterError, match="verify is 'maybe'"):
        maintain(PEOPLE, RING, leaving(), verify="maybe")
    with pytest.raises(ParameterError, match="churn is 'storms'"):
        maintain(PEOPLE, RING, "storms")


def test_disconnecting_links_are_rejected() -> None:
    broken = Overlay.from_links(4, [(0, 1), (2, 3)])
    none = ChurnEvents.from_columns([], [], [])
    with pytest.raises(OverlayError, match=r"leave 2 of 2 topics disconnected \(first: 'jazz'"):
        maintain(PEOPLE, broken, none)
    with pytest.warns(UserWarning, match="disconnected .* at the start; they may stay so"):
        done = maintain(PEOPLE, broken, none, verify="never")
    assert done.overlay == broken
    assert done.summary()["events"] == 0


def test_strategy_that_disconnects_a_topic_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gossamer.maintain.strategies.elasto_g import ElastoG

    nothing = LinkChanges(np.empty((0, 2), dtype=np.int32))
    monkeypatch.setattr(ElastoG, "joined", lambda *_: nothing)
    monkeypatch.setattr(ElastoG, "left", lambda *_: nothing)
    events = ChurnEvents.from_columns([1, 2, 3], [0, 2, 2], [False, False, True])
    for verify, done in (("every", 2), ("end", 3)):
        with pytest.raises(GossamerError, match=f"after {done} of 3 events elasto-g leaves 2 of 2"):
            maintain(PEOPLE, RING, events, verify=verify, out=tmp_path / verify)
        assert not (tmp_path / verify / "links.parquet").exists()


def test_package_is_callable() -> None:
    done = gossamer.maintain(gossamer.Scenario(PEOPLE, churn="rounds:5", seed=1), overlay=RING)
    assert isinstance(done, gossamer.Maintenance)
    assert isinstance(done, Maintenance)
    assert done.added.sum() - done.removed.sum() == done.overlay.link_count - 4
    assert done.mean_degree.tolist() == (2 * done.links / done.nodes).tolist()


def test_churn_drawn_from_a_law_is_maintained() -> None:
    scenario = Scenario(some_interests(), churn="exponential:60", duration=50.0, seed=1)
    done = gossamer.maintain(scenario, "elasto-g:coverage=2", verify="every")
    assert len(done.events) > 20
    assert done.present.sum() == done.nodes[-1]
    with pytest.raises(ParameterError, match="the scenario has no churn"):
        gossamer.maintain(Scenario(some_interests()))


@pytest.mark.parametrize(
    "table",
    [
        "time,node,event\n2024-05-01T10:00:00+02:00,ann,leave\n2024-05-01T10:00:30+02:00,ann,join\n",
        "node,start,end\nann,2024-05-01 08:00,2024-05-01 08:00:30\n"
        "ann,2024-05-01 08:01,2024-05-01 09:00\nbob,2024-05-01 08:00,2024-05-01 09:00\n",
    ],
)
def test_tables_keep_the_dates_of_the_events(tmp_path: Path, table: str) -> None:
    path = tmp_path / "events.csv"
    path.write_text(table)
    done = maintain(PEOPLE, None, str(path), out=tmp_path / "kept")
    assert done.summary()["time_zero"] == "2024-05-01T08:00:00Z"
    for name, schema in (("changes", CHANGES), ("rounds", MAINTENANCE_ROUNDS)):
        rows = read_table(tmp_path / "kept" / f"{name}.parquet", schema).to_pylist()
        zero = datetime(2024, 5, 1, 8, tzinfo=UTC)
        assert rows
        for row in rows:
            assert row["date"] == zero + timedelta(microseconds=row["time"])


def test_tables_of_events_without_dates_have_no_column_of_dates(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("time_s,node,event\n5,ann,leave\n")
    done = maintain(PEOPLE, None, str(path))
    assert "time_zero" not in done.summary()
    assert done.rounds_table().to_pylist()[0]["time"] == 5_000_000
    assert "date" not in done.changes_table().column_names
