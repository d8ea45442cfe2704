"""Export of a table in parts to one file, with the same rows, order and types.

Spark writes a table as a folder of parts. The file is that of
:func:`~gossamer.tables.write_table`, written row group by row group, so that only one row group is
in memory.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from gossamer.atomic_files import GRAPH_ENDINGS, TABLE_ENDINGS, is_standard
from gossamer.errors import ParameterError, TableError
from gossamer.pipeline.folders import Folder, Place
from gossamer.pipeline.jobs import discard_on_error
from gossamer.tables import TableSchema, check_output, replacing
from gossamer.tables.schema import NAME

BATCH_ROWS = 1 << 16
GROUP_ROWS = 1 << 20
"""Rows of a row group of a Parquet file, as in :func:`~gossamer.tables.write_table`."""


def is_one_file(path: str | os.PathLike[str]) -> bool:
    """Whether the suffix of an output is that of a file; otherwise it is a folder.

    Raises
    ------
    ParameterError
        If it is standard output, or the file of a graph.
    """
    name = os.fspath(path).lower()
    if is_standard(name) or name.endswith(GRAPH_ENDINGS):
        raise ParameterError(
            f"{path}: Spark writes a folder of tables, or one of {', '.join(TABLE_ENDINGS)}"
        )
    return name.endswith(TABLE_ENDINGS)


@contextmanager
def output_folder(
    out: str | os.PathLike[str] | None, *, resumable: bool = False
) -> Iterator[Folder]:
    """Provide the folder for the tables of a job.

    It is ``out`` itself, a temporary folder beside ``out`` if that is a file, or a temporary
    folder if there is no output. With ``resumable``, the folder beside a file stays after an
    interruption; a new folder is removed if the input is bad.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="gossamer-") as temporary:
            yield Folder.at(temporary)
        return
    if not is_one_file(out):
        with discard_on_error(Folder.at(out) if resumable else None):
            yield Folder.at(out)
        return
    target = Path(os.path.realpath(out))
    suffix = "job" if resumable else f"{secrets.token_hex(4)}.parts"
    folder = Folder.at(target.with_name(f".{target.name}.{suffix}"))
    try:
        with discard_on_error(folder):
            yield folder
    except BaseException:
        if not resumable:
            folder.remove()
        raise
    folder.remove()


def export_table(parts: Place, path: str | os.PathLike[str], schema: TableSchema) -> int:
    """Write the parts of a table to one file, and return the number of its rows.

    Reads the parts once, in the order of their numbers (for text with strings, twice);
    O(2^20) rows in memory.

    Parameters
    ----------
    parts
        Folder of Parquet files that Spark wrote.
    path
        File, Parquet or separated text by its suffix, written atomically.
    schema
        Columns of the table.

    Raises
    ------
    TableError
        If there are no parts, or they are not of the schema.
    ParameterError
        If the file cannot be written.
    """
    place = check_output(path)
    table = _Parts(Folder.at(parts), schema)
    name = place.name.lower()
    rows = 0
    with replacing(place) as partial:
        if name.endswith(".parquet"):
            with pa.parquet.ParquetWriter(str(partial), table.layout, compression="zstd") as file:
                for group in table.groups(GROUP_ROWS):
                    file.write_table(group, row_group_size=GROUP_ROWS)
                    rows += group.num_rows
                if not rows:
                    file.write_table(table.layout.empty_table())
            return rows
        delimiter = "\t" if ".tsv" in name[-7:] else ","
        options = pa.csv.WriteOptions(
            include_header=False,
            delimiter=delimiter,
            quoting_style="needed" if table.has_characters(f'["\r\n{delimiter}]') else "none",
        )
        compression = "gzip" if name.endswith(".gz") else None
        with pa.output_stream(str(partial), compression=compression) as stream:
            stream.write((delimiter.join(schema.column_names) + "\n").encode())
            for batch in table.batches():
                pa.csv.write_csv(batch, stream, write_options=options)
                rows += batch.num_rows
    return rows


class _Parts:
    """Parts of a table, read in order.

    A column of the file is nullable only if a part has a null in it, as in tables from memory.
    """

    def __init__(self, folder: Folder, schema: TableSchema) -> None:
        self.folder = folder
        self.schema = schema
        names = [name for name in folder.children() if name.endswith(".parquet")]
        if not names:
            raise TableError(f"{folder.name}: has no Parquet files; expected {schema.name}")
        self.files = [folder / name for name in sorted(names, key=_number_first)]
        self.layout = self._layout()

    def _layout(self) -> Any:
        kinds: dict[str, Any] = {}
        nullable: set[str] = set()
        for file in self.files:
            with _opened(file) as part:
                found = part.schema_arrow
                missing = [name for name in self.schema.column_names if name not in found.names]
                if missing:
                    raise TableError(
                        f"{file.name}: is not a table of {self.schema.name}: "
                        f"{', '.join(map(repr, missing))} missing; the columns are: "
                        f"{', '.join(found.names)}"
                    )
                for name, kind in self.schema.columns:
                    known = kinds.setdefault(name, found.field(name).type if kind is NAME else kind)
                    if kind is NAME and known != found.field(name).type:
                        raise TableError(
                            f"{file.name}: the column {name!r} is {found.field(name).type}, "
                            f"and {known} in {self.files[0].name}; expected one type"
                        )
                nullable |= _columns_with_nulls(part, set(kinds) - nullable)
        fields = [pa.field(name, kind, nullable=name in nullable) for name, kind in kinds.items()]
        return pa.schema(fields, metadata=self.schema.metadata)

    def batches(self) -> Iterator[Any]:
        """Yield all rows in order, in small batches."""
        columns = list(self.schema.column_names)
        for file in self.files:
            with _opened(file) as part:
                for batch in part.iter_batches(batch_size=BATCH_ROWS, columns=columns):
                    arrays = [batch.column(field.name).cast(field.type) for field in self.layout]
                    yield pa.RecordBatch.from_arrays(arrays, schema=self.layout)

    def groups(self, rows: int) -> Iterator[Any]:
        """Yield all rows in order, in tables of ``rows`` rows (the last may have fewer)."""
        pending: list[Any] = []
        count = 0
        for batch in self.batches():
            while count + batch.num_rows >= rows:
                cut = rows - count
                yield pa.Table.from_batches([*pending, batch.slice(0, cut)]).combine_chunks()
                batch, pending, count = batch.slice(cut), [], 0
            if batch.num_rows:
                pending.append(batch)
                count += batch.num_rows
        if pending:
            yield pa.Table.from_batches(pending).combine_chunks()

    def has_characters(self, pattern: str) -> bool:
        """Whether a string of the table matches a pattern."""
        texts = [field.name for field in self.layout if pa.types.is_string(field.type)]
        return bool(texts) and any(
            pa.compute.any(pa.compute.match_substring_regex(batch.column(name), pattern)).as_py()
            for batch in self.batches()
            for name in texts
        )


@contextmanager
def _opened(file: Folder) -> Iterator[Any]:
    try:
        with (
            file.system.open_input_file(file.path) as stream,
            pa.parquet.ParquetFile(stream, pre_buffer=False) as part,
        ):
            yield part
    except (pa.ArrowException, OSError) as fault:
        reason = str(fault).splitlines()[0]
        raise TableError(f"{file.name}: the Parquet data cannot be read ({reason})") from None


def _columns_with_nulls(part: Any, names: set[str]) -> set[str]:
    """Return the columns with nulls, from the statistics of the part if it has them."""
    leaves = [part.metadata.schema.column(k).path for k in range(part.metadata.num_columns)]
    return {
        name
        for name in names
        if any(_has_nulls(part, group, name, leaves) for group in range(part.num_row_groups))
    }


def _has_nulls(part: Any, group: int, name: str, leaves: list[str]) -> bool:
    if name in leaves:  # the leaves of a list have other names, and count other nulls
        statistics = part.metadata.row_group(group).column(leaves.index(name)).statistics
        if statistics is not None and statistics.has_null_count:
            return bool(statistics.null_count)
    return bool(part.read_row_group(group, columns=[name]).column(0).null_count)


def _number_first(name: str) -> tuple[int, str]:
    """Return the sort key of a part of Spark: the number in its name, then the name."""
    found = re.match(r"part-(\d+)", name)
    return (int(found.group(1)) if found else -1, name)
