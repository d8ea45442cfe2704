"""Progress of long computations: a bar in a terminal, otherwise a line every few seconds.

Progress is written to standard error, so that standard output has only results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.cli.common_options import common_options
from gossamer.progress import silent

if TYPE_CHECKING:
    from gossamer.progress import Progress

SECONDS_BETWEEN_LINES = 5.0
COMPILING = "compiling kernels for this machine (once; later runs use the cache)"


class PlainProgress:
    """Progress as lines, some seconds apart.

    Parameters
    ----------
    write
        Writer of a line.
    clock
        Clock in seconds.
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._last = clock()

    def __call__(self, stage: str, done: float) -> None:
        """Report a stage and the share of it that is done."""
        now = self._clock()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self._write(f"{stage}: {done:.0%}")


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Show progress within a block, and announce the compilation of kernels."""
    if common_options().quiet:
        yield silent
    elif sys.stderr.isatty():
        with _bar() as (progress, write), _announced_compilation(write):
            yield progress
    else:
        with _announced_compilation(_line):
            yield PlainProgress(_line)


def _line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _bar() -> Iterator[tuple[Progress, Callable[[str], None]]]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False, markup=False),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=1.0)

        def progress(stage: str, done: float) -> None:
            bar.update(task, description=stage, completed=done)

        yield progress, bar.console.print


@contextmanager
def _announced_compilation(write: Callable[[str], None]) -> Iterator[None]:
    """Announce once, before the first kernel of a block is compiled, the reason for the delay."""
    from gossamer.kernels.jit import on_compile

    announced = False

    def notify(*_: object) -> None:
        nonlocal announced
        if not announced:
            announced = True
            write(COMPILING)

    with on_compile(notify):
        yield
