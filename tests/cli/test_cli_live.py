"""``gossamer node``, ``gossamer cluster`` and ``gossamer replay``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet

from gossamer.tables import SNAPSHOTS, TRACE
from tests.cli.conftest import Invoke


def test_node_journal_trace_and_replay(tmp_path: Path, invoke: Invoke) -> None:
    words = [sys.executable, "-m", "gossamer", "node", "--json", "--loop-seconds", "0.05"]
    first = subprocess.Popen(
        [*words, "--subscribe", "tea", "--journal", str(tmp_path / "a.journal"),
         "--trace", str(tmp_path / "t.parquet")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert first.stdout is not None
    address = json.loads(first.stdout.readline())["address"]
    second = subprocess.Popen(
        [*words, "--subscribe", "tea", "--join", address], stdout=subprocess.PIPE, text=True
    )
    assert second.stdout is not None
    while not (said := json.loads(second.stdout.readline()))["links"]:
        pass
    assert said["links"] == [address]
    assert said["topics"] == ["tea"]
    for process in (second, first):
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0, "also while standard input is open"
        process.communicate()
    _check_replay(tmp_path / "a.journal", address, invoke)
    trace = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert tuple(trace.column_names) == TRACE.column_names
    assert set(trace.column("what").to_pylist()) >= {"start", "send", "receive", "link", "leave"}
    assert set(trace.column("node").to_pylist()) == {address}


def _check_replay(journal: Path, address: str, invoke: Invoke) -> None:
    shown = invoke("replay", journal, "--events", "3").works().out
    assert "Started" in shown
    assert address in shown
    assert shown.split()[-2:] == ["equal", "yes"]
    found = json.loads(invoke("replay", journal, "--events", "3", "--json").works().out)
    assert found["equal"] is True
    assert found["first_events"][0]["event"] == "Started"
    assert found["events"] > len(found["first_events"]) == 3
    content = journal.read_bytes()
    changed = journal.with_name("changed.journal")
    changed.write_bytes(content.replace(b"kg\x03", b"kg\x00").replace(b"kr\x00", b"kr\x01"))
    differs = invoke("replay", changed)
    assert differs.code == 1
    assert "differs" in differs.out
    invoke("replay", changed.with_name("none.journal")).fails("No such file")
    changed.write_bytes(content[:-1])
    invoke("replay", changed).fails(f"{changed}: the journal breaks off")
    changed.write_bytes(b"tea")
    invoke("replay", changed).fails("journal")


def test_node_and_cluster_reject_wrong_input(invoke: Invoke) -> None:
    invoke("node", "--listen", "here").fails("expected host:port")
    invoke("node", "--join", "here").fails("expected host:port")
    invoke("node", "--protocol", "tarot").fails("no protocol is named 'tarot'")
    invoke("node", "--rho", "3").fails("spidercast has no option --rho")
    invoke("node", "--for", "ever").fails("expected a duration")
    invoke("node", "--listen", "192.0.2.1:7").fails("cannot listen at 192.0.2.1:7")
    invoke("cluster", "--nodes", "0").fails("expected 1 or more")
    invoke("cluster", "--nodes", "2", "--kg", "-1").fails("kg is -1")
    invoke("cluster", "--workload", "tarot").fails("tarot")


def test_cluster_connects_topics_and_writes_snapshots(invoke: Invoke, tmp_path: Path) -> None:
    shown = invoke(
        "cluster", "--nodes", "3", "--topics", "4", "--subscriptions", "3", "--once-connected",
        "--loop-seconds", "0.05", "--out", tmp_path / "s.parquet",
    ).works()  # fmt: skip
    assert "4 of 4 topics connected" in shown.out
    assert shown.out.splitlines()[-2] == "all nodes have left"
    table = pyarrow.parquet.read_table(tmp_path / "s.parquet")
    assert tuple(table.column_names) == SNAPSHOTS.column_names
    last = table.to_pylist()[-1]
    assert last["topics_connected"] == last["topics"] == last["components"] == 4
    assert last["messages"] > last["control"] > 0


def test_node_publishes_lines_of_standard_input() -> None:
    words = [sys.executable, "-m", "gossamer", "node", "--json", "--loop-seconds", "0.05"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    first = subprocess.Popen([*words, "--subscribe", "tea"], **pipes)  # type: ignore[call-overload]
    address = json.loads(first.stdout.readline())["address"]
    second = subprocess.Popen(
        [*words, "--publish", "tea", "--publish", "jazz", "--join", address],
        stdin=subprocess.PIPE, **pipes,
    )  # type: ignore[call-overload]  # fmt: skip
    second.stdin.write("it is ready\nand so are we\n")
    second.stdin.flush()
    events: list[dict[str, Any]] = []
    while len(events) < 2:
        said = json.loads(first.stdout.readline())
        events += [said["event"]] if "event" in said else []
    assert [event["payload"] for event in events] == ["it is ready", "and so are we"]
    assert events[0]["topics"] == ["tea"]
    for process in (second, first):
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0, "also while standard input is open"
        process.communicate()


def test_cluster_processes_end_with_their_parent() -> None:
    words = [sys.executable, "-m", "gossamer", "cluster", "--nodes", "2", "--topics", "2"]
    process = subprocess.Popen(
        [*words, "--subscriptions", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while "2 nodes" not in (line := process.stdout.readline()) or "s:" not in line:
        assert process.poll() is None
    children = _children(process.pid)
    assert len(children) == 2
    process.kill()
    process.communicate()
    end = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < end:
        time.sleep(0.1)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def _children(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    pairs = [line.split() for line in found.stdout.splitlines()]
    return [int(child) for child, of in pairs if int(of) == parent]
