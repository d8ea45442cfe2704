"""Progress goes to standard error: now and then a line, or a bar in a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gossamer.cli.progress import COMPILING, SECONDS_BETWEEN_LINES, PlainProgress, show_progress
from gossamer.kernels import jit
from gossamer.measures import shown


def test_a_line_now_and_then() -> None:
    now = [0.0]
    lines: list[str] = []
    progress = PlainProgress(lines.append, lambda: now[0])
    for step in range(101):
        now[0] = step * SECONDS_BETWEEN_LINES / 10
        progress("linking", step / 100)
    assert lines == [f"linking: {percent}%" for percent in range(10, 101, 10)]


def test_compiling_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    announced: list[Callable[[], None]] = []

    @contextmanager
    def on_compile(announce: Callable[[], None]) -> Iterator[None]:
        announced.append(announce)
        yield

    monkeypatch.setattr(jit, "on_compile", on_compile)
    with show_progress():
        announced[0]()
        announced[0]()
    assert capsys.readouterr().err == f"{COMPILING}\n"


def test_a_bar_in_a_terminal() -> None:
    code = (
        "import gossamer.kernels.jit\n"  # slow to import: the bar would be drawn many times
        "from gossamer.cli.progress import show_progress\n"
        "with show_progress() as progress:\n"
        "    progress('linking', 0.25)\n"
        "    progress('linking', 0.5)\n"
    )
    ours, theirs = pty.openpty()
    try:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
        run = subprocess.run(
            [sys.executable, "-c", code], stderr=theirs, capture_output=False, env=environment
        )
        written = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert run.returncode == 0
    assert "linking" in written
    assert "50%" in written


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (1234567, "1,234,567"),
        (3.14159, "3.14"),
        (0.0123, "0.0123"),
        (123456.7, "123,457"),
        (0.0, "0"),
        ("as it is", "as it is"),
    ],
)
def test_values_as_people_read_them(value: object, text: str) -> None:
    assert shown(value) == text
