"""The full report: stored results of all studies, and the causes of what differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.studies import Verdict, find_study, reproduce, studies

RUNS = Path(__file__).parents[2] / "docs" / "results" / "runs"


@pytest.mark.parametrize("name", list(studies()))
def test_every_claim_that_differs_has_a_tested_cause(name: str, tmp_path: Path) -> None:
    """Claims with fewer than three runs of the present code have no verdict yet."""
    stored = RUNS / f"{name}.jsonl"
    if stored.is_file():
        (tmp_path / stored.name).write_bytes(stored.read_bytes())
    result = reproduce(name, store=tmp_path, compute="none")
    unexplained = [f"{one.place}: {one.text}" for one in result.claims if not one.is_explained]
    assert not unexplained, "name the figure that shows the cause, or list what was tried"
    assert all(one.reason for one in result.claims if one.verdict is Verdict.UNTESTED)


@pytest.mark.parametrize("name", list(studies()))
def test_stored_runs_are_of_points_that_exist(name: str) -> None:
    study, stored = find_study(name), RUNS / f"{name}.jsonl"
    if stored.is_file():
        assert f'"point":"{next(iter(study.points))}"' in stored.read_text(encoding="utf-8")
