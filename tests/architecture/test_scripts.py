"""The scripts of the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPTS = [path for path in (Path(__file__).parents[2] / "script").iterdir() if not path.suffix]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_can_be_executed_and_parse(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
