"""How long work shows how far it is: a bar in a terminal, now and then a line elsewhere.

All of it goes to standard error, so that standard output holds results alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.progress import Progress

__all__ = ["PlainProgress", "shown_progress"]

SECONDS_BETWEEN_LINES = 5.0
COMPILING = "compiling kernels for this machine (once; later runs use the cache)"


class PlainProgress:
    """Writes a line when some seconds have passed since the last one.

    Parameters
    ----------
    write
        Takes a line.
    clock
        Gives the time in seconds.
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._last = clock()

    def __call__(self, stage: str, done: float) -> None:
        """Say what is being done, and the share of it that is done."""
        now = self._clock()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self._write(f"{stage}: {done:.0%}")


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show the progress of what is done inside, and say so when kernels are compiled."""
    if sys.stderr.isatty():
        with _bar() as (progress, say):
            _announce_compiling(say)
            yield progress
    else:
        _announce_compiling(_line)
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


def _announce_compiling(say: Callable[[str], None]) -> None:
    """Say once, when the first kernel is about to be compiled, why there is a wait."""
    from gossamer.kernels.jit import on_compile

    said = False

    def notify(*_: object) -> None:
        nonlocal said
        if not said:
            said = True
            say(COMPILING)

    on_compile(notify)
