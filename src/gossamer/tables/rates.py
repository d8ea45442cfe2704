"""The rates table: how often something is published on each topic.

As ``gossamer ingest publications`` leaves it beside the publications; a text table has the columns
``topic, per_second`` too.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.delimited import find_delimiter, read_delimited, read_header
from gossamer.tables.names import names_as_text
from gossamer.tables.schema import RATES
from gossamer.tables.sources import Source, find_table

__all__ = ["GivenRates", "read_rates"]

COLUMNS = ["topic", "per_second"]


class GivenRates(NamedTuple):
    """What a table of rates says: of each topic of some interests, and of which others."""

    rates: NDArray[np.float64]
    unknown: tuple[str, ...]


def read_rates(path: str | os.PathLike[str], interests: Interests) -> GivenRates:
    """Read how often each topic of these interests is published on; 0 where nothing is said.

    Names are compared as text. O(rows).

    Raises
    ------
    TableError
        If a column is missing, a rate is no number of 0 or more, a topic is there twice, or no
        topic of the table is one of the interests.
    """
    found = find_table(path, [RATES.name])
    whole = pa.concat_tables([_read(source) for source in found.sources])
    topics, texts = whole.column("topic"), whole.column("per_second")
    try:
        given = texts.cast(pa.float64()).to_numpy()
    except pa.ArrowException:
        row = next(k for k, text in enumerate(texts.to_pylist()) if not _is_number(text))
        raise TableError(
            f"{path}: the rate of {topics[row]} is {str(texts[row])!r}; expected a number"
        ) from None
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        row = int(wrong[0])
        raise TableError(f"{path}: the rate of {topics[row]} is {given[row]:g}; expected 0 or more")
    names = names_as_text(interests.topic_names)
    known = pa.compute.index_in(whole.column("topic"), value_set=names)
    places = known.fill_null(-1).to_numpy().astype(np.int64)
    wanted = places >= 0
    if interests.topic_count and not wanted.any():
        raise TableError(
            f"{path}: no topic of its {len(places):,} is wanted by anybody; expected rates of the "
            "topics that are subscribed to"
        )
    counts = np.bincount(places[wanted], minlength=interests.topic_count)
    if counts.max(initial=0) > 1:
        twice = interests.topic_names[int(counts.argmax())]
        raise TableError(f"{path}: has {counts.max()} rates of the topic {twice}; expected one")
    rates = np.zeros(interests.topic_count)
    rates[places[wanted]] = given[wanted]
    unknown = topics.filter(pa.array(~wanted)).to_pylist()
    return GivenRates(rates, tuple(map(str, unknown)))


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def _read(source: Source) -> Any:
    """Return the two columns of a part, as text and whatever the rates are."""
    if source.parquet:
        with source.faults(), source.arrow_stream() as stream:
            try:
                table = pa.parquet.read_table(stream)
            except pa.ArrowException as fault:
                said = str(fault).splitlines()[0]
                raise TableError(f"{source.path}: cannot be read ({said})") from None
        _check_columns(source, table.column_names)
        table = table.select(COLUMNS)
    else:
        delimiter = find_delimiter(source, None)
        _check_columns(source, read_header(source, delimiter))
        table = read_delimited(source, COLUMNS, delimiter).select(COLUMNS)
    columns = [
        column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table({"topic": columns[0].cast(pa.string()), "per_second": columns[1]})


def _check_columns(source: Source, columns: list[str]) -> None:
    if not set(COLUMNS) <= set(columns):
        raise TableError(
            f"{source.path}: is not a table of rates; expected the columns "
            f"{', '.join(COLUMNS)}; the columns are: {', '.join(columns)}"
        )
