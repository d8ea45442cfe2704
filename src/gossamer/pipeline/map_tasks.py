"""Many small, independent pieces of work as Spark tasks, their results as they come.

A batch of items is one Spark job of one task, so a result is back when its task is done,
not when all are, and a task that is lost with its worker is run again by Spark. Only frames
are used, so it works on classic sessions and on Spark Connect. What the items are, and
where results are kept, is the caller's business.
"""

from __future__ import annotations

import secrets
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import pyarrow as pa

from gossamer.errors import EngineError, ParameterError
from gossamer.pipeline.session import parallelism, spark_faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["map_tasks"]

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_OF_A_TASK = 3.0
OUTCOMES = "place bigint, seconds double, outcome binary"


class Outcome(NamedTuple):
    """What became of one item: its place, how long it took, and the result or the error."""

    place: int
    seconds: float
    result: Any
    fault: Exception | None


def map_tasks(
    session: SparkSession,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    per_task: int | None = None,
    slots: int | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Apply a function to each item on Spark, and yield results as tasks finish.

    The first tasks have one item each; how long those take says how many make a task of
    some seconds. When the iterator is closed early, what has not started is not started,
    and what runs is interrupted. A task costs about a tenth of a second besides its items.

    Parameters
    ----------
    session
        Where to run.
    function
        Picklable; where it stands must be importable, or it is sent along, as cloudpickle
        decides. The same item gives the same result, because a lost task is run again.
    items
        Picklable. All are held in memory here.
    per_task
        How many items a task has, instead of what is measured.
    slots
        How many tasks are under way at once: by default one more than Spark runs side by
        side, so that none of its places is idle while a result is fetched.

    Yields
    ------
    tuple
        The place of an item among the items, and its result; in no particular order.

    Raises
    ------
    Exception
        The first error that the function raised, as it was, with the traceback of the task
        as a note; an :class:`EngineError` if Spark failed.
    """
    for name, value in (("per_task", per_task), ("slots", slots)):
        if value is not None and value < 1:
            raise ParameterError(f"{name} is {value}; expected 1 or more")
    return _results(session, function, list(items), per_task, slots)


def _results(
    session: SparkSession,
    function: Callable[[Item], Result],
    items: Sequence[Item],
    per_task: int | None,
    slots: int | None,
) -> Generator[tuple[int, Result], None, None]:
    waiting = deque(enumerate(items))
    if not waiting:
        return
    if slots is None:
        with spark_faults():
            slots = parallelism(session) + 1
    tag = f"gossamer-{secrets.token_hex(8)}"
    typical: float | None = None
    running: set[Future[list[Outcome]]] = set()
    pool = ThreadPoolExecutor(slots, thread_name_prefix="gossamer-fan-out")
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                size = per_task or _items_of_a_task(typical, len(waiting), slots)
                batch = [waiting.popleft() for _ in range(min(size, len(waiting)))]
                running.add(pool.submit(_run_task, session, tag, function, batch))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                with spark_faults():
                    outcomes = future.result()
                mean = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
                typical = mean if typical is None else (typical + mean) / 2
                for outcome in outcomes:
                    if outcome.fault is not None:
                        raise outcome.fault
                    yield outcome.place, outcome.result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if any(not future.done() for future in running):
            with suppress(Exception):  # it may be Spark itself that is gone
                session.interruptTag(tag)
        pool.shutdown(wait=True)


def _items_of_a_task(seconds: float | None, waiting: int, slots: int) -> int:
    """Return how many items make a task of some seconds; fewer near the end, to share it."""
    if seconds is None:
        return 1
    most = max(1, waiting // (2 * slots))
    return most if seconds <= 0 else max(1, min(most, int(SECONDS_OF_A_TASK / seconds)))


def _run_task(
    session: SparkSession,
    tag: str,
    function: Callable[[Any], Any],
    batch: Sequence[tuple[int, Any]],
) -> list[Outcome]:
    """Run a batch as one task, and wait for it; called in a thread of its own."""
    from pyspark import cloudpickle

    def work(ones: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in ones:
            yield from _carried_out(function, batch)

    session.addTag(tag)
    try:
        frame = session.range(0, 1, 1, 1).mapInArrow(work, OUTCOMES)
        rows = frame.collect()
    finally:
        session.removeTag(tag)
    return [
        Outcome(row["place"], row["seconds"], *cloudpickle.loads(bytes(row["outcome"])))
        for row in rows
    ]


def _carried_out(
    function: Callable[[Any], Any], batch: Sequence[tuple[int, Any]]
) -> Iterator[pa.RecordBatch]:
    """Apply the function, in the task; an error ends the batch and travels like a result."""
    for place, item in batch:
        start = time.perf_counter()
        result, fault = None, None
        try:
            result = function(item)
        except Exception as caught:
            fault = caught
            fault.add_note("".join(traceback.format_exception(caught)))
        seconds = time.perf_counter() - start
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([place], pa.int64()),
                pa.array([seconds], pa.float64()),
                pa.array([_packed(place, result, fault)], pa.binary()),
            ],
            names=["place", "seconds", "outcome"],
        )
        if fault is not None:
            return


def _packed(place: int, result: Any, fault: Exception | None) -> bytes:
    """Pickle what came out; what cannot travel is told as an error of ours."""
    from pyspark import cloudpickle

    pack = cast("Callable[[object], bytes]", cloudpickle.dumps)
    try:
        packed = pack((result, fault))
        if fault is not None:
            cloudpickle.loads(packed)
    except Exception as caught:
        what = "result" if fault is None else f"error ({type(fault).__name__}: {fault})"
        packed = pack(
            (None, EngineError(f"the {what} of item {place} cannot be sent back: {caught}"))
        )
    return packed
