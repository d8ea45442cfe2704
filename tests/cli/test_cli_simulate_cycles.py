"""``gossamer simulate --engine rounds``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from gossamer.cli.simulate_rounds import suggest_rounds

import gossamer
from gossamer.cycles.models import MODELS
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables import RATES, ROUNDS, read_rates, write_table
from gossamer.workloads import power_law_rates
from tests.cli.conftest import Invoke

DRAWN = ("--workload", "random", "--nodes", "60", "--topics", "20", "--subscriptions", "4")
ROUNDS_ONLY = ("--engine", "rounds")
SMALL = (*ROUNDS_ONLY, *DRAWN)


def fact(out: str, label: str) -> str:
    found = re.search(rf"^{re.escape(label)}  +(\S.*)$", out, re.MULTILINE)
    assert found, (label, out)
    return found.group(1).strip()


@pytest.mark.parametrize("protocol", sorted(MODELS))
def test_the_command_says_what_python_says(invoke: Invoke, protocol: str) -> None:
    interests = gossamer.generate_interests("random", nodes=60, topics=20, subscriptions=4, seed=3)
    done = gossamer.simulate(
        gossamer.Scenario(interests, duration=40, seed=3), protocol, engine="cycles"
    )
    shown = invoke("simulate", protocol, *SMALL, "--rounds", "40", "--seed", "3").works().out
    assert shown.startswith(f"{protocol}, seed 3, after 40 rounds\n")
    assert fact(shown, "nodes") == "60"
    assert fact(shown, "hit ratio") == f"{done.last.hit_ratio:.4f}"
    assert float(fact(shown, "hops of a delivery, mean")) == pytest.approx(done.last.hops, abs=0.01)
    assert fact(shown, "links of a node, most") == str(done.last.links_max)
    assert ("ring right, of nodes" in shown) == (protocol != "opt")
    assert "peer sampling" in shown.splitlines()[-1], "where the time went"
    for label in ("", ", every notification counted", ", mean over nodes"):
        assert 0 <= float(fact(shown, f"traffic overhead{label}")) < 1


def test_measures_over_rounds_are_written_and_drawn(invoke: Invoke, tmp_path: Path) -> None:
    out, picture = tmp_path / "r.parquet", tmp_path / "p.png"
    words = (
        "simulate",
        "vitis",
        *SMALL,
        "--rounds",
        "35",
        "--snapshots",
        "10s",
        "--table-size",
        "6",
    )
    shown = invoke(*words, "--out", out, "--picture", picture).works().out
    assert "Over rounds" in shown
    assert shown.splitlines()[-1] == f"wrote {out}, {picture}"
    table = pyarrow.parquet.read_table(out)
    assert tuple(table.column_names) == ROUNDS.column_names
    assert table.column("round").to_pylist() == [10, 20, 30, 35]
    assert table.column("hit_ratio").to_pylist()[-1] == 1.0
    assert picture.read_bytes().startswith(b"\x89PNG")
    interests = gossamer.generate_interests("random", nodes=60, topics=20, subscriptions=4, seed=0)
    done = gossamer.simulate(
        gossamer.Scenario(interests, duration=35),
        "vitis",
        options={"table_size": 6},
        engine="cycles",
        recording=gossamer.Recording(snapshots=10),
    )
    assert table.to_pylist() == [one.summary() for one in done.cycles]


@pytest.mark.parametrize("protocol", ["vitis", "opt"])
def test_a_single_measurement_is_drawn_by_node(
    invoke: Invoke, tmp_path: Path, subscriptions: Path, protocol: str
) -> None:
    words = ("simulate", protocol, subscriptions, *ROUNDS_ONLY, "--rounds", "20")
    invoke(*words, "--picture", tmp_path / "p.svg").works()
    assert "Traffic overhead of a node" in (tmp_path / "p.svg").read_text()


def test_nodes_that_come_and_go(invoke: Invoke, tmp_path: Path) -> None:
    rows = [f"n{k},0,{90 if k % 3 else 30}\n" for k in range(60)]
    (tmp_path / "s.csv").write_text("node,start_s,end_s\n" + "".join(rows))
    words = ("simulate", "vitis", *SMALL, "--churn", tmp_path / "s.csv")
    shown = invoke(*words, "--until", "60s", "--snapshots", "30", "--grace", "5s").works().out
    assert "sessions: in order, since names differ; nodes count from 5 s after" in shown
    assert re.search(r"^60 +40 ", shown, re.MULTILINE)
    assert fact(shown, "departures") == "20"
    fast = invoke(*words, "--rounds", "60", "--grace", "0s", "--speed-up", "10").works().out
    assert fact(fast, "nodes") == "0"
    assert fact(fast, "departures") == "60"
    law = ("--churn", "exponential:20", "--until", "40s", "--departure", "crash")
    invoke("simulate", "rvr", *SMALL, *law, "--rejoin", "same").works()


def test_rates_by_law_and_of_a_table(invoke: Invoke, tmp_path: Path) -> None:
    words = ("simulate", "vitis", *SMALL, "--rounds", "30", "--table-size", "5")
    law = invoke(*words, "--rates", "power-law:1.5").works().out
    rates = power_law_rates(20, 1.5)
    table = RATES.table(pyarrow.array(range(20)), [1] * 20, rates.tolist())
    write_table(tmp_path / "rates.parquet", table)
    given = invoke(*words, "--rates", tmp_path / "rates.parquet").works().out
    assert "rates: power-law:1.5" in law
    assert "rates: of 20 topics; nothing is published on 0 others" in given
    even = invoke(*words).works().out
    overheads = [fact(out, "traffic overhead") for out in (law, given, even)]
    assert overheads[0] == overheads[1] != overheads[2]


def test_tables_of_rates(tmp_path: Path) -> None:
    interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["chess"]})
    path = tmp_path / "rates.csv"
    path.write_text("topic,per_second,what\ntea,0.5,x\nchess,2,y\ngo,7,z\n")
    rates = dict(
        zip(interests.topic_names.tolist(), read_rates(path, interests).rates, strict=True)
    )
    assert rates == {"chess": 2.0, "jazz": 0.0, "tea": 0.5}
    (tmp_path / "folder" / "rates").mkdir(parents=True)
    table = RATES.table(pyarrow.array(["tea"]), [3], [1.5])
    write_table(tmp_path / "folder" / "rates" / "part-0.parquet", table)
    assert read_rates(tmp_path / "folder", interests).rates.tolist() == [0.0, 0.0, 1.5]
    for text, says in (
        ("topic,rate\ntea,1\n", "expected the columns topic, per_second"),
        ("topic,per_second\ntea,often\n", "the rate of tea is 'often'; expected a number"),
        ("topic,per_second\ntea,-1\n", "the rate of tea is -1; expected 0 or more"),
        ("topic,per_second\ntea,nan\n", "the rate of tea is nan"),
        ("topic,per_second\ntea,1\ntea,2\n", "has 2 rates of the topic tea; expected one"),
        ("topic,per_second\ngo,1\n", "none of its 1 topics has a subscriber"),
    ):
        path.write_text(text)
        with pytest.raises(TableError, match=re.escape(says)):
            read_rates(path, interests)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(TableError, match=r"broken\.parquet"):
        read_rates(tmp_path / "broken.parquet", interests)


def test_the_list_says_which_can_run_in_rounds(invoke: Invoke) -> None:
    shown = invoke("simulate", "--list").works().out
    _, _, rounds = shown.partition("Protocols that can run in rounds: --engine rounds")
    for word in ("vitis", "rvr", "opt", "--table-size 15", "--cover 3"):
        assert word in rounds


def test_many_machines_are_told_of_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    suggest_rounds("vitis", 2000)
    suggest_rounds("spidercast", 100_000)
    assert capsys.readouterr().err == ""
    suggest_rounds("vitis", 10_000)
    assert capsys.readouterr().err == "10,000 nodes: --engine rounds simulates vitis faster\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("spidercast", *SMALL), "spidercast cannot be run in rounds; opt, rvr, vitis can"),
        (("vitis", *SMALL, "--kg", "3"), "vitis has no option --kg; its options are: --table-size"),
        (("vitis", *SMALL, "--table-size", "2"), "table_size is 2; expected 3 to"),
        (("vitis", *SMALL, "--table-size", "x"), "--table-size is 'x'; expected a whole number"),
        (("rvr", *SMALL, "--lookup", "far"), "--lookup is 'far'; expected one of table, links"),
        (("vitis", *ROUNDS_ONLY), "who wants what?"),
        (("vitis", *SMALL, "--view", "full"), "--view is about machines"),
        (("vitis", *SMALL, "--latency", "uniform:5ms"), "--latency is about machines"),
        (("vitis", *SMALL, "--loss", "0.1"), "--loss is about machines"),
        (("vitis", *SMALL, "--publish", "3"), "--publish is about machines"),
        (("vitis", *SMALL, "--trace", "t.parquet"), "--trace is about machines"),
        (("vitis", *SMALL, "--views", "v.csv"), "--views is about machines"),
        (("vitis", *SMALL, "--overlay", "l.csv"), "--overlay is about machines"),
        (("vitis", *SMALL, "--by-node", "n.csv"), "--by-node is about machines"),
        (("vitis", *SMALL, "--bytes"), "--bytes is about machines"),
        (("vitis", *SMALL, "--rounds", "0"), "rounds is 0; expected 1"),
        (("vitis", *SMALL, "--rounds", "9", "--until", "9s"), "a round is a second; give one"),
        (("vitis", *SMALL, "--until", "1.5s"), "--until is '1.5s'; expected whole seconds"),
        (("vitis", *SMALL, "--snapshots", "soon"), "--snapshots is 'soon'"),
        (("vitis", *SMALL, "--events", "0"), "events is 0"),
        (("vitis", *SMALL, "--grace", "3s"), "--grace is about nodes that come and go"),
        (
            ("vitis", *SMALL, "--max-in-degree", "3"),
            "--max-in-degree is an option of vitis with --engine machines",
        ),
        (("vitis", *SMALL, "--speed-up", "3"), "--speed-up is about nodes that come and go"),
        (("vitis", *SMALL, "--churn", "often"), "churn is 'often'"),
        (("vitis", *SMALL, "--rates", "law"), "--rates is 'law'; expected power-law:1.2, or"),
        (("vitis", *SMALL, "--rates", "power-law:x"), "--rates is 'power-law:x'; expected a"),
        (("vitis", *SMALL, "--rates", "power-law:nan"), "alpha is nan"),
        (("vitis", *SMALL, "--rates", "no.csv"), "no such file"),
        (("vitis", *SMALL, "--departure", "leave"), "nodes go without a word"),
        (("vitis", *SMALL, "--rejoin", "fresh"), "nodes come back with the same topics"),
        (("vitis", *SMALL, "--out", "a.png", "--picture", "a.png"), "a.png"),
        (("vitis", *SMALL, "--picture", "p.gif"), ".png"),
        (("spidercast", *DRAWN, "--rounds", "9"), "--rounds is about rounds"),
        (("spidercast", *DRAWN, "--rates", "x.csv"), "--rates is about rounds"),
        (
            ("vitis", *DRAWN, "--lookup", "table"),
            "--lookup is an option of vitis with --engine rounds",
        ),
        (("spidercast", *DRAWN, "--grace", "9s"), "--grace is about what is published"),
        (("spidercast", *DRAWN, "--events", "9"), "--events is about rounds"),
    ],
)
def test_what_is_refused(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...],
    says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    invoke("simulate", *words).fails(says)
    assert list(tmp_path.iterdir()) == []


def test_a_summary_is_a_row_of_the_table() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    last = gossamer.simulate(gossamer.Scenario(interests, duration=5), "rvr", engine="cycles").last
    assert tuple(last.summary()) == ROUNDS.column_names
    assert all(np.isfinite(value) for value in last.summary().values())
