"""Delimiters of text tables: their names, and the one that follows from a line."""

from __future__ import annotations

import csv
from collections.abc import Callable

from gossamer.errors import ParameterError, TableError
from gossamer.wording import typed

BLANKS = "blanks"
"""Delimiter that is one or more spaces and tabs."""

NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe", BLANKS: "blanks"}
"""Delimiters that are guessed, and how they are typed; in the order of preference."""

BY_NAME = {"\\t": "\t", "space": " ", **{name: character for character, name in NAMES.items()}}
BY_ENDING = {".csv": ",", ".tsv": "\t"}
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def parse_delimiter(text: str) -> str:
    """Return the delimiter of a name such as ``tab``, or of a character.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    delimiter = BY_NAME.get(text, text)
    if delimiter == BLANKS:
        return delimiter
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise ParameterError(
            f"the delimiter is {delimiter!r}; expected one ASCII character that is neither a quote "
            f"nor a line end, such as ',', or one of {', '.join(NAMES.values())}"
        )
    return delimiter


def split_line(line: str, delimiter: str) -> list[str]:
    r"""Return the fields of a line.

    Raises
    ------
    csv.Error
        If a quote is not closed.

    Examples
    --------
    >>> split_line('a,"b,c"', ","), split_line(" a \t b", BLANKS)
    (['a', 'b,c'], ['a', 'b'])
    """
    if delimiter == BLANKS:
        return line.split()
    return next(csv.reader([line], delimiter=delimiter, strict=True), [])


def guess_delimiter(
    line: str,
    fits: Callable[[list[str]], bool],
    *,
    where: str,
    way_out: str = "write it with one of them only",
) -> str | None:
    r"""Return the delimiter that divides a line into fields that fit; None if none does.

    If several fit, the ending of the file decides, .csv or .tsv. Runs of blanks count only if they
    give other fields than a tab.

    Parameters
    ----------
    line
        First line of the file.
    fits
        Whether the fields are those of a line.
    where
        Name of the file.
    way_out
        What to do if several delimiters fit; ``{given}`` stands for options to type.

    Raises
    ------
    TableError
        If several delimiters fit, and the ending does not decide.

    Examples
    --------
    >>> guess_delimiter("node;topic", lambda fields: "node" in fields, where="s.csv")
    ';'
    """
    divided = {one: divide(line, one) for one in NAMES}
    fitting = [one for one, fields in divided.items() if fits(fields)]
    if BLANKS in fitting and any(divided[one] == divided[BLANKS] for one in fitting[:-1]):
        fitting.remove(BLANKS)
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    by_ending = delimiter_of_ending(where)
    if by_ending in fitting:
        return by_ending
    found = " or at ".join(f"each {NAMES[one]}".removesuffix("s") for one in fitting)
    given = " or ".join(typed(delimiter=NAMES[one]) for one in fitting)
    raise TableError(
        f"{where}: the first line can be divided at {found}; {way_out.format(given=given)}"
    )


def delimiter_of_ending(name: str) -> str | None:
    """Return the delimiter that follows from the ending of a file's name.

    Examples
    --------
    >>> delimiter_of_ending("s.CSV.gz"), delimiter_of_ending("s.txt")
    (',', None)
    """
    bare = name.lower()
    for ending in PACKED:
        bare = bare.removesuffix(ending)
    return next((found for ending, found in BY_ENDING.items() if bare.endswith(ending)), None)


def most_fields(line: str) -> str:
    """Return the delimiter that divides a line into the most fields."""
    return max(NAMES, key=lambda one: (len(divide(line, one)), one != BLANKS))


def divide(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line; none if it cannot be divided."""
    try:
        return split_line(line, delimiter)
    except csv.Error:
        return []
