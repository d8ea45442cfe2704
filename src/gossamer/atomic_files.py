"""Atomic writing of files.

A file is written beside its target under another name, flushed to the disk and renamed; an
interruption leaves the target as it was.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gossamer.errors import ParameterError, TableError

STANDARD = "-"
"""Path of standard input and output."""

STANDARD_INPUT, STANDARD_OUTPUT = "standard input", "standard output"

TABLE_ENDINGS = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz")
GRAPH_ENDINGS = (".graphml", ".gml", ".dot", ".json")
LINK_ENDINGS = (*TABLE_ENDINGS, *GRAPH_ENDINGS)


def is_standard(path: object) -> bool:
    """Whether a path is ``-``, which stands for standard input or output."""
    return str(path) == STANDARD


def title_of(path: str | os.PathLike[str]) -> str:
    """Return the name of an input file without its folder, for a title."""
    return STANDARD_INPUT if is_standard(path) else Path(path).name


def check_output(
    path: str | os.PathLike[str],
    endings: tuple[str, ...] = TABLE_ENDINGS,
    *,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
) -> Path:
    """Check before long work that a file can be written; ``-`` is standard output, for a table.

    Raises
    ------
    ParameterError
        If the ending of the path is unknown, its folder does not exist or is not writable, or the
        path is a folder, one of the ``inputs``, or no plain file.
    """
    place = Path(path)
    if is_standard(place):
        if not set(TABLE_ENDINGS) <= set(endings):
            raise ParameterError(
                "- is standard output, which takes tables; expected a file whose name ends in "
                f"{' or '.join(endings)}"
            )
        return place
    if place.is_dir():
        raise ParameterError(f"{place}: is a folder; expected the name of a file to write")
    if not place.name.lower().endswith(endings):
        raise ParameterError(
            f"{place}: the ending is of no known format; expected one of {', '.join(endings)}"
        )
    folder = Path(os.path.realpath(place)).parent
    for source in inputs:
        if source is not None and os.path.realpath(source) == os.path.realpath(place):
            raise ParameterError(f"{place}: is also an input; expected another file for the output")
    if place.exists() and not place.is_file():
        raise ParameterError(f"{place}: is not a plain file, and would be replaced by one")
    if not folder.is_dir():
        raise ParameterError(f"{place}: there is no folder {place.parent}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ParameterError(f"{place}: the folder {place.parent} cannot be written to")
    return place


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the name of a partial file, and rename it to ``path`` at the end.

    On a failure or interruption the partial file is removed, and the target is unchanged.
    """
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            yield partial
            _flush(partial)
            os.replace(partial, target)
            _flush(target.parent)
        except OSError as fault:
            why = os.strerror(fault.errno) if fault.errno else fault
            raise TableError(f"{path}: cannot be written ({why})") from fault
    finally:
        with suppress(OSError):
            partial.unlink()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
