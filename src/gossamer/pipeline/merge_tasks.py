"""Tasks of a design in rounds, on Spark.

In each round, the component labels are written as a table beside the blocks; tasks divide their
blocks into parts (or compare nodes with the bulk nodes), one shuffle gathers each part, and the
proposals return to the driver. One process uses the same functions
(``design/distributed/proposals.py``).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.design.distributed import proposals as tasks
from gossamer.design.distributed.merge_state import MergeState
from gossamer.design.distributed.proposals import (
    Block,
    BulkNodes,
    LabelSnapshot,
    LinkProposals,
    RecordBatch,
    SubscriptionBatch,
)
from gossamer.kernels.merge.propose import DEAD
from gossamer.model.csr import offsets_of
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import read_parquet
from gossamer.pipeline.numbered_table import NumberedTable, block_rows, scatter_blocks
from gossamer.pipeline.packed_rows import binary_schema, pack, rows_of, to_batches, unpack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkTasks:
    """Tasks of a design in rounds, run by Spark.

    Parameters
    ----------
    session
        Spark session.
    numbered
        Numbered table.
    folder
        Folder of the state of each round, which the tasks must reach.
    """

    def __init__(self, session: SparkSession, numbered: NumberedTable, folder: Folder) -> None:
        self.session = session
        self.numbered = numbered
        self.folder = folder
        self._bulk: dict[int, list[Block]] = {}
        self._written: tuple[int, DataFrame] | None = None
        folder.make()

    def blocks(self, through: int) -> Iterator[Block]:
        """Yield the blocks of the first nodes, fetched once."""
        if through not in self._bulk:
            frame = self.numbered.blocks.where(f"first_node < {through}")
            found = [block for _, block in block_rows(frame.toArrow().to_batches())]
            self._bulk[through] = sorted(found, key=lambda block: block.first_node)
        return iter(self._bulk[through])

    def count_visits(self, *, bulk: int, parts: int, allowance: int) -> list[NDArray[np.int64]]:
        """Count the visits of each part."""

        def scatter(_: Any, block: Block) -> Iterator[tuple[int, RecordBatch]]:
            sizes = np.diff(block.offsets).astype(np.int32)
            snapshot = LabelSnapshot(np.zeros_like(block.topics), sizes)
            return tasks.scatter_records(block, snapshot, bulk=bulk, least=1, parts=parts)

        share = max(1, allowance // parts)

        def count(batches: list[RecordBatch], part: int) -> dict[str, Any]:
            visits = tasks.count_visits(batches, allowance=share)
            return {"part": len(visits), "visits": visits.tobytes()}

        packed = scatter_blocks(self.numbered.blocks, RecordBatch, scatter)
        rows = _by_part(packed, RecordBatch, count, "part bigint, visits binary")
        return [
            np.frombuffer(row["visits"], dtype=np.int64).reshape(row["part"], -1)
            for row in rows
            if row["part"]
        ]

    def propose(
        self, state: MergeState, *, bulk: int, parts: int, top: int, floor: int, seed: int
    ) -> Iterator[LinkProposals]:
        """Propose links from each part."""

        def scatter(row: dict[str, Any], block: Block) -> Iterator[tuple[int, RecordBatch]]:
            snapshot = _snapshot(row, block)
            return tasks.scatter_records(block, snapshot, bulk=bulk, least=floor, parts=parts)

        def propose(batches: list[RecordBatch], part: int) -> dict[str, Any]:
            return pack(tasks.propose_from_records(batches, top=top, floor=floor, seed=seed))

        packed = scatter_blocks(self._with_snapshot(state), RecordBatch, scatter)
        for row in _by_part(packed, RecordBatch, propose, binary_schema(LinkProposals)):
            yield unpack(LinkProposals, row)

    def propose_to_bulk(
        self, state: MergeState, bulk: BulkNodes, *, least: int, salt: int
    ) -> Iterator[LinkProposals]:
        """Propose links from each block to bulk nodes."""

        def propose(batches: Iterator[Any]) -> Iterator[Any]:
            for row, block in block_rows(batches):
                snapshot = _snapshot(row, block)
                found = tasks.propose_to_bulk(block, snapshot, bulk, least=least, salt=salt)
                yield from to_batches([pack(found)])

        frame = self._with_snapshot(state).mapInArrow(propose, binary_schema(LinkProposals))
        for row in rows_of(frame.toArrow().to_batches()):
            yield unpack(LinkProposals, row)

    def span(
        self, state: MergeState, *, parts: int, chosen: range, seed: int
    ) -> Iterator[NDArray[np.int32]]:
        """Span the topics of the chosen parts."""

        def scatter(row: dict[str, Any], block: Block) -> Iterator[tuple[int, SubscriptionBatch]]:
            found = tasks.scatter_members(block, _snapshot(row, block), parts=parts)
            return ((part, batch) for part, batch in found if part in chosen)

        def span(batches: list[SubscriptionBatch], part: int) -> dict[str, Any]:
            return {"ends": tasks.span_members(batches, seed=seed + part).tobytes()}

        packed = scatter_blocks(self._with_snapshot(state), SubscriptionBatch, scatter)
        for row in _by_part(packed, SubscriptionBatch, span, "ends binary"):
            yield np.frombuffer(row["ends"], dtype=np.int32).reshape(-1, 2)

    # -- the state, between rounds --------------------------------------------------

    def save(self, step: int, state: MergeState) -> None:
        """Write the state to the folder."""
        written = io.BytesIO()
        links = np.concatenate([np.empty((0, 2), dtype=np.int32), *state.links])
        np.savez(
            written, step=step, goes_on=state.continues, parents=state.parents, parts=state.parts,
            degrees=state.degrees, links=links,
        )  # fmt: skip
        (self.folder / "state.npz").write_bytes(written.getvalue())

    def restore(self, state: MergeState) -> int:
        """Restore the state from the folder, if there is one, and return its step."""
        stored = (self.folder / "state.npz").read_bytes()
        if stored is None:
            return 0
        with np.load(io.BytesIO(stored), allow_pickle=False) as found:
            state.parents[:] = found["parents"]
            state.parts[:] = found["parts"]
            state.degrees[:] = found["degrees"]
            state.links = [found["links"]]
            state.continues = bool(found["goes_on"])
            return int(found["step"])

    def _with_snapshot(self, state: MergeState) -> DataFrame:
        """Return the blocks, each with its labels and degrees and the connected topics."""
        from pyspark.sql import functions as f

        moment = state.link_count
        if self._written is None or self._written[0] != moment:
            place = self.folder / f"snapshot-{moment}.parquet"
            self._write(place, state)
            for name in self.folder.children():
                if name.startswith("snapshot-") and name != f"snapshot-{moment}.parquet":
                    (self.folder / name).remove()
            snapshots = read_parquet(self.session, place)
            self._written = (moment, self.numbered.blocks.join(snapshots, "block"))
        # The connected topics, a bit each, are sent to all tasks.
        closed = np.packbits(state.parts <= 1).tobytes()
        return self._written[1].withColumn("closed", f.lit(bytearray(closed)))

    def _write(self, place: Folder, state: MergeState) -> None:
        schema = pa.schema(
            [("block", pa.int64()), ("labels", pa.binary()), ("degrees", pa.binary())]
        )
        labels, numbered = state.labels(), self.numbered
        nodes = np.append(numbered.first_nodes, len(numbered.shape.sizes))
        slots = offsets_of(numbered.shape.sizes)[nodes]
        with (
            self.folder.system.open_output_stream(place.path) as stream,
            pa.parquet.ParquetWriter(stream, schema, compression="lz4") as writer,
        ):
            for k, block in enumerate(numbered.block_ids.tolist()):
                row = {
                    "block": block,
                    "labels": labels[slots[k] : slots[k + 1]].tobytes(),
                    "degrees": state.degrees[nodes[k] : nodes[k + 1]].tobytes(),
                }
                for batch in to_batches([row]):
                    writer.write_batch(batch)


def _snapshot(row: Mapping[str, Any], block: Block) -> LabelSnapshot:
    """Return the snapshot of a row, with the labels of connected topics set to dead."""
    snapshot = unpack(LabelSnapshot, row)
    bits = np.frombuffer(row["closed"], dtype=np.uint8)
    closed = np.unpackbits(bits).view(np.bool_)
    labels = snapshot.labels.copy()
    labels[closed[block.topics]] = DEAD
    return LabelSnapshot(labels, snapshot.degrees)


def _by_part(
    packed: DataFrame,
    kind: type[Any],
    work: Callable[[list[Any], int], dict[str, Any]],
    schema: str,
) -> Iterator[dict[str, Any]]:
    """Gather the rows of each part in a task, work on them, and fetch the results."""

    def on_part(table: pa.Table) -> pa.Table:
        part = table.column("part")[0].as_py()
        batches = [unpack(kind, row) for row in rows_of(table.to_batches())]
        return pa.Table.from_batches(list(to_batches([work(batches, part)])))

    frame = packed.groupBy("part").applyInArrow(on_part, schema)
    return rows_of(frame.toArrow().to_batches())
