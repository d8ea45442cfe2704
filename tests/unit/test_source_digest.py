"""Digest of a module's code and of everything that it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

import pytest

from gossamer import source_digest as module
from gossamer.source_digest import _is_among, modules_behind, source_digest
from gossamer.studies import find_study
from gossamer.studies.schema import WITHOUT_EFFECT, Study

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


def digest(
    root: Path, registered: frozenset[str] | None = None, without: frozenset[str] = frozenset()
) -> str:
    for cached in (
        module.source_digest, module._imports, module._registered, module._code_digest,
    ):  # fmt: skip
        cached.cache_clear()
    return source_digest(root / "run.py", root, "pkg", registered, without)


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


@pytest.mark.parametrize(
    ("registered", "without", "name", "changes"),
    [
        ({"plugins/a"}, set(), "plugins/a.py", True),
        ({"plugins"}, set(), "deep.py", True),
        ({"plugins/b"}, set(), "plugins/a.py", False),
        (None, {"plugins"}, "deep.py", False),
        (None, {"lazy"}, "lazy.py", False),
        (None, {"lazy"}, "facade/one.py", True),
    ],
)
def test_digest_of_some_modules(
    root: Path, registered: set[str] | None, without: set[str], name: str, changes: bool
) -> None:
    chosen = None if registered is None else frozenset(registered)
    before = digest(root, chosen, frozenset(without))
    with (root / name).open("a") as file:
        file.write("MORE = 5\n")
    assert (digest(root, chosen, frozenset(without)) != before) is changes


def covered(study: Study) -> set[str]:
    start = Path(study.run.__code__.co_filename)
    found = modules_behind(start, registered=study.registered, without=WITHOUT_EFFECT)
    return {path.relative_to(module.ROOT).as_posix() for path in found}


def test_run_of_a_study_depends_on_protocols_and_kernels_but_not_on_other_studies() -> None:
    names = covered(find_study("spidercast"))
    assert {"protocols/spidercast/machine.py", "sim/world.py", "kernels/random.py"} <= names
    assert "protocols/vitis/machine.py" not in names
    of_studies = {name for name in names if name.startswith("studies/")}
    assert of_studies == {"studies/inputs.py", "studies/spidercast/run.py"}
    assert not {name for name in names if name.split("/")[0] in ("cli", "viz", "experiments")}


SMALL = {"nodes": 16, "subscriptions": 3, "rounds": 3, "links": 3, "until": 3}


@pytest.mark.parametrize(
    ("name", "topics"),
    [("elasto", 8), ("spidercast", 8), ("stan", 8), ("td-cd-oda", 8), ("vitis", 250)],
)
def test_digest_covers_every_function_that_a_run_calls(name: str, topics: int) -> None:
    """Run a tiny instance of a point for each protocol, and record the modules that it calls."""
    study = find_study(name)
    points = [one for one in study.points.values() if "table" not in one.parameters]
    kinds = {str(one.parameters.get("protocol", "")): one for one in points}
    kinds.pop("none", None)  # a graph alone, which is large
    root, called = f"{module.ROOT}/", set[str]()

    def record(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:  # a function's body
            called.add(frame.f_code.co_filename)

    for one in kinds.values():
        small = {**SMALL, "topics": topics}
        given = {key: small.get(key, value) for key, value in one.parameters.items()}
        if given.get("workload") == "follower-graph":  # it is large
            given |= {"workload": "random", "topics": topics}
        sys.setprofile(record)
        try:
            study.run(given, 1)
        finally:
            sys.setprofile(None)
    files = {name.removeprefix(root) for name in called if name.startswith(root)}
    assert len(files) > 10
    without = {name for name in files if _is_among(WITHOUT_EFFECT, module.ROOT / name, module.ROOT)}
    assert files - without <= covered(study)
