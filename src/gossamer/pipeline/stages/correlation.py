"""Interest correlation: some nodes, chosen by a hash, compared with all others.

Each task has an index of the topics of the chosen nodes, reads a part of all interests, and
stores the largest overlaps of each chosen node only. So the index bounds the memory, and the
number of chosen nodes the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.model.csr import offsets_of
from gossamer.pipeline.stages.breadth_first import seeded_order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_CHOSEN = 2_000
MAX_COMPARISONS = 10_000_000_000
MAX_INDEXED = 4_000_000
OUTPUT = "chosen int, partners bigint, shared bigint, jaccard bigint, highest array<double>"


@dataclass(frozen=True)
class ChosenNodes:
    """Nodes to compare with all others, and the index of their topics.

    Attributes
    ----------
    names
        Names of the nodes, an Arrow array.
    sizes
        Number of topics of each node.
    topics
        Names of their topics, an Arrow array.
    index_offsets, index_nodes
        The chosen subscribers of each of those topics.
    """

    names: Any
    sizes: NDArray[np.int64]
    topics: Any
    index_offsets: NDArray[np.int64]
    index_nodes: NDArray[np.int32]


@dataclass(frozen=True)
class Overlaps:
    """Overlaps of each chosen node with all others, a row a chosen node.

    Attributes
    ----------
    partners
        Number of nodes that share a topic with it.
    shared
        Number of topics shared, summed over the partners.
    jaccard
        Jaccard index, summed over the partners.
    highest
        Its largest intersections (SpiderCast §3.4) as shares of 1, descending.
    """

    partners: NDArray[np.int64]
    shared: NDArray[np.int64]
    jaccard: NDArray[np.float64]
    highest: NDArray[np.float64]


def choose_nodes(
    interests: DataFrame,
    popularity: DataFrame,
    *,
    seed: int,
    most: int = MAX_CHOSEN,
    comparisons: int = MAX_COMPARISONS,
) -> ChosenNodes:
    """Choose the first nodes in the seeded order, and index their topics.

    The comparison of a node with all others visits the subscribers of all its topics. Nodes are
    chosen while the visits sum to ``comparisons`` at most, so very popular topics give fewer
    chosen nodes, not more work. At least one node is chosen.
    """
    from pyspark.sql import functions as f

    order = seeded_order(seed)
    names = interests.select("node").orderBy(*order).limit(most)
    rows = (
        interests.join(f.broadcast(names), "node", "left_semi")
        .select("node", "topics", order[0].alias("place"))
        .toArrow()
        .combine_chunks()
    )
    rows = rows.sort_by([("place", "ascending"), ("node", "ascending")])
    lists = _list_of(rows["topics"])
    sizes = _numpy(pa.compute.list_value_length(lists)).astype(np.int64)
    coded = lists.flatten().dictionary_encode()
    topics, codes = coded.dictionary, _numpy(coded.indices).astype(np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    wanted = interests.sparkSession.createDataFrame(pa.table({"topic": topics}))
    found = popularity.join(f.broadcast(wanted), "topic", "left_semi").toArrow()
    subscribers = np.zeros(len(topics), dtype=np.int64)
    places = pa.compute.index_in(found["topic"], value_set=topics.cast(found["topic"].type))
    subscribers[_numpy(places)] = _numpy(found["subscribers"])
    work = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(work, owners, subscribers[codes])
    fits = (np.cumsum(work) <= comparisons) & (np.cumsum(sizes) <= MAX_INDEXED)
    kept = max(1, int(fits.sum())) if len(sizes) else 0
    inside = owners < kept
    by_topic = np.lexsort((owners[inside], codes[inside]))
    offsets = offsets_of(np.bincount(codes[inside], minlength=len(topics)))
    return ChosenNodes(
        names=rows["node"].combine_chunks()[:kept],
        sizes=sizes[:kept],
        topics=topics,
        index_offsets=offsets,
        index_nodes=owners[inside][by_topic].astype(np.int32),
    )


def overlaps_with_all(interests: DataFrame, chosen: ChosenNodes, depth: int) -> Overlaps:
    """Compare the chosen nodes with all others.

    Parameters
    ----------
    interests
        Frame ``node, topics`` of all nodes, without repeated topics.
    chosen
        Result of :func:`choose_nodes`.
    depth
        Number of largest intersections to return.

    Notes
    -----
    One pass over the interests. A task holds the index and chosen × depth numbers; the work is
    the sum of the subscribers over the topics of the chosen nodes.
    """
    from pyspark.sql import functions as f

    def compare(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from gossamer.kernels.measure.interest_overlap import add_overlaps

        count = len(chosen.sizes)
        shared, met = np.zeros(count, dtype=np.int64), np.empty(count, dtype=np.int32)
        highest = np.zeros((count, depth))
        partners, sums, jaccards = (np.zeros(count, dtype=np.int64) for _ in range(3))
        for batch in batches:
            lists = _list_of(batch.column("topics"))
            names = batch.column("node")
            offsets = offsets_of(_numpy(pa.compute.list_value_length(lists)))
            add_overlaps(
                offsets,
                _places(lists.flatten(), chosen.topics),
                _places(names, chosen.names),
                chosen.index_offsets,
                chosen.index_nodes,
                chosen.sizes,
                shared,
                met,
                highest,
                partners,
                sums,
                jaccards,
            )
        seen = np.flatnonzero(partners)
        tops = pa.ListArray.from_arrays(
            pa.array(np.arange(len(seen) + 1, dtype=np.int32) * depth),
            pa.array(highest[seen].reshape(-1)),
        )
        columns = (seen.astype(np.int32), partners[seen], sums[seen], jaccards[seen])
        yield pa.RecordBatch.from_arrays(
            [*map(pa.array, columns), tops],
            names=["chosen", "partners", "shared", "jaccard", "highest"],
        )

    parts = interests.mapInArrow(compare, OUTPUT)
    together = parts.groupBy("chosen").agg(
        f.sum("partners").alias("partners"),
        f.sum("shared").alias("shared"),
        f.sum("jaccard").alias("jaccard"),
        f.slice(f.sort_array(f.flatten(f.collect_list("highest")), asc=False), 1, depth).alias(
            "highest"
        ),
    )
    return _in_order(together.toArrow(), len(chosen.sizes), depth)


def _in_order(table: Any, count: int, depth: int) -> Overlaps:
    from gossamer.kernels.measure.interest_overlap import JACCARD_UNIT

    rows = _numpy(table["chosen"])
    partners, shared, jaccard = (np.zeros(count, dtype=np.int64) for _ in range(3))
    highest = np.zeros((count, depth))
    partners[rows] = _numpy(table["partners"])
    shared[rows] = _numpy(table["shared"])
    jaccard[rows] = _numpy(table["jaccard"])
    highest[rows] = _numpy(_list_of(table["highest"]).flatten()).reshape(-1, depth)
    return Overlaps(partners, shared, jaccard / JACCARD_UNIT, highest)


def _places(values: Any, among: Any) -> NDArray[np.int32]:
    found = pa.compute.index_in(values, value_set=among.cast(values.type))
    return np.asarray(_numpy(found.fill_null(-1)), dtype=np.int32)


def _list_of(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _numpy(column: Any) -> NDArray[Any]:
    if isinstance(column, pa.ChunkedArray):
        return np.asarray(column.to_numpy())
    return np.asarray(column.to_numpy(zero_copy_only=False))
