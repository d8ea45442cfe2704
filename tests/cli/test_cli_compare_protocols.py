"""``gossamer compare-protocols``: output, files and rejected options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke

SHORT = ("--duration", "2s", "--seeds", "2")


def test_output_files(invoke: Invoke, subscriptions: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "runs.csv", tmp_path / "p.svg"
    words = ("compare-protocols", "spidercast,random", subscriptions, "--publish", "3", *SHORT)
    shown = invoke(*words, "--out", out, "--picture", picture).works().out
    assert "mean of 2 seeds ± 95 % interval" in shown
    assert "hit ratio" in shown
    lines = out.read_text().splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["spidercast", "0"], ["spidercast", "1"], ["random", "0"], ["random", "1"],
    ]  # fmt: skip
    assert picture.read_text().startswith("<svg")


def test_json_and_saved_scenario(invoke: Invoke, subscriptions: Path, tmp_path: Path) -> None:
    saved = tmp_path / "s.toml"
    made = ("simulate", "random", subscriptions, "--duration", "2s", "--save-scenario", saved)
    invoke(*made, "--seed", "3").works()
    words = ("compare-protocols", "random", "--scenario", saved, "--seeds", "2", "--json")
    found = json.loads(invoke(*words).works().out)
    assert [run["seed"] for run in found["runs"]] == [3, 4]
    assert found["rows"][0]["protocol"] == "random"
    assert "mean_degree_half_width" in found["rows"][0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare-protocols", "spidercast,nix"), "no protocol is named 'nix'"),
        (("compare-protocols", "spidercast", "--kg", "3"), "as in spidercast:kr=1"),
        (("simulate", "spidercast", "--seeds", "3"), "gossamer compare-protocols --seeds 5"),
    ],
)
def test_rejected_options(
    invoke: Invoke, subscriptions: Path, words: tuple[str, ...], says: str
) -> None:
    command, protocols, *others = words
    invoke(command, protocols, subscriptions, *others).fails(says)
