"""Runs the blocks of a page in order, in a folder with the files that the pages speak of.

Commands of gossamer run in this process, so that pages on Spark share one session. A block with
other commands or with pipes and redirections is a script for bash.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gossamer.cli.main import app
from tests.docs.page_blocks import ROOT, Block, Page

COLUMNS = 88
"""Width of the terminal, for blocks of output."""

SCRIPTS = {
    "script/bench": "tests/unit/test_benchmarks.py",
    "script/chaos": "tests/live/test_chaos.py",
    "script/demo": "tests/cli/test_demo.py",
    "script/docs": "tests/docs/test_site.py",
    "script/mutate": "tests/architecture/test_scripts.py",
    "script/sizes": "tests/installation/test_installation.py",
    "script/test": "tests/architecture/test_run.py",
    "script/walk": "tests/cli/test_walk.py",
}
"""Scripts that pages name, which take minutes, and the tests that check them."""

SHELL_SYNTAX = re.compile(r"[|&;<>$*]")
SECONDS = 120


def make_files(folder: Path) -> None:
    """Copy the table that pages link to."""
    shutil.copy(ROOT / "docs" / "getting-started" / "subscriptions.csv", folder)


@dataclass(frozen=True)
class Outcome:
    """What a command printed and which files it wrote; ``None`` for a file that it removed."""

    printed: str
    files: dict[str, bytes | None]


class PageRunner:
    """Runs the blocks of a page in the current folder.

    Parameters
    ----------
    done
        Outcomes of commands by command and content of the folder: one that an earlier page ran
        in the same state is not run again.
    """

    def __init__(self, done: dict[tuple[str, str], Outcome]) -> None:
        self.done = done
        self._names: dict[str, Any] = {"__name__": "__page__"}

    def run(self, page: Page) -> None:
        """Run every block; the error names the place of the block that failed."""
        printed = ""
        for block in page.blocks:
            if "file" in block.marks:
                Path(block.marks["file"]).parent.mkdir(parents=True, exist_ok=True)
                Path(block.marks["file"]).write_text(block.text, encoding="utf-8")
            elif "output" in block.marks:
                check_output(block, printed)
            elif block.is_executed:
                printed = self._run_python(block) if block.language == "python" else self._sh(block)

    def _run_python(self, block: Block) -> str:
        """Run Python; all blocks of a page share their names."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), failing_at(block):
            exec(compile(block.text, block.place, "exec"), self._names)
        return output.getvalue()

    def _sh(self, block: Block) -> str:
        """Run commands: in this process if each is one of gossamer, otherwise in bash."""
        if all(line.startswith("script/") for line in block.lines):
            for line in block.lines:
                assert (ROOT / SCRIPTS[line.split()[0]]).is_file(), f"{block.place}: {line}"
            return ""
        plain = [shlex.split(line, comments=True) for line in block.lines]
        if all(
            words[:1] == ["gossamer"] and not any(SHELL_SYNTAX.search(word) for word in words)
            for words in plain
        ):
            return "".join(self._command(words[1:], block.place) for words in plain)
        return run_in_bash(block)

    def _command(self, words: list[str], place: str) -> str:
        """Run a command of gossamer, or repeat its outcome."""
        if words[0] == "reproduce" and not {"--list", "--instances"} & set(words):
            words = [*words, "--instances", "1"]
        before = files_here()
        state = hashlib.sha256(repr(sorted(before.items())).encode()).hexdigest()
        key = (shlex.join(words), state)
        if key not in self.done:
            result = CliRunner().invoke(app, words)
            if result.exception and not isinstance(result.exception, SystemExit):
                raise result.exception
            command = f"{place}: gossamer {shlex.join(words)}"
            assert result.exit_code == 0, f"{command}\n{result.output}"
            after = files_here()
            changed: dict[str, bytes | None] = dict.fromkeys(before.keys() - after.keys())
            changed |= {name: text for name, text in after.items() if before.get(name) != text}
            self.done[key] = Outcome(result.stdout, changed)
            return result.stdout
        for name, content in self.done[key].files.items():
            if content is None:
                Path(name).unlink()
            else:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_bytes(content)
        return self.done[key].printed


@contextlib.contextmanager
def failing_at(block: Block) -> Any:
    """Name the place of a block in an error that it raises."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the block at {block.place}:\n{block.text}")
        raise


def files_here() -> dict[str, bytes]:
    """Return the content of every file below the current folder, by name."""
    paths = (path for path in Path().rglob("*") if path.is_file())
    return {path.as_posix(): path.read_bytes() for path in paths}


def run_in_bash(block: Block) -> str:
    """Run a block as a script; return its standard output."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", block.text],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PATH": path}, start_new_session=True,
    )  # fmt: skip
    try:
        printed, errors = process.communicate(timeout=SECONDS)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it left in the background
    assert process.returncode == 0, f"{block.place}\n{block.text}\n{errors}"
    return printed


def check_output(block: Block, printed: str) -> None:
    """Compare a block of output with what was printed.

    The width of columns may differ, since it depends on measured times: a run of spaces inside a
    line equals one space, and a rule of any length equals another.
    """
    expected = _even_columns(block.text)
    pattern = "\n".join(
        "@lines@" if line.strip() == "…" else re.escape(line).replace("…", ".*")
        for line in expected
    )
    pattern = pattern.replace("@lines@\n", "(?:.*\n)*").replace("\n@lines@", "(?:\n.*)*")
    lines = "\n".join(_even_columns(printed))
    if not re.fullmatch(pattern, lines):
        pytest.fail(f"{block.place}: the page shows\n{block.text}\nand the block prints\n{printed}")


def _even_columns(text: str) -> list[str]:
    """Return the lines of a text with one space for each run inside a line, and short rules."""
    lines = (line.rstrip() for line in text.strip("\n").splitlines())
    return [re.sub(r"─+", "─", re.sub(r"(?<=\S) +", " ", line)) for line in lines]
