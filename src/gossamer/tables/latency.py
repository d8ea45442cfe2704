"""Delays between sites, read into a matrix: a text matrix of round-trip times, or a table."""

from __future__ import annotations

import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.tables.schema import LATENCY
from gossamer.tables.sources import find_table

__all__ = ["read_latency"]

MAX_SITES = 20_000
LARGEST = 86_400 * 1e6


def read_latency(path: str | os.PathLike[str]) -> NDArray[np.int64]:
    """Return one-way delays in microseconds, a row a source and a column a target.

    Parameters
    ----------
    path
        Lines of as many numbers each: round-trip times in milliseconds, which are halved,
        negative or ``nan`` where none was measured; plain or gzipped. Or the table
        ``latency`` that ``gossamer ingest`` writes: one-way delays.

    Notes
    -----
    Where a pair has no delay (a negative one or nan), the other direction's is taken, else the
    median of all.
    """
    found = find_table(path, [LATENCY.name])
    first = found.sources[0]
    if first.parquet:
        tables = []
        for source in found.sources:
            with source.faults(), source.arrow_stream() as stream:
                tables.append(pa.parquet.read_table(stream))
        return _filled(str(path), _from_table(str(path), pa.concat_tables(tables)))
    with first.bytes_stream() as stream:
        text = stream.read().decode("utf-8", errors="replace")
    lines = [
        re.split(r"[\s,;]+", line.strip())
        for line in text.splitlines()
        if line.strip() and line.lstrip()[0] not in "#%"
    ]
    if not lines or len(lines) > MAX_SITES or any(len(line) != len(lines) for line in lines):
        widths = sorted({len(line) for line in lines})
        raise TableError(
            f"{path}: is not a square matrix: {len(lines)} lines of {widths[:3]} numbers; expected "
            "as many numbers on each line as there are lines, round-trip times in milliseconds"
        )
    try:
        matrix = np.array(lines, dtype=np.float64)
    except ValueError as fault:
        raise TableError(f"{path}: {fault}; expected round-trip times in milliseconds") from None
    matrix[matrix < 0] = np.nan
    return _filled(str(path), matrix * 500.0)


def _from_table(path: str, table: pa.Table) -> NDArray[np.float64]:
    missing = [name for name in LATENCY.column_names if name not in table.column_names]
    if missing or not table.num_rows:
        what = f"{', '.join(missing)} missing" if missing else "it has no rows"
        raise TableError(f"{path}: is not a table of delays: {what}")
    source, target, delay = (table.column(name).to_numpy() for name in LATENCY.column_names)
    sites = int(max(source.max(), target.max())) + 1
    if sites > MAX_SITES or min(source.min(), target.min()) < 0:
        raise TableError(f"{path}: sites are not numbered from 0 to {MAX_SITES - 1}")
    matrix = np.full((sites, sites), np.nan)
    matrix[source, target] = delay
    return matrix


def _filled(path: str, matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    if (matrix > LARGEST).any():
        raise TableError(
            f"{path}: a delay is {np.nanmax(matrix) / 1e6:g} s; expected a day at most"
        )
    known = np.isfinite(matrix)
    if not known.any():
        raise TableError(f"{path}: no pair of sites has a delay")
    filled = np.where(known, matrix, matrix.T)
    filled = np.where(np.isfinite(filled), filled, np.median(matrix[known]))
    return np.round(filled).astype(np.int64)
