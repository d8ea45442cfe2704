"""The documentation site: built as ``script/docs`` builds it, whole, and complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import gossamer
from gossamer.cli.main import app
from gossamer.design import algorithms
from gossamer.measures import MEASURES
from gossamer.protocols import protocols
from tests.docs.page_blocks import ROOT, pages
from tests.docs.site_links import broken_links, loaded_from_outside, read_html


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site; a warning of the build is an error."""
    folder = tmp_path_factory.mktemp("site")
    words = re.search(r"^exec python (.*)$", (ROOT / "script" / "docs").read_text(), re.MULTILINE)
    assert words
    command = words[1].replace("-j auto", "-j 1")  # other tests have the other core
    command = command.replace("-d out/docs-state", f"-d {folder}/state")
    command = command.replace("docs out/docs", f"docs {folder}/site").replace(' "$@"', "")
    done = subprocess.run(
        [sys.executable, *command.split(), "--quiet"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_no_link_is_broken(site: Path) -> None:
    assert not list(broken_links(site))


def test_no_page_loads_anything_from_outside(site: Path) -> None:
    assert not list(loaded_from_outside(site))


def test_pages_of_the_repository_are_in_the_site(site: Path) -> None:
    for page in pages():
        if page.name.startswith("docs/"):
            assert (site / page.name.removeprefix("docs/")).with_suffix(".html").is_file()


def test_reference_has_every_command_and_option(site: Path) -> None:
    commands: dict[str, Any] = vars(get_command(app))["commands"]
    for name, command in commands.items():
        anchors = read_html(site / f"reference/generated/commands/{name}.html").anchors
        for option in command.params:
            if option.param_type_name == "option" and not option.hidden:
                assert f"cmdoption-gossamer-{name}-{option.opts[0].lstrip('-')}" in anchors


def test_reference_has_every_public_name(site: Path) -> None:
    folder = site / "reference" / "generated" / "api"
    anchors = {anchor for page in folder.glob("*.html") for anchor in read_html(page).anchors}
    names = {f"gossamer.{name}" for name in gossamer.__all__ if name != "__version__"}
    assert names <= anchors


def test_reference_has_every_registered_name(site: Path) -> None:
    folder = site / "reference" / "generated"
    for page, names in (("algorithms", algorithms()), ("protocols", protocols())):
        assert set(names) <= read_html(folder / f"{page}.html").anchors
    measures = (folder / "json.html").read_text(encoding="utf-8")
    assert all(f">{name}<" in measures for name in MEASURES)


def test_pages_have_a_title_that_no_other_page_has(site: Path) -> None:
    titles: dict[str, str] = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        title = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if title is None:
            assert "{include}" in path.read_text(encoding="utf-8"), f"{path} has no title"
            continue
        assert title[1] not in titles, f"{path} and {titles.get(title[1])}"
        titles[title[1]] = str(path)


def test_links_and_images_of_documents_at_the_root_exist() -> None:
    for path in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            generated = target.startswith("docs/reference/generated/")
            assert "://" in target or generated or (ROOT / target).exists(), f"{path}: {target}"
