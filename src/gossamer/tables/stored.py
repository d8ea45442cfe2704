"""Tables that this tool wrote itself, read back: a whole Parquet file of a known layout.

The file must say of itself that it is that table in that layout; columns of another
name or type are an error, and nothing is converted.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from gossamer.errors import TableError
from gossamer.tables.schema import NAME, TableSchema
from gossamer.tables.sources import find_source

__all__ = ["read_table"]


def read_table(path: str | os.PathLike[str], schema: TableSchema) -> Any:
    """Read a table that :func:`~gossamer.tables.write_table` wrote as Parquet.

    Parameters
    ----------
    path
        The Parquet file.
    schema
        What it must be.

    Returns
    -------
    pyarrow.Table
        With exactly the schema's columns, in its order.

    Raises
    ------
    TableError
        If there is no such file, it is no Parquet, or it is another table or layout.
    """
    source = find_source(path)
    if source.gzipped or not source.parquet:
        raise TableError(f"{source.path}: is not a Parquet file; expected the table {schema.name}")
    try:
        with source.arrow_stream() as stream:
            table = pa.parquet.read_table(stream)
    except (pa.ArrowException, OSError) as fault:
        said = str(fault).splitlines()[0]
        raise TableError(
            f"{source.path}: the Parquet data cannot be read; the file is truncated or corrupt "
            f"({said})"
        ) from None
    metadata = table.schema.metadata or {}
    name = metadata.get(b"gossamer.table", b"?").decode(errors="replace")
    version = metadata.get(b"gossamer.schema", b"?").decode(errors="replace")
    if (name, version) != (schema.name, str(schema.version)):
        raise TableError(
            f"{source.path}: is the table {name} in layout {version}; expected {schema.name} in "
            f"layout {schema.version}"
        )
    expected = {column: kind for column, kind in schema.columns if kind is not NAME}
    found = {field.name: field.type for field in table.schema if field.name in expected}
    if tuple(table.column_names) != schema.column_names or found != expected:
        raise TableError(
            f"{source.path}: the columns are {_listed(table.schema)}; expected "
            f"{', '.join(schema.column_names)}"
        )
    return table


def _listed(schema: Any) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)
