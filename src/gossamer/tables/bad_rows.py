"""Bad rows of a table that are skipped: their number, and the first of them.

A table is read as a whole first. Only if a row is bad, and some may be skipped, is a text file read
again record by record: the good ones are copied to a temporary file, which is read in its place.
"""

from __future__ import annotations

import math
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gossamer.errors import ParameterError, RowError, TableError, TableWarning
from gossamer.tables.files import TableFile
from gossamer.wording import named, typed


@dataclass
class BadRows:
    """Bad rows that were found, and how many may be skipped.

    Attributes
    ----------
    limit
        Maximum number of bad rows, or their maximum share, such as ``"1%"``.
    rows, bad
        Number of rows, and of bad ones among them.
    first
        The first bad row: file, line and reason.
    """

    limit: int | str = 0
    rows: int = 0
    bad: int = 0
    first: str = ""

    def __post_init__(self) -> None:
        max_bad_records(self.limit, 0)

    @property
    def allowed(self) -> bool:
        """Whether any row may be skipped."""
        return max_bad_records(self.limit, 10**12) > 0

    def add(self, fault: RowError | str, count: int = 1) -> None:
        """Count bad rows; the fault is that of the first of them."""
        self.first = self.first or str(fault)
        self.bad += count
        self.rows += count

    def report(self, name: str) -> None:
        """Raise if more rows are bad than may be; warn if some were skipped.

        Raises
        ------
        TableError
            With the first bad row.
        """
        if self.bad > max_bad_records(self.limit, self.rows) or self.bad == self.rows > 0:
            raise TableError(
                f"{name}: {self.bad:,} of {self.rows:,} rows are bad, and {named('max_bad')} is "
                f"{self.limit}; the first: {self.first}"
            )
        if self.bad:
            text = f"{name}: skipped {self.bad:,} of {self.rows:,} rows; the first: {self.first}"
            warnings.warn(text, TableWarning, stacklevel=2)


def max_bad_records(limit: int | str, records: int) -> int:
    """Return the maximum number of bad records.

    Examples
    --------
    >>> max_bad_records("1%", 20), max_bad_records("1%", 1000), max_bad_records(3, 20)
    (0, 10, 3)
    """
    text = str(limit).strip()
    found = re.fullmatch(r"(\d{1,18})|(\d{1,3}(?:\.\d{1,9})?) ?%", text)
    if isinstance(limit, bool) or not found or float(found.group(2) or 0) > 100:
        raise ParameterError(
            f"{named('max_bad')} is {text!r}; expected a number of lines, or a share as in 1% or "
            "0.5%"
        )
    if found.group(1):
        return int(found.group(1))
    return math.floor(round(float(found.group(2)) * records / 100, 6))


@contextmanager
def way_out_of_bad_rows() -> Iterator[None]:
    """Name the option that skips bad rows in the error of one."""
    try:
        yield
    except RowError as fault:
        given = typed(max_bad="1%")
        raise RowError(f"{fault}. To skip bad rows, if there are few, give {given}") from None


@contextmanager
def copy_of(source: TableFile, lines: Iterator[str]) -> Iterator[TableFile]:
    """Write the good lines of a file to a temporary one, which has the same name in messages."""
    with tempfile.NamedTemporaryFile("w", prefix="gossamer-", encoding="utf-8", newline="") as file:
        file.writelines(lines)
        file.flush()
        yield replace(source, path=type(source.path)(file.name), compression=None, state=())
