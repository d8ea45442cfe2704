"""``gossamer simulate``: output, files and rejected options."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet
import pytest

from gossamer.tables import SESSIONS, SNAPSHOTS, TRACE, read_interests, read_links, write_table
from tests.cli.conftest import Invoke, fact

SMALL = ("--workload", "rss", "--nodes", "60", "--topics", "10", "--subscriptions", "3")


def test_output_files(invoke: Invoke, subscriptions: Path, tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("s.parquet", "l.csv", "t.parquet", "p.png")}
    shown = invoke(
        "simulate", "spidercast", subscriptions, "--out", paths["s.parquet"], "--overlay",
        paths["l.csv"], "--trace", paths["t.parquet"], "--picture", paths["p.png"], "--bytes",
    ).works()  # fmt: skip
    for word in ("Over time", "Messages", "heartbeat", "bytes", "links per node, mean"):
        assert word in shown.out
    assert shown.out.splitlines()[-1].startswith("wrote ")
    interests = read_interests(subscriptions)
    overlay = read_links(paths["l.csv"], interests)
    assert overlay.link_count == 4, "ann, bob and cy on tea, cy and dee on chess"
    table = pyarrow.parquet.read_table(paths["s.parquet"])
    assert SNAPSHOTS.has_columns(table.column_names)
    assert "under_covered" in table.column_names
    trace = pyarrow.parquet.read_table(paths["t.parquet"])
    assert tuple(trace.column_names) == TRACE.column_names
    assert {"ann", "bob", "cy", "dee"} == set(trace.column("node").to_pylist())
    assert set(trace.column("what").to_pylist()) >= {"start", "send", "receive", "link"}
    assert paths["p.png"].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("protocol", ["stan", "spidercast"])
def test_views_of_each_node(invoke: Invoke, tmp_path: Path, protocol: str) -> None:
    words = ("simulate", protocol, *SMALL, "--duration", "4s", "--snapshots", "2s")
    shown = invoke(
        *words, "--by-node", tmp_path / "n.parquet", "--out", tmp_path / "s.parquet"
    ).works()
    rows = pyarrow.parquet.read_table(tmp_path / "n.parquet").to_pylist()
    snapshots = pyarrow.parquet.read_table(tmp_path / "s.parquet").to_pylist()
    assert [one["time"] for one in snapshots] == [2_000_000, 4_000_000]
    assert all(f" {one['mean_view']:.2f} " in shown.out for one in snapshots)
    for one in snapshots:
        there = [row for row in rows if row["time"] == one["time"]]
        assert len({row["node"] for row in there}) == 60
        assert sum(row["degree"] for row in there) == 2 * one["links"]
        assert sum(row["view"] for row in there) == pytest.approx(60 * one["mean_view"])
        assert all(row["view"] >= row["degree"] for row in there)


def test_same_command_gives_same_output(invoke: Invoke) -> None:
    words = (
        "simulate",
        "spidercast",
        *SMALL,
        "--view",
        "gossip",
        "--loss",
        "0.1",
        "--duration",
        "5s",
    )

    def run() -> list[str]:
        lines = invoke(*words, "--seed", "3").works().out.splitlines()
        return [line for line in lines if "second" not in line]

    assert run() == run()


def test_sessions_delays_and_crashes(invoke: Invoke, tmp_path: Path) -> None:
    table = SESSIONS.table(
        pyarrow.array([f"n{k}" for k in range(70)]), [0] * 70,
        [3_600_000_000 if k % 3 else 1_800_000_000 for k in range(70)],
    )  # fmt: skip
    write_table(tmp_path / "sessions.parquet", table)
    (tmp_path / "rtt.txt").write_text("0 20 30\n20 0 -1\n30 40 0\n")
    shown = invoke(
        "simulate", "spidercast", *SMALL, "--churn", tmp_path / "sessions.parquet",
        "--time-scale", "100", "--duration", "30s", "--snapshots", "5s", "--departure", "crash",
        "--latency", tmp_path / "rtt.txt", "--kg", "2", "--kr", "1", "--same-interests",
    ).works()  # fmt: skip
    assert re.search(r"^30.00 +40 ", shown.out, re.MULTILINE), "a third has gone by the end"
    assert "every topic connected, in every snapshot" in shown.out


@pytest.mark.parametrize(
    "churn",
    ["exponential:20", "weibull:0.7:20", "pareto:2:10:5", "exponential:20:20,flash:5:20:1:9"],
)
def test_churn_laws(invoke: Invoke, churn: str) -> None:
    words = ("simulate", "spidercast", *SMALL, "--churn", churn, "--duration", "20s")
    shown = invoke(*words, "--adaptive").works().out
    assert int(fact(shown, "joins")) > 0
    assert int(fact(shown, "departures")) > 0


def test_flash_crowd_after_a_sessions_table(invoke: Invoke, tmp_path: Path) -> None:
    table = SESSIONS.table(
        pyarrow.array([f"n{k}" for k in range(60)]), [0] * 20 + [90_000_000] * 40,
        [99_000_000] * 60,
    )  # fmt: skip
    write_table(tmp_path / "sessions.parquet", table)
    words = ("simulate", "similarity", *SMALL, "--duration", "20s", "--snapshots", "5s", "--churn")
    shown = invoke(*words, f"{tmp_path / 'sessions.parquet'},flash:6:30:2:99").works()
    assert re.search(r"^5.00 +20 ", shown.out, re.MULTILINE), "before the crowd"
    assert re.search(r"^15.00 +50 ", shown.out, re.MULTILINE), "after it"


def test_superpeer_sessions(invoke: Invoke) -> None:
    words = ("simulate", "similarity", *SMALL, "--churn", "superpeer", "--time-scale", "3600")
    shown = invoke(*words, "--duration", "24s").works().out
    assert "superpeers, drawn for each node" in shown
    assert int(fact(shown, "joins")) > int(fact(shown, "departures")) > 0


def test_follower_graph_workload(invoke: Invoke) -> None:
    drawn = ("--workload", "follower-graph", "--nodes", "200", "--topics", "200")
    law = ("--subscriptions", "3-50", "--exponent", "1.65", "--within", "0.3")
    invoke("simulate", "similarity", *drawn, *law, "--duration", "2s").works()


def test_options_of_protocol_and_workload_are_divided(invoke: Invoke) -> None:
    zipf = ("--workload", "zipf", "--alpha", "0.9", *SMALL[2:])
    invoke("simulate", "similarity", *zipf, "--similar-links", "3", "--duration", "2s").works()
    invoke(
        "simulate", "ring-per-topic", *SMALL, "--duration", "2s", "--latency", "uniform:1s"
    ).works()


def test_list_of_protocols(invoke: Invoke) -> None:
    shown = invoke("simulate", "--list").works().out
    for word in ("spidercast", "ring-per-topic", "--kg 3", "DEBS 2007"):
        assert word in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no protocol is named"),
        (("tarot", *SMALL), "no protocol is named 'tarot'"),
        (("spidercast",), "no subscriptions are given"),
        (("spidercast", "x.csv", *SMALL), "either a file of subscriptions or --workload"),
        (("spidercast", "x.csv"), "no such file"),
        (("spidercast", *SMALL, "--rho", "3"), "spidercast has no option --rho"),
        (("spidercast", *SMALL, "--kg", "many"), "--kg is 'many'"),
        (("spidercast", *SMALL, "--kg"), "--kg needs a value"),
        (("spidercast", *SMALL, "--adaptive", "maybe"), "expected yes or no"),
        (("spidercast", *SMALL, "--view", "half"), "view is 'half'"),
        (("spidercast", *SMALL, "--duration", "soon"), "--duration is 'soon'"),
        (("spidercast", *SMALL, "--duration", "0s"), "--duration is '0s'"),
        (("spidercast", *SMALL, "--churn", "often"), "churn is 'often'"),
        (("spidercast", *SMALL, "--churn", "no.parquet"), "no such file"),
        (("spidercast", *SMALL, "--churn", "no.csv,flash:1:9"), "no.csv: there is no such file"),
        (("spidercast", *SMALL, "--churn", "exponential:9,flash:1"), "expected flash:AT:JOINING"),
        (("spidercast", *SMALL, "--churn", "exponential:9,flash:1:99"), "are absent then"),
        (("spidercast", *SMALL, "--churn", "exponential:9,flash:9999:1"), "the run ends at 1000 s"),
        (("spidercast", *SMALL, "--latency", "uniform:fast"), "uniform:5-15ms"),
        (("spidercast", *SMALL, "--latency", "no.txt"), "no such file"),
        (("spidercast", *SMALL, "--loss", "2"), "loss is 2.0"),
        (("spidercast", *SMALL, "--time-scale", "0", "--churn", "x.csv"), "time_scale is 0"),
        (("spidercast", *SMALL, "--time-scale", "2"), "give churn too"),
        (("spidercast", *SMALL, "--partition", "9s"), "expected START-END:SHARE"),
        (("spidercast", *SMALL, "--partition", "9s-5s:0.5"), "expected an end after its start"),
        (("spidercast", *SMALL, "--partition", "5s-9s:2"), "share of the nodes between 0 and 1"),
        (("spidercast", *SMALL, "--duplicate", "2"), "duplicate is 2.0; expected a probability"),
        (("spidercast", *SMALL, "--reorder", "-1"), "reorder is -1.0; expected a probability"),
        (("spidercast", *SMALL, "--rates", "power-law:1"), "rates is for the cycle-driven engine"),
        (
            ("spidercast", *SMALL, "--events-per-topic", "3"),
            "events_per_topic is for the cycle-driven engine",
        ),
        (("spidercast", *SMALL, "--save-scenario", "a.json"), ".toml"),
        (("--scenario", "a.toml"), "a.toml: cannot be read as a scenario file"),
        (("spidercast", *SMALL, "--latency", "10ms"), "expected a range as in uniform:5-15ms"),
        (("spidercast", *SMALL, "--duration", "0.1us"), "duration is"),
        (("spidercast", *SMALL, "--out", "a.csv", "--overlay", "a.csv"), "the same file"),
        (("spidercast", "--adaptive", "x.csv"), "--adaptive is 'x.csv'"),
        (("spidercast", *SMALL, "--trace", "t.csv"), ".parquet"),
        (("spidercast", *SMALL, "--picture", "p.gif"), ".png"),
    ],
)
def test_invalid_options_are_rejected(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...],
    says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    invoke("simulate", *words).fails(says)
    assert list(tmp_path.iterdir()) == []


def test_malformed_tables_are_rejected(invoke: Invoke, tmp_path: Path) -> None:
    for name, text, says in (
        ("a.csv", "node,from,to\n1,2,3\n", "expected the columns node, start, end"),
        ("b.csv", "node,start,end\n1,2,x\n", "b.csv, line 2: the time is 'x'; expected a number"),
        (
            "c.csv",
            "node,start,end\n1,5,2\n",
            "runs from '5' to '2'; expected an end after its start",
        ),
        ("d.csv", "node,start_s,end_s\n", "no rows"),
        ("e.csv", "node,start_s,end_s\n1,0,5\n", "sessions of 1 nodes, and there are 60 nodes"),
    ):
        (tmp_path / name).write_text(text)
        invoke("simulate", "spidercast", *SMALL, "--churn", tmp_path / name).fails(says)
    for name, text, says in (
        ("a.txt", "1 2\n3\n", "not a square matrix"),
        ("b.txt", "1 x\n3 4\n", "could not convert"),
        ("c.txt", "-1\n", "no pair of sites has a delay"),
    ):
        (tmp_path / name).write_text(text)
        invoke("simulate", "spidercast", *SMALL, "--latency", tmp_path / name).fails(says)


def test_sessions_are_assigned_by_name_or_in_order(
    invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    table = tmp_path / "sessions.csv"

    def run(text: str) -> tuple[str, dict[str, int]]:
        table.write_text("node,start_s,end_s\n" + text)
        trace = tmp_path / "t.parquet"
        words = ("--churn", table, "--duration", "9s", "--trace", trace)
        shown = invoke("simulate", "spidercast", subscriptions, *words).works().out
        rows = pyarrow.parquet.read_table(trace).to_pylist()
        return shown, {r["node"]: r["time"] // 10**6 for r in rows if r["what"] == "start"}

    named = "zed,7,9\ndee,4,9\ncy,3,9\nbob,2,9\nann,1,9\n"
    shown, started = run(named)
    assert "by name" in shown
    assert started == {"ann": 1, "bob": 2, "cy": 3, "dee": 4}
    shown, started = run("1,4,9\n2,3,9\n3,2,9\n4,1,9\n5,8,9\n")
    assert "in order, since names differ" in shown
    assert started == {"ann": 4, "bob": 3, "cy": 2, "dee": 1}
    table.write_text("node,start_s,end_s\nAnn,0,9\nbob,0,9\ncy,0,9\ndee,0,9\n")
    invoke("simulate", "spidercast", subscriptions, "--churn", table).fails(
        "1 of 4 nodes have no sessions, such as 'ann'"
    )
    numbered = tmp_path / "numbered.csv"
    numbered.write_text("node,topic\n1,a\n2,a\n3,a\n")
    table.write_text("node,start_s,end_s\n1,0,9\nl2,0,9\n3,0,9\n")  # one of them is a text
    invoke("simulate", "spidercast", numbered, "--churn", table).fails(
        "1 of 3 nodes have no sessions, such as '2'"
    )


def test_workload_options_with_a_file_are_rejected(invoke: Invoke, subscriptions: Path) -> None:
    for command in ("simulate", "compare"):
        words = [command, *(["spidercast"] if command == "simulate" else []), subscriptions]
        invoke(*words, "--nodes", "5").fails("--nodes applies to --workload")


def test_table_of_joins_and_leaves(invoke: Invoke, tmp_path: Path) -> None:
    table, churn = str(tmp_path / "w.csv"), str(tmp_path / "churn.csv")
    assert invoke("workload", "rss", *SMALL[2:], "--out", table).code == 0
    assert invoke("churn", table, "--rounds", "9", "--out", churn).code == 0
    done = invoke(
        "simulate", "elasto", table, "--churn", churn, "--initial-overlay", "low-oda",
        "--duration", "15s",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert re.search(r"topics connected, of all +10 of 10\n", done.out)


@pytest.mark.parametrize(
    ("fault", "kinds"), [("--duplicate", "0.5"), ("--reorder", "0.5"), ("--partition", "2s-6s:0.5")]
)
def test_network_faults_change_the_trace(
    invoke: Invoke, tmp_path: Path, fault: str, kinds: str
) -> None:
    words = ("simulate", "spidercast", *SMALL, "--duration", "8s", "--trace")
    traces = []
    for number, more in enumerate(((), (fault, kinds), (fault, kinds))):
        path = tmp_path / f"{number}.parquet"
        invoke(*words, path, *more).works()
        traces.append(pyarrow.parquet.read_table(path))
    assert not traces[0].equals(traces[1])
    assert traces[1].equals(traces[2])
