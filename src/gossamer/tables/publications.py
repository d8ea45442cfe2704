"""The table of publications: their times, topics and publishers.

Columns are ``time`` in microseconds, ``publication`` and ``topics``, as ``gossamer ingest
publications`` writes them, or ``time_ms, post_id, tags``; in text, topics are separated by spaces.
Without a column ``publisher``, publishers are drawn among the subscribers of the topics.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Interests, Publications
from gossamer.model.csr import offsets_of
from gossamer.model.publications import MAX_TAGS
from gossamer.random_stream import check_seed
from gossamer.tables.names import find_ids
from gossamer.tables.rows import Rows, read_rows
from gossamer.tables.schema import PUBLICATIONS

LAYOUTS = [("time", "publication", "topics"), ("time_ms", "post_id", "tags")]
UNITS = {"time": 1, "time_ms": 1000}
PUBLISHER = "publisher"
PURPOSE = np.uint64(0x9CF)


@dataclass(frozen=True)
class GivenPublications:
    """Publications of a table, and what was left out of it.

    Attributes
    ----------
    publications
        Publications on topics that have subscribers.
    rows
        Number of rows of the table.
    left_out
        Number of publications without a topic that a node, or a drawn publisher, subscribes to.
    unwanted_tags
        Number of mentions of topics without subscribers.
    dropped_tags
        Number of mentions that were dropped, of topics without their publisher.
    publishers_drawn
        Whether publishers were drawn, because the table has none.
    """

    publications: Publications
    rows: int
    left_out: int
    unwanted_tags: int
    dropped_tags: int
    publishers_drawn: bool

    def facts(self) -> dict[str, int]:
        """Return the numbers of the table by name."""
        return {
            "publications_read": self.rows,
            "publications_left_out": self.left_out,
            "mentions_without_subscribers": self.unwanted_tags,
            "mentions_without_publisher": self.dropped_tags,
        }


def read_publications(
    path: str | os.PathLike[str],
    interests: Interests,
    *,
    only_subscribers: bool = False,
    seed: int = 0,
) -> GivenPublications:
    """Read publications on the topics of interests, from Parquet or text.

    Names are compared as text. Without a column ``publisher``, the publisher is a random
    subscriber of all topics; if there is none, a random node that subscribes to most of them, and
    the other topics are dropped. That costs, for each publication, the number of subscribers of
    its rarest topic, or of all its topics if no node subscribes to all.

    Parameters
    ----------
    path
        File, folder of Parquet parts, or folder of tables with ``publications`` in it.
    interests
        Topics of each node.
    only_subscribers
        Whether mentions of topics are dropped that their publisher does not subscribe to.
    seed
        Seed of the draw of publishers.

    Raises
    ------
    TableError
        If a column is missing, a time is invalid, a row has too many topics, or a publisher is
        unknown.
    """
    check_seed(seed)
    table = read_rows(path, PUBLICATIONS.name, LAYOUTS, optional=PUBLISHER)
    time, _, tags = table.columns
    (times,) = table.microseconds([time], UNITS[time])
    texts, rows = _tags(table, tags)
    count = len(times)
    found = find_ids(texts, interests.topic_names).astype(np.int64)
    unwanted = int((found < 0).sum())
    keys = np.unique(rows * (interests.topic_count + 1) + found + 1)  # each topic once
    rows, found = np.divmod(keys, interests.topic_count + 1)
    rows, topics = rows[found > 0], (found[found > 0] - 1).astype(np.int32)
    sizes = np.bincount(rows, minlength=count)
    if count and sizes.max() > MAX_TAGS:
        row = int(np.argmax(sizes > MAX_TAGS))
        raise TableError(
            f"{table.where(row)}: has {sizes[row]} topics; expected {MAX_TAGS} at most"
        )
    drawn = PUBLISHER not in table.table.column_names
    if drawn:
        publishers = _draw(interests, offsets_of(sizes), topics, seed)
    else:
        publishers = _publishers(table, interests)
    wanted = np.ones(len(rows), dtype=np.bool_)
    if drawn or only_subscribers:
        wanted = interests.are_subscribed(publishers[rows], topics)
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


def _tags(table: Rows, name: str) -> tuple[Any, NDArray[np.int64]]:
    """Return the topics of all rows in sequence, and the row of each."""
    column = table.table.column(name)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        column = pa.compute.utf8_split_whitespace(table.strings(name))
    lists = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    rows = pa.compute.list_parent_indices(lists).to_numpy().astype(np.int64)
    flat = pa.compute.list_flatten(lists).cast(pa.string())
    there = pa.compute.not_equal(flat, "").fill_null(False)
    return flat.filter(there), rows[there.to_numpy(zero_copy_only=False)]


def _publishers(table: Rows, interests: Interests) -> NDArray[np.int32]:
    names = table.strings(PUBLISHER)
    ids = find_ids(names, interests.node_names)
    if len(ids) and ids.min() < 0:
        row = int(np.argmin(ids))
        raise TableError(
            f"{table.where(row)}: the publisher {names[row].as_py()!r} is not one of the "
            f"{interests.node_count} nodes of the subscriptions"
        )
    return ids


def _draw(
    interests: Interests, offsets: NDArray[np.int64], topics: NDArray[np.int32], seed: int
) -> NDArray[np.int32]:
    from gossamer.kernels.generate.publishers import draw_publishers
    from gossamer.kernels.random import stream_key
    from gossamer.kernels.relation import relation_of

    publishers = np.full(len(offsets) - 1, -1, dtype=np.int32)
    draw_publishers(
        relation_of(interests), offsets, topics, publishers,
        np.uint64(stream_key(np.uint64(seed % (1 << 64)), PURPOSE)),
    )  # fmt: skip
    return publishers
