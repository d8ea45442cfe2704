"""Every command and every block of Python on the pages works: each page is one run.

Pages with blocks on Spark are run by ``tests/spark/test_pages.py``. Notebooks are executed when the
site is built.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gossamer.studies import studies
from tests.docs.page_blocks import ROOT, Page, page, pages, read_page
from tests.docs.page_runner import PageRunner

PAGES = [one for one in pages() if one.executed and not one.uses_spark]
MAX_NOT_EXECUTED = 3
OTHER_NAMES = {"bash", "shell", "console", "shell-session", "zsh", "py", "python3", "pycon"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_the_page_work(page: Page, page_runner: PageRunner) -> None:
    page_runner.run(page)


def test_readme_is_executed() -> None:
    readme = page("README.md")
    assert {block.language for block in readme.executed} == {"sh", "python"}


def test_blocks_that_are_not_executed_are_few_and_say_why() -> None:
    reasons = [
        (block.place, block.marks["not executed"])
        for one in pages()
        for block in one.blocks
        if "not executed" in block.marks
    ]
    assert len(reasons) <= MAX_NOT_EXECUTED, reasons
    assert all(len(reason.split()) >= 3 for _, reason in reasons), reasons


def test_every_command_is_in_a_block_that_is_executed() -> None:
    for one in pages():
        for block in one.blocks:
            assert block.language not in OTHER_NAMES, f"{block.place}: write sh or python"
            if block.language not in ("sh", "python") and not block.marks:
                first = block.text.lstrip("$ \n").split(" ", 1)[0]
                assert first not in ("gossamer", "import", "from"), block.place


def test_pages_that_guide_link_to_the_table_that_they_use() -> None:
    for one in pages():
        if not one.name.startswith(("docs/getting-started", "docs/how-to", "docs/tutorials")):
            continue
        text = (ROOT / one.name).read_text(encoding="utf-8")
        if any("subscriptions.csv" in block.text for block in one.executed):
            assert "--out subscriptions.csv" in text or "subscriptions.csv)" in text, one.name


def test_notebooks_have_their_code_in_cells() -> None:
    for one in pages():
        assert not (one.is_notebook and one.executed), one.name


def test_list_of_results_has_the_pages_of_all_papers() -> None:
    results = ROOT / "docs" / "results"
    index = (results / "index.md").read_text(encoding="utf-8")
    for study in studies():
        page = (results / study / f"{study}.md").read_text(encoding="utf-8")
        assert re.search(r"^\*\*(.*)\.\*\*$", page, re.MULTILINE)
        assert f"({study}/{study}.md)" in index
    assert "(reproduction.md)" in index or not (results / "reproduction.md").exists()


def written(folder: Path, text: str) -> Page:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return read_page(path)


def test_runner_shares_state_and_checks_output(page_runner: PageRunner, tmp_path: Path) -> None:
    page = written(
        tmp_path,
        "% file: data/own.csv\n```\nnode,topic\na,x\nb,x\n```\n"
        "```sh\ngossamer design data/own.csv \\\n    --out links.csv  # a comment\n```\n"
        "```sh\ncat links.csv | tail -1\n```\n<!-- output -->\n```\na,…\n```\n"
        ":::{note}\n```python\nimport gossamer\nx = 1\n```\n:::\n"
        "````{note}\n```python\nprint('before')\nprint(x)\n```\n````\n"
        "% output\n```\n…\n1\n```\n"
        "```python\nprint('name   seconds', '─' * 12, ' a   0.0012', sep='\\n')\n```\n"
        "% output\n```\nname seconds\n────\n a      …\n```\n"
        "% not executed: it would never end\n```python\nwhile True: pass\n```\n",
    )
    assert [block.language for block in page.executed] == ["sh", "sh", "python", "python", "python"]
    page_runner.run(page)
    page_runner.run(page)  # the command is not run again, and its file is there


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```sh\ngossamer design none.csv --out links.csv\n```", "none.csv"),
        ("```sh\nfalse | true\n```", "page.md:1"),
        ("```python\nprint(2)\n```\n% output\n```\n3\n```", "page.md:5"),
        ("```python\nprint('a 2')\n```\n% output\n```\na2\n```", "page.md:5"),
        ("```sh\nscript/none\n```", "script/none"),
    ],
)
def test_runner_notices(page_runner: PageRunner, tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises((Exception, pytest.fail.Exception), match=says):
        page_runner.run(written(tmp_path, text))
