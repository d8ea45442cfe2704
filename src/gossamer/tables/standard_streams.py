"""Standard input and output as tables: the path ``-``.

Standard input is copied once to a temporary file, because a table is read several times: for its
kind, its header and its rows. The file is removed when the process ends.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, NamedTuple

from gossamer.atomic_files import is_standard
from gossamer.errors import TableError

STANDARD_INPUT = "standard input"
COPY_BYTES = 1 << 20


class _Copy(NamedTuple):
    """The stream that was copied, and the copy, which is removed when it is closed."""

    stream: Any
    file: Any


_copy: _Copy | None = None


def name_of(path: Any) -> str:
    """Return the name of an input in messages."""
    return STANDARD_INPUT if is_standard(path) else str(path)


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
    sys.stdout.flush()
    return sys.stdout.buffer


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
