"""Standard input and output in place of files: the path ``-``."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from tests.cli.conftest import ROWS, Invoke

LINKS = "source,target\nann,bob\nann,cy\nbob,dee\n"


def gossamer(*words: str | Path, given: str) -> tuple[int, str, str]:
    """Run a command in a process of its own; return its exit code and output."""
    command = [sys.executable, "-m", "gossamer", *map(str, words)]
    done = subprocess.run(command, input=given, text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input with a table of subscriptions."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROWS.encode())))


def test_links_on_standard_output_and_messages_on_standard_error(
    invoke: Invoke, subscriptions: Path
) -> None:
    out = subscriptions.with_name("links.csv")
    shown = invoke("design", subscriptions, "--out", out).works().out
    done = invoke("design", subscriptions, "--out", "-").works()
    assert done.out == out.read_text()
    assert "links per node, mean" in done.err
    assert "wrote" not in done.err
    assert "links per node, mean" in shown


def test_quiet_command_writes_the_table_alone(invoke: Invoke, subscriptions: Path) -> None:
    done = invoke("design", subscriptions, "--out", "-", "--quiet").works()
    assert done.out.startswith("source,target\n")
    assert done.err == ""


@pytest.mark.parametrize(
    ("words", "header"),
    [
        ("workload uniform --nodes 9 --topics 5 --subscriptions 2 --out -", "node,topic"),
        ("churn --nodes 9 --rounds 3 --out -", "time,node,event"),
        ("compare TABLE --algorithms ring-per-topic --out -", "algorithm,mean_degree,"),
        ("disseminate TABLE --publish 5 --hops -", "flood,hops,deliveries"),
        ("assess TABLE LINKS --per-topic -", "topic,subscribers,components"),
        ("reinforce TABLE LINKS --out -", "source,target"),
        ("simulate random TABLE --duration 1s --overlay -", "source,target"),
    ],
)
def test_output_tables_go_to_standard_output(
    invoke: Invoke, subscriptions: Path, words: str, header: str
) -> None:
    links = subscriptions.with_name("links.csv")
    links.write_text(LINKS)
    places = {"TABLE": subscriptions, "LINKS": links}
    done = invoke(*(places.get(word, word) for word in words.split())).works()
    assert done.out.startswith(header)
    assert all(line.count(",") == done.out.split("\n")[0].count(",") for line in done.out.split())
    assert done.err


def test_commands_are_connected_by_pipes(subscriptions: Path) -> None:
    code, links, _ = gossamer("design", "-", "--out", "-", given=ROWS)
    assert code == 0
    code, shown, errors = gossamer("assess", subscriptions, "-", given=links)
    assert code == 0, errors
    assert shown.startswith("standard input on subscriptions.csv\n")


def test_output_to_a_closed_pipe_exits_quietly() -> None:
    words = ["workload", "uniform", "--nodes", "20000", "--quiet", "--out", "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "gossamer", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"node,topic\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("design TABLE --out - --json", "--out and --json both use standard output"),
        ("disseminate TABLE --out - --hops -", "--out and --hops both use standard output"),
        ("design TABLE --out - --engine spark", "-: Spark writes a folder of tables, or one of"),
        ("design TABLE --out l.dot --engine spark", "l.dot: Spark writes a folder of tables"),
        ("assess - -", "two inputs are -, standard input; name a file for one of them"),
        ("compare TABLE --report -", "- is standard output, which takes tables; expected a file"),
    ],
)
def test_standard_streams_that_cannot_be_used(
    invoke: Invoke, subscriptions: Path, given: None, words: str, says: str
) -> None:
    invoke(*(subscriptions if word == "TABLE" else word for word in words.split())).fails(says)


def test_graph_files_of_design_reinforce_and_simulate(invoke: Invoke, subscriptions: Path) -> None:
    links, graph = subscriptions.with_name("links.csv"), subscriptions.with_name("links.graphml")
    links.write_text(LINKS)
    for words in (
        ["design", subscriptions, "--out", graph],
        ["reinforce", subscriptions, links, "--out", graph],
        ["simulate", "random", subscriptions, "--duration", "1s", "--overlay", graph],
    ):
        invoke(*words).works()
        assert sorted(nx.read_graphml(graph).nodes) == ["ann", "bob", "cy", "dee"]
        graph.unlink()
