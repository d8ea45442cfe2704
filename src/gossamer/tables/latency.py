"""Delays between sites: a text matrix of round-trip times, or the table of latency."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.tables.files import find_table
from gossamer.tables.rows import read_rows
from gossamer.tables.schema import LATENCY

MAX_SITES = 20_000
MAX_DELAY = 86_400 * 1e6


def read_latency(path: str | os.PathLike[str]) -> NDArray[np.int64]:
    """Return one-way delays in microseconds, with one row per source and one column per target.

    Parameters
    ----------
    path
        Square matrix of round-trip times in milliseconds, which are halved, with negative numbers
        or ``nan`` for missing ones; plain or gzipped. Or the table ``latency`` that ``gossamer
        ingest`` writes, of one-way delays.

    Notes
    -----
    A missing delay is replaced by that of the other direction, or by the median of all.
    """
    found = find_table(path, [LATENCY.name])
    first = found.sources[0]
    if first.columnar:
        table = read_rows(path, LATENCY.name, [LATENCY.column_names]).table
        return _fill_missing(str(path), _matrix_of(str(path), table))
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
    return _fill_missing(str(path), matrix * 500.0)


def _matrix_of(path: str, table: Any) -> NDArray[np.float64]:
    if not table.num_rows:
        raise TableError(f"{path}: the table of latency has no rows")
    source, target, delay = (table.column(name).to_numpy() for name in LATENCY.column_names)
    sites = int(max(source.max(), target.max())) + 1
    if sites > MAX_SITES or min(source.min(), target.min()) < 0:
        raise TableError(f"{path}: sites are not numbered from 0 to {MAX_SITES - 1}")
    matrix = np.full((sites, sites), np.nan)
    matrix[source, target] = delay
    return matrix


def _fill_missing(path: str, matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    if (matrix > MAX_DELAY).any():
        raise TableError(
            f"{path}: a delay is {np.nanmax(matrix) / 1e6:g} s; expected a day at most"
        )
    known = np.isfinite(matrix)
    if not known.any():
        raise TableError(f"{path}: no pair of sites has a delay")
    filled = np.where(known, matrix, matrix.T)
    filled = np.where(np.isfinite(filled), filled, np.median(matrix[known]))
    return np.round(filled).astype(np.int64)
