"""Packed rows: arrays as binary cells, so that a shuffle moves few, large rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Packed = TypeVar("Packed")
LONG_FIELDS = {"offsets"}
PAIR_FIELDS = {"ends"}
WHOLE_NUMBERS = {"part", "block", "first_node", "first_slot"}


def pack(value: Any) -> dict[str, Any]:
    """Convert a dataclass of arrays and whole numbers to cells."""
    cells = {}
    for field in fields(value):
        content = getattr(value, field.name)
        cells[field.name] = (
            np.ascontiguousarray(content).tobytes() if isinstance(content, np.ndarray) else content
        )
    return cells


def unpack(kind: type[Packed], cells: Mapping[str, Any]) -> Packed:
    """Convert cells back to the dataclass; the arrays are views of the cells."""
    found: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        content = cells[field.name]
        found[field.name] = content if isinstance(content, int) else _array(field.name, content)
    return kind(**found)


def binary_schema(kind: type, *keys: str) -> str:
    """Return the Spark schema of packed rows of a dataclass, after whole-number keys."""
    names = [*keys, *(field.name for field in fields(kind))]
    return ", ".join(f"{name} {'bigint' if name in WHOLE_NUMBERS else 'binary'}" for name in names)


def rows_of(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of Arrow batches, with binary cells as buffers that are not copied."""
    for batch in batches:
        columns = {name: batch.column(name) for name in batch.schema.names}
        for row in range(batch.num_rows):
            yield {
                name: column[row].as_buffer()
                if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
                else column[row].as_py()
                for name, column in columns.items()
            }


def to_batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield one Arrow batch for each row, so that only one row is in memory."""
    for row in rows:
        arrays = [
            pa.array([value], type=pa.int64() if isinstance(value, int) else pa.binary())
            for value in row.values()
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=list(row))


def _array(name: str, content: Any) -> NDArray[Any]:
    if name in LONG_FIELDS:
        return np.frombuffer(content, dtype=np.int64)
    array = np.frombuffer(content, dtype=np.int32)
    return array.reshape(-1, 2) if name in PAIR_FIELDS else array
