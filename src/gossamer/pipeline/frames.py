"""Tables as Spark frames: the schemas of :mod:`gossamer.tables`, checked on reading.

A column of names is ``bigint`` (narrower integers are widened) or ``string``; every other column
has exactly its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.errors import TableError
from gossamer.pipeline.folders import Folder, Place
from gossamer.tables import TableSchema
from gossamer.tables.schema import NAME

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME_TYPES = ("bigint", "string")
NARROWER = ("int", "smallint", "tinyint")
SPARK_TYPES = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "bool": "boolean",
    "binary": "binary",
}


def spark_type(kind: Any) -> str:
    """Return the Spark name of an Arrow type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> spark_type(pa.list_(pa.int64()))
    'array<bigint>'
    """
    text = str(kind)
    if text.startswith("list<"):
        return f"array<{spark_type(kind.value_type)}>"
    return SPARK_TYPES[text]


def read_table(
    session: SparkSession,
    place: Place,
    schema: TableSchema,
    *,
    called: str | None = None,
) -> DataFrame:
    """Read a Parquet file or folder, and check that it is a table of the schema.

    The frame has the columns of the schema, in its order.

    Raises
    ------
    TableError
        If there is no table, or a column is missing or of another type; the message lists the
        missing and the existing columns.
    """
    folder = Folder.at(place)
    what = called or folder.name
    if not folder.exists():
        raise TableError(f"{folder.name}: there is no such file or folder")
    if folder.is_folder() and not any(name.endswith(".parquet") for name in folder.children()):
        raise TableError(f"{folder.name}: has no Parquet files; expected the table {schema.name}")
    return check_frame(read_parquet(session, folder), schema, what=what)


def read_parquet(session: SparkSession, folder: Folder) -> DataFrame:
    """Read a Parquet file or folder, with the columns of the first file.

    They are read here, since Spark would run a job to find them. Spark does if a column has a type
    that no table of a schema has.
    """
    try:
        fields = folder.parquet_schema()
        columns = ", ".join(
            f"`{field.name.replace('`', '``')}` {spark_type(field.type)}" for field in fields
        )
    except (KeyError, pa.ArrowException, OSError):
        return session.read.parquet(folder.spark_pattern)
    return session.read.schema(columns).parquet(folder.spark_pattern)


def check_frame(frame: DataFrame, schema: TableSchema, *, what: str) -> DataFrame:
    """Return the columns of the schema from a frame; raise if one is missing or of another type."""
    found = dict(frame.dtypes)
    missing = [name for name in schema.column_names if name not in found]
    listed = ", ".join(f"{name} {kind}" for name, kind in found.items()) or "none"
    if missing:
        raise TableError(
            f"{what}: is not a table of {schema.name}: {', '.join(map(repr, missing))} missing; "
            f"the columns are: {listed}"
        )
    for name, kind in schema.columns:
        if kind is NAME and found[name] in NARROWER:
            frame = frame.withColumn(name, frame[name].cast("bigint"))
            continue
        expected = NAME_TYPES if kind is NAME else (spark_type(kind),)
        if found[name] not in expected:
            raise TableError(
                f"{what}: is not a table of {schema.name}: the column {name!r} is "
                f"{found[name]}; expected {' or '.join(expected)}. The columns are: {listed}"
            )
    return frame.select(*schema.column_names)
