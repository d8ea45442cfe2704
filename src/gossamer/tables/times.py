"""Times in columns: numbers of a unit, or dates of ISO 8601 with or without a time of day.

A date without a zone is in UTC. The pipeline reads dates by the same pattern.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute

DATE = (
    r"^\d{4}-\d{2}-\d{2}"
    r"(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$"
)
"""Pattern of a date, for Arrow and Java."""

STEPS = (
    (r"^(.{10})$", r"\1T00:00"),
    (r"T(Z|[+-]\d{2}:?\d{2})$", r"\1"),  # behind a space
    (r"(T\d{2}:\d{2})((?:Z|[+-].*)?)$", r"\1:00\2"),
    (r",", r"."),
    (r"(\.\d{6})\d+", r"\1"),
    (r"([+-]\d{2})(\d{2})$", r"\1:\2"),
    (r"(T[\d:.]+)$", r"\1Z"),
)
"""Replacements, in order, that bring a date into the form that both Arrow and Java read."""

UTC = pa.timestamp("us", "UTC")
EXPECTED = "expected a number, 0 or more, or a date such as 2024-05-01T12:00:00Z"


def is_date_type(kind: Any) -> bool:
    """Whether an Arrow type holds dates, with or without a time of day."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def are_dates(column: Any) -> bool:
    """Whether a column has dates: by its type, or by the first of its texts."""
    if not pa.types.is_string(column.type):
        return is_date_type(column.type)
    return list(_matches(column.slice(0, 1)).to_pylist()) == [True]


def read_dates(column: Any) -> Any:
    """Return dates in microseconds since 1970, as int64; null where there is none.

    Examples
    --------
    >>> read_dates(pa.chunked_array([["1970-01-02", "1970-01-01 01:00:00,5+01:00"]])).to_pylist()
    [86400000000, 500000]
    """
    if pa.types.is_string(column.type):
        texts = pa.compute.if_else(_matches(column), column, None)
        try:
            column = _cast(texts)
        except pa.ArrowException:  # such as 2024-02-30
            column = pa.chunked_array([[_date_or_none(one) for one in texts]], type=UTC)
    zone = getattr(column.type, "tz", None)
    return column.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())


def _matches(column: Any) -> Any:
    trimmed = pa.compute.utf8_trim_whitespace(column)
    return pa.compute.match_substring_regex(trimmed, DATE).fill_null(False)


def _cast(texts: Any) -> Any:
    texts = pa.compute.utf8_upper(pa.compute.utf8_trim_whitespace(texts))
    texts = pa.compute.replace_substring(texts, " ", "T")
    for pattern, replacement in STEPS:
        texts = pa.compute.replace_substring_regex(texts, pattern, replacement)
    return texts.cast(UTC)


def _date_or_none(text: Any) -> Any:
    try:
        return _cast(pa.chunked_array([[text.as_py()]], type=pa.string()))[0].as_py()
    except pa.ArrowException:
        return None
