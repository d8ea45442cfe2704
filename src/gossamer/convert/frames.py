"""Columns of names of a data frame or table, through the Arrow PyCapsule interface.

pandas, polars, pyarrow, DuckDB and other libraries offer ``__arrow_c_stream__``; pyarrow reads
all of them in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.column_names import check_columns
from gossamer.errors import InputError


class NameCodes(NamedTuple):
    """A column of names: the distinct names in any order, and the position of each row in them."""

    names: list[Any]
    codes: NDArray[np.int64]


def name_codes(frame: Any, columns: Mapping[str, str], *, lists: bool = False) -> list[NameCodes]:
    """Return columns of a frame as names and codes, one row per pair.

    Parameters
    ----------
    frame
        Data frame or table: an object with ``__arrow_c_stream__``.
    columns
        Name of the column for each parameter of the caller, which messages name.
    lists
        Whether the last column may have a list of names in each row. Each name of a list is a row
        of the result; the distinct names of the other columns include those of empty lists.

    Raises
    ------
    InputError
        If the object is no frame, a column is missing, or a name is null, empty, or neither an
        integer nor a string; rows count from 1.
    """
    columns = {parameter: str(name) for parameter, name in columns.items()}
    if len(set(columns.values())) < len(columns):
        name = next(iter(columns.values()))
        raise InputError(f"both columns are named {name!r}; expected two different ones")
    ways = {name: f"{parameter}=" for parameter, name in columns.items()}
    if hasattr(frame, "iloc") and hasattr(frame, "columns") and frame.columns.has_duplicates:
        check_columns("", [*map(str, frame.columns)], ways)  # Arrow does not convert it
    table = arrow_table(frame, list(columns.values()))
    check_columns("", table.column_names, ways)
    arrays = [_joined(table.column(name)) for name in columns.values()]
    *_, last = columns.values()
    rows = None
    if _is_list(arrays[-1].type):
        if not lists:
            _refuse_type(last, arrays[-1].type)
        _check_nulls(arrays[-1], last, None)
        if not (pa.types.is_list(arrays[-1].type) or pa.types.is_large_list(arrays[-1].type)):
            arrays[-1] = arrays[-1].cast(pa.large_list(arrays[-1].type.value_type))
        rows = pa.compute.list_parent_indices(arrays[-1]).to_numpy(zero_copy_only=False)
        arrays[-1] = pa.compute.list_flatten(arrays[-1])
    encoded = [
        _encode(array, name, rows if name == last else None)
        for array, name in zip(arrays, columns.values(), strict=True)
    ]
    if rows is None:
        return encoded
    repeated = [NameCodes(one.names, one.codes[rows]) for one in encoded[:-1]]
    return [*repeated, encoded[-1]]


def arrow_table(frame: Any, columns: Sequence[str] = ()) -> Any:
    """Return a frame as an Arrow table; of pandas only the columns, if it has them all."""
    if not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
        if hasattr(frame, "collect"):
            raise InputError(
                f"frame is {describe(frame)}, which is not computed yet; expected a data frame, as "
                "frame.collect() returns it"
            )
        raise InputError(
            f"frame is {describe(frame)}; expected a data frame or table of pandas, polars, "
            "pyarrow or DuckDB, or another object with the method __arrow_c_stream__"
        )
    if hasattr(frame, "iloc") and columns and set(columns) <= set(frame.columns):
        frame = frame[list(columns)]  # other columns may hold objects that Arrow does not know
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as fault:
        reason = "; ".join(str(part) for part in fault.args) or type(fault).__name__
        raise InputError(
            "the frame cannot be converted to Arrow; expected names that are all integers or all "
            f"strings in one column ({reason})"
        ) from None


def is_frame(value: Any) -> bool:
    """Whether an object is a data frame or table, also a lazy one, and not a column."""
    kind = type(value)
    if hasattr(kind, "collect_schema"):
        return True
    named = any(hasattr(kind, name) for name in ("columns", "column_names", "schema"))
    arrow = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__")
    return arrow and (named or not hasattr(kind, "__iter__"))


def describe(value: Any) -> str:
    """Return the type of an object with its library, as in: a DataFrame of pandas."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
    suffix = "" if library in ("builtins", "__main__") else f" of {library.lstrip('_')}"
    return f"{article} {kind.__name__}{suffix}"


def _joined(column: Any) -> Any:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], type=array.type)
    if not pa.types.is_dictionary(array.type):
        return array
    values = array.dictionary
    if values.type == pa.string_view():
        values = values.cast(pa.large_string())
    return values.take(array.indices)


def _encode(array: Any, name: str, rows: NDArray[Any] | None) -> NameCodes:
    """Return the distinct names of an array; ``rows`` are those of its values in the frame."""
    kind = array.type
    if not len(array):  # of any type, since an empty column may have none
        return NameCodes([], np.empty(0, dtype=np.int64))
    if pa.types.is_null(kind) or array.null_count:
        _check_nulls(array, name, rows)
    if pa.types.is_floating(kind):
        _check_nulls(pa.compute.if_else(pa.compute.is_nan(array), None, array), name, rows)
    if pa.types.is_integer(kind):
        encoded = array.dictionary_encode()
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        encoded = array.cast(pa.large_string()).dictionary_encode()
        empty = pa.compute.index(encoded.dictionary, "").as_py()
        if empty >= 0:
            place = int(np.flatnonzero(encoded.indices.to_numpy() == empty)[0])
            raise InputError(f"row {_row(place, rows)} of the column {name!r} is an empty name")
    else:
        _refuse_type(name, kind)
    codes: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64)
    return NameCodes(encoded.dictionary.to_pylist(), codes)


def _check_nulls(array: Any, name: str, rows: NDArray[Any] | None) -> None:
    place = pa.compute.index(pa.compute.is_null(array), True).as_py()
    if place >= 0:
        raise InputError(
            f"row {_row(place, rows)} of the column {name!r} is null; expected a name in every "
            "row, so drop or fill such rows first"
        )


def _row(place: int, rows: NDArray[Any] | None) -> str:
    return f"{(place if rows is None else int(rows[place])) + 1:,}"


def _is_list(kind: Any) -> bool:
    kinds = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
    return any(getattr(pa.types, f"is_{one}")(kind) for one in kinds)


def _refuse_type(name: str, kind: Any) -> NoReturn:
    raise InputError(
        f"the column {name!r} is of type {kind}; expected names that are integers or strings"
    )
