"""A table of subscriptions as numbers: nodes and topics ranked, nodes packed in blocks.

Nodes are numbered by descending number of shared topics, then name, and topics by ascending
popularity, then name, as designs in rounds want them (``design/settlement.py``). What this
leaves in the job's folder is read by the design and by the assessment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.design.distributed.merge_rounds import SLOTS_A_BLOCK
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.distributed.proposals import Block
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.packed_rows import binary_schema, pack, rows_of, to_batches, unpack
from gossamer.pipeline.stages.ranks import node_lists, numbered_topics, popularity, ranked
from gossamer.tables.schema import NAME, TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["NumberedTable", "block_rows", "gathered", "number"]

POPULARITY = TableSchema("popularity", 1, (("topic", NAME), ("subscribers", pa.int64())))
TOPIC_NUMBERS = TableSchema(
    "topic_numbers", 1, (("topic", NAME), ("subscribers", pa.int64()), ("topic_id", pa.int64()))
)
LISTS = TableSchema(
    "lists", 1, (("node", NAME), ("topics", pa.list_(pa.int32())), ("size", pa.int32()))
)
NODES = TableSchema(
    "nodes", 1, (("node", NAME), ("node_id", pa.int64()), ("topics", pa.list_(pa.int32())))
)
BLOCKS = TableSchema(
    "blocks",
    1,
    (
        ("block", pa.int64()),
        ("first_node", pa.int64()),
        ("first_slot", pa.int64()),
        ("offsets", pa.binary()),
        ("topics", pa.binary()),
    ),
)


@dataclass(frozen=True)
class Classes:
    """How many nodes there are of each size, largest first: where a node's slots begin."""

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]

    def first_slots(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first slot of each node."""
        first_nodes = offsets_of(self.counts)[:-1]
        first_slots = offsets_of(self.counts * self.sizes)[:-1]
        place = np.searchsorted(first_nodes, nodes, side="right") - 1
        slots: NDArray[np.int64] = (
            first_slots[place] + (nodes - first_nodes[place]) * self.sizes[place]
        )
        return slots


@dataclass(frozen=True)
class NumberedTable:
    """The numbered table.

    Attributes
    ----------
    shape
        Sizes and popularities, by number.
    blocks
        A frame of packed blocks: block, first_node, first_slot, offsets, topics.
    nodes, topics
        Frames of names and numbers; topics of one subscriber have numbers below 0.
    node_count, topic_count, subscription_count
        All of them, those without or of a single subscriber included; repeated rows once.
    block_ids, first_nodes
        Each block's number, and its first node.
    """

    shape: TableShape
    blocks: DataFrame
    nodes: DataFrame
    topics: DataFrame
    node_count: int
    topic_count: int
    subscription_count: int
    block_ids: NDArray[np.int64]
    first_nodes: NDArray[np.int64]


def number(job: Job, subscriptions: DataFrame) -> NumberedTable:
    """Give a table of subscriptions numbers, as work tables of a job.

    Two shuffles of the subscriptions, and one of the nodes.

    Raises
    ------
    TableError
        If there are no subscriptions, or a name is missing or empty.
    """
    job.progress("numbering topics", 0.0)
    counted = job.table(POPULARITY, lambda: popularity(subscriptions), name="work/popularity")
    topics = job.table(TOPIC_NUMBERS, lambda: numbered_topics(counted), name="work/topics")
    if not job.rows("work/topics"):
        raise TableError("the table has no rows; expected at least one subscription")
    job.progress("numbering nodes", 0.0)
    lists = job.table(LISTS, lambda: node_lists(subscriptions, topics), name="work/lists")
    _check_names(counted, "topic")
    _check_names(lists, "node")
    nodes = job.table(
        NODES,
        lambda: ranked(lists, ["-size", "node"], "node_id").select("node", "node_id", "topics"),
        name="work/nodes",
    )
    sizes = job.fact("sizes", lambda: _histogram(lists, "size"))
    classes = Classes(*(np.array(column, dtype=np.int64)[::-1] for column in sizes))
    blocks = job.table(
        BLOCKS,
        lambda: (
            nodes.select("node_id", "topics")
            .mapInArrow(
                _with_block(classes, SLOTS_A_BLOCK),
                "node_id bigint, topics array<int>, block bigint",
            )
            .groupBy("block")
            .applyInArrow(_pack_block(classes), binary_schema(Block, "block"))
        ),
        name="work/blocks",
    )
    shared = topics.where("topic_id >= 0")
    popular = job.fact("popularity", lambda: _histogram(shared, "subscribers"))
    alone = job.rows("work/topics") - int(np.sum(popular[1]))
    shape = TableShape(
        np.repeat(classes.sizes, classes.counts),
        np.repeat(*(np.array(column, dtype=np.int64) for column in popular)),
    )
    firsts = job.fact(
        "blocks", lambda: sorted(map(list, blocks.select("first_node", "block").collect()))
    )
    return NumberedTable(
        shape=shape,
        blocks=blocks,
        nodes=nodes,
        topics=topics,
        node_count=job.rows("work/nodes"),
        topic_count=job.rows("work/topics"),
        subscription_count=shape.subscription_count + alone,
        block_ids=np.array([block for _, block in firsts], dtype=np.int64),
        first_nodes=np.array([first for first, _ in firsts], dtype=np.int64),
    )


def _histogram(frame: DataFrame, column: str) -> tuple[list[int], list[int]]:
    rows = frame.groupBy(column).count().orderBy(column).collect()
    return [row[column] for row in rows], [row["count"] for row in rows]


def _check_names(frame: DataFrame, column: str) -> None:
    from pyspark.sql import functions as f

    name = f.col(column)
    if frame.where(name.isNull() | (name.cast("string") == "")).limit(1).count():
        raise TableError(f"the table has a row whose {column} is missing or empty")


def _with_block(classes: Classes, slots: int) -> Any:
    """Return a function that adds each node's block, by its first slot."""

    def with_block(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            nodes = batch.column("node_id").to_numpy()
            block = classes.first_slots(nodes) // slots
            yield batch.append_column("block", pa.array(block))

    return with_block


def _pack_block(classes: Classes) -> Any:
    def pack_block(table: pa.Table) -> pa.Table:
        table = table.sort_by("node_id").combine_chunks()
        first = table.column("node_id")[0].as_py()
        lists = table.column("topics").combine_chunks()
        if isinstance(lists, pa.ChunkedArray):
            lists = lists.chunk(0)
        offsets = lists.offsets.to_numpy().astype(np.int64)
        block = Block(
            first_node=first,
            first_slot=int(classes.first_slots(np.array([first]))[0]),
            offsets=offsets - offsets[0],
            topics=lists.flatten().to_numpy().astype(np.int32),
        )
        row = {"block": table.column("block")[0].as_py(), **pack(block)}
        return pa.Table.from_batches(list(to_batches([row])))

    return pack_block


def block_rows(batches: Iterator[Any]) -> Iterator[tuple[dict[str, Any], Block]]:
    """Give the packed blocks of Arrow batches, each with its row."""
    for row in rows_of(batches):
        yield row, unpack(Block, row)


def gathered(numbered: NumberedTable) -> Interests:
    """Bring the numbered table together in this process."""
    blocks = [block for _, block in block_rows(numbered.blocks.toArrow().to_batches())]
    none = np.empty(0, dtype=np.int32)
    nodes = [
        np.repeat(
            np.arange(block.first_node, block.first_node + block.node_count, dtype=np.int32),
            np.diff(block.offsets),
        )
        for block in blocks
    ]
    return Interests.from_ids(
        np.concatenate([none, *nodes]),
        np.concatenate([none, *(block.topics for block in blocks)]),
        node_names=numbered.node_count,
        topic_names=len(numbered.shape.popularity),
    )
