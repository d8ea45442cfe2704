"""Text tables: fields separated by commas, tabs or other characters, under a header line.

Arrow reads the rows, with every field as a string, so "007" stays "007". If it fails, Python's csv
module reads the file again to find the wrong line.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv

from gossamer.errors import ParameterError, TableError
from gossamer.tables.files import TableFile

BLOCK_BYTES = 4 << 20
NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";"}


def find_delimiter(source: TableFile, delimiter: str | None) -> str:
    """Return the given separator, or the one that follows from the file's name."""
    if delimiter is None:
        name = source.path.name.lower()
        return "\t" if name.endswith((".tsv", ".tsv.gz")) else ","
    delimiter = NAMED_DELIMITERS.get(delimiter, delimiter)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise ParameterError(
            f"the delimiter is {delimiter!r}; expected one ASCII character that is "
            "neither a quote nor a line end, such as ',' or 'tab'"
        )
    return delimiter


def read_header(source: TableFile, delimiter: str) -> list[str]:
    """Return the column names of the first line that is not blank."""
    for _, fields in _records(source, delimiter):
        return fields
    raise TableError(f"{source.path}: the file is empty; expected a header line and rows")


def read_delimited(source: TableFile, columns: Sequence[str], delimiter: str) -> Any:
    """Read columns of the header as dictionaries of strings.

    Raises
    ------
    TableError
        If a row has too few or too many fields, or one that is empty, contains NUL or is not
        UTF-8; the message names the line.
    """
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        with source.arrow_stream() as stream:
            table = pa.csv.read_csv(
                stream,
                read_options=pa.csv.ReadOptions(block_size=BLOCK_BYTES),
                parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types=dict.fromkeys(columns, text),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
    except (pa.ArrowException, OSError) as fault:
        if _is_header_only(source, delimiter):
            empty = pa.array([], type=text)
            return pa.table([empty] * len(columns), names=list(columns))
        raise_row_fault(source, columns, delimiter, str(fault))
    _check_last_quote(source, delimiter)
    return table


def _check_last_quote(source: TableFile, delimiter: str) -> None:
    """Raise for a quote that is opened and never closed."""
    quotes = 0
    with source.arrow_stream() as stream:
        while block := stream.read(BLOCK_BYTES):
            quotes += block.count(b'"')
    if quotes % 2 == 0:
        return
    ((line, fields),) = deque(_records(source, delimiter), maxlen=1)  # the last record
    if any("\n" in field for field in fields):
        raise TableError(
            f"{source.path}, line {line}: a quote is opened in this row and never closed"
        )


def raise_row_fault(
    source: TableFile, columns: Sequence[str], delimiter: str, otherwise: str
) -> NoReturn:
    """Read the file again to find the wrong line, and raise; ``otherwise`` is the last reason."""
    records = _records(source, delimiter)
    _, header = next(records)
    places = {name: header.index(name) for name in columns}
    for line, fields in records:
        where = f"{source.path}, line {line}"
        if len(fields) != len(header):
            missing = [name for name in columns if places[name] >= len(fields)]
            what = f"; {' and '.join(map(repr, missing))} missing" if missing else ""
            raise TableError(
                f"{where}: {len(fields)} field{'s' if len(fields) != 1 else ''}, "
                f"expected {len(header)} ({', '.join(header)}){what}"
            )
        for name in columns:
            field = fields[places[name]]
            if not field:
                raise TableError(f"{where}: the field {name!r} is empty; every row needs a name")
            if "\0" in field:
                raise TableError(f"{where}: the field {name!r} has a NUL byte in it")
    raise TableError(f"{source.path}: cannot be read as a table ({otherwise})")


def line_of_row(source: TableFile, delimiter: str, row: int) -> int:
    """Return the line number of a row; rows count from 0, below the header."""
    for place, (line, _) in enumerate(_records(source, delimiter), start=-1):
        if place == row:
            return line
    raise AssertionError(f"{source.path} has no row {row}")


def _is_header_only(source: TableFile, delimiter: str) -> bool:
    records = _records(source, delimiter)
    next(records)
    return next(records, None) is None


def _records(source: TableFile, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the fields of each record that is not blank."""
    with (
        source.bytes_stream() as stream,
        io.TextIOWrapper(
            stream, encoding="utf-8-sig", errors="surrogateescape", newline=""
        ) as text,
    ):
        reader = csv.reader(_lines(source, text), delimiter=delimiter)
        while True:
            start = reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as fault:
                raise TableError(f"{source.path}, line {start}: {fault}") from None
            if fields:
                yield start, fields


def _lines(source: TableFile, text: Iterable[str]) -> Iterator[str]:
    """Yield lines, and raise at the first that is not UTF-8."""
    for number, line in enumerate(text, start=1):
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError as fault:
                before = len(line[: fault.start].encode())
                byte = line[fault.start].encode("utf-8", "surrogateescape")[0]
                raise TableError(
                    f"{source.path}, line {number}: not UTF-8 text (byte 0x{byte:02x}, the "
                    f"{before + 1}. of the line); convert it with: iconv -t UTF-8"
                ) from None
        yield line
