"""Tables written by this tool, read back: a Parquet file with a known schema."""

from __future__ import annotations

import os
from typing import Any

from gossamer.errors import TableError
from gossamer.tables.columnar import read_columnar
from gossamer.tables.files import find_file
from gossamer.tables.schema import TableSchema


def read_table(path: str | os.PathLike[str], schema: TableSchema) -> Any:
    """Read a table that :func:`~gossamer.tables.write_table` wrote as Parquet.

    Parameters
    ----------
    path
        The Parquet file.
    schema
        Schema of the table; its name and version are in the file's metadata.

    Returns
    -------
    pyarrow.Table
        Table with exactly the columns of the schema, in its order; nothing is converted.

    Raises
    ------
    TableError
        If the file does not exist, is not Parquet, or has another table, version or columns.
    """
    source = find_file(path)
    if source.compression is not None or source.kind != "parquet":
        raise TableError(f"{source.name}: is not a Parquet file; expected the table {schema.name}")
    table = read_columnar(source)
    metadata = table.schema.metadata or {}
    name = metadata.get(b"gossamer.table", b"?").decode(errors="replace")
    version = metadata.get(b"gossamer.schema", b"?").decode(errors="replace")
    if (name, version) != (schema.name, str(schema.version)):
        raise TableError(
            f"{source.name}: is the table {name} in layout {version}; expected {schema.name} in "
            f"layout {schema.version}"
        )
    expected = {column: kind for column, kind in schema.columns if not isinstance(kind, str)}
    found = {field.name: field.type for field in table.schema if field.name in expected}
    if tuple(table.column_names) != schema.column_names or found != expected:
        raise TableError(
            f"{source.name}: the columns are {_listed(table.schema)}; expected "
            f"{', '.join(schema.column_names)}"
        )
    return table


def _listed(schema: Any) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)
