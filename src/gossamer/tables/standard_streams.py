"""Standard input and output as tables: the path ``-``.

Standard input is copied once to a temporary file, because a table is read several times: for its
kind, its header and its rows. The file is removed when the process ends. While a table is written
to standard output, messages go elsewhere: :func:`messages_on`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, NamedTuple

from gossamer.atomic_files import STANDARD_INPUT, STANDARD_OUTPUT, is_standard
from gossamer.errors import TableError

COPY_BYTES = 1 << 20


class _Copy(NamedTuple):
    """The stream that was copied, and the copy, which is removed when it is closed."""

    stream: Any
    file: Any


_copy: _Copy | None = None
_output: ContextVar[IO[str] | None] = ContextVar("standard output", default=None)


def name_of(path: Any) -> str:
    """Return the name of an input in messages."""
    return STANDARD_INPUT if is_standard(path) else str(path)


@contextmanager
def messages_on(stream: IO[str]) -> Iterator[None]:
    """Keep standard output for a table: what else is printed within a block goes to a stream."""
    if sys.__stdout__ is None:
        raise TableError(f"{STANDARD_OUTPUT}: is closed; expected a file or a pipe for the table")
    token = _output.set(sys.stdout)
    try:
        with redirect_stdout(stream):
            yield
    finally:
        _output.reset(token)


def standard_input() -> Path:
    """Return the copy of standard input.

    Raises
    ------
    TableError
        If standard input is a terminal or closed, or cannot be copied.
    """
    global _copy
    if sys.stdin is None:
        raise TableError(f"{STANDARD_INPUT}: is closed; expected a table")
    if _copy is None or _copy.stream is not sys.stdin:
        if sys.stdin.isatty():
            raise TableError(
                f"{STANDARD_INPUT}: is the terminal; expected a table through a pipe, as in: "
                "cat FILE | gossamer …"
            )
        _copy = _Copy(sys.stdin, _copied(sys.stdin.buffer))
    return Path(_copy.file.name)


def standard_output() -> IO[bytes]:
    """Return standard output for bytes, after the text written to it."""
    stream: Any = _output.get() or sys.stdout
    stream.flush()
    buffer: IO[bytes] = stream.buffer
    return buffer


def _copied(stream: IO[bytes]) -> Any:
    file = tempfile.NamedTemporaryFile(prefix="gossamer-")  # noqa: SIM115  # kept open
    try:
        shutil.copyfileobj(stream, file, COPY_BYTES)
        file.flush()
    except OSError as fault:
        file.close()
        raise TableError(
            f"{STANDARD_INPUT}: cannot be copied to a temporary file ({fault.strerror or fault})"
        ) from None
    return file
