"""Tables as files: Parquet, or separated text. The same table gives the same bytes.

The path ``-`` is standard output, as text with commas.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from gossamer.atomic_files import check_output, is_standard, replacing
from gossamer.tables.standard_streams import standard_output

BATCH_ROWS = 1 << 16


def write_table(path: str | os.PathLike[str], table: Any) -> None:
    """Write an Arrow table as Parquet or as separated text, by the path's ending."""
    place = check_output(path)
    if is_standard(place):
        stream = standard_output()
        _write_text(stream, table, ",")
        stream.flush()
        return
    name = place.name.lower()
    with replacing(place) as partial:
        if name.endswith(".parquet"):
            pa.parquet.write_table(table, str(partial), compression="zstd")
            return
        compression = "gzip" if name.endswith(".gz") else None
        with pa.output_stream(str(partial), compression=compression) as stream:
            _write_text(stream, table, "\t" if ".tsv" in name[-7:] else ",")


def _write_text(stream: Any, table: Any, delimiter: str) -> None:
    stream.write((delimiter.join(table.column_names) + "\n").encode())
    if not table.num_rows:
        return
    special = f'["\r\n{delimiter}]'
    plain = not any(
        pa.compute.any(pa.compute.match_substring_regex(column, special)).as_py()
        for column in table.columns
        if pa.types.is_string(column.type)
    )
    options = pa.csv.WriteOptions(
        include_header=False,
        batch_size=BATCH_ROWS,
        delimiter=delimiter,
        quoting_style="none" if plain else "needed",
    )
    pa.csv.write_csv(table, stream, write_options=options)
