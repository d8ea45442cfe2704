"""``gossamer maintain`` and ``gossamer churn``: files, output and rejected input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gossamer.design.low_oda import low_oda
from gossamer.tables import (
    CHANGES,
    MAINTENANCE_ROUNDS,
    read_churn_or_sessions,
    read_interests,
    read_links,
    read_table,
    write_interests,
)
from gossamer.workloads import generate_interests
from tests.cli.conftest import Invoke

SAME = ("start.parquet", "links.parquet", "changes.parquet", "rounds.parquet")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Subscriptions, events and a folder to work in."""
    monkeypatch.chdir(tmp_path)
    interests = generate_interests("rss", nodes=30, topics=10, subscriptions=4, seed=1)
    write_interests("subs.parquet", interests)
    (tmp_path / "churn.csv").write_text("time_s,node,event\n1,3,leave\n2.5,4,leave\n4,3,join\n")
    return tmp_path


def design(invoke: Invoke) -> None:
    invoke("design", "subs.parquet", "--algorithm", "low-oda", "--out", "links.parquet").works()


KEEP = ("maintain", "subs.parquet", "links.parquet")


def test_overlay_is_maintained_under_churn(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    done = invoke(
        *KEEP, "--events", "churn.csv", "--out", "kept", "--verify", "every",
        "--picture", "degrees.png",
    ).works()  # fmt: skip
    assert "elasto-g on subs.parquet, seed 0" in done.out
    lines = (line.rsplit(None, 1) for line in done.out.splitlines() if "  " in line)
    facts = {label.strip(): value for label, value in lines}
    assert facts["events"] == "3"
    assert facts["nodes, after"] == "29"
    assert facts["every topic connected"] == "yes"
    assert done.out.endswith("wrote kept, degrees.png\n")
    assert (desk / "degrees.png").read_bytes().startswith(b"\x89PNG")
    interests = read_interests("subs.parquet")
    links = read_links("kept/links.parquet", interests)
    assert links.degrees[4] == 0
    rounds = read_table("kept/rounds.parquet", MAINTENANCE_ROUNDS).to_pylist()
    assert [(row["time"], row["node"], row["event"]) for row in rounds] == [
        (1_000_000, 3, "leave"), (2_500_000, 4, "leave"), (4_000_000, 3, "join"),
    ]  # fmt: skip
    changes = read_table("kept/changes.parquet", CHANGES).to_pylist()
    assert {row["action"] for row in changes} == {"link", "unlink"}
    again = invoke(*KEEP, "--events", "churn.csv", "--out", "kept").works()
    assert "elasto-g on subs.parquet, seed 0, resumed after 3 events" in again.out


def test_options_of_strategies_and_algorithms(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    invoke(
        *KEEP, "--events", "rounds:20", "--strategy", "low-oda-inc", "--rho", "5",
        "--rebuild-every", "8", "--algorithm", "subset-merge", "--no-summary", "--out", "kept",
    ).works()  # fmt: skip
    changes = read_table("kept/changes.parquet", CHANGES).to_pylist()
    assert {row["round"] for row in changes if row["event"] == "rebuild"} == {8, 16}
    listed = invoke("maintain", "--list").works().out
    assert "elasto-g" in listed
    assert "--coverage 5" in listed
    invoke(*KEEP, "--speed", "3", "--out", "x").fails("elasto-g has no option --speed")
    invoke(*KEEP, "--strategy", "magic", "--out", "x").fails("no strategy is named 'magic'")
    invoke(*KEEP, "--rebuild-every", "3", "--algorithm", "magic", "--out", "x").fails("'magic'")
    assert not (desk / "x").exists()


def test_rejected_command_can_be_corrected(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    words = (*KEEP, "--events", "churn.csv", "--out", "kept")
    invoke(*words, "--rho", "0").fails("rho is 0.0; expected 1 or more")
    invoke(*words, "--coverage", "-1").fails("coverage is -1; expected 0 to 1000")
    assert not (desk / "kept").exists()
    (desk / "kept").mkdir()
    (desk / "kept" / "links.parquet").write_text("another's")
    invoke(*words).fails("has links.parquet in it")
    assert [path.name for path in (desk / "kept").iterdir()] == ["links.parquet"]
    (desk / "kept" / "links.parquet").unlink()
    invoke(*words).works()


def test_node_that_joins_for_the_first_time(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    (desk / "late.csv").write_text("time,node,event\n1,3,join\n2,4,join\n")
    done = invoke(*KEEP, "--events", "late.csv", "--out", "kept", "--verify", "every").works()
    shown = " ".join(done.out.split())
    assert "links left out at the start" in shown
    assert "links added at the start" in shown
    assert "rebuilds" not in shown
    interests = read_interests("subs.parquet")
    start = read_links("kept/start.parquet", interests)
    assert start.degrees[[3, 4]].tolist() == [0, 0]


def test_options_of_algorithms_and_strategies(invoke: Invoke, desk: Path) -> None:
    interests = read_interests("subs.parquet")
    words = ("maintain", "subs.parquet", "--events", "churn.csv", "--out", "kept")
    invoke(*words, "--algorithm", "low-oda:rho=1:ties=first").fails("ties")
    invoke(*words, "--algorithm", "low-oda:rho=0").fails("rho is 0.0; expected 1 or more")
    invoke(*words, "--algorithm", "random").fails("random does not promise")
    invoke(*words, "--algorithm", "low-oda:rho=1").works()
    assert read_links("kept/start.parquet", interests) == low_oda(interests, rho=1.0)
    design(invoke)
    invoke(*KEEP, "--algorithm", "low-oda", "--out", "x").fails(
        "the algorithm is low-oda, and links are given and nothing is rebuilt; expected"
    )
    invoke(*KEEP, "--algorithm", "low-oda:rho=5", "--rebuild-every", "2", "--events", "churn.csv",
           "--out", "rebuilt").works()  # fmt: skip
    invoke(*KEEP, "--strategy", "elasto-l", "--share", "0.1", "--events", "churn.csv",
           "--verify", "every", "--out", "local").works()  # fmt: skip
    listed = " ".join(invoke("maintain", "--list").works().out.split())
    assert "whole-maximum" in listed
    assert "the higher, the lower the maximum degree" in listed


def test_interrupted_command_resumes(
    invoke: Invoke, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gossamer.maintain import run as run_module
    from gossamer.maintain.checkpoint import RunCheckpoint
    from gossamer.maintain.events import EventRecord

    design(invoke)
    words = (*KEEP, "--events", "rounds:50", "--seed", "4", "--strategy", "elasto-g")
    invoke(*words, "--out", "whole").works()
    append = RunCheckpoint.append

    def interrupt(self: RunCheckpoint, record: EventRecord) -> None:
        if len(self.rounds) == 23:
            raise KeyboardInterrupt
        append(self, record)

    with monkeypatch.context() as patch:
        patch.setattr(RunCheckpoint, "append", interrupt)
        patch.setattr(run_module, "SAVE_SECONDS", 0.0)
        stopped = invoke(*words, "--out", "kept")
    assert (stopped.code, stopped.err) == (130, "interrupted\n")
    assert not (desk / "kept" / "links.parquet").exists()
    done = invoke(*words, "--out", "kept").works()
    assert "resumed after 23 events" in done.out
    for name in SAME:
        assert (desk / "kept" / name).read_bytes() == (desk / "whole" / name).read_bytes()
    invoke(*KEEP, "--events", "rounds:51", "--seed", "4", "--out", "kept").fails(
        "kept: has a run with other arguments in it, which differ in the events"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,node,event\n1,eve,leave\n", "events.csv: the node 'eve' is not one of the 30 nodes"),
        (
            "time,node,event\n1,3,leave\n2,3,leave\n",
            "at 2 µs: node 3 leaves, but is absent",
        ),
        ("node,start,end\n3,0,9\n3,5,9\n", "events.csv: node 3 has overlapping sessions"),
        ("node,start,end\nZoë,0,9\nZoë,5,9\n", "events.csv: node 'Zoë' has overlapping sessions"),
        (
            f"time,node,event\n1,{'x' * 99},leave\n",
            "xxx'… (99 characters) is not one of",
        ),
        ("time,node,event\n1,3,goes\n", "line 2: the event is 'goes'; expected join or leave"),
        ("time,node\n1,3\n", "is no table of churn or sessions"),
    ],
)
def test_impossible_events_are_rejected(invoke: Invoke, desk: Path, text: str, says: str) -> None:
    design(invoke)
    (desk / "events.csv").write_text(text)
    invoke(*KEEP, "--events", "events.csv", "--out", "kept").fails(says)
    assert not (desk / "kept").exists()


def test_unusable_arguments_are_rejected(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    invoke("maintain", "--out", "x").fails("an argument is missing; expected a table of subs")
    invoke("maintain", "subs.parquet").fails("an argument is missing; expected --out FOLDER")
    invoke(*KEEP).fails("an argument is missing; expected --out FOLDER")
    invoke(*KEEP, "--events", "storms", "--out", "x").fails("churn is 'storms'")
    invoke(*KEEP, "--events", "none.csv", "--out", "x").fails("none.csv: there is no such file")
    invoke(*KEEP, "--out", "subs.parquet").fails("subs.parquet: cannot be made")
    invoke(*KEEP, "--out", "churn.csv/kept").fails("churn.csv/kept: cannot be made")
    invoke(*KEEP, "--picture", "x.txt", "--out", "x").fails(
        "x.txt: the ending is of no known format"
    )
    invoke(*KEEP, "--out", ".").fails("has links.parquet in it, which no run of this command left")
    assert invoke(*KEEP, "--verify", "maybe", "--out", "x").code == 2
    assert not (desk / "x").exists()


def test_disconnecting_links_are_rejected(invoke: Invoke, desk: Path) -> None:
    (desk / "links.parquet").unlink(missing_ok=True)
    (desk / "few.csv").write_text("source,target\n1,2\n")
    words = ("maintain", "subs.parquet", "few.csv", "--events", "rounds:4")
    invoke(*words, "--out", "kept").fails("the links leave 10 of 10 topics disconnected")
    assert not (desk / "kept").exists()
    done = invoke(*words, "--verify", "never", "--out", "kept").works()
    assert done.err.startswith("warning: the links leave 10 of 10 topics disconnected")
    assert "every topic connected" not in done.out


def test_churn_of_each_kind(invoke: Invoke, desk: Path) -> None:
    interests = read_interests("subs.parquet")
    drawn = ("churn", "subs.parquet", "--rounds", "12", "--present", "0.5")
    shown = invoke(*drawn, "--out", "c.parquet").works().out
    assert "present at the start 15" in " ".join(shown.split())
    _, present, events = read_churn_or_sessions("c.parquet", interests)
    assert (int(present.sum()), len(events)) == (15, 12)
    invoke("maintain", "subs.parquet", "--events", "c.parquet", "--out", "kept").works()
    invoke("churn", "--kind", "machine-events", "--nodes", "30", "--raw", "raw.csv",
           "--out", "m.csv").works()  # fmt: skip
    _, present, events = read_churn_or_sessions("m.csv", interests)
    assert present.all()
    assert len(events) > 5
    assert (desk / "raw.csv").read_text().startswith("0,0,0,")
    rows = [f"m{machine},{machine % 3},9\n" for machine in range(30)]
    (desk / "s.csv").write_text("node,start_s,end_s\n" + "".join(rows))
    invoke("churn", "--kind", "sessions", "--sessions", "s.csv", "subs.parquet",
           "--out", "s.parquet").works()  # fmt: skip
    _, present, events = read_churn_or_sessions("s.parquet", interests)
    assert (int(present.sum()), len(events), bool(events.joins.all())) == (10, 20, True)
    invoke("churn", "--kind", "sessions", "--sessions", "s.csv", "--out", "named.csv").works()
    assert "1000000,m1,join" in (desk / "named.csv").read_text()


def test_changes_of_interests_are_drawn_and_maintained(invoke: Invoke, desk: Path) -> None:
    drawn = ("churn", "subs.parquet", "--rounds", "80", "--seed", "2")
    shown = invoke(*drawn, "--interest-changes", "0.5", "--out", "c.csv").works().out
    assert "subscribe events" in shown
    assert (desk / "c.csv").read_text().startswith("time,node,event,topic\n1000000,")
    for strategy in ("elasto-g", "elasto-l", "low-oda-inc", "low-oda-re"):
        invoke(
            "maintain", "subs.parquet", "--events", "c.csv", "--strategy", strategy,
            "--verify", "every", "--out", strategy,
        ).works()  # fmt: skip
        assessed = ("assess", f"{strategy}/subscriptions.parquet", f"{strategy}/links.parquet")
        shown = " ".join(invoke(*assessed, "--no-lower-bound").works().out.split())
        assert "links that serve no topic 0" in shown
        assert "topics connected, of all 10 of 10" in shown
    rounds = read_table("elasto-g/rounds.parquet", MAINTENANCE_ROUNDS).to_pylist()
    assert {row["event"] for row in rounds} == {"join", "leave", "subscribe", "unsubscribe"}
    invoke("churn", "--interest-changes", "0.5", "--out", "x.csv").fails(
        "expected a table of subscriptions"
    )
    invoke(*drawn, "--interest-changes", "2", "--out", "x.csv").fails("expected a share, 0 to 1")
    invoke(
        "churn", "--kind", "machine-events", "--interest-changes", "0.5", "--out", "x.csv"
    ).fails("--interest-changes is for --kind rounds, and not machine-events")
    (desk / "c.csv").write_text("time,node,event,topic\n5,3,subscribe,new\n9,3,subscribe,new\n")
    invoke("maintain", "subs.parquet", "--events", "c.csv", "--out", "x").fails(
        "c.csv, line 3: event 2, at 9 µs: node 3 subscribes to 'new', which it has already"
    )
    assert not (desk / "x").exists()


def test_lost_resilience_is_shown_with_a_command_that_restores_it(
    invoke: Invoke, desk: Path
) -> None:
    invoke("design", "subs.parquet", "--resilient", "--out", "links.parquet").works()
    done = invoke(*KEEP, "--events", "rounds:40", "--out", "kept").works()
    lines = done.out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("bridges rose from "))
    assert "not resilient" in lines[at]
    restored = " ".join(invoke(*lines[at + 1].split()[1:]).works().out.split())
    assert "bridges, over all topics, after" in restored


def test_hint_to_rebuild_is_a_command_that_works(invoke: Invoke, desk: Path) -> None:
    drawn = ("churn", "subs.parquet", "--rounds", "120", "--seed", "2")
    invoke(*drawn, "--interest-changes", "0.5", "--out", "c.csv").works()
    words = ("maintain", "subs.parquet", "--events", "c.csv", "--seed", "4")
    done = invoke(*words, "--rebuild-check", "30", "--rho", "2", "--out", "kept").works()
    lines = done.out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("a new design would have "))
    new, old = lines[at].split()[5], lines[at].split()[8]
    assert float(new) < 0.9 * float(old)
    assert f"links per node, mean, after {old}" in " ".join(done.out.split())
    assert re.search(r"at most, and change [\d,]+ links:$", lines[at])
    command = lines[at + 1].split()
    assert command[:3] == ["gossamer", "design", "kept/subscriptions.parquet"]
    designed = " ".join(invoke(*command[1:]).works().out.split())
    assert f"links per node, mean {new} " in designed
    (before,) = [line for line in lines if "--rebuild-every" in line]
    assert before.startswith(f"after {before.split()[-1]} events a new design would have ")
    checks = invoke(
        *words, "--rebuild-check", "30", "--rho", "2", "--out", "kept", "--json"
    ).works()
    found = json.loads(checks.out)["rebuild_checks"]
    assert [one["events"] for one in found] == [30, 60, 90, 120]
    assert found[-1]["rebuild_pays"] is True
    asked = ("--rebuild-check", "0")
    assert "a new design" not in invoke(*words, *asked, "--rho", "2", "--out", "kept").works().out
    few = ("--events", "rounds:2", "--out", "few")
    shown = invoke("maintain", "subs.parquet", *few).works().out
    assert "a new design" not in shown


def test_algorithm_of_comparisons(invoke: Invoke, desk: Path) -> None:
    design(invoke)
    words = (*KEEP, "--events", "rounds:30", "--rebuild-check", "10", "--out", "kept")
    invoke(*words, "--algorithm", "random").fails("random does not promise")
    invoke(*words, "--rebuild-gain", "0").fails(
        "--rebuild-gain is 0; expected a share of the links"
    )
    assert not (desk / "kept").exists()
    found = invoke(
        *words, "--algorithm", "subset-merge", "--rebuild-gain", "0.01", "--json"
    ).works()
    checks = json.loads(found.out)["rebuild_checks"]
    assert [one["algorithm"] for one in checks] == ["subset-merge"] * 3


def test_impossible_churn_is_rejected(invoke: Invoke, desk: Path) -> None:
    invoke("churn", "--nodes", "2", "--out", "c.csv").fails("2 nodes; expected 3 or more")
    invoke("churn", "--nodes", "-2", "--out", "c.csv").fails("0 nodes; expected 3 or more")
    invoke("churn", "--days", "3", "--out", "c.csv").fails("--days is for --kind machine-events")
    invoke("churn", "--kind", "sessions", "--out", "c.csv").fails("no sessions are given")
    invoke("churn", "subs.parquet", "--nodes", "5", "--out", "c.csv").fails(
        "--nodes is given, but the nodes are those of a table"
    )
    invoke("churn", "--out", "c.txt").fails("the ending is of no known format")
    invoke("churn", "--out", "no/c.csv").fails("there is no folder no")
    assert not (desk / "c.csv").exists()
