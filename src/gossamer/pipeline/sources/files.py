"""Raw files: found by path, pattern, folder or URI, and checked before Spark reads them.

The format of a file follows from its first bytes and, for Spark, from its suffix. Bad files are
errors here; bad lines are not.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.fs

from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.folders import Folder
from gossamer.tables.file_kinds import TO_UTF8

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2"}
NOT_UNPACKED = (".7z", ".deflate", ".lz4", ".lzma", ".rar", ".snappy", ".tar", ".tgz", ".xz",
                ".zip", ".zst")  # fmt: skip
MAGIC = re.compile(r"[*?\[]")
MAX_HEADER = 1 << 20
BLOCK_BYTES = 1 << 16


@dataclass(frozen=True)
class RawFile:
    """A file that Spark can read as text, and its size as stored."""

    folder: Folder
    size: int

    @property
    def name(self) -> str:
        """Name as the user typed it."""
        return self.folder.name

    @property
    def spark_path(self) -> str:
        """Name for Spark to read from."""
        return self.folder.spark_pattern

    @property
    def compression(self) -> str | None:
        """Compression, by the suffix of the name."""
        return next(
            (kind for end, kind in COMPRESSIONS.items() if self.name.lower().endswith(end)), None
        )


def find_files(names: Iterable[str | os.PathLike[str]]) -> list[RawFile]:
    """Return the files of some names, folders and patterns, each once and without empty files.

    A folder stands for every file below it, except names (of folders too) that begin with ``.``
    or ``_``.

    Raises
    ------
    TableError
        If a file does not exist or is not text, or if all are empty.
    """
    found: dict[str, RawFile] = {}
    named = [os.fspath(name) for name in names]
    if not named:
        raise ParameterError("no files are named; expected one or more")
    for name in named:
        for one in _find(name):
            found.setdefault(one.folder.path, one)
    files = [found[path] for path in sorted(found)]
    filled = [one for one in files if one.size]
    if not filled:
        listed = ", ".join(one.name for one in files[:3])
        raise TableError(
            f"{listed}: the file is empty"
            if len(files) == 1
            else f"all {len(files)} files are empty: {listed}" + (" …" if len(files) > 3 else "")
        )
    for one in filled:
        _check_content(one)
    return filled


def is_parquet(folder: Folder) -> bool:
    """Whether it is a Parquet file, by its first bytes."""
    if folder.is_folder():
        return False
    file = RawFile(folder, 0)
    with _faults(file), _opened(file, None) as stream:
        return bool(stream.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC)


def first_line(file: RawFile) -> str | None:
    """Return the first line that is not blank, None if there is none.

    Raises
    ------
    TableError
        If it is not UTF-8 text, or longer than 1 MiB.
    """
    content = b""
    with _faults(file), _opened(file, file.compression) as stream:
        while len(content) < MAX_HEADER and (block := stream.read(BLOCK_BYTES)):
            content += block
            *lines, _ = re.split(rb"[\r\n]+", content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
            if lines:
                return _as_text(file, lines[0])
    content = content.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n")
    if len(content) >= MAX_HEADER:
        raise TableError(f"{file.name}: the first line is longer than 1 MiB; expected a header")
    return _as_text(file, content) if content else None


def _as_text(file: RawFile, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as fault:
        raise TableError(
            f"{file.name}, line 1: not UTF-8 text (byte 0x{line[fault.start]:02x} at place "
            f"{fault.start + 1}); {TO_UTF8}"
        ) from None


def _find(name: str) -> list[RawFile]:
    literal = Folder.at(name) if not MAGIC.search(name) or "://" not in name else None
    if literal is not None and literal.exists():
        return _files_of(literal)
    if not MAGIC.search(name):
        raise TableError(f"{name}: there is no such file or folder")
    matches = [one for folder in _matching(name) for one in _files_of(folder)]
    if not matches:
        raise TableError(f"{name}: no file matches this pattern")
    return matches


def _matching(pattern: str) -> list[Folder]:
    """Return the matches of a pattern, matched one part of the path after the other."""
    parts = pattern.split("/")
    first = next(place for place, part in enumerate(parts) if MAGIC.search(part))
    base = "/".join(parts[:first])
    if not base:
        base = "/" if pattern.startswith("/") else "."
    reached = [Folder.at(base)]
    for part in parts[first:]:
        reached = [
            _child(folder, name)
            for folder in reached
            if folder.is_folder()
            for name in _names_in(folder)
            if fnmatch.fnmatchcase(name, part) and (part[0] in "._" or name[0] not in "._")
        ]
    return reached


def _child(folder: Folder, name: str) -> Folder:
    if folder.name == ".":
        return Folder(name, f"{folder.path.rstrip('/')}/{name}", folder.system)
    return folder / name


def _names_in(folder: Folder) -> list[str]:
    return sorted(info.base_name for info in _list(folder, recursive=False))


def _files_of(folder: Folder) -> list[RawFile]:
    if not folder.is_folder():
        (info,) = _list(folder, recursive=None)
        return [RawFile(folder, info.size or 0)]
    found = []
    for info in _list(folder, recursive=True):
        inside = info.path[len(folder.path.rstrip("/")) + 1 :]
        hidden = any(part.startswith((".", "_")) for part in inside.split("/"))
        if info.type == pa.fs.FileType.File and not hidden:
            found.append(RawFile(folder / inside, info.size or 0))
    if not found:
        raise TableError(f"{folder.name}: the folder has no files in it")
    return found


def _list(folder: Folder, *, recursive: bool | None) -> list[pa.fs.FileInfo]:
    try:
        if recursive is None:
            return [folder.system.get_file_info(folder.path)]
        selector = pa.fs.FileSelector(folder.path, recursive=recursive)
        found: list[pa.fs.FileInfo] = folder.system.get_file_info(selector)
    except (pa.ArrowException, OSError) as fault:
        raise TableError(f"{folder.name}: cannot be read ({_said(fault)})") from None
    return found


def _check_content(file: RawFile) -> None:
    """Check the first bytes, since Spark goes by the name alone."""
    ending = next((end for end in NOT_UNPACKED if file.name.lower().endswith(end)), None)
    if ending is not None:
        raise TableError(
            f"{file.name}: {ending} files are not unpacked here; expected plain text, .gz or .bz2"
        )
    with _faults(file), _opened(file, None) as stream:
        head = stream.read(len(PARQUET_MAGIC))
    if head == PARQUET_MAGIC:
        raise TableError(f"{file.name}: is Parquet, a table already; expected raw text")
    if head.startswith(GZIP_MAGIC) and file.compression != "gzip":
        raise TableError(
            f"{file.name}: is gzipped, which Spark sees by the name only; rename it to end in .gz"
        )
    if file.compression == "gzip" and not head.startswith(GZIP_MAGIC):
        raise TableError(f"{file.name}: is not gzipped, though its name ends in .gz; rename it")


def _opened(file: RawFile, compression: str | None) -> pa.NativeFile:
    return file.folder.system.open_input_stream(file.folder.path, compression=compression)


@contextmanager
def _faults(file: RawFile) -> Iterator[None]:
    """Turn errors of Arrow into a TableError with the name of the file."""
    try:
        yield
    except (pa.ArrowException, OSError) as fault:
        raise TableError(f"{file.name}: cannot be read ({_said(fault)})") from None


def _said(fault: BaseException) -> str:
    return str(getattr(fault, "strerror", None) or str(fault).splitlines()[0])
