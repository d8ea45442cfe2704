"""The command line, run in this process."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gossamer.cli.main import app
from gossamer.cli.progress import COMPILING

ROWS = "node,topic\nann,tea\nann,jazz\nbob,jazz\nbob,tea\ncy,tea\ncy,chess\ndee,chess\nann,tea\n"


def _is_progress(line: str) -> bool:
    """Whether a line only reports progress, which depends on the speed of the machine."""
    return line.rstrip() == COMPILING or re.search(r": \d+%$", line) is not None


class Outcome:
    """Output and exit code of a command."""

    def __init__(self, result: Any) -> None:
        self.code: int = result.exit_code
        self.out: str = result.stdout
        self.err = "".join(
            line for line in result.stderr.splitlines(True) if not _is_progress(line)
        )

    def fails(self, says: str, code: int = 2) -> None:
        """Check that the command printed one line with the error and nothing else."""
        assert self.code == code, (self.out, self.err)
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert says in self.err
        assert self.out == ""

    def works(self) -> Outcome:
        """Check that the command succeeded."""
        assert self.code == 0, (self.out, self.err)
        assert "Traceback" not in self.err
        return self


Invoke = Callable[..., Outcome]


def fact(out: str, label: str) -> str:
    """Return what stands beside a label in the output of a command."""
    found = re.search(rf"^{re.escape(label)} +(\S.*)$", out, re.MULTILINE)
    assert found, (label, out)
    return found.group(1).strip()


@pytest.fixture
def invoke() -> Invoke:
    def run(*words: str | Path) -> Outcome:
        result = CliRunner().invoke(app, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result)

    return run


@pytest.fixture
def subscriptions(tmp_path: Path) -> Path:
    path = tmp_path / "subscriptions.csv"
    path.write_text(ROWS)
    return path
