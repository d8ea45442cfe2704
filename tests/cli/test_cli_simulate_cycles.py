"""``gossamer simulate --engine cycles``: output, files and rejected options."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import gossamer
from gossamer.cycles.models import MODELS
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables import RATES, ROUNDS, read_rates, write_table
from gossamer.workloads import power_law_rates
from tests.cli.conftest import Invoke, fact

DRAWN = ("--workload", "random", "--nodes", "60", "--topics", "20", "--subscriptions", "4")
CYCLES_ONLY = ("--engine", "cycles")
SMALL = (*CYCLES_ONLY, *DRAWN)


@pytest.mark.parametrize("protocol", sorted(MODELS))
def test_command_shows_the_result_of_python(invoke: Invoke, protocol: str) -> None:
    interests = gossamer.generate_interests("random", nodes=60, topics=20, subscriptions=4, seed=3)
    done = gossamer.simulate(
        gossamer.Scenario(interests, duration=40, seed=3), protocol, engine="cycles"
    )
    shown = invoke("simulate", protocol, *SMALL, "--duration", "40s", "--seed", "3").works().out
    assert shown.startswith(f"{protocol}, seed 3, after 40 cycles\n")
    assert fact(shown, "nodes") == "60"
    assert (
        fact(shown, "hit ratio, of expected deliveries")
        == f"{100 * done.last_cycle.hit_ratio:.4g} %"
    )
    assert float(fact(shown, "hops per delivery, mean")) == pytest.approx(
        done.last_cycle.hops, abs=0.01
    )
    assert fact(shown, "links per node, maximum") == str(done.last_cycle.links_max)
    ring = fact(shown, "nodes with the right ring neighbours")
    assert ring == ("–" if protocol == "opt" else f"{100 * done.last_cycle.ring:.4g} %")
    assert "peer sampling" in shown.splitlines()[-1], "where the time went"
    for label in (", of first copies", ", of all copies", " of a node, mean over nodes"):
        assert 0 <= float(fact(shown, f"traffic overhead{label}").removesuffix(" %")) < 100


def test_measures_over_cycles_are_written_and_drawn(invoke: Invoke, tmp_path: Path) -> None:
    out, picture = tmp_path / "r.parquet", tmp_path / "p.png"
    words = (
        "simulate",
        "vitis",
        *SMALL,
        "--duration",
        "35s",
        "--snapshots",
        "10s",
        "--table-size",
        "6",
    )
    shown = invoke(*words, "--out", out, "--picture", picture).works().out
    assert "Over cycles" in shown
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
        engine="cycles",
        recording=gossamer.Recording(snapshots=10),
        table_size=6,
    )
    assert table.to_pylist() == [one.row() for one in done.cycles]


@pytest.mark.parametrize("protocol", ["vitis", "opt"])
def test_single_measurement_is_drawn_by_node(
    invoke: Invoke, tmp_path: Path, subscriptions: Path, protocol: str
) -> None:
    words = ("simulate", protocol, subscriptions, *CYCLES_ONLY, "--duration", "20s")
    invoke(*words, "--picture", tmp_path / "p.svg").works()
    assert "Traffic overhead of a node" in (tmp_path / "p.svg").read_text()


def test_churn(invoke: Invoke, tmp_path: Path) -> None:
    rows = [f"n{k},0,{90 if k % 3 else 30}\n" for k in range(60)]
    (tmp_path / "s.csv").write_text("node,start_s,end_s\n" + "".join(rows))
    words = ("simulate", "vitis", *SMALL, "--churn", tmp_path / "s.csv")
    shown = invoke(*words, "--duration", "60s", "--snapshots", "30", "--warm-up", "5s").works().out
    assert "sessions: in order, since names differ" in shown
    assert re.search(r"^60 +40 ", shown, re.MULTILINE)
    assert fact(shown, "departures") == "20"
    fast = invoke(*words, "--duration", "60s", "--warm-up", "0s", "--time-scale", "10").works().out
    assert fact(fast, "nodes") == "0"
    assert fact(fast, "departures") == "60"
    law = ("--churn", "exponential:20", "--duration", "40s", "--departure", "crash")
    invoke("simulate", "rvr", *SMALL, *law, "--same-interests").works()


def test_rates_by_law_and_table(invoke: Invoke, tmp_path: Path) -> None:
    words = ("simulate", "vitis", *SMALL, "--duration", "30s", "--table-size", "5")
    law = invoke(*words, "--rates", "power-law:1.5").works().out
    rates = power_law_rates(20, 1.5)
    table = RATES.table(pyarrow.array(range(20)), [1] * 20, rates.tolist())
    write_table(tmp_path / "rates.parquet", table)
    given = invoke(*words, "--rates", tmp_path / "rates.parquet").works().out
    assert "rates: power-law:1.5" in law
    assert "rates: of 20 topics; 0 others have no publications" in given
    even = invoke(*words).works().out
    overheads = [fact(out, "traffic overhead, of first copies") for out in (law, given, even)]
    assert overheads[0] == overheads[1] != overheads[2]


def test_rate_tables(tmp_path: Path) -> None:
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


def test_list_shows_cycle_driven_protocols(invoke: Invoke) -> None:
    shown = invoke("simulate", "--list").works().out
    _, _, rounds = shown.partition("Protocols with --engine cycles")
    for word in ("vitis", "rvr", "opt", "--table-size 15", "--cover 3"):
        assert word in rounds


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("spidercast", *SMALL),
            "spidercast has no cycle-driven simulation; expected one of opt, rvr, vitis",
        ),
        (
            ("vitis", *SMALL, "--kg", "3"),
            "engine cycles has no option --kg; its options are: --table-size",
        ),
        (("vitis", *SMALL, "--table-size", "2"), "table_size is 2; expected 3 to"),
        (("vitis", *SMALL, "--table-size", "x"), "--table-size is 'x'; expected a whole number"),
        (("rvr", *SMALL, "--lookup", "far"), "--lookup is 'far'; expected one of links, table"),
        (("vitis", *CYCLES_ONLY), "no subscriptions are given"),
        (("vitis", *SMALL, "--view", "5%"), "view is for the event-driven engine"),
        (("vitis", *SMALL, "--latency", "uniform:5ms"), "latency is for the event-driven engine"),
        (("vitis", *SMALL, "--loss", "0.1"), "loss is for the event-driven engine"),
        (("vitis", *SMALL, "--publish", "3"), "publications is for the event-driven engine"),
        (("vitis", *SMALL, "--trace", "t.parquet"), "trace is for the event-driven engine"),
        (("vitis", *SMALL, "--views", "v.csv"), "views is for the event-driven engine"),
        (("vitis", *SMALL, "--overlay", "l.csv"), "overlay is for the event-driven engine"),
        (("vitis", *SMALL, "--by-node", "n.csv"), "by_node is for the event-driven engine"),
        (("vitis", *SMALL, "--bytes"), "bytes is for the event-driven engine"),
        (("vitis", *SMALL, "--duration", "0s"), "--duration is '0s'"),
        (
            ("vitis", *SMALL, "--duration", "1.5s"),
            "duration is 1.5 seconds; expected whole seconds",
        ),
        (("vitis", *SMALL, "--snapshots", "soon"), "--snapshots is 'soon'"),
        (("vitis", *SMALL, "--events-per-topic", "0"), "events_per_topic is 0"),
        (
            ("vitis", *SMALL, "--max-paths", "3"),
            "vitis with engine cycles has no option --max-paths",
        ),
        (("vitis", *SMALL, "--time-scale", "3"), "time_scale is for nodes that leave and return"),
        (("vitis", *SMALL, "--churn", "often"), "churn is 'often'"),
        (("vitis", *SMALL, "--rates", "law"), "rates is 'law'; expected power-law:1.2, or"),
        (("vitis", *SMALL, "--rates", "power-law:x"), "rates is 'power-law:x'; expected a"),
        (("vitis", *SMALL, "--rates", "power-law:nan"), "alpha is nan"),
        (("vitis", *SMALL, "--rates", "no.csv"), "no such file"),
        (("vitis", *SMALL, "--out", "a.png", "--picture", "a.png"), "a.png"),
        (("vitis", *SMALL, "--picture", "p.gif"), ".png"),
        (("spidercast", *DRAWN, "--rates", "x.csv"), "rates is for the cycle-driven engine"),
        (
            ("vitis", *DRAWN, "--ring-share", "0.5"),
            "engine events has no option --ring-share",
        ),
        (("vitis", *SMALL, "--new-interests", "--churn", "exponential:9"), "new_interests"),
        (("spidercast", *DRAWN, "--warm-up", "9s"), "warm_up is for publications"),
    ],
)
def test_invalid_options_are_rejected(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...],
    says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    invoke("simulate", *words).fails(says)
    assert list(tmp_path.iterdir()) == []


def test_summary_is_a_row_of_the_table() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    last = gossamer.simulate(
        gossamer.Scenario(interests, duration=5), "rvr", engine="cycles"
    ).last_cycle
    assert tuple(last.row()) == ROUNDS.column_names
    assert all(np.isfinite(value) for value in last.row().values())
