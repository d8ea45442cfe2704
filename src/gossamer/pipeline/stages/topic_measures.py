"""Overlay quality by topic: components, exact diameters and single failures; topics by link.

Each link goes to the block of one end, which adds the topics of that end, then to the block of
the other end, which selects the shared topics. Then the links of each topic are gathered in a
part, where the functions for memory measure them. All rows are packed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.design.distributed.proposals import Block
from gossamer.kernels.measure.shared_topics import list_shared_topics
from gossamer.kernels.merge.propose import part_of
from gossamer.model.csr import offsets_of
from gossamer.pipeline.packed_rows import binary_schema, pack, rows_of, to_batches, unpack
from gossamer.quality.diameters import shapes_of_topics
from gossamer.quality.resilience import resilience_of_topics
from gossamer.quality.topic_graphs import TopicGraphs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Ints = NDArray[np.int32]
MEASURED = ("components", "diameter", "bridges", "articulation_points")
"""Names of the measures of the graph of a topic."""


@dataclass(frozen=True)
class Ends:
    """Links sent to a block: the end in it, and the other end."""

    here: Ints
    there: Ints


@dataclass(frozen=True)
class Carried:
    """Links with the topics of the end that they come from."""

    here: Ints
    there: Ints
    offsets: NDArray[np.int64]
    topics: Ints


@dataclass(frozen=True)
class Shared:
    """Links by topic, one entry for each shared topic; or a histogram of shared topics by link."""

    topics: Ints
    ones: Ints
    others: Ints


def shared_topics(
    links: DataFrame,
    blocks: DataFrame,
    first_nodes: NDArray[np.int64],
    block_ids: NDArray[np.int64],
    *,
    parts: int,
) -> DataFrame:
    """Return the shared topics of every link, packed by the part of the topic.

    Parameters
    ----------
    links
        Frame ``source_id, target_id`` of node ids.
    blocks
        Packed blocks.
    first_nodes, block_ids
        First node of each block, and id of the block.
    parts
        Number of parts of the topics. Part −1 has no topics, but the number of links by the
        number of shared topics.
    """

    def to_block(ends: Ints) -> Iterator[tuple[int, NDArray[np.int64]]]:
        for place, mine in _groups(np.searchsorted(first_nodes, ends, side="right") - 1):
            yield int(block_ids[place]), mine

    def send(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            sources = batch.column("source_id").to_numpy().astype(np.int32)
            targets = batch.column("target_id").to_numpy().astype(np.int32)
            for block, mine in to_block(sources):
                yield from to_batches(
                    [{"block": block, **pack(Ends(sources[mine], targets[mine]))}]
                )

    def carry(key: Any, packed: pa.Table, at: pa.Table) -> pa.Table:
        block = unpack(Block, next(rows_of(at.to_batches())))
        sent = [unpack(Ends, row) for row in rows_of(packed.to_batches())]
        rows = []
        if sent:
            here = np.concatenate([one.here for one in sent])
            there = np.concatenate([one.there for one in sent])
            for target, mine in to_block(there):
                local = here[mine] - np.int32(block.first_node)
                counts = np.diff(block.offsets)[local]
                offsets = offsets_of(counts)
                take = np.repeat(block.offsets[local] - offsets[:-1], counts) + np.arange(
                    offsets[-1]
                )
                carried = Carried(there[mine], here[mine], offsets, block.topics[take])
                rows.append({"block": target, **pack(carried)})
        return _table(rows, binary_schema(Carried, "block"))

    def share(key: Any, packed: pa.Table, at: pa.Table) -> pa.Table:
        block = unpack(Block, next(rows_of(at.to_batches())))
        rows: list[dict[str, Any]] = []
        for row in rows_of(packed.to_batches()):
            carried = unpack(Carried, row)
            arrays = (
                carried.here - np.int32(block.first_node), block.offsets, block.topics,
                carried.offsets, carried.topics,
            )  # fmt: skip
            counts = np.empty(len(carried.here), dtype=np.int64)
            topics = np.empty(len(carried.topics), dtype=np.int32)
            topics = topics[: list_shared_topics(*arrays, counts, topics)]
            ones = np.repeat(carried.there, counts)
            others = np.repeat(carried.here, counts)
            for part, mine in _groups(_parts_of(topics, parts)):
                found = Shared(topics[mine], ones[mine], others[mine])
                rows.append({"part": part, **pack(found)})
            histogram = np.bincount(counts).astype(np.int32)
            none = np.empty(0, dtype=np.int32)
            rows.append({"part": -1, **pack(Shared(histogram, none, none))})
        return _table(rows, binary_schema(Shared, "part"))

    there = blocks.groupBy("block")
    sent = links.mapInArrow(send, binary_schema(Ends, "block"))
    carried = (
        sent.groupBy("block").cogroup(there).applyInArrow(carry, binary_schema(Carried, "block"))
    )
    return (
        carried.groupBy("block").cogroup(there).applyInArrow(share, binary_schema(Shared, "part"))
    )


def shapes_by_topic(shared: DataFrame) -> DataFrame:
    """Measure every topic that has links: ``topic_id, linked`` and :data:`MEASURED`.

    ``linked`` is the number of subscribers with a link, and the components are of those. The
    topics of a part are measured together, in time linear in their links except for hard
    diameters, with 12 bytes a link.
    """

    def measure(table: pa.Table) -> pa.Table:
        found = [unpack(Shared, row) for row in rows_of(table.to_batches())]
        topics = np.concatenate([one.topics for one in found]).astype(np.int64)
        ones = np.concatenate([one.ones for one in found]).astype(np.int64)
        others = np.concatenate([one.others for one in found]).astype(np.int64)
        graphs, listed = _graphs(topics, ones, others)
        measures = (*shapes_of_topics(graphs), *resilience_of_topics(graphs))
        return pa.table(
            {
                "topic_id": listed,
                "linked": np.diff(graphs.topic_offsets),
                **dict(zip(MEASURED, measures, strict=True)),
            }
        )

    schema = ", ".join(f"{name} bigint" for name in ("topic_id", "linked", *MEASURED))
    return shared.where("part >= 0").groupBy("part").applyInArrow(measure, schema)


def _graphs(
    topics: NDArray[np.int64], ones: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[TopicGraphs, NDArray[np.int64]]:
    """Build the graphs of all topics, of the subscribers with links."""
    slots, codes = np.unique(
        np.concatenate([topics << 32 | ones, topics << 32 | others]), return_inverse=True
    )
    listed, first = np.unique(slots >> 32, return_index=True)
    topic_offsets = np.append(first, len(slots)).astype(np.int64)
    left, right = codes[: len(topics)], codes[len(topics) :]
    sources, targets = np.concatenate([left, right]), np.concatenate([right, left])
    order = np.argsort(sources, kind="stable")
    offsets = offsets_of(np.bincount(sources, minlength=len(slots)))
    base = np.repeat(topic_offsets[:-1], np.diff(topic_offsets))
    neighbours = (targets - base[targets])[order].astype(np.int32)
    return TopicGraphs(topic_offsets, offsets.astype(np.int64), neighbours), listed


def _groups(keys: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each distinct key, and the indices of its elements."""
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    for begin, end in pairwise(cuts.tolist()):
        yield int(keys[order[begin]]), order[begin:end]


def _parts_of(topics: Ints, parts: int) -> NDArray[np.int64]:
    distinct, codes = np.unique(topics, return_inverse=True)
    found = np.array([part_of(int(topic), parts) for topic in distinct], dtype=np.int64)
    return found[codes]


def _table(rows: list[dict[str, Any]], schema: str) -> pa.Table:
    if rows:
        return pa.Table.from_batches(list(to_batches(rows)))
    columns = [entry.strip().split() for entry in schema.split(",")]
    kinds = {"bigint": pa.int64(), "binary": pa.binary()}
    return pa.table({name: pa.array([], type=kinds[kind]) for name, kind in columns})
