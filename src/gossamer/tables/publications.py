"""The publications table: what was published when, and on which topics.

As ``gossamer ingest publications`` leaves it in Parquet: ``time`` in microseconds,
``publication``, ``topics``; a text table has these columns too, topics separated by spaces, or
``time_ms, post_id, tags``. A column ``publisher`` says who it was; without one, nodes that want
the topics are drawn.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests, Publications
from gossamer.model.csr import offsets_of
from gossamer.model.publications import MAX_TAGS
from gossamer.tables.delimited import find_delimiter, line_of_row, read_delimited, read_header
from gossamer.tables.names import names_as_text
from gossamer.tables.schema import PUBLICATIONS
from gossamer.tables.sources import Source, find_table

__all__ = ["GivenPublications", "read_publications"]

LAYOUTS = (
    (("time", "publication", "topics"), 1.0),
    (("time_ms", "post_id", "tags"), 1000.0),
)
"""The columns of a table, and microseconds in a unit of its times."""
PUBLISHER = "publisher"
PURPOSE = np.uint64(0x9CF)


@dataclass(frozen=True)
class GivenPublications:
    """Publications that were read, and what was left out of the table.

    Attributes
    ----------
    publications
        What can be published.
    rows
        Rows of the table.
    left_out
        Of these, publications on no topic that anybody, or their publisher, wants.
    unwanted_tags
        Mentions of topics that no node wants.
    dropped_tags
        Mentions of topics that the publisher does not want.
    publishers_drawn
        Whether publishers were drawn, since the table names none.
    """

    publications: Publications
    rows: int
    left_out: int
    unwanted_tags: int
    dropped_tags: int
    publishers_drawn: bool

    def facts(self) -> dict[str, int]:
        """Return what a person should know of what was read."""
        return {
            "publications read": self.rows,
            "left out, on no topic that is wanted": self.left_out,
            "mentions of topics that nobody wants": self.unwanted_tags,
            "mentions of topics that the publisher does not want": self.dropped_tags,
        }


def read_publications(
    path: str | os.PathLike[str], interests: Interests, *, seed: int = 0
) -> GivenPublications:
    """Read publications on the topics of these interests, from Parquet or text.

    Names are compared as text. Without a column ``publisher``, somebody at random publishes
    who wants all topics; if nobody does, somebody who wants most of them, and the other topics
    are dropped. Costs, for each publication, the subscribers of its rarest topic, or of all its
    topics where nobody wants all.

    Parameters
    ----------
    path
        The file, a folder of Parquet parts, or a folder of tables with ``publications`` in it.
    interests
        Who wants what.
    seed
        Settles who publishes.

    Raises
    ------
    TableError
        If a column is missing, a time is none, a row has too many topics, or its publisher is
        no node.
    """
    if seed < 0:
        raise ParameterError(f"seed is {seed}; expected 0 or more")
    found = find_table(path, [PUBLICATIONS.name])
    parts = [_read(source) for source in found.sources]
    times = np.concatenate([part.times for part in parts])
    texts = pa.concat_arrays([part.tags for part in parts])
    rows = np.concatenate(
        [part.rows + before for part, before in zip(parts, _before(parts), strict=True)]
    )
    count = len(times)
    known = pa.compute.index_in(texts, value_set=names_as_text(interests.topic_names))
    topics = known.fill_null(-1).to_numpy().astype(np.int64)
    keys = np.unique(rows * (interests.topic_count + 1) + topics + 1)  # each topic once
    rows, topics = np.divmod(keys, interests.topic_count + 1)
    unwanted = int((known.is_null()).sum().as_py() or 0)
    rows, topics = rows[topics > 0], (topics[topics > 0] - 1).astype(np.int32)
    sizes = np.bincount(rows, minlength=count)
    if count and sizes.max() > MAX_TAGS:
        row = int(np.argmax(sizes > MAX_TAGS))
        raise TableError(
            f"{_where(parts, row)}: has {sizes[row]} topics; expected {MAX_TAGS} at most"
        )
    offsets = offsets_of(sizes)
    named = [part.publishers for part in parts]
    publishers = np.full(count, -1, dtype=np.int32)
    drawn = all(names is None for names in named)
    if not drawn:
        for part in parts:
            if part.publishers is None:
                raise TableError(
                    f"{part.source.path}: has no column {PUBLISHER!r}, as other parts of the "
                    "table have; expected it in all of them or in none"
                )
        publishers = _numbered(parts, pa.concat_arrays(named), interests)
    else:
        _draw(interests, offsets, topics, publishers, seed)
    wanted = interests.wanted(publishers[rows], topics)
    dropped = int((~wanted).sum())
    rows, topics = rows[wanted], topics[wanted]
    sizes = np.bincount(rows, minlength=count)
    kept = np.flatnonzero(sizes)
    order = kept[np.argsort(times[kept], kind="stable")]
    place = np.full(count, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    by_time = np.argsort(place[rows], kind="stable")
    publications = Publications(
        times[order],
        publishers[order],
        offsets_of(sizes[order]),
        topics[by_time],
    )
    return GivenPublications(publications, count, count - len(kept), unwanted, dropped, drawn)


@dataclass(frozen=True)
class _Part:
    """A file's rows: times, tags one after the other and whose they are, and publishers."""

    source: Source
    delimiter: str
    times: NDArray[np.int64]
    tags: Any
    rows: NDArray[np.int64]
    publishers: Any


def _read(source: Source) -> _Part:
    delimiter = ""
    if source.parquet:
        with source.faults(), source.arrow_stream() as stream:
            try:
                content = pa.BufferReader(stream.read_buffer()) if source.gzipped else stream
                table = pa.parquet.read_table(content)
            except pa.ArrowException as fault:
                said = str(fault).splitlines()[0]
                raise TableError(f"{source.path}: cannot be read ({said})") from None
        columns, unit = _layout(source, table.column_names)
    else:
        delimiter = find_delimiter(source, None)
        header = read_header(source, delimiter)
        columns, unit = _layout(source, header)
        names = [*columns, *([PUBLISHER] if PUBLISHER in header else [])]
        table = read_delimited(source, names, delimiter)
    tags, rows = _tags(source, table.column(columns[2]))
    part = _Part(
        source, delimiter, np.empty(0, dtype=np.int64), tags, rows,
        _text(source, table.column(PUBLISHER)) if PUBLISHER in table.column_names else None,
    )  # fmt: skip
    times = _times(part, table.column(columns[0]), unit)
    return _Part(source, delimiter, times, tags, rows, part.publishers)


def _layout(source: Source, found: list[str]) -> tuple[tuple[str, str, str], float]:
    for columns, unit in LAYOUTS:
        if set(columns) <= set(found):
            return columns, unit
    expected = " or ".join(", ".join(columns) for columns, _ in LAYOUTS)
    raise TableError(
        f"{source.path}: is not a table of publications; expected the columns {expected}; the "
        f"columns are: {', '.join(found)}"
    )


def _text(source: Source, column: Any) -> Any:
    try:
        whole = column.cast(pa.string()).combine_chunks()
    except pa.ArrowException as fault:
        raise TableError(f"{source.path}: a column is no text or number ({fault})") from None
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _tags(source: Source, column: Any) -> tuple[Any, NDArray[np.int64]]:
    """Return all topics that rows name, one after the other, and the row of each."""
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        column = pa.compute.utf8_split_whitespace(_text(source, column))
    rows = pa.compute.list_parent_indices(column)
    flat = _text(source, pa.chunked_array([pa.compute.list_flatten(column)])
                 if isinstance(column, pa.Array) else pa.compute.list_flatten(column))  # fmt: skip
    places = rows.combine_chunks() if isinstance(rows, pa.ChunkedArray) else rows
    numbers = places.to_numpy(zero_copy_only=False).astype(np.int64)
    there = pa.compute.and_(flat.is_valid(), pa.compute.not_equal(flat, "").fill_null(False))
    return flat.filter(there), numbers[there.to_numpy(zero_copy_only=False)]


def _times(part: _Part, column: Any, unit: float) -> NDArray[np.int64]:
    """Return times in microseconds; they must be numbers, and not negative."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    if pa.types.is_string(column.type):
        column = pa.compute.utf8_trim_whitespace(column)
        usable = pa.compute.match_substring_regex(column, r"^[0-9]{1,18}(\.[0-9]+)?$")
        row = pa.compute.index(usable.fill_null(False), False).as_py()
        if row >= 0:
            raise TableError(
                f"{_where([part], row)}: the time is {column[row].as_py()!r}; expected a number, "
                "0 or more"
            )
    if unit == 1 and pa.types.is_integer(column.type):
        numbers = column.fill_null(-1).to_numpy()
    else:
        numbers = column.cast(pa.float64()).fill_null(-1).to_numpy() * unit
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < 2**62)))
    if len(wrong):
        raise TableError(
            f"{_where([part], int(wrong[0]))}: the time is {numbers[wrong[0]] / unit:g}; expected "
            "a number, 0 or more"
        )
    rounded: NDArray[np.int64] = np.round(numbers).astype(np.int64)
    return rounded


def _numbered(parts: list[_Part], names: Any, interests: Interests) -> NDArray[np.int32]:
    found = pa.compute.index_in(names, value_set=names_as_text(interests.node_names))
    numbers: NDArray[np.int32] = found.fill_null(-1).to_numpy().astype(np.int32)
    if len(numbers) and numbers.min() < 0:
        row = int(np.argmin(numbers))
        raise TableError(
            f"{_where(parts, row)}: the publisher {names[row].as_py()!r} is not one of the "
            f"{interests.node_count} nodes of the subscriptions"
        )
    return numbers


def _draw(
    interests: Interests,
    offsets: NDArray[np.int64],
    topics: NDArray[np.int32],
    publishers: NDArray[np.int32],
    seed: int,
) -> None:
    from gossamer.kernels.generate.publishers import draw_publishers
    from gossamer.kernels.random import stream_key
    from gossamer.kernels.relation import relation_of

    draw_publishers(
        relation_of(interests), offsets, topics, publishers,
        np.uint64(stream_key(np.uint64(seed % (1 << 64)), PURPOSE)),
    )  # fmt: skip


def _before(parts: list[_Part]) -> list[int]:
    sizes = [len(part.times) for part in parts]
    return [sum(sizes[:place]) for place in range(len(sizes))]


def _where(parts: list[_Part], row: int) -> str:
    """Say where a row is, as a person would look for it."""
    starts = _before(parts)
    place = bisect_right(starts, row) - 1
    part, inside = parts[place], row - starts[place]
    if part.source.parquet:
        return f"{part.source.path}, row {inside + 1}"
    return f"{part.source.path}, line {line_of_row(part.source, part.delimiter, inside)}"
