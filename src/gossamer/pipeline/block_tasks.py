"""Tasks of a design in blocks, on Spark: one task a block.

One shuffle divides the numbered table by block. The result of each task is stored with the
intermediate results of the job when it arrives, so an interrupted job resumes with the missing
blocks.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from gossamer.design._trees.degree_caps import DegreeCaps, caps_of, needed_links, sample_nodes
from gossamer.design._trees.tree_tops import Share, Tops, overlaps_in
from gossamer.design.distributed.proposals import Block
from gossamer.design.partitioned_radius import Division
from gossamer.model.csr import offsets_of
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.map_tasks import map_tasks
from gossamer.pipeline.numbered_table import NumberedTable, block_rows, scatter_blocks
from gossamer.pipeline.packed_rows import rows_of, to_batches, unpack
from gossamer.tables import TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHARES = TableSchema.of("shares", 1, "part int64, nodes binary, offsets binary, topics binary")


class SparkBlocks:
    """Tasks of a design in blocks, run by Spark.

    Parameters
    ----------
    job
        Job of the design, which gets the intermediate tables.
    numbered
        Numbered table.
    """

    def __init__(self, job: Job, numbered: NumberedTable) -> None:
        self.job = job
        self.numbered = numbered

    def caps(self, division: Division) -> DegreeCaps:
        """Derive degree caps from the largest overlaps of some nodes: one scan of the table."""
        shape = self.numbered.shape
        links = 1.0
        if not division.degree_cap:
            asked = sample_nodes(shape.sizes)
            overlaps = self.job.fact("overlaps", lambda: self._overlaps(asked.tolist()))
            links = needed_links(shape.sizes[asked], np.array(overlaps, dtype=np.int64))
        return caps_of(
            shape.sizes,
            int(shape.popularity.max(initial=0)),
            links,
            radius=division.radius,
            degree_cap=division.degree_cap,
        )

    def grow(self, division: Division) -> Iterator[tuple[int, Tops]]:
        """Design the missing blocks, a task each, and yield all."""
        stored = self.job.work / "tops"
        stored.make()
        shape = self.numbered.shape
        parts = np.unique(division.block_of(np.flatnonzero(shape.sizes))).tolist()
        waiting = []
        for part in parts:
            found = (stored / f"{part}.npz").read_bytes()
            if found is None:
                waiting.append(part)
            else:
                yield part, _tops_of(found)
        if not waiting:
            return
        self.job.table(SHARES, lambda: self._shares(division), name="work/shares")
        place = self.job.work / "shares"
        named = place.path if place.local else place.name
        work = partial(_grow, named, division)
        with closing(map_tasks(self.job.session, work, waiting, per_task=1)) as results:
            for at, tops in results:
                (stored / f"{waiting[at]}.npz").write_bytes(_bytes_of(tops))
                yield waiting[at], tops

    def _shares(self, division: Division) -> DataFrame:
        """Divide the table by block: packed rows, ordered by block."""

        def cut(_: Any, block: Block) -> Iterator[tuple[int, Share]]:
            return division.shares(block.first_node, block.offsets, block.topics)

        packed = scatter_blocks(self.numbered.blocks, Share, cut)
        return packed.repartition(division.blocks, "part").sortWithinPartitions("part")

    def _overlaps(self, asked: list[int]) -> list[int]:
        """Return the maximum number of topics that each node shares with any other."""
        from pyspark.sql import functions as f

        rows = self.numbered.nodes.where(f.col("node_id").isin(asked)).collect()
        lists = {row["node_id"]: row["topics"] for row in rows}
        sample = Share(
            np.array(asked, dtype=np.int32),
            offsets_of([len(lists[node]) for node in asked]),
            np.concatenate([np.array(lists[node], dtype=np.int32) for node in asked]),
        )

        def ask(batches: Iterator[Any]) -> Iterator[Any]:
            for _, block in block_rows(batches):
                nodes = np.arange(block.first_node, block.first_node + block.node_count)
                among = Share(nodes.astype(np.int32), block.offsets, block.topics)
                yield from to_batches([{"overlaps": overlaps_in(sample, among).tobytes()}])

        frame = self.numbered.blocks.mapInArrow(ask, "overlaps binary")
        found = [
            np.frombuffer(row["overlaps"], dtype=np.int64)
            for row in rows_of(frame.toArrow().to_batches())
        ]
        largest: list[int] = np.max(found, axis=0).tolist()
        return largest


def _grow(place: str, division: Division, part: int) -> Tops:
    """Read a block from the table of shares, and design it: the work of a task."""
    folder = Folder.at(place)
    rows = pa.parquet.read_table(
        folder.path,
        filesystem=folder.system,
        columns=list(SHARES.column_names),
        filters=[("part", "=", part)],
    )
    share = Share.concatenate(unpack(Share, row) for row in rows_of(rows.to_batches()))
    return division.grow(part, share)


def _bytes_of(tops: Tops) -> bytes:
    written = io.BytesIO()
    np.savez(written, **{field.name: getattr(tops, field.name) for field in fields(tops)})
    return written.getvalue()


def _tops_of(content: bytes) -> Tops:
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return Tops(**{field.name: found[field.name] for field in fields(Tops)})
