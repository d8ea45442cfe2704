"""The files about the repository: citation, security, pre-commit hooks, locked versions."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

from gossamer import __version__
from tests.run import FORMAT, LINT, TYPES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def parse(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_citation_agrees_with_the_package() -> None:
    citation = parse("CITATION.cff")
    assert {"cff-version", "message", "title", "abstract", "authors"} <= citation.keys()
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == [{"name": "The Gossamer developers"}]


def test_security_policy_has_its_sections() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert titles == ["Reporting a vulnerability", "What is protected", "What is not protected"]
    assert "trusted networks only" in text


def test_pre_commit_runs_what_script_test_runs_first() -> None:
    (local,) = parse(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    for hook, check in zip(local["hooks"], (FORMAT, LINT, TYPES), strict=True):
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)
        program, *words = shlex.split(hook["entry"])
        assert (sys.executable, "-m", Path(program).name, *words) == check.words
        assert hook["name"] == check.name


def distribution(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]).lower()


def test_lock_has_a_version_of_every_requirement() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in pinned)
    locked = {distribution(line) for line in pinned}
    assert len(locked) == len(pinned)
    project = PROJECT["project"]
    required = [*project["dependencies"], *PROJECT["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        required += extra
    assert {distribution(one) for one in required} - {"gossamer"} <= locked


def test_table_of_mutants_names_modules_tests_and_lines_that_exist() -> None:
    table = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))
    for module, tests in table["tests"].items():
        assert (ROOT / "src" / "gossamer" / f"{module}.py").is_file(), module
        for test in tests:
            path, _, name = test.partition("::")
            assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), test
    for mutant in table["equivalent"]:
        source = (ROOT / "src" / "gossamer" / f"{mutant['module']}.py").read_text(encoding="utf-8")
        assert " ".join(mutant["before"].split()) in " ".join(source.split()), mutant
        assert mutant["reason"]
