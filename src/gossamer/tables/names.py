"""Names in tables, ids in memory: columns of names are hashed, and only distinct names sorted.

Integer names are ordered by value and string names by code point, so ids depend on the set of
names only.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model.wording import quoted

WHOLE_NUMBER = r"^(0|-?[1-9][0-9]{0,18})$"


class EncodedColumn(NamedTuple):
    """A column of names as ids.

    Attributes
    ----------
    names
        Distinct names, sorted: int64, or str objects.
    codes
        Position of the name of each row in ``names``.
    unusable
        Position of a name that is empty or has a NUL in it, if there is one.
    """

    names: NDArray[Any]
    codes: NDArray[np.int32]
    unusable: int | None


def encode_column(column: Any, *, numbers_in_text: bool) -> EncodedColumn:
    """Sort the distinct names of an Arrow column without nulls, and replace names by positions.

    Parameters
    ----------
    column
        Chunked array of int64, string, or a dictionary of strings.
    numbers_in_text
        Whether strings become integers if all of them are whole numbers in canonical form (not
        "007").
    """
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], type=encoded.type)
    distinct, codes = encoded.dictionary, encoded.indices.to_numpy()
    used = np.bincount(codes, minlength=len(distinct)) > 0
    if not used.all():
        distinct = distinct.filter(pa.array(used))
        codes = (np.cumsum(used) - 1)[codes]
    if numbers_in_text and pa.types.is_string(distinct.type):
        distinct = _as_numbers(distinct)
    order = pa.compute.sort_indices(distinct).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    names = distinct.take(pa.array(order)).to_numpy(zero_copy_only=False)
    return EncodedColumn(names, rank[codes], _unusable(names))


def is_whole_number(text: str) -> bool:
    """Whether a name is a whole number in canonical form (not "007")."""
    return re.fullmatch(WHOLE_NUMBER, text) is not None


def names_array(names: NDArray[Any], what: str) -> Any:
    """Return the names of nodes or topics as an Arrow array.

    Raises
    ------
    TableError
        If a name could not be read back: it is empty, has a NUL, or is not text.
    """
    if names.dtype.kind in "iu":
        return pa.array(names.astype(np.int64, copy=False))
    bad = _unusable(names)
    if bad is not None:
        raise TableError(
            f"a {what} is named {quoted(str(names[bad]))}; a name in a table must not be empty or "
            "have a NUL in it"
        )
    try:
        return pa.array(names, type=pa.string())
    except (pa.ArrowException, UnicodeError) as fault:
        raise TableError(f"a {what}'s name cannot be written as UTF-8 text ({fault})") from None


def name_column(
    names: NDArray[Any],
    ids: NDArray[Any],
    what: str = "node",
    *,
    missing: NDArray[np.bool_] | None = None,
) -> Any:
    """Return the names of ids as an Arrow array, null where ``missing``."""
    return names_array(names, what).take(pa.array(ids, mask=missing))


def find_ids(names: Any, known: NDArray[Any]) -> NDArray[np.int32]:
    """Return the position of each name among the known ones, compared as text; -1 if unknown."""
    found = pa.compute.index_in(_as_text(names), value_set=_as_text(known))
    ids: NDArray[np.int32] = found.fill_null(-1).to_numpy().astype(np.int32)
    return ids


def _as_text(names: Any) -> Any:
    return (names if isinstance(names, pa.Array) else pa.array(names)).cast(pa.string())


def _as_numbers(distinct: Any) -> Any:
    if not pa.compute.all(pa.compute.match_substring_regex(distinct, WHOLE_NUMBER)).as_py():
        return distinct
    try:
        return distinct.cast(pa.int64())
    except pa.ArrowInvalid:  # beyond 64 bits
        return distinct


def _unusable(names: NDArray[Any]) -> int | None:
    if names.dtype != object:
        return None
    return next((place for place, name in enumerate(names) if not name or "\0" in name), None)
