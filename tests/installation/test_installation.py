"""The wheel in an environment with the core's packages only, and with those of the extra design."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gossamer.extras import EXTRAS
from tests.installation.wheel import ROOT, build_wheel, extra_sizes, install, needed_distributions

MEET = """
import asyncio, sys
import gossamer

async def meet():
    async with gossamer.Node(topics=["tea"]) as ann:
        async with gossamer.Node(topics=["tea"], join=[ann.address]) as bob:
            events = bob.subscribe("tea")
            await ann.publish(["tea"], b"it is ready")
            print((await anext(events)).payload.decode())

asyncio.run(meet())
print([name for name in ("numba", "pyarrow", "pandas") if name in sys.modules])
try:
    gossamer.greedy_merge
except gossamer.GossamerError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def run(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(python.parent), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(
        [python, *words], capture_output=True, text=True, env=environment, cwd=python.parent
    )


def test_core_runs_live_nodes_and_names_the_extra_of_all_else(wheel: Path, tmp_path: Path) -> None:
    python = install(wheel, tmp_path / "core")
    met = run(python, "-c", MEET)
    assert met.returncode == 0, met.stderr
    assert met.stdout.splitlines() == [
        "it is ready",
        "[]",
        "gossamer.greedy_merge needs the package numba; "
        "install it with: pip install 'gossamer[design]'",
    ]
    listened = run(python, "-m", "gossamer", "node", "--subscribe", "tea", "--for", "0.1s")
    assert listened.returncode == 0, listened.stderr
    refused = run(python, "-m", "gossamer", "design", "subscriptions.csv", "--out", "l.csv")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: gossamer design needs the package")
    assert refused.stderr.count("\n") == 1
    assert "install it with: pip install 'gossamer[design]'" in refused.stderr


def test_extra_design_is_enough_for_a_design(wheel: Path, tmp_path: Path) -> None:
    python = install(wheel, tmp_path / "design", "design")
    (python.parent / "subscriptions.csv").write_text("node,topic\nann,tea\nbob,tea\n")
    words = ["design", "subscriptions.csv", "--algorithm", "ring-per-topic", "--out", "links.csv"]
    design = run(python, "-m", "gossamer", *words)
    assert design.returncode == 0, design.stderr
    picture = run(python, "-m", "gossamer", "compare", "subscriptions.csv", "--picture", "a.png")
    assert picture.returncode == 1
    assert "pip install 'gossamer[report]'" in picture.stderr


def test_sizes_of_the_extras_grow_and_the_core_is_small() -> None:
    sizes = extra_sizes()
    assert sizes["core"] < sizes["design"] < sizes["report"] < sizes["all"]
    assert "numba" not in needed_distributions()
    assert "numba" in needed_distributions("design")
    assert {"pyspark", "numba"} <= needed_distributions("spark")
    print({extra: f"{size / 1e6:.0f} MB" for extra, size in sizes.items()})
    page = (ROOT / "docs" / "getting-started" / "installation.md").read_text(encoding="utf-8")
    for extra, size in sizes.items():
        what = "." if extra == "core" else f"'.[{extra}]'"
        shown = re.search(rf"^\| `{re.escape(what)}` \|.*\| ([\d,]+) MB \|$", page, re.MULTILINE)
        assert shown, f"{extra} is not on the page"
        assert int(shown[1].replace(",", "")) == pytest.approx(size / 1e6, rel=0.1)


def test_every_module_of_an_extra_can_be_imported_here() -> None:
    for extra, modules in EXTRAS.items():
        for module in modules:
            assert __import__(module), f"{module} of the extra {extra}"
