"""Fixtures of the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.page_runner import COLUMNS, Outcome, PageRunner, make_files


@pytest.fixture(scope="session")
def done() -> dict[tuple[str, str], Outcome]:
    """Outcomes of the commands that pages have run."""
    return {}


@pytest.fixture
def page_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: dict[tuple[str, str], Outcome]
) -> PageRunner:
    """A runner in a new folder with the files of the pages."""
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    return PageRunner(done)
