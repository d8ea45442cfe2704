"""``gossamer reinforce``, and ``gossamer design --resilient``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gossamer.quality import assess
from gossamer.tables import read_interests, read_links
from tests.cli.conftest import Invoke, fact


@pytest.fixture
def links(subscriptions: Path) -> Path:
    path = subscriptions.with_name("links.csv")
    path.write_text("source,target\nann,bob\nbob,cy\ncy,dee\n")
    return path


def test_reinforce_keeps_given_links(invoke: Invoke, subscriptions: Path, links: Path) -> None:
    out = subscriptions.with_name("better.csv")
    shown = invoke("reinforce", subscriptions, links, "--out", out, "--lower-bound").works().out
    assert out.read_text() == "source,target\nann,bob\nann,cy\nbob,cy\ncy,dee\n"
    assert fact(shown, "links added") == fact(shown, "links to add, proven lower bound") == "1"
    assert (
        fact(shown, "bridges, over all topics, before"),
        fact(shown, "bridges, over all topics, after"),
    ) == ("4", "2")
    assert fact(shown, "topics of two subscribers, whose link stays a bridge") == "2"


def test_reinforce_a_designed_overlay(invoke: Invoke, subscriptions: Path) -> None:
    out = subscriptions.with_name("links.parquet")
    shown = invoke("design", subscriptions, "--out", out, "--resilient").works().out
    interests = read_interests(subscriptions)
    found = assess(interests, read_links(out, interests))
    assert found.topic_connected
    assert fact(shown, "links added") == "1"
    assert int(fact(shown, "bridges, over all topics, after")) == found.bridges == 2


@pytest.mark.parametrize(
    ("content", "words", "says"),
    [
        ("source,target\nann,eve\n", [], "line 2: the target 'eve' is not one of the 4 nodes"),
        ("source,target\nann,ann\n", [], "line 2: links 'ann' to itself"),
        ("", [], "the file is empty"),
        ("source,target\nann,bob\n", ["--node-column", "x"], "no column 'x'"),
    ],
)
def test_rejected_input_writes_no_file(
    invoke: Invoke, subscriptions: Path, content: str, words: list[str], says: str
) -> None:
    links = subscriptions.with_name("links.csv")
    links.write_text(content)
    out = subscriptions.with_name("better.csv")
    invoke("reinforce", subscriptions, links, "--out", out, *words).fails(says)
    assert sorted(os.listdir(subscriptions.parent)) == ["links.csv", "subscriptions.csv"]


def test_inputs_are_not_overwritten(invoke: Invoke, subscriptions: Path, links: Path) -> None:
    for out in (subscriptions, links):
        outcome = invoke("reinforce", subscriptions, links, "--out", out)
        outcome.fails("is also an input; expected another file for the output")
    invoke("reinforce", subscriptions, links, "--out", links.with_suffix(".xlsx")).fails(
        "expected one of .parquet"
    )
