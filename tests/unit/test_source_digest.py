"""Digest of a module's code and of everything that it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer import source_digest as module
from gossamer.source_digest import source_digest
from gossamer.studies import find_study

FILES = {
    "run.py": """from pkg.facade import used
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from pkg.types import Kind
def measure():
    from pkg.lazy import later
    return used() + later()
""",
    "facade/__init__.py": """from pkg.facade.one import used
from pkg.facade.two import unused
""",
    "facade/one.py": "from pkg.registry import find\ndef used():\n    return find()\n",
    "facade/two.py": "def unused():\n    return 2\n",
    "lazy.py": "def later():\n    return 3\n",
    "types.py": "Kind = int\n",
    "registry.py": 'REGISTRY: Registry[int] = Registry("plugin", "pkg.plugins")\n',
    "plugins/__init__.py": "",
    "plugins/a.py": "from pkg.deep import DEPTH\n",
    "deep.py": "DEPTH = 1\n",
    "apart.py": "VALUE = 1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'"""Prose."""\n{text}')
    return tmp_path


def digest(root: Path) -> str:
    for cached in (module.source_digest, module._imports, module._code_digest):
        cached.cache_clear()
    return source_digest(root / "run.py", root, "pkg")


@pytest.mark.parametrize(
    "name", ["run.py", "facade/one.py", "lazy.py", "registry.py", "plugins/a.py", "deep.py"]
)
def test_digest_changes_with_code_that_the_module_depends_on(root: Path, name: str) -> None:
    before = digest(root)
    with (root / name).open("a") as file:
        file.write("MORE = 5\n")
    assert digest(root) != before


@pytest.mark.parametrize("name", ["facade/two.py", "types.py", "apart.py", "facade/__init__.py"])
def test_digest_ignores_code_that_the_module_does_not_use(root: Path, name: str) -> None:
    before = digest(root)
    with (root / name).open("a") as file:
        file.write("MORE = 5\n")
    assert digest(root) == before


@pytest.mark.parametrize("name", ["run.py", "facade/one.py", "deep.py"])
def test_digest_ignores_docstrings_and_comments(root: Path, name: str) -> None:
    before = digest(root)
    (root / name).write_text('"""Longer\n\nprose."""\n# A comment.\n\n' + FILES[name])
    assert digest(root) == before


def test_digest_is_equal_in_all_processes(root: Path) -> None:
    (root / "run.py").write_text("def f(x):\n    return x in {'ann', 'bob', 'cy', 'dee'}\n")
    code = f"from gossamer.source_digest import source_digest as d; from pathlib import Path as P; \
print(d(P({str(root / 'run.py')!r}), P({str(root)!r}), 'pkg'))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1


def test_run_of_a_study_depends_on_protocols_and_kernels_but_not_on_other_studies() -> None:
    study = find_study("spidercast")
    start = Path(study.run.__code__.co_filename)
    found, pending = {start}, [start]
    while pending:
        for path in module._imports(pending.pop(), module.ROOT, "gossamer") - found:
            found.add(path)
            pending.append(path)
    names = {path.relative_to(module.ROOT).as_posix() for path in found}
    assert {"protocols/spidercast/machine.py", "sim/world.py", "kernels/random.py"} <= names
    of_studies = {name for name in names if name.startswith("studies/")}
    assert of_studies == {"studies/inputs.py", "studies/spidercast/run.py"}
    assert not {name for name in names if name.split("/")[0] in ("cli", "viz", "experiments")}
