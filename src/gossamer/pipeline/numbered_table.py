"""Numbered table: subscriptions with dense node and topic ids, packed in blocks of nodes.

Node ids follow the descending number of shared topics, then the name; topic ids follow the
ascending popularity, then the name, as partitioned designs need them
(``design/distributed/merge_state.py``). The table is made by the job ``numbering`` in three named
tables of a folder: ``numbered_nodes``, ``numbered_topics`` and ``numbered_blocks``. Designs,
assessments and lower bounds of the same subscriptions share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.design.distributed.merge_rounds import SLOTS_PER_BLOCK
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.distributed.proposals import Block
from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.inputs import SubscriptionsInput
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.packed_rows import binary_schema, pack, rows_of, to_batches, unpack
from gossamer.pipeline.stages.ranks import node_lists, number_topics, popularity, rank
from gossamer.progress import Progress
from gossamer.tables.schema import TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POPULARITY = TableSchema.of("popularity", 1, "topic name, subscribers int64")
LISTS = TableSchema.of("lists", 1, "node name, topics list<int32>, size int32")
TOPICS = TableSchema.of("numbered_topics", 1, "topic name, subscribers int64, topic_id int64")
NODES = TableSchema.of("numbered_nodes", 1, "node name, node_id int64, topics list<int32>")
BLOCKS = TableSchema.of(
    "numbered_blocks",
    1,
    "block int64, first_node int64, first_slot int64, offsets binary, topics binary",
)


@dataclass(frozen=True)
class SizeClasses:
    """Numbers of shared topics, largest first, and the number of nodes with each."""

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
    """Subscriptions by node and topic id.

    Attributes
    ----------
    shape
        Number of shared topics of each node, and popularity of each shared topic, by id.
    blocks
        Frame of packed blocks: block, first_node, first_slot, offsets, topics.
    nodes, topics
        Frames of names and ids; a topic with one subscriber has the id -1.
    node_count, topic_count, subscription_count
        Counts with topics of one subscriber and the nodes that have only such topics; repeated
        subscriptions count once.
    block_ids, first_nodes
        Id of each block, and of its first node.
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


def number_table(
    session: SparkSession,
    subscriptions: SubscriptionsInput,
    folders: Sequence[Folder],
    *,
    progress: Progress | None = None,
) -> NumberedTable:
    """Return the numbered table of subscriptions, written unless a folder has it.

    Writing takes two shuffles of the subscriptions, and one of the nodes.

    Parameters
    ----------
    session
        Spark session.
    subscriptions
        Subscriptions to number.
    folders
        Folders that may have an up-to-date table; a new one is written to the last.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    TableError
        If there are no subscriptions, or a name is missing or empty.
    """
    job = Job.reuse(
        session,
        folders,
        "numbering",
        inputs=[subscriptions.table],
        parameters={**subscriptions.parameters, "slots_a_block": SLOTS_PER_BLOCK},
        progress=progress,
    )
    pairs = cache(lambda: subscriptions.read(session))

    def popularity_of(topics: DataFrame) -> Any:
        return job.fact("popularity", lambda: _histogram(topics, "subscribers", named="topic"))

    def number_topics_by_popularity() -> DataFrame:
        job.progress("numbering topics", 0.0)
        counted = job.table(POPULARITY, lambda: popularity(pairs()), name="work/popularity")
        if not job.rows("work/popularity"):
            raise TableError("the table has no rows; expected at least one subscription")
        popularity_of(counted)
        return number_topics(counted)

    topics = job.table(TOPICS, number_topics_by_popularity)

    @cache
    def lists() -> DataFrame:
        job.progress("numbering nodes", 0.0)
        return job.table(LISTS, lambda: node_lists(pairs(), topics), name="work/lists")

    def sizes() -> Any:
        return job.fact("sizes", lambda: _histogram(lists(), "size", named="node"))

    def number_nodes_by_size() -> DataFrame:
        sizes()
        ranked = rank(lists(), ["-size", "node"], "node_id")
        return ranked.select("node", "node_id", "topics")

    nodes = job.table(NODES, number_nodes_by_size)
    classes = SizeClasses(*(np.array(column, dtype=np.int64)[::-1] for column in sizes()))
    blocks = job.table(
        BLOCKS,
        lambda: (
            nodes.select("node_id", "topics")
            .mapInArrow(
                _with_block(classes, SLOTS_PER_BLOCK),
                "node_id bigint, topics array<int>, block bigint",
            )
            .groupBy("block")
            .applyInArrow(_pack_block(classes), binary_schema(Block, "block"))
        ),
    )
    if not job.finished:
        job.finish()
    popular = np.array(popularity_of(topics), dtype=np.int64)
    shared = popular[:, popular[0] >= 2]
    shape = TableShape(np.repeat(classes.sizes, classes.counts), np.repeat(*shared))
    alone = job.rows(TOPICS.name) - int(shared[1].sum())
    first_slots = offsets_of(shape.sizes)[:-1]
    block_ids, first_nodes = np.unique(first_slots // SLOTS_PER_BLOCK, return_index=True)
    return NumberedTable(
        shape=shape,
        blocks=blocks,
        nodes=nodes,
        topics=topics,
        node_count=job.rows(NODES.name),
        topic_count=job.rows(TOPICS.name),
        subscription_count=shape.subscription_count + alone,
        block_ids=block_ids,
        first_nodes=first_nodes,
    )


def _histogram(frame: DataFrame, column: str, *, named: str) -> tuple[list[int], list[int]]:
    """Count the rows of each value of a column, and check that each row has a name."""
    from pyspark.sql import functions as f

    name = f.col(named)
    nameless = f.count_if(name.isNull() | (name.cast("string") == ""))
    counted = frame.groupBy(column).agg(f.count("*"), nameless).collect()
    if any(wrong for _, _, wrong in counted):
        raise TableError(f"the table has a row whose {named} is missing or empty")
    rows = sorted(tuple(row) for row in counted)
    return [value for value, _, _ in rows], [count for _, count, _ in rows]


def _with_block(classes: SizeClasses, slots: int) -> Any:
    """Return a stage that adds the block of each node, by its first slot."""

    def with_block(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            nodes = batch.column("node_id").to_numpy()
            block = classes.first_slots(nodes) // slots
            yield batch.append_column("block", pa.array(block))

    return with_block


def _pack_block(classes: SizeClasses) -> Any:
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
    """Yield the packed blocks of Arrow batches, each with its row."""
    for row in rows_of(batches):
        yield row, unpack(Block, row)


def scatter_blocks(
    blocks: DataFrame,
    kind: type,
    scatter: Callable[[dict[str, Any], Block], Iterable[tuple[int, Any]]],
) -> DataFrame:
    """Divide packed blocks into packed rows of a dataclass by part: ``part`` and its fields.

    ``scatter`` is a function from the row of a block and the block to pairs of part and value.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for row, block in block_rows(batches):
            found = scatter(row, block)
            yield from to_batches({"part": part, **pack(value)} for part, value in found)

    return blocks.mapInArrow(run, binary_schema(kind, "part"))


def collect_interests(numbered: NumberedTable) -> Interests:
    """Collect the numbered table in this process."""
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
