"""Lines of text files: blocks of whole lines for Arrow, and single lines for messages.

Lines are divided into fields together, and only if one is wrong are they read again, one at a
time, to name it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute

from gossamer.errors import RowError, TableError
from gossamer.tables.bad_rows import BadRows
from gossamer.tables.delimiters import BLANKS, split_line
from gossamer.tables.file_kinds import TO_UTF8
from gossamer.tables.files import TableFile

BLOCK_BYTES = 16 << 20
MAX_LINE = 64 << 20
"""Maximum size of a line in bytes, or in characters where they are decoded."""

COMMENTS = ("#", "%", "//")
"""Starts of lines without data in edge lists and lists."""

Check = Callable[[list[str]], str | None]
"""Function that returns what is wrong with the fields of a line, or None."""


def field_blocks(
    source: TableFile, delimiter: str, fault: Check, *, comments: Sequence[str] = COMMENTS
) -> Iterator[Any]:
    """Yield the fields of lines as Arrow arrays of lists of strings, block by block.

    Blank lines and comments are left out. Blanks around a field are not part of it.

    Raises
    ------
    TableError
        For a line that is not text; with the words of ``fault``, if it gives a reason there.
    """
    for block in _blocks(source, fault, delimiter, comments):
        try:
            text = pa.array([block], type=pa.binary()).cast(pa.string())
        except pa.ArrowException:
            raise_line_fault(source, delimiter, fault, comments=comments)
        lines = pa.compute.split_pattern(text, "\n").flatten()
        lines = pa.compute.ascii_trim_whitespace(lines)
        idle = pa.compute.equal(lines, "")
        for mark in comments:
            idle = pa.compute.or_(idle, pa.compute.starts_with(lines, mark))
        lines = lines.filter(pa.compute.invert(idle))
        if delimiter == BLANKS:
            yield pa.compute.ascii_split_whitespace(lines)
        elif b'"' in block:
            try:
                fields = [split_line(line, delimiter) for line in lines.to_pylist()]
            except csv.Error:
                raise_line_fault(source, delimiter, fault, comments=comments)
            yield pa.array(fields, type=pa.list_(pa.string()))
        else:
            found = pa.compute.split_pattern(lines, delimiter)
            trimmed = pa.compute.ascii_trim_whitespace(found.flatten())
            yield pa.ListArray.from_arrays(found.offsets, trimmed)


def first_records(
    source: TableFile, count: int, *, comments: Sequence[str] = COMMENTS
) -> list[str]:
    """Return the first lines that are neither blank nor comments, without blanks around them."""
    kept = (text for _, line in lines_of(source) if _has_data(text := line.strip(), comments))
    return list(islice(kept, count))


def lines_of(source: TableFile, *, bad: BadRows | None = None) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, and raise at the first that is too long or not UTF-8.

    A line ends as its file has it: with CR, LF or both. With ``bad``, lines that are not UTF-8 are
    counted there and left out.
    """
    with (
        source.bytes_stream() as stream,
        io.TextIOWrapper(
            stream, encoding="utf-8-sig", errors="surrogateescape", newline=""
        ) as text,
    ):
        number = 0
        while line := text.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE and not line.endswith(("\n", "\r")):
                raise TableError(
                    f"{source.name}, line {number}: is longer than {MAX_LINE >> 20} MiB; expected "
                    "lines of text"
                )
            try:
                if not line.isascii():
                    _check_text(source, number, line)
            except RowError as fault:
                if bad is None:
                    raise
                bad.add(fault)
                continue
            yield number, line


def raise_line_fault(
    source: TableFile, delimiter: str, fault: Check, *, comments: Sequence[str] = COMMENTS
) -> NoReturn:
    """Read the file again to find the wrong line, and raise."""
    source.check_unchanged()
    for number, line in lines_of(source):
        where = f"{source.name}, line {number}"
        text = line.strip()
        if "\0" in line:
            raise RowError(f"{where}: has a NUL byte in it; expected text")
        if not _has_data(text, comments):
            continue
        try:
            fields = [field.strip() for field in split_line(text, delimiter)]
        except csv.Error as wrong:
            raise RowError(f"{where}: {wrong}") from None
        reason = fault(fields)
        if reason is not None:
            raise RowError(f"{where}: {reason}: {text[:60]!r}")
    raise TableError(f"{source.name}: cannot be read as lines of names")


def good_lines(
    source: TableFile,
    delimiter: str,
    fault: Check,
    bad: BadRows,
    *,
    instead: str = "",
    header: bool = False,
) -> Iterator[str]:
    """Yield the lines without a fault, and count the bad ones.

    Parameters
    ----------
    source, delimiter, fault
        As in :func:`field_blocks`.
    bad
        Number of rows, and of bad ones.
    instead
        Line in place of a bad one.
    header
        Whether the first line is a header, which is no row.
    """
    for number, line in lines_of(source, bad=bad):
        text = line.strip()
        if not _has_data(text, COMMENTS):
            continue
        if header:
            header = False
            yield line
            continue
        try:
            reason = fault([field.strip() for field in split_line(text, delimiter)])
        except csv.Error as wrong:
            reason = str(wrong)
        if "\0" in line:
            reason = "has a NUL byte in it; expected text"
        if reason is None:
            bad.rows += 1
            yield line
        else:
            bad.add(f"{source.name}, line {number}: {reason}: {text[:60]!r}")
            yield instead


def _has_data(line: str, comments: Sequence[str]) -> bool:
    return bool(line) and not line.startswith(tuple(comments))


def _blocks(
    source: TableFile, fault: Check, delimiter: str, comments: Sequence[str]
) -> Iterator[bytes]:
    """Yield the file in blocks of whole lines."""
    parts: list[bytes] = []
    size, start = 0, True
    try:
        with source.arrow_stream() as stream:
            while block := stream.read(BLOCK_BYTES):
                block = block.removeprefix(b"\xef\xbb\xbf") if start else block
                start = False
                cut = block.rfind(b"\n") + 1
                if cut:
                    yield b"".join((*parts, block[:cut]))
                    parts, size = [], 0
                parts.append(block[cut:])
                size += len(block) - cut
                if size > MAX_LINE:
                    break
    except OSError:
        size = MAX_LINE + 1
    if size > MAX_LINE:
        raise_line_fault(source, delimiter, fault, comments=comments)
    if size:
        yield b"".join(parts)


def _check_text(source: TableFile, number: int, line: str) -> None:
    try:
        line.encode()
    except UnicodeEncodeError as fault:
        before = len(line[: fault.start].encode())
        byte = line[fault.start].encode("utf-8", "surrogateescape")[0]
        raise RowError(
            f"{source.name}, line {number}: not UTF-8 text (byte 0x{byte:02x} at place "
            f"{before + 1}); {TO_UTF8}"
        ) from None
