"""The names of columns and the delimiter: every command that reads subscriptions takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gossamer.cli.main import app
from tests.cli.conftest import ROWS, Invoke

COMMANDS: dict[str, Any] = vars(get_command(app))["commands"]
READERS = {
    "design": "TABLE --out OUT.csv",
    "assess": "TABLE LINKS",
    "reinforce": "TABLE LINKS --out OUT.csv",
    "compare": "TABLE --algorithms ring-per-topic",
    "front": "TABLE --radii 2",
    "churn": "TABLE --rounds 3 --out OUT.csv",
    "maintain": "TABLE --events rounds:3 --out OUT",
    "simulate": "random TABLE --duration 1s",
    "compare-protocols": "random TABLE --duration 1s --seeds 2",
    "disseminate": "TABLE --publish 3",
    "profile": "TABLE",
}
ON_SPARK = {"sample"}
"""Commands that run on Spark only, whose options tests/spark uses."""
WITHOUT = {
    "ingest": "its sources have options of their own",
    **dict.fromkeys(("workload", "cluster", "node"), "draws or is given its topics"),
    **dict.fromkeys(("algorithms", "replay", "report", "reproduce"), "reads no subscriptions"),
}
FLAGS = {"--node-column", "--topic-column", "--delimiter"}


def flags_of(name: str) -> set[str]:
    return {flag for parameter in COMMANDS[name].params for flag in parameter.opts}


def test_each_command_reads_subscriptions_or_is_known_not_to() -> None:
    assert set(COMMANDS) == {*READERS, *ON_SPARK, *WITHOUT}
    assert {name for name in COMMANDS if flags_of(name) >= FLAGS} == {*READERS, *ON_SPARK}
    assert not any(flags_of(name) & FLAGS for name in WITHOUT)


@pytest.mark.parametrize("name", READERS)
def test_columns_of_other_names_are_read(invoke: Invoke, tmp_path: Path, name: str) -> None:
    table, links = tmp_path / "t.txt", tmp_path / "links.csv"
    table.write_text("who;what\n" + ROWS.split("\n", 1)[1].replace(",", ";"))
    links.write_text("source,target\nann,bob\nann,cy\ncy,dee\n")
    places = {
        "TABLE": table,
        "LINKS": links,
        "OUT": tmp_path / "out",
        "OUT.csv": tmp_path / "o.csv",
    }
    words = [places.get(word, word) for word in READERS[name].split()]
    given = ["--node-column", "who", "--topic-column", "what", "--delimiter", ";"]
    refused = invoke(name, *words)
    refused.fails("there is no column 'node' and no column 'topic'; the columns are: 'who', 'what'")
    assert "--node-column and --topic-column" in refused.err
    invoke(name, *words, *given).works()
