"""``gossamer assess``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.conftest import Invoke


@pytest.fixture
def links(subscriptions: Path) -> Path:
    path = subscriptions.with_name("links.csv")
    path.write_text("source,target\nann,bob\nbob,cy\ncy,dee\n")
    return path


def test_assess_prints_a_table(invoke: Invoke, subscriptions: Path, links: Path) -> None:
    shown = invoke("assess", subscriptions, links).works().out
    assert "links.csv on subscriptions.csv" in shown
    assert "bridges, over all topics" in shown


def test_assess_prints_json(invoke: Invoke, subscriptions: Path, links: Path) -> None:
    with_bound = json.loads(invoke("assess", subscriptions, links, "--json").works().out)
    without = json.loads(
        invoke("assess", subscriptions, links, "--json", "--no-lower-bound").works().out
    )
    assert with_bound["links"] == without["links"] == 3
    assert with_bound["mean_degree"] == 1.5


def test_assess_writes_a_table_of_topics(
    invoke: Invoke, subscriptions: Path, links: Path, tmp_path: Path
) -> None:
    out = tmp_path / "topics.csv"
    shown = invoke("assess", subscriptions, links, "--per-topic", out).works().out
    assert f"wrote {out}" in shown
    assert out.read_text() == (
        "topic,subscribers,components,diameter,bridges,articulation_points\n"
        "chess,2,1,1,1,0\njazz,2,1,1,1,0\ntea,3,1,2,2,1\n"
    )
    out = tmp_path / "topics.parquet"
    invoke("assess", subscriptions, links, "--per-topic", out).works()
    assert pyarrow.parquet.read_table(out).num_rows == 3


def test_assess_writes_a_table_of_failures(
    invoke: Invoke, subscriptions: Path, links: Path, tmp_path: Path
) -> None:
    out = tmp_path / "failures.csv"
    shown = invoke("assess", subscriptions, links, "--failures", out).works().out
    assert f"wrote {out}" in shown
    assert out.read_text() == "node,topic\nbob,tea\n"
    on_spark = ("--engine", "spark", "--failures", out)
    invoke("assess", subscriptions, links, *on_spark).fails("--failures is a table of --engine")
    invoke("assess", subscriptions, links, "--failures", "f.doc").fails("of no known format")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("source,target\nann,eve\n", "line 2: the target 'eve' is not one of the 4 nodes"),
        ("source,target\nann,ann\n", "line 2: links 'ann' to itself"),
        ("a,b\nann,bob\n", "no column 'source'"),
        ("", "the file is empty"),
    ],
)
def test_bad_links_are_rejected(
    invoke: Invoke, subscriptions: Path, content: str, says: str
) -> None:
    links = subscriptions.with_name("links.csv")
    links.write_text(content)
    out = subscriptions.with_name("topics.csv")
    invoke("assess", subscriptions, links, "--per-topic", out).fails(says)
    assert sorted(os.listdir(subscriptions.parent)) == ["links.csv", "subscriptions.csv"]


def test_output_is_checked_before_the_input_is_read(invoke: Invoke, tmp_path: Path) -> None:
    invoke("assess", "gone.csv", "gone.csv", "--per-topic", tmp_path / "x.json").fails(
        "expected one of .parquet"
    )


def test_assess_draws_the_overlay(
    invoke: Invoke, subscriptions: Path, links: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "o.svg"
    shown = invoke("assess", subscriptions, links, "--picture", picture).works().out
    assert f"wrote {picture}" in shown
    assert "4 nodes, 3 links" in picture.read_text()
    words = ("assess", subscriptions, links, "--topic", "chess")
    invoke(*words).fails("--topic is the topic of a drawing; give --picture too")
    invoke(*words, "--picture", picture).works()
    assert "chess: 2 subscribers, 1 link, connected, diameter 1" in picture.read_text()
    invoke(*words[:-1], "gin", "--picture", picture).fails("no topic is named 'gin'")
    invoke(*words, "--picture", links).fails("ending")


def test_topics_that_are_numbers_are_found(invoke: Invoke, tmp_path: Path) -> None:
    table, out, picture = tmp_path / "t.csv", tmp_path / "links.csv", tmp_path / "o.svg"
    table.write_text("node,topic\n1,7\n2,7\n")
    words = ("design", table, "--out", out, "--picture", picture, "--topic")
    assert f"wrote {out}, {picture}" in invoke(*words, "7").works().out
    assert "topic 7: 2 subscribers" in picture.read_text()
    out.unlink()
    invoke(*words, "8").fails("no topic is named 8")
    invoke(*words, "7", "--engine", "spark").fails("--picture draws in memory")
    assert not out.exists()
