"""The recipe of CONTRIBUTING.md and the examples work."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page_blocks import ROOT, page


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def test_the_recipe_for_an_algorithm_works(tmp_path: Path) -> None:
    """One new file, and the registry, the command line and the conformance tests have it."""
    (recipe,) = (block for block in page("CONTRIBUTING.md").blocks if block.language == "python")
    assert len(recipe.text.strip().splitlines()) > 10
    copy = tmp_path / "src" / "gossamer"  # with compiled kernels
    shutil.copytree(ROOT / "src" / "gossamer", copy)
    (tmp_path / recipe.marks["file"]).write_text(recipe.text, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "src"),
        "GOSSAMER_HYPOTHESIS": "plain",
    }
    listed = subprocess.run(
        [sys.executable, "-m", "gossamer", "algorithms"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert "full-mesh" in listed.stdout
    tests = ROOT / "tests" / "conformance" / "test_algorithms.py"
    checked = subprocess.run(
        [sys.executable, "-m", "pytest", str(tests), "-k", "full-mesh"],
        capture_output=True, text=True, env=environment, cwd=ROOT,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    assert re.search(r"\d+ passed", checked.stdout)
