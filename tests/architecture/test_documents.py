"""What the documents say is so: examples run, the recipe works, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gossamer.cli.algorithms import algorithms_page
from gossamer.cli.main import app
from gossamer.design import algorithms

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for found, body in BLOCK.findall(text) if found == language]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file that the README speaks of."""
    (tmp_path / "subscriptions.csv").write_text(
        "node,topic\n" + "".join(f"n{v},t{(v * step) % 7}\n" for v in range(20) for step in (1, 3))
    )
    (tmp_path / "follows.txt").write_text("# who follows whom\n1 2\n2 3\n1 3\n3 1\n4 1\n4 3\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = [
    line.split("#")[0].strip()
    for block in blocks("README.md", "sh")
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("gossamer ")
]
ON_SPARK = [
    command
    for command in COMMANDS
    if "--engine spark" in command or command.split()[1] in ("ingest", "profile", "sample")
]
"""Commands that use Spark: tests/spark/test_commands.py runs them."""


def test_the_commands_of_the_readme_work(desk: Path) -> None:
    commands = [command for command in COMMANDS if command not in ON_SPARK]
    assert len(commands) >= 6
    for command in commands:
        if command.startswith("gossamer reproduce"):
            command += " --instances 1"
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}"


def test_a_command_of_the_readme_works_in_a_shell(desk: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        COMMANDS[0], shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, f"{COMMANDS[0]}\n{done.stderr}"


def test_the_python_of_the_readme_works(desk: Path) -> None:
    examples = [example for example in blocks("README.md", "python") if "spark" not in example]
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_recipe_for_an_algorithm_works(tmp_path: Path) -> None:
    """One new file, and the registry, the command line and the conformance tests have it."""
    (recipe,) = blocks("CONTRIBUTING.md", "python")
    assert len(recipe.strip().splitlines()) > 10
    copy = tmp_path / "src" / "gossamer"  # with compiled kernels
    shutil.copytree(ROOT / "src" / "gossamer", copy)
    (copy / "design" / "full_mesh.py").write_text(recipe, encoding="utf-8")
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


def test_the_table_of_algorithms_is_what_the_command_prints() -> None:
    table = (ROOT / "docs" / "reference" / "algorithms.md").read_text(encoding="utf-8")
    assert table == algorithms_page(list(algorithms().values())), (
        "run: gossamer algorithms --markdown > docs/reference/algorithms.md"
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("script", ["bootstrap", "demo", "docs", "test", "bench", "mutate"])
def test_scripts_are_there_and_parse(script: str) -> None:
    path = ROOT / "script" / script
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", str(path)], check=True)
