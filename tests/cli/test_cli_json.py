"""``--json`` and ``--quiet`` of every command: one document with stable keys, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from gossamer.cli.main import app
from tests.cli.conftest import ROWS, Invoke

COMMANDS = {
    "algorithms": "algorithms",
    "assess": "assess subs.csv links.csv",
    "churn": "churn --nodes 9 --rounds 3 --out made.csv",
    "compare": "compare subs.csv --algorithms cd-oda --metrics bridges",
    "design": "design subs.csv --algorithm cd-oda --out made.csv",
    "disseminate": "disseminate subs.csv --overlay links.csv --publish 3 --flood both",
    "front": "front subs.csv --algorithms cd-oda --no-protocols",
    "ingest": "ingest --list",
    "maintain": "maintain subs.csv links.csv --events rounds:3 --out made",
    "compare-protocols": "compare-protocols random subs.csv --duration 1s --out made.csv",
    "profile": "profile subs.csv --out made",
    "reinforce": "reinforce subs.csv links.csv --out made.csv",
    "report": "report saved --out made.html",
    "reproduce": "reproduce --list",
    "simulate": "simulate ring-per-topic subs.csv --duration 1s",
    "workload": "workload rss --nodes 9 --topics 3 --subscriptions 1 --out made.csv",
}
ELSEWHERE = {"cluster", "node", "replay", "sample"}
"""Commands whose JSON is tested with their processes, or on Spark."""


def test_every_command_is_tested() -> None:
    assert COMMANDS.keys() | ELSEWHERE == set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_json_of_a_quiet_command_is_one_document(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("subs.csv").write_text(ROWS)
    Path("links.csv").write_text("source,target\nann,bob\nbob,cy\ncy,dee\n")
    if command.startswith("report"):
        invoke("compare", "subs.csv", "--algorithms", "cd-oda", "--save", "saved").works()
    done = invoke(*command.split(), "--json", "--quiet").works()
    found = json.loads(done.out)
    assert found
    odd = [key for key in _keys(found) if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", key) is None]
    assert not odd
    assert done.err == ""
    if "made" in command:
        assert found["wrote"]


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, dict | list):
            yield from _keys(one)
