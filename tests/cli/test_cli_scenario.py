"""``gossamer simulate --save-scenario`` and ``--scenario``: a run that can be handed on."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.conftest import Invoke

RSS = ("--workload", "rss", "--nodes", "40", "--topics", "10", "--subscriptions", "3-5")
SESSIONS = "node,start_s,end_s\nann,0,9\nbob,1,9\ncy,0,3\ndee,2,9\n"
EVENTS = {
    "generated": ("stan", *RSS, "--exponent", "1.5", "--churn", "exponential:5:2,flash:2:4",
                  "--walk-hops", "3", "--seed", "7"),
    "superpeers": ("similarity", *RSS, "--churn", "superpeer", "--time-scale", "3600",
                   "--same-interests"),
    "file": ("spidercast", "subscriptions.csv", "--churn", "sessions.csv,flash:4:1:1:2",
             "--departure", "crash", "--time-scale", "2", "--loss", "0.1"),
    "delays": ("spidercast", *RSS, "--latency", "rtt.txt", "--partition", "1s-3s:0.5",
               "--duplicate", "0.1", "--reorder", "0.1", "--view", "gossip"),
    "publications": ("spidercast", "subscriptions.csv", "--publications", "posts.csv",
                     "--payload", "50", "--warm-up", "1s", "--snapshots", "2s"),
    "drawn publications": ("elasto", *RSS, "--publish", "20", "--crosspost", "2",
                           "--initial-overlay", "low-oda", "--rebuild", "3s"),
}  # fmt: skip
CYCLES = {
    "generated": ("vitis", *RSS, "--table-size", "6", "--rates", "power-law:1.2", "--seed", "3"),
    "file": ("rvr", "subscriptions.csv", "--churn", "sessions.csv", "--warm-up", "2s"),
    "rates": ("opt", "subscriptions.csv", "--rates", "rates.csv", "--snapshots", "2s",
              "--events-per-topic", "3"),
}  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subscriptions: Path) -> Path:
    """A folder with the input files; the scenario is read in another folder."""
    assert subscriptions.parent == tmp_path
    (tmp_path / "sessions.csv").write_text(SESSIONS)
    (tmp_path / "rtt.txt").write_text("0 20 30\n20 0 -1\n30 40 0\n")
    (tmp_path / "posts.csv").write_text("time_ms,post_id,tags\n0,1,tea jazz\n9,2,chess\n")
    (tmp_path / "rates.csv").write_text("topic,per_second\ntea,0.5\nchess,2\n")
    (tmp_path / "saved").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", EVENTS)
def test_saved_scenario_gives_the_same_trace(invoke: Invoke, desk: Path, case: str) -> None:
    words = ("simulate", *EVENTS[case], "--duration", "6s")
    invoke(*words, "--save-scenario", "saved/s.toml", "--trace", "one.parquet").works()
    (desk / "saved").rename(desk / "moved")
    for name in ("subscriptions.csv", "sessions.csv", "rtt.txt", "posts.csv"):
        (desk / name).unlink()
    again = invoke("simulate", "--scenario", "moved/s.toml", "--trace", "two.parquet").works()
    traces = [pyarrow.parquet.read_table(f"{name}.parquet") for name in ("one", "two")]
    assert traces[0].num_rows > 50
    assert traces[0].equals(traces[1])
    assert ("Publications" in again.out) == ("publications" in case)


@pytest.mark.parametrize("case", CYCLES)
def test_saved_scenario_gives_the_same_cycles(invoke: Invoke, desk: Path, case: str) -> None:
    words = ("simulate", *CYCLES[case], "--engine", "cycles", "--duration", "8s")
    invoke(*words, "--save-scenario", "saved/s.toml", "--out", "one.csv").works()
    invoke("simulate", "--scenario", "saved/s.toml", "--out", "two.csv").works()
    assert Path("one.csv").read_text() == Path("two.csv").read_text()


def test_options_replace_values_of_a_saved_scenario(invoke: Invoke, desk: Path) -> None:
    words = ("simulate", "spidercast", *RSS, "--duration", "4s", "--seed", "5", "--kg", "2")
    invoke(*words, "--save-scenario", "s.toml").works()
    saved = ("simulate", "--scenario", "s.toml")
    assert invoke(*saved).works().out.splitlines()[-1].startswith("events per second")
    assert "spidercast, seed 5, at 3 s" in invoke(*saved, "--duration", "3s").works().out
    assert "ring-per-topic, seed 5" in invoke("simulate", "ring-per-topic", *saved[1:]).works().out
    assert "spidercast, seed 6" in invoke(*saved, "--seed", "6", "--kg", "3").works().out
    invoke(*saved, *RSS).fails("--scenario has its own interests")
    invoke("simulate", "spidercast", "subscriptions.csv", *saved[1:]).fails("its own interests")


def test_changed_or_missing_tables_are_rejected(invoke: Invoke, desk: Path) -> None:
    words = ("simulate", "spidercast", "subscriptions.csv", "--duration", "2s")
    shown = invoke(*words, "--save-scenario", "s.toml").works().out
    assert shown.splitlines()[-1] == "wrote s.toml, s.interests.parquet"
    text = Path("s.toml").read_text()
    Path("s.interests.parquet").write_bytes(b"PAR1")
    invoke("simulate", "--scenario", "s.toml").fails("differs from the table that s.toml was")
    Path("s.interests.parquet").unlink()
    invoke("simulate", "--scenario", "s.toml").fails("there is no table 's.interests.parquet'")
    Path("s.toml").write_text(text.replace("format = 1", "format = 9"))
    invoke("simulate", "--scenario", "s.toml").fails("is not a scenario file of format 1")
    Path("s.toml").write_text("format = 1\nwords = 3\n")
    invoke("simulate", "--scenario", "s.toml").fails("has unknown keys words")
    Path("s.toml").write_text("format =")
    invoke("simulate", "--scenario", "s.toml").fails("cannot be read as a scenario file")
